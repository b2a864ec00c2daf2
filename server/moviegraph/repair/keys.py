"""Keys by which tables are joined: foreign ones, which the graph has as edges, and edge ends."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from moviegraph.contract.model import Connection
from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.conjuncts import is_required
from moviegraph.repair.nearness import fold_name
from moviegraph.repair.outline import SourceTokens, TokenRange
from moviegraph.repair.context import RefusedStatement
from moviegraph.sql.ends import OTHER_END, ends_of

QUANTIFIED = frozenset({"IN", "ANY", "SOME", "ALL"})
KEYED = re.compile(r"(id|ids|key|fk|no)\Z")
_End = tuple[int, str]


def foreign_key(statement: RefusedStatement) -> Correction | None:
    """t.MovieId = m.Id between two nodes is the one edge that joins their tables."""
    for index in range(3, len(statement.tokens) - 3):
        if statement.upper(index) != "=" or not _qualified(statement, index - 3, index + 1):
            continue
        one = statement.source_of(statement.tokens[index - 3].name, index)
        other = statement.source_of(statement.tokens[index + 1].name, index)
        edge = _edge(statement, one, other)
        if (
            one is None
            or other is None
            or edge is None
            or not _is_key(statement, index, one, other)
        ):
            continue
        edits = _joined(statement, TokenRange(index - 3, index + 4), (one, other), edge)
        if edits:
            why = f"Nodes have no foreign keys; {edge.name} joins the two tables."
            return correct(edits, why)
    return None


def _qualified(statement: RefusedStatement, *places: int) -> bool:
    return all(
        statement.upper(index + 1) == "." and statement.tokens[index].is_name for index in places
    )


def _edge(
    statement: RefusedStatement, one: SourceTokens | None, other: SourceTokens | None
) -> Connection | None:
    first, second = statement.node_of(one), statement.node_of(other)
    if first is None or second is None or first is second:
        return None
    found = statement.contract.between(first.name, second.name)
    return found[0] if len(found) == 1 else None


def _is_key(
    statement: RefusedStatement, index: int, one: SourceTokens, other: SourceTokens
) -> bool:
    """Whether one side is a key, and the other names the table of that key and is no column."""
    for mine, theirs, far in ((index - 1, index + 3, other), (index + 3, index - 1, one)):
        node = statement.node_of(far)
        near = statement.node_of(one if far is other else other)
        column, key = statement.tokens[mine].name, statement.tokens[theirs].name
        assert node is not None and near is not None
        word = fold_name(column)
        named = KEYED.sub("", word) == fold_name(node.name) and KEYED.search(word) is not None
        keyed = fold_name(key) in (fold_name(node.key), f"{fold_name(node.name)}id")
        if named and keyed and near.column(column) is None:
            return True
    return False


def _joined(
    statement: RefusedStatement,
    condition: TokenRange,
    ends: tuple[SourceTokens, SourceTokens],
    edge: Connection,
) -> list[Edit]:
    first, last = sorted(ends, key=lambda source: source.range.first)
    taken = {token.name.lower() for token in statement.tokens if token.is_name}
    alias = next(f"e{n}" for n in range(1, len(taken) + 2) if f"e{n}" not in taken)
    table = f"{statement.contract.schema_name}.{edge.name} AS {alias}"
    near, far = ("$from_id", "$to_id")
    if first.table.lower() != edge.from_table.lower():
        near, far = far, near
    current = f"{alias}.{near} = {first.alias}.$node_id"
    there = f"{alias}.{far} = {last.alias}.$node_id"
    if last.on is not None and is_required(statement, condition, last.on):
        return _by_join(statement, condition, last, (table, current, there))
    where = next((s.clauses.get("WHERE") for s in statement.selects if last in s.sources), None)
    listed = last.joined == "," and first.joined in ("", ",")
    if where is None or not listed or not is_required(statement, condition, where):
        return []
    place = statement.tokens[last.range.last - 1].end
    return [
        Edit(place, place, f", {table}"),
        _in_place_of(statement, condition, f"{current} AND {there}"),
    ]


def _by_join(
    statement: RefusedStatement,
    condition: TokenRange,
    last: SourceTokens,
    edge: tuple[str, str, str],
) -> list[Edit]:
    """Join an edge between both tables, so that an outer join keeps the rows that it kept.

    A LEFT JOIN meets the edge and its node as one. FULL JOIN has no such form, so it is left.
    """
    table, current, there = edge
    if last.joined.startswith("LEFT"):
        start, end = statement.start(last.range.first), statement.tokens[last.range.last - 1].end
        opening, closing = Edit(start, start, f"({table} JOIN "), Edit(end, end, f" ON {there})")
        return [opening, closing, _in_place_of(statement, condition, current)]
    if last.joined.startswith("FULL"):
        return []
    place = statement.tokens[last.joined_at - 1].end
    listing = Edit(place, place, f" JOIN {table} ON {current}")
    return [listing, _in_place_of(statement, condition, there)]


def _in_place_of(statement: RefusedStatement, part: TokenRange, text: str) -> Edit:
    return Edit(statement.start(part.first), statement.tokens[part.last - 1].end, text)


class _Named(NamedTuple):
    """A column of a source: the source, the column's piece and its lower-case name."""

    source: SourceTokens
    index: int
    name: str


def turned_ends(statement: RefusedStatement) -> Correction | None:
    """m.$node_id = e.$to_id is m.$node_id = e.$from_id where the edge leaves that table.

    Where an end so turned would meet two things, another edge was meant.
    """
    edits, met, turned = list[Edit](), dict[_End, set[_End]](), set[_End]()
    for mine, other in _compared(statement):
        end = _end_meant(statement, mine, other)
        if end is None:
            continue
        met.setdefault(end, set()).add((other.source.range.first, f"{mine.name} {other.name}"))
        if mine.name != end[1]:
            token = statement.tokens[mine.index]
            edits.append(Edit(token.start, token.end, end[1]))
            turned.add(end)
    if any(len(met[end]) > 1 for end in turned):
        return None
    return correct(edits, "The ends of an edge are where its own direction has them.")


def _end_meant(statement: RefusedStatement, mine: _Named, other: _Named) -> _End | None:
    """Read `edge.end = column`: return the end that can meet the column; else the one written."""
    edge, node = statement.edge_of(mine.source), statement.node_of(other.source)
    if edge is None or mine.name not in OTHER_END:
        return None
    ends = (mine.name, OTHER_END[mine.name])
    if node is not None and other.name == "$node_id":
        ends = tuple(end for end in ends if node.name in ends_of(edge, end))
    return (mine.source.range.first, ends[0]) if ends else None


def key_of_end(statement: RefusedStatement) -> Correction | None:
    """m.Id IN (SELECT e.$from_id ...) compares what edges and nodes share: m.$node_id."""
    edits: list[Edit] = []
    for mine, other in _compared(statement):
        node, key = statement.node_of(mine.source), statement.tokens[mine.index]
        ended = statement.edge_of(other.source) is not None and other.name in OTHER_END
        if ended and node is not None and mine.name == node.key.lower():
            edits.append(Edit(key.start, key.end, "$node_id"))
    return correct(edits, "The ends of an edge are $node_ids of nodes.")


def _compared(statement: RefusedStatement) -> Iterator[tuple[_Named, _Named]]:
    """Yield the columns, either one first, of an equality or of a comparison with a subquery."""
    for index in range(1, len(statement.tokens) - 1):
        left, right = index - 1, index + 1
        if statement.upper(index) in QUANTIFIED and statement.words(index + 1, "(", "SELECT"):
            left -= statement.upper(index - 1) in ("NOT", "=", "<>", "!=")
            right = index + 3 + (statement.upper(index + 3) == "DISTINCT")
        elif statement.upper(index) != "=":
            continue
        right += 2 * (statement.upper(right + 1) == ".")
        one, other = _named(statement, left), _named(statement, right)
        if one is not None and other is not None:
            yield from ((one, other), (other, one))


def _named(statement: RefusedStatement, index: int) -> _Named | None:
    """Return the column at a piece; a bare one belongs to the only source of its SELECT."""
    held = 0 <= index < len(statement.tokens) and statement.tokens[index].is_name
    if not held or statement.upper(index + 1) in (".", "("):
        return None
    if statement.upper(index - 1) == ".":
        source = statement.source_of(statement.tokens[index - 2].name, index)
    else:
        sources = [each for select in statement.around(index)[:1] for each in select.sources]
        source = sources[0] if len(sources) == 1 else None
    return None if source is None else _Named(source, index, statement.tokens[index].name.lower())
