"""Clauses of a SELECT: TOP, GROUP BY, HAVING, ORDER BY, aliases and what is listed."""

from dataclasses import dataclass

from moviegraph.contract.model import NodeTable
from moviegraph.repair.context import (
    Correction,
    Edit,
    RefusedStatement,
    branches,
    correct,
    flat,
    has_or,
    with_condition,
)
from moviegraph.repair.tokens import Select, SourceTokens, TokenRange, listed, past_parenthesis
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.lexer import RESERVED

AGGREGATES = frozenset(name for name, f in FUNCTIONS.items() if f.kind == "aggregate")
LIMITED = frozenset({"OFFSET", "FETCH", "LIMIT", "FOR"})


@dataclass(frozen=True, slots=True)
class Item:
    """One item: the range of its value, its alias or '', and whether it names columns."""

    value: TokenRange
    alias: str
    columns: bool
    has_star: bool


def items_of(statement: RefusedStatement, select: Select) -> list[Item]:
    """Return the items of a select list, TOP and DISTINCT omitted."""
    clause = select.clauses.get("SELECT")
    if clause is None or clause.first >= clause.last:
        return []
    first = _head(statement, clause)
    return [
        _item(statement, part) for part in listed(statement.tokens, TokenRange(first, clause.last))
    ]


def _head(statement: RefusedStatement, clause: TokenRange) -> int:
    """Return the index after DISTINCT and TOP n at the head of a select list."""
    index = clause.first
    if statement.upper(index) in ("DISTINCT", "ALL"):
        index += 1
    if statement.words(index, "ON", "("):
        index = past_parenthesis(statement.tokens, index + 1)
    if statement.upper(index) == "TOP":
        index = statement.operand_after(index) if statement.upper(index + 1) == "(" else index + 2
    return index


def _item(statement: RefusedStatement, item: TokenRange) -> Item:
    value, alias = item, ""
    if item.last - item.first > 2 and statement.upper(item.last - 2) == "AS":
        value = TokenRange(item.first, item.last - 2)
        alias = statement.tokens[item.last - 1].name
    elif _ends_in_alias(statement, item):
        value = TokenRange(item.first, item.last - 1)
        alias = statement.tokens[item.last - 1].name
    star = any(statement.tokens[index].text == "*" for index in (value.first, value.last - 1))
    return Item(value, alias, _names_column(statement, value), star)


def _ends_in_alias(statement: RefusedStatement, item: TokenRange) -> bool:
    if item.last - item.first < 2:
        return False
    last, before = statement.tokens[item.last - 1], statement.tokens[item.last - 2]
    named = last.is_name and last.upper not in RESERVED
    return named and (before.is_name or before.text == ")" or before.kind in ("number", "string"))


def _names_column(statement: RefusedStatement, value: TokenRange) -> bool:
    """Return whether a value names a column outside subqueries."""
    if any(statement.upper(index) == "SELECT" for index in range(value.first, value.last)):
        return False
    return any(
        statement.tokens[index].is_name
        and statement.upper(index) not in RESERVED
        and statement.upper(index + 1) != "("
        and not statement.tokens[index].text.startswith("@")
        for index in range(value.first, value.last)
    )


def aggregates_in(statement: RefusedStatement, value: TokenRange) -> bool:
    """Return whether a value holds an aggregate that is no window and no aggregate along a path."""
    return any(
        call.index in value and statement.upper(call.last) not in ("OVER",)
        for call in statement.calls(*AGGREGATES)
        if not statement.words(call.last, "WITHIN", "GROUP", "(", "GRAPH")
    )


def select_alias(statement: RefusedStatement) -> Correction | None:
    """WHERE, GROUP BY and HAVING know no name of the select list: the value stands there."""
    edits: list[Edit] = []
    for select in statement.selects:
        values = {i.alias.lower(): i.value for i in items_of(statement, select) if i.alias}
        for word in ("SELECT", "WHERE", "GROUP", "HAVING", "QUALIFY"):
            clause = select.clauses.get(word)
            if clause is None:
                continue
            for index in range(clause.first, clause.last):
                value = values.get(statement.tokens[index].name.lower())
                if value is None or (
                    word == "SELECT" and not _is_used(statement, select, index, value)
                ):
                    continue
                if _stands_for(statement, select, index, value, word):
                    text = statement.text(value) if word == "GROUP" else _enclosed(statement, value)
                    edits.append(Edit(statement.start(index), statement.tokens[index].end, text))
    return correct(edits, "Only ORDER BY can use the aliases of the select list.")


def _is_used(statement: RefusedStatement, select: Select, index: int, value: TokenRange) -> bool:
    """Return whether a name in the select list is used by another item, not given there."""
    owners = [item for item in items_of(statement, select) if index in item.value]
    alone = bool(owners) and owners[0].value.last - owners[0].value.first == 1
    return bool(owners) and not alone and index not in value


def _stands_for(
    statement: RefusedStatement, select: Select, index: int, value: TokenRange, word: str
) -> bool:
    token = statement.tokens[index]
    if (
        not token.is_name
        or statement.upper(index - 1) == "."
        or statement.upper(index + 1) in (".", "(")
    ):
        return False
    if statement.enclosing(index)[0] is not select or _is_real(statement, select, token.name):
        return False
    windowed = any(
        statement.upper(position) == "OVER" for position in range(value.first, value.last)
    )
    later = windowed or aggregates_in(statement, value)
    if word == "SELECT":
        return not windowed
    return not later or word in ("WHERE", "QUALIFY") or (word == "HAVING" and not windowed)


def _is_real(statement: RefusedStatement, select: Select, name: str) -> bool:
    """Return whether a source of the SELECT has, or may have, a column of that name."""
    for source in select.sources:
        node = statement.node_of(source)
        if node is None and statement.edge_of(source) is None:
            return True
        if node is not None and node.column(name) is not None:
            return True
    return False


def _enclosed(statement: RefusedStatement, value: TokenRange) -> str:
    text = statement.text(value)
    windowed = statement.upper(value.first + 1) == "(" and "OVER" in {
        statement.upper(index) for index in range(value.first, value.last)
    }
    if windowed:
        return text
    last = statement.operand_after(value.first - 1)
    return text if last >= value.last else f"({text})"


def group_position(statement: RefusedStatement) -> Correction | None:
    """GROUP BY 1 means the first item of the select list, which T-SQL does not read so."""
    edits: list[Edit] = []
    for select in statement.selects:
        group = select.clauses.get("GROUP")
        items = items_of(statement, select) if group else []
        for part in listed(statement.tokens, group) if group else []:
            token = statement.tokens[part.first]
            if part.last - part.first == 1 and token.kind == "number" and token.text.isdigit():
                number = int(token.text)
                if 1 <= number <= len(items):
                    text = statement.text(items[number - 1].value)
                    edits.append(Edit(token.start, token.end, text))
    return correct(edits, "GROUP BY takes the value itself, not its position.")


def aggregate_in_where(statement: RefusedStatement) -> Correction | None:
    """A condition on an aggregate stands in HAVING."""
    edits: list[Edit] = []
    for select in statement.selects:
        where = select.clauses.get("WHERE")
        if where is None:
            continue
        parts = branches(statement, where, "AND")
        moved = [part for part in parts if _aggregates(statement, part)]
        remaining = [part for part in parts if part not in moved]
        if moved and not has_or(statement, where):
            edits += _moved(statement, select, where, moved, remaining)
    return correct(edits, "WHERE filters single rows; HAVING filters groups.")


def _moved(
    statement: RefusedStatement,
    select: Select,
    where: TokenRange,
    moved: list[TokenRange],
    remaining: list[TokenRange],
) -> list[Edit]:
    text = " AND ".join(statement.text(part) for part in moved)
    rest = " AND ".join(statement.text(part) for part in remaining)
    start, end = statement.tokens[where.first - 2].end, statement.tokens[where.last - 1].end
    edits = [Edit(start, end, f" WHERE {rest}" if rest else "")]
    having, group = select.clauses.get("HAVING"), select.clauses.get("GROUP")
    if having is not None:
        return [*edits, *with_condition(statement, having, text)]
    if group is None:
        return [Edit(start, end, edits[0].text + f" HAVING {text}")]
    index = statement.tokens[group.last - 1].end
    return [*edits, Edit(index, index, f" HAVING {text}")]


def _aggregates(statement: RefusedStatement, within: TokenRange) -> bool:
    own = set(flat(statement, within))
    inner = any(statement.upper(index) == "SELECT" for index in range(within.first, within.last))
    return not inner and any(
        call.index in within
        and call.index in own
        and statement.upper(call.last) not in ("OVER", "WITHIN")
        for call in statement.calls(*AGGREGATES)
    )


def missing_group(statement: RefusedStatement) -> Correction | None:
    """Listed columns beside an aggregate are grouped, where that keeps the rows meant.

    Without any GROUP BY, by all of them; else only columns of a node whose key or name is grouped.
    """
    if statement.code not in ("", "not_grouped"):
        return None
    edits: list[Edit] = []
    for select in statement.selects:
        edits += _grouped(statement, select)
    return correct(edits, "Every selected column that is not aggregated belongs in GROUP BY.")


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
    present = {_normal(statement.text(part)) for part in listed(statement.tokens, group)}
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
    columns: list[Item] = []
    for term in listed(statement.tokens, order) if order else []:
        sorting = statement.upper(term.last - 1) in ("ASC", "DESC")
        value = TokenRange(term.first, term.last - sorting)
        if value.last - value.first == 3 and statement.upper(value.first + 1) == ".":
            columns.append(Item(value, "", True, False))
    return columns


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
    """Return whether the first of unsorted groups would replace the row with an extreme."""
    counts = _counts(statement, select)
    if "ORDER" in select.clauses or not counts:
        return False
    listed = select.clauses["SELECT"]
    extremes = (c for c in statement.calls_in(select, "MAX", "MIN") if c.index in listed)
    return counts == {"1"} or any(statement.upper(call.last) != "OVER" for call in extremes)


def _counts(statement: RefusedStatement, select: Select) -> set[str]:
    """Return the numbers after TOP, LIMIT and FETCH, or '' for one that is computed."""
    counts: set[str] = set()
    if has_top(statement, select):
        index = select.first + 2 + (statement.upper(select.first + 1) != "TOP")
        counts.add(statement.tokens[index + (statement.upper(index) == "(")].text)
    for word in ("LIMIT", "FETCH"):
        clause = select.clauses.get(word)
        if clause is not None:
            numbers = statement.tokens[clause.first : clause.last]
            counts.add(next((number.text for number in numbers if number.kind == "number"), ""))
    return counts


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
        sources = [source for source in select.sources if statement.edge_of(source) is None]
    node = statement.node_of(sources[0]) if len(sources) == 1 else None
    if node is None or name.lower() != node.label.lower() or not _is_shared(node):
        return ""
    key = f"{statement.text(TokenRange(value.first, value.last - 1))}{node.key}"
    return "" if len(select.sources) == 1 or _counts_nodes(statement, select, key) else key


def _counts_nodes(statement: RefusedStatement, select: Select, key: str) -> bool:
    """Return whether nodes are counted: COUNT(DISTINCT m.Id), which is 1 for each key."""
    return any(
        _normal(statement.text(TokenRange(call.index + 2, call.last - 1)))
        == _normal(f"DISTINCT {key}")
        for call in statement.calls_in(select, "COUNT", "COUNT_BIG")
    )


def _is_shared(node: NodeTable) -> bool:
    """Return whether several nodes may bear one name."""
    return node.disambiguated_by is not None or node.named_within is not None


def _normal(text: str) -> str:
    return "".join(char for char in text.lower() if char not in " []\n\t")


def _has_sets(statement: RefusedStatement, group: TokenRange) -> bool:
    words = {statement.upper(index) for index in range(group.first, group.last)}
    return bool(words & {"ROLLUP", "CUBE", "SETS"})


def _belongs(statement: RefusedStatement, item: Item, present: set[str]) -> bool:
    """Return whether a column hangs on a key or name that is already grouped."""
    if item.value.last - item.value.first != 3 or statement.upper(item.value.first + 1) != ".":
        return False
    alias = statement.tokens[item.value.first].name
    node = statement.node_of(statement.source_of(alias, item.value.first))
    if node is None:
        return False
    return any(_normal(f"{alias}.{column}") in present for column in (node.key, node.label))


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
    """Return whether a SELECT has an ORDER BY that nothing there needs."""
    if "ORDER" not in inner.clauses or LIMITED & inner.clauses.keys():
        return False
    return not has_top(statement, inner)


def has_top(statement: RefusedStatement, select: Select) -> bool:
    """Return whether a SELECT has a TOP."""
    return "TOP" in (statement.upper(select.first + 1), statement.upper(select.first + 2))


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
    return [(select, select.sources[0]) for select in statement.selects if len(select.sources) == 1]


def _cuts(statement: RefusedStatement, outer: Select) -> bool:
    """Return whether a SELECT without ORDER BY takes the first rows of the inner order."""
    cut = has_top(statement, outer) or {"LIMIT", "OFFSET", "FETCH"} & outer.clauses.keys()
    return bool(cut) and "ORDER" not in outer.clauses


def derived_alias(statement: RefusedStatement) -> Correction | None:
    """A subquery in FROM gets the alias that it needs."""
    edits: list[Edit] = []
    for source in statement.sources:
        first, last = source.range.first, source.range.last
        if source.alias or source.parts or statement.upper(first) != "(":
            continue
        if statement.upper(first + 1) != "SELECT" or statement.upper(last - 1) != ")":
            continue
        end = statement.tokens[last - 1].end
        edits.append(Edit(end, end, f" AS {statement.fresh_name('d', len(edits) + 1)}"))
    return correct(edits, "A subquery in FROM has an alias.")


def selected_embedding(statement: RefusedStatement) -> Correction | None:
    """An embedding is dropped from the select list: it may be compared, not listed."""
    edits: list[Edit] = []
    for select in statement.selects:
        if select.depth == 0 or select.arm:
            edits += _without_vectors(statement, select)
    return correct(edits, "Embeddings are compared, never returned.")


def _without_vectors(statement: RefusedStatement, select: Select) -> list[Edit]:
    items = listed(statement.tokens, select.clauses["SELECT"])
    remaining = [item for item in items if not _is_vector(statement, item)]
    if (
        len(remaining) == len(items)
        or not remaining
        or statement.upper(select.first + 1) == "DISTINCT"
    ):
        return []
    edits: list[Edit] = []
    for index, item in enumerate(items):
        if item in remaining:
            continue
        head = _head(statement, item)
        if index + 1 < len(items) and index == 0:
            end = statement.start(items[1].first)
            edits.append(Edit(statement.start(head), end, ""))
        else:
            end = statement.tokens[item.last - 1].end
            edits.append(Edit(statement.tokens[item.first - 1].start, end, ""))
    return edits


def _is_vector(statement: RefusedStatement, item: TokenRange) -> bool:
    """Return whether a select item is nothing but a vector column, perhaps with an alias."""
    first = _head(statement, item)
    last = item.last
    if last - first > 1 and statement.upper(last - 2) == "AS":
        last -= 2
    vectors = {node.vector.lower() for node in statement.contract.nodes}
    names = [p.name.lower() for p in statement.tokens[first:last] if p.text != "."]
    shape = last - first in (1, 3) and all(
        p.is_name or p.text == "." for p in statement.tokens[first:last]
    )
    return shape and bool(names) and names[-1] in vectors
