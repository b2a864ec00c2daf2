"""Keys, joining tables and columns of a relational schema, which a graph has as edges."""

import re

from sqlglot import exp

from moviegraph.contract.model import Connection, Contract, EdgeTable, NodeTable
from moviegraph.repair.context import tree_rule
from moviegraph.repair.names import fold_identifier, same_word
from moviegraph.repair.statement_tree import StatementTree, sources
from moviegraph.sql.joins import items_of
from moviegraph.sql.syntax_tree import nodes_of, string_value

FROM_WORDS = frozenset({"from", "fromid", "source", "sourceid", "start", "startid"})
TO_WORDS = frozenset({"to", "toid", "target", "targetid", "end", "endid", "destination"})
LINKS = ("", "has", "to", "in")
LABEL_SUFFIX = re.compile(r"(?<=\w)_?(name|title)s?$", re.IGNORECASE)
Concept = tuple[str, NodeTable, Connection]


def names_of(contract: Contract, table: str) -> set[str]:
    """Return the folded names that a table has in the contract and its glossary."""
    words = (entry.word for entry in contract.glossary.tables if entry.table == table)
    return {fold_identifier(table), *map(fold_identifier, words)}


@tree_rule("Edges join by $from_id and $to_id to the $node_id of nodes.")
def edge_keys(tree: StatementTree) -> None:
    """An edge has no keys of its own: e.MovieId = m.Id is e.$from_id = m.$node_id."""
    for test in nodes_of(tree.root, exp.EQ):
        operands = (test.this, test.expression)
        for mine, other in (operands, operands[::-1]):
            if isinstance(mine, exp.Column) and isinstance(other, exp.Column):
                _join_edge(tree, mine, other)


def _join_edge(tree: StatementTree, mine: exp.Column, other: exp.Column) -> None:
    """Join by pseudo-columns where one column is an edge's, and the other the key of a node."""
    edge, node = tree.edge_of(mine.table, mine), tree.node_of(other.table, other)
    if edge is None or node is None:
        return
    end = _end(tree.contract, edge, node.name, fold_identifier(mine.name))
    keys = {f"{name}id" for name in names_of(tree.contract, node.name)}
    if end and fold_identifier(other.name) in {node.key.lower(), "$nodeid", "nodeid", *keys}:
        _rename(mine, end)
        _rename(other, "$node_id")


def _rename(column: exp.Column, name: str) -> None:
    column.set("this", exp.Identifier(this=name, quoted=False))


def _end(contract: Contract, edge: EdgeTable, node: str, word: str) -> str | None:
    """Return the pseudo-column that a made-up key of an edge means, given the node it meets."""
    word = word.removeprefix("$")
    starts = {pair.from_table for pair in edge.pairs}
    ends = {pair.to_table for pair in edge.pairs}
    called = names_of(contract, node)
    for end, tables, words in (("$from_id", starts, FROM_WORDS), ("$to_id", ends, TO_WORDS)):
        if node not in tables:
            continue
        is_named = word in words or word == "id" or word in called or word[:-2] in called
        if is_named and (node not in starts & ends or word in words):
            return end
    return None


@tree_rule("The ends of an edge are $from_id and $to_id.")
def edge_end(tree: StatementTree) -> None:
    """e.MovieId of an edge is the end of the edge at that table."""
    for column in nodes_of(tree.root, exp.Column):
        edge, word = tree.edge_of(column.table, column), fold_identifier(column.name)
        if edge is None or word.startswith("$") or not word.endswith("id"):
            continue
        ends = {
            end
            for pair in edge.pairs
            for end, table in (("$from_id", pair.from_table), ("$to_id", pair.to_table))
            if word.removesuffix("id") in names_of(tree.contract, table)
        }
        if len(ends) == 1:
            _rename(column, ends.pop())


@tree_rule("A kind of node is no column: EXISTS looks for an edge to it.")
def concept_column(tree: StatementTree) -> None:
    """A condition on m.Genre = 'Drama' asks for an edge to a genre of that name."""
    for column in nodes_of(tree.root, exp.Column):
        test, concept = column.parent, _concept(tree, column)
        if concept is None or test is None or not _compares_texts(test):
            continue
        if test.this is not column:
            continue
        is_denied = isinstance(test.parent, exp.Not)
        negated = is_denied or isinstance(test, exp.NEQ) or bool(test.args.get("negate"))
        exists = exp.Exists(this=_linked(tree, test, concept))
        full_test = test.parent if is_denied and test.parent is not None else test
        full_test.replace(exp.Not(this=exists) if negated else exists)


def _compares_texts(test: exp.Expr) -> bool:
    if isinstance(test, exp.EQ | exp.NEQ | exp.Like):
        return string_value(test.expression) is not None
    is_list = isinstance(test, exp.In) and bool(test.expressions)
    return is_list and all(string_value(item) is not None for item in test.expressions)


def _linked(tree: StatementTree, test: exp.Expr, concept: Concept) -> exp.Select:
    """Return the SELECT of the linked nodes that meet a comparison, without its negation."""
    alias, node, edge = concept
    names = tree.fresh_name("e"), tree.fresh_name(node.name[0].lower())
    own, other = ("$from_id", "$to_id") if edge.to_table == node.name else ("$to_id", "$from_id")
    condition = test.copy()
    condition.this.replace(exp.column(node.label, names[1]))
    if isinstance(condition, exp.NEQ):
        condition = exp.EQ(this=condition.this, expression=condition.expression)
    condition.set("negate", None)
    join_condition = exp.column("$node_id", names[1]).eq(exp.column(other, names[0]))
    tied = exp.column(own, names[0]).eq(exp.column("$node_id", alias))
    return exp.Select(
        expressions=[exp.Literal.number(1)],
        from_=exp.From(this=tree.source(edge.name, names[0])),
        joins=[exp.Join(this=tree.source(node.name, names[1]), on=join_condition)],
        where=exp.Where(this=exp.and_(tied, condition)),
    )


def _concept(tree: StatementTree, column: exp.Column) -> Concept | None:
    """Return the one source and edge by which a column's name leads to a node table."""
    contract, select = tree.contract, column.find_ancestor(exp.Select)
    label = same_word(LABEL_SUFFIX.sub("", column.name), [node.name for node in contract.nodes])
    node = contract.node(label) if label else None
    if node is None or select is None:
        return None
    aliases = [column.table] if column.table else [i.alias_or_name for i in items_of(select)]
    owners = [(alias, owner) for alias in aliases if (owner := tree.node_of(alias, column))]
    concepts = [
        (alias, node, edge)
        for alias, owner in owners
        for edge in contract.connections
        if owner.name != node.name and edge.ends == {owner.name, node.name}
    ]
    return concepts[0] if len(concepts) == 1 else None


@tree_rule("In the graph an edge joins the two tables.")
def joining_table(tree: StatementTree) -> None:
    """A joining table such as MovieGenre or movie_themes is the edge between the two."""
    ctes = {cte.alias.lower() for cte in nodes_of(tree.root, exp.CTE)}
    used = {column.table.lower() for column in nodes_of(tree.root, exp.Column)}
    for select in tree.selects():
        for item in sources(select).values():
            name = item.name if isinstance(item, exp.Table) else ""
            edge = _joining(tree.contract, name) if name and name.lower() not in ctes else None
            if edge is not None:
                item.set("this", exp.to_identifier(edge.name))
                if not item.alias and name.lower() in used:
                    item.set("alias", exp.TableAlias(this=exp.to_identifier(name)))


def _joining(contract: Contract, name: str) -> EdgeTable | None:
    if contract.edge(name) or contract.node(name):
        return None
    word = fold_identifier(name)
    edges = [
        edge
        for edge in contract.edges
        if any(
            _joins(word, _called(contract, pair.from_table), _called(contract, pair.to_table))
            for pair in edge.pairs
        )
    ]
    return edges[0] if len(edges) == 1 else None


def _called(contract: Contract, table: str) -> set[str]:
    """Return the names of a table, in singular and plural."""
    names = names_of(contract, table)
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
