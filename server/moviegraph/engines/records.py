"""The records that a graph is built from, and the text of a node that is embedded."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_ALIAS_CHARS = 200


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """One validated node; `values` holds the further columns of its table by column name."""

    kind: str
    id: int
    name: str
    content: str
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class EdgeRecord:
    """One validated edge between the ids of two nodes.

    `pair` is the place of the pair of node tables among those that the edge table connects.
    """

    kind: str
    source: int
    target: int
    pair: int = 0


@dataclass(frozen=True, slots=True)
class AliasRecord:
    """Another name of a node."""

    kind: str
    id: int
    alias: str


def embedded_text(name: str, content: str) -> str:
    """Return what is embedded of a node: its text, led by its name where the text lacks it."""
    name, content = name.rstrip(), content.rstrip()
    if not content or name.lower() in content.lower():
        return content or name
    return f"{name}. {content}"


def text_digest(text: str) -> bytes:
    """Return the 16 bytes by which a text's vector is found again."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]
