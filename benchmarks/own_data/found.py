"""What of the tables of a source is found again in a loaded graph, read by guarded SQL.

A column of the source is compared with the column of the graph that shares most of its values, so
that the check knows nothing of how a draft names things. Values count as often as they occur.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from benchmarks.own_data.tables import Table, text_of
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import Budget, Statement
from moviegraph.engines.embedded.embedded_engine import EmbeddedEngine, open_graph
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge
from moviegraph.sql.limits import RowLimits

ALL = 10**9
FROM, TO = "from", "to"
FIRST = 1_000  # values of a column by which the columns to compare are chosen
NEARLY = 0.9  # of the first values that the best column knows
LINKED = "linked by "  # begins the columns of linked nodes
ISO = ("%Y-%m-%d", "%Y/%m/%d", "%Y%m%d")
MONTH_FIRST, DAY_FIRST = ("%m/%d/%Y", "%m/%d/%y"), ("%d/%m/%Y", "%d.%m.%Y", "%d/%m/%y")
WORDED = ("%B %d, %Y", "%b %d, %Y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y")
DATED = re.compile(r"\d{1,4}\D+\d+|\d{8}|\d+ \w+ \d+|\w+ \d+, \d+")
LONGEST_DAY = 40
NUMBER = re.compile(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?")
Texts = list[str | None]


@dataclass(frozen=True)
class Relation:
    """What the graph holds of one kind, or of one pair of an edge table.

    Edges have the identifiers of both ends in the columns `from` and `to`.
    """

    name: str
    columns: dict[str, list[Any]]
    is_edge: bool

    @property
    def rows(self) -> int:
        """How many nodes or edges there are."""
        return len(next(iter(self.columns.values()), []))

    @cached_property
    def texts(self) -> dict[str, Texts]:
        """The values as texts to compare."""
        return {name: list(map(_stored_text, values)) for name, values in self.columns.items()}

    @cached_property
    def counts(self) -> dict[str, Counter[str]]:
        """How often each column has each text."""
        return {name: Counter(filter(None, values)) for name, values in self.texts.items()}


@dataclass(frozen=True, slots=True)
class Found:
    """What was expected of one table, and found: rows, filled cells, distinct values and types.

    `rows` counts those of which all found columns agree. `missing` are the cells not found, by
    column. `types` counts columns of numbers, days and flags.
    """

    table: str
    relation: str
    rows: tuple[int, int]
    values: tuple[int, int]
    distinct: tuple[int, int]
    types: tuple[int, int]
    missing: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Match:
    """A column of the source, and the column of the graph that shares most of its values."""

    common: int
    distinct: int
    column: str
    texts: Texts


def read_graph(folder: Path) -> list[Relation]:
    """Return all nodes and edges of a graph folder."""
    contract = load_contract(folder / "contract")
    with closing(open_graph(folder, contract)) as engine:
        nodes = {relation.name: relation for relation in _nodes(contract, engine)}
        edges = list(_edges(contract, engine))
    by_name = {table.name: table for table in contract.nodes}
    for edge in edges:
        if not edge.columns.keys() - {FROM, TO}:
            _, start, end = edge.name.split()
            _add_linked(edge, nodes[start], by_name[start], nodes[end], by_name[end])
    return [*nodes.values(), *edges]


def _add_linked(
    edge: Relation, start: Relation, start_table: NodeTable, end: Relation, end_table: NodeTable
) -> None:
    """Give the nodes at the start the keys, and the names, that their edges lead to."""
    linked: dict[Any, list[Any]] = {}
    for source, target in zip(edge.columns[FROM], edge.columns[TO], strict=True):
        linked.setdefault(source, []).append(target)
    keys = [linked.get(key) for key in start.columns[_key(start_table)]]
    names = dict(zip(end.columns[_key(end_table)], end.columns[end_table.label], strict=True))
    for part, known in (("keys", None), ("names", names)):
        start.columns[f"{LINKED}{edge.name} {part}"] = [
            targets and _joined([known[key] if known else key for key in targets])
            for targets in keys
        ]


def _joined(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else "\n".join(map(str, values))


def _nodes(contract: Contract, engine: EmbeddedEngine) -> Iterator[Relation]:
    for table in contract.nodes:
        names = [column.name for column in table.columns if column.name != table.vector]
        listed = ", ".join(f"t.[{name}]" for name in names)
        rows = _rows(f"SELECT {listed} FROM [{table.name}] AS t", contract, engine)
        columns = _by_column(names, rows)
        if table.text:  # the last line may be names that `load` added
            texts = columns[table.text]
            columns["text alone"] = [text and text.rsplit("\n", 1)[0] for text in texts]
        yield Relation(table.name, columns, is_edge=False)


def _edges(contract: Contract, engine: EmbeddedEngine) -> Iterator[Relation]:
    nodes = {table.name: table for table in contract.nodes}
    for edge in contract.edges:
        columns = [column.name for column in edge.columns]
        for pair in edge.pairs:
            start, end = nodes[pair.from_table], nodes[pair.to_table]
            listed = [
                f"a.[{_key(start)}]",
                f"b.[{_key(end)}]",
                *(f"e.[{name}]" for name in columns),
            ]
            sql = (
                f"SELECT {', '.join(listed)} FROM [{start.name}] AS a, [{edge.name}] AS e,"
                f" [{end.name}] AS b WHERE MATCH(a-(e)->b)"
            )
            rows = _rows(sql, contract, engine)
            name = f"{edge.name} {start.name} {end.name}"
            yield Relation(name, _by_column([FROM, TO, *columns], rows), is_edge=True)


def _key(table: NodeTable) -> str:
    return table.source_key or table.key


def _rows(sql: str, contract: Contract, engine: EmbeddedEngine) -> list[tuple[Any, ...]]:
    decision = judge(sql, contract, RowLimits(ALL, ALL))
    if not isinstance(decision, Allowed):
        raise TypeError(f"{sql}: {decision.message}")
    return engine.execute(Statement(decision), Budget(ALL, ALL * 100, ALL, 600.0)).rows


def _by_column(names: Sequence[str], rows: list[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return (
        dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        if rows
        else {name: [] for name in names}
    )


def find(table: Table, relations: Sequence[Relation]) -> Found:
    """Return what of a table is found again, in the relation that holds most of its values."""
    texts = {name: list(map(text_of, table.values(name))) for name in table.columns}
    same_name = [r for r in relations if _folded(r.name.split()[0]) == _folded(table.name)]
    same_size = [r for r in relations if r.rows == len(table.rows)]
    candidates = same_name or same_size or relations
    return max(
        (_compared(table, texts, relation) for relation in candidates),
        key=lambda found: (found.values[1], found.rows[1]),
    )


def _folded(name: str) -> str:
    return re.sub(r"ies$|s$|y$", "", re.sub(r"[\W_]", "", name.lower()))


def _compared(table: Table, texts: dict[str, Texts], relation: Relation) -> Found:
    stored = relation.texts
    matches = {name: _match(name, values, relation) for name, values in texts.items()}
    filled = {name: sum(value is not None for value in values) for name, values in texts.items()}
    found = {name: match for name, match in matches.items() if match.common}
    source_rows = Counter(zip(*(match.texts for match in found.values()), strict=True))
    stored_rows = Counter(zip(*(stored[match.column] for match in found.values()), strict=True))
    sorts = {name: sort for name in texts if (sort := _sort(table.values(name)))}
    typed = [_sort(relation.columns[matches[n].column]) == sorts[n] for n in sorts if n in found]
    return Found(
        table.name,
        relation.name,
        (len(table.rows), (source_rows & stored_rows).total()),
        (sum(filled.values()), sum(match.common for match in matches.values())),
        (
            sum(len({*values} - {None}) for values in texts.values()),
            sum(match.distinct for match in matches.values()),
        ),
        (len(sorts), sum(typed)),
        {name: filled[name] - m.common for name, m in matches.items() if m.common < filled[name]},
    )


def _match(name: str, values: Texts, relation: Relation) -> _Match:
    """Compare a column with those columns that know most of its first values."""
    first = [value for value in values if value is not None][:FIRST]
    best, promising = _Match(0, 0, "", values), list[tuple[int, bool, str, Callable[[str], str]]]()
    for column, count in relation.counts.items():
        for read in _readers(relation.columns[column]):
            known = sum(read(value) in count for value in first)
            promising.append((known, _folded(column) == _folded(name), column, read))
    most = max((known for known, *_ in promising), default=0)
    for known, _, column, read in sorted(promising, key=lambda one: one[:2], reverse=True):
        if known and known >= NEARLY * most:
            texts = _each(read, values)
            source, count = Counter(filter(None, texts)), relation.counts[column]
            common, distinct = (source & count).total(), len(source.keys() & count.keys())
            if common > best.common:
                best = _Match(common, distinct, column, texts)
    return best


def _sort(values: Sequence[Any]) -> str:
    """Return the sort of values that a type must keep: numbers within 53 bits, days, flags."""
    first = next((value for value in values if value is not None), None)
    if isinstance(first, bool):
        return "flag"
    if isinstance(first, int | float | Decimal):
        return "number" if abs(first) < 2**53 else ""
    return "day" if isinstance(first, date) else ""


def _each(read: Callable[[str], str], values: Texts) -> Texts:
    known = {value: read(value) for value in set(values) if value is not None}
    return [None if value is None else known[value] for value in values]


def _readers(values: list[Any]) -> tuple[Callable[[str], str], ...]:
    """Return how texts of the source may be read to be compared with values of this type."""
    first = next((value for value in values if value is not None), None)
    return next((READERS[types] for types in READERS if isinstance(first, types)), (_read_text,))


def _stored_text(value: Any) -> str | None:
    if value is None or isinstance(value, bool):
        return value if value is None else str(value).lower()
    if isinstance(value, int | float | Decimal):
        return _plain(Decimal(str(value)))
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds")
    return str(value) if isinstance(value, date) else _read_text(str(value)) or None


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}" if number else "0"


def _read_flag(text: str) -> str:
    return {"yes": "true", "1": "true", "no": "false", "0": "false"}.get(text.lower(), text.lower())


def _read_number(text: str) -> str:
    """Read a number as people write it: 1,200.50 or $12 or 40 %."""
    bare = text.strip().strip("$€£% ").replace(" ", "").replace(",", "")
    if not NUMBER.fullmatch(bare) or re.match(r"[-+]?0\d", bare):
        return text
    try:
        return _plain(Decimal(bare))
    except InvalidOperation:
        return text


def _read_comma_number(text: str) -> str:
    return _read_number(text.replace(".", "").replace(",", "."))


@lru_cache(1_000_000)
def _read_day(text: str, forms: tuple[str, ...] = (*ISO, *MONTH_FIRST, *WORDED)) -> str:
    if not DATED.search(text[:LONGEST_DAY]) or len(text) > LONGEST_DAY:
        return text
    clean = text.strip().removesuffix("Z").replace("T", " ").partition("+")[0].split(".0")[0]
    for time in ("", " %H:%M:%S", " %H:%M"):
        for form in forms:
            try:
                read = datetime.strptime(clean, f"{form}{time}")
            except ValueError:
                continue
            return read.isoformat(" ") if time else str(read.date())
    return text


def _read_day_first(text: str) -> str:
    return _read_day(text, DAY_FIRST)


def _read_text(text: str) -> str:
    if text[:1] in {"[", "{"}:
        try:
            return _lines(json.loads(text))
        except ValueError:
            return text
    return text.strip()


def _lines(value: Any) -> str:
    """Return a list of plain values as lines, and other JSON in one form."""
    if isinstance(value, list) and not any(isinstance(part, list | dict) for part in value):
        return "\n".join(str(part) for part in value)
    return json.dumps(value, sort_keys=True)


READERS: dict[Any, tuple[Callable[[str], str], ...]] = {
    bool: (_read_flag,),
    (int, float, Decimal): (_read_number, _read_comma_number),
    date: (_read_day, _read_day_first),
}


def links_found(
    table: Table, others: Sequence[Table], relations: Sequence[Relation]
) -> dict[str, tuple[int, int]]:
    """Return for each link of a table its pairs of keys: expected, and found as edges."""
    keys = {other.name: other.key for other in others}
    edges = [Counter(_pairs(r.columns[FROM], r.columns[TO])) for r in relations if r.is_edge]
    links = dict(table.links or {})
    if not table.key and len(links) == 2:
        expected = {" and ".join(links): _pairs(*map(table.values, links))}
    else:
        single = len(table.key) == 1
        expected = {
            column: _pairs(table.values(table.key[0]), table.values(column))
            for column, other in links.items()
            if single and len(keys[other]) == 1
        }
    found: dict[str, tuple[int, int]] = {}
    for name, pairs in expected.items():
        wanted = Counter(pairs)
        reverse = Counter((end, start) for start, end in pairs)
        most = max(
            (max((wanted & edge).total(), (reverse & edge).total()) for edge in edges), default=0
        )
        found[name] = (len(pairs), most)
    return found


def _pairs(starts: Sequence[Any], ends: Sequence[Any]) -> list[tuple[str, str]]:
    texts = zip(map(text_of, starts), map(text_of, ends), strict=True)
    return [(start, end) for start, end in texts if start is not None and end is not None]
