"""The forms in which sources write numbers and dates, as SQL over a text §: NULL where unfit."""

from collections.abc import Iterator
from typing import NamedTuple

from moviegraph.engines.embedded.source_staging import literal

# Words for "no value": only in columns that are otherwise numbers or dates, since NA is Namibia.
ABSENT = (
    "n/a", "na", "none", "nil", "nan", "null", "-", "--", "---", "?", ".", "..", "#n/a", "unknown",
    "inf", "-inf", "infinity", "-infinity", "missing", "tba", "tbd",
)  # fmt: skip
MAX_FLOAT_DIGITS = 17  # what a double needs to be written exactly
DIGITS = "length(regexp_replace(regexp_replace(§, '[eE].*|^[-+0.,]+', '', 'g'), '[^0-9]', '', 'g'))"
TIMES = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p", "%H:%M:%S %z")
NAMED = (
    "%B %d, %Y", "%b %d, %Y", "%b %d %Y", "%B %d %Y", "%d %B %Y", "%d %b %Y", "%d-%b-%Y",
    "%d. %B %Y", "%d %B, %Y", "%a, %d %b %Y", "%A, %B %d, %Y", "%a %b %d %Y",
)  # fmt: skip
YEAR_FIRST = ("%Y/%m/%d", "%Y.%m.%d", "%Y%m%dT%H%M%SZ")
ISO = (
    r"CASE WHEN regexp_full_match(§, '\d{4}-\d{1,2}-\d{1,2}([T ]\d.*)?') "
    "THEN TRY_CAST(§ AS TIMESTAMPTZ) AT TIME ZONE 'UTC' END"
)
MONTH = (
    r"CASE WHEN regexp_full_match(§, '\d{4}-(0?[1-9]|1[0-2])') THEN left(§, 4)::INT "
    r"WHEN regexp_full_match(§, '[A-Za-z]{3,9}\.?,? \d{4}') THEN right(§, 4)::INT END"
)


class Form(NamedTuple):
    """A way to write values: the type, SQL of §, and what is said of it."""

    type: str
    sql: str
    note: str = ""

    def of(self, expression: str) -> str:
        """Return the SQL that reads an expression."""
        return self.sql.replace("§", expression)


def _number(pattern: str, value: str, sql_type: str, condition: str = "") -> str:
    test = f"regexp_full_match(§, {literal(pattern)}){condition}"
    read = f"TRY_CAST({value} AS {sql_type})"
    if sql_type == "DOUBLE":  # 1e400 is read as infinity, which no FLOAT of T-SQL holds
        read = f"nullif(nullif({read}, 'inf'::DOUBLE), '-inf'::DOUBLE)"
    return f"CASE WHEN {test} THEN {read} END"


FEW = f" AND {DIGITS} <= {MAX_FLOAT_DIGITS}"
WHOLE = Form("BIGINT", _number(r"-?(0|[1-9]\d{0,17})(\.0+)?", "split_part(§, '.', 1)", "BIGINT"))
REAL = Form(
    "FLOAT",
    _number(r"-?(0|[1-9]\d*)?(\.\d*)?([eE][+-]?\d+)?", "§", "DOUBLE", f" AND § <> '.'{FEW}"),
)
EXACT = Form("DECIMAL", _number(r"-?(0|[1-9]\d{0,36})(\.\d{1,37})?", "§", "VARCHAR"))
COMMA = Form(
    "FLOAT",
    _number(
        r"-?(\d{1,3}(\.\d{3})+|0|[1-9]\d*)(,\d+)?",
        "replace(replace(§, '.', ''), ',', '.')", "DOUBLE", FEW,
    ),
    "decimal comma",
)  # fmt: skip
THOUSANDS = Form(
    "FLOAT",
    _number(r"-?[1-9]\d{0,2}(,\d{3})*(\.\d+)?|-?0(\.\d+)?", "replace(§, ',', '')", "DOUBLE", FEW),
    "thousands separators removed",
)
SPACED = Form(
    "FLOAT",
    _number(
        "-?[1-9]\\d{0,2}([ '\u2019\u00a0\u202f]\\d{3})*([.,]\\d+)?|-?0([.,]\\d+)?",
        "replace(regexp_replace(§, '[ ''\u2019\u00a0\u202f]', '', 'g'), ',', '.')", "DOUBLE", FEW,
    ),
    "thousands separators removed",
)  # fmt: skip
POINTS = Form(
    "BIGINT",
    _number(r"-?[1-9]\d{0,2}(\.\d{3})*|0", "replace(§, '.', '')", "BIGINT"),
    "points between thousands removed",
)
BIT_WORDS = ("true", "false", "yes", "no", "ja", "nein", "oui", "non")
BITS = tuple(
    Form("BIT", f"CASE WHEN lower(§) IN ('{yes}', '{no}') THEN lower(§) = '{yes}' END")
    for yes, no in zip(BIT_WORDS[::2], BIT_WORDS[1::2], strict=True)
)


def _with_unit(form: Form, unit: str) -> Form:
    bare = f"trim(regexp_replace(§, '^(-?)[{unit}] ?| ?[{unit}]$', '\\1'))"
    has_unit = f"CASE WHEN contains(§, '{unit}') THEN "
    return Form(form.type, f"{has_unit}{form.of(bare)} END", f"{unit} removed")


def _parsed(formats: Iterator[str] | tuple[str, ...]) -> str:
    return f"try_strptime(§, [{', '.join(map(literal, formats))}])"


def _dates(*numeric: str, day: str = r"\d{1,2}") -> str:
    """Return the SQL of all dates but ISO.

    Args:
        numeric: The formats without words, but for Y or y.
        day: The pattern of days and months before a year of two digits.
    """
    bases = (*(f"{base}Y" for base in numeric), *NAMED, *YEAR_FIRST)
    full = _parsed((*bases, *(f"{base} {time}" for base in bases for time in TIMES)))
    bases = (*(f"{base}y" for base in numeric), "%d-%b-%y")
    short = _parsed((*bases, *(f"{base} {time}" for base in bases for time in TIMES[:4])))
    return (  # four digits or exactly two: %Y alone reads 01/02/03 as the year 3
        rf"CASE WHEN regexp_matches(§, '(^|\D)(1\d|2[0-4])\d\d(\D|$)') THEN {full} "
        rf"WHEN regexp_matches(§, '^{day}[/.-]({day}|[A-Za-z]{{3}})[/.-]\d{{2}}( |$)') "
        f"THEN {short} END"
    )


DAY_FIRST = _dates("%d/%m/%", "%d-%m-%", "%d.%m.%")
MONTH_FIRST = _dates("%m/%d/%", "%m-%d-%", "%d.%m.%")  # 12.05. is in May
POINTED_MONTH_FIRST = _dates("%m.%d.%", day=r"\d\d")  # 1.13.10 is a version


def form_groups(*, european: bool, day_first: bool) -> list[list[Form]]:
    """Return the forms in the order of trying them: the first group that fits all values decides.

    Args:
        european: Other columns have decimal commas.
        day_first: Dates that may be either begin with the day.
    """
    numeric = (DAY_FIRST, MONTH_FIRST) if day_first else (MONTH_FIRST, DAY_FIRST)
    dates = [Form("DATE", sql) for sql in (*numeric, POINTED_MONTH_FIRST)]
    plain = [WHOLE, REAL]
    local = [COMMA, THOUSANDS] if european else [THOUSANDS, COMMA]
    money = [_with_unit(form, unit) for unit in "$€£¥%" for form in (WHOLE, REAL, *local)]
    tail = [[Form("DATE", ISO)], [*BITS, *local, SPACED], dates, money, [EXACT]]
    return [[POINTS, *plain], *tail] if european else [plain, *tail]


def reading(sql_type: str, best: Form | None) -> str:
    """Return SQL of § for a column of this type, in whatever form; the best form comes first."""
    numbers = [WHOLE, REAL, EXACT, THOUSANDS, COMMA, SPACED]
    dates = [Form("DATE", sql) for sql in (ISO, MONTH_FIRST, DAY_FIRST)]
    if best and best.type == "DATE":
        dates.insert(0, best)
    elif best and best.type != "BIT":
        numbers.insert(0, best)
    date = f"coalesce({', '.join(form.sql for form in dates)})"
    if sql_type in ("DATE", "DATETIME2"):
        return f"({date})::{'DATE' if sql_type == 'DATE' else 'TIMESTAMP'}"
    if sql_type == "BIT":
        words = ", ".join(form.sql for form in BITS)
        return f"coalesce({words}, CASE § WHEN '1' THEN true WHEN '0' THEN false END)"
    if sql_type.startswith("DECIMAL"):
        texts = ", ".join(f"({form.sql})::VARCHAR" for form in numbers)
        return f"TRY_CAST(coalesce({texts}) AS {sql_type})"
    double = f"coalesce({', '.join(f'({form.sql})::DOUBLE' for form in numbers)})"
    if sql_type == "FLOAT":
        return double
    whole = f"CASE WHEN {double} = trunc({double}) THEN TRY_CAST({double} AS {sql_type}) END"
    exact = best.sql if best and best.type == "BIGINT" else WHOLE.sql
    first = [] if best and best.type == "FLOAT" else [f"TRY_CAST({exact} AS {sql_type})"]
    return f"coalesce({', '.join([*first, whole])}, year({date})::INT, {MONTH})"
