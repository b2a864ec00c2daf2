"""Turns what DuckDB raises into errors that a model can act upon; no path, no internals."""

import logging
import re

import duckdb

from moviegraph.errors import ExecutionError, GraphError

LOG = logging.getLogger("moviegraph")
UNWRITTEN = "Could not write"
FARTHEST = "A date is of the years 1 to 9999, a DATETIME from 1753 on: add or take less."
Rule = tuple[re.Pattern[str], str, str, str | None]


def _rule(pattern: str, code: str, message: str, hint: str | None = None) -> Rule:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL), code, message, hint


RULES: tuple[Rule, ...] = (
    _rule(
        r"division by zero",
        "divide_by_zero",
        "Divide by zero error encountered.",
        "Divide by NULLIF(x, 0).",
    ),
    _rule(
        r"moviegraph:domain", "conversion_failed", "An invalid floating point operation occurred."
    ),
    _rule(
        r"moviegraph:length",
        "execution_failed",
        "Invalid length parameter passed to the LEFT or SUBSTRING function.",
        "A length is 0 or more; CHARINDEX is 0 where nothing is found, so minus 1 is too little.",
    ),
    _rule(
        r"moviegraph:offset",
        "execution_failed",
        "Offset parameter for Lag and Lead functions cannot be a negative value.",
        "LAG(x, n) looks n rows back, LEAD(x, n) n rows ahead; n is 0 or more.",
    ),
    _rule(
        r"moviegraph:stuff",
        "execution_failed",
        "The result of STUFF exceeds the limit of 8000 bytes.",
        "CAST the text AS NVARCHAR(MAX) inside STUFF, or take less: LEFT(x, 3000).",
    ),
    _rule(
        r"moviegraph:aggregate",
        "execution_failed",
        "STRING_AGG aggregation result exceeded the limit of 8000 bytes.",
        "CAST the text AS NVARCHAR(MAX) inside STRING_AGG, or aggregate fewer rows.",
    ),
    _rule(
        r"moviegraph:derived",
        "too_complex",
        "A text made in a CTE or derived table is too large for what is done with it: 65,536 "
        "characters where a longer one is made of it, 4,194,304 where it is read.",
        "Take a piece of it first: LEFT(x, 20000); or work on the rows before STRING_AGG joins "
        "them.",
    ),
    _rule(
        r"moviegraph:too_large",
        "too_complex",
        "A text would grow too large in REPLACE.",
        "Replace in a shorter text, for example LEFT(x, 4000).",
    ),
    _rule(
        r"moviegraph:long_text",
        "unsupported_by_engine",
        "A text of more than 8,000 bytes was made of a type that is not MAX: SQL Server cuts it, "
        "the embedded engine does not.",
        "CAST a part of it AS NVARCHAR(MAX), or take less: LEFT(x, 3000).",
    ),
    _rule(
        r"moviegraph:character",
        "unsupported_by_engine",
        "The embedded engine has no text with the character NUL or with half of a surrogate pair.",
        "No stored text has NUL: leave it out. NCHAR(128515) or N'...' makes a whole character.",
    ),
    _rule(
        r"moviegraph:pattern_size",
        "too_complex",
        "The pattern repeats too much for a text of this length.",
        "Count less, as in .{0,20}, write fewer wildcards, or search in LEFT(x, 500).",
    ),
    _rule(
        r"moviegraph:translate",
        "execution_failed",
        "The second and third arguments of TRANSLATE must have an equal number of characters.",
    ),
    _rule(
        r"moviegraph:like_spaces",
        "unsupported_by_engine",
        "The embedded engine has no LIKE of a VARCHAR or CHAR that ends with a space.",
        "RTRIM it, or CAST it AS NVARCHAR(200).",
    ),
    _rule(
        r"moviegraph:like_brackets",
        "unsupported_by_engine",
        "The embedded engine reads no [ in a computed pattern of LIKE.",
        "Write the pattern as a literal, or use CHARINDEX.",
    ),
    _rule(
        r"invalid repetition size|missing \)|missing \]|bad repetition|no argument for repetition|"
        r"invalid (?:escape sequence|perl operator|character class|named capture)|"
        r"unexpected \)|trailing \\|pattern too large",
        "execution_failed",
        "A regular expression is not valid; its syntax is that of RE2.",
        "RE2 has no backreferences and no look-around, and repeats at most 1,000 times.",
    ),
    _rule(
        r"moviegraph:json_text",
        "conversion_failed",
        "JSON text is not properly formatted.",
        "Test it first: CASE WHEN ISJSON(x) = 1 THEN JSON_VALUE(x, '$.key') END.",
    ),
    _rule(
        r"moviegraph:json_path",
        "execution_failed",
        "JSON path is not properly formatted.",
        "A path is '$.key', '$.\"two words\"', '$.list[0]' or these after lax.",
    ),
    _rule(
        r"moviegraph:json_elements",
        "execution_failed",
        "A JSON path with [*], a range, a list or last needs a value of type json, not a text.",
        "Unfold the array with OPENJSON, or name one element: '$.list[0]'.",
    ),
    _rule(
        r"moviegraph:json_null",
        "unsupported_by_engine",
        "The embedded engine has no JSON path that is NULL.",
        "Name a path, for example ISNULL(x, '$').",
    ),
    _rule(
        r"moviegraph:json_strict",
        "unsupported_by_engine",
        "The embedded engine has no JSON path in strict mode.",
        "Drop strict from the path; what is missing is NULL.",
    ),
    _rule(
        r"moviegraph:json_large",
        "too_complex",
        "A JSON document inside the statement would grow too large.",
        "Select fewer columns or a smaller TOP in the inner FOR JSON.",
    ),
    _rule(
        r"moviegraph:json_(?:half|length)",
        "unsupported_by_engine",
        "The embedded engine cannot say what SQL Server makes of this JSON value.",
        "Give a column of OPENJSON more length.",
    ),
    _rule(
        r"could not convert string ['\"](.{0,60}?)['\"] to (\w+)",
        "conversion_failed",
        "Conversion failed when converting the nvarchar value '{0}' to data type {1}.",
        "Use TRY_CAST, or CAST the other side AS NVARCHAR(200).",
    ),
    _rule(
        r"unimplemented type for cast \(\w+ -> (?:date|time)",
        "conversion_failed",
        "A number was given where a date is meant.",
        "A year in a number compares as it is: x = 1999. A date of it is DATEFROMPARTS(x, 1, 1).",
    ),
    _rule(
        r"moviegraph:moved (\w+)",
        "conversion_failed",
        "Adding a value to a '{0}' column caused an overflow.",
        FARTHEST,
    ),
    _rule(
        r"not in timestamp range|interval value .{1,40} out of range|"
        r"date out of range(?:: -?\d{5}|$)",
        "conversion_failed",
        "Adding a value to a date or time caused an overflow.",
        FARTHEST,
    ),
    _rule(
        r"(?:moviegraph:parts (\w+)|(date|time) out of range: )",
        "conversion_failed",
        "Cannot construct data type {0}, some of the arguments have values which are not valid.",
        "Give a year from 1 to 9999, a month from 1 to 12 and a day that the month has; the last "
        "day of a month is EOMONTH(DATEFROMPARTS(y, m, 1)).",
    ),
    _rule(
        r"moviegraph:last_moment",
        "unsupported_by_engine",
        "The embedded engine cannot say what SQL Server makes of a moment that rounds up to one "
        "behind the last of its type.",
        "CAST it to a type with more digits of a second, such as DATETIME2.",
    ),
    _rule(
        r"moviegraph:moment|(?:date|timestamp|time) field|could not parse string|"
        r"date out of range|strptime",
        "conversion_failed",
        "Conversion failed when converting date and/or time from character string.",
        "Write dates as 'yyyy-mm-dd', or use TRY_CAST.",
    ),
    _rule(
        r"overflow|out of range|because the value|could not cast value|failed to cast decimal",
        "conversion_failed",
        "Arithmetic overflow error: the number does not fit its type.",
        "CAST to BIGINT or FLOAT first; DATEDIFF_BIG counts further than DATEDIFF.",
    ),
    _rule(
        r"more than one row returned by a subquery",
        "execution_failed",
        "Subquery returned more than 1 value.",
        "Add TOP 1, an aggregate, or use IN.",
    ),
    _rule(
        r'column "?([^"]{1,80})"? must appear in the GROUP BY',
        "execution_failed",
        "Column '{0}' is invalid in the select list because it is neither in an aggregate "
        "function nor in the GROUP BY clause.",
        "Add it to GROUP BY, or wrap it in MIN() or MAX().",
    ),
    _rule(
        r"(?:set operations|union|except).{0,80}(?:same number|number of (?:result )?columns)",
        "execution_failed",
        "All queries combined by UNION, INTERSECT or EXCEPT need as many columns.",
    ),
    _rule(
        r"different collation|collation conflict",
        "conversion_failed",
        "Cannot resolve the collation conflict between two texts.",
        "Name one collation for both sides.",
    ),
    _rule(
        r"cannot (?:compare|mix|combine) |no function matches|unimplemented type for cast",
        "conversion_failed",
        "Two values have types that do not go together.",
        "CAST one of them, for example CAST(x AS NVARCHAR(200)) or TRY_CAST(x AS INT).",
    ),
    _rule(
        r"aggregate function calls cannot be nested|aggregates? .{0,40}nested",
        "execution_failed",
        "An aggregate cannot stand inside another aggregate.",
        "Compute the inner one in a CTE or derived table.",
    ),
    _rule(
        r"where clause cannot contain (aggregates|window)",
        "execution_failed",
        "Aggregates and window functions cannot stand in WHERE.",
        "Use HAVING, or filter around a derived table.",
    ),
    _rule(r"malformed json", "conversion_failed", "A text is not properly formatted JSON."),
    _rule(
        r"ambiguous reference",
        "execution_failed",
        "A column name is ambiguous.",
        "Write it with its table's alias.",
    ),
)
TYPE_NAMES = {
    "INT8": "tinyint",
    "INT16": "smallint",
    "INT32": "int",
    "INT64": "bigint",
    "UINT8": "tinyint",
    "UTINYINT": "tinyint",
    "SMALLINT": "smallint",
    "INT": "int",
    "BIGINT": "bigint",
    "DOUBLE": "float",
    "FLOAT": "real",
    "BOOL": "bit",
    "DECIMAL": "decimal",
    "Date": "date",
    "Time": "time",
}


def _without_space() -> ExecutionError:
    """Return the error of a statement whose intermediate rows found no room; no other rows do."""
    LOG.warning(
        "The temporary folder has no room for the intermediate rows of a statement.",
        extra={"facts": {"event": "spill_failed"}},
    )
    return ExecutionError(
        "The statement needs more space for its intermediate rows than there is just now.",
        code="too_complex",
        hint="Filter or aggregate earlier.",
    )


def translate_error(error: Exception) -> ExecutionError | GraphError:
    """Return the error for the model, or for the operator where the files are damaged."""
    if isinstance(error, duckdb.IOException) and UNWRITTEN in str(error):
        return _without_space()
    if isinstance(error, duckdb.IOException | duckdb.SerializationException):
        return GraphError("The tables of the graph cannot be read.", hint="Load the data again.")
    if isinstance(error, duckdb.OutOfMemoryException):
        return ExecutionError(
            "The statement needs more memory than it may have.",
            code="too_complex",
            hint="Filter or aggregate earlier.",
        )
    if isinstance(error, UnicodeError):
        return ExecutionError(
            "The statement holds characters that are no valid text.", code="execution_failed"
        )
    if isinstance(error, duckdb.InternalException):
        LOG.warning(
            "DuckDB failed with an internal error on a statement that it should run.",
            extra={"facts": {"event": "engine_fault"}},
        )
        return ExecutionError(
            "The embedded engine cannot run the statement as it is written.",
            code="unsupported_by_engine",
            hint="Instead of APPLY or a subquery with TOP, number the rows in a derived table with "
            "ROW_NUMBER() OVER (PARTITION BY ...) and keep the first ones; take subqueries apart.",
        )
    message = str(error)
    for pattern, code, text, hint in RULES:
        match = pattern.search(message)
        if match:
            found = [TYPE_NAMES.get(group, group) for group in match.groups() if group is not None]
            missing = ["that is asked for"] * (text.count("{") - len(found))
            return ExecutionError(text.format(*found, *missing), code=code, hint=hint)
    if isinstance(error, duckdb.CatalogException | duckdb.BinderException | duckdb.ParserException):
        return ExecutionError(
            "The embedded engine cannot run a construct of this statement.",
            code="unsupported_by_engine",
            hint="Write it in a simpler form, for example with a CTE.",
        )
    return ExecutionError("The statement failed while it ran.", code="execution_failed")
