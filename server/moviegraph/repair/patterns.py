"""Patterns of MATCH: shape, arrows, aliases, and the tables behind them."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from moviegraph.contract.model import EdgeTable
from moviegraph.repair.clauses import AGGREGATES
from moviegraph.repair.context import (
    CalledFunction,
    Correction,
    Edit,
    RefusedStatement,
    branches,
    chain,
    correct,
    enclosed,
    flat,
    used_aliases,
    with_condition,
)
from moviegraph.repair.tokens import Select, SourceTokens, TokenRange, past_parenthesis


@dataclass(frozen=True, slots=True)
class HopTokens:
    """One hop by token indexes: nodes left and right, the edge (None where it is empty).

    `forward` is None where the arrow has no head; `opening` is the parenthesis of the edge. The
    arrow ranges from `arrow` to before `after`: a node may be LAST_NODE(b), or an anchor `a(`.
    """

    left: int
    opening: int
    edge: int | None
    right: int
    forward: bool | None
    arrow: int
    behind: int


HOP = re.compile(
    r"[\w@#$]+\s*(?:[()]\s*)?(?P<arrow><?\s*-)\s*(?P<opening>\()\s*(?P<edge>[\w@#$]*)\s*\)\s*"
    r"(?P<head>-\s*>?)\s*(?P<behind>(?:LAST_NODE\s*\(\s*)?(?P<right>[\w@#$]+))"
)
"""A node, perhaps the anchor `a(` or the end of `LAST_NODE(a)`, an arrow, and the next node."""


def hops(statement: RefusedStatement, call: CalledFunction) -> Iterator[HopTokens]:
    """Yield the hops that can be read, in order."""
    index_at = {token.start: index for index, token in enumerate(statement.tokens)}
    for left in range(call.index + 2, call.last - 1):
        match = HOP.match(statement.masked, statement.start(left))
        closes = match is not None and statement.upper(left + 1) == ")"
        if match is None or (closes and not statement.words(left - 2, "LAST_NODE", "(")):
            continue
        backward, headed = match["arrow"].startswith("<"), match["head"].endswith(">")
        right = index_at[match.start("right")]
        if right < call.last:
            yield HopTokens(
                left,
                index_at[match.start("opening")],
                index_at[match.start("edge")] if match["edge"] else None,
                right,
                None if backward == headed else headed,
                index_at[match.start("arrow")],
                index_at[match.start("behind")],
            )


def nodes(
    statement: RefusedStatement,
    call: CalledFunction,
    edge_of: Callable[[RefusedStatement, HopTokens], EdgeTable | None],
) -> dict[int, set[str]]:
    """Return for each node of a MATCH, by token number, the kinds that its edges allow."""
    kinds: dict[int, set[str]] = defaultdict(set)
    for hop in hops(statement, call):
        edge = edge_of(statement, hop)
        if edge is None or hop.forward is None:
            continue
        start, end = (hop.left, hop.right) if hop.forward else (hop.right, hop.left)
        for pair in edge.pairs:
            kinds[start].add(pair.from_table)
            kinds[end].add(pair.to_table)
    return kinds


ELEMENT = r"(?:\(\s*[\w@#$]*\s*\)|[\w@#$]+)"
CHAIN = re.compile(rf"{ELEMENT}(?:\s*(?:<\s*-|-\s*>?)\s*{ELEMENT})+")

UNENCLOSED_EDGE = re.compile(r"(?<=-)[\w@#$]+(?=-)")


def match_shape(statement: RefusedStatement) -> Correction | None:
    """Edges stand in parentheses and nodes do not: MATCH(m-(e)->g)."""
    edits: list[Edit] = []
    for call in statement.calls("MATCH"):
        if statement.upper(call.last) == "AGAINST":
            continue
        pattern = TokenRange(call.index + 2, call.last - 1)
        edits += [
            Edit(statement.start(index), statement.tokens[index].end, " AND")
            for index in flat(statement, pattern)
            if statement.upper(index) == ","
        ]
        start, end = statement.start(pattern.first), statement.start(pattern.last)
        if "SHORTEST_PATH" in statement.masked[start:end]:
            for match in UNENCLOSED_EDGE.finditer(statement.masked, start, end):
                edits.append(
                    Edit(*match.span(), f"({statement.sql[slice(*match.span())].strip('[]')})")
                )
            continue
        for match in CHAIN.finditer(statement.masked, start, end):
            edits += _alternating(statement, *match.span())
    return correct(
        edits, "In MATCH, edges are in parentheses, nodes are not, and AND joins patterns."
    )


def _alternating(statement: RefusedStatement, start: int, end: int) -> Iterator[Edit]:
    """Yield the edits that make every other element of a chain an edge in parentheses."""
    for number, match in enumerate(re.finditer(ELEMENT, statement.masked[start:end])):
        text = statement.sql[start + match.start() : start + match.end()]
        name = text.strip("()").strip()
        wanted = f"({name.strip('[]')})" if number % 2 else name
        if name and "".join(text.split()) != wanted:
            yield Edit(start + match.start(), start + match.end(), wanted)


def turned_arrow(statement: RefusedStatement) -> Correction | None:
    """An arrow against its edge, or without a head, is turned as the contract has it."""
    edits: list[Edit] = []
    for hop in _all_hops(statement):
        edge = _edge(statement, hop)
        kinds = (_kind(statement, hop.left), _kind(statement, hop.right))
        if edge is None or hop.edge is None or None in kinds:
            continue
        ways = [(pair.from_table, pair.to_table) for pair in edge.pairs]
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
        select = next(iter(statement.enclosing(hop.left)), None)
        if table is None or select is None or "FROM" not in select.clauses:
            continue
        return correct(_with_edge(statement, select, hop, table), _listed_why(table.name))
    return None


def _listed_why(name: str) -> str:
    return f"MATCH names aliases of tables in FROM; {name} was not listed there."


def _is_listed(statement: RefusedStatement, index: int) -> bool:
    select = next(iter(statement.enclosing(index)), None)
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
    used = {
        statement.tokens[other.edge].name.lower() for other in _all_hops(statement) if other.edge
    }
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
        alias = named.name if keeps and named is not None else statement.fresh_name("e")
        listing = [_listing(statement, select, table.name, alias)]
    if hop.edge is None:
        place = statement.tokens[hop.opening].end
        return [*listing, Edit(place, place, alias)]
    assert named is not None
    return [*listing, Edit(named.start, named.end, alias)]


def _listing(statement: RefusedStatement, select: Select, table: str, alias: str) -> Edit:
    place = statement.start(select.clauses["FROM"].first)
    return Edit(place, place, f"{statement.contract.schema_name}.{table} AS {alias}, ")


def missing_node(statement: RefusedStatement) -> Correction | None:
    """A node that MATCH names and FROM lacks is listed there: its edge says of which kind it is."""
    for index, table in _unlisted_nodes(statement):
        select = statement.enclosing(index)[0]
        name = statement.tokens[index].name
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
        select, name = statement.enclosing(index)[0], statement.tokens[index].name
        node = statement.node_of(statement.source_of(name, index))
        where = select.clauses.get("WHERE")
        if node is None or node.name != table or where is None:
            continue
        alias = statement.fresh_name(name)
        edits = [
            _listing(statement, select, table, alias),
            *with_condition(statement, where, f"{alias}.{node.key} = {name}.{node.key}"),
            *(
                Edit(statement.tokens[position].start, statement.tokens[position].end, alias)
                for position, _ in _unlisted_nodes(statement)
                if statement.tokens[position].name == name
                and statement.enclosing(position)[0] is select
            ),
        ]
        return correct(edits, "MATCH in a subquery sees only the tables of that subquery.")
    return None


def _unlisted_nodes(statement: RefusedStatement) -> Iterator[tuple[int, str]]:
    for call in statement.calls("MATCH"):
        for index, kinds in nodes(statement, call, _edge).items():
            if len(kinds) == 1 and statement.enclosing(index) and not _is_listed(statement, index):
                yield index, next(iter(kinds))


def repeated_edge(statement: RefusedStatement) -> Correction | None:
    """An edge alias that stands for two hops: the second hop gets an edge of its own."""
    seen: set[tuple[int, str]] = set()
    for hop in _all_hops(statement):
        edge = _edge(statement, hop)
        if edge is None or hop.edge is None:
            continue
        token = statement.tokens[hop.edge]
        select = statement.enclosing(hop.edge)[0]
        key = (select.first, token.name.lower())
        qualified = any(
            p.is_name and p.name.lower() == key[1] and statement.upper(index + 1) == "."
            for index, p in enumerate(statement.tokens)
        )
        if key in seen and not qualified:
            alias = statement.fresh_name("e")
            edits = (
                _listing(statement, select, edge.name, alias),
                Edit(token.start, token.end, alias),
            )
            return correct(edits, "Each hop has an edge of its own.")
        seen.add(key)
    return None


def for_path(statement: RefusedStatement) -> Correction | None:
    """Tables that SHORTEST_PATH repeats are FOR PATH, right after their name, and no others."""
    edits: list[Edit] = []
    for select in statement.selects:
        repeated = set(_repeated(statement, select))
        for source in select.sources:
            edits += _listed(statement, source, repeats=source.alias.lower() in repeated)
    return correct(edits, "What SHORTEST_PATH repeats is listed FOR PATH, its anchor is not.")


def _repeated(statement: RefusedStatement, select: Select) -> Iterator[str]:
    """Yield the names in the parentheses that repeat, in every SHORTEST_PATH of one SELECT."""
    for call in statement.calls("SHORTEST_PATH"):
        if statement.enclosing(call.index)[:1] != [select]:
            continue
        index = call.index + 2
        while index < call.last - 1 and (
            statement.upper(index) != "(" or _is_last_node(statement, index)
        ):
            index += 1
        end = past_parenthesis(statement.tokens, index) if statement.upper(index) == "(" else index
        yield from (token.name.lower() for token in statement.tokens[index:end] if token.is_name)


def _is_last_node(statement: RefusedStatement, index: int) -> bool:
    return statement.upper(index - 1) == "LAST_NODE"


def _listed(statement: RefusedStatement, source: SourceTokens, *, repeats: bool) -> list[Edit]:
    if not source.parts:
        return []
    edits: list[Edit] = []
    name_end = source.parts[-1].end
    if source.path is not None:
        first, last = statement.tokens[source.path.first], statement.tokens[source.path.last - 1]
        before = statement.tokens[source.path.first - 1].end
        if repeats and before == name_end:
            return []
        edits.append(Edit(min(before, first.start), last.end, ""))
    if repeats:
        edits.append(Edit(name_end, name_end, " FOR PATH"))
    return edits


INNER = frozenset({"", ",", "JOIN", "INNER JOIN", "CROSS JOIN"})
TRIVIAL = frozenset({"1 = 1", "1=1", "TRUE", "(1=1)", "(1 = 1)"})
WHY_OR = "MATCH is not allowed under OR; EXISTS tests the same pattern."
WHY_NOT = "MATCH cannot be negated; NOT EXISTS excludes rows with the pattern."


def match_with_join(statement: RefusedStatement) -> Correction | None:
    """Inner joins become commas, and their conditions go into WHERE."""
    edits: list[Edit] = []
    for select in statement.selects:
        if _mixes(statement, select):
            edits += _comma_list(statement, select)
    why = "Tables of a MATCH are separated by commas; inner join conditions belong in WHERE."
    return correct(edits, why)


def _mixes(statement: RefusedStatement, select: Select) -> bool:
    """Return whether a SELECT of its own has MATCH and JOIN, and no outer join or APPLY."""
    joined = {source.joined for source in select.sources}
    matches = any(
        statement.enclosing(call.index)[:1] == [select] for call in statement.calls("MATCH")
    )
    return matches and joined <= INNER and bool(joined - {"", ","})


def _comma_list(statement: RefusedStatement, select: Select) -> list[Edit]:
    edits: list[Edit] = []
    conditions: list[str] = []
    for source in select.sources:
        if source.joined not in ("", ","):
            start = statement.tokens[source.joined_at - 1].end
            edits.append(Edit(start, statement.start(source.range.first), ", "))
        if source.on is not None:
            conditions.append(enclosed(statement, source.on))
            start = statement.tokens[source.range.last - 1].end
            edits.append(Edit(start, statement.tokens[source.on.last - 1].end, ""))
    telling = [condition for condition in conditions if condition.upper() not in TRIVIAL]
    return [*edits, *_placed(statement, select, telling)] if telling else edits


def _placed(statement: RefusedStatement, select: Select, conditions: list[str]) -> list[Edit]:
    joined = " AND ".join(conditions)
    where = select.clauses.get("WHERE")
    if where is None:
        end = statement.tokens[select.clauses["FROM"].last - 1].end
        return [Edit(end, end, f" WHERE {joined}")]
    return with_condition(statement, where, joined)


@dataclass(frozen=True, slots=True)
class _Chain:
    """ANDed conditions that hold a MATCH, its pattern in equations, and whether it is negated."""

    call: CalledFunction
    range: TokenRange
    pattern: str
    negated: bool


def match_under_or(statement: RefusedStatement) -> Correction | None:
    """Under OR or NOT a pattern is EXISTS over the tables that only it uses."""
    for select in statement.selects:
        chains = _chains(statement, select)
        if not chains or _counts(statement, select):
            continue
        local = _local(statement, select, chains)
        outer_sources = [source for source in select.sources if source.alias.lower() not in local]
        if not local or not outer_sources or any(s.joined not in ("", ",") for s in select.sources):
            continue
        if any(source.path for source in select.sources):
            continue
        if not all(used_aliases(statement, item.range) - local for item in chains):
            continue  # a chain needs a node of the outer FROM to hang on
        listing = ", ".join(statement.text(source.range) for source in outer_sources)
        clause = select.clauses["FROM"]
        end = statement.tokens[clause.last - 1].end
        edits = [Edit(statement.start(clause.first), end, listing)]
        edits += [_exists(statement, select, item, local) for item in chains]
        why = WHY_NOT if any(item.negated for item in chains) else WHY_OR
        return correct(edits, why)
    return None


def _chains(statement: RefusedStatement, select: Select) -> list[_Chain]:
    """Return the chains of every MATCH of a SELECT; none where one is in place or not readable."""
    chains: list[_Chain] = []
    where = select.clauses.get("WHERE", TokenRange(0, 0))
    for call in statement.calls_in(select, "MATCH"):
        if call.index not in where:
            continue
        equations = _equations(statement, call)
        conjuncts = chain(statement, call, where)
        negated = statement.upper(call.index - 1) == "NOT"
        if not equations or not (negated or conjuncts != where):
            return []
        chains.append(_Chain(call, conjuncts, equations, negated))
    ranges = {(item.range.first, item.range.last) for item in chains}
    return chains if len(ranges) == len(chains) else []


def _counts(statement: RefusedStatement, select: Select) -> bool:
    """Return whether a SELECT counts rows, which an EXISTS would not multiply."""
    clause = select.clauses["SELECT"]
    return any(
        call.index in clause and statement.upper(call.index + 2) != "DISTINCT"
        for call in statement.calls(*AGGREGATES)
    )


def _local(statement: RefusedStatement, select: Select, chains: list[_Chain]) -> set[str]:
    """Return the aliases that nothing but these chains uses."""
    known = {source.alias.lower() for source in select.sources}
    outside = {
        name
        for index in range(select.first, select.last)
        if index not in select.clauses["FROM"] and not any(index in item.range for item in chains)
        for name in [statement.tokens[index].name.lower()]
        if statement.tokens[index].is_name and statement.upper(index + 1) == "."
    }
    inside = {name for item in chains for name in used_aliases(statement, item.range)}
    if "*" in {statement.upper(select.clauses["SELECT"].last - 1)}:
        return set()
    edges = {source.alias.lower() for source in select.sources if statement.edge_of(source)}
    return (known & inside) - outside if edges & inside - outside else set()


def _exists(statement: RefusedStatement, select: Select, held: _Chain, local: set[str]) -> Edit:
    inner, rest = list[str](), list[str]()
    for part in branches(statement, held.range, "AND"):
        if part.first in (held.call.index, held.call.index - 1) and held.call.index in part:
            inner.append(held.pattern)
        elif not held.negated or used_aliases(statement, part) & local:
            inner.append(statement.text(part))
        else:
            rest.append(statement.text(part))
    used = used_aliases(statement, held.range) & local
    tables = ", ".join(statement.text(s.range) for s in select.sources if s.alias.lower() in used)
    word = "NOT EXISTS" if held.negated else "EXISTS"
    text = f"{word} (SELECT 1 FROM {tables} WHERE {' AND '.join(inner)})"
    start, end = statement.start(held.range.first), statement.tokens[held.range.last - 1].end
    return Edit(start, end, " AND ".join([text, *rest]))


def _equations(statement: RefusedStatement, call: CalledFunction) -> str:
    """Return the equations of both ends of each hop; '' where a hop cannot be read."""
    words = [statement.upper(index) for index in range(call.index + 2, call.last - 1)]
    path = list(hops(statement, call))
    if "SHORTEST_PATH" in words or len(path) != sum(word in ("->", "<-") for word in words):
        return ""
    equations: list[str] = []
    for hop in path:
        if hop.edge is None or hop.forward is None:
            return ""
        edge = statement.tokens[hop.edge].text
        ends = ("$from_id", "$to_id") if hop.forward else ("$to_id", "$from_id")
        for end, index in zip(ends, (hop.left, hop.right), strict=True):
            equations.append(f"{edge}.{end} = {statement.tokens[index].text}.$node_id")
    return " AND ".join(equations)
