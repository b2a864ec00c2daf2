"""Keys, joining tables and columns of a relational schema, which a graph has as edges."""

import re
from collections.abc import Iterator

from moviegraph.contract.model import Connection, Contract, EdgeTable, NodeTable
from moviegraph.repair.context import Correction, Edit, RefusedStatement, correct
from moviegraph.repair.names import fold_name, same_word
from moviegraph.repair.tokens import SourceTokens, TokenRange, past_parenthesis

FROM_WORDS = frozenset({"from", "fromid", "source", "sourceid", "start", "startid"})
TO_WORDS = frozenset({"to", "toid", "target", "targetid", "end", "endid", "destination"})
SIGNS = frozenset({"=", "LIKE", "IN", "<>", "!="})
LINKS = ("", "has", "to", "in")
CLAUSES = frozenset({"WHERE", "AND", "OR", "(", "ON", "NOT"})


def names_of(contract: Contract, table: str) -> set[str]:
    """Return the folded names that a table has in the contract and its glossary."""
    return {
        fold_name(table),
        *(fold_name(e.word) for e in contract.glossary.tables if e.table == table),
    }


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
        ends = {
            end
            for pair in edge.pairs
            for end, table in (("$from_id", pair.from_table), ("$to_id", pair.to_table))
            if word.removesuffix("id") in names_of(statement.contract, table)
            and word.endswith("id")
        }
        if len(ends) == 1:
            edits.append(Edit(token.start, token.end, ends.pop()))
    return correct(edits, "The ends of an edge are $from_id and $to_id.")


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


def concept_column(statement: RefusedStatement) -> Correction | None:
    """A condition on m.Genre = 'Drama' asks for an edge to a genre of that name."""
    index = statement.refused_index()
    if index is None or not statement.tokens[index].is_name:
        return None
    concept = _concept(statement, index)
    condition = _condition(statement, index)
    if concept is None or condition is None:
        return None
    source, node, edge = concept
    alias = statement.fresh_name("e"), statement.fresh_name(node.name[0].lower())
    ends = ("$from_id", "$to_id") if edge.to_table == node.name else ("$to_id", "$from_id")
    negated, text = condition.negated, statement.text(TokenRange(index + 1, condition.last))
    if negated:
        text = re.sub(r"^(<>|!=)", "=", re.sub(r"^NOT\s+", "", text, flags=re.IGNORECASE))
    schema = statement.contract.schema_name
    exists = (
        f"{'NOT ' if negated else ''}EXISTS (SELECT 1 FROM {schema}.{edge.name} AS {alias[0]} "
        f"JOIN {schema}.{node.name} AS {alias[1]} ON {alias[1]}.$node_id = {alias[0]}.{ends[1]} "
        f"WHERE {alias[0]}.{ends[0]} = {source.alias}.$node_id AND {alias[1]}.{node.label} {text})"
    )
    edit = Edit(statement.start(condition.first), statement.tokens[condition.last - 1].end, exists)
    why = f"{node.name} is no column: {source.table} is joined with it by {edge.name}."
    return correct([edit], why)


class _Found:
    """A comparison by token indexes, and whether it is one by NOT or <>."""

    def __init__(self, first: int, last: int, *, negated: bool) -> None:
        self.first, self.last, self.negated = first, last, negated


def _condition(statement: RefusedStatement, index: int) -> _Found | None:
    first = index - 2 if statement.upper(index - 1) == "." else index
    sign = index + 1
    negated = statement.upper(sign) in ("NOT", "<>", "!=")
    sign += statement.upper(sign) == "NOT"
    if statement.upper(sign) not in SIGNS or statement.upper(first - 1) not in CLAUSES:
        return None
    if statement.upper(sign + 1) == "(":
        last = past_parenthesis(statement.tokens, sign + 1)
        values = statement.tokens[sign + 2 : last - 1]
    else:
        last = sign + 2
        values = statement.tokens[sign + 1 : last]
    plain = all(value.kind == "string" or value.text == "," for value in values)
    return _Found(first, last, negated=negated) if values and plain else None


def _concept(
    statement: RefusedStatement, index: int
) -> tuple[SourceTokens, NodeTable, Connection] | None:
    """Return the one source and edge by which a column's name leads to a node table."""
    name = re.sub(
        r"(?<=\w)_?(name|title)s?$", "", statement.tokens[index].name, flags=re.IGNORECASE
    )
    label = same_word(name, [node.name for node in statement.contract.nodes])
    node = statement.contract.node(label) if label else None
    if statement.upper(index - 1) == ".":
        sources = [statement.source_of(statement.tokens[index - 2].name, index)]
    else:
        sources = [source for select in statement.enclosing(index)[:1] for source in select.sources]
    concepts = [
        (source, node, edge)
        for source in sources
        if source is not None and node is not None
        for edge in statement.contract.connections
        if statement.node_of(source) and edge.ends == _ends(statement, source, node)
    ]
    return concepts[0] if len(concepts) == 1 else None


def _ends(statement: RefusedStatement, source: SourceTokens, node: NodeTable) -> set[str]:
    own = statement.node_of(source)
    return {own.name, node.name} if own is not None and own.name != node.name else set()


def joining_table(statement: RefusedStatement) -> Correction | None:
    """A joining table such as MovieGenre or movie_themes is the edge between the two."""
    edits: list[Edit] = []
    for source in statement.sources:
        edge = _joining(statement, source.table) if source.table else None
        if edge is not None and source.table.lower() not in statement.cte_names:
            token = source.parts[-1]
            edits.append(Edit(token.start, token.end, edge.name))
            if source.alias_at is None and _is_used(statement, source.table):
                edits[-1] = Edit(token.start, token.end, f"{edge.name} AS {source.table}")
    return correct(edits, "In the graph an edge joins the two tables.")


def _is_used(statement: RefusedStatement, name: str) -> bool:
    return any(
        token.is_name and token.name.lower() == name.lower() and statement.upper(index + 1) == "."
        for index, token in enumerate(statement.tokens)
    )


def _joining(statement: RefusedStatement, name: str) -> EdgeTable | None:
    if statement.contract.edge(name) or statement.contract.node(name):
        return None
    word = fold_name(name)
    edges = [
        edge
        for edge in statement.contract.edges
        if any(
            _joins(word, _called(statement, pair.from_table), _called(statement, pair.to_table))
            for pair in edge.pairs
        )
    ]
    return edges[0] if len(edges) == 1 else None


def _called(statement: RefusedStatement, table: str) -> set[str]:
    """Return the names of a table, in singular and plural."""
    names = names_of(statement.contract, table)
    return names | {f"{name}s" for name in names} | {f"{n[:-1]}ies" for n in names if n[-1] == "y"}


def _joins(word: str, left: set[str], right: set[str]) -> bool:
    """Return whether a name joins the names of two tables, in any order."""
    return any(
        word.startswith(first) and word.removeprefix(first) in {f"{link}{last}" for link in LINKS}
        for firsts, lasts in ((left, right), (right, left))
        for first in firsts
        for last in lasts
        if word.startswith(first) and word.endswith(last)
    )
