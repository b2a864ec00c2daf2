"""Names of tables, columns, aliases and keywords that the contract spells otherwise."""

import re
from collections.abc import Iterable, Iterator

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.repair.context import Correction, Edit, RefusedStatement, correct
from moviegraph.repair.tokens import SourceTokens
from moviegraph.sql.functions import FOREIGN, FUNCTIONS
from moviegraph.sql.lexer import RESERVED

MIN_TYPO_CHARS = 4
KEYWORDS = (
    *("SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "JOIN", "INNER", "UNION", "WITH"),
    *("DISTINCT", "MATCH", "BETWEEN", "EXISTS", "LIKE"),
)
KNOWN = (RESERVED, FUNCTIONS, FOREIGN)
AFFIX = re.compile(r"^(?:tbl|dim|fact|node|edge)_?|_?(?:nodes?|edges?|table|tbl)$", re.IGNORECASE)
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


def closest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the one known name that a misspelled one must mean, or None."""
    candidates = list(dict.fromkeys(known))
    if any(_forms(candidate) & _forms(name) for candidate in candidates):
        return same_word(name, candidates)
    if len(name) < MIN_TYPO_CHARS:
        return _lacking_a_letter(name, candidates)
    wanted = fold_name(name)
    most = 1 if len(wanted) <= 4 else 2
    near = [
        candidate
        for candidate in candidates
        if abs(len(fold_name(candidate)) - len(wanted)) <= most
    ]
    ranked = sorted((distance(wanted, fold_name(candidate)), candidate) for candidate in near)
    if not ranked or ranked[0][0] > most:
        return None
    clear = len(ranked) == 1 or ranked[1][0] > ranked[0][0]
    return ranked[0][1] if clear else None


def _lacking_a_letter(name: str, known: list[str]) -> str | None:
    """Return the one known name of four letters of which three are there: Nam is Name."""
    near = [candidate for candidate in known if len(candidate) == MIN_TYPO_CHARS > len(name) > 2]
    near = [candidate for candidate in near if is_one_edit(name.lower(), candidate.lower())]
    return near[0] if len(near) == 1 else None


def same_word(name: str, known: Iterable[str]) -> str | None:
    """Return the one known name that differs in case, underscores or number only, or None."""
    same = [candidate for candidate in dict.fromkeys(known) if _forms(candidate) & _forms(name)]
    return same[0] if len(same) == 1 else None


def is_one_edit(left: str, right: str) -> bool:
    """Return whether one letter is wrong, missing, extra, or swapped with its neighbor."""
    return abs(len(left) - len(right)) <= 1 and distance(left, right) == 1


def fold_name(name: str) -> str:
    """Return a name without case, underscores, dashes and spaces."""
    return "".join(char for char in name.lower() if char not in "_- ")


def _forms(name: str) -> set[str]:
    """Return a folded name with its possible singulars."""
    word = fold_name(name)
    forms = {word}
    if word.endswith("s") and len(word) > 3:
        forms.add(word[:-1])
    if word.endswith("es") and len(word) > 4:
        forms.add(word[:-2])
    if word.endswith("ies") and len(word) > 4:
        forms.add(word[:-3] + "y")
    return forms


def distance(left: str, right: str) -> int:
    """Return the edit distance, a swap of neighbors counting once."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]


def misspelt_keyword(statement: RefusedStatement) -> Correction | None:
    """FORM is FROM, and SELCT is SELECT, where nothing has that name."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        word = token.upper
        if token.kind != "word" or len(word) < 3 or any(word in known for known in KNOWN):
            continue
        if (
            "." in (statement.upper(index - 1), statement.upper(index + 1))
            or statement.upper(index - 1) == "AS"
        ):
            continue
        near = [keyword for keyword in KEYWORDS if is_one_edit(word, keyword)]
        if len(near) == 1 and word not in KEYWORDS and not _is_name(statement, word):
            edits.append(Edit(token.start, token.end, near[0]))
    return correct(edits, "The keyword was misspelled.")


def _is_name(statement: RefusedStatement, word: str) -> bool:
    contract = statement.contract
    columns = {column.name.upper() for node in contract.nodes for column in node.columns}
    return word in columns or word in {name.upper() for name in contract.table_names}


def foreign_schema(statement: RefusedStatement) -> Correction | None:
    """The schema of another dialect, or the database of this graph, before a table is dropped."""
    schema = statement.contract.schema_name.lower()
    edits: list[Edit] = []
    for source in statement.sources:
        owners = [part.name for part in source.parts[:-1]]
        is_ours = len(owners) == 2 and _is_ours(statement, owners[0])
        is_foreign = len(owners) == 1 and owners[0].lower() != schema
        names_system = {owner.lower() for owner in owners} & SYSTEM_SCHEMAS
        if (is_ours or is_foreign) and not names_system and _is_table(statement, source.table):
            edits.append(Edit(source.parts[0].start, source.parts[-1].start, ""))
    return correct(edits, f"One database is served; its only schema is {schema}.")


def _is_table(statement: RefusedStatement, name: str) -> bool:
    return same_word(name, statement.contract.table_names) is not None


def unknown_tables(statement: RefusedStatement) -> Correction | None:
    """A misspelled or plural table name becomes the one it must mean."""
    wrong: dict[str, str] = {}
    for name in (*(source.table for source in statement.sources), *_ranked_tables(statement)):
        known = statement.contract.node(name) or statement.contract.edge(name)
        if known or not name or name.lower() in statement.cte_names:
            continue
        right = (
            same_word(name, statement.cte_names)
            or closest_name(name, statement.contract.table_names)
            or _synonym(statement, name)
            or _without_affix(statement, name)
        )
        if right is not None:
            wrong[name.lower()] = right
    edits = [
        Edit(token.start, token.end, wrong[token.name.lower()])
        for index, token in enumerate(statement.tokens)
        if token.is_name and token.name.lower() in wrong and _names_table(statement, index)
    ]
    return correct(edits, "The contract spells the table so.")


def _without_affix(statement: RefusedStatement, name: str) -> str | None:
    """Return the table that is left of tbl_Movie, MovieNode or movies_table."""
    bare = AFFIX.sub("", name)
    return same_word(bare, statement.contract.table_names) if bare != name else None


def _synonym(statement: RefusedStatement, name: str) -> str | None:
    """Return the one table that the contract's glossary knows by that name."""
    tables = tables_called(statement.contract, name)
    return tables[0] if len(tables) == 1 else None


def tables_called(contract: Contract, name: str) -> list[str]:
    """Return the tables that the glossary, or their description by a keyword, call so."""
    called = [e.table for e in contract.glossary.tables if same_word(name, [e.word])]
    if called:
        return list(dict.fromkeys(called))
    words = [e.table for e in contract.glossary.keywords if same_word(name, [e.word])]
    return [
        node.name
        for node in contract.nodes
        if node.name in words and same_word(name, re.findall(r"\w+", node.description.lower()))
    ]


def _ranked_tables(statement: RefusedStatement) -> list[str]:
    """Return the first arguments of CONTAINSTABLE and FREETEXTTABLE."""
    return [
        statement.tokens[call.arguments[0].last - 1].name
        for call in statement.calls("CONTAINSTABLE", "FREETEXTTABLE")
        if call.arguments
    ]


def _names_table(statement: RefusedStatement, index: int) -> bool:
    token = statement.tokens[index]
    is_source = any(source.parts and source.parts[-1] is token for source in statement.sources)
    ranked = statement.upper(index - 1) == "(" and statement.upper(index - 2).endswith("TABLE")
    ranked = ranked or (
        statement.upper(index - 1) == "." and statement.upper(index - 4).endswith("TABLE")
    )
    inside_match = statement.upper(index - 1) in ("(", "->", "-", "<-") and any(
        call.index < index < call.last for call in statement.calls("MATCH")
    )
    return is_source or ranked or inside_match or statement.upper(index + 1) == "."


def table_as_alias(statement: RefusedStatement) -> Correction | None:
    """A table that has an alias is known by it alone: Movie.Name is m.Name.

    Where a statement reads one table only, without an alias, any alias means it.
    """
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if (
            not token.is_name
            or statement.upper(index + 1) != "."
            or statement.upper(index - 1) == "."
        ):
            continue
        if any(source.parts and source.parts[0] is token for source in statement.sources):
            continue
        alias = _alias_of(statement, token.name, index)
        if alias is not None:
            edits.append(Edit(token.start, token.end, alias))
    return correct(edits, "A table with an alias is known by the alias only.")


def _alias_of(statement: RefusedStatement, name: str, index: int) -> str | None:
    """Return the alias of the one source of that table, where the name itself is none."""
    if statement.source_of(name, index) is not None:
        return None
    for select in statement.enclosing(index):
        sources = [s for s in select.sources if s.table.lower() == name.lower()]
        sources = sources or [s for s in select.sources if _is_called(statement, name, s.table)]
        only = [s for s in select.sources if len(statement.sources) == 1 and s.alias_at is None]
        sources = sources or only
        if sources:
            return sources[0].alias if len(sources) == 1 else None
    return None


def _is_called(statement: RefusedStatement, name: str, table: str) -> bool:
    """Return whether a name is a plural or another name of a table, and no table of its own."""
    called = same_word(name, statement.contract.table_names) or _synonym(statement, name)
    return called is not None and called.lower() == table.lower()


def _is_ours(statement: RefusedStatement, name: str) -> bool:
    """Return whether a name of a database can only be that of this graph."""
    word = fold_name(name)
    known = [fold_name(node.name) for node in statement.contract.nodes] + [
        fold_name(statement.contract.name)
    ]
    return word in ("db", "database", "graph", "mydb") or any(
        known_name in word for known_name in known
    )


def unknown_column(statement: RefusedStatement) -> Correction | None:
    """A synonym or a typo becomes the column that it must mean, everywhere."""
    refused = statement.refused_index() if statement.code == "unknown_column" else None
    first = [] if refused is None or not statement.tokens[refused].is_name else [refused]
    edits: list[Edit] = []
    pairs: list[str] = []
    for index in (*first, *_unknown_columns(statement, refused)):
        name = statement.tokens[index].name
        target = _target(statement, index, name)
        if target is not None:
            edits += _with_column(statement, index, *target)
            pairs.append(f"{name} is {target[0]}")
    return correct(edits, f"In the contract {', '.join(dict.fromkeys(pairs))}.")


def _unknown_columns(statement: RefusedStatement, refused: int | None) -> Iterator[int]:
    """Yield the other columns that the node table of their alias does not have."""
    for index, token in enumerate(statement.tokens):
        qualified = token.is_name and statement.upper(index - 1) == "." and index > 1
        if qualified and index != refused and token.text[0] != "$":
            source = statement.source_of(statement.tokens[index - 2].name, index)
            node = statement.node_of(source)
            if node is not None and node.column(token.name) is None:
                yield index


def _with_column(
    statement: RefusedStatement, index: int, column: str, owner: SourceTokens | None
) -> list[Edit]:
    token = statement.tokens[index]
    if owner is not None and statement.upper(index - 1) != ".":
        return [Edit(token.start, token.end, f"{owner.alias}.{column}")]
    name = token.name.lower()
    places = [index] if name in statement.output_names else _same(statement, index, token.name)
    return [Edit(p.start, p.end, column) for p in (statement.tokens[place] for place in places)]


def _target(
    statement: RefusedStatement, index: int, name: str
) -> tuple[str, SourceTokens | None] | None:
    """Return the column meant, and its source where a bare name would be ambiguous."""
    if statement.upper(index - 1) == ".":
        source = statement.source_of(statement.tokens[index - 2].name, index)
        node = statement.node_of(source)
        column = column_meant(node, name) if node else _derived(statement, source, name)
        return (column, None) if column else None
    for select in statement.enclosing(index)[:1]:
        if len(select.sources) == 1 and statement.node_of(select.sources[0]) is None:
            column = _derived(statement, select.sources[0], name)
            return (column, None) if column else None
        candidates = [
            (column, source)
            for source in select.sources
            if (node := statement.node_of(source)) and (column := column_meant(node, name))
        ]
        if len(candidates) == 1:
            column, source = candidates[0]
            shared = [s for s in select.sources if _holds(statement, s, column)]
            return (column, source if len(shared) > 1 else None)
        described = [
            candidate
            for candidate in candidates
            if _described(statement, candidate[1], candidate[0], name)
        ]
        if len(described) == 1:
            return described[0]
    return None


def _derived(statement: RefusedStatement, source: SourceTokens | None, name: str) -> str | None:
    """Return the column of a CTE or subquery, which the refusal suggests."""
    if source is None or statement.edge_of(source) is not None:
        return None
    return closest_name(name, statement.suggestions)


def _holds(statement: RefusedStatement, source: SourceTokens, column: str) -> bool:
    node = statement.node_of(source)
    return node is not None and node.column(column) is not None


def _described(statement: RefusedStatement, source: SourceTokens, column: str, name: str) -> bool:
    """Return whether the contract describes the column by this very word."""
    node = statement.node_of(source)
    described = node.column(column) if node else None
    return described is not None and name.lower() in described.description.lower().split()


def column_meant(node: NodeTable, name: str) -> str | None:
    """Return the column of a node table that a name must mean, or None."""
    word = fold_name(name)
    table = fold_name(node.name)
    if word.startswith(table) and len(word) > len(table):
        word = word.removeprefix(table)
    for words, column in (
        (LABEL_WORDS, node.label),
        (TEXT_WORDS, node.text),
        (VECTOR_WORDS, node.vector),
        (KEY_WORDS, node.key),
    ):
        if word in words:
            return column
    known = [column.name for column in node.columns]
    exact = [
        column_name for column_name in known if fold_name(column_name) in (word, fold_name(name))
    ]
    if len(exact) == 1:
        return exact[0]
    if "year" in word or word in YEAR_WORDS:
        years = [column_name for column_name in known if "year" in column_name.lower()]
        return years[0] if len(years) == 1 else None
    return closest_name(name, known)


def _same(statement: RefusedStatement, index: int, name: str) -> list[int]:
    """Return the indexes of the same column: in tables of the same kind, or carried out of them."""
    wanted = _owner(statement, index)
    return [
        current
        for current, token in enumerate(statement.tokens)
        if token.is_name
        and token.name.lower() == name.lower()
        and _is_column(statement, current)
        and (current == index or _owner(statement, current) in (wanted, "", None))
    ]


def _is_column(statement: RefusedStatement, index: int) -> bool:
    called = statement.upper(index + 1) in ("(", ".")
    return not called and statement.upper(index - 1) not in ("AS", "@", ")")


def _owner(statement: RefusedStatement, index: int) -> str | None:
    """Return the node table of a qualified column, '' for a derived one, None where unqualified."""
    if statement.upper(index - 1) != ".":
        return None
    source = statement.source_of(statement.tokens[index - 2].name, index)
    node = statement.node_of(source)
    if node is not None:
        return node.name
    return "" if source is not None and statement.edge_of(source) is None else "?"
