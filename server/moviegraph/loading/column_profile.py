"""What the columns of a staged table hold: types and statistics, counted over all values."""

import ast
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from moviegraph.engines.embedded.source_staging import COMPACT, SourceTable, Staging, literal
from moviegraph.loading.value_forms import (
    ABSENT,
    BITS,
    DAY_FIRST,
    MONTH_FIRST,
    Form,
    form_groups,
)
from moviegraph.text import plural, shorten

TOLERANCE = 0.005  # of at least MANY values may be unreadable, and then are NULL and counted
MANY = 200
FEW = 1_000
MAX_VALUE_CHARS = 60  # longer cells are texts: patterns over novels take minutes
MAX_LITERAL_CHARS = 1 << 20
SEPARATORS = ("|", ";", ",", "/")
FILE = "jpg|jpeg|png|webp|gif|svg|pdf|json|xml|ya?ml|html?|csv|txt|md|zip|license"
LINK = rf"(https?://|www\.)\S+|(?i)/?[\w./+-]+\.({FILE})"
MEASURED = r"([$€£]?\s?[-+]?\d[\d.,:]*\s?\pL{0,8}\.?\s?)+|[\d\W]+"  # 142 min, 1h 40m
CODE = r"[A-Za-z0-9][A-Za-z0-9_.:/#@+-]*"
NUMBERS = ("INT", "BIGINT", "FLOAT", "DECIMAL")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+|\d+")


def words_of_header(name: str) -> list[str]:
    """Return the words of a header in lower case: CamelCase, snake_case and spaces alike."""
    return [word.lower() for word in WORD.findall(name)]


@dataclass(slots=True, eq=False)
class ColumnProfile:
    """One column of a staged table.

    Attributes:
        name: The header.
        cell: The column in DuckDB.
        type: TEXT, LIST, JSON, or the type of a contract; TEXT where nothing is filled.
        read: SQL of the value as its type; for a list the texts of its items.
        form: How numbers or dates are written.
        filled: Rows with a value.
        distinct: Different values; of a list, different items.
        absent: Cells that say that there is no value.
        unreadable: Cells that do not fit the type.
        examples: Some of those.
        uses: How many rows share a value, in the mean; of a list, an item.
        chars: Mean length of a text.
        units: UTF-16 units of the longest.
        words: Mean number of words.
        letters: Share of the texts with words in them: no codes, amounts or dates.
        links: Share of links and file names.
        codes: Share of texts without blanks, such as tt0078748, B-737 or fire-bolt.
        coded: Share of those with a digit, or in capitals.
        low: The smallest value of a number or date.
        high: The largest one.
        split: What separates several names in a cell.
        several: How many cells hold several names.
        item_name: The member that names the objects of a list.
        notes: What was decided, for the operator.
    """

    name: str
    cell: str
    type: str = "TEXT"
    read: str = ""
    form: Form | None = None
    filled: int = 0
    distinct: int = 0
    absent: int = 0
    unreadable: int = 0
    examples: tuple[str, ...] = ()
    uses: float = 0.0
    chars: float = 0.0
    units: int = 0
    words: float = 0.0
    letters: float = 0.0
    links: float = 0.0
    codes: float = 0.0
    coded: float = 0.0
    low: Any = None
    high: Any = None
    split: str | None = None
    several: int = 0
    item_name: str | None = None
    notes: list[str] = field(default_factory=list[str])

    @property
    def parts(self) -> list[str]:
        """The words of the header."""
        return words_of_header(self.name)

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers."""
        return self.type.split("(")[0] in NUMBERS

    @property
    def is_date(self) -> bool:
        """Whether the values are dates, with or without a time."""
        return self.type in ("DATE", "DATETIME2")


@dataclass(slots=True, eq=False)
class TableProfile:
    """A staged table, its number of rows and its columns by name."""

    table: SourceTable
    rows: int
    columns: dict[str, ColumnProfile]

    def column(self, name: str) -> ColumnProfile | None:
        """Return the column of that name, else without regard to case."""
        lowered = name.lower()
        same = (c for c in self.columns.values() if c.name.lower() == lowered)
        return self.columns.get(name) or next(same, None)


def present_cell(column: ColumnProfile, absent: Mapping[str, Any]) -> str:
    """Return the SQL of a cell as it was written, without words that mean "no value"."""
    words = (*absent.get("", ()), *absent.get(column.name, ()))
    if not words:
        return column.cell
    return (
        f"CASE WHEN {column.cell} NOT IN ({', '.join(map(literal, words))}) THEN {column.cell} END"
    )


def parsed_json(cell: str) -> str:
    """Return the SQL of a list or object as JSON; NULL where a cell is neither."""
    return (
        f"CASE WHEN NOT regexp_matches({cell}, '^[\\[{{]') THEN NULL "
        f"WHEN json_valid({cell}) THEN {cell} ELSE literal_json({cell}) END"
    )


def literal_json(text: str | None) -> str | None:
    """Return a list or object that is written as JSON, or as Python prints it, as JSON."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        if len(text) > MAX_LITERAL_CHARS:
            return None
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None
    if not isinstance(value, (list, dict)):
        return None
    try:
        return json.dumps(value, ensure_ascii=False, separators=COMPACT)
    except (TypeError, ValueError, RecursionError):
        return None


def profile_table(
    staging: Staging,
    table: SourceTable,
    *,
    day_first: bool = False,
    absent: Mapping[str, Any],
    wanted: Collection[str] | None = None,
) -> TableProfile:
    """Return the profile of a table.

    Args:
        staging: The staging of the table.
        table: The table.
        day_first: Dates that may be either begin with the day.
        absent: Words that mean "no value", by column; under "" those of all columns.
        wanted: The columns, in lower case, whose numbers and dates a contract wants; None for a
            draft, which needs statistics of all.
    """
    return _Profiling(staging, table, day_first, absent, wanted).profile()


class _Profiling:
    def __init__(
        self,
        staging: Staging,
        table: SourceTable,
        day_first: bool,
        absent: Mapping[str, Any],
        wanted: Collection[str] | None,
    ) -> None:
        self._staging, self._table, self._day_first = staging, table, day_first
        self._absent, self._wanted = absent, wanted
        self._european = False

    def profile(self) -> TableProfile:
        rows = self._row("SELECT count(*)")[0]
        columns = {
            name: ColumnProfile(name, f"c{number}")
            for number, name in enumerate(self._table.columns)
        }
        for column in columns.values():
            self._type(column)
        if any(c.form and c.form.note == "decimal comma" for c in columns.values()):
            self._european = True
            for column in columns.values():
                if column.is_number or column.is_date:
                    self._type(column)
        if typed := [column for column in columns.values() if column.type != "TEXT"]:
            self._store(typed)
        for column in columns.values() if self._wanted is None else ():
            self._measure(column)
        return TableProfile(self._table, rows, columns)

    def _store(self, columns: Collection[ColumnProfile]) -> None:
        """Store what columns read, which many statements need."""
        relation = self._table.relation
        reads = ", ".join(f"{column.read} AS {column.cell}_read" for column in columns)
        self._staging.run(
            f"CREATE OR REPLACE TABLE {relation} AS SELECT *, {reads} FROM {relation}"  # noqa: S608
        )
        for column in columns:
            column.read = f"{column.cell}_read"

    def _row(self, select: str, where: str = "true") -> tuple[Any, ...]:
        return self._staging.row(f"{select} FROM {self._table.relation} WHERE {where}")

    def _type(self, column: ColumnProfile) -> None:
        text = column.read = present_cell(column, self._absent)
        column.type, column.form, column.notes = "TEXT", None, []
        column.filled, long, brackets = self._row(
            f"SELECT count({text}), count(*) FILTER (WHERE length({text}) > {MAX_VALUE_CHARS}), "
            f"count(*) FILTER (WHERE regexp_matches({text}, '^[\\[{{]'))"
        )
        if brackets and self._is_nested(column, text, brackets):
            return
        is_wanted = self._wanted is None or column.name.lower() in self._wanted
        if is_wanted and long <= TOLERANCE * column.filled and column.filled:
            self._type_values(column, text)

    def _is_nested(self, column: ColumnProfile, text: str, brackets: int) -> bool:
        """Type a column of lists or objects; a single value counts as a list of one."""
        is_certain = column.name in self._table.nested
        if not is_certain and brackets < 0.9 * column.filled:
            return False
        parsed = parsed_json(text)
        readable, objects, of_objects = self._staging.row(
            "SELECT count(j), count(*) FILTER (WHERE json_type(j) = 'OBJECT'), "  # noqa: S608
            "count(*) FILTER (WHERE json_type(j, '$[0]') IN ('OBJECT', 'ARRAY')) "
            f"FROM (SELECT {parsed} AS j FROM {self._table.relation})"
        )
        if readable < brackets or not readable:
            return False
        as_json = f"coalesce({parsed}, to_json({text})::VARCHAR)"
        column.type, column.read = "JSON", parsed if readable == column.filled else as_json
        if not objects and not of_objects:
            column.type = "LIST"
            is_list = f"regexp_matches({text}, '^\\[')"
            items = f"CASE WHEN {is_list} THEN {parsed} ELSE json_array({text}) END"
            column.read = (
                f"list_filter(list_transform(from_json({items}, '[\"VARCHAR\"]'), "
                "lambda x: trim(x)), lambda x: x <> '')"
            )
        elif of_objects and not objects:
            column.item_name = self._item_name(parsed)
        return True

    def _item_name(self, parsed: str) -> str | None:
        """Return the member that names the objects of a list."""
        keys = self._staging.run(
            f"SELECT DISTINCT unnest(json_keys(j, '$[0]')) FROM (SELECT {parsed} AS j "  # noqa: S608
            f"FROM {self._table.relation}) WHERE json_type(j, '$[0]') = 'OBJECT'"
        ).fetchall()
        known = {key.lower(): key for (key,) in keys}
        usual = ("name", "title", "label", "ingredient", "item", "text", "value")
        return next((known[key] for key in usual if key in known), None)

    def _type_values(self, column: ColumnProfile, text: str) -> None:
        absent = f"lower(v) IN ({', '.join(map(literal, ABSENT))})"
        self._staging.run(
            f"CREATE OR REPLACE TABLE readable AS SELECT {text} AS v, count(*) AS n "  # noqa: S608
            f"FROM {self._table.relation} WHERE v IS NOT NULL AND NOT {absent} GROUP BY 1"
        )
        readable, wordy, symbols = self._staging.row(
            "SELECT coalesce(sum(n), 0)::BIGINT, "
            "coalesce(sum(n) FILTER (WHERE NOT regexp_matches(v, '\\d')), 0), "
            "count(*) FILTER (WHERE regexp_matches(v, '[$€£¥%]')) FROM readable"
        )
        groups = form_groups(european=self._european, day_first=self._day_first)
        if wordy > TOLERANCE * column.filled:
            groups = [list(BITS)] if wordy == column.filled else []
        elif not symbols:
            groups = [group for group in groups if not group[0].note.startswith("$")]
        tolerated = int(TOLERANCE * readable) if readable >= MANY else 0
        best: tuple[int, Form] | None = None
        for group in groups:
            # What a few values miss, all miss: most forms are ruled out without reading the rest.
            if self._missed(group, f"(FROM readable LIMIT {2 * tolerated + FEW})")[0] > tolerated:
                continue
            missed, form = self._missed(group, "readable")
            if best is None or missed < best[0]:
                best = missed, form
            if not missed:
                break
        if not best or not readable or best[0] > tolerated:
            return
        self._take(column, text, best[1])
        column.absent, column.unreadable = column.filled - readable, best[0]

    def _missed(self, group: list[Form], values: str) -> tuple[int, Form]:
        """Return how many of the values the best form of a group does not read, and that form."""
        sums = ", ".join(
            f"coalesce(sum(n) FILTER (WHERE ({form.of('v')}) IS NULL), 0)" for form in group
        )
        missed = self._staging.row(f"SELECT {sums} FROM {values}")  # noqa: S608
        count, form = min(zip(missed, group, strict=True), key=lambda pair: pair[0])
        return int(count), form

    def _take(self, column: ColumnProfile, text: str, form: Form) -> None:
        """Give a column the type of a form that its values fit."""
        read = form.of(f"({text})")
        column.form, column.type = form, form.type
        unread = f"SELECT v FROM readable WHERE ({form.of('v')}) IS NULL LIMIT 3"  # noqa: S608
        sample = self._staging.run(unread).fetchall()
        column.examples = tuple(shorten(value, 30) for (value,) in sample)
        if form.type == "DECIMAL":
            whole, scale = self._row(
                f"SELECT max(length(replace(split_part({read}, '.', 1), '-', ''))), "
                f"max(length(split_part({read}, '.', 2)))"
            )
            if not scale or whole + scale > 38:
                column.type, column.form = "TEXT", None
                return
            column.type = f"DECIMAL({whole + scale},{scale})"
            read = f"TRY_CAST({read} AS {column.type})"
        elif form.type == "FLOAT":
            is_whole = f"bool_and(({read}) = trunc({read}) AND abs({read}) < 9e15)"
            if form.note and self._row(f"SELECT {is_whole}")[0]:
                column.type, read = "BIGINT", f"({read})::BIGINT"
        elif form.type == "DATE":
            timed = self._row(f"SELECT count(*) FILTER (WHERE ({read}) <> ({read})::DATE)")[0]
            column.type = "DATETIME2" if timed else "DATE"
            read = f"({read})::{'TIMESTAMP' if timed else 'DATE'}"
            self._tell_order(column, text, form)
        column.read = read
        if form.note:
            column.notes.append(form.note)

    def _tell_order(self, column: ColumnProfile, text: str, form: Form) -> None:
        """Note dates of which nothing decides whether the day or the month comes first."""
        orders = {MONTH_FIRST: (DAY_FIRST, "month/day"), DAY_FIRST: (MONTH_FIRST, "day/month")}
        if form.sql in orders and self._wanted is None:
            other, order = orders[form.sql]
            first, second = form.of(f"({text})"), other.replace("§", f"({text})")
            least, differ = self._row(
                f"SELECT count({second}) - count({first}), "
                f"count(*) FILTER (WHERE ({first}) <> ({second}))"
            )
            if least == 0 and differ:
                column.notes.append(f"dates could be either; read as {order}")

    def _measure(self, column: ColumnProfile) -> None:
        read, items = column.read, column.read
        if column.item_name:
            name = literal(f"$[*].{json.dumps(column.item_name)}")
            items = f"list_filter(json_extract_string({read}, {name}), lambda x: x <> '')"
        if column.type not in ("TEXT", "LIST", "JSON"):
            column.filled, column.distinct, column.low, column.high = self._row(
                f"SELECT count({read}), count(DISTINCT {read}), min({read}), max({read})"
            )
            is_whole = column.type == "BIGINT" and column.filled
            if is_whole and column.low >= -(2**31) and column.high < 2**31:
                column.type = "INT"
            return
        value = f"array_to_string({read}, chr(10))" if column.type == "LIST" else read
        beyond_bmp = f"length(regexp_replace({value}, '[^\\x{{10000}}-\\x{{10FFFF}}]+', '', 'g'))"
        column.distinct, column.units = self._row(
            f"SELECT count(DISTINCT hash({value})), coalesce(max(CASE WHEN strlen({value}) = "
            f"length({value}) THEN length({value}) ELSE length({value}) + {beyond_bmp} END), 0)"
        )
        if not column.filled:
            return
        if column.type == "LIST" or column.item_name:
            self._measure_items(column, items)
        if column.type != "JSON":
            self._measure_texts(column, value)
        if column.type == "TEXT":
            spelt = f"count(DISTINCT hash(lower({read})))"
            column.uses = column.filled / self._row(f"SELECT {spelt}")[0]
            self._find_split(column)

    def _measure_items(self, column: ColumnProfile, items: str) -> None:
        total, column.distinct, words, longest = self._staging.row(
            "SELECT count(v), count(DISTINCT lower(v)), avg(len(string_split(v, ' '))), "  # noqa: S608
            f"max(length(v)) FROM (SELECT unnest({items}) AS v FROM {self._table.relation})"
        )
        column.words = words or 0.0
        is_short = total and words <= 5 and longest <= 150
        column.uses = total / column.distinct if is_short else 0.0

    def _measure_texts(self, column: ColumnProfile, value: str) -> None:
        worded = f"regexp_matches(v, '\\pL') AND NOT regexp_full_match(v, {literal(MEASURED)})"
        counts = self._staging.row(
            f"SELECT avg(length(v)), avg(len(string_split(replace(v, chr(10), ' '), ' '))), "  # noqa: S608
            f"avg(({worded})::INT), avg(regexp_full_match(v, {literal(LINK)})::INT), "
            f"avg(regexp_full_match(v, {literal(CODE)})::INT), "
            f"avg((regexp_full_match(v, {literal(CODE)}) "
            "AND (regexp_matches(v, '\\d') OR v = upper(v)))::INT) "
            f"FROM (SELECT {value} AS v FROM {self._table.relation}) WHERE v IS NOT NULL"
        )
        (
            column.chars, column.words, column.letters, column.links, column.codes, column.coded,
        ) = counts  # fmt: skip

    def _find_split(self, column: ColumnProfile) -> None:
        """Find what separates several names in a cell, also where only some cells have several."""
        if column.links > 0.2 or column.letters < 0.8 or column.chars > 200:
            return
        for separator in SEPARATORS:
            cells = self._row(
                f"SELECT count(*) FILTER (WHERE contains({column.read}, {literal(separator)}))"
            )[0]
            if cells >= max(2, 0.01 * column.filled) and self._splits(column, separator, cells):
                return

    def _splits(self, column: ColumnProfile, separator: str, cells: int) -> bool:
        split = f"string_split({column.read}, {literal(separator)})"
        parts, distinct, words, inner, again, different, single_words, worded = self._staging.row(
            f"""
            WITH p AS (SELECT trim(unnest({split})) AS p, generate_subscripts({split}, 1) AS i,
                              len({split}) AS n
                       FROM {self._table.relation} WHERE {column.read} IS NOT NULL),
                 k AS (SELECT lower(p) AS p, count(*) FILTER (WHERE i = 1) AS firsts
                       FROM p GROUP BY 1)
            SELECT count(*), count(DISTINCT k.p), avg(len(string_split(p.p, ' '))),
                   count(*) FILTER (WHERE i > 1), count(*) FILTER (WHERE i > 1 AND firsts > 0),
                   count(DISTINCT k.p) FILTER (WHERE i > 1 AND firsts > 0),
                   avg(len(string_split(p.p, ' '))) FILTER (WHERE n = 1),
                   avg(regexp_matches(p.p, '\\pL')::INT)
            FROM p JOIN k ON k.p = lower(p.p) WHERE p.p <> ''"""  # noqa: S608
        )
        if not inner or (column.filled >= 50 and different < 3):  # Hong Kong, China is one name
            return False
        often, shared = again / inner, parts / distinct
        some = cells < 0.9 * column.filled
        is_alike = some and single_words and abs(words - single_words) <= 0.5 * single_words
        is_list = often >= 0.3 or (is_alike and separator != "/" and often >= 0.05)
        is_list = is_list or (inner >= 1.5 * cells and often >= 0.1)
        if words > 4 or worded < 0.9 or shared < 1.1 or not is_list:
            return False
        if separator == "/" and often < 0.5:
            return False
        column.split, column.distinct, column.uses = separator, distinct, shared
        column.several = cells
        if some and often < 0.6:
            column.notes.append(
                f"{cells:,} of {plural(column.filled, 'cell')} hold several names, "
                f"split at {separator!r}"
            )
        return True
