"""GROUP BY that a SELECT of aggregates lacks."""

from moviegraph.contract.model import NodeTable
from moviegraph.repair.aggregates import aggregates_in
from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.orders import has_top
from moviegraph.repair.outline import Select, TokenRange, listed
from moviegraph.repair.selected import Item, items_of
from moviegraph.repair.context import RefusedStatement


def missing_group(statement: RefusedStatement) -> Correction | None:
    """Listed columns beside an aggregate are grouped, where that keeps the rows meant.

    Without any GROUP BY, by all of them; else only columns of a node whose key or name is grouped.
    """
    edits: list[Edit] = []
    for select in statement.selects:
        edits += _grouped(statement, select)
    return correct(edits, "Every listed column that is not aggregated stands in GROUP BY.")


def _grouped(statement: RefusedStatement, select: Select) -> list[Edit]:
    items = items_of(statement, select)
    if not any(aggregates_in(statement, item.value) for item in items):
        return []
    plain = [i for i in items if i.columns and not aggregates_in(statement, i.value)]
    plain += _sorted_by(statement, select)
    if any(statement.upper(i.value.first) in ("*", "(") or i.has_star for i in items):
        return []
    group = select.clauses.get("GROUP")
    if group is None:
        return _new_group(statement, select, plain) if plain and "FROM" in select.clauses else []
    present = {_normal(statement.text(each)) for each in listed(statement.tokens, group)}
    if any(word in present for word in ("", "rollup", "cube")) or _has_sets(statement, group):
        return []
    lacking = [i for i in plain if _normal(statement.text(i.value)) not in present]
    if not lacking or not all(_belongs(statement, item, present) for item in lacking):
        return []
    end = statement.tokens[group.last - 1].end
    texts = dict.fromkeys(statement.text(item.value) for item in lacking)
    return [Edit(end, end, "".join(f", {text}" for text in texts))]


def _sorted_by(statement: RefusedStatement, select: Select) -> list[Item]:
    """Return the qualified columns of ORDER BY, where a GROUP BY stands."""
    order = select.clauses.get("ORDER") if "GROUP" in select.clauses else None
    found: list[Item] = []
    for term in listed(statement.tokens, order) if order else []:
        sorting = statement.upper(term.last - 1) in ("ASC", "DESC")
        value = TokenRange(term.first, term.last - sorting)
        if value.last - value.first == 3 and statement.upper(value.first + 1) == ".":
            found.append(Item(value, "", True, False))
    return found


def _new_group(statement: RefusedStatement, select: Select, plain: list[Item]) -> list[Edit]:
    """Group by what is listed, and by the key of a node whose name others may bear, too."""
    if _asks_for_one(statement, select):
        return []
    before = select.clauses.get("WHERE") or select.clauses["FROM"]
    end = statement.tokens[before.last - 1].end
    texts: dict[str, str] = {}
    for item in plain:
        for text in (_key(statement, select, item.value), statement.text(item.value)):
            texts.setdefault(_normal(text), text)
    texts.pop("", None)
    return [Edit(end, end, f" GROUP BY {', '.join(texts.values())}")]


def _asks_for_one(statement: RefusedStatement, select: Select) -> bool:
    """Whether the first of unsorted groups would stand for a row that is meant: an extreme."""
    counts = _counts(statement, select)
    if "ORDER" in select.clauses or not counts:
        return False
    listed = select.clauses["SELECT"]
    extremes = (c for c in statement.calls_in(select, "MAX", "MIN") if c.index in listed)
    return counts == {"1"} or any(statement.upper(call.last) != "OVER" for call in extremes)


def _counts(statement: RefusedStatement, select: Select) -> set[str]:
    """Return the numbers behind TOP, LIMIT and FETCH, or '' for one that is computed."""
    found: set[str] = set()
    if has_top(statement, select):
        index = select.first + 2 + (statement.upper(select.first + 1) != "TOP")
        found.add(statement.tokens[index + (statement.upper(index) == "(")].text)
    for word in ("LIMIT", "FETCH"):
        clause = select.clauses.get(word)
        if clause is not None:
            numbers = statement.tokens[clause.first : clause.last]
            found.add(next((each.text for each in numbers if each.kind == "number"), ""))
    return found


def _key(statement: RefusedStatement, select: Select, value: TokenRange) -> str:
    """Return the key beside a listed name that several nodes may bear, or ''.

    Where nothing is joined, or the nodes themselves are counted, it is the name that is counted.
    """
    qualified = value.last - value.first == 3 and statement.upper(value.first + 1) == "."
    if value.last - value.first != 1 and not qualified:
        return ""
    name = statement.tokens[value.last - 1].name
    sources = [statement.source_of(statement.tokens[value.first].name, value.first)]
    if not qualified:
        sources = [each for each in select.sources if statement.edge_of(each) is None]
    node = statement.node_of(sources[0]) if len(sources) == 1 else None
    if node is None or name.lower() != node.label.lower() or not _is_shared(node):
        return ""
    key = f"{statement.text(TokenRange(value.first, value.last - 1))}{node.key}"
    return "" if len(select.sources) == 1 or _counts_nodes(statement, select, key) else key


def _counts_nodes(statement: RefusedStatement, select: Select, key: str) -> bool:
    """Whether the nodes of a name are counted: COUNT(DISTINCT m.Id), which is 1 for each key."""
    return any(
        _normal(statement.text(TokenRange(call.index + 2, call.last - 1)))
        == _normal(f"DISTINCT {key}")
        for call in statement.calls_in(select, "COUNT", "COUNT_BIG")
    )


def _is_shared(node: NodeTable) -> bool:
    """Whether several nodes may bear one name."""
    return node.disambiguated_by is not None or node.named_within is not None


def _normal(text: str) -> str:
    return "".join(char for char in text.lower() if char not in " []\n\t")


def _has_sets(statement: RefusedStatement, group: TokenRange) -> bool:
    words = {statement.upper(index) for index in range(group.first, group.last)}
    return bool(words & {"ROLLUP", "CUBE", "SETS"})


def _belongs(statement: RefusedStatement, item: Item, present: set[str]) -> bool:
    """Whether a column hangs on a key or name that is already grouped."""
    if item.value.last - item.value.first != 3 or statement.upper(item.value.first + 1) != ".":
        return False
    alias = statement.tokens[item.value.first].name
    node = statement.node_of(statement.source_of(alias, item.value.first))
    if node is None:
        return False
    return any(_normal(f"{alias}.{each}") in present for each in (node.key, node.label))
