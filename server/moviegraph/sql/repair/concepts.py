"""What a relational schema would have as columns and joining tables, and the graph has as edges."""

import re

from moviegraph.contract.model import Connection, EdgeTable, NodeTable
from moviegraph.sql.repair.broken import Broken
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.names import SYSTEM_SCHEMAS, names_of
from moviegraph.sql.repair.nearness import folded, same_word
from moviegraph.sql.repair.outline import Range, Source, past_parenthesis

SIGNS = frozenset({"=", "LIKE", "IN", "<>", "!="})
CLAUSES = frozenset({"WHERE", "AND", "OR", "(", "ON", "NOT"})


def concept_column(broken: Broken) -> Correction | None:
    """A condition on m.Genre = 'Drama' asks for an edge to a genre of that name."""
    at = broken.at_span()
    if at is None or not broken.pieces[at].is_name:
        return None
    found = _concept(broken, at)
    condition = _condition(broken, at)
    if found is None or condition is None:
        return None
    source, node, edge = found
    alias = _fresh(broken, "e"), _fresh(broken, node.name[0].lower())
    ends = ("$from_id", "$to_id") if edge.to_table == node.name else ("$to_id", "$from_id")
    negated, text = condition.negated, broken.text(Range(at + 1, condition.last))
    if negated:
        text = re.sub(r"^(<>|!=)", "=", re.sub(r"^NOT\s+", "", text, flags=re.IGNORECASE))
    schema = broken.contract.schema_name
    exists = (
        f"{'NOT ' if negated else ''}EXISTS (SELECT 1 FROM {schema}.{edge.name} AS {alias[0]} "
        f"JOIN {schema}.{node.name} AS {alias[1]} ON {alias[1]}.$node_id = {alias[0]}.{ends[1]} "
        f"WHERE {alias[0]}.{ends[0]} = {source.alias}.$node_id AND {alias[1]}.{node.label} {text})"
    )
    edit = Edit(broken.start(condition.first), broken.pieces[condition.last - 1].end, exists)
    why = f"{node.name} is no column: {source.table} is joined with it by {edge.name}."
    return corrected([edit], why)


class _Found:
    """A comparison by piece numbers, and whether it is one by NOT or <>."""

    def __init__(self, first: int, last: int, *, negated: bool) -> None:
        self.first, self.last, self.negated = first, last, negated


def _condition(broken: Broken, at: int) -> _Found | None:
    first = at - 2 if broken.upper(at - 1) == "." else at
    sign = at + 1
    negated = broken.upper(sign) in ("NOT", "<>", "!=")
    sign += broken.upper(sign) == "NOT"
    if broken.upper(sign) not in SIGNS or broken.upper(first - 1) not in CLAUSES:
        return None
    if broken.upper(sign + 1) == "(":
        last = past_parenthesis(broken.pieces, sign + 1)
        values = broken.pieces[sign + 2 : last - 1]
    else:
        last = sign + 2
        values = broken.pieces[sign + 1 : last]
    plain = all(value.kind == "string" or value.text == "," for value in values)
    return _Found(first, last, negated=negated) if values and plain else None


def _concept(broken: Broken, at: int) -> tuple[Source, NodeTable, Connection] | None:
    """Return the one source and edge by which a column's name leads to a node table."""
    name = re.sub(r"(?<=\w)_?(name|title)s?$", "", broken.pieces[at].name, flags=re.IGNORECASE)
    label = same_word(name, [node.name for node in broken.contract.nodes])
    node = broken.contract.node(label) if label else None
    if broken.upper(at - 1) == ".":
        sources = [broken.source_of(broken.pieces[at - 2].name, at)]
    else:
        sources = [source for select in broken.around(at)[:1] for source in select.sources]
    found = [
        (source, node, edge)
        for source in sources
        if source is not None and node is not None
        for edge in broken.contract.connections
        if broken.node_of(source) and edge.ends == _ends(broken, source, node)
    ]
    return found[0] if len(found) == 1 else None


def _ends(broken: Broken, source: Source, node: NodeTable) -> set[str]:
    own = broken.node_of(source)
    return {own.name, node.name} if own is not None and own.name != node.name else set()


def joining_table(broken: Broken) -> Correction | None:
    """A joining table such as MovieGenre or movie_themes is the edge between the two."""
    edits: list[Edit] = []
    for source in broken.sources:
        edge = _joining(broken, source.table) if source.table else None
        if edge is not None and source.table.lower() not in broken.cte_names:
            piece = source.parts[-1]
            edits.append(Edit(piece.start, piece.end, edge.name))
            if source.alias_at is None and _is_used(broken, source.table):
                edits[-1] = Edit(piece.start, piece.end, f"{edge.name} AS {source.table}")
    return corrected(edits, "In the graph an edge joins the two tables.")


def _is_used(broken: Broken, name: str) -> bool:
    return any(
        piece.is_name and piece.name.lower() == name.lower() and broken.upper(at + 1) == "."
        for at, piece in enumerate(broken.pieces)
    )


def _joining(broken: Broken, name: str) -> EdgeTable | None:
    if broken.contract.edge(name) or broken.contract.node(name):
        return None
    word = folded(name)
    found = [
        edge
        for edge in broken.contract.edges
        if any(
            word in _joined_names(_called(broken, pair.from_table), _called(broken, pair.to_table))
            for pair in edge.pairs
        )
    ]
    return found[0] if len(found) == 1 else None


def _called(broken: Broken, table: str) -> set[str]:
    """Return the names of a table, in singular and plural."""
    names = names_of(broken.contract, table)
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


def foreign_database(broken: Broken) -> Correction | None:
    """The name of a database in front of schema and table is dropped: there is only one."""
    edits = [
        Edit(source.parts[0].start, source.parts[-1].start, "")
        for source in broken.sources
        if len(source.parts) == 3
        and _is_ours(broken, source.parts[0].name)
        and not {part.name.lower() for part in source.parts[:2]} & SYSTEM_SCHEMAS
        and same_word(source.table, broken.contract.table_names) is not None
    ]
    return corrected(edits, "One database is served; tables are named alone.")


def _is_ours(broken: Broken, name: str) -> bool:
    """Whether a name of a database can only be that of this graph."""
    word = folded(name)
    known = [folded(node.name) for node in broken.contract.nodes] + [folded(broken.contract.name)]
    return word in ("db", "database", "graph", "mydb") or any(each in word for each in known)


def own_key(broken: Broken) -> Correction | None:
    """A ranked search is joined by the key: m.$node_id = k.[KEY] is m.Id = k.[KEY]."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        if piece.upper != "=" or at < 3 or at + 3 >= len(broken.pieces):
            continue
        for mine, other in ((at - 3, at + 1), (at + 1, at - 3)):
            keyed = broken.pieces[other + 2].name.upper() == "KEY"
            node = broken.node_of(broken.source_of(broken.pieces[mine].name, mine))
            column = broken.pieces[mine + 2]
            if keyed and node is not None and column.name.lower() == "$node_id":
                edits.append(Edit(column.start, column.end, node.key))
    return corrected(edits, "[KEY] holds the key column of the table.")


def _fresh(broken: Broken, letter: str) -> str:
    taken = {piece.name.lower() for piece in broken.pieces if piece.is_name}
    return next(f"{letter}{n}" for n in range(1, len(taken) + 2) if f"{letter}{n}" not in taken)
