"""Columns of edges in a traversal: the condition that edges satisfy, and the values of some."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable
from moviegraph.engines.retrieval_primitives import GraphReader
from moviegraph.query.names import node_table
from moviegraph.query.query_pipeline import decide
from moviegraph.query.session import Session
from moviegraph.search.fixed_tool import EVERY_ROW
from moviegraph.search.walks import Path, Route
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, Where, condition_columns, invalid_where
from moviegraph.sql.match_patterns import Hop, bracket, hops_from
from moviegraph.text import shorten

ALIAS = "e"
ARGUMENT = "where_edge"
VALUES_OMITTED = f"Via has no values of edges: `{ARGUMENT}` is too long to read them; shorten it."
MAX_ITEMS = 50  # pairs or nodes of one statement, within the guard's size limits
MAX_VALUES = 8
MAX_VALUE_CHARS = 40
Item = TypeVar("Item")
Step = tuple[str, Hop, int, int]  # kind left, hop, and the ids at both ends


@dataclass(frozen=True, slots=True)
class StepEdges:
    """How many edges of a table join two nodes, and the values by column, if it is one.

    `more` is the number of columns that are not among the values.
    """

    count: int
    values: Mapping[str, Any]
    more: int

    def __str__(self) -> str:
        """Return them as they follow the name of the edge table in a path."""
        if self.count > 1:
            return f" ({self.count} edges)"
        values = [f"{name} {_shown(value)}" for name, value in self.values.items()]
        values += [f"(+{self.more})"] if self.more else []
        return f": {', '.join(values)}" if values else ""


class EdgeConditions:
    """The `where_edge` of one call: what the edges of each table with its columns satisfy."""

    def __init__(self, session: Session, text: str | None, routes: Sequence[Route]) -> None:
        """Judge the condition for every hop.

        Raises:
            RefusedError: It was refused, or no edge table has its columns (code invalid_where).
        """
        self._session = session
        self._text = (text or "").strip()
        self._decisions: dict[tuple[str, Hop], Allowed] = {}
        hops = dict.fromkeys(
            pair for route in routes for pair in zip(route.kinds, route.hops, strict=False)
        )
        edges = [session.contract.edge(name) for name in dict.fromkeys(h.edge for _, h in hops)]
        walked = [edge for edge in edges if edge is not None]
        self.tables = _tables_with(self._text, walked) if self._text else ()
        for kind, hop in hops:
            self.of(kind, hop)
        others = [edge.name for edge in walked if edge.name not in self.tables]
        self.notes: tuple[str, ...] = ()
        if self.tables and others:
            about = ", ".join(self.tables)
            self.notes = (f"`{ARGUMENT}` is about edges of {about}, not of {', '.join(others)}.",)

    def of(self, kind: str, hop: Hop) -> Allowed | None:
        """Return the decision about the pairs of a hop whose edges satisfy it; None for all."""
        if hop.edge not in self.tables:
            return None
        if (kind, hop) not in self._decisions:
            contract = self._session.contract
            start, end = node_table(contract, kind), node_table(contract, hop.kind)
            keys = f"s.{bracket(start.key)} AS Source, t.{bracket(end.key)} AS Target"
            decision = self.judged(f"SELECT {keys} {_pattern(kind, hop)}", hop.edge)
            if not isinstance(decision, Allowed):
                raise decision.error()
            self._decisions[kind, hop] = decision
        return self._decisions[kind, hop]

    def judged(self, sql: str, edge: str) -> Any:
        """Return the guard's decision about a statement with the condition on an edge's alias."""
        limits = RowLimits(EVERY_ROW, EVERY_ROW)
        where = Where(self._text, edge, ALIAS, ARGUMENT) if edge in self.tables else None
        return decide(self._session, sql, limits, where)


def _tables_with(condition: str, edges: Sequence[EdgeTable]) -> tuple[str, ...]:
    """Return the edge tables that have all columns of a condition.

    Raises:
        RefusedError: None has.
    """
    columns = condition_columns(condition)
    fitting = tuple(
        edge.name
        for edge in edges
        if edge.columns
        and all(
            edge.column(name) and qualifier.lower() in ("", ALIAS, edge.name.lower())
            for qualifier, name in columns
        )
    )
    if fitting:
        return fitting
    known = [
        f"{edge.name} ({', '.join(c.name for c in edge.columns)})" for edge in edges if edge.columns
    ]
    written = ", ".join(f"{qualifier}.{name}".lstrip(".") for qualifier, name in columns)
    reason = f"no edge table of this walk has {written or 'columns'}"
    available = f"; with columns there are {', '.join(known)}" if known else ""
    names = tuple(c.name for edge in edges for c in edge.columns)
    raise invalid_where(ARGUMENT, f"{reason}{available}", names).refused.error()


def _pattern(kind: str, hop: Hop) -> str:
    """Return FROM and WHERE of the edges of a hop, from `s` to `t`."""
    arrow = f"s-({ALIAS})->t" if hop.forward else f"s<-({ALIAS})-t"
    tables = ((kind, "s"), (hop.edge, ALIAS), (hop.kind, "t"))
    sources = ", ".join(f"{bracket(table)} AS {alias}" for table, alias in tables)
    return f"FROM {sources} WHERE MATCH({arrow})"


def edges_along(
    graph: GraphReader, contract: Contract, conditions: EdgeConditions, paths: Iterable[Path]
) -> dict[Step, StepEdges]:
    """Return the edges of each step of some paths, of the tables that have columns."""
    pairs: dict[tuple[str, Hop], dict[tuple[int, int], None]] = defaultdict(dict)
    for path in paths:
        route = path.route
        ends = zip(path.ids, path.ids[1:], strict=False)
        for kind, hop, pair in zip(route.kinds, route.hops, ends, strict=False):
            pairs[kind, hop][pair] = None
    found: dict[Step, StepEdges] = {}
    for (kind, hop), of_hop in pairs.items():
        edge = contract.edge(hop.edge)
        if edge is not None and edge.columns:
            columns, more = edge.columns[:MAX_VALUES], len(edge.columns[MAX_VALUES:])
            for part in _parts(of_hop):
                for source, target, count, *values in _rows(
                    graph, contract, conditions, kind, hop, columns, part
                ):
                    shown = {
                        column.name: bool(value) if column.type == "BIT" else value
                        for column, value in zip(columns, values, strict=True)
                        if value is not None
                    }
                    found[kind, hop, source, target] = StepEdges(count, shown, more)
    return found


def count_edges(
    session: Session, graph: GraphReader, node: NodeTable, ids: Sequence[int]
) -> dict[str, dict[int, int]]:
    """Return how many edges nodes have, for the tables that may join a pair by more than one.

    One between nodes of the kind itself counts for both, as in the degrees of nodes.
    """
    counts: dict[str, dict[int, int]] = {}
    limits, key = RowLimits(EVERY_ROW, EVERY_ROW), f"s.{bracket(node.key)}"
    for hop in hops_from(session.contract, node.name):
        edge = session.contract.edge(hop.edge)
        if edge is None or not edge.columns:
            continue
        of_edge = counts.setdefault(edge.name, dict.fromkeys(ids, 0))
        for part in _parts(dict.fromkeys(ids)):
            among = f"{key} IN ({', '.join(map(str, part))})"
            decision = decide(
                session,
                f"SELECT {key} AS Id, COUNT(*) AS Edges {_pattern(node.name, hop)} AND {among} "
                f"GROUP BY {key}",
                limits,
            )
            if not isinstance(decision, Allowed):
                raise decision.error()
            for node_id, count in graph.rows(decision, len(part)):
                of_edge[node_id] += count
    return counts


def _parts(items: Iterable[Item]) -> Iterator[list[Item]]:
    remaining = iter(items)
    while part := list(islice(remaining, MAX_ITEMS)):
        yield part


def _rows(
    graph: GraphReader,
    contract: Contract,
    conditions: EdgeConditions,
    kind: str,
    hop: Hop,
    columns: Sequence[Column],
    pairs: Sequence[tuple[int, int]],
) -> list[tuple[Any, ...]]:
    """Return source, target, number of edges and greatest values, for each pair and more.

    The greatest value of one edge is its value; T-SQL has none of a BIT.
    """
    start, end = node_table(contract, kind), node_table(contract, hop.kind)
    keys = f"s.{bracket(start.key)}", f"t.{bracket(end.key)}"
    ids = [", ".join(map(str, dict.fromkeys(ends))) for ends in zip(*pairs, strict=True)]
    among = " AND ".join(f"{key} IN ({of_end})" for key, of_end in zip(keys, ids, strict=True))
    values = [f"{ALIAS}.{bracket(column.name)}" for column in columns]
    values = [
        f"MAX(CAST({value} AS INT))" if column.type == "BIT" else f"MAX({value})"
        for value, column in zip(values, columns, strict=True)
    ]
    selected = ", ".join((*keys, "COUNT(*)", *values))
    sql = f"SELECT {selected} {_pattern(kind, hop)} AND {among} GROUP BY {', '.join(keys)}"
    decision = conditions.judged(sql, hop.edge)
    if isinstance(decision, Allowed):
        return graph.rows(decision, len(pairs) ** 2)
    if len(pairs) == 1:
        conditions.notes = tuple(dict.fromkeys((*conditions.notes, VALUES_OMITTED)))
        return []
    half = len(pairs) // 2  # a long condition and all ids exceed a size limit
    parts = pairs[:half], pairs[half:]
    return [
        row
        for part in parts
        for row in _rows(graph, contract, conditions, kind, hop, columns, part)
    ]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = value.isoformat(" ") if isinstance(value, datetime) else str(value)
    return shorten(" ".join(text.split()), MAX_VALUE_CHARS)
