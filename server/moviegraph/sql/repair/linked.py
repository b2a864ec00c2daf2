"""Tables that a statement names or needs, joined by the one edge that the contract has for them."""

from moviegraph.contract.model import Connection, NodeTable
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.conjuncts import with_condition
from moviegraph.sql.repair.names import tables_called
from moviegraph.sql.repair.nearness import folded, same_word
from moviegraph.sql.repair.outline import Range, Select, Source

COMMAS = frozenset({"", ","})


def unlinked_edges(broken: Broken) -> Correction | None:
    """Movie m JOIN IN_GENRE i JOIN Genre g without ON can only mean MATCH(m-(i)->g)."""
    edits: list[Edit] = []
    for select in broken.selects:
        joined = [source for source in select.sources if source.joined not in COMMAS]
        inner = joined and all(s.joined in ("JOIN", "INNER JOIN") for s in joined)
        if not inner or any(s.on is not None for s in joined) or broken.calls_in(select, "MATCH"):
            continue
        patterns = [_pattern(broken, select, s) for s in select.sources if broken.edge_of(s)]
        if not patterns or not all(patterns) or not _covers(broken, select):
            continue
        for source in joined:
            before = broken.pieces[source.joined_at - 1].end
            edits.append(Edit(before, broken.start(source.range.first), ", "))
        edits += _added(broken, select, f"MATCH({' AND '.join(filter(None, patterns))})")
    return corrected(edits, "The edges without a condition join the nodes at their ends.")


def _pattern(broken: Broken, select: Select, source: Source) -> str | None:
    """Return the pattern of an edge that nothing joins, between the only nodes of its ends."""
    edge = broken.edge_of(source)
    alias = source.alias.lower()
    used = any(
        piece.is_name and piece.name.lower() == alias and broken.upper(at + 1) == "."
        for at, piece in enumerate(broken.pieces)
    )
    if edge is None or used:
        return None
    found = [
        f"{starts[0]}-({source.alias})->{ends[0]}"
        for pair in edge.pairs
        for starts in [_aliases(select, pair.from_table)]
        for ends in [_aliases(select, pair.to_table)]
        if len(starts) == len(ends) == 1 and pair.from_table != pair.to_table
    ]
    return found[0] if len(found) == 1 else None


def _aliases(select: Select, table: str) -> list[str]:
    return [source.alias for source in select.sources if source.table.lower() == table.lower()]


def _covers(broken: Broken, select: Select) -> bool:
    """Whether every node of a FROM is at an end of one of its edges."""
    edges = [edge for s in select.sources if (edge := broken.edge_of(s)) is not None]
    met = {table for edge in edges for each in edge.connections for table in each.ends}
    nodes = [s for s in select.sources if broken.edge_of(s) is None]
    return all((node := broken.node_of(s)) is not None and node.name in met for s in nodes)


def _added(broken: Broken, select: Select, condition: str) -> list[Edit]:
    """Write a condition into WHERE, or WHERE behind FROM."""
    where = select.clauses.get("WHERE")
    if where is None or where.first >= where.last:
        end = broken.pieces[select.clauses["FROM"].last - 1].end
        return [Edit(end, end, f" WHERE {condition}")]
    return with_condition(broken, where, condition)


def grouped_concept(broken: Broken) -> Correction | None:
    """GROUP BY Genre groups films by the genres that an edge leads to.

    Merely listed it is left: rows of a film could be meant, or one text of all its genres.
    """
    at = broken.at_span()
    select = next(iter(broken.around(at)), None) if at is not None else None
    if at is None or select is None or not {s.joined for s in select.sources} <= COMMAS:
        return None
    name = broken.pieces[at].name
    node = _called(broken, name)
    places = [n for n in range(select.first, select.last) if _is_same(broken, n, name)]
    groups = select.clauses.get("GROUP", Range(0, 0))
    grouped = any(place in groups for place in places)
    if node is None or not grouped or any(_is_node(broken, s, node) for s in select.sources):
        return None
    found = _leading(broken, select, node)
    return _joined(broken, select, places, node, found) if found else None


def _called(broken: Broken, name: str) -> NodeTable | None:
    word = folded(name)
    word = word.removesuffix("name") or word
    label = same_word(word, [node.name for node in broken.contract.nodes])
    tables = [label] if label else tables_called(broken.contract, word)
    return broken.contract.node(tables[0]) if len(tables) == 1 else None


def _is_same(broken: Broken, at: int, name: str) -> bool:
    piece = broken.pieces[at]
    named = piece.is_name and piece.name.lower() == name.lower()
    return named and broken.upper(at + 1) not in (".", "(") and broken.upper(at - 1) != "AS"


def _is_node(broken: Broken, source: Source, node: NodeTable) -> bool:
    own = broken.node_of(source)
    return own is not None and own.name == node.name


def _leading(
    broken: Broken, select: Select, node: NodeTable
) -> tuple[Source, Connection, bool] | None:
    """Return the one source and edge that lead to a node, and whether the edge leaves it."""
    found = [
        (source, edge, edge.to_table == node.name)
        for source in select.sources
        if (own := broken.node_of(source)) is not None and own.name != node.name
        for edge in broken.contract.between(own.name, node.name)
    ]
    return found[0] if len(found) == 1 else None


def _joined(
    broken: Broken,
    select: Select,
    places: list[int],
    node: NodeTable,
    found: tuple[Source, Connection, bool],
) -> Correction | None:
    source, edge, leaves = found
    taken = {piece.name.lower() for piece in broken.pieces if piece.is_name}
    by, to = (
        next(f"{letter}{n}" for n in range(1, 99) if f"{letter}{n}" not in taken)
        for letter in ("e", node.name[0].lower())
    )
    edits: list[Edit] = []
    for place in places:
        first = place - 2 if broken.upper(place - 1) == "." else place
        edits.append(Edit(broken.start(first), broken.pieces[place].end, f"{to}.{node.label}"))
    edits += [
        Edit(broken.start(place), broken.start(place), f"{source.alias}.")
        for place in _bare(broken, select, source, set(places))
    ]
    end = broken.pieces[select.clauses["FROM"].last - 1].end
    arrow = f"-({by})->" if leaves else f"<-({by})-"
    match = f"MATCH({source.alias}{arrow}{to})"
    where = select.clauses.get("WHERE")
    tables = f", {edge.name} AS {by}, {node.name} AS {to}"
    if where is None:
        edits.append(Edit(end, end, f"{tables} WHERE {match}"))
    else:
        edits.append(Edit(end, end, tables))
        edits += with_condition(broken, where, match)
    return corrected(edits, f"{node.name} is no column: {edge.name} leads to it.")


def _bare(broken: Broken, select: Select, source: Source, done: set[int]) -> list[int]:
    """Return where columns of the source stand without its alias, which two tables now need."""
    node = broken.node_of(source)
    return [
        at
        for at in range(select.first, select.last)
        if node is not None
        and at not in done
        and broken.pieces[at].is_name
        and node.column(broken.pieces[at].name) is not None
        and broken.upper(at - 1) not in (".", "AS")
        and broken.upper(at + 1) not in (".", "(")
        and [s.first for s in broken.around(at)[:1]] == [select.first]
    ]
