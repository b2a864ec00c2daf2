"""Edges that a MATCH can only use near nodes whose keys a statement names: side tables of those."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.engines.translation.hops import (
    EdgeEnd,
    edge_ends,
    is_plain,
    matches_of,
    sources_of,
    where_of,
)
from moviegraph.engines.translation.nodes import Node, whole_number
from moviegraph.engines.translation.plan import EdgeNeed, Needs
from moviegraph.sql.match_patterns import Match


@dataclass(frozen=True, slots=True)
class _Known:
    """The nodes that an alias can stand for: keys, or what a side table leads to."""

    keys: tuple[int, ...] = ()
    side: str = ""
    column: str = ""


@dataclass(slots=True)
class NearEdges:
    """Walks from the nodes that are named, edge by edge.

    What is left out could not meet the WHERE, which the statement still holds whole.

    Attributes:
        contract: The contract.
        walked: The edge tables that are large enough.
        needs: The side tables of the statement.
        tables: The plain tables in FROM by alias.
        known: The nodes that are known by alias.
        sides: The side table of each edge alias.
    """

    contract: Contract
    walked: frozenset[str]
    needs: Needs
    tables: dict[str, str] = field(default_factory=dict[str, str])
    known: dict[str, _Known] = field(default_factory=dict[str, _Known])
    sides: dict[str, str] = field(default_factory=dict[str, str])

    def sides_of(self, select: exp.Select, matches: tuple[Match, ...]) -> dict[str, str]:
        """Return the name of the side table that can stand for each edge alias of a SELECT."""
        found = matches_of(select, matches)
        if not found or not self.walked:
            return {}
        self.tables = {
            item.this.alias_or_name.lower(): item.this.name
            for item in sources_of(select)
            if is_plain(item) and isinstance(item.this, exp.Table) and item.this.args.get("db")
        }
        self.known = {alias: _Known(keys) for alias, keys in self._named(select)}
        hops = [
            hop
            for match in found
            for chain in match.chains
            for hop in list(pairwise(edge_ends(chain)))[::2]
        ]
        while hops and self.known:
            left = [hop for hop in hops if not self._walk(*hop)]
            if len(left) == len(hops):
                break
            hops = left
        return self.sides

    def _named(self, select: exp.Select) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the aliases whose keys stand in the WHERE."""
        for part in where_of(select):
            listed = listed_keys(part)
            if listed is None or isinstance(part, exp.NEQ):
                continue
            column, keys = listed
            alias = str(column.meta.get("alias")).lower()
            node = self.contract.node(self.tables.get(alias, ""))
            if node is not None and column.name.lower() == node.key.lower():
                yield alias, keys

    def _walk(self, start: EdgeEnd, end: EdgeEnd) -> bool:
        """Walk one hop from an end that is known; say whether there was one."""
        table = self.tables.get(start.edge.lower())
        edge = self.contract.edge(table) if table else None
        if edge is None or len(edge.pairs) > 1 or edge.name not in self.walked:
            return False
        if start.last or end.last:
            return False
        ends = [(start, end), (end, start)]
        ends.sort(key=lambda pair: not self.known.get(pair[0].node.lower(), _Known()).keys)
        for near, far in ends:
            known = self.known.get(near.node.lower())
            if known is not None:
                forward = near is start
                need = EdgeNeed(edge.name, forward, known.keys, known.side, known.column)
                side = self.needs.name(need)
                self.sides[start.edge.lower()] = side
                self.known.setdefault(far.node.lower(), _Known((), side, far.column))
                return True
        return False


def listed_keys(part: Node) -> tuple[exp.Column, tuple[int, ...]] | None:
    """Return column and keys of `column = 1` or `column IN (1, 2)`, and of `column <> 1`."""
    if isinstance(part, exp.EQ | exp.NEQ):
        column, given = part.this.unnest(), [part.expression]
    elif isinstance(part, exp.In) and part.expressions:
        column, given = part.this.unnest(), part.expressions
    else:
        return None
    keys = [whole_number(each) for each in given]
    if not isinstance(column, exp.Column) or column.meta.get("outer"):
        return None
    whole = tuple(sorted({each for each in keys if each is not None}))
    return (column, whole) if whole and None not in keys else None
