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
        "A subquery used as a value finds several rows: compare by IN, or aggregate in it.",
    ),
    (
        r"adding a value to a ",
        "conversion_failed",
        "DATEADD leaves the years 1 to 9999 (of a DATETIME 1753 to 9999): add or take less.",
    ),
    (
        r"cannot construct data type",
        "conversion_failed",
        (
            "Its numbers make no date: a month is 1 to 12, a day one that the month has; the last "
            "day of a month is EOMONTH(DATEFROMPARTS(y, m, 1))."
        ),
    ),
    (
        r"datediff\w* function resulted",
        "conversion_failed",
        "Count with DATEDIFF_BIG, or in a coarser part of the date.",
    ),
    (
        r"invalid length parameter",
        "execution_failed",
        (
            "A length is below 0 in some row: CHARINDEX is 0 where nothing is found, so take 1 "
            "from it only where it is above 0."
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
        "LOG, SQRT or their like get a number that they do not take: test it first in a CASE.",
    ),
    (
        r"json text is not properly|malformed json",
        "conversion_failed",
        "Test the text first: CASE WHEN ISJSON(x) = 1 THEN JSON_VALUE(x, '$.key') END.",
    ),
    (
        r"specified json path",
        "execution_failed",
        "Drop strict from the path to get NULL where there is no such property.",
    ),
    (
        r"date and/or time|conver.*\b(?:(?:small)?datetime\w*|date|time)\b",
        "conversion_failed",
        "A value is no date: write dates as 'yyyy-mm-dd', or use TRY_CAST, which is NULL there.",
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
            "A value does not fit its type in some row: use TRY_CAST for texts, BIGINT or FLOAT "
            "for large numbers, and write dates as 'yyyy-mm-dd'."
        ),
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
    (r"too_complex|more memory", "too_complex", "Filter or aggregate earlier."),
    (
        r"execution_failed",
        "execution_failed",
        "It fails while it runs: call again with the whole message that came with it.",
    ),
)


def told(error: str) -> ExecutionError:
    """Return a reported error with the code that it has here, and what to write instead."""
    said = QUOTED.sub("''", error)
    for pattern, code, advice in KNOWN:
        if re.search(pattern, said, re.IGNORECASE):
            return ExecutionError(recordable(error), code=code, hint=advice)
    return ExecutionError(
        f"The guard accepts the statement and the engine compiles it, so the error that was "
        f"reported does not come from its form: {recordable(error)}",
        code="not_reproduced",
        hint="Run it again; if it timed out, filter earlier or list fewer columns.",
    )
