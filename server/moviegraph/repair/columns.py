"""Names of columns: synonyms, typos, and keys that edges do not have."""

from collections.abc import Iterator

from moviegraph.contract.model import EdgeTable, NodeTable
from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.names import names_of
from moviegraph.repair.nearness import closest_name, fold_name
from moviegraph.repair.outline import SourceTokens
from moviegraph.repair.context import RefusedStatement

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
VALUED = frozenset({"GENERATE_SERIES", "STRING_SPLIT"})
YEAR_WORDS = frozenset({"released", "release"})
KEY_WORDS = frozenset({"id", "key", "uid", "pk", "identifier", "nodeid"})
FROM_WORDS = frozenset({"from", "fromid", "source", "sourceid", "start", "startid"})
TO_WORDS = frozenset({"to", "toid", "target", "targetid", "end", "endid", "destination"})


def unknown_column(statement: RefusedStatement) -> Correction | None:
    """A synonym or a typo becomes the column that it must mean, wherever it stands."""
    index = statement.refused_index()
    if index is None or not statement.tokens[index].is_name:
        return None
    name = statement.tokens[index].name
    found = _target(statement, index, name)
    if found is None:
        return None
    column, owner = found
    places = [index] if name.lower() in statement.output_names else _same(statement, index, name)
    edits = [Edit(p.start, p.end, column) for p in (statement.tokens[each] for each in places)]
    if owner is not None and statement.upper(index - 1) != ".":
        token = statement.tokens[index]
        edits = [Edit(token.start, token.end, f"{owner.alias}.{column}")]
    return correct(edits, f"The contract's column for {name} is {column}.")


def node_columns(statement: RefusedStatement) -> Correction | None:
    """Qualified columns that their node has not become those that they must mean."""
    found = dict(_foreign(statement))
    edits = [
        Edit(statement.start(index), statement.tokens[index].end, name)
        for index, name in found.items()
    ]
    said = {statement.tokens[index].name: name for index, name in found.items()}
    whys = (f"The contract's column for {name} is {known}." for name, known in said.items())
    return correct(edits, " ".join(whys))


def _foreign(statement: RefusedStatement) -> Iterator[tuple[int, str]]:
    """Yield qualified columns of the root that their node has not, and what they must mean.

    One of a CTE is mended where the guard points at it, with what is read of it outside.
    """
    for index in range(2, len(statement.tokens)):
        token = statement.tokens[index]
        qualified = (
            token.is_name
            and statement.upper(index - 1) == "."
            and statement.upper(index + 1) != "("
        )
        if not qualified or token.name.startswith("$"):
            continue
        if [select.depth for select in statement.around(index)] != [0]:
            continue
        node = statement.node_of(statement.source_of(statement.tokens[index - 2].name, index))
        if node is not None and node.column(token.name) is None:
            column = column_meant(node, token.name)
            if column is not None:
                yield index, column


def _target(
    statement: RefusedStatement, index: int, name: str
) -> tuple[str, SourceTokens | None] | None:
    """Return the column meant, and its source where a bare name would be ambiguous."""
    if statement.upper(index - 1) == ".":
        source = statement.source_of(statement.tokens[index - 2].name, index)
        node = statement.node_of(source)
        column = column_meant(node, name) if node else _derived(statement, source, name)
        return (column, None) if column else None
    for select in statement.around(index)[:1]:
        if len(select.sources) == 1 and statement.node_of(select.sources[0]) is None:
            column = _derived(statement, select.sources[0], name)
            return (column, None) if column else None
        found = [
            (column, source)
            for source in select.sources
            if (node := statement.node_of(source)) and (column := column_meant(node, name))
        ]
        if len(found) == 1:
            column, source = found[0]
            shared = [s for s in select.sources if _holds(statement, s, column)]
            return (column, source if len(shared) > 1 else None)
        described = [each for each in found if _described(statement, each[1], each[0], name)]
        if len(described) == 1:
            return described[0]
    return None


def table_value(statement: RefusedStatement) -> Correction | None:
    """The alias of GENERATE_SERIES or STRING_SPLIT, used as a column, is its column value."""
    index = statement.refused_index()
    name = statement.tokens[index].name.lower() if index is not None else ""
    source = (
        statement.source_of(name, index)
        if index is not None and statement.upper(index - 1) != "."
        else None
    )
    if source is None or source.parts or statement.upper(source.range.first) not in VALUED:
        return None
    edits = [
        Edit(token.end, token.end, ".value")
        for current, token in enumerate(statement.tokens)
        if token.is_name
        and token.name.lower() == name
        and current not in source.range
        and statement.upper(current + 1) not in (".", "(")
        and statement.upper(current - 1) not in (".", "AS")
    ]
    return correct(edits, "The column of such a table is called value.")


def _derived(statement: RefusedStatement, source: SourceTokens | None, name: str) -> str | None:
    """Return the column of a CTE or subquery, which the refusal suggests."""
    if source is None or statement.edge_of(source) is not None:
        return None
    return closest_name(name, statement.suggestions)


def _holds(statement: RefusedStatement, source: SourceTokens, column: str) -> bool:
    node = statement.node_of(source)
    return node is not None and node.column(column) is not None


def _described(statement: RefusedStatement, source: SourceTokens, column: str, name: str) -> bool:
    """Whether the contract describes the column by this very word."""
    node = statement.node_of(source)
    found = node.column(column) if node else None
    return found is not None and name.lower() in found.description.lower().split()


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
    exact = [each for each in known if fold_name(each) in (word, fold_name(name))]
    if len(exact) == 1:
        return exact[0]
    if "year" in word or word in YEAR_WORDS:
        years = [each for each in known if "year" in each.lower()]
        return years[0] if len(years) == 1 else None
    return closest_name(name, known)


def _same(statement: RefusedStatement, index: int, name: str) -> list[int]:
    """Return where the same column stands: in tables of the same kind, or carried out of them."""
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


def edge_keys(statement: RefusedStatement) -> Correction | None:
    """An edge has no keys of its own: e.MovieId = m.Id is e.$from_id = m.$node_id."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if token.upper != "=" or index < 3 or index + 3 >= len(statement.tokens):
            continue
        for mine, other in ((index - 3, index + 1), (index + 1, index - 3)):
            edits += _joined(statement, mine, other)
    return correct(edits, "Edges join by $from_id and $to_id to the $node_id of nodes.")


def edge_end(statement: RefusedStatement) -> Correction | None:
    """e.MovieId of an edge, wherever it stands, is the end of the edge at that table."""
    edits: list[Edit] = []
    for index in range(2, len(statement.tokens)):
        token = statement.tokens[index]
        named = (
            token.is_name and statement.upper(index - 1) == "." and not token.name.startswith("$")
        )
        edge = (
            statement.edge_of(statement.source_of(statement.tokens[index - 2].name, index))
            if named
            else None
        )
        if edge is None:
            continue
        word = fold_name(token.name)
        found = {
            end
            for pair in edge.pairs
            for end, table in (("$from_id", pair.from_table), ("$to_id", pair.to_table))
            if word.removesuffix("id") in names_of(statement.contract, table)
            and word.endswith("id")
        }
        if len(found) == 1:
            edits.append(Edit(token.start, token.end, found.pop()))
    return correct(edits, "An edge knows its ends as $from_id and $to_id.")


def _joined(statement: RefusedStatement, mine: int, other: int) -> Iterator[Edit]:
    """Read `edge.column` at one number and `node.key` at the other."""
    if statement.upper(mine + 1) != "." or statement.upper(other + 1) != ".":
        return
    edge = statement.edge_of(statement.source_of(statement.tokens[mine].name, mine))
    node = statement.node_of(statement.source_of(statement.tokens[other].name, other))
    if edge is None or node is None:
        return
    column, key = statement.tokens[mine + 2], statement.tokens[other + 2]
    called = {f"{name}id" for name in names_of(statement.contract, node.name)}
    keys = {node.key.lower(), "$nodeid", "nodeid"} | called
    end = _end(statement, edge, node.name, fold_name(column.name))
    if end is None or fold_name(key.name) not in keys:
        return
    if column.name.lower() == end and key.name.lower() == "$node_id":
        return
    yield Edit(column.start, column.end, end)
    yield Edit(key.start, key.end, "$node_id")


def _end(statement: RefusedStatement, edge: EdgeTable, node: str, word: str) -> str | None:
    """Return the pseudo-column that a made-up key of an edge means, given the node it meets."""
    word = word.removeprefix("$")
    starts = {pair.from_table for pair in edge.pairs}
    ends = {pair.to_table for pair in edge.pairs}
    called = names_of(statement.contract, node)
    for end, tables, words in (("$from_id", starts, FROM_WORDS), ("$to_id", ends, TO_WORDS)):
        if node not in tables:
            continue
        named = word in words or word == "id" or word in called or word[:-2] in called
        if named and (node not in starts & ends or word in words):
            return end
    return None
