"""A draft of a contract, and the text of its contract.toml and examples."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from unicodedata import normalize

from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable
from moviegraph.contract.validation import RESERVED
from moviegraph.extraction.clusters import singular_form

MAX_IDENTIFIER_CHARS = 64
IRREGULAR = {"movies": "movie", "series": "series", "species": "species", "cookies": "cookie"}


@dataclass(frozen=True, slots=True)
class ContractDraft:
    """A drafted contract, and the omitted tables and columns.

    Attributes:
        contract: The tables.
        left_out: What of the source the contract has no place for, and why.
        sample: The start of a text of the file.
    """

    contract: Contract
    left_out: dict[str, str]
    sample: str = ""


def unique_identifier(text: str, used: Iterable[str], *, fallback: str) -> str:
    """Return a name in Pascal case for a table or column, unlike those that are taken."""
    name = "".join(word[0].upper() + word[1:] for word in words_of(text))
    name = name[: MAX_IDENTIFIER_CHARS - 8]
    if not name or not name[0].isalpha():
        name = f"{fallback}{name}"
    if name.upper() in RESERVED:
        name += "Value"
    lowered, number, unique = {other.lower() for other in used}, 2, name
    while unique.lower() in lowered:
        unique, number = f"{name}{number}", number + 1
    return unique


def words_of(text: str) -> list[str]:
    """Return the words of a header or a file name, without accents."""
    letters = normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.findall(r"[A-Za-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", letters))


def singular(word: str) -> str:
    """Return the singular of an English plural, by its ending."""
    return IRREGULAR.get(word.lower()) or singular_form(word)


def contract_toml(contract: Contract) -> str:
    """Return contract.toml, with comments for who edits it."""
    return "\n".join(_lines(contract)).rstrip() + "\n"


def _lines(contract: Contract) -> Iterator[str]:
    yield "# A draft by `moviegraph init`. Models read the descriptions: say what a row is and"
    yield "# what a column means. The key is INT; load maps ids that are text to numbers."
    yield ""
    yield f"name = {quoted(contract.name)}"
    yield f"title = {quoted(contract.title)}"
    yield f"version = {quoted(contract.version)}"
    yield f"schema = {quoted(contract.schema_name)}"
    yield f"description = {quoted(contract.description)}"
    yield '# not_held = "prices, ratings" # what people may request and the graph lacks'
    for node in contract.nodes:
        yield from _node_lines(node)
    for edge in contract.edges:
        yield from _edge_lines(edge)
    yield ""
    yield "# Other words for a table, as people and models write them:"
    yield "# [glossary.tables]"
    yield f'# {contract.nodes[0].name} = ["item"]'


def _node_lines(node: NodeTable) -> Iterator[str]:
    yield ""
    yield f"[nodes.{node.name}]"
    yield f"description = {quoted(node.description)}"
    roles = {"key": "Id", "label": "Name", "text": "Content", "vector": "Embedding"}
    for role, usual in roles.items():
        if (column := getattr(node, role)) != usual:
            yield f"{role} = {quoted(column)}"
    if node.disambiguated_by:
        yield (
            f"disambiguated_by = {quoted(node.disambiguated_by)} "
            "# tells nodes of one name apart: NAME (1984)"
        )
    yield f"[nodes.{node.name}.columns]"
    for column in node.columns:
        yield _column_line(column)


def _column_line(column: Column) -> str:
    parts = [f"type = {quoted(column.type)}"]
    if not column.nullable:
        parts.append("nullable = false")
    if column.searchable:
        parts.append("searchable = true")
    parts.append(f"description = {quoted(column.description)}")
    return f"{column.name} = {{ {', '.join(parts)} }}"


def _edge_lines(edge: EdgeTable) -> Iterator[str]:
    yield ""
    yield f"[edges.{edge.name}]"
    pairs = [[pair.from_table, pair.to_table] for pair in edge.pairs]
    if len(pairs) == 1:
        yield f"from = {quoted(pairs[0][0])}"
        yield f"to = {quoted(pairs[0][1])}"
    else:
        yield f"connects = {json.dumps(pairs)}"
    yield f"meaning = {quoted(edge.meaning)}"


def example_files(draft: ContractDraft) -> dict[str, str]:
    """Return few-shot examples that the drafted tables can answer, by file name."""
    contract, node = draft.contract, draft.contract.nodes[0]
    columns = f"m.{node.key}, m.{node.label}"
    distance = f"VECTOR_DISTANCE('cosine', m.{node.vector}, @q)"
    files = {
        "examples/01_nearest.sql": (
            f"-- question: Which {node.name} records are closest in meaning to a description?\n"
            f"-- query: {draft.sample or 'a short description in plain words'}\n"
            "-- shows: semantic\n"
            f"SELECT TOP 20 {columns}, 1 - {distance} AS Similarity\n"
            f"FROM {node.name} AS m\nORDER BY {distance}\n"
        )
    }
    edge = next((c for c in contract.connections if c.from_table == node.name), None)
    target = contract.node(edge.to_table) if edge else None
    if edge and target:
        files["examples/02_most_linked.sql"] = (
            f"-- question: Which {target.name} has the most {node.name} records?\n"
            "-- shows: one_hop, aggregate\n"
            f"SELECT TOP 20 t.{target.key}, t.{target.label}, COUNT(*) AS Linked\n"
            f"FROM {node.name} AS m, {edge.name} AS e, {target.name} AS t\n"
            "WHERE MATCH(m-(e)->t)\n"
            f"GROUP BY t.{target.key}, t.{target.label}\nORDER BY Linked DESC\n"
        )
    return files


def quoted(text: str) -> str:
    """Return a text as a string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
