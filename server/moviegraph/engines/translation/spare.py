"""Nodes that a MATCH only passes: their edges are joined to each other, without the node's table.

Loading has checked that every edge leads to one node of its tables, so no row is won or lost; but
where an edge table leads to several tables, the node's own says which of its edges are meant.
"""

from sqlglot import exp

from moviegraph.contract.model import Contract, EdgeTable
from moviegraph.engines.translation.hops import (
    EdgeEnd,
    edge_ends,
    is_plain,
    matches_of,
    sources_of,
)
from moviegraph.engines.translation.nodes import column
from moviegraph.sql.match_patterns import Match

COUNTS = ("__COUNT", "__COUNT_BIG")


def spare_nodes(
    select: exp.Select, matches: tuple[Match, ...], contract: Contract
) -> dict[str, exp.Column]:
    """Return the aliases that nothing else reads, each with the edge column that holds its id."""
    items = sources_of(select)
    found = matches_of(select, matches)
    if not found or not all(is_plain(item) for item in items) or _is_starred(select):
        return {}
    read = {_alias(each) for each in select.find_all(exp.Column)}
    read |= {path.start.lower() for match in found for path in match.paths}
    tables = {item.this.alias_or_name.lower(): item.this.name for item in items}
    held: dict[str, exp.Column] = {}
    for match in found:
        for chain in match.chains:
            for end in edge_ends(chain):
                edge = contract.edge(tables[end.edge.lower()])
                certain = edge is not None and len(_tables_at(edge, end)) == 1
                if certain and not end.last and end.node.lower() not in read:
                    held.setdefault(end.node.lower(), column(end.edge, end.column))
    return held


def _tables_at(edge: EdgeTable, end: EdgeEnd) -> set[str]:
    """Return the node tables at which one end of an edge table can be."""
    starts = end.column == "$from_id"
    return {pair.from_table if starts else pair.to_table for pair in edge.pairs}


def _alias(each: exp.Column) -> str:
    return str(each.meta.get("alias") or each.table or "").lower()


def _is_starred(select: exp.Select) -> bool:
    """Whether a star may stand for columns of any table, as in CONTAINS(*, 'x')."""
    stars = select.find_all(exp.Star)
    return any(
        not isinstance(star.parent, exp.Anonymous) or star.parent.name not in COUNTS
        for star in stars
    )
