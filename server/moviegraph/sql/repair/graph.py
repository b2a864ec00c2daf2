"""MATCH: its shape, its arrows, its aliases, and the tables behind them."""

from collections.abc import Iterator

from moviegraph.contract.model import Connection, EdgeTable
from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.conjuncts import with_condition
from moviegraph.sql.repair.hops import Hop, hops, nodes
from moviegraph.sql.repair.names import tables_called
from moviegraph.sql.repair.outline import Select, past_parenthesis


def match_shape(broken: Broken) -> Correction | None:
    """Edges stand in parentheses and nodes do not: MATCH(m-(e)->g)."""
    edits: list[Edit] = []
    for call in broken.calls("MATCH"):
        repeats = any(broken.upper(at) == "SHORTEST_PATH" for at in range(call.at, call.last))
        commas = [broken.pieces[at] for at in _flat(broken, call) if broken.upper(at) == ","]
        edits += [Edit(piece.start, piece.end, " AND") for piece in commas]
        for at in range(call.at + 2, call.last - 1):
            edge = _bracketed_edge(broken, at)
            edits += edge or ([] if repeats else _enclosed_node(broken, at))
    return corrected(
        edits, "In MATCH edges stand in parentheses, nodes bare, and AND joins patterns."
    )


def _flat(broken: Broken, call: CalledFunction) -> Iterator[int]:
    """Yield the numbers of the pieces of a MATCH outside its inner parentheses."""
    if broken.upper(call.last) == "AGAINST":
        return
    at = call.at + 2
    while at < call.last - 1:
        yield at
        at = past_parenthesis(broken.pieces, at) if broken.upper(at) == "(" else at + 1


def _bracketed_edge(broken: Broken, at: int) -> list[Edit]:
    piece = broken.pieces[at]
    between = broken.upper(at - 1) in ("-", "<-") and broken.upper(at + 1) in ("->", "-")
    if not between or not piece.is_name:
        return []
    return [Edit(piece.start, piece.end, f"({piece.name})")]


def _enclosed_node(broken: Broken, at: int) -> list[Edit]:
    opening, name, closing = (
        broken.pieces[at : at + 3] if at + 3 <= len(broken.pieces) else [None] * 3
    )
    if opening is None or name is None or closing is None or not name.is_name:
        return []
    enclosed = opening.upper == "(" and closing.upper == ")"
    follows_edge = broken.upper(at - 1) in ("-", "<-") and broken.upper(at + 3) in ("->", "-")
    if not enclosed or (follows_edge and broken.upper(at - 2) not in (")", "]")):
        return []
    before, after = broken.upper(at - 1), broken.upper(at + 3)
    is_edge = before in ("-", "<-") and after in ("->", "-") and _is_edge_place(broken, at)
    if is_edge or not (before in ("(", "->", "-", "AND") or after in ("-", "<-")):
        return []
    return [Edit(opening.start, closing.end, name.text)]


def _is_edge_place(broken: Broken, at: int) -> bool:
    """An edge stands behind a node: `m-(` or `(m)-(`; a node stands behind an arrow or edge."""
    if broken.upper(at - 1) == "<-":
        return True
    before = at - 2
    if broken.upper(before) != ")":
        return broken.pieces[before].is_name
    inner = broken.pieces[before - 1]
    edge = broken.edge_of(broken.source_of(inner.name, before))
    return edge is None and broken.contract.edge(inner.name) is None


def bare_match(broken: Broken) -> Correction | None:
    """MATCH m-(e)->g is MATCH(m-(e)->g)."""
    for at, piece in enumerate(broken.pieces):
        if piece.upper != "MATCH" or broken.upper(at + 1) == "(" or at + 1 >= len(broken.pieces):
            continue
        last = at + 1
        while last < len(broken.pieces) and broken.upper(last) not in (
            *("AND", "OR", "GROUP", "ORDER", "HAVING", ")", ";", "UNION"),
        ):
            last = past_parenthesis(broken.pieces, last) if broken.upper(last) == "(" else last + 1
        start, end = broken.start(at + 1), broken.pieces[last - 1].end
        edits = (Edit(piece.end, start, "("), Edit(end, end, ")"))
        return corrected(edits, "The pattern of MATCH stands in parentheses.")
    return None


def turned_arrow(broken: Broken) -> Correction | None:
    """An arrow against its edge, or without a head, is turned as the contract has it."""
    edits: list[Edit] = []
    for hop in _all_hops(broken):
        edge = _edge(broken, hop)
        kinds = (_kind(broken, hop.left), _kind(broken, hop.right))
        if edge is None or hop.edge is None or None in kinds:
            continue
        ways = [(each.from_table, each.to_table) for each in edge.pairs]
        ahead, back = kinds in ways, kinds[::-1] in ways
        if not ahead and not back:
            continue
        if hop.forward is ahead or (ahead and back and hop.forward is not None):
            continue
        name = broken.pieces[hop.edge].text
        arrow = f"-({name})->" if ahead else f"<-({name})-"
        start = broken.pieces[hop.arrow - 1].end
        edits.append(Edit(start, broken.start(hop.behind), arrow))
    return corrected(edits, "The arrow follows the edge's own direction.")


def _all_hops(broken: Broken) -> Iterator[Hop]:
    for call in broken.calls("MATCH"):
        yield from hops(broken, call)


def _edge(broken: Broken, hop: Hop) -> EdgeTable | None:
    if hop.edge is None:
        return None
    return broken.edge_of(broken.source_of(broken.pieces[hop.edge].name, hop.edge))


def _kind(broken: Broken, at: int) -> str | None:
    node = broken.node_of(broken.source_of(broken.pieces[at].name, at))
    return node.name if node else None


def missing_edge(broken: Broken) -> Correction | None:
    """An edge that MATCH names and FROM lacks is listed there, if only one table can be meant."""
    for hop in _all_hops(broken):
        if hop.edge is not None and _is_listed(broken, hop.edge):
            continue
        table = _edge_meant(broken, hop)
        select = next(iter(broken.around(hop.left)), None)
        if table is None or select is None or "FROM" not in select.clauses:
            continue
        return corrected(_with_edge(broken, select, hop, table), _listed_why(table.name))
    return None


def _listed_why(name: str) -> str:
    return f"MATCH names aliases of tables in FROM; {name} was not listed there."


def _is_listed(broken: Broken, at: int) -> bool:
    select = next(iter(broken.around(at)), None)
    name = broken.pieces[at].name.lower()
    return select is not None and any(s.alias.lower() == name for s in select.sources)


def _edge_meant(broken: Broken, hop: Hop) -> EdgeTable | None:
    """Return the table that the hop names, or the only one between its ends."""
    if hop.edge is not None:
        named = broken.contract.edge(broken.pieces[hop.edge].name)
        if named is not None:
            return named
        if broken.pieces[hop.edge].name.lower() in broken.aliases:
            return None
    ends = {_kind(broken, hop.left), _kind(broken, hop.right)}
    between = [
        edge for edge in broken.contract.edges if any(e.ends == ends for e in edge.connections)
    ]
    return between[0] if len(between) == 1 else None


def _with_edge(broken: Broken, select: Select, hop: Hop, table: EdgeTable) -> list[Edit]:
    """Name the edge by an alias of FROM, one already there and unused, or a new one."""
    used = {broken.pieces[each.edge].name.lower() for each in _all_hops(broken) if each.edge}
    named = broken.pieces[hop.edge] if hop.edge is not None else None
    free = [
        s
        for s in select.sources
        if s.table.lower() == table.name.lower() and s.alias.lower() not in used
    ]
    if free:
        alias, listing = free[0].alias, list[Edit]()
    else:
        keeps = named is not None and broken.contract.edge(named.name) is None
        alias = named.name if keeps and named is not None else _fresh(broken, "e")
        listing = [_listing(broken, select, table.name, alias)]
    if hop.edge is None:
        place = broken.pieces[hop.opening].end
        return [*listing, Edit(place, place, alias)]
    assert named is not None
    return [*listing, Edit(named.start, named.end, alias)]


def _listing(broken: Broken, select: Select, table: str, alias: str) -> Edit:
    place = broken.start(select.clauses["FROM"].first)
    return Edit(place, place, f"{broken.contract.schema_name}.{table} AS {alias}, ")


def _fresh(broken: Broken, letter: str) -> str:
    taken = {piece.name.lower() for piece in broken.pieces if piece.is_name}
    return next(f"{letter}{n}" for n in range(1, len(taken) + 2) if f"{letter}{n}" not in taken)


def missing_node(broken: Broken) -> Correction | None:
    """A node that MATCH names and FROM lacks is listed there: its edge says of which kind it is."""
    for at, table in _unlisted_nodes(broken):
        select = broken.around(at)[0]
        name = broken.pieces[at].name
        known = [s for s in select.sources if s.table.lower() == name.lower()]
        if len(known) == 1:
            piece = broken.pieces[at]
            why = "A table with an alias is known by the alias only."
            return corrected([Edit(piece.start, piece.end, known[0].alias)], why)
        spare = [s for s in select.sources if s.table == table and not _in_match(broken, s.alias)]
        if name.lower() not in broken.aliases and "FROM" in select.clauses and not spare:
            return corrected([_listing(broken, select, table, name)], _listed_why(table))
    return None


def _in_match(broken: Broken, alias: str) -> bool:
    return any(
        broken.pieces[at].name.lower() == alias.lower()
        for hop in _all_hops(broken)
        for at in (hop.left, hop.right)
    )


def outer_node(broken: Broken) -> Correction | None:
    """A MATCH in a subquery sees only its own FROM: the outer node is listed again, tied by key."""
    for at, table in _unlisted_nodes(broken):
        select, name = broken.around(at)[0], broken.pieces[at].name
        node = broken.node_of(broken.source_of(name, at))
        where = select.clauses.get("WHERE")
        if node is None or node.name != table or where is None:
            continue
        alias = _fresh(broken, name)
        edits = [
            _listing(broken, select, table, alias),
            *with_condition(broken, where, f"{alias}.{node.key} = {name}.{node.key}"),
            *(
                Edit(broken.pieces[each].start, broken.pieces[each].end, alias)
                for each, _ in _unlisted_nodes(broken)
                if broken.pieces[each].name == name and broken.around(each)[0] is select
            ),
        ]
        return corrected(edits, "MATCH in a subquery sees only the tables of that subquery.")
    return None


def _unlisted_nodes(broken: Broken) -> Iterator[tuple[int, str]]:
    for call in broken.calls("MATCH"):
        for at, kinds in nodes(broken, call, _edge).items():
            if len(kinds) == 1 and broken.around(at) and not _is_listed(broken, at):
                yield at, next(iter(kinds))


def repeated_edge(broken: Broken) -> Correction | None:
    """An edge alias that stands for two hops: the second hop gets an edge of its own."""
    seen: set[tuple[int, str]] = set()
    for hop in _all_hops(broken):
        edge = _edge(broken, hop)
        if edge is None or hop.edge is None:
            continue
        piece = broken.pieces[hop.edge]
        select = broken.around(hop.edge)[0]
        key = (select.first, piece.name.lower())
        qualified = any(
            p.is_name and p.name.lower() == key[1] and broken.upper(at + 1) == "."
            for at, p in enumerate(broken.pieces)
        )
        if key in seen and not qualified:
            alias = _fresh(broken, "e")
            edits = (
                _listing(broken, select, edge.name, alias),
                Edit(piece.start, piece.end, alias),
            )
            return corrected(edits, "Each hop has an edge of its own.")
        seen.add(key)
    return None


def edge_by_ends(broken: Broken) -> Correction | None:
    """A made-up edge table such as HAS_THEME is the only edge of the contract to that table."""
    for hop in _all_hops(broken):
        source = broken.source_of(broken.pieces[hop.edge].name, hop.edge) if hop.edge else None
        if source is None or not source.table or _edge(broken, hop) is not None:
            continue
        ends = (_kind(broken, hop.left), _kind(broken, hop.right))
        between = [e for e in broken.contract.connections if e.ends == set(ends)]
        if len(between) == 1 and _is_called(broken, source.table, between[0]):
            piece = source.parts[-1]
            why = f"{between[0].name} is the only edge between these tables."
            return corrected([Edit(piece.start, piece.end, between[0].name)], why)
    return None


def _is_called(broken: Broken, name: str, edge: Connection) -> bool:
    return edge.name in tables_called(broken.contract, name) or _shares_word(name, edge)


def _shares_word(name: str, edge: Connection) -> bool:
    words = set(name.lower().replace("has", "has_").split("_"))
    known = {*edge.name.lower().split("_"), edge.from_table.lower(), edge.to_table.lower()}
    return bool(
        {w.removesuffix("s") for w in words} & {k.removesuffix("s") for k in known - {"in"}}
    )
