"""Values of a contract for the placeholders of prompts and rules: `{{placeholders}}`."""

import re
from collections.abc import Mapping

from moviegraph.contract.model import Connection, Contract
from moviegraph.errors import ContractError

PLACEHOLDER = re.compile(r"\{\{([\w.]+)\}\}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """Replace each placeholder once; placeholders in values are not replaced.

    Raises:
        ContractError: A placeholder has no value.
    """
    unknown = [name for name in PLACEHOLDER.findall(template) if name not in values]
    if unknown:
        raise ContractError(f"No value for the placeholder {{{{{unknown[0]}}}}}.")
    return PLACEHOLDER.sub(lambda match: values[match[1]], template)


def names(contract: Contract) -> dict[str, str]:
    """Return the short values: names, patterns and limits."""
    node, edge = contract.nodes[0], contract.default_connection
    start, end = _aliases(edge)
    limits = contract.limits.model_dump()
    return {
        "title": contract.title,
        "description": " ".join(contract.description.split()),
        "schema": contract.schema_name,
        "nodes": ", ".join(table.name for table in contract.nodes),
        "edges": ", ".join(
            f"{e.from_table}-({e.name})->{e.to_table}" for e in contract.connections
        ),
        "node": node.name,
        "key": node.key,
        "label": node.label,
        "text": node.text,
        "vector": node.vector,
        "head": ", ".join((node.key, node.label, *(column.name for column in node.extra))),
        "columns": ", ".join(f"x.{name}" for name in node.searchable),
        "bare_columns": ", ".join(node.searchable),
        "start": start,
        "end": end,
        "one_hop": one_hop(edge),
        "two_hop": two_hop(edge),
        "shortest_path": shortest_path(edge),
        **{f"limits.{name}": str(value) for name, value in limits.items()},
    }


def one_hop(edge: Connection) -> str:
    """Return FROM and WHERE along an edge."""
    start, end = _aliases(edge)
    return (
        f"FROM {edge.from_table} AS {start}, {edge.name} AS e, {edge.to_table} AS {end} "
        f"WHERE MATCH({start}-(e)->{end})"
    )


def two_hop(edge: Connection) -> str:
    """Return FROM and WHERE from one start of an edge to another, over the same end."""
    start, end = _aliases(edge)
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


def _aliases(edge: Connection) -> tuple[str, str]:
    start, end = edge.from_table[0].lower(), edge.to_table[0].lower()
    return (f"{start}1", f"{end}2") if start == end or "e" in (start, end) else (start, end)
