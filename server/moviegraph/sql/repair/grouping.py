"""GROUP BY that a SELECT of aggregates lacks."""

from moviegraph.contract.model import NodeTable
from moviegraph.sql.repair.aggregates import aggregates_in
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.orders import has_top
from moviegraph.sql.repair.outline import Range, Select, listed
from moviegraph.sql.repair.selected import Item, items_of


def missing_group(broken: Broken) -> Correction | None:
    """Listed columns beside an aggregate are grouped, where that keeps the rows meant.

    Without any GROUP BY, by all of them; else only columns of a node whose key or name is grouped.
    """
    edits: list[Edit] = []
    for select in broken.selects:
        edits += _grouped(broken, select)
    return corrected(edits, "Every listed column that is not aggregated stands in GROUP BY.")


def _grouped(broken: Broken, select: Select) -> list[Edit]:
    items = items_of(broken, select)
    if not any(aggregates_in(broken, item.value) for item in items):
        return []
    plain = [i for i in items if i.columns and not aggregates_in(broken, i.value)]
    plain += _sorted_by(broken, select)
    if any(broken.upper(i.value.first) in ("*", "(") or i.has_star for i in items):
        return []
    group = select.clauses.get("GROUP")
    if group is None:
        return _new_group(broken, select, plain) if plain and "FROM" in select.clauses else []
    present = {_normal(broken.text(each)) for each in listed(broken.pieces, group)}
    if any(word in present for word in ("", "rollup", "cube")) or _has_sets(broken, group):
        return []
    lacking = [i for i in plain if _normal(broken.text(i.value)) not in present]
    if not lacking or not all(_belongs(broken, item, present) for item in lacking):
        return []
    end = broken.pieces[group.last - 1].end
    texts = dict.fromkeys(broken.text(item.value) for item in lacking)
    return [Edit(end, end, "".join(f", {text}" for text in texts))]


def _sorted_by(broken: Broken, select: Select) -> list[Item]:
    """Return the qualified columns of ORDER BY, where a GROUP BY stands."""
    order = select.clauses.get("ORDER") if "GROUP" in select.clauses else None
    found: list[Item] = []
    for term in listed(broken.pieces, order) if order else []:
        sorting = broken.upper(term.last - 1) in ("ASC", "DESC")
        value = Range(term.first, term.last - sorting)
        if value.last - value.first == 3 and broken.upper(value.first + 1) == ".":
            found.append(Item(value, "", True, False))
    return found


def _new_group(broken: Broken, select: Select, plain: list[Item]) -> list[Edit]:
    """Group by what is listed, and by the key of a node whose name others may bear, too."""
    if _asks_for_one(broken, select):
        return []
    before = select.clauses.get("WHERE") or select.clauses["FROM"]
    end = broken.pieces[before.last - 1].end
    texts: dict[str, str] = {}
    for item in plain:
        for text in (_key(broken, select, item.value), broken.text(item.value)):
            texts.setdefault(_normal(text), text)
    texts.pop("", None)
    return [Edit(end, end, f" GROUP BY {', '.join(texts.values())}")]


def _asks_for_one(broken: Broken, select: Select) -> bool:
    """Whether the first of unsorted groups would stand for a row that is meant: an extreme."""
    counts = _counts(broken, select)
    if "ORDER" in select.clauses or not counts:
        return False
    listed = select.clauses["SELECT"]
    extremes = (c for c in broken.calls_in(select, "MAX", "MIN") if c.at in listed)
    return counts == {"1"} or any(broken.upper(call.last) != "OVER" for call in extremes)


def _counts(broken: Broken, select: Select) -> set[str]:
    """Return the numbers behind TOP, LIMIT and FETCH, or '' for one that is computed."""
    found: set[str] = set()
    if has_top(broken, select):
        at = select.first + 2 + (broken.upper(select.first + 1) != "TOP")
        found.add(broken.pieces[at + (broken.upper(at) == "(")].text)
    for word in ("LIMIT", "FETCH"):
        clause = select.clauses.get(word)
        if clause is not None:
            numbers = broken.pieces[clause.first : clause.last]
            found.add(next((each.text for each in numbers if each.kind == "number"), ""))
    return found


def _key(broken: Broken, select: Select, value: Range) -> str:
    """Return the key beside a listed name that several nodes may bear, or ''.

    Where nothing is joined, or the nodes themselves are counted, it is the name that is counted.
    """
    qualified = value.last - value.first == 3 and broken.upper(value.first + 1) == "."
    if value.last - value.first != 1 and not qualified:
        return ""
    name = broken.pieces[value.last - 1].name
    sources = [broken.source_of(broken.pieces[value.first].name, value.first)]
    if not qualified:
        sources = [each for each in select.sources if broken.edge_of(each) is None]
    node = broken.node_of(sources[0]) if len(sources) == 1 else None
    if node is None or name.lower() != node.label.lower() or not _is_shared(node):
        return ""
    key = f"{broken.text(Range(value.first, value.last - 1))}{node.key}"
    return "" if len(select.sources) == 1 or _counts_nodes(broken, select, key) else key


def _counts_nodes(broken: Broken, select: Select, key: str) -> bool:
    """Whether the nodes of a name are counted: COUNT(DISTINCT m.Id), which is 1 for each key."""
    return any(
        _normal(broken.text(Range(call.at + 2, call.last - 1))) == _normal(f"DISTINCT {key}")
        for call in broken.calls_in(select, "COUNT", "COUNT_BIG")
    )


def _is_shared(node: NodeTable) -> bool:
    """Whether several nodes may bear one name."""
    return node.disambiguated_by is not None or node.named_within is not None


def _normal(text: str) -> str:
    return "".join(char for char in text.lower() if char not in " []\n\t")


def _has_sets(broken: Broken, group: Range) -> bool:
    words = {broken.upper(at) for at in range(group.first, group.last)}
    return bool(words & {"ROLLUP", "CUBE", "SETS"})


def _belongs(broken: Broken, item: Item, present: set[str]) -> bool:
    """Whether a column hangs on a key or name that is already grouped."""
    if item.value.last - item.value.first != 3 or broken.upper(item.value.first + 1) != ".":
        return False
    alias = broken.pieces[item.value.first].name
    node = broken.node_of(broken.source_of(alias, item.value.first))
    if node is None:
        return False
    return any(_normal(f"{alias}.{each}") in present for each in (node.key, node.label))
