"""Few-shot examples that the tables of a contract can answer, whatever their data are."""

import re
from collections.abc import Iterator
from itertools import islice

from moviegraph.contract.model import Column, Connection, Contract, NodeTable

MOST = 8
MIN_WORD_CHARS = 5
NUMBERS = frozenset({"INT", "BIGINT", "FLOAT", "DECIMAL"})
DATES = frozenset({"DATE", "DATETIME2"})
Drafted = tuple[str, str, str, str]  # id, question, what it shows, statement


def example_files(contract: Contract, sample: str) -> dict[str, str]:
    """Return examples by file name: at most eight that use what the tables have.

    Args:
        contract: The tables.
        sample: The start of a text of the first node table, or an empty text.
    """
    node = contract.nodes[0]
    files: dict[str, str] = {}
    drafts = islice(_drafts(contract, sample), MOST)
    for number, (name, question, shows, sql) in enumerate(drafts, 1):
        query = f"-- query: {sample or f'a {node.name} in plain words'}\n" if "@q" in sql else ""
        header = f"-- question: {question}\n{query}-- shows: {shows}\n"
        files[f"examples/{number:02}_{name}.sql"] = f"{header}{sql}\n"
    return files


def _drafts(contract: Contract, sample: str) -> Iterator[Drafted]:
    node = contract.nodes[0]
    links = [link for link in contract.connections if link.from_table == node.name != link.to_table]
    columns = [column for column in node.extra if column.name != node.source_key]
    numbers = [column.name for column in columns if column.column_type.name in NUMBERS]
    dates = [column.name for column in columns if column.column_type.name in DATES]
    yield from _searches(node, sample)
    for link in links[:1]:
        yield from _along(node, contract.node(link.to_table) or node, link, numbers[:1])
    for name in dates[:1]:
        yield (
            "per_year",
            f"How many {node.name} records are there per year of {name}?",
            "dates, aggregate",
            (
                f"SELECT YEAR(m.{name}) AS Year, COUNT(*) AS Records\nFROM {node.name} AS m\n"
                f"WHERE m.{name} IS NOT NULL\nGROUP BY YEAR(m.{name})\nORDER BY Year"
            ),
        )
    for name in numbers[:1]:
        yield (
            "range",
            f"What are the lowest, mean and highest {name}?",
            "aggregate",
            (
                f"SELECT MIN(m.{name}) AS Lowest, AVG(CAST(m.{name} AS FLOAT)) AS Mean, "
                f"MAX(m.{name}) AS Highest\nFROM {node.name} AS m"
            ),
        )
    for name in (*dates, *numbers)[:1]:
        yield (
            "greatest",
            f"Which {node.name} records have the {'latest' if dates else 'highest'} {name}?",
            "order",
            (
                f"SELECT TOP 20 {_head('m', node)}, m.{name}\nFROM {node.name} AS m\n"
                f"WHERE m.{name} IS NOT NULL\nORDER BY m.{name} DESC, m.{node.key}"
            ),
        )
    for link in links[1:2]:
        yield from _along(node, contract.node(link.to_table) or node, link, [])
    for column in columns:
        if _is_category(column):
            yield (
                "by_column",
                f"How many {node.name} records are there for each {column.name}?",
                "aggregate",
                (
                    f"SELECT TOP 20 m.{column.name}, COUNT(*) AS Records\nFROM {node.name} AS m\n"
                    f"GROUP BY m.{column.name}\nORDER BY Records DESC"
                ),
            )
            return


def _searches(node: NodeTable, sample: str) -> Iterator[Drafted]:
    if node.vector:
        distance = f"VECTOR_DISTANCE('cosine', m.{node.vector}, @q)"
        yield (
            "nearest",
            f"Which {node.name} records are closest in meaning to a description?",
            "semantic",
            (
                f"SELECT TOP 20 {_head('m', node)}, 1 - {distance} AS Similarity\n"
                f"FROM {node.name} AS m\nORDER BY {distance}"
            ),
        )
    words = re.findall(rf"\b[A-Za-z]{{{MIN_WORD_CHARS},}}\b", sample)
    if words and node.searchable:
        word = max(words, key=len).lower()
        columns = ", ".join(f"m.{name}" for name in node.searchable)
        yield (
            "words",
            f"Which {node.name} records mention {word}?",
            "fulltext",
            (
                f"SELECT TOP 20 {_head('m', node)}\nFROM {node.name} AS m\n"
                f"WHERE CONTAINS(({columns}), '\"{word}*\"')\nORDER BY m.{node.key}"
            ),
        )


def _along(
    node: NodeTable, end: NodeTable, link: Connection, numbers: list[str]
) -> Iterator[Drafted]:
    tables = f"FROM {node.name} AS m, {link.name} AS e, {end.name} AS t\nWHERE MATCH(m-(e)->t)"
    name = link.name.lower()
    yield (
        f"most_{name}",
        f"Which {end.name} has the most {node.name} records?",
        "one_hop, aggregate",
        (
            f"SELECT TOP 20 {_head('t', end)}, COUNT(*) AS Linked\n{tables}\n"
            f"GROUP BY {_head('t', end)}\nORDER BY Linked DESC, t.{end.key}"
        ),
    )
    for column in numbers:
        yield (
            f"mean_{name}",
            f"What is the mean {column} of the {node.name} records of each {end.name}?",
            "one_hop, aggregate",
            (
                f"SELECT TOP 20 {_head('t', end)}, AVG(CAST(m.{column} AS FLOAT)) AS Mean\n"
                f"{tables}\n"
                f"GROUP BY {_head('t', end)}\nORDER BY Mean DESC, t.{end.key}"
            ),
        )
    yield (
        f"largest_{name}",
        f"Which {node.name} records does the {end.name} with the most of them have?",
        "cte, one_hop",
        f"WITH largest AS (\n    SELECT TOP 1 t.{end.key} AS EndKey\n    "
        + tables.replace("\n", "\n    ")
        + f"\n    GROUP BY t.{end.key}\n    ORDER BY COUNT(*) DESC, t.{end.key}\n)\n"
        f"SELECT TOP 20 {_head('m', node)}\n"
        f"FROM {node.name} AS m, {link.name} AS e, {end.name} AS t, largest AS l\n"
        f"WHERE MATCH(m-(e)->t) AND t.{end.key} = l.EndKey\nORDER BY m.{node.key}",
    )


def _is_category(column: Column) -> bool:
    """Whether a column may have few values: a flag, or a short text."""
    return column.column_type.name == "BIT" or (column.is_text and column.max_chars <= 100)


def _head(alias: str, node: NodeTable) -> str:
    return f"{alias}.{node.key}, {alias}.{node.label}"
