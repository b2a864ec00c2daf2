"""Turns an error that only the operator can mend into a log entry and one neutral sentence."""

import logging
import secrets

from moviegraph.cleaning import one_line
from moviegraph.errors import MoviegraphError

LOG = logging.getLogger("moviegraph")


def report(error: BaseException, where: str) -> str:
    """Log an error under a fresh reference, and return the sentence that names the reference."""
    reference = secrets.token_hex(4)
    if isinstance(error, MoviegraphError):
        LOG.error("[%s] %s: %s", reference, where, operator_text(error))
    else:
        LOG.error("[%s] %s failed unexpectedly", reference, where, exc_info=error)
    return (
        "The server could not finish this; its operator finds the cause in the log "
        f"under reference {reference}."
    )


def operator_text(error: MoviegraphError) -> str:
    """Return message and hint in one line."""
    return " ".join(one_line(f"{error.message} {error.hint or ''}").split())
