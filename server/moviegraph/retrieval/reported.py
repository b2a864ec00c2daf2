"""Reads the text of an error that a statement met elsewhere, or while it ran."""

import re

from moviegraph.errors import ExecutionError
from moviegraph.retrieval.recording import recordable

RUNNING = frozenset({"execution_failed", "conversion_failed", "divide_by_zero"})
KNOWN: tuple[tuple[str, str, str], ...] = (
    (
        r"divi(?:de|sion) by zero",
        "divide_by_zero",
        "A divisor is 0 in some row: divide by NULLIF(x, 0).",
    ),
    (
        r"more than (?:1|one) (?:value|row)",
        "execution_failed",
        "A subquery used as a value finds several rows: compare by IN, or aggregate in it.",
    ),
    (
        r"overflow",
        "conversion_failed",
        "A number does not fit its type: CAST to BIGINT or FLOAT before computing.",
    ),
    (
        r"conver(?:t|sion)|could not cast",
        "conversion_failed",
        "A text is no number: use TRY_CAST, and CAST numbers that are joined to texts.",
    ),
    (
        r"time ?out|timed out|took longer|cancel",
        "timeout",
        "Filter earlier, list fewer columns, or split the question.",
    ),
)


def told(error: str) -> ExecutionError:
    """Return a reported error with the code that it has here, and what to write instead."""
    for pattern, code, advice in KNOWN:
        if re.search(pattern, error, re.IGNORECASE):
            return ExecutionError(recordable(error), code=code, hint=advice)
    return ExecutionError(
        f"The guard accepts the statement and the engine compiles it, so the error that was "
        f"reported does not come from its form: {recordable(error)}",
        code="not_reproduced",
        hint="Run it again; if it timed out, filter earlier or list fewer columns.",
    )
