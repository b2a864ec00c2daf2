"""Names of tables, columns and aliases that the contract spells otherwise."""

import re
from collections.abc import Iterable

from sqlglot import exp

from moviegraph.contract.model import Column, Contract, NodeTable
from moviegraph.names import fold_identifier, fold_plural, spelling_edits
from moviegraph.repair.context import Correction, RefusedStatement, tree_rule
from moviegraph.repair.statement_tree import StatementTree, rename_aliases, sources
from moviegraph.sql.syntax_tree import nodes_of

RANKED_CALLS = frozenset({"__CONTAINSTABLE", "__FREETEXTTABLE"})
SYSTEM_SCHEMAS = frozenset({"sys", "information_schema", "master", "tempdb", "msdb", "model"})
LABEL_WORDS = frozenset({"title", "label", "name", "caption", "fullname"})
TEXT_WORDS = frozenset(
    """
    plot description overview text summary synopsis content body storyline abstract story
    plotsummary
    """.split()
)
VECTOR_WORDS = frozenset(
    """
    vector vec embeddings embedding contentembedding contentvector textembedding embeddingvector
    """.split()
)
YEAR_WORDS = frozenset({"released", "release"})
KEY_WORDS = frozenset({"id", "key", "uid", "pk", "identifier", "nodeid"})


def closest_name(name: str, names: Iterable[str]) -> str | None:
    """Return the one known name that an unknown one must mean, or None."""
    candidates = list(dict.fromkeys(names))
    if any(_key(candidate) == _key(name) for candidate in candidates):
        return same_word(name, candidates)
    key = fold_identifier(name)
    edits = {known: spelling_edits(key, fold_identifier(known)) for known in candidates}
    near = [(count, known) for known, count in edits.items() if count is not None]
    nearest = [known for count, known in near if count == min(near)[0]]
    return nearest[0] if len(nearest) == 1 else None


def same_word(name: str, names: Iterable[str]) -> str | None:
    """Return the one known name that differs in case, underscores or number only, or None."""
    same = [candidate for candidate in dict.fromkeys(names) if _key(candidate) == _key(name)]
    return same[0] if len(same) == 1 else None


def _key(name: str) -> str:
    return fold_plural(fold_identifier(name))


@tree_rule("One database is served, and its tables have one schema.")
def foreign_schema(tree: StatementTree) -> None:
    """Another schema before a table is dropped.

    SELECT Id FROM main.Movie -> SELECT Id FROM Movie
    """
    schema = tree.contract.schema_name.lower()
    for table in nodes_of(tree.root, exp.Table):
        owners = [part.name for part in (table.args.get("catalog"), table.args.get("db")) if part]
        is_foreign = len(owners) == 1 and owners[0].lower() != schema
        is_system = {owner.lower() for owner in owners} & SYSTEM_SCHEMAS
        is_table = same_word(table.name, tree.contract.table_names) is not None
        if is_foreign and not is_system and is_table:
            table.set("db", None)


@tree_rule("The contract spells the table so.")
def unknown_tables(tree: StatementTree) -> None:
    """Another name of a table becomes the one of the contract.

    SELECT f.Id FROM films f -> SELECT f.Id FROM Movie AS f
    """
    contract, ctes = tree.contract, {cte.alias.lower() for cte in nodes_of(tree.root, exp.CTE)}
    names: dict[str, str] = {}
    for identifier in _table_identifiers(tree):
        name = identifier.name
        if contract.node(name) or contract.edge(name) or name.lower() in ctes:
            continue
        right = (
            same_word(name, ctes)
            or closest_name(name, contract.table_names)
            or _synonym(contract, name)
        )
        if right is not None:
            names[name.lower()] = right
    qualifiers = [n for n in nodes_of(tree.root, exp.Identifier) if n.arg_key == "table"]
    for identifier in [*_table_identifiers(tree), *qualifiers]:
        identifier.set("this", names.get(identifier.name.lower(), identifier.name))
    for index, match in enumerate(tree.matches if names else ()):
        tree.matches[index] = rename_aliases(match, names)


def _table_identifiers(tree: StatementTree) -> list[exp.Identifier]:
    """Return the names of tables in FROM, and those that ranked searches name first."""
    tables: list[exp.Expr] = [table.this for table in nodes_of(tree.root, exp.Table)]
    calls = [c for c in tables if isinstance(c, exp.Anonymous) and c.name in RANKED_CALLS]
    tables += [c.expressions[0].this for c in calls if isinstance(c.expressions[0], exp.Column)]
    return [name for name in tables if isinstance(name, exp.Identifier)]


def _synonym(contract: Contract, name: str) -> str | None:
    """Return the one table that the contract's glossary knows by that name."""
    tables = {entry.table for entry in contract.glossary.tables if same_word(name, [entry.word])}
    return tables.pop() if len(tables) == 1 else None


@tree_rule("A table with an alias is known by the alias only.")
def table_as_alias(tree: StatementTree) -> None:
    """A table that has an alias is known by it alone.

    If a statement reads one table only, without an alias, any alias means it.

    SELECT Movie.Name FROM Movie AS m -> SELECT m.Name FROM Movie AS m
    """
    for column in nodes_of(tree.root, exp.Column):
        select = column.find_ancestor(exp.Select)
        if not column.table or select is None or tree.item(column.table, column) is not None:
            continue
        alias = _alias_of(tree, column.table, select)
        if alias is not None:
            column.set("table", exp.to_identifier(alias))


def _alias_of(tree: StatementTree, name: str, select: exp.Select) -> str | None:
    """Return the alias of the one source of that table, in a SELECT or one around it."""
    outer: exp.Select | None = select
    while outer is not None:
        own_sources = sources(outer)
        matches = [i for i in own_sources.values() if i.name.lower() == name.lower()]
        matches = matches or [
            i for i in own_sources.values() if _is_called(tree.contract, name, i.name)
        ]
        is_only = len(nodes_of(tree.root, exp.Table)) == len(own_sources) == 1
        matches = matches or [item for item in own_sources.values() if is_only and not item.alias]
        if matches:
            return matches[0].alias_or_name if len(matches) == 1 else None
        outer = outer.find_ancestor(exp.Select)
    return None


def _is_called(contract: Contract, name: str, table: str) -> bool:
    """Return whether a name is a plural or another name of a table, and no table itself."""
    called = same_word(name, contract.table_names) or _synonym(contract, name)
    return called is not None and called.lower() == table.lower()


def unknown_column(statement: RefusedStatement) -> Correction | None:
    """Another name of a column becomes the one of the contract, everywhere.

    SELECT Title FROM Movie -> SELECT Name FROM Movie
    """
    tree = statement.tree()
    if tree is None:
        return None
    refused = statement.sql[slice(*statement.span)].strip('[]"') if statement.span else ""
    pairs: list[str] = []
    for column in nodes_of(tree.root, exp.Column):
        node = tree.node_of(column.table, column) if column.table else None
        is_unknown = node is not None and node.column(column.name) is None
        is_refused = column.name == refused and statement.code == "unknown_column"
        if column.name.startswith("$") or column.is_star or not (is_unknown or is_refused):
            continue
        target = _target(tree, column, statement.suggestions)
        if target is not None:
            pairs.append(f"{column.name} is {target[0]}")
            _rename_column(tree, column, *target)
    return statement.rewritten(tree, f"In the contract {', '.join(dict.fromkeys(pairs))}.")


def _rename_column(tree: StatementTree, column: exp.Column, name: str, alias: str) -> None:
    if alias and not column.table:
        column.set("this", exp.to_identifier(name))
        column.set("table", exp.to_identifier(alias))
        return
    old, owner = column.name.lower(), _owner(tree, column)
    aliases = {item.alias.lower() for s in tree.selects() for item in s.expressions if item.alias}
    same = [c for c in nodes_of(tree.root, exp.Column) if c.name.lower() == old]
    for other in [column] if old in aliases else same:
        if other is column or _owner(tree, other) in (owner, "", None):
            other.set("this", exp.to_identifier(name))


def _owner(tree: StatementTree, column: exp.Column) -> str | None:
    """Return the node table of a qualified column, '' for a derived one, None where unqualified."""
    if not column.table:
        return None
    item, node = tree.item(column.table, column), tree.node_of(column.table, column)
    if node is not None:
        return node.name
    return "" if item is not None and tree.edge_of(column.table, column) is None else "?"


def _target(
    tree: StatementTree, column: exp.Column, suggestions: tuple[str, ...]
) -> tuple[str, str] | None:
    """Return the column meant, and its source where an unqualified name would be ambiguous."""
    name, select = column.name, column.find_ancestor(exp.Select)
    if column.table or select is None:
        node = tree.node_of(column.table, column)
        is_derived = _owner(tree, column) == ""
        derived = closest_name(name, suggestions) if is_derived else None
        column_name = column_meant(node, name) if node else derived
        return (column_name, "") if column_name else None
    nodes = {alias: tree.contract.node(item.name) for alias, item in sources(select).items()}
    if list(nodes.values()) == [None]:
        column_name = closest_name(name, suggestions)
        return (column_name, "") if column_name else None
    candidates = [
        (column_name, sources(select)[alias].alias_or_name)
        for alias, node in nodes.items()
        if node is not None and (column_name := column_meant(node, name))
    ]
    if len(candidates) == 1:
        column_name, alias = candidates[0]
        shared = [node for node in nodes.values() if node is not None and node.column(column_name)]
        return column_name, alias if len(shared) > 1 else ""
    return None


def column_meant(node: NodeTable, name: str) -> str | None:
    """Return the column of a node table that a name must mean, or None."""
    word = fold_identifier(name)
    table = fold_identifier(node.name)
    if word.startswith(table) and len(word) > len(table):
        word = word.removeprefix(table)
    for words, column in (
        (LABEL_WORDS, node.label),
        (TEXT_WORDS, node.text),
        (VECTOR_WORDS, node.vector),
        (KEY_WORDS, node.key),
    ):
        if word in words and column:
            return column
    column_names = [column.name for column in node.columns]
    exact = [
        column_name
        for column_name in column_names
        if fold_identifier(column_name) in (word, fold_identifier(name))
    ]
    if len(exact) == 1:
        return exact[0]
    fields = [c.name for c in node.columns if _field(c) in (word, fold_identifier(name))]
    if len(fields) == 1:
        return fields[0]
    if "year" in word or word in YEAR_WORDS:
        years = [column_name for column_name in column_names if "year" in column_name.lower()]
        return years[0] if len(years) == 1 else None
    return closest_name(name, column_names)


def _field(column: Column) -> str:
    """Return the column of the source with which a drafted description begins.

    "species." -> "species", "Text: summary of the file." -> "summary"
    """
    words = column.description.removeprefix("Text: ").removesuffix(" of the file.")
    return fold_identifier(re.split(r"[.,]", words)[0])
