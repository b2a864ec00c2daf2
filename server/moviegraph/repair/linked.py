"""Tables that a statement names or needs, joined by the one edge that the contract has for them."""

from moviegraph.contract.model import Connection, NodeTable
from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.conjuncts import with_condition
from moviegraph.repair.names import tables_called
from moviegraph.repair.nearness import fold_name, same_word
from moviegraph.repair.outline import Select, SourceTokens, TokenRange
from moviegraph.repair.context import RefusedStatement

COMMAS = frozenset({"", ","})


def unlinked_edges(statement: RefusedStatement) -> Correction | None:
    """Movie m JOIN IN_GENRE i JOIN Genre g without ON can only mean MATCH(m-(i)->g)."""
    edits: list[Edit] = []
    for select in statement.selects:
        joined = [source for source in select.sources if source.joined not in COMMAS]
        inner = joined and all(s.joined in ("JOIN", "INNER JOIN") for s in joined)
        if (
            not inner
            or any(s.on is not None for s in joined)
            or statement.calls_in(select, "MATCH")
        ):
            continue
        patterns = [_pattern(statement, select, s) for s in select.sources if statement.edge_of(s)]
        if not patterns or not all(patterns) or not _covers(statement, select):
            continue
        for source in joined:
            before = statement.tokens[source.joined_at - 1].end
            edits.append(Edit(before, statement.start(source.range.first), ", "))
        edits += _added(statement, select, f"MATCH({' AND '.join(filter(None, patterns))})")
    return correct(edits, "The edges without a condition join the nodes at their ends.")


def _pattern(statement: RefusedStatement, select: Select, source: SourceTokens) -> str | None:
    """Return the pattern of an edge that nothing joins, between the only nodes of its ends."""
    edge = statement.edge_of(source)
    alias = source.alias.lower()
    used = any(
        token.is_name and token.name.lower() == alias and statement.upper(index + 1) == "."
        for index, token in enumerate(statement.tokens)
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


def _covers(statement: RefusedStatement, select: Select) -> bool:
    """Whether every node of a FROM is at an end of one of its edges."""
    edges = [edge for s in select.sources if (edge := statement.edge_of(s)) is not None]
    met = {table for edge in edges for each in edge.connections for table in each.ends}
    nodes = [s for s in select.sources if statement.edge_of(s) is None]
    return all((node := statement.node_of(s)) is not None and node.name in met for s in nodes)


def _added(statement: RefusedStatement, select: Select, condition: str) -> list[Edit]:
    """Write a condition into WHERE, or WHERE behind FROM."""
    where = select.clauses.get("WHERE")
    if where is None or where.first >= where.last:
        end = statement.tokens[select.clauses["FROM"].last - 1].end
        return [Edit(end, end, f" WHERE {condition}")]
    return with_condition(statement, where, condition)


def grouped_concept(statement: RefusedStatement) -> Correction | None:
    """GROUP BY Genre groups films by the genres that an edge leads to.

    Merely listed it is left: rows of a film could be meant, or one text of all its genres.
    """
    index = statement.refused_index()
    select = next(iter(statement.around(index)), None) if index is not None else None
    if index is None or select is None or not {s.joined for s in select.sources} <= COMMAS:
        return None
    name = statement.tokens[index].name
    node = _called(statement, name)
    places = [n for n in range(select.first, select.last) if _is_same(statement, n, name)]
    groups = select.clauses.get("GROUP", TokenRange(0, 0))
    grouped = any(place in groups for place in places)
    if node is None or not grouped or any(_is_node(statement, s, node) for s in select.sources):
        return None
    found = _leading(statement, select, node)
    return _joined(statement, select, places, node, found) if found else None


def _called(statement: RefusedStatement, name: str) -> NodeTable | None:
    word = fold_name(name)
    word = word.removesuffix("name") or word
    label = same_word(word, [node.name for node in statement.contract.nodes])
    tables = [label] if label else tables_called(statement.contract, word)
    return statement.contract.node(tables[0]) if len(tables) == 1 else None


def _is_same(statement: RefusedStatement, index: int, name: str) -> bool:
    token = statement.tokens[index]
    named = token.is_name and token.name.lower() == name.lower()
    return (
        named
        and statement.upper(index + 1) not in (".", "(")
        and statement.upper(index - 1) != "AS"
    )


def _is_node(statement: RefusedStatement, source: SourceTokens, node: NodeTable) -> bool:
    own = statement.node_of(source)
    return own is not None and own.name == node.name


def _leading(
    statement: RefusedStatement, select: Select, node: NodeTable
) -> tuple[SourceTokens, Connection, bool] | None:
    """Return the one source and edge that lead to a node, and whether the edge leaves it."""
    found = [
        (source, edge, edge.to_table == node.name)
        for source in select.sources
        if (own := statement.node_of(source)) is not None and own.name != node.name
        for edge in statement.contract.between(own.name, node.name)
    ]
    return found[0] if len(found) == 1 else None


def _joined(
    statement: RefusedStatement,
    select: Select,
    places: list[int],
    node: NodeTable,
    found: tuple[SourceTokens, Connection, bool],
) -> Correction | None:
    source, edge, leaves = found
    taken = {token.name.lower() for token in statement.tokens if token.is_name}
    by, to = (
        next(f"{letter}{n}" for n in range(1, 99) if f"{letter}{n}" not in taken)
        for letter in ("e", node.name[0].lower())
    )
    edits: list[Edit] = []
    for place in places:
        first = place - 2 if statement.upper(place - 1) == "." else place
        edits.append(
            Edit(statement.start(first), statement.tokens[place].end, f"{to}.{node.label}")
        )
    edits += [
        Edit(statement.start(place), statement.start(place), f"{source.alias}.")
        for place in _bare(statement, select, source, set(places))
    ]
    end = statement.tokens[select.clauses["FROM"].last - 1].end
    arrow = f"-({by})->" if leaves else f"<-({by})-"
    match = f"MATCH({source.alias}{arrow}{to})"
    where = select.clauses.get("WHERE")
    tables = f", {edge.name} AS {by}, {node.name} AS {to}"
    if where is None:
        edits.append(Edit(end, end, f"{tables} WHERE {match}"))
    else:
        edits.append(Edit(end, end, tables))
        edits += with_condition(statement, where, match)
    return correct(edits, f"{node.name} is no column: {edge.name} leads to it.")


def _bare(
    statement: RefusedStatement, select: Select, source: SourceTokens, done: set[int]
) -> list[int]:
    """Return where columns of the source stand without its alias, which two tables now need."""
    node = statement.node_of(source)
    return [
        index
        for index in range(select.first, select.last)
        if node is not None
        and index not in done
        and statement.tokens[index].is_name
        and node.column(statement.tokens[index].name) is not None
        and statement.upper(index - 1) not in (".", "AS")
        and statement.upper(index + 1) not in (".", "(")
        and [s.first for s in statement.around(index)[:1]] == [select.first]
    ]
