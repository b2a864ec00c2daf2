"""Syntax tree of a statement that sqlglot reads and the guard refuses, and changes to it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from moviegraph.contract.model import Contract, EdgeTable, NodeTable
from moviegraph.sql.decision import RefusalError
from moviegraph.sql.joins import items_of
from moviegraph.sql.lowering import Lowered, lower_text
from moviegraph.sql.match_checks import match_calls
from moviegraph.sql.match_patterns import Chain, Match, Pattern, ShortestPath, Step
from moviegraph.sql.parser import parse
from moviegraph.sql.render import check_faithful, render, same_tree
from moviegraph.sql.syntax_tree import conjuncts, nodes_above, nodes_of

StepChange = Callable[[exp.Select, str, Step], Step]


@dataclass(slots=True)
class StatementTree:
    """The lowered tree of one statement, with its MATCH patterns; rules change a copy of it."""

    root: exp.Query
    matches: list[Match]
    contract: Contract
    lowered: Lowered

    def is_faithful(self) -> bool:
        """Return whether the tree, written out, has the words of the statement."""
        try:
            check_faithful(self.lowered, self.root)
        except RefusalError:
            return False
        return True

    def copy(self) -> "StatementTree":
        """Return a tree to change."""
        root = self.root.copy()
        return StatementTree(root, list(self.matches), self.contract, self.lowered)

    def is_same(self, other: "StatementTree") -> bool:
        """Return whether two trees, and their patterns, are the same."""
        return self.matches == other.matches and same_tree(self.root, other.root)

    def sql(self) -> str:
        """Return the statement as T-SQL."""
        return render(self.root, tuple(self.matches))

    def selects(self) -> list[exp.Select]:
        """Return every SELECT, outer ones first."""
        return nodes_of(self.root, exp.Select)

    def item(self, alias: str, node: exp.Expr) -> exp.Expr | None:
        """Return the item of FROM that an alias means at a node, in its SELECT or one around."""
        select = node if isinstance(node, exp.Select) else node.find_ancestor(exp.Select)
        while select is not None:
            item = sources(select).get(alias.lower())
            if item is not None:
                return item
            select = select.find_ancestor(exp.Select)
        return None

    def table(self, alias: str, node: exp.Expr) -> str:
        """Return the name of the table that an alias means at a node, or ''."""
        item = self.item(alias, node)
        return item.name if isinstance(item, exp.Table) else ""

    def node_of(self, alias: str, node: exp.Expr) -> NodeTable | None:
        """Return the node table that an alias means at a node."""
        return self.contract.node(self.table(alias, node))

    def edge_of(self, alias: str, node: exp.Expr) -> EdgeTable | None:
        """Return the edge table that an alias means at a node."""
        return self.contract.edge(self.table(alias, node))

    def fresh_name(self, letter: str) -> str:
        """Return the first of e1, e2 ... that nothing is called."""
        names = {name.name.lower() for name in nodes_of(self.root, exp.Identifier)}
        names |= {name.lower() for match in self.matches for name in names_of_match(match)}
        return next(f"{letter}{n}" for n in range(1, len(names) + 2) if f"{letter}{n}" not in names)

    def add_source(self, select: exp.Select, table: str, alias: str) -> None:
        """List a table of the contract first in FROM."""
        first: exp.From = select.args["from_"]
        joins: list[exp.Join] = select.args.get("joins") or []
        select.set("joins", [exp.Join(this=first.this), *joins])
        select.set("from_", exp.From(this=self.source(table, alias)))

    def source(self, table: str, alias: str) -> exp.Table:
        """Return an item of FROM."""
        return exp.table_(table, db=self.contract.schema_name, alias=alias)

    def patterns(self, select: exp.Select) -> list[Pattern]:
        """Return the patterns of every MATCH of one SELECT."""
        return [p for call in match_calls(select) for p in self.matches[match_index(call)].patterns]

    def change_steps(self, change: StepChange) -> None:
        """Replace each step of each pattern; the change gets the alias of the node before it."""
        for select in self.selects():
            for call in match_calls(select):
                index = match_index(call)
                patterns = [_changed(p, select, change) for p in self.matches[index].patterns]
                self.matches[index] = Match(tuple(patterns))


def read_tree(sql: str, contract: Contract) -> StatementTree | None:
    """Return the tree of a statement, or None where it cannot be parsed.

    A statement with || has none: sqlglot writes it as +, which adds numbers.
    """
    try:
        _, lowered = lower_text(sql)
        root = parse(lowered)
    except RefusalError:
        return None
    if any(token.token_type is TokenType.DPIPE for token in lowered.tokens):
        return None
    return StatementTree(root, list(lowered.matches), contract, lowered)


def sources(select: exp.Select) -> dict[str, exp.Expr]:
    """Return the items of a FROM by alias in lower case."""
    return {item.alias_or_name.lower(): item for item in items_of(select)}


def add_condition(select: exp.Select, condition: exp.Expr) -> None:
    """Add a condition to those of WHERE."""
    where = select.args.get("where")
    parts = conjuncts(where.this) if where is not None else []
    select.set("where", exp.Where(this=exp.and_(*parts, condition)))


def own_nodes(select: exp.Select) -> list[exp.Expr]:
    """Return the nodes of a SELECT, none of those in SELECTs within it."""
    return nodes_above(select, lambda n: n is not select and isinstance(n, exp.Query))


def clause_of(node: exp.Expr, select: exp.Select) -> str:
    """Return the clause of a SELECT that a node is in, as sqlglot calls it."""
    while node.parent is not None and node.parent is not select:
        node = node.parent
    return node.arg_key or ""


def match_index(call: exp.Anonymous) -> int:
    """Return the index of the patterns of a lowered MATCH."""
    return int(call.expressions[0].name)


def names_of_match(match: Match) -> Iterator[str]:
    """Yield the aliases in patterns."""
    for pattern in match.patterns:
        if isinstance(pattern, Chain | ShortestPath):
            yield pattern.start
            for step in pattern.steps:
                yield from (step.edge, step.node)
        else:
            yield from (pattern.left, pattern.right)


def _changed(pattern: Pattern, select: exp.Select, change: StepChange) -> Pattern:
    if not isinstance(pattern, Chain | ShortestPath):
        return pattern
    steps, left = list[Step](), pattern.start
    for step in pattern.steps:
        steps.append(change(select, left, step))
        left = step.node
    return replace(pattern, steps=tuple(steps))


def rename_aliases(match: Match, names: dict[str, str]) -> Match:
    """Return patterns with other aliases; `names` are the new ones by the old in lower case."""

    def name(alias: str) -> str:
        return names.get(alias.lower(), alias)

    patterns: list[Pattern] = []
    for pattern in match.patterns:
        if isinstance(pattern, Chain | ShortestPath):
            steps = tuple(
                replace(step, edge=name(step.edge), node=name(step.node)) for step in pattern.steps
            )
            patterns.append(replace(pattern, start=name(pattern.start), steps=steps))
        else:
            patterns.append(pattern)
    return Match(tuple(patterns))
