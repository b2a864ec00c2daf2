"""What a relational schema would have as columns and joining tables, and the graph has as edges."""

import re

from moviegraph.contract.model import Connection, EdgeTable, NodeTable
from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.names import SYSTEM_SCHEMAS, names_of
from moviegraph.repair.nearness import fold_name, same_word
from moviegraph.repair.outline import SourceTokens, TokenRange, past_parenthesis
from moviegraph.repair.context import RefusedStatement

SIGNS = frozenset({"=", "LIKE", "IN", "<>", "!="})
CLAUSES = frozenset({"WHERE", "AND", "OR", "(", "ON", "NOT"})


def concept_column(statement: RefusedStatement) -> Correction | None:
    """A condition on m.Genre = 'Drama' asks for an edge to a genre of that name."""
    index = statement.refused_index()
    if index is None or not statement.tokens[index].is_name:
        return None
    found = _concept(statement, index)
    condition = _condition(statement, index)
    if found is None or condition is None:
        return None
    source, node, edge = found
    alias = _fresh(statement, "e"), _fresh(statement, node.name[0].lower())
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
    """A comparison by piece numbers, and whether it is one by NOT or <>."""

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
        sources = [source for select in statement.around(index)[:1] for source in select.sources]
    found = [
        (source, node, edge)
        for source in sources
        if source is not None and node is not None
        for edge in statement.contract.connections
        if statement.node_of(source) and edge.ends == _ends(statement, source, node)
    ]
    return found[0] if len(found) == 1 else None


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
    found = [
        edge
        for edge in statement.contract.edges
        if any(
            word
            in _joined_names(_called(statement, pair.from_table), _called(statement, pair.to_table))
            for pair in edge.pairs
        )
    ]
    return found[0] if len(found) == 1 else None


def _called(statement: RefusedStatement, table: str) -> set[str]:
    """Return the names of a table, in singular and plural."""
    names = names_of(statement.contract, table)
    return names | {f"{name}s" for name in names} | {f"{n[:-1]}ies" for n in names if n[-1] == "y"}


def _joined_names(ones: set[str], others: set[str]) -> set[str]:
    """Return what people call the table that joins two: both names, in either order."""
    between = ("", "has", "to", "in")
    return {
        f"{left}{word}{right}"
        for lefts, rights in ((ones, others), (others, ones))
        for left in lefts
        for right in rights
        for word in between
    }


def foreign_database(statement: RefusedStatement) -> Correction | None:
    """The name of a database in front of schema and table is dropped: there is only one."""
    edits = [
        Edit(source.parts[0].start, source.parts[-1].start, "")
        for source in statement.sources
        if len(source.parts) == 3
        and _is_ours(statement, source.parts[0].name)
        and not {part.name.lower() for part in source.parts[:2]} & SYSTEM_SCHEMAS
        and same_word(source.table, statement.contract.table_names) is not None
    ]
    return correct(edits, "One database is served; tables are named alone.")


def _is_ours(statement: RefusedStatement, name: str) -> bool:
    """Whether a name of a database can only be that of this graph."""
    word = fold_name(name)
    known = [fold_name(node.name) for node in statement.contract.nodes] + [
        fold_name(statement.contract.name)
    ]
    return word in ("db", "database", "graph", "mydb") or any(each in word for each in known)


def own_key(statement: RefusedStatement) -> Correction | None:
    """A ranked search is joined by the key: m.$node_id = k.[KEY] is m.Id = k.[KEY]."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if token.upper != "=" or index < 3 or index + 3 >= len(statement.tokens):
            continue
        for mine, other in ((index - 3, index + 1), (index + 1, index - 3)):
            keyed = statement.tokens[other + 2].name.upper() == "KEY"
            node = statement.node_of(statement.source_of(statement.tokens[mine].name, mine))
            column = statement.tokens[mine + 2]
            if keyed and node is not None and column.name.lower() == "$node_id":
                edits.append(Edit(column.start, column.end, node.key))
    return correct(edits, "[KEY] holds the key column of the table.")


def _fresh(statement: RefusedStatement, letter: str) -> str:
    taken = {token.name.lower() for token in statement.tokens if token.is_name}
    return next(f"{letter}{n}" for n in range(1, len(taken) + 2) if f"{letter}{n}" not in taken)
