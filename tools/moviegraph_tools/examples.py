"""What examples for clients name: records, columns and statements of the graph that is served."""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from moviegraph.contract.markdown import contract_values, end_aliases, one_hop
from moviegraph.contract.model import Column, Connection, Contract, NodeTable
from moviegraph.contract.samples import PLAIN_NAME, Record, Samples

MAX_QUERY_CHARS = 60
NUMBERS = frozenset({"INT", "BIGINT", "FLOAT", "DECIMAL"})
DATES = frozenset({"DATE", "DATETIME2"})


@dataclass(frozen=True)
class ExampleData:
    """Names and statements for examples over one contract.

    They are the samples that the load chose, so that each example returns rows; without a loaded
    graph they are what the examples of the contract name.
    """

    contract: Contract

    @cached_property
    def samples(self) -> Samples:
        """The samples of the data, else those of the contract's statements."""
        stored = self.contract.samples
        return stored if stored.records else _named_in_examples(self.contract)

    @property
    def kind(self) -> NodeTable:
        """The first kind: the default of searches."""
        return self.contract.nodes[0]

    @property
    def record(self) -> Record:
        """A well-linked node of the first kind."""
        return self._of_kind(self.kind.name) or (1, "")

    @property
    def reference(self) -> str | int:
        """The name of that node, or its id where the name is long or has signs."""
        return _reference(self.record)

    @cached_property
    def edge(self) -> tuple[Connection, Record] | None:
        """An edge and a node that has it, of the first kind if possible; None without edges."""
        links = sorted(self.samples.links, key=lambda link: link.kind != self.kind.name)
        for link in links:
            for pair in self.contract.connections:
                if pair.name == link.edge and pair.ends == {link.kind, link.end_kind}:
                    return pair, link.record
        pair = self.contract.default_connection
        return (pair, self._of_kind(self._start(pair).name) or (1, "")) if pair else None

    @property
    def only(self) -> str | None:
        """What the node is linked to, with its kind; None without edges."""
        return next(iter(self._ends), None)

    @property
    def exclude(self) -> str:
        """What other nodes of that kind are linked to, if possible; the node without edges."""
        return self._ends[-1] if self._ends else f"{self.kind.name}:{self.reference}"

    @cached_property
    def _ends(self) -> list[str]:
        links = [link for link in self.samples.links if link.kind == self.kind.name]
        if links:
            return [f"{link.end_kind}:{_reference(link.end)}" for link in links]
        joined = (pair.ends - {self.kind.name} for pair in self.contract.connections)
        records = ((kind, self._of_kind(kind)) for ends in joined for kind in ends)
        found = [f"{kind}:{_reference(record)}" for kind, record in records if record]
        return found[:1]

    def _of_kind(self, kind: str) -> Record | None:
        """Return a node of a kind: of a link, if there is one."""
        linked = [link.record for link in self.samples.links if link.kind == kind]
        return next(iter((*linked, *self.samples.records.get(kind, ()))), None)

    def _start(self, pair: Connection) -> NodeTable:
        """Return the table of the named end of an edge: that of the first kind, if it has one."""
        kind = self.kind.name if self.kind.name in pair.ends else pair.from_table
        return self.contract.node(kind) or self.kind

    @cached_property
    def where(self) -> str:
        """A condition that a node of the first kind satisfies."""
        values = self.samples.values.get(self.kind.name, {})
        columns = [column for column in self.kind.extra if column.name != self.kind.source_key]
        conditions = [_condition(column, values.get(column.name)) for column in columns]
        compared = _compared_in_examples(self.contract, columns)
        first_letter = self.record[1][:1].replace("'", "''")
        begins = f"{self.kind.label} LIKE '{first_letter}%'"
        return next(filter(None, (*conditions, compared)), begins)

    @property
    def query(self) -> str:
        """A text to search for by meaning."""
        texts = sorted((e.query for e in self.contract.examples if e.query), key=len)
        return re.split(r"[,.;:]", texts[0])[0][:MAX_QUERY_CHARS] if texts else self.record[1]

    @property
    def question(self) -> str:
        """A question that a statement of the contract answers."""
        about = f"What is known about {self.record[1]}?"
        return min((e.question for e in self.contract.examples), key=len, default=about)

    @property
    def statement(self) -> str:
        """A statement along an edge from a named node, or one over a graph without edges."""
        if self.edge is None:
            return f"SELECT {_columns(self.kind)} WHERE {_equals('n', self.kind, self.record)}"
        pair, record = self.edge
        first, (start, end) = self._start(pair), end_aliases(pair)
        other = self.contract.node(next(iter(pair.ends - {first.name}), first.name)) or first
        if first.name != pair.from_table:
            start, end = end, start
        return f"SELECT {end}.{other.label} {one_hop(pair)} AND {_equals(start, first, record)}"

    @property
    def foreign(self) -> str:
        """A statement of another dialect, which fix_sql repairs."""
        return f"SELECT {_columns(self.kind)} LIMIT 5"

    @property
    def ranking(self) -> tuple[str, str | None]:
        """A statement that orders nodes for a strategy, and the text of @q, if it uses one."""
        node = next(iter(self.contract.nodes_by_meaning), None)
        if node is None:
            return self.statement, None
        distance = f"VECTOR_DISTANCE('cosine', n.{node.vector}, @q)"
        return f"SELECT TOP 20 {_columns(node)} ORDER BY {distance}", self.query

    @property
    def word(self) -> str:
        """A text that full-text search finds: the name of the node, or its longest word."""
        name = self.record[1]
        words = re.findall(r"\w+", name)
        return name if PLAIN_NAME.fullmatch(name) else max(words, key=len, default="1")

    @property
    def walk(self) -> dict[str, Any] | None:
        """Arguments of graph_traverse; None for a graph without edges."""
        if self.edge is None:
            return None
        pair, record = self.edge
        kind = self._start(pair)
        named = {} if kind == self.kind else {"start_kind": kind.name}
        return {**named, "start": [_reference(record)], "path": [pair.name] * 2}

    def with_vectors(self, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """Return arguments with the first kind that has vectors; None for a graph without."""
        node = next(iter(self.contract.nodes_by_meaning), None)
        if node is None:
            return None
        return arguments if node == self.kind else {**arguments, "kind": node.name}

    def words(self) -> dict[str, str]:
        """Return the placeholders of descriptions."""
        return contract_values(self.contract) | {
            "name": str(self.reference),
            "only": self.only or "",
            "exclude": self.exclude,
            "where": self.where,
            "edge_column": next((c.name for e in self.contract.edges for c in e.columns), ""),
            "language": self.contract.language,
        }


def _columns(node: NodeTable) -> str:
    return f"n.{node.key}, n.{node.label} FROM {node.name} AS n"


def _reference(record: Record) -> str | int:
    return record[1] if PLAIN_NAME.fullmatch(record[1]) else record[0]


def _equals(alias: str, node: NodeTable, record: Record) -> str:
    reference = _reference(record)
    if isinstance(reference, int):
        return f"{alias}.{node.key} = {reference}"
    return f"{alias}.{node.label} = '{reference}'"


def _condition(column: Column, value: str | None) -> str | None:
    """Return a condition that a value of a column satisfies; None without one that is short."""
    kind = column.column_type.name
    if value is None:
        return None
    if kind in NUMBERS:
        return f"{column.name} >= {value}"
    if kind in DATES:
        return f"{column.name} >= '{value}'"
    if kind == "NVARCHAR" and PLAIN_NAME.fullmatch(value):
        return f"{column.name} = '{value}'"
    return None


def _named_in_examples(contract: Contract) -> Samples:
    """Return the names that the contract's statements compare with; ids are unknown there."""
    names: dict[str, list[Record]] = defaultdict(list)
    for example in contract.examples:
        for node in contract.nodes:
            aliases = re.findall(rf"\b{node.name}(?:\s+FOR\s+PATH)?\s+AS\s+(\w+)", example.sql)
            compared = re.findall(rf"\b(\w+)\.{node.label}\s*=\s*N?'([^']+)'", example.sql)
            names[node.name] += [(1, name) for alias, name in compared if alias in aliases]
    return Samples({kind: tuple(records) for kind, records in names.items() if records})


def _compared_in_examples(contract: Contract, columns: list[Column]) -> str | None:
    """Return the first condition of the contract's statements on a number of the first kind."""
    names = "|".join(column.name for column in columns if column.column_type.name in NUMBERS)
    texts = (example.sql for example in contract.examples)
    found = (re.search(rf"\.({names})\s*(>=|<=|=|>|<)\s*(\d+)", text) for text in texts)
    return next((" ".join(match.groups()) for match in found if match), None) if names else None
