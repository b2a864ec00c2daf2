"""Functions and forms that only SQL Server runs, and what to write instead on the embedded engine.

`docs/reference/errors.md` lists them.
"""

from dataclasses import dataclass

from moviegraph.engines.duckdb.expressions import unsupported
from moviegraph.errors import ExecutionError


@dataclass(frozen=True, slots=True)
class Refusal:
    """A function or form that the embedded engine refuses.

    Attributes:
        subject: The functions, or the form, as the table names them.
        instead: The alternative to write.
        functions: The functions that are refused whatever their arguments.
    """

    subject: str
    instead: str
    functions: tuple[str, ...] = ()

    def error(self, subject: str | None = None) -> ExecutionError:
        """Return the error of a statement with it; `subject` names the function or form used."""
        return unsupported(subject or self.subject, self.instead)


def _functions(instead: str, *names: str) -> Refusal:
    return Refusal(", ".join(names), instead, names)


FUNCTIONS = (
    _functions("Use LIKE, CONTAINS or fulltext_search.", "SOUNDEX", "DIFFERENCE"),
    _functions(
        "Use the operators & | ^ ~ and powers of two.",
        *("BIT_COUNT", "GET_BIT", "SET_BIT", "LEFT_SHIFT", "RIGHT_SHIFT"),
    ),
    _functions(
        "Return the numbers, and compute angles from them.",
        *("SIN", "COS", "TAN", "COT", "ACOS", "ASIN", "ATAN", "ATN2", "DEGREES", "RADIANS"),
    ),
    _functions(
        "Use DATEFROMPARTS, or CAST('2024-05-06 07:08' AS DATETIME2).",
        *("DATETIMEFROMPARTS", "DATETIME2FROMPARTS", "SMALLDATETIMEFROMPARTS", "TIMEFROMPARTS"),
    ),
    _functions(
        "Use DATETIME2 and SYSUTCDATETIME().",
        *("SYSDATETIMEOFFSET", "DATETIMEOFFSETFROMPARTS", "SWITCHOFFSET", "TODATETIMEOFFSET"),
    ),
    _functions("Use DATETRUNC; a decade is YEAR(x) / 10 * 10.", "DATE_BUCKET"),
    _functions("Use TRY_CAST(x AS FLOAT), or AS DATETIME, IS NOT NULL.", "ISNUMERIC", "ISDATE"),
    _functions("Use LEN.", "DATALENGTH"),
    _functions("Use FORMAT(x, '0.00') or CAST(x AS VARCHAR(20)).", "STR"),
    _functions("Use CONCAT('[', x, ']').", "QUOTENAME"),
    _functions("Use FOR JSON PATH.", "JSON_MODIFY"),
    _functions("Use FOR JSON, which escapes its values.", "STRING_ESCAPE"),
    _functions("Write the characters themselves: N'...'.", "UNISTR"),
    _functions("Use PATINDEX, or REGEXP_SUBSTR.", "REGEXP_INSTR"),
    _functions(
        "Use JSON_VALUE(x, path) IS NOT NULL, or JSON_QUERY for an object or array.",
        "JSON_PATH_EXISTS",
    ),
)
FORMAT_PATTERN = Refusal(
    "FORMAT with another pattern",
    "For numbers use N, F, P, C, D or a pattern of 0 # , . %; for dates d, D, f, F, g, G, M, s, t, "
    "T, u, Y or a pattern of yyyy, yy, MMMM to M, dddd to d, HH, H, hh, h, mm, ss, tt.",
)
FORMAT_CULTURE = Refusal("FORMAT in another culture than en-US", "Leave the culture out.")
DATE_STYLE = Refusal(
    "CONVERT of a date with another style",
    "Use 0, 20, 21, 23, 100 to 108, 110 to 112, 120, 121 or 126.",
)
NUMBER_STYLE = Refusal("CONVERT of a number with a style", "Use FORMAT.")
FINE_PARTS = Refusal("DATEPART microsecond, nanosecond", "Use millisecond.")
COMPUTED = Refusal(
    "PATINDEX, TRANSLATE or STRING_SPLIT with a computed pattern, characters or separator",
    "Write a literal; for PATINDEX use CHARINDEX.",
)
LIKE_SPACES = Refusal(
    "LIKE of a VARCHAR or CHAR that ends with a space", "RTRIM it, or CAST it AS NVARCHAR(200)."
)
TRIMMED = Refusal(
    "TRIM of letters or of computed characters",
    "Write characters that are no letters as a literal.",
)
REGEX = Refusal(
    "REGEXP functions with a computed pattern, a position, an occurrence, a group, a replacement "
    "with a backslash or &, or other flags than c and i",
    "Write a literal pattern, and take the piece with SUBSTRING first.",
)
REPLICATED = Refusal("REPLICATE of a text of a MAX type", "CAST it AS NVARCHAR(4000).")
DISTINCT_TOP = Refusal(
    "SELECT DISTINCT TOP with PERCENT or WITH TIES", "Take DISTINCT in a derived table first."
)
QUANTIFIED_TEXT = Refusal(
    "< > <= >= of a text with ANY or ALL", "Compare with (SELECT MIN(x) ...) or MAX(x)."
)
ALONG = Refusal(
    "WITHIN GROUP (GRAPH PATH) over columns of other tables than those of its path",
    "Return the columns of the path from a CTE, and combine them around it.",
)
ROUNDED = Refusal("ROUND of a DECIMAL to a computed number of digits", "Write the number.")
JSON_LEVELS = Refusal("FOR JSON AUTO over several tables", "Use FOR JSON PATH.")
STRICT_PATH = Refusal("JSON path in strict mode", "Drop strict; what is missing is NULL.")
LANGUAGE = Refusal(
    "full-text search in another language than English",
    "Leave LANGUAGE out, or write LANGUAGE 1033.",
)
RARE_TYPE = Refusal(
    "DATETIMEOFFSET, TIME, SMALLDATETIME, MONEY, SMALLMONEY", "Use DATETIME2 or DECIMAL(19, 4)."
)
LONG_TEXT = Refusal(
    "text of more than 8,000 bytes of a type that is not MAX, which SQL Server cuts",
    "CAST a part of it AS NVARCHAR(MAX).",
)
FORMS = (
    *(FORMAT_PATTERN, FORMAT_CULTURE, DATE_STYLE, NUMBER_STYLE, FINE_PARTS, COMPUTED, LIKE_SPACES),
    *(TRIMMED, REGEX, REPLICATED, DISTINCT_TOP, ROUNDED, JSON_LEVELS, STRICT_PATH),
    *(QUANTIFIED_TEXT, ALONG, LANGUAGE, RARE_TYPE, LONG_TEXT),
)
REFUSALS = (*FUNCTIONS, *FORMS)
_BY_FUNCTION = {name: refusal for refusal in FUNCTIONS for name in refusal.functions}


def refused_function(name: str) -> ExecutionError:
    """Return the error of a call of a function that the embedded engine does not have."""
    refusal = _BY_FUNCTION.get(name)
    return refusal.error(f"function {name}") if refusal else unsupported(f"function {name}")
