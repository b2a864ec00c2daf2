"""What a graph holds, told from its rows: counts, and a digest that changes when they do."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from moviegraph.contract.model import Contract
from moviegraph.contract.space import MOST_CHARACTERS, VectorSpace
from moviegraph.engines.columns import EdgeColumns, NodeColumns
from moviegraph.engines.graph_folder import FORMAT, Manifest
from moviegraph.engines.records import AliasRecord

EMBEDDED = {
    "embedded": "name, then text; the text alone where it holds the name",
    "chunks": "a text longer than the model reads is the normalised mean of about equal chunks "
    f"of its first {MOST_CHARACTERS:,} characters",
}


def manifest_of(
    contract: Contract,
    nodes: list[NodeColumns],
    edges: list[EdgeColumns],
    space: VectorSpace | None,
    recipe: Mapping[str, Any],
    source: str,
    aliases: Sequence[AliasRecord] = (),
) -> Manifest:
    """Return the manifest of a graph of these rows.

    Args:
        contract: The contract that the graph is built for.
        nodes: The nodes.
        edges: The edges.
        space: The space of their vectors, or None without.
        recipe: What was done to the texts.
        source: Where the data come from, in the operator's words.
        aliases: The other names of nodes.
    """
    counts = {each.table.name: len(each.ids) for each in nodes}
    counts |= {each.table.name: len(each.edge_ids) for each in edges}
    vectors = dict[str, int]()
    if space:
        for each in nodes:
            pairs = zip(each.names, each.contents, strict=True)
            vectors[each.table.name] = sum(1 for name, text in pairs if name or text)
    return Manifest(
        format=FORMAT,
        contract_hash=contract.hash,
        content_hash=_content_hash(nodes, edges, space, recipe, aliases),
        space=space,
        counts=counts,
        vectors=vectors,
        recipe=recipe,
        source=source,
        contract=contract.name,
    )


def _content_hash(
    nodes: list[NodeColumns],
    edges: list[EdgeColumns],
    space: VectorSpace | None,
    recipe: Mapping[str, Any],
    aliases: Sequence[AliasRecord],
) -> str:
    digest = hashlib.sha256()
    about = {"space": asdict(space) if space else None, "recipe": dict(recipe)}
    digest.update(json.dumps(about, sort_keys=True, default=str).encode())
    for table in nodes:
        digest.update(f"\0{table.table.name}\0".encode() + table.ids.tobytes())
        for texts in (table.names, table.contents, *table.extras.values()):
            joined = "\0".join("\1" if text is None else text for text in texts)
            digest.update(joined.encode("utf-8", "surrogatepass"))
    for table in edges:
        ends = table.from_ids.tobytes() + table.to_ids.tobytes()
        digest.update(f"\0{table.table.name}\0".encode() + ends)
    for alias in aliases:
        digest.update(f"\0{alias.kind}\0{alias.id}\0{alias.alias}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
