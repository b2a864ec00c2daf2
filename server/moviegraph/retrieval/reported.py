"""Reads the text of an error that a statement met elsewhere, or while it ran."""

import re

from moviegraph.errors import ExecutionError
from moviegraph.retrieval.recording import recordable

RUNNING = frozenset({"execution_failed", "conversion_failed", "divide_by_zero"})
QUOTED = re.compile("'[^']*'")  # a value, whose words say nothing
KNOWN: tuple[tuple[str, str, str], ...] = (
    (
        r"divi(?:de|sion)[ _]by[ _]zero",
        "divide_by_zero",
        "A divisor is 0 in some row: divide by NULLIF(x, 0).",
    ),
    (
        r"more than (?:1|one) (?:value|row)",
        "execution_failed",
        "A subquery used as a value returns multiple rows: compare with IN, or aggregate in it.",
    ),
    (
        r"adding a value to a ",
        "conversion_failed",
        (
            "The result of DATEADD is outside the years 1 to 9999 (1753 to 9999 for a "
            "DATETIME): add or subtract less."
        ),
    ),
    (
        r"cannot construct data type",
        "conversion_failed",
        (
            "The numbers form no date: a month is 1 to 12, and a day must exist in its "
            "month; the last day of a month is EOMONTH(DATEFROMPARTS(y, m, 1))."
        ),
    ),
    (
        r"datediff\w* function resulted",
        "conversion_failed",
        "Use DATEDIFF_BIG, or a coarser date part.",
    ),
    (
        r"invalid length parameter",
        "execution_failed",
        (
            "A length is below 0 in some row: CHARINDEX returns 0 if it finds nothing, so "
            "subtract 1 only where it is above 0."
        ),
    ),
    (
        r"limit of 8000 bytes",
        "execution_failed",
        "CAST the text AS NVARCHAR(MAX) inside STRING_AGG, or aggregate fewer rows.",
    ),
    (
        r"invalid floating point operation",
        "conversion_failed",
        (
            "LOG, SQRT or a similar function receives a number outside its domain: test it "
            "first in a CASE."
        ),
    ),
    (
        r"json text is not properly|malformed json",
        "conversion_failed",
        "Test the text first: CASE WHEN ISJSON(x) = 1 THEN JSON_VALUE(x, '$.key') END.",
    ),
    (
        r"specified json path",
        "execution_failed",
        "Remove strict from the path: it then returns NULL where the property is missing.",
    ),
    (
        r"date and/or time|conver.*\b(?:(?:small)?datetime\w*|date|time)\b",
        "conversion_failed",
        (
            "A value is not a date: write dates as 'yyyy-mm-dd', or use TRY_CAST, which returns "
            "NULL instead."
        ),
    ),
    (
        r"overflow|out of range",
        "conversion_failed",
        "A number does not fit its type: CAST to BIGINT or FLOAT before computing.",
    ),
    (
        r"^\W*conversion_failed\W*$",
        "conversion_failed",
        (
            "A value does not fit its type in some row: use TRY_CAST for text, BIGINT or "
            "FLOAT for large numbers, and write dates as 'yyyy-mm-dd'."
        ),
    ),
    (
        r"conver(?:t|sion)|could not cast",
        "conversion_failed",
        (
            "Some text is not a number: use TRY_CAST, and CAST numbers that are concatenated "
            "with text."
        ),
    ),
    (
        r"time ?out|timed out|took longer|cancel",
        "timeout",
        "Filter earlier, select fewer columns, or split the question.",
    ),
    (r"too_complex|more memory", "too_complex", "Filter or aggregate earlier."),
    (
        r"execution_failed",
        "execution_failed",
        "It fails at run time: call again with the full error message.",
    ),
)


def told(error: str) -> ExecutionError:
    """Return a reported error with the code that it has here, and what to write instead."""
    said = QUOTED.sub("''", error)
    for pattern, code, advice in KNOWN:
        if re.search(pattern, said, re.IGNORECASE):
            return ExecutionError(recordable(error), code=code, hint=advice)
    return ExecutionError(
        "The guard accepts the statement and the engine compiles it, so the reported error "
        f"is not in its syntax: {recordable(error)}",
        code="not_reproduced",
        hint="Run it again. If it timed out, filter earlier or select fewer columns.",
    )
