"""Forms that only SQL Server runs, and what to write instead on the embedded engine.

`docs/reference/errors.md` lists them.
"""

from dataclasses import dataclass

from moviegraph.engines.duckdb.expressions import unsupported
from moviegraph.errors import ExecutionError


@dataclass(frozen=True, slots=True)
class Refusal:
    """A form that the embedded engine refuses.

    Attributes:
        subject: The form, as the table names it.
        instead: The alternative to write.
    """

    subject: str
    instead: str

    def error(self, subject: str | None = None) -> ExecutionError:
        """Return the error of a statement with it; `subject` names the form used."""
        return unsupported(subject or self.subject, self.instead)


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
    "full-text search in another language than that of the texts",
    "Leave LANGUAGE out.",
)
RARE_TYPE = Refusal(
    "DATETIMEOFFSET, TIME, SMALLDATETIME, MONEY, SMALLMONEY",
    "Use DATETIME2 or DECIMAL(19, 4); a time of day is CONVERT(VARCHAR(8), x, 108).",
)
LONG_TEXT = Refusal(
    "text of more than 8,000 bytes of a type that is not MAX, which SQL Server cuts",
    "CAST a part of it AS NVARCHAR(MAX).",
)
FORMS = (
    *(FORMAT_PATTERN, FORMAT_CULTURE, DATE_STYLE, NUMBER_STYLE, FINE_PARTS, COMPUTED, LIKE_SPACES),
    *(TRIMMED, REGEX, REPLICATED, ROUNDED, JSON_LEVELS, STRICT_PATH),
    *(QUANTIFIED_TEXT, ALONG, LANGUAGE, RARE_TYPE, LONG_TEXT),
)
