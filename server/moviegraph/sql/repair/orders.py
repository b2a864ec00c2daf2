"""ORDER BY in a subquery or CTE, and of what DISTINCT does not list."""

from moviegraph.sql.repair.aggregates import aggregates_in
from moviegraph.sql.repair.around import order_terms
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.outline import Select, Source
from moviegraph.sql.repair.selected import items_of

LIMITED = frozenset({"OFFSET", "FETCH", "LIMIT", "FOR"})
SHAPED = frozenset({"ORDER", "GROUP", "HAVING"})


def outer_order(broken: Broken) -> Correction | None:
    """The order of the one subquery or CTE that a SELECT reads is the order of its rows."""
    for outer in broken.selects:
        inner = _read(broken, outer)
        if inner is None or not _is_loose(broken, inner):
            continue
        alias = outer.sources[0].alias
        edits = _moved(broken, outer, inner, f"{alias}." if alias else "")
        return corrected(edits, "The rows are sorted where they are returned.")
    return None


def _read(broken: Broken, outer: Select) -> Select | None:
    """Return the SELECT behind the only source of another that has no order of its own."""
    if len(outer.sources) != 1 or outer.arm or SHAPED & outer.clauses.keys():
        return None
    if broken.upper(outer.first + 1) == "DISTINCT" or any(
        item.has_star is False and aggregates_in(broken, item.value)
        for item in items_of(broken, outer)
    ):
        return None
    return _behind(broken, outer.sources[0])


def _behind(broken: Broken, source: Source) -> Select | None:
    if not source.parts:
        return next((s for s in broken.selects if s.first == source.range.first + 1), None)
    uses = [s for s in broken.sources if s.table.lower() == source.table.lower()]
    if len(uses) != 1 or len(source.parts) != 1:
        return None
    for select in broken.selects:
        named = broken.words(select.first - 2, "AS", "(") and select.first > 2
        if named and broken.pieces[select.first - 3].name.lower() == source.table.lower():
            return select
    return None


def _is_loose(broken: Broken, inner: Select) -> bool:
    """Whether a SELECT has an ORDER BY that nothing there needs."""
    if "ORDER" not in inner.clauses or LIMITED & inner.clauses.keys():
        return False
    return not has_top(broken, inner)


def has_top(broken: Broken, select: Select) -> bool:
    """Whether a SELECT has a TOP."""
    return "TOP" in (broken.upper(select.first + 1), broken.upper(select.first + 2))


def inner_json(broken: Broken) -> Correction | None:
    """A subquery with FOR JSON and no TOP lists as many rows as a result does."""
    top = broken.contract.limits.top
    edits: list[Edit] = []
    for select in broken.selects:
        json = select.clauses.get("FOR")
        if json is None or broken.upper(json.first) != "JSON" or select.depth == 0 or select.arm:
            continue
        if not has_top(broken, select) and "OFFSET" not in select.clauses:
            end = broken.pieces[select.first + _has_word(broken, select)].end
            edits.append(Edit(end, end, f" TOP {top}"))
    return corrected(edits, f"An inner FOR JSON has a TOP; for more rows than {top} write it.")


def _has_word(broken: Broken, select: Select) -> bool:
    return broken.upper(select.first + 1) in ("DISTINCT", "ALL")


def _moved(broken: Broken, outer: Select, inner: Select, prefix: str) -> list[Edit]:
    names = _outputs(broken, inner)
    order = inner.clauses["ORDER"]
    said, hidden = list[str](), list[str]()
    for value, way in order_terms(broken, inner):
        name = names.get("".join(value.lower().split()))
        if name is None:
            name = f"order{len(hidden) + 1}"
            hidden.append(f"{value} AS {name}")
        said.append(f"{prefix}{name}{way}")
    if hidden and not _takes_columns(broken, outer, inner):
        return []
    listing = broken.pieces[inner.clauses["SELECT"].last - 1].end
    added = "".join(f", {text}" for text in hidden)
    start = broken.pieces[order.first - 3].end
    firsts = [outer.clauses[word].first - 1 for word in LIMITED if word in outer.clauses]
    at = broken.pieces[min(firsts, default=outer.last) - 1].end
    return [
        *([Edit(listing, listing, added)] if added else []),
        Edit(start, broken.pieces[order.last - 1].end, ""),
        Edit(at, at, f" ORDER BY {', '.join(said)}"),
    ]


def _outputs(broken: Broken, inner: Select) -> dict[str, str]:
    """Return the names of the items, by alias and by value; a number counts from 1."""
    found: dict[str, str] = {}
    for number, item in enumerate(items_of(broken, inner), start=1):
        last = broken.pieces[item.value.last - 1]
        name = item.alias or (last.text if last.is_name else "")
        if item.has_star:
            return {}
        if name:
            found["".join(broken.text(item.value).lower().split())] = name
            found |= {name.lower(): name, str(number): name}
    return found


def _takes_columns(broken: Broken, outer: Select, inner: Select) -> bool:
    """Whether a further column of the inner SELECT changes nothing outside."""
    starred = any(item.has_star for item in items_of(broken, outer))
    listed_names = broken.upper(inner.first - 2) == ")"
    plain = broken.upper(inner.first + 1) != "DISTINCT" and "GROUP" not in inner.clauses
    return plain and not starred and not listed_names


def unlisted_order(broken: Broken) -> Correction | None:
    """SELECT DISTINCT m.Name ... ORDER BY m.ReleaseYear sorts each name by its least year."""
    for select in broken.selects:
        if broken.upper(select.first + 1) != "DISTINCT" or "ORDER" not in select.clauses:
            continue
        items = [broken.text(item.value) for item in items_of(broken, select)]
        lacking = _lacking(broken, select)
        if not lacking or {"GROUP", "HAVING", "FOR"} & select.clauses.keys():
            continue
        word, order = broken.pieces[select.first + 1], select.clauses["ORDER"]
        place = broken.start(order.first - 2)
        end = broken.pieces[order.last - 1].end
        edits = [
            Edit(broken.pieces[select.first].end, word.end, ""),
            Edit(place, place, f"GROUP BY {', '.join(items)} "),
            Edit(broken.start(order.first), end, _by_extremes(broken, select, lacking)),
        ]
        return corrected(edits, "DISTINCT sorts by what it lists; a group by its least or largest.")
    return None


def _by_extremes(broken: Broken, select: Select, lacking: list[str]) -> str:
    """Return the terms of ORDER BY; what is not listed, by its first value in each group."""
    said: list[str] = []
    for value, way in order_terms(broken, select):
        extreme = "MAX" if way == " DESC" else "MIN"
        said.append((f"{extreme}({value})" if value in lacking else value) + way)
    return ", ".join(said)


def _lacking(broken: Broken, select: Select) -> list[str]:
    """Return the columns that only ORDER BY names, of nodes whose key or name is listed.

    Behind a name several nodes may stand; their least values in two columns need not be of one
    node, so that two such columns have no order that can be meant.
    """
    listed = _outputs(broken, select)
    found: list[str] = []
    keyless = 0
    for value, _ in order_terms(broken, select):
        alias, _, column = value.lower().rpartition(".")
        if "".join(value.lower().split()) in listed:
            continue
        node = broken.node_of(broken.source_of(alias, select.first))
        known = node is not None and node.column(column) is not None
        if node is None or not known or not _is_listed(listed, alias, (node.key, node.label)):
            return []
        keyless += not _is_listed(listed, alias, (node.key,))
        found.append(value)
    return [] if keyless and len(found) > 1 else found


def _is_listed(listed: dict[str, str], alias: str, names: tuple[str, ...]) -> bool:
    return any(f"{alias}.{name}".lower() in listed for name in names)


def arm_order(broken: Broken) -> Correction | None:
    """An ORDER BY of one arm before UNION sorts nothing that is kept."""
    edits: list[Edit] = []
    for select in broken.selects:
        order = select.clauses.get("ORDER")
        behind = broken.upper(select.last) in ("UNION", "EXCEPT", "INTERSECT")
        if (
            order is None
            or not behind
            or has_top(broken, select)
            or LIMITED & select.clauses.keys()
        ):
            continue
        start = broken.pieces[order.first - 3].end
        edits.append(Edit(start, broken.pieces[order.last - 1].end, ""))
    return corrected(edits, "Rows that are united have one order, said at the end.")


def inner_order(broken: Broken) -> Correction | None:
    """An ORDER BY without TOP in a CTE or subquery decides nothing outside it."""
    edits: list[Edit] = []
    for select in broken.selects:
        order = select.clauses.get("ORDER")
        if select.depth == 0 or order is None or not _is_loose(broken, select):
            continue
        if any(_behind(broken, s) is select and _cuts(broken, o) for o, s in _read_by(broken)):
            continue
        start = broken.pieces[order.first - 3].end
        edits.append(Edit(start, broken.pieces[order.last - 1].end, ""))
    return corrected(edits, "The order of an inner query does not reach the result.")


def _read_by(broken: Broken) -> list[tuple[Select, Source]]:
    return [(each, each.sources[0]) for each in broken.selects if len(each.sources) == 1]


def _cuts(broken: Broken, outer: Select) -> bool:
    """Whether a SELECT without an order takes the first rows: then the inner order says which."""
    cut = has_top(broken, outer) or {"LIMIT", "OFFSET", "FETCH"} & outer.clauses.keys()
    return bool(cut) and "ORDER" not in outer.clauses


def sorted_arms(broken: Broken) -> Correction | None:
    """Arms of a UNION that are cut by TOP and ORDER BY each stand in a subquery of their own."""
    for first in broken.selects:
        arms = _arms(broken, first)
        if len(arms) < 2 or not all(_is_cut(broken, arm) for arm in arms):
            continue
        taken = {piece.name.lower() for piece in broken.pieces if piece.is_name}
        free = (f"a{n}" for n in range(1, len(taken) + len(arms) + 2) if f"a{n}" not in taken)
        edits: list[Edit] = []
        for arm, alias in zip(arms, free, strict=False):
            start, end = broken.start(arm.first), broken.pieces[arm.last - 1].end
            edits += [Edit(start, start, "SELECT * FROM ("), Edit(end, end, f") AS {alias}")]
        return corrected(edits, "An arm of a UNION is sorted and cut in a subquery.")
    return None


def _arms(broken: Broken, first: Select) -> list[Select]:
    """Return the SELECTs that UNION joins to one, that one first."""
    found, at = [first], first
    while broken.upper(at.last) in ("UNION", "EXCEPT", "INTERSECT"):
        behind = at.last + 1 + (broken.upper(at.last + 1) == "ALL")
        following = next((s for s in broken.selects if s.first == behind), None)
        if following is None:
            return []
        found.append(following)
        at = following
    return found


def _is_cut(broken: Broken, arm: Select) -> bool:
    cut = has_top(broken, arm) or "LIMIT" in arm.clauses
    return cut and "ORDER" in arm.clauses and not {"OFFSET", "FETCH", "FOR"} & arm.clauses.keys()
