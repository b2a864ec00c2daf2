"""Contracts for readers: Markdown by section, a page per table, JSON, and `{{placeholders}}`."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from moviegraph.contract import statement_limits
from moviegraph.contract.model import (
    USUAL_COLUMNS,
    Column,
    Connection,
    Contract,
    EdgeTable,
    Example,
    NodeTable,
)
from moviegraph.errors import ContractError, NotFoundError
from moviegraph.names import closest_names
from moviegraph.text import shorten

MAX_TABLES = 30  # of more, an outline has those that are touched, and the names of the rest
MAX_COLUMNS = (100, 30, 10, 4)  # of a table: as many as `MAX_OUTLINE_CHARS` allow
MAX_OUTLINE_CHARS = 6_000
MAX_MEANING_CHARS = 80

Section = Literal["tables", "edges", "examples", "rules", "glossary"]
PLACEHOLDER = re.compile(r"\{\{([\w.]+)\}\}")
SECTION = re.compile(r"\{\{([#^])(\w+)\}\}\n?(.*?)\{\{/\2\}\}(\n?)", re.DOTALL)


def placeholders(contract: Contract) -> dict[str, str]:
    """Return the values for placeholders of prompts, in addition to their arguments."""
    return {
        **contract_values(contract),
        "contract": to_markdown(contract).strip(),
        "rules": rules_markdown(contract).strip(),
        "examples": to_markdown(contract, "examples").strip(),
        "glossary": to_markdown(contract, "glossary").strip(),
    }


def to_markdown(contract: Contract, section: Section | None = None) -> str:
    """Return one section, or without one the contract: what exists, and its glossary."""
    if section is None:
        return "\n".join(render(contract) for render in (_head, _tables, _edges, _glossary))
    return SECTIONS[section](contract)


def table_markdown(contract: Contract, name: str) -> str:
    """Return the page of one node or edge table.

    Raises:
        NotFoundError: No table has that name.
    """
    node, edge = contract.node(name), contract.edge(name)
    if node is not None:
        lines = [f"# {node.name}", "", node.description, "", *_columns(node), ""]
        lines += [_edge_line(edge) for edge in contract.edges_of(node.name)]
        return "\n".join([*lines, "", _body(node.page)])
    if edge is not None:
        return "\n".join((f"# {edge.name}", "", _edge_line(edge), "", _body(edge.page)))
    close = closest_names(name, contract.table_names)
    raise NotFoundError(
        f"No table is named {name!r}.",
        hint=f"Tables: {', '.join(contract.table_names)}.",
        suggestions=close,
    )


@dataclass(frozen=True, slots=True)
class Outline:
    """The tables of a contract in a line each: the node tables, and each pair of an edge table.

    `others` are the names of tables that were left out.
    """

    nodes: list[str]
    edges: list[str]
    others: list[str]


def outline(contract: Contract, touched: Collection[str]) -> Outline:
    """Return every table with its columns; of many tables those that touch some node tables."""
    nodes, connections = contract.nodes, contract.connections
    if len(contract.table_names) > MAX_TABLES:
        connections = tuple(c for c in connections if not c.ends.isdisjoint(touched))
        ends = {*touched}.union(*(connection.ends for connection in connections))
        nodes = tuple(node for node in nodes if node.name in ends)
    listed = {*(node.name for node in nodes), *(connection.name for connection in connections)}
    others = [name for name in contract.table_names if name not in listed]
    tables: list[str] = []
    edges: list[str] = []
    for most in MAX_COLUMNS:
        tables = [f"{node.name}({', '.join(_outlined_columns(node, most))})" for node in nodes]
        edges = [_outlined_edge(contract, connection, most) for connection in connections]
        if sum(map(len, (*tables, *edges))) <= MAX_OUTLINE_CHARS:
            break
    return Outline(tables, edges, others)


def _outlined_columns(table: NodeTable | EdgeTable, most: int) -> Iterator[str]:
    """Yield the columns, with the types of those that are neither usual ones nor text."""
    node = table if isinstance(table, NodeTable) else None
    usual = {node.key, node.label, node.text, node.vector} if node else set[str | None]()
    for column in table.columns[:most]:
        if node and column.name == node.source_key:
            yield f"{column.name} source key"
        elif column.name in usual or column.column_type.name == "NVARCHAR":
            yield column.name
        else:
            yield f"{column.name} {column.type}"
    if len(table.columns) > most:
        yield f"+{len(table.columns) - most} more"


def _outlined_edge(contract: Contract, connection: Connection, most: int) -> str:
    edge = contract.edge(connection.name)
    columns = ", ".join(_outlined_columns(edge, most)) if edge else ""
    name = f"{connection.name}: {columns}" if columns else connection.name
    path = f"{connection.from_table}-({name})->{connection.to_table}"
    return f"{path}: {shorten(connection.meaning, MAX_MEANING_CHARS)}"


def to_json(contract: Contract) -> dict[str, Any]:
    """Return the contract as plain JSON values, with its hash; pages are left out."""
    data = contract.model_dump(mode="json")
    for table in (*data["nodes"], *data["edges"]):
        del table["page"]
    for edge in data["edges"]:
        if len(edge["pairs"]) == 1:
            edge |= edge["pairs"][0]
    return {"hash": contract.hash, **data}


def _head(contract: Contract) -> str:
    identity = f"Contract {contract.name} {contract.version}, {contract.hash}."
    return "\n\n".join((f"# {contract.title}", contract.description, identity)) + "\n"


def _tables(contract: Contract) -> str:
    parts = [
        "\n".join((f"### {node.name}", node.description, "", *_columns(node)))
        for node in contract.nodes
    ]
    return "\n\n".join(("## Node tables", *parts)) + "\n"


def _columns(node: NodeTable) -> list[str]:
    lines = ["| column | type | meaning |", "| --- | --- | --- |"]
    return lines + [f"| {c.name} | {_type(c)} | {_meaning(node, c)} |" for c in node.columns]


def _type(column: Column) -> str:
    return column.type if column.nullable else f"{column.type} NOT NULL"


def _described(column: Column) -> str:
    is_json = column.type == "JSON"
    return column.description + " Read it with JSON_VALUE and OPENJSON." * is_json


def _meaning(node: NodeTable, column: Column) -> str:
    meaning = _described(column)
    if column.name == node.source_key:
        meaning += " Identifier in the source; tools take it like an id."
    return f"{meaning} Full-text indexed." if column.searchable else meaning


def _edges(contract: Contract) -> str:
    if not contract.edges:
        return "## Edge tables\n\nNone: the graph has no edges.\n"
    return "\n".join(("## Edge tables", "", *(_edge_line(edge) for edge in contract.edges), ""))


def _edge_line(edge: EdgeTable) -> str:
    paths = (f"`{pair.from_table}-({edge.name})->{pair.to_table}`" for pair in edge.connections)
    columns = [f"  - {c.name} {_type(c)}: {_described(c)}" for c in edge.columns]
    return "\n".join((f"- {', '.join(paths)}: {edge.meaning}", *columns))


def examples_markdown(examples: Iterable[Example]) -> str:
    """Return questions with the statements that answer them."""
    return "\n\n".join(("## Examples", *map(_example, examples))) + "\n"


def _example(example: Example) -> str:
    lines = [f"### {example.question}", f"Shows {', '.join(example.shows)}."]
    if example.query:
        lines.append(f"`query`: {example.query}")
    return "\n".join((*lines, "```sql", example.sql, "```"))


def _glossary(contract: Contract) -> str:
    glossary = contract.glossary
    lines = ["## Glossary"]
    if glossary.abbreviations:
        pairs = (f"{short} = {full}" for short, full in glossary.abbreviations.items())
        lines += ["", f"Abbreviations: {'; '.join(pairs)}."]
    if glossary.keywords:
        lines += ["", "Words that refer to tables:"]
        lines += [f"- {table}: {words}" for table, words in _keywords(contract).items()]
    if contract.not_held:
        lines += ["", f"Not in the graph (say so, never guess): {contract.not_held}."]
    return "\n".join((*lines, ""))


def _keywords(contract: Contract) -> dict[str, str]:
    words: dict[str, list[str]] = defaultdict(list)
    for keyword in contract.glossary.keywords:
        words[keyword.table].append(keyword.word)
    return {table: ", ".join(keywords) for table, keywords in words.items()}


def _body(page: str) -> str:
    lines = page.strip().splitlines()
    body = lines[1:] if lines[:1] and lines[0].startswith("# ") else lines
    return "\n".join(body).strip() + "\n"


def rules_markdown(contract: Contract) -> str:
    """Return dialect rules, row limits, shapes of results and errors, and the codes."""
    template = (Path(__file__).parent / "rules.md").read_text(encoding="utf-8")
    return fill(template, contract_values(contract))


SECTIONS: dict[Section, Callable[[Contract], str]] = {
    "tables": _tables,
    "edges": _edges,
    "examples": lambda contract: examples_markdown(contract.examples),
    "rules": rules_markdown,
    "glossary": _glossary,
}


def fill(template: str, values: Mapping[str, str]) -> str:
    """Replace each placeholder once; placeholders in values are not replaced.

    `{{#edges}}...{{/edges}}` stays only if the value of `edges` is not empty, `{{^edges}}...` only
    if it is empty.

    Raises:
        ContractError: A placeholder has no value.
    """
    template = SECTION.sub(partial(_section, values), template)
    unknown = [name for name in PLACEHOLDER.findall(template) if name not in values]
    if unknown:
        raise ContractError(f"No value for the placeholder {{{{{unknown[0]}}}}}.")
    return PLACEHOLDER.sub(lambda match: values[match[1]], template)


def _section(values: Mapping[str, str], match: re.Match[str]) -> str:
    """Return a section without its marks, or nothing; marks on lines of their own leave none."""
    sign, name, inner, newline = match.groups()
    return (inner if bool(values[name]) == (sign == "#") else "") + (
        "" if inner.endswith("\n") else newline
    )


def contract_values(contract: Contract) -> dict[str, str]:
    """Return the short values: names, patterns and limits."""
    node, edge = contract.nodes[0], contract.default_connection
    searched = next(iter(contract.nodes_by_meaning), None)
    worded = next((table for table in contract.nodes if table.searchable), node)
    limits = contract.limits.model_dump()
    return {
        **(_edge_values(contract, edge) if edge else dict.fromkeys(EDGE_VALUES, "")),
        "title": contract.title,
        "language": contract.language,
        "not_held": contract.not_held,
        "description": " ".join(contract.description.split()),
        "schema": contract.schema_name,
        "nodes": ", ".join(table.name for table in contract.nodes),
        "edges": ", ".join(
            f"{e.from_table}-({e.name})->{e.to_table}" for e in contract.connections
        ),
        "edge_columns": "; ".join(
            f"{table.name} ({', '.join(column.name for column in table.columns)})"
            for table in contract.edges
            if table.columns
        ),
        "node": node.name,
        "key": node.key,
        "label": node.label,
        "text": node.text or USUAL_COLUMNS["text"],
        "vector_node": searched.name if searched else "",
        "vector_key": searched.key if searched else "",
        "vector": (searched and searched.vector) or "",
        "told": f"{node.label} ({node.disambiguated_by})" if node.disambiguated_by else node.label,
        "head": ", ".join((node.key, node.label, *(column.name for column in node.extra))),
        "word_node": worded.name,
        "word_key": worded.key,
        "columns": ", ".join(f"x.{name}" for name in worded.searchable),
        "bare_columns": ", ".join(worded.searchable),
        **{f"limits.{name}": str(value) for name, value in limits.items()},
        **{name.lower(): f"{n:,}" for name, n in vars(statement_limits).items() if "MAX_" in name},
    }


EDGE_VALUES = ("start", "end", "one_hop", "two_hop", "shortest_path", "start_key", "start_label")


def _edge_values(contract: Contract, edge: Connection) -> dict[str, str]:
    start = contract.node(edge.from_table) or contract.nodes[0]
    patterns = (one_hop(edge), two_hop(edge), shortest_path(edge))
    values = (*end_aliases(edge), *patterns, start.key, start.label)
    return dict(zip(EDGE_VALUES, values, strict=True))


def one_hop(edge: Connection) -> str:
    """Return FROM and WHERE along an edge."""
    start, end = end_aliases(edge)
    return (
        f"FROM {edge.from_table} AS {start}, {edge.name} AS e, {edge.to_table} AS {end} "
        f"WHERE MATCH({start}-(e)->{end})"
    )


def two_hop(edge: Connection) -> str:
    """Return FROM and WHERE from one start of an edge to another, over the same end."""
    start, end = end_aliases(edge)
    return (
        f"FROM {edge.from_table} AS {start}, {edge.name} AS e1, {edge.to_table} AS {end}, "
        f"{edge.name} AS e2, {edge.from_table} AS other "
        f"WHERE MATCH({start}-(e1)->{end}<-(e2)-other)"
    )


def shortest_path(edge: Connection) -> str:
    """Return FROM and WHERE of the shortest paths along an edge and back, from an anchor `a`."""
    return (
        f"FROM {edge.from_table} AS a, {edge.name} FOR PATH AS e, {edge.to_table} FOR PATH AS t, "
        f"{edge.name} FOR PATH AS f, {edge.from_table} FOR PATH AS b "
        "WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+))"
    )


def end_aliases(edge: Connection) -> tuple[str, str]:
    """Return aliases of both ends of an edge, unlike those of edges (e, e1, e2)."""
    start, end = edge.from_table[0].lower(), edge.to_table[0].lower()
    return ("s", "t") if start == end or "e" in (start, end) else (start, end)
