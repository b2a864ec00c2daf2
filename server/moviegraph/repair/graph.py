"""MATCH: its shape, its arrows, its aliases, and the tables behind them."""

from collections.abc import Iterator

from moviegraph.contract.model import Connection, EdgeTable
from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.conjuncts import with_condition
from moviegraph.repair.hops import HopTokens, hops, nodes
from moviegraph.repair.names import tables_called
from moviegraph.repair.outline import Select, past_parenthesis
from moviegraph.repair.context import CalledFunction, RefusedStatement


def match_shape(statement: RefusedStatement) -> Correction | None:
    """Edges stand in parentheses and nodes do not: MATCH(m-(e)->g)."""
    edits: list[Edit] = []
    for call in statement.calls("MATCH"):
        repeats = any(
            statement.upper(index) == "SHORTEST_PATH" for index in range(call.index, call.last)
        )
        commas = [
            statement.tokens[index]
            for index in _flat(statement, call)
            if statement.upper(index) == ","
        ]
        edits += [Edit(token.start, token.end, " AND") for token in commas]
        for index in range(call.index + 2, call.last - 1):
            edge = _bracketed_edge(statement, index)
            edits += edge or ([] if repeats else _enclosed_node(statement, index))
    return correct(
        edits, "In MATCH edges stand in parentheses, nodes bare, and AND joins patterns."
    )


def _flat(statement: RefusedStatement, call: CalledFunction) -> Iterator[int]:
    """Yield the numbers of the pieces of a MATCH outside its inner parentheses."""
    if statement.upper(call.last) == "AGAINST":
        return
    index = call.index + 2
    while index < call.last - 1:
        yield index
        index = (
            past_parenthesis(statement.tokens, index)
            if statement.upper(index) == "("
            else index + 1
        )


def _bracketed_edge(statement: RefusedStatement, index: int) -> list[Edit]:
    token = statement.tokens[index]
    between = statement.upper(index - 1) in ("-", "<-") and statement.upper(index + 1) in (
        "->",
        "-",
    )
    if not between or not token.is_name:
        return []
    return [Edit(token.start, token.end, f"({token.name})")]


def _enclosed_node(statement: RefusedStatement, index: int) -> list[Edit]:
    opening, name, closing = (
        statement.tokens[index : index + 3] if index + 3 <= len(statement.tokens) else [None] * 3
    )
    if opening is None or name is None or closing is None or not name.is_name:
        return []
    enclosed = opening.upper == "(" and closing.upper == ")"
    follows_edge = statement.upper(index - 1) in ("-", "<-") and statement.upper(index + 3) in (
        "->",
        "-",
    )
    if not enclosed or (follows_edge and statement.upper(index - 2) not in (")", "]")):
        return []
    before, after = statement.upper(index - 1), statement.upper(index + 3)
    is_edge = before in ("-", "<-") and after in ("->", "-") and _is_edge_place(statement, index)
    if is_edge or not (before in ("(", "->", "-", "AND") or after in ("-", "<-")):
        return []
    return [Edit(opening.start, closing.end, name.text)]


def _is_edge_place(statement: RefusedStatement, index: int) -> bool:
    """An edge stands behind a node: `m-(` or `(m)-(`; a node stands behind an arrow or edge."""
    if statement.upper(index - 1) == "<-":
        return True
    before = index - 2
    if statement.upper(before) != ")":
        return statement.tokens[before].is_name
    inner = statement.tokens[before - 1]
    edge = statement.edge_of(statement.source_of(inner.name, before))
    return edge is None and statement.contract.edge(inner.name) is None


def bare_match(statement: RefusedStatement) -> Correction | None:
    """MATCH m-(e)->g is MATCH(m-(e)->g)."""
    for index, token in enumerate(statement.tokens):
        if (
            token.upper != "MATCH"
            or statement.upper(index + 1) == "("
            or index + 1 >= len(statement.tokens)
        ):
            continue
        last = index + 1
        while last < len(statement.tokens) and statement.upper(last) not in (
            *("AND", "OR", "GROUP", "ORDER", "HAVING", ")", ";", "UNION"),
        ):
            last = (
                past_parenthesis(statement.tokens, last)
                if statement.upper(last) == "("
                else last + 1
            )
        start, end = statement.start(index + 1), statement.tokens[last - 1].end
        edits = (Edit(token.end, start, "("), Edit(end, end, ")"))
        return correct(edits, "The pattern of MATCH stands in parentheses.")
    return None


def turned_arrow(statement: RefusedStatement) -> Correction | None:
    """An arrow against its edge, or without a head, is turned as the contract has it."""
    edits: list[Edit] = []
    for hop in _all_hops(statement):
        edge = _edge(statement, hop)
        kinds = (_kind(statement, hop.left), _kind(statement, hop.right))
        if edge is None or hop.edge is None or None in kinds:
            continue
        ways = [(each.from_table, each.to_table) for each in edge.pairs]
        ahead, back = kinds in ways, kinds[::-1] in ways
        if not ahead and not back:
            continue
        if hop.forward is ahead or (ahead and back and hop.forward is not None):
            continue
        name = statement.tokens[hop.edge].text
        arrow = f"-({name})->" if ahead else f"<-({name})-"
        start = statement.tokens[hop.arrow - 1].end
        edits.append(Edit(start, statement.start(hop.behind), arrow))
    return correct(edits, "The arrow follows the edge's own direction.")


def _all_hops(statement: RefusedStatement) -> Iterator[HopTokens]:
    for call in statement.calls("MATCH"):
        yield from hops(statement, call)


def _edge(statement: RefusedStatement, hop: HopTokens) -> EdgeTable | None:
    if hop.edge is None:
        return None
    return statement.edge_of(statement.source_of(statement.tokens[hop.edge].name, hop.edge))


def _kind(statement: RefusedStatement, index: int) -> str | None:
    node = statement.node_of(statement.source_of(statement.tokens[index].name, index))
    return node.name if node else None


def missing_edge(statement: RefusedStatement) -> Correction | None:
    """An edge that MATCH names and FROM lacks is listed there, if only one table can be meant."""
    for hop in _all_hops(statement):
        if hop.edge is not None and _is_listed(statement, hop.edge):
            continue
        table = _edge_meant(statement, hop)
        select = next(iter(statement.around(hop.left)), None)
        if table is None or select is None or "FROM" not in select.clauses:
            continue
        return correct(_with_edge(statement, select, hop, table), _listed_why(table.name))
    return None


def _listed_why(name: str) -> str:
    return f"MATCH names aliases of tables in FROM; {name} was not listed there."


def _is_listed(statement: RefusedStatement, index: int) -> bool:
    select = next(iter(statement.around(index)), None)
    name = statement.tokens[index].name.lower()
    return select is not None and any(s.alias.lower() == name for s in select.sources)


def _edge_meant(statement: RefusedStatement, hop: HopTokens) -> EdgeTable | None:
    """Return the table that the hop names, or the only one between its ends."""
    if hop.edge is not None:
        named = statement.contract.edge(statement.tokens[hop.edge].name)
        if named is not None:
            return named
        if statement.tokens[hop.edge].name.lower() in statement.aliases:
            return None
    ends = {_kind(statement, hop.left), _kind(statement, hop.right)}
    between = [
        edge for edge in statement.contract.edges if any(e.ends == ends for e in edge.connections)
    ]
    return between[0] if len(between) == 1 else None


def _with_edge(
    statement: RefusedStatement, select: Select, hop: HopTokens, table: EdgeTable
) -> list[Edit]:
    """Name the edge by an alias of FROM, one already there and unused, or a new one."""
    used = {statement.tokens[each.edge].name.lower() for each in _all_hops(statement) if each.edge}
    named = statement.tokens[hop.edge] if hop.edge is not None else None
    free = [
        s
        for s in select.sources
        if s.table.lower() == table.name.lower() and s.alias.lower() not in used
    ]
    if free:
        alias, listing = free[0].alias, list[Edit]()
    else:
        keeps = named is not None and statement.contract.edge(named.name) is None
        alias = named.name if keeps and named is not None else _fresh(statement, "e")
        listing = [_listing(statement, select, table.name, alias)]
    if hop.edge is None:
        place = statement.tokens[hop.opening].end
        return [*listing, Edit(place, place, alias)]
    assert named is not None
    return [*listing, Edit(named.start, named.end, alias)]


def _listing(statement: RefusedStatement, select: Select, table: str, alias: str) -> Edit:
    place = statement.start(select.clauses["FROM"].first)
    return Edit(place, place, f"{statement.contract.schema_name}.{table} AS {alias}, ")


def _fresh(statement: RefusedStatement, letter: str) -> str:
    taken = {token.name.lower() for token in statement.tokens if token.is_name}
    return next(f"{letter}{n}" for n in range(1, len(taken) + 2) if f"{letter}{n}" not in taken)


def missing_node(statement: RefusedStatement) -> Correction | None:
    """A node that MATCH names and FROM lacks is listed there: its edge says of which kind it is."""
    for index, table in _unlisted_nodes(statement):
        select = statement.around(index)[0]
        name = statement.tokens[index].name
        known = [s for s in select.sources if s.table.lower() == name.lower()]
        if len(known) == 1:
            token = statement.tokens[index]
            why = "A table with an alias is known by the alias only."
            return correct([Edit(token.start, token.end, known[0].alias)], why)
        spare = [
            s for s in select.sources if s.table == table and not _in_match(statement, s.alias)
        ]
        if name.lower() not in statement.aliases and "FROM" in select.clauses and not spare:
            return correct([_listing(statement, select, table, name)], _listed_why(table))
    return None


def _in_match(statement: RefusedStatement, alias: str) -> bool:
    return any(
        statement.tokens[index].name.lower() == alias.lower()
        for hop in _all_hops(statement)
        for index in (hop.left, hop.right)
    )


def outer_node(statement: RefusedStatement) -> Correction | None:
    """A MATCH in a subquery sees only its own FROM: the outer node is listed again, tied by key."""
    for index, table in _unlisted_nodes(statement):
        select, name = statement.around(index)[0], statement.tokens[index].name
        node = statement.node_of(statement.source_of(name, index))
        where = select.clauses.get("WHERE")
        if node is None or node.name != table or where is None:
            continue
        alias = _fresh(statement, name)
        edits = [
            _listing(statement, select, table, alias),
            *with_condition(statement, where, f"{alias}.{node.key} = {name}.{node.key}"),
            *(
                Edit(statement.tokens[each].start, statement.tokens[each].end, alias)
                for each, _ in _unlisted_nodes(statement)
                if statement.tokens[each].name == name and statement.around(each)[0] is select
            ),
        ]
        return correct(edits, "MATCH in a subquery sees only the tables of that subquery.")
    return None


def _unlisted_nodes(statement: RefusedStatement) -> Iterator[tuple[int, str]]:
    for call in statement.calls("MATCH"):
        for index, kinds in nodes(statement, call, _edge).items():
            if len(kinds) == 1 and statement.around(index) and not _is_listed(statement, index):
                yield index, next(iter(kinds))


def repeated_edge(statement: RefusedStatement) -> Correction | None:
    """An edge alias that stands for two hops: the second hop gets an edge of its own."""
    seen: set[tuple[int, str]] = set()
    for hop in _all_hops(statement):
        edge = _edge(statement, hop)
        if edge is None or hop.edge is None:
            continue
        token = statement.tokens[hop.edge]
        select = statement.around(hop.edge)[0]
        key = (select.first, token.name.lower())
        qualified = any(
            p.is_name and p.name.lower() == key[1] and statement.upper(index + 1) == "."
            for index, p in enumerate(statement.tokens)
        )
        if key in seen and not qualified:
            alias = _fresh(statement, "e")
            edits = (
                _listing(statement, select, edge.name, alias),
                Edit(token.start, token.end, alias),
            )
            return correct(edits, "Each hop has an edge of its own.")
        seen.add(key)
    return None


def edge_by_ends(statement: RefusedStatement) -> Correction | None:
    """A made-up edge table such as HAS_THEME is the only edge of the contract to that table."""
    for hop in _all_hops(statement):
        source = (
            statement.source_of(statement.tokens[hop.edge].name, hop.edge) if hop.edge else None
        )
        if source is None or not source.table or _edge(statement, hop) is not None:
            continue
        ends = (_kind(statement, hop.left), _kind(statement, hop.right))
        between = [e for e in statement.contract.connections if e.ends == set(ends)]
        if len(between) == 1 and _is_called(statement, source.table, between[0]):
            token = source.parts[-1]
            why = f"{between[0].name} is the only edge between these tables."
            return correct([Edit(token.start, token.end, between[0].name)], why)
    return None


def _is_called(statement: RefusedStatement, name: str, edge: Connection) -> bool:
    return edge.name in tables_called(statement.contract, name) or _shares_word(name, edge)


def _shares_word(name: str, edge: Connection) -> bool:
    words = set(name.lower().replace("has", "has_").split("_"))
    known = {*edge.name.lower().split("_"), edge.from_table.lower(), edge.to_table.lower()}
    return bool(
        {w.removesuffix("s") for w in words} & {k.removesuffix("s") for k in known - {"in"}}
    )
