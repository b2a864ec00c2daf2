"""Graphs of the cases: their records in plain Python, and opened as by the server."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.loading.folder_loader import ensure_builtin_graph, load
from moviegraph.query.opening import session_limits
from moviegraph.query.session import Session
from moviegraph.settings import Settings, content_folder

COOKBOOK = Path(__file__).parents[2] / "examples" / "cookbook"
Node = SimpleNamespace
Pair = tuple[Node, Node]


@dataclass(frozen=True, slots=True)
class Records:
    """Nodes by kind, in the order of Ids, and node pairs by edge kind."""

    nodes: Mapping[str, list[Node]]
    edges: Mapping[str, list[Pair]]

    def __getitem__(self, kind: str) -> list[Node]:
        return self.nodes[kind]

    def node(self, kind: str, name: str) -> Node:
        """Return the only node with a name."""
        (match,) = (node for node in self.nodes[kind] if node.Name == name)
        return match

    def out(self, edge: str) -> dict[int, list[Node]]:
        """Return the targets of the edges by the Id of their source."""
        targets: dict[int, list[Node]] = defaultdict(list)
        for start, end in self.edges[edge]:
            targets[start.Id].append(end)
        return targets

    def into(self, edge: str) -> dict[int, list[Node]]:
        """Return the sources of the edges by the Id of their target."""
        sources: dict[int, list[Node]] = defaultdict(list)
        for start, end in self.edges[edge]:
            sources[end.Id].append(start)
        return sources


def read_records(folder: Path, contract: Contract) -> Records:
    """Read a folder of JSON Lines, plain or compressed, without code of the loader."""
    nodes: dict[str, dict[int, Node]] = {table.name: {} for table in contract.nodes}
    for record in _lines(folder, "nodes_"):
        nodes[record["kind"]][record["id"]] = Node(
            kind=record["kind"],
            Id=record["id"],
            Name=record["name"],
            Content=record["content"],
            ReleaseYear=record.get("year"),
            Family=record.get("family"),
            Minutes=record.get("minutes"),
            Vegetarian=record.get("vegetarian"),
            Vegan=record.get("vegan"),
        )
    target_kinds = {
        table.name: {p.from_table: p.to_table for p in table.pairs} for table in contract.edges
    }
    edges: dict[str, list[Pair]] = {kind: [] for kind in target_kinds}
    for record in _lines(folder, "edges_"):
        kind = record["kind"]
        start = record.get("from_kind") or next(iter(target_kinds[kind]))
        end = target_kinds[kind][start]
        edges[kind].append((nodes[start][record["from"]], nodes[end][record["to"]]))
    _append_link_names(contract, edges)
    return Records({kind: sorted(by_id.values(), key=_id) for kind, by_id in nodes.items()}, edges)


def _append_link_names(contract: Contract, edges: Mapping[str, list[Pair]]) -> None:
    """Append the names of linked nodes to the text, as loading does."""
    linked_names: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    texts: dict[str, Node] = {}
    for table in contract.edges:
        for start, end in edges[table.name] if table.in_text else ():
            key = f"{start.kind} {start.Id}"
            texts[key] = start
            linked_names[key][end.kind].append(end.Name)
    for key, node in texts.items():
        parts = (f"{kind}: {', '.join(names[:20])}" for kind, names in linked_names[key].items())
        node.Content = f"{node.Content}\n{'; '.join(parts)}."


def _id(node: Node) -> int:
    return node.Id


def _lines(folder: Path, prefix: str) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.glob(f"{prefix}*.jsonl*")):
        raw = file.read_bytes()
        text = gzip.decompress(raw) if file.suffix == ".gz" else raw
        yield from map(json.loads, filter(None, text.decode().split("\n")))


@dataclass(frozen=True, slots=True)
class CheckedGraph:
    """One graph with an open session and its records."""

    session: Session
    records: Records


def open_movies(folder: Path) -> CheckedGraph:
    """Return the bundled graph, built in the folder."""
    contract, embedder = load_contract(), LocalEmbedder()
    graph = ensure_builtin_graph(folder / "movies", contract, embedder)
    return _open(graph, contract, embedder, content_folder("data"), folder)


def open_cookbook(folder: Path) -> CheckedGraph:
    """Return the worked example of another contract, loaded into the folder."""
    contract, embedder = load_contract(COOKBOOK / "contract"), LocalEmbedder()
    graph = folder / "cookbook"
    load(COOKBOOK / "data", graph, contract, embedder)
    return _open(graph, contract, embedder, COOKBOOK / "data", folder)


def open_large(graph: Path, source: Path, folder: Path) -> CheckedGraph:
    """Return a graph of the movie contract that was loaded from a folder of JSON Lines."""
    return _open(graph, load_contract(), LocalEmbedder(), source, folder)


def _open(
    graph: Path, contract: Contract, embedder: LocalEmbedder, source: Path, folder: Path
) -> CheckedGraph:
    engine = open_graph(graph, contract)
    journal = SqliteJournal(folder / f"{graph.name}.journal")
    session = Session(
        contract, engine, embedder, journal, replace(session_limits(Settings(), contract), top=60)
    )
    return CheckedGraph(session, read_records(source, contract))


def names(nodes: Iterable[Node]) -> set[str]:
    """Return the names of nodes."""
    return {node.Name for node in nodes}
