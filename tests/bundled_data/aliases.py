"""Checks that aliases lead to exactly one node of the bundled graph."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from bundled_data.graph import BundledGraph, normalize_name


class Alias(NamedTuple):
    """Another name of a node."""

    kind: str
    name: str
    alias: str


def aliases_to_nothing(bundled_graph: BundledGraph, aliases: Sequence[Alias]) -> list[str]:
    names = {(node.kind, node.name) for node in bundled_graph.nodes}
    return [
        f"{alias.kind} {alias.alias!r}: no {alias.name!r}"
        for alias in aliases
        if (alias.kind, alias.name) not in names
    ]


def ambiguous_aliases(bundled_graph: BundledGraph, aliases: Sequence[Alias]) -> list[str]:
    """Other names that are a node's own name, or lead to two nodes of one kind."""
    names = {(node.kind, normalize_name(node.name)) for node in bundled_graph.nodes}
    meant: dict[tuple[str, str], set[str]] = defaultdict(set)
    for alias in aliases:
        meant[alias.kind, normalize_name(alias.alias)].add(alias.name)
    return [
        f"{alias.kind} {alias.alias!r} of {alias.name!r}"
        for alias in aliases
        if (alias.kind, normalize_name(alias.alias)) in names
        or len(meant[alias.kind, normalize_name(alias.alias)]) > 1
    ]


def everyday_aliases(aliases: Sequence[Alias]) -> list[str]:
    """Other names of films and persons without a capital: any sentence might say them."""
    return [
        f"{alias.kind} {alias.alias!r}"
        for alias in aliases
        if alias.kind in {"Movie", "Character", "Series"}
        and alias.alias == alias.alias.lower()
        and not any(character.isdigit() for character in alias.alias)
    ]
