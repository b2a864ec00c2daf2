"""A draft of a contract, and the text of its contract.toml and examples."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from unicodedata import normalize

from moviegraph.contract.validation import RESERVED

MAX_IDENTIFIER_CHARS = 64
PLURALS = {"movies": "movie", "series": "series", "species": "species", "cookies": "cookie"}


@dataclass(frozen=True, slots=True)
class DraftColumn:
    """A column of a drafted node table; `field` is its name in a column map."""

    name: str
    type: str
    description: str
    field: str
    nullable: bool = True
    searchable: bool = False


@dataclass(slots=True)
class DraftNode:
    """A drafted node table; the roles name its columns, `sample` begins a text of the file."""

    name: str
    description: str
    columns: list[DraftColumn]
    key: str = "Id"
    label: str = "Name"
    text: str = "Content"
    vector: str = "Embedding"
    year: str | None = None
    sample: str = ""


@dataclass(frozen=True, slots=True)
class DraftEdge:
    """A drafted edge table; `pairs` are the node tables that it connects."""

    name: str
    pairs: tuple[tuple[str, str], ...]
    meaning: str


@dataclass(slots=True)
class Draft:
    """A drafted contract; `left_out` says what of the source it has no place for, and why."""

    name: str
    title: str
    description: str
    nodes: list[DraftNode]
    edges: list[DraftEdge] = field(default_factory=list[DraftEdge])
    schema: str = "dbo"
    left_out: dict[str, str] = field(default_factory=dict[str, str])


def identifier(text: str, taken: Iterable[str], *, fallback: str) -> str:
    """Return a name in Pascal case for a table or column, unlike those that are taken."""
    letters = normalize("NFKD", text).encode("ascii", "ignore").decode()
    words = re.findall(r"[A-Za-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", letters))
    name = "".join(word[0].upper() + word[1:] for word in words)[: MAX_IDENTIFIER_CHARS - 8]
    if not name or not name[0].isalpha():
        name = f"{fallback}{name}"
    if name.upper() in RESERVED:
        name += "Value"
    known, number, unique = {each.lower() for each in taken}, 2, name
    while unique.lower() in known:
        unique, number = f"{name}{number}", number + 1
    return unique


def singular(word: str) -> str:
    """Return the singular of an English plural, by its ending."""
    lower = word.lower()
    if lower in PLURALS:
        return PLURALS[lower]
    if lower.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if lower.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) else word


def contract_toml(draft: Draft) -> str:
    """Return contract.toml, with comments for who edits it."""
    return "\n".join(_lines(draft)).rstrip() + "\n"


def _lines(draft: Draft) -> Iterator[str]:
    yield "# A draft by `moviegraph init`. Models read the descriptions: say what a row is and"
    yield "# what a column means. The key is INT; load maps ids that are text to numbers."
    yield ""
    yield f"name = {quoted(draft.name)}"
    yield f"title = {quoted(draft.title)}"
    yield 'version = "1.0"'
    yield f"schema = {quoted(draft.schema)}"
    yield f"description = {quoted(draft.description)}"
    yield '# not_held = "prices, ratings" # what people may request and the graph lacks'
    for node in draft.nodes:
        yield from _node_lines(node)
    for edge in draft.edges:
        yield from _edge_lines(edge)
    yield ""
    yield "# Other words for a table, as people and models write them:"
    yield "# [glossary.tables]"
    yield f'# {draft.nodes[0].name} = ["item"]'


def _node_lines(node: DraftNode) -> Iterator[str]:
    yield ""
    yield f"[nodes.{node.name}]"
    yield f"description = {quoted(node.description)}"
    roles = {"key": "Id", "label": "Name", "text": "Content", "vector": "Embedding"}
    for role, usual in roles.items():
        if (column := getattr(node, role)) != usual:
            yield f"{role} = {quoted(column)}"
    if node.year:
        yield f"disambiguated_by = {quoted(node.year)} # tells nodes of one name apart: NAME (1984)"
    yield f"[nodes.{node.name}.columns]"
    for column in node.columns:
        yield _column_line(column)


def _column_line(column: DraftColumn) -> str:
    parts = [f"type = {quoted(column.type)}"]
    if not column.nullable:
        parts.append("nullable = false")
    if column.searchable:
        parts.append("searchable = true")
    if column.field not in (column.name.lower(), "id", "name", "content", ""):
        parts.append(f"field = {quoted(column.field)}")
    parts.append(f"description = {quoted(column.description)}")
    return f"{column.name} = {{ {', '.join(parts)} }}"


def _edge_lines(edge: DraftEdge) -> Iterator[str]:
    yield ""
    yield f"[edges.{edge.name}]"
    if len(edge.pairs) == 1:
        yield f"from = {quoted(edge.pairs[0][0])}"
        yield f"to = {quoted(edge.pairs[0][1])}"
    else:
        yield f"connects = {json.dumps([list(pair) for pair in edge.pairs])}"
    yield f"meaning = {quoted(edge.meaning)}"


def example_files(draft: Draft) -> dict[str, str]:
    """Return few-shot examples that the drafted tables can answer, by file name."""
    node = draft.nodes[0]
    columns = f"m.{node.key}, m.{node.label}"
    distance = f"VECTOR_DISTANCE('cosine', m.{node.vector}, @q)"
    files = {
        "examples/01_nearest.sql": (
            f"-- question: Which {node.name} records are closest in meaning to a description?\n"
            f"-- query: {node.sample or 'a short description in plain words'}\n"
            "-- shows: semantic\n"
            f"SELECT TOP 20 {columns}, 1 - {distance} AS Similarity\n"
            f"FROM {node.name} AS m\nORDER BY {distance}\n"
        )
    }
    if own := [(e, pair) for e in draft.edges for pair in e.pairs if pair[0] == node.name]:
        edge, (_, target) = own[0]
        other = next(each for each in draft.nodes if each.name == target)
        files["examples/02_most_linked.sql"] = (
            f"-- question: Which {target} has the most {node.name} records?\n"
            "-- shows: one_hop, aggregate\n"
            f"SELECT TOP 20 t.{other.key}, t.{other.label}, COUNT(*) AS Linked\n"
            f"FROM {node.name} AS m, {edge.name} AS e, {target} AS t\n"
            "WHERE MATCH(m-(e)->t)\n"
            f"GROUP BY t.{other.key}, t.{other.label}\nORDER BY Linked DESC\n"
        )
    return files


def quoted(text: str) -> str:
    """Return a text as a string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
