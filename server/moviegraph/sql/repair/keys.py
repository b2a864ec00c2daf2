"""Keys by which tables are joined: foreign ones, which the graph has as edges, and edge ends."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from moviegraph.contract.model import Connection
from moviegraph.sql.ends import OTHER_END, ends_of
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.conjuncts import is_required
from moviegraph.sql.repair.nearness import folded
from moviegraph.sql.repair.outline import Range, Source

QUANTIFIED = frozenset({"IN", "ANY", "SOME", "ALL"})
KEYED = re.compile(r"(id|ids|key|fk|no)\Z")
_End = tuple[int, str]


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
        if edits:
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
    if last.on is not None and is_required(broken, condition, last.on):
        return _by_join(broken, condition, last, (table, here, there))
    where = next((s.clauses.get("WHERE") for s in broken.selects if last in s.sources), None)
    listed = last.joined == "," and first.joined in ("", ",")
    if where is None or not listed or not is_required(broken, condition, where):
        return []
    place = broken.pieces[last.range.last - 1].end
    return [
        Edit(place, place, f", {table}"),
        _in_place_of(broken, condition, f"{here} AND {there}"),
    ]


def _by_join(
    broken: Broken, condition: Range, last: Source, edge: tuple[str, str, str]
) -> list[Edit]:
    """Join an edge between both tables, so that an outer join keeps the rows that it kept.

    A LEFT JOIN meets the edge and its node as one. FULL JOIN has no such form, so it is left.
    """
    table, here, there = edge
    if last.joined.startswith("LEFT"):
        start, end = broken.start(last.range.first), broken.pieces[last.range.last - 1].end
        opening, closing = Edit(start, start, f"({table} JOIN "), Edit(end, end, f" ON {there})")
        return [opening, closing, _in_place_of(broken, condition, here)]
    if last.joined.startswith("FULL"):
        return []
    place = broken.pieces[last.joined_at - 1].end
    listing = Edit(place, place, f" JOIN {table} ON {here}")
    return [listing, _in_place_of(broken, condition, there)]


def _in_place_of(broken: Broken, part: Range, text: str) -> Edit:
    return Edit(broken.start(part.first), broken.pieces[part.last - 1].end, text)


class _Named(NamedTuple):
    """A column of a source: the source, the column's piece and its lower-case name."""

    source: Source
    at: int
    name: str


def turned_ends(broken: Broken) -> Correction | None:
    """m.$node_id = e.$to_id is m.$node_id = e.$from_id where the edge leaves that table.

    Where an end so turned would meet two things, another edge was meant.
    """
    edits, met, turned = list[Edit](), dict[_End, set[_End]](), set[_End]()
    for mine, other in _compared(broken):
        end = _end_meant(broken, mine, other)
        if end is None:
            continue
        met.setdefault(end, set()).add((other.source.range.first, f"{mine.name} {other.name}"))
        if mine.name != end[1]:
            piece = broken.pieces[mine.at]
            edits.append(Edit(piece.start, piece.end, end[1]))
            turned.add(end)
    if any(len(met[end]) > 1 for end in turned):
        return None
    return corrected(edits, "The ends of an edge are where its own direction has them.")


def _end_meant(broken: Broken, mine: _Named, other: _Named) -> _End | None:
    """Read `edge.end = column`: return the end that can meet the column; else the one written."""
    edge, node = broken.edge_of(mine.source), broken.node_of(other.source)
    if edge is None or mine.name not in OTHER_END:
        return None
    ends = (mine.name, OTHER_END[mine.name])
    if node is not None and other.name == "$node_id":
        ends = tuple(end for end in ends if node.name in ends_of(edge, end))
    return (mine.source.range.first, ends[0]) if ends else None


def key_of_end(broken: Broken) -> Correction | None:
    """m.Id IN (SELECT e.$from_id ...) compares what edges and nodes share: m.$node_id."""
    edits: list[Edit] = []
    for mine, other in _compared(broken):
        node, key = broken.node_of(mine.source), broken.pieces[mine.at]
        ended = broken.edge_of(other.source) is not None and other.name in OTHER_END
        if ended and node is not None and mine.name == node.key.lower():
            edits.append(Edit(key.start, key.end, "$node_id"))
    return corrected(edits, "The ends of an edge are $node_ids of nodes.")


def _compared(broken: Broken) -> Iterator[tuple[_Named, _Named]]:
    """Yield the columns, either one first, of an equality or of a comparison with a subquery."""
    for at in range(1, len(broken.pieces) - 1):
        left, right = at - 1, at + 1
        if broken.upper(at) in QUANTIFIED and broken.words(at + 1, "(", "SELECT"):
            left -= broken.upper(at - 1) in ("NOT", "=", "<>", "!=")
            right = at + 3 + (broken.upper(at + 3) == "DISTINCT")
        elif broken.upper(at) != "=":
            continue
        right += 2 * (broken.upper(right + 1) == ".")
        one, other = _named(broken, left), _named(broken, right)
        if one is not None and other is not None:
            yield from ((one, other), (other, one))


def _named(broken: Broken, at: int) -> _Named | None:
    """Return the column at a piece; a bare one belongs to the only source of its SELECT."""
    held = 0 <= at < len(broken.pieces) and broken.pieces[at].is_name
    if not held or broken.upper(at + 1) in (".", "("):
        return None
    if broken.upper(at - 1) == ".":
        source = broken.source_of(broken.pieces[at - 2].name, at)
    else:
        sources = [each for select in broken.around(at)[:1] for each in select.sources]
        source = sources[0] if len(sources) == 1 else None
    return None if source is None else _Named(source, at, broken.pieces[at].name.lower())
