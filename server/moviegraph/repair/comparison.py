"""Comparison of a statement with its rewrite, on their syntax trees.

`changed_facts` checks each rewrite of a rule against what the rule declares. `is_equivalent` checks
the rewrite of a language model: everything known is kept, and what is added replaces an unknown
name. A statement without a syntax tree is compared by its tokens.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, zip_longest
from typing import Literal, get_args

from sqlglot import exp

from moviegraph.contract.model import EDGE_PSEUDO_COLUMNS, NODE_PSEUDO_COLUMNS, Contract
from moviegraph.repair.context import RefusedStatement
from moviegraph.repair.statement_tree import StatementTree, names_of_match
from moviegraph.repair.tokens import RawToken
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.syntax_tree import nodes_of, whole_number

FactKind = Literal["tables", "columns", "literals", "operators", "measures", "parameters"]
FACT_KINDS: tuple[FactKind, ...] = get_args(FactKind)
PSEUDO_COLUMNS = frozenset({*NODE_PSEUDO_COLUMNS, *EDGE_PSEUDO_COLUMNS})
Facts = dict[FactKind, Counter[str]]
Comparison = tuple[exp.Expr, str, str]
"""The value on the left, the sign, and the literal on the right, or ''."""
Test = tuple[str, str, str, str]
"""Table, column or function, sign and literal; '' for a name that is not known."""
SIGNS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.Like: "LIKE",
    exp.In: "IN",
    exp.Between: "BETWEEN",
    exp.Is: "IS",
}
FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
LOGIC = (exp.And, exp.Or, exp.Not)
CUTS = (exp.Limit, exp.Fetch, exp.Offset)
SHAPES = (exp.Distinct, exp.Group, exp.Having, exp.SetOperation, exp.Window, exp.Exists)
SEARCHES = frozenset("VECTOR_DISTANCE CONTAINS FREETEXT CONTAINSTABLE FREETEXTTABLE".split())
MEASURES = SEARCHES | {name for name, function in FUNCTIONS.items() if function.kind == "aggregate"}
MEASURING_SHAPES = frozenset("distinct having union except intersect window".split())
WORDS: dict[FactKind, frozenset[str]] = {
    "operators": frozenset("= <> != < > <= >= LIKE IN BETWEEN AND OR NOT IS".split()),
    "measures": MEASURES.union(
        "DISTINCT GROUP HAVING ORDER DESC UNION EXCEPT INTERSECT TOP LIMIT OFFSET FETCH EXISTS "
        "OVER".split()
    ),
}
PATTERNS = {"CONTAINS": "%{}%", "STARTSWITH": "{}%", "ENDSWITH": "%{}"}
"""Words of other languages for LIKE, and the pattern that a text after them is."""
TOKEN_FORMS = {"==": "=", "!=": "<>", "!": "NOT", "||": "OR", "LIMIT": "TOP", "TAKE": "TOP"}
TOKEN_FORMS.update(dict.fromkeys(PATTERNS, "LIKE"))
"""What T-SQL writes for a word or sign of other languages."""
KEPT_WORDS = (WORDS["operators"] | WORDS["measures"] | set("+-/%")) - {"AND", "GROUP", "ORDER"}
GROUPING = MEASURES - SEARCHES | {"DISTINCT"}
KEY = re.compile(r"\bBY\s+(?:\w+\s*\.\s*)?(\w+)")


def changed_facts(
    before: RefusedStatement, after: RefusedStatement, declared: frozenset[FactKind] = frozenset()
) -> frozenset[FactKind]:
    """Return the other kinds of facts in which two statements differ; none if one has no tokens."""
    kinds = frozenset(FACT_KINDS) - declared
    if not (before.readable and after.readable):
        return frozenset()
    old, new = Facts(), Facts()
    if kinds - {"parameters"} and before.parsed is not None and after.parsed is not None:
        old, new = tree_facts(before.parsed), tree_facts(after.parsed)
    elif kinds - {"parameters"}:
        old, new = (_token_facts(s.tokens, s.contract) for s in (before, after))
    old["parameters"], new["parameters"] = map(_parameters, (before, after))
    return frozenset(kind for kind in kinds if old[kind] != new[kind])


def tree_facts(tree: StatementTree) -> Facts:
    """Return the tables, columns, literals, operators and measures of a statement, counted."""
    facts: Facts = {kind: Counter() for kind in FACT_KINDS}
    facts["tables"].update(_tables(tree))
    facts["columns"].update(_columns(tree))
    for node in nodes_of(tree.root, exp.Expr):
        if isinstance(node, exp.Literal):
            facts["literals"].update(_text(node))
        elif type(node) in SIGNS:
            facts["operators"].update(f"{sign} {text}" for _, sign, text in _comparisons(node))
        elif isinstance(node, CUTS):
            facts["measures"][f"rows {node.find(exp.Literal)}"] += 1
        elif isinstance(node, SHAPES) or (isinstance(node, exp.Ordered) and node.args.get("desc")):
            facts["measures"][node.key] += 1
        elif (name := _function(node)) is not None:
            facts["measures"][name] += 1
        if isinstance(node, LOGIC) or node.args.get("negate"):
            facts["operators"]["not" if node.args.get("negate") else node.key] += 1
    return facts


def _token_facts(tokens: tuple[RawToken, ...], contract: Contract) -> Facts:
    """Return the same of a statement that has no syntax tree, as far as its tokens tell."""
    names = Counter(token.name.lower() for token in tokens if token.is_name)
    tables = {name.lower() for name in contract.table_names}
    words = Counter(token.upper for token in tokens)
    return {
        "tables": Counter({name: names[name] for name in tables & names.keys()}),
        "columns": Counter(
            {name: names[name] for name in names.keys() & _contract_columns(contract)}
        ),
        "literals": Counter(t.name for t in tokens if t.kind in ("string", "number")),
        **{kind: Counter({w: words[w] for w in WORDS[kind] if words[w]}) for kind in WORDS},
    }


def _parameters(statement: RefusedStatement) -> Counter[str]:
    words = (token.text.lower() for token in statement.tokens if token.text[0] in "$@")
    return Counter(word for word in words if word not in PSEUDO_COLUMNS)


def _tables(tree: StatementTree) -> Iterator[str]:
    """Yield the names of tables in lower case; common table expressions are none."""
    ctes = {cte.alias.lower() for cte in nodes_of(tree.root, exp.CTE)}
    for table in nodes_of(tree.root, exp.Table):
        name = (_ranked(table) or table).name.lower()
        if name not in ctes:
            yield name


def _ranked(table: exp.Expr | None) -> exp.Expr | None:
    """Return the name of the table that a ranked search reads."""
    call = table.this if isinstance(table, exp.Table) else None
    return call.expressions[0] if isinstance(call, exp.Anonymous) and call.expressions else None


def _columns(tree: StatementTree) -> Iterator[str]:
    searched = {id(_ranked(table)) for table in nodes_of(tree.root, exp.Table)}
    for column in nodes_of(tree.root, exp.Column):
        if not column.is_star and id(column) not in searched:
            yield column.name.lower()


def _text(node: exp.Literal) -> Iterator[str]:
    """Yield a literal, of a search condition its words; none for numbers of rows and patterns."""
    parent = node.parent
    call = _function(parent) if parent is not None else None
    if call in SEARCHES and node.is_string:
        yield " ".join(re.findall(r"\w+", node.name.lower()))
    elif not isinstance(parent, CUTS) and getattr(parent, "name", "") != "__MATCH":
        yield node.sql()


def _function(node: exp.Expr) -> str | None:
    """Return the name of a called function, without the mark of lowering."""
    if isinstance(node, exp.Anonymous) and node.name != "__MATCH":
        return node.name.removeprefix("__").upper()
    return None


def _comparisons(test: exp.Expr) -> Iterator[Comparison]:
    """Yield what a test compares: 3 < x is x > 3, BETWEEN is >= and <=."""
    sign, left = SIGNS[type(test)], test.this
    if isinstance(test, exp.Between):
        yield left, ">=", _literal(test.args["low"])
        yield left, "<=", _literal(test.args["high"])
    elif isinstance(test, exp.In):
        for item in test.expressions:
            yield left, "=", _literal(item)
    elif isinstance(left, exp.Literal):
        yield test.expression, FLIPPED.get(sign, sign), left.sql()
    else:
        yield left, sign, _literal(test.expression)


def _named(node: exp.Expr) -> str:
    """Return a column or function in lower case; '' for other expressions."""
    return (_function(node) or (node.name if isinstance(node, exp.Column) else "")).lower()


def _literal(node: exp.Expr) -> str:
    return node.sql() if isinstance(node, exp.Literal | exp.Null) else ""


def is_equivalent(before: str, after: str, contract: Contract) -> bool:
    """Return whether a model's rewrite keeps all that is known, and adds only for unknown names."""
    statement, rewrite = RefusedStatement(before, contract), RefusedStatement(after, contract)
    old, new = statement.parsed, rewrite.parsed
    if old is None or new is None:
        return new is not None and _same_by_tokens(statement, rewrite, new)
    before_facts, after_facts = tree_facts(old), tree_facts(new)
    unknown = len(_unknown_names(old, before_facts))
    return (
        _same_tables(before_facts, after_facts, unknown, contract)
        and _same_columns(before_facts, after_facts, unknown, contract)
        and _same_comparisons(old, new)
        and before_facts["literals"] == after_facts["literals"]
        and _measures(before_facts) == _measures(after_facts)
        and before_facts["measures"]["group"] <= after_facts["measures"]["group"]
        and _same_rows(old, new)
    )


def _same_by_tokens(old: RefusedStatement, new: RefusedStatement, tree: StatementTree) -> bool:
    """Return whether a rewrite keeps what the tokens of a statement without a tree tell.

    A function of another language has no counterpart that could be known. Outside SQL a sort must
    have its direction: Kusto sorts downward by itself.
    """
    before, after = (_token_facts(s.tokens, s.contract) for s in (old, new))
    columns, others = before["columns"].keys(), after["columns"].keys()
    words, new_words = ([TOKEN_FORMS.get(t.upper, t.upper) for t in s.tokens] for s in (old, new))
    kept = [Counter(w for w in each if w in KEPT_WORDS) for each in (words, new_words)]
    called = {word for word, mark in pairwise(words) if mark == "(" and word.isidentifier()}
    return (
        bool(columns and before["tables"])
        and before["tables"].keys() == tree_facts(tree)["tables"].keys()
        and (columns <= others if set(words).isdisjoint(GROUPING) else columns == others)
        and kept[0] == kept[1]
        and called <= set(new_words)
        and _token_uses(old) == _token_uses(new)
        and _parameters(old) == _parameters(new)
        and KEY.findall(old.masked) == KEY.findall(new.masked)
        and bool({"SELECT", "ASC", "DESC"} & set(words) or not tree.root.args.get("order"))
    )


def _token_uses(statement: RefusedStatement) -> Counter[tuple[str, str, str]]:
    """Return each literal with the known column and the sign next before it, and each DESC.

    Title contains "soup" -> ("title", "LIKE", "%soup%")
    """
    uses, column, sign = list[tuple[str, str, str]](), "", ""
    columns, names = _contract_columns(statement.contract), known_names(statement.contract)
    for index, token in enumerate(statement.tokens):
        is_text = token.text[0] == '"' and token.name.lower() not in names
        if not (is_text or token.kind in ("string", "number") or token.upper in ("NULL", "DESC")):
            continue
        at = _before(statement, index)
        if statement.upper(at) not in (",", "AND"):  # further literals of IN and BETWEEN
            sign, name = statement.upper(at), statement.tokens[_before(statement, at)].name.lower()
            column = name if name in columns and TOKEN_FORMS.get(sign, sign) != "TOP" else ""
        text = PATTERNS.get(sign, "{}").format(token.upper or token.name)
        is_wild = sign in PATTERNS and set("%_[") & set(token.name)
        uses.append((column, sign if is_wild else TOKEN_FORMS.get(sign, sign), text))
    return Counter(uses)


def _before(statement: RefusedStatement, index: int) -> int:
    """Return the index before, past what may stand between a column, a sign and a literal."""
    index -= 1
    while statement.upper(index) in ("(", ".", "NOT", "!"):
        index -= 1
    return index


def _unknown_names(tree: StatementTree, facts: Facts) -> set[str]:
    """Return the names of tables, columns and aliases that mean nothing."""
    contract = tree.contract
    tables = {table for table in facts["tables"] if not _is_table(contract, table)}
    aliases = {node.alias.lower() for node in nodes_of(tree.root, exp.Alias)}
    known = aliases | _contract_columns(contract) | {"key", "rank"}
    columns = {name for name in facts["columns"] if name not in known and name[0] != "$"}
    listed = {table.alias_or_name.lower() for table in nodes_of(tree.root, exp.Table)}
    matched = {name.lower() for match in tree.matches for name in names_of_match(match)}
    return tables | columns | (matched - listed)


def _is_table(contract: Contract, name: str) -> bool:
    return contract.node(name) is not None or contract.edge(name) is not None


def _contract_columns(contract: Contract) -> set[str]:
    return {column.name.lower() for node in contract.nodes for column in node.columns}


def known_names(contract: Contract) -> set[str]:
    """Return the names of tables and columns in lower case."""
    return {name.lower() for name in contract.table_names} | _contract_columns(contract)


def _same_tables(old: Facts, new: Facts, unknown: int, contract: Contract) -> bool:
    """Return whether known tables stay; an unknown name may be one further node table."""
    before = Counter({t: count for t, count in old["tables"].items() if _is_table(contract, t)})
    added = new["tables"] - before
    nodes = sum(count for name, count in added.items() if contract.node(name))
    return not before - new["tables"] and (nodes <= unknown if unknown else not added)


def _same_columns(old: Facts, new: Facts, unknown: int, contract: Contract) -> bool:
    """Return whether known columns stay; keys and vectors may give way to a pattern."""
    freely = {name.lower() for node in contract.nodes for name in (node.key, node.vector) if name}
    telling = _contract_columns(contract) - freely
    before, after = old["columns"].keys() & telling, new["columns"].keys() & telling
    return before <= after and len(after - before) <= unknown


def _same_comparisons(old: StatementTree, new: StatementTree) -> bool:
    """Return whether each comparison with a literal has its counterpart, and none is added."""
    after = list(_tests(new))
    for test in _tests(old):
        match = next((t for t in after if t[2:] == test[2:] and _may_be(test, t)), None)
        if match is None:
            return False
        after.remove(match)
    return not after and _logic(old) == _logic(new)


def _may_be(old: Test, new: Test) -> bool:
    """Return whether two comparisons are of one column, as far as its name and table are known."""
    return not old[1] or (old[1] == new[1] and old[0] in ("", new[0]))


def _tests(tree: StatementTree) -> Iterator[Test]:
    """Yield the comparisons with literals, and those of columns that are no equation."""
    columns = _contract_columns(tree.contract)
    for node in nodes_of(tree.root, exp.Expr):
        for value, sign, text in _comparisons(node) if type(node) in SIGNS else ():
            left = value.this if isinstance(value, exp.Cast) else value
            name = _named(left)
            table = tree.table(left.text("table"), node).lower() if left.text("table") else ""
            is_known = name in columns or name.upper() in FUNCTIONS
            if text or sign not in ("=", "IN"):
                known = table if _is_table(tree.contract, table) else ""
                yield known, name if is_known else "", sign, text


def _logic(tree: StatementTree) -> tuple[int, int]:
    """Return how often something is denied, and how many alternatives there are."""
    tests = nodes_of(tree.root, exp.Expr)
    denied = sum(
        isinstance(t, exp.Not | exp.NEQ | exp.Except) + bool(t.args.get("negate")) for t in tests
    )
    return denied, sum(isinstance(t, exp.Or) for t in tests)


def _measures(facts: Facts) -> Counter[str]:
    """Return the aggregates, searches and shapes that a rewrite keeps; groups may be added."""
    kept = MEASURES | MEASURING_SHAPES
    return Counter({name: count for name, count in facts["measures"].items() if name in kept})


def _same_rows(old: StatementTree, new: StatementTree) -> bool:
    """Return whether both cut and sort alike; as many rows as the server lists may be added."""
    before, after = _rows(old), _rows(new)
    usual = old.contract.limits.top
    is_same_number = before == after or (before is None and (after or 0) >= usual)
    keys = zip_longest(_sort_keys(old), _sort_keys(new), fillvalue=("", None))
    columns = _contract_columns(old.contract)
    return is_same_number and all(
        a[1] == b[1] and (a[0] == b[0] or a[0] not in columns) for a, b in keys
    )


def _rows(tree: StatementTree) -> int | None:
    limit = tree.root.args.get("limit")
    count = limit and (limit.args.get("expression") or limit.args.get("count"))
    return whole_number(count) if count else None


def _sort_keys(tree: StatementTree) -> list[tuple[str, bool | None]]:
    order: exp.Order | None = tree.root.args.get("order")
    keys: list[exp.Ordered] = order.expressions if order is not None else []
    return [(_named(key.this), bool(key.args.get("desc"))) for key in keys]
