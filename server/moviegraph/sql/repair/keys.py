"""Foreign keys between node tables, which the graph has as edges."""

import re

from moviegraph.contract.model import Connection
from moviegraph.sql.ends import OTHER_END, ends_of
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.nearness import folded
from moviegraph.sql.repair.outline import Range, Source

KEYED = re.compile(r"(id|ids|key|fk|no)\Z")


def foreign_key(broken: Broken) -> Correction | None:
    """t.MovieId = m.Id between two nodes is the one edge that joins their tables."""
    for at in range(3, len(broken.pieces) - 3):
        if broken.upper(at) != "=" or not _qualified(broken, at - 3, at + 1):
            continue
        one = broken.source_of(broken.pieces[at - 3].name, at)
        other = broken.source_of(broken.pieces[at + 1].name, at)
        edge = _edge(broken, one, other)
        if one is None or other is None or edge is None or not _is_key(broken, at, one, other):
            continue
        edits = _joined(broken, Range(at - 3, at + 4), (one, other), edge)
        why = f"Nodes have no foreign keys; {edge.name} joins the two tables."
        return corrected(edits, why)
    return None


def _qualified(broken: Broken, *places: int) -> bool:
    return all(broken.upper(at + 1) == "." and broken.pieces[at].is_name for at in places)


def _edge(broken: Broken, one: Source | None, other: Source | None) -> Connection | None:
    first, second = broken.node_of(one), broken.node_of(other)
    if first is None or second is None or first is second:
        return None
    found = broken.contract.between(first.name, second.name)
    return found[0] if len(found) == 1 else None


def _is_key(broken: Broken, at: int, one: Source, other: Source) -> bool:
    """Whether one side is a key, and the other names the table of that key and is no column."""
    for mine, theirs, far in ((at - 1, at + 3, other), (at + 3, at - 1, one)):
        node = broken.node_of(far)
        near = broken.node_of(one if far is other else other)
        column, key = broken.pieces[mine].name, broken.pieces[theirs].name
        assert node is not None and near is not None
        word = folded(column)
        named = KEYED.sub("", word) == folded(node.name) and KEYED.search(word) is not None
        keyed = folded(key) in (folded(node.key), f"{folded(node.name)}id")
        if named and keyed and near.column(column) is None:
            return True
    return False


def _joined(
    broken: Broken, condition: Range, ends: tuple[Source, Source], edge: Connection
) -> list[Edit]:
    first, last = sorted(ends, key=lambda source: source.range.first)
    taken = {piece.name.lower() for piece in broken.pieces if piece.is_name}
    alias = next(f"e{n}" for n in range(1, len(taken) + 2) if f"e{n}" not in taken)
    table = f"{broken.contract.schema_name}.{edge.name} AS {alias}"
    near, far = ("$from_id", "$to_id")
    if first.table.lower() != edge.from_table.lower():
        near, far = far, near
    here = f"{alias}.{near} = {first.alias}.$node_id"
    there = f"{alias}.{far} = {last.alias}.$node_id"
    start, end = broken.start(condition.first), broken.pieces[condition.last - 1].end
    place = broken.start(last.joined_at)
    if last.on is not None and condition.first in last.on:
        kind = " LEFT JOIN" if last.joined.startswith("LEFT") else " JOIN"
        listing = Edit(place - 1, place - 1, f"{kind} {table} ON {here}")
        return [listing, Edit(start, end, there)]
    place = broken.pieces[last.range.last - 1].end
    if last.joined != "," or first.joined not in ("", ","):
        return []
    return [Edit(place, place, f", {table}"), Edit(start, end, f"{here} AND {there}")]


def turned_ends(broken: Broken) -> Correction | None:
    """m.$node_id = e.$to_id is m.$node_id = e.$from_id where the edge leaves that table.

    Two nodes that would then stand at one end were meant to be joined by another edge.
    """
    edits, met = list[Edit](), dict[tuple[int, str], str]()
    for at in range(3, len(broken.pieces) - 3):
        if broken.upper(at) != "=":
            continue
        for mine, other in ((at - 3, at + 1), (at + 1, at - 3)):
            place = _end_meant(broken, mine, other)
            if place is None:
                continue
            alias, piece = broken.pieces[other].name.lower(), broken.pieces[mine + 2]
            if met.setdefault(place, alias) != alias:
                return None
            if piece.name.lower() != place[1]:
                edits.append(Edit(piece.start, piece.end, place[1]))
    return corrected(edits, "The ends of an edge are where its own direction has them.")


def _end_meant(broken: Broken, mine: int, other: int) -> tuple[int, str] | None:
    """Read `edge.end = node.$node_id`: return where the edge is listed, and the right end."""
    if not _qualified(broken, mine, other):
        return None
    listed = broken.source_of(broken.pieces[mine].name, mine)
    edge = broken.edge_of(listed)
    node = broken.node_of(broken.source_of(broken.pieces[other].name, other))
    name, key = (broken.pieces[at + 2].name.lower() for at in (mine, other))
    if listed is None or edge is None or node is None or name not in OTHER_END:
        return None
    ends = [end for end in (name, OTHER_END[name]) if node.name in ends_of(edge, end)]
    return (listed.range.first, ends[0]) if ends and key == "$node_id" else None


def key_of_end(broken: Broken) -> Correction | None:
    """m.Id IN (SELECT e.$from_id ...) compares what edges and nodes share: m.$node_id."""
    edits: list[Edit] = []
    for at in range(3, len(broken.pieces) - 6):
        if not broken.words(at, "IN", "(", "SELECT"):
            continue
        first = at + 3 + (broken.upper(at + 3) == "DISTINCT")
        last = at - (broken.upper(at - 1) == "NOT")
        end = broken.pieces[first + 2].name.lower() if first + 2 < len(broken.pieces) else ""
        source = broken.source_of(broken.pieces[first].name, first)
        node = broken.node_of(broken.source_of(broken.pieces[last - 3].name, last - 3))
        key = broken.pieces[last - 1]
        ended = end in ("$from_id", "$to_id") and broken.edge_of(source) is not None
        if (
            ended
            and node is not None
            and _qualified(broken, last - 3)
            and key.name.lower() == node.key.lower()
        ):
            edits.append(Edit(key.start, key.end, "$node_id"))
    return corrected(edits, "The ends of an edge are $node_ids of nodes.")
