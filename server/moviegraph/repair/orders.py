"""ORDER BY in a subquery or CTE, and of what DISTINCT does not list."""

from moviegraph.repair.aggregates import aggregates_in
from moviegraph.repair.around import order_terms
from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.outline import Select, SourceTokens
from moviegraph.repair.selected import items_of
from moviegraph.repair.context import RefusedStatement

LIMITED = frozenset({"OFFSET", "FETCH", "LIMIT", "FOR"})
SHAPED = frozenset({"ORDER", "GROUP", "HAVING"})


def outer_order(statement: RefusedStatement) -> Correction | None:
    """The order of the one subquery or CTE that a SELECT reads is the order of its rows."""
    for outer in statement.selects:
        inner = _read(statement, outer)
        if inner is None or not _is_loose(statement, inner):
            continue
        alias = outer.sources[0].alias
        edits = _moved(statement, outer, inner, f"{alias}." if alias else "")
        return correct(edits, "The rows are sorted where they are returned.")
    return None


def _read(statement: RefusedStatement, outer: Select) -> Select | None:
    """Return the SELECT behind the only source of another that has no order of its own."""
    if len(outer.sources) != 1 or outer.arm or SHAPED & outer.clauses.keys():
        return None
    if statement.upper(outer.first + 1) == "DISTINCT" or any(
        item.has_star is False and aggregates_in(statement, item.value)
        for item in items_of(statement, outer)
    ):
        return None
    return _behind(statement, outer.sources[0])


def _behind(statement: RefusedStatement, source: SourceTokens) -> Select | None:
    if not source.parts:
        return next((s for s in statement.selects if s.first == source.range.first + 1), None)
    uses = [s for s in statement.sources if s.table.lower() == source.table.lower()]
    if len(uses) != 1 or len(source.parts) != 1:
        return None
    for select in statement.selects:
        named = statement.words(select.first - 2, "AS", "(") and select.first > 2
        if named and statement.tokens[select.first - 3].name.lower() == source.table.lower():
            return select
    return None


def _is_loose(statement: RefusedStatement, inner: Select) -> bool:
    """Whether a SELECT has an ORDER BY that nothing there needs."""
    if "ORDER" not in inner.clauses or LIMITED & inner.clauses.keys():
        return False
    return not has_top(statement, inner)


def has_top(statement: RefusedStatement, select: Select) -> bool:
    """Whether a SELECT has a TOP."""
    return "TOP" in (statement.upper(select.first + 1), statement.upper(select.first + 2))


def inner_json(statement: RefusedStatement) -> Correction | None:
    """A subquery with FOR JSON and no TOP lists as many rows as a result does."""
    top = statement.contract.limits.top
    edits: list[Edit] = []
    for select in statement.selects:
        json = select.clauses.get("FOR")
        if json is None or statement.upper(json.first) != "JSON" or select.depth == 0 or select.arm:
            continue
        if not has_top(statement, select) and "OFFSET" not in select.clauses:
            end = statement.tokens[select.first + _has_word(statement, select)].end
            edits.append(Edit(end, end, f" TOP {top}"))
    return correct(edits, f"An inner FOR JSON has a TOP; for more rows than {top} write it.")


def _has_word(statement: RefusedStatement, select: Select) -> bool:
    return statement.upper(select.first + 1) in ("DISTINCT", "ALL")


def _moved(statement: RefusedStatement, outer: Select, inner: Select, prefix: str) -> list[Edit]:
    names = _outputs(statement, inner)
    order = inner.clauses["ORDER"]
    said, hidden = list[str](), list[str]()
    for value, way in order_terms(statement, inner):
        name = names.get("".join(value.lower().split()))
        if name is None:
            name = f"order{len(hidden) + 1}"
            hidden.append(f"{value} AS {name}")
        said.append(f"{prefix}{name}{way}")
    if hidden and not _takes_columns(statement, outer, inner):
        return []
    listing = statement.tokens[inner.clauses["SELECT"].last - 1].end
    added = "".join(f", {text}" for text in hidden)
    start = statement.tokens[order.first - 3].end
    firsts = [outer.clauses[word].first - 1 for word in LIMITED if word in outer.clauses]
    index = statement.tokens[min(firsts, default=outer.last) - 1].end
    return [
        *([Edit(listing, listing, added)] if added else []),
        Edit(start, statement.tokens[order.last - 1].end, ""),
        Edit(index, index, f" ORDER BY {', '.join(said)}"),
    ]


def _outputs(statement: RefusedStatement, inner: Select) -> dict[str, str]:
    """Return the names of the items, by alias and by value; a number counts from 1."""
    found: dict[str, str] = {}
    for number, item in enumerate(items_of(statement, inner), start=1):
        last = statement.tokens[item.value.last - 1]
        name = item.alias or (last.text if last.is_name else "")
        if item.has_star:
            return {}
        if name:
            found["".join(statement.text(item.value).lower().split())] = name
            found |= {name.lower(): name, str(number): name}
    return found


def _takes_columns(statement: RefusedStatement, outer: Select, inner: Select) -> bool:
    """Whether a further column of the inner SELECT changes nothing outside."""
    starred = any(item.has_star for item in items_of(statement, outer))
    listed_names = statement.upper(inner.first - 2) == ")"
    plain = statement.upper(inner.first + 1) != "DISTINCT" and "GROUP" not in inner.clauses
    return plain and not starred and not listed_names


def unlisted_order(statement: RefusedStatement) -> Correction | None:
    """SELECT DISTINCT m.Name ... ORDER BY m.ReleaseYear sorts each name by its least year."""
    for select in statement.selects:
        if statement.upper(select.first + 1) != "DISTINCT" or "ORDER" not in select.clauses:
            continue
        items = [statement.text(item.value) for item in items_of(statement, select)]
        lacking = _lacking(statement, select)
        if not lacking or {"GROUP", "HAVING", "FOR"} & select.clauses.keys():
            continue
        word, order = statement.tokens[select.first + 1], select.clauses["ORDER"]
        place = statement.start(order.first - 2)
        end = statement.tokens[order.last - 1].end
        edits = [
            Edit(statement.tokens[select.first].end, word.end, ""),
            Edit(place, place, f"GROUP BY {', '.join(items)} "),
            Edit(statement.start(order.first), end, _by_extremes(statement, select, lacking)),
        ]
        return correct(edits, "DISTINCT sorts by what it lists; a group by its least or largest.")
    return None


def _by_extremes(statement: RefusedStatement, select: Select, lacking: list[str]) -> str:
    """Return the terms of ORDER BY; what is not listed, by its first value in each group."""
    said: list[str] = []
    for value, way in order_terms(statement, select):
        extreme = "MAX" if way == " DESC" else "MIN"
        said.append((f"{extreme}({value})" if value in lacking else value) + way)
    return ", ".join(said)


def _lacking(statement: RefusedStatement, select: Select) -> list[str]:
    """Return the columns that only ORDER BY names, of nodes whose key or name is listed.

    Behind a name several nodes may stand; their least values in two columns need not be of one
    node, so that two such columns have no order that can be meant.
    """
    listed = _outputs(statement, select)
    found: list[str] = []
    keyless = 0
    for value, _ in order_terms(statement, select):
        alias, _, column = value.lower().rpartition(".")
        if "".join(value.lower().split()) in listed:
            continue
        node = statement.node_of(statement.source_of(alias, select.first))
        known = node is not None and node.column(column) is not None
        if node is None or not known or not _is_listed(listed, alias, (node.key, node.label)):
            return []
        keyless += not _is_listed(listed, alias, (node.key,))
        found.append(value)
    return [] if keyless and len(found) > 1 else found


def _is_listed(listed: dict[str, str], alias: str, names: tuple[str, ...]) -> bool:
    return any(f"{alias}.{name}".lower() in listed for name in names)


def arm_order(statement: RefusedStatement) -> Correction | None:
    """An ORDER BY of one arm before UNION sorts nothing that is kept."""
    edits: list[Edit] = []
    for select in statement.selects:
        order = select.clauses.get("ORDER")
        behind = statement.upper(select.last) in ("UNION", "EXCEPT", "INTERSECT")
        if (
            order is None
            or not behind
            or has_top(statement, select)
            or LIMITED & select.clauses.keys()
        ):
            continue
        start = statement.tokens[order.first - 3].end
        edits.append(Edit(start, statement.tokens[order.last - 1].end, ""))
    return correct(edits, "Rows that are united have one order, said at the end.")


def inner_order(statement: RefusedStatement) -> Correction | None:
    """An ORDER BY without TOP in a CTE or subquery decides nothing outside it."""
    edits: list[Edit] = []
    for select in statement.selects:
        order = select.clauses.get("ORDER")
        if select.depth == 0 or order is None or not _is_loose(statement, select):
            continue
        if any(
            _behind(statement, s) is select and _cuts(statement, o) for o, s in _read_by(statement)
        ):
            continue
        start = statement.tokens[order.first - 3].end
        edits.append(Edit(start, statement.tokens[order.last - 1].end, ""))
    return correct(edits, "The order of an inner query does not reach the result.")


def _read_by(statement: RefusedStatement) -> list[tuple[Select, SourceTokens]]:
    return [(each, each.sources[0]) for each in statement.selects if len(each.sources) == 1]


def _cuts(statement: RefusedStatement, outer: Select) -> bool:
    """Whether a SELECT without an order takes the first rows: then the inner order says which."""
    cut = has_top(statement, outer) or {"LIMIT", "OFFSET", "FETCH"} & outer.clauses.keys()
    return bool(cut) and "ORDER" not in outer.clauses


def sorted_arms(statement: RefusedStatement) -> Correction | None:
    """Arms of a UNION that are cut by TOP and ORDER BY each stand in a subquery of their own."""
    for first in statement.selects:
        arms = _arms(statement, first)
        if len(arms) < 2 or not all(_is_cut(statement, arm) for arm in arms):
            continue
        taken = {token.name.lower() for token in statement.tokens if token.is_name}
        free = (f"a{n}" for n in range(1, len(taken) + len(arms) + 2) if f"a{n}" not in taken)
        edits: list[Edit] = []
        for arm, alias in zip(arms, free, strict=False):
            start, end = statement.start(arm.first), statement.tokens[arm.last - 1].end
            edits += [Edit(start, start, "SELECT * FROM ("), Edit(end, end, f") AS {alias}")]
        return correct(edits, "An arm of a UNION is sorted and cut in a subquery.")
    return None


def _arms(statement: RefusedStatement, first: Select) -> list[Select]:
    """Return the SELECTs that UNION joins to one, that one first."""
    found, index = [first], first
    while statement.upper(index.last) in ("UNION", "EXCEPT", "INTERSECT"):
        behind = index.last + 1 + (statement.upper(index.last + 1) == "ALL")
        following = next((s for s in statement.selects if s.first == behind), None)
        if following is None:
            return []
        found.append(following)
        index = following
    return found


def _is_cut(statement: RefusedStatement, arm: Select) -> bool:
    cut = has_top(statement, arm) or "LIMIT" in arm.clauses
    return cut and "ORDER" in arm.clauses and not {"OFFSET", "FETCH", "FOR"} & arm.clauses.keys()
