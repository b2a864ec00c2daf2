"""A draft of a contract: its contract.toml, the names in it, and whether it was edited since."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from unicodedata import normalize

from moviegraph.contract.loader import SOURCE
from moviegraph.contract.model import Column, Contract
from moviegraph.contract.validation import RESERVED, UNRESERVED_STATEMENTS

MAX_IDENTIFIER_CHARS = 64


def unique_identifier(
    text: str, used: Iterable[str], *, fallback: str, of_kind: bool = False
) -> str:
    """Return a name in Pascal case for a table or column, unlike those that are taken.

    A word that T-SQL reserves, or that begins a statement, becomes a plural or a value.
    """
    name = "".join(word[0].upper() + word[1:] for word in words_of(text))
    name = name[: MAX_IDENTIFIER_CHARS - 8]
    if not name or not name[0].isalpha():
        name = f"{fallback}{name}"
    if name.upper() in RESERVED | UNRESERVED_STATEMENTS:
        name += "s" if of_kind else "Value"
    lowered, number, unique = {other.lower() for other in used}, 2, name
    while unique.lower() in lowered:
        unique, number = f"{name}{number}", number + 1
    return unique


def words_of(text: str) -> list[str]:
    """Return the words of a header or a file name, without accents."""
    letters = normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.findall(r"[A-Za-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", letters))


CHECKSUM = "# checksum of the draft, which a load may replace: "


def with_checksum(files: Mapping[str, str]) -> dict[str, str]:
    """Return the files of a drafted contract, with a line that tells whether they were edited."""
    return {**files, SOURCE: f"{CHECKSUM}{_checksum(files)}\n{files[SOURCE]}"}


def is_untouched_draft(files: Mapping[str, str]) -> bool:
    """Return whether the files of a contract are a draft: none edited, added or removed."""
    line, _, rest = files[SOURCE].partition("\n")
    return line == CHECKSUM + _checksum({**files, SOURCE: rest})


def _checksum(files: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(sorted(files.items())).encode()).hexdigest()[:16]


def contract_toml(contract: Contract) -> str:
    """Return contract.toml, with comments for who edits it."""
    return "\n".join(_lines(contract)).rstrip() + "\n"


def _lines(contract: Contract) -> Iterator[str]:
    yield "# A draft by moviegraph. Models read the descriptions: say what a row is and what a"
    yield "# column means."
    yield ""
    fields = ("name", "title", "version", "description")
    yield from _entries({field: getattr(contract, field) for field in fields})
    yield f"schema = {quoted(contract.schema_name)}"
    yield '# not_held = "prices, ratings" # what people may request and the graph lacks'
    for node in contract.nodes:
        roles = {"key": "Id", "label": "Name", "text": "Content", "vector": "Embedding"}
        others = {role: getattr(node, role) for role in roles}
        yield f"\n[nodes.{node.name}]"
        yield from _entries({"description": node.description})
        yield from _entries(
            {role: name for role, name in others.items() if name not in (None, roles[role])}
        )
        if node.source_key:
            yield "# the source's own identifier, as it was written"
            yield from _entries({"source_key": node.source_key})
        if node.disambiguated_by:
            yield "# tells nodes of one name apart: NAME (1984)"
            yield from _entries({"disambiguated_by": node.disambiguated_by})
        yield f"[nodes.{node.name}.columns]"
        yield from map(_column_line, node.columns)
    for edge in contract.edges:
        pairs = [[pair.from_table, pair.to_table] for pair in edge.pairs]
        yield f"\n[edges.{edge.name}]"
        start, end = pairs[0]
        ends = {"from": start, "to": end} if len(pairs) == 1 else {"connects": pairs}
        text = {"in_text": True} if edge.in_text else {}
        yield from _entries({**ends, "meaning": edge.meaning, **text})
        if edge.columns:
            yield f"[edges.{edge.name}.columns]"
            yield from map(_column_line, edge.columns)
    yield "\n# Other words for a table, as people and models write them:"
    yield "# [glossary.tables]"
    yield f'# {contract.nodes[0].name} = ["item"]'


def _column_line(column: Column) -> str:
    options = {"nullable": False} if not column.nullable else {}
    options |= {"searchable": True} if column.searchable else {}
    options |= {"field": column.field} if column.field else {}
    entries = {"type": column.type, **options, "description": column.description}
    return f"{column.name} = {{ {', '.join(_entries(entries))} }}"


def _entries(values: Mapping[str, Any]) -> Iterator[str]:
    return (f"{key} = {quoted(value)}" for key, value in values.items())


def quoted(value: Any) -> str:
    """Return a text, a list of texts or a boolean as TOML."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
