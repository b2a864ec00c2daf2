"""Turns an error that only the operator can mend into a log entry and one neutral sentence."""

import logging
import secrets

from moviegraph.cleaning import one_line
from moviegraph.errors import ForOperator, MoviegraphError
from moviegraph.metrics import count_incident

LOG = logging.getLogger("moviegraph")


def report(error: BaseException, where: str) -> str:
    """Log an error under a fresh reference, and return the sentence that names the reference."""
    reference = secrets.token_hex(4)
    code = error.code if isinstance(error, MoviegraphError) else "unexpected"
    told = {"event": "incident", "reference": reference, "where": where, "code": code}
    if isinstance(error, MoviegraphError):
        LOG.error("[%s] %s: %s", reference, where, operator_text(error), extra={"facts": told})
    else:
        text = "[%s] %s failed unexpectedly"
        LOG.error(text, reference, where, exc_info=error, extra={"facts": told})
    count_incident(code)
    neutral = error.neutral if isinstance(error, ForOperator) else ForOperator.neutral
    return f"{neutral}. The operator can find the cause in the log under reference {reference}."


def operator_text(error: MoviegraphError) -> str:
    """Return message and hint in one line."""
    return " ".join(one_line(f"{error.message} {error.hint or ''}").split())
