"""What the columns of a staged table hold: types and statistics, counted over all values."""

import ast
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from moviegraph.engines.embedded.source_staging import COMPACT, SourceTable, Staging, literal
from moviegraph.loading.value_forms import (
    ABSENT,
    BIT_WORDS,
    BITS,
    DAY_FIRST,
    MONTH_FIRST,
    POINTED_MONTH_FIRST,
    Form,
    form_groups,
)
from moviegraph.text import plural, shorten

TOLERANCE = 0.005  # of at least MANY values may be unreadable, and then are NULL and counted
MANY = 200
FEW = 1_000
MAX_VALUE_CHARS = 60  # longer cells are texts: patterns over novels take minutes
MAX_LITERAL_CHARS = 1 << 20
MAX_BATCH = 50  # columns in a statement
MAX_CELLS = 1_000_000  # in a statement: what DuckDB groups in memory
SEPARATORS = ("|", ";", ",", "/")
FILE = "jpg|jpeg|png|webp|gif|svg|pdf|json|xml|ya?ml|html?|csv|txt|md|zip|license"
LINK = rf"(https?://|www\.)\S+|(?i)/?[\w./+-]+\.({FILE})"
MEASURED = r"([$€£]?\s?[-+]?\d[\d.,:]*\s?\pL{0,8}\.?\s?)+|[\d\W]+"  # 142 min, 1h 40m
CODE = r"[A-Za-z0-9][A-Za-z0-9_.:/#@+-]*"
TIME = r"\d{1,2}:\d\d(:\d\d)?"
IDS = frozenset("id no nr nummer code key identifier version".split())
Dates = Literal["day first", "month first"]
NUMBERS = ("INT", "BIGINT", "FLOAT", "DECIMAL")
SIZES = (  # different texts, and the UTF-16 units of the longest
    "count(DISTINCT hash(v)), max(CASE WHEN strlen(v) = length(v) THEN length(v) ELSE length(v) "
    "+ length(regexp_replace(v, '[^\\x{10000}-\\x{10FFFF}]+', '', 'g')) END)"
)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+|\d+")


def words_of_header(name: str) -> list[str]:
    """Return the words of a header in lower case: CamelCase, snake_case and spaces alike."""
    return [word.lower() for word in WORD.findall(name)]


@dataclass(slots=True, eq=False)
class ColumnProfile:
    """One column of a staged table.

    Attributes:
        name: The header.
        parts: Its words.
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
        separated: How many cells contain each separator.
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
    separated: Mapping[str, int] = field(default_factory=dict[str, int])
    item_name: str | None = None
    notes: list[str] = field(default_factory=list[str])
    parts: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.parts = words_of_header(self.name)

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
    """A staged table, its number of rows and its columns by name.

    Attributes:
        table: The table.
        rows: How many it has.
        columns: Its columns.
        dates: "day first" where dates that may be either begin with the day.
    """

    table: SourceTable
    rows: int
    columns: dict[str, ColumnProfile]
    dates: Dates

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
    """Profiles columns together: DuckDB takes longer to plan a statement than to read few rows."""

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
        self._rows: int = self._row("SELECT count(*)")[0]
        self._columns = [ColumnProfile(name, f"c{at}") for at, name in enumerate(table.columns)]

    def profile(self) -> TableProfile:
        columns, is_stated = self._columns, self._day_first
        for batch in self._batches(columns):
            self._type(batch)
        # A date that can only begin with the day or the month, else a decimal comma, decides for
        # all columns. With the day first, only dates that cannot are read with the month first.
        self._european = any(c.form and c.form.note == "decimal comma" for c in columns)
        if self._european or (not is_stated and self._has_dates(DAY_FIRST)):
            self._day_first = True
            self._type_again()
            if not is_stated and self._has_dates(MONTH_FIRST, POINTED_MONTH_FIRST):
                self._day_first = False
                self._type_again()
        if typed := [column for column in columns if column.type != "TEXT"]:
            self._store(typed)
        for batch in self._batches(columns) if self._wanted is None else ():
            self._measure(batch)
        is_day_first = is_stated or (self._day_first and self._has_dates(DAY_FIRST))
        return TableProfile(
            self._table,
            self._rows,
            {column.name: column for column in columns},
            "day first" if is_day_first else "month first",
        )

    def _has_dates(self, *orders: str) -> bool:
        return any(column.form and column.form.sql in orders for column in self._columns)

    def _type_again(self) -> None:
        for batch in self._batches([c for c in self._columns if c.is_number or c.is_date]):
            self._type(batch)

    def _batches(self, columns: Sequence[ColumnProfile]) -> Iterator[Sequence[ColumnProfile]]:
        size = max(1, min(MAX_BATCH, MAX_CELLS // max(1, self._rows)))
        return (columns[at : at + size] for at in range(0, len(columns), size))

    def _store(self, columns: Collection[ColumnProfile]) -> None:
        """Store what columns read, which many statements need."""
        relation = self._table.relation
        reads = ", ".join(f"{column.read} AS {column.cell}_read" for column in columns)
        self._staging.run(
            f"CREATE OR REPLACE TABLE {relation} AS SELECT *, {reads} FROM {relation}"  # noqa: S608
        )
        for column in columns:
            column.read = f"{column.cell}_read"

    def _row(self, select: str) -> tuple[Any, ...]:
        return self._staging.row(f"{select} FROM {self._table.relation}")

    def _cells(
        self,
        columns: Collection[ColumnProfile],
        values: Iterable[str] | None = None,
        limit: int | None = None,
    ) -> str:
        """Return a query of cells: k, the number of the column, and v, by default the text."""
        numbers = ", ".join(column.cell[1:] for column in columns)
        if values is None:
            values = (
                f"array_to_string({c.read}, chr(10))" if c.type == "LIST" else c.read
                for c in columns
            )
        texts, relation = ", ".join(values), self._table.relation
        rows = f"(FROM {relation} LIMIT {limit})" if limit else relation
        cells = f"SELECT unnest([{numbers}]) AS k, unnest([{texts}]) AS v FROM {rows}"  # noqa: S608
        return f"(FROM ({cells}) WHERE v IS NOT NULL)"

    def _aggregates(self, select: str, cells: str) -> dict[ColumnProfile, tuple[Any, ...]]:
        """Return aggregates of cells by column, of those that have any."""
        found = self._staging.run(f"SELECT k, {select} FROM {cells} GROUP BY k").fetchall()  # noqa: S608
        return {self._columns[values[0]]: values[1:] for values in found}

    def _type(self, columns: Sequence[ColumnProfile]) -> None:
        for column in columns:
            column.read = present_cell(column, self._absent)
            column.type, column.form, column.notes = "TEXT", None, []
        shapes = self._aggregates(
            f"count(*), count(*) FILTER (WHERE length(v) > {MAX_VALUE_CHARS}), "
            "count(*) FILTER (WHERE v[1] IN ('[', '{'))",
            self._cells(columns),
        )
        short: list[ColumnProfile] = []
        for column, (filled, long, brackets) in shapes.items():
            column.filled = filled
            if brackets and self._is_nested(column, column.read, brackets):
                continue
            is_wanted = self._wanted is None or column.name.lower() in self._wanted
            if is_wanted and long <= TOLERANCE * filled:
                short.append(column)
        if short:
            self._type_values(short)

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
        usual = ("name", "title", "label", "login", "ingredient", "item", "text", "value")
        return next((known[key] for key in usual if key in known), None)

    def _type_values(self, columns: Collection[ColumnProfile]) -> None:
        """Type columns of short values by the first group of forms that fits all of them."""
        present = f"lower(v) NOT IN ({', '.join(map(literal, ABSENT))})"
        self._staging.run(
            "CREATE OR REPLACE TABLE readable AS SELECT k, v, count(*) AS n "  # noqa: S608
            f"FROM {self._cells(columns)} WHERE {present} GROUP BY ALL"
        )
        limit = FEW + 2 * int(TOLERANCE * self._rows)
        sample = f"(SELECT *, 1 AS n FROM {self._cells(columns, limit=limit)} WHERE {present})"  # noqa: S608
        is_bit = f"lower(v) IN ({', '.join(map(literal, BIT_WORDS))})"
        looks = self._aggregates(
            "sum(n)::BIGINT, coalesce(sum(n) FILTER (WHERE NOT regexp_matches(v, '\\d')), 0), "
            f"coalesce(sum(n) FILTER (WHERE {is_bit}), 0), "
            "bool_or(regexp_matches(v, '[$€£¥%]'))",
            "readable",
        )
        tolerated = {
            column: int(TOLERANCE * readable) if readable >= MANY else 0
            for column, (readable, *_) in looks.items()
        }
        best: dict[ColumnProfile, tuple[int, Form]] = {}
        for group in form_groups(european=self._european, day_first=self._day_first):
            fit: dict[ColumnProfile, tuple[int, Form]] = {}
            for column, (readable, wordy, bits, has_unit) in looks.items():
                is_possible = has_unit or not group[0].note.startswith("$")
                if wordy > TOLERANCE * column.filled:
                    may_be_bits = wordy == column.filled and readable - bits <= tolerated[column]
                    is_possible = may_be_bits and BITS[0] in group
                if is_possible and (column not in best or best[column][0]):
                    fit[column] = 0, group[0]
            # What a few rows miss, all miss: most forms are ruled out without reading the rest.
            for cells in (sample, "readable") if self._rows > limit else ("readable",):
                if fit:
                    found = self._missed(group, fit, cells)
                    fit = {c: found.get(c, fit[c]) for c in fit}
                    fit = {c: missed for c, missed in fit.items() if missed[0] <= tolerated[c]}
            for column, missed in fit.items():
                if column not in best or missed[0] < best[column][0]:
                    best[column] = missed
        for column, (missed, form) in best.items():
            self._take(column, column.read, form, missed)
            column.absent, column.unreadable = column.filled - looks[column][0], missed

    def _missed(
        self, group: list[Form], columns: Collection[ColumnProfile], cells: str
    ) -> dict[ColumnProfile, tuple[int, Form]]:
        """Return how many of the values the best form of a group does not read, and that form."""
        sums = ", ".join(
            f"coalesce(sum(n) FILTER (WHERE ({form.of('v')}) IS NULL), 0)" for form in group
        )
        numbers = ", ".join(column.cell[1:] for column in columns)
        found = self._aggregates(sums, f"{cells} WHERE k IN ({numbers})")
        return {
            column: min(zip(map(int, missed), group, strict=True), key=lambda pair: pair[0])
            for column, missed in found.items()
        }

    def _take(self, column: ColumnProfile, text: str, form: Form, missed: int) -> None:
        """Give a column the type of a form that its values fit."""
        read = form.of(f"({text})")
        column.form, column.type = form, form.type
        if missed:
            unread = f"k = {column.cell[1:]} AND ({form.of('v')}) IS NULL"
            sample = self._staging.run(f"SELECT v FROM readable WHERE {unread} LIMIT 3").fetchall()  # noqa: S608
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
        elif form.type == "FLOAT" and not form.note and IDS & set(column.parts[-1:]):
            column.type, column.form = "TEXT", None  # 1948.10 is not 1948.1
            return
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

    def _measure(self, columns: Sequence[ColumnProfile]) -> None:
        texts = [column for column in columns if column.type in ("TEXT", "LIST")]
        self._measure_typed([c for c in columns if c.type not in ("TEXT", "LIST", "JSON")])
        if nested := [column for column in columns if column.type == "JSON"]:
            for column, sizes in self._aggregates(SIZES, self._cells(nested)).items():
                column.distinct, column.units = sizes
        spelt = self._measure_texts(texts) if texts else {}
        for column in columns:
            if column.filled and (column.type == "LIST" or column.item_name):
                self._measure_items(column)
        for column, distinct in spelt.items():
            if column.type == "TEXT":
                column.uses = column.filled / distinct
        self._find_splits([column for column in spelt if column.type == "TEXT"])

    def _measure_typed(self, columns: Sequence[ColumnProfile]) -> None:
        if not columns:
            return
        reads = [column.read for column in columns]
        hashes = [f"CASE WHEN {read} IS NOT NULL THEN hash({read}) END" for read in reads]
        counts = "count(*), count(DISTINCT v)"  # by column: many such counts are slow to plan
        sizes = self._aggregates(counts, self._cells(columns, hashes))
        ends = iter(self._row(f"SELECT {', '.join(f'min({c}), max({c})' for c in reads)}"))
        for column in columns:
            column.filled, column.distinct = sizes.get(column, (0, 0))
            column.low, column.high = islice(ends, 2)
            is_whole = column.type == "BIGINT" and column.filled
            if is_whole and column.low >= -(2**31) and column.high < 2**31:
                column.type = "INT"

    def _measure_texts(self, columns: Sequence[ColumnProfile]) -> dict[ColumnProfile, int]:
        """Measure columns of texts; return how many each has without regard to case."""
        worded = f"regexp_matches(v, '\\pL') AND NOT regexp_full_match(v, {literal(MEASURED)})"
        is_time = f"regexp_full_match(v, {literal(TIME)})"
        is_code = f"(regexp_full_match(v, {literal(CODE)}) AND NOT {is_time})"
        separated = (f"count(*) FILTER (WHERE contains(v, {literal(s)}))" for s in SEPARATORS)
        measures = self._aggregates(
            f"{SIZES}, avg(length(v)), avg(len(string_split(replace(v, chr(10), ' '), ' '))), "
            f"avg(({worded})::INT), avg(regexp_full_match(v, {literal(LINK)})::INT), "
            f"avg({is_code}::INT), "
            f"avg(({is_code} AND (regexp_matches(v, '\\d') OR v = upper(v)))::INT), "
            f"count(DISTINCT hash(lower(v))), {', '.join(separated)}",
            self._cells(columns),
        )
        spelt: dict[ColumnProfile, int] = {}
        for column, found in measures.items():
            (
                column.distinct, column.units, column.chars, column.words, column.letters,
                column.links, column.codes, column.coded, spelt[column],
            ) = found[: -len(SEPARATORS)]  # fmt: skip
            column.separated = dict(zip(SEPARATORS, found[-len(SEPARATORS) :], strict=True))
        return spelt

    def _measure_items(self, column: ColumnProfile) -> None:
        items = column.read
        if column.item_name:
            name = literal(f"$[*].{json.dumps(column.item_name)}")
            items = f"list_filter(json_extract_string({items}, {name}), lambda x: x <> '')"
        total, column.distinct, words, longest = self._staging.row(
            "SELECT count(v), count(DISTINCT lower(v)), avg(len(string_split(v, ' '))), "  # noqa: S608
            f"max(length(v)) FROM (SELECT unnest({items}) AS v FROM {self._table.relation})"
        )
        column.words = words or 0.0
        is_short = total and words <= 5 and longest <= 150
        column.uses = total / column.distinct if is_short else 0.0

    def _find_splits(self, columns: Sequence[ColumnProfile]) -> None:
        """Find what separates several names in a cell, also where only some cells have several."""
        named = [c for c in columns if c.links <= 0.2 and c.letters >= 0.8 and c.chars <= 200]
        for separator in SEPARATORS:
            tried = [
                column
                for column in named
                if not column.split and column.separated[separator] >= max(2, 0.01 * column.filled)
            ]
            if tried:
                self._split(tried, separator)

    def _split(self, columns: Sequence[ColumnProfile], separator: str) -> None:
        """Split the columns whose cells a separator divides into names that repeat."""
        found: list[tuple[Any, ...]] = self._staging.run(
            f"""
            WITH s AS (SELECT k, string_split(v, {literal(separator)}) AS s
                       FROM {self._cells(columns)}),
                 p AS (SELECT k, trim(unnest(s)) AS p, generate_subscripts(s, 1) AS i, len(s) AS n
                       FROM s),
                 w AS (SELECT k, lower(p) AS w, count(*) FILTER (WHERE i = 1) AS firsts
                       FROM p GROUP BY ALL)
            SELECT p.k, count(*), count(DISTINCT w), avg(len(string_split(p, ' '))),
                   count(*) FILTER (WHERE i > 1), count(*) FILTER (WHERE i > 1 AND firsts > 0),
                   count(DISTINCT w) FILTER (WHERE i > 1 AND firsts > 0),
                   avg(len(string_split(p, ' '))) FILTER (WHERE n = 1),
                   avg(regexp_matches(p, '\\pL')::INT)
            FROM p JOIN w ON w.k = p.k AND w = lower(p) WHERE p <> '' GROUP BY p.k"""  # noqa: S608
        ).fetchall()
        for row in found:
            column = self._columns[int(row[0])]
            parts, distinct, words, inner, again, different, single_words, worded = row[1:]
            if not inner or (column.filled >= 50 and different < 3):
                continue  # Hong Kong, China is one name
            cells = column.separated[separator]
            often, shared = again / inner, parts / distinct
            some = cells < 0.9 * column.filled
            is_alike = some and single_words and abs(words - single_words) <= 0.5 * single_words
            is_list = often >= 0.3 or (is_alike and separator != "/" and often >= 0.05)
            is_list = is_list or (inner >= 1.5 * cells and often >= 0.1)
            if words > 4 or worded < 0.9 or shared < 1.1 or not is_list:
                continue
            if separator == "/" and often < 0.5:
                continue
            column.split, column.distinct, column.uses = separator, distinct, shared
            column.several = cells
            if some and often < 0.6:
                column.notes.append(
                    f"{cells:,} of {plural(column.filled, 'cell')} hold several names, "
                    f"split at {separator!r}"
                )
