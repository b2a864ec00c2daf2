"""Which names of the built-in graph are put to the model as possibly the same, in `load --extract`.

Every node is named by its films as in the graph, and by one of them in two other spellings: first
name, honorific and last name, article, plural, suffix. A spelling is found if it is merged by name
or shown to the model in one group with the name. A pair is false if its names are of two nodes.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator

from benchmarks import report
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import NodeTable
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.extraction.clusters import Cluster, EntityIndex, Mention, without_brackets
from moviegraph.extraction.entity_resolution import cluster_mentions
from moviegraph.extraction.merge_candidates import HONORIFICS, group_pairs, merge_candidates
from moviegraph.names import fold_mention
from moviegraph.settings import content_folder

EDGES = {
    "FEATURES_CHARACTER": "Character",
    "SET_IN": "Setting",
    "INCLUDES_THEME": "Theme",
    "PART_OF_SERIES": "Series",
}
Truth = dict[Mention, int]


def spellings(kind: str, name: str) -> tuple[str, str]:
    """Return two other spellings of a name."""
    other_number = name[:-1] if name.endswith("s") else f"{name}s"
    match kind:
        case "Character":
            words = name.removeprefix("The ").split()
            if fold_mention(words[0]) in HONORIFICS:
                return " ".join(words[1:]) or name, f"The {name}"
            return words[0] if len(words) > 1 else f"The {name}", f"Dr. {words[-1]}"
        case "Series":
            return f"The {name}", f"{name} Series"
        case _:
            return f"The {name}", other_number


def main() -> None:
    """Measure, print and store the values."""
    contract = load_contract()
    folder = content_folder("data")
    nodes = [
        NodeRecord(row["kind"], row["id"], row["name"], row["content"])
        for path in sorted(folder.glob("nodes_*.jsonl"))
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]
    edges = [
        EdgeRecord(row["kind"], row["from"], row["to"])
        for path in sorted(folder.glob("edges_*.jsonl"))
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]
    figures: dict[str, dict[str, float]] = {}
    for edge, kind in EDGES.items():
        table = contract.node(kind)
        assert table is not None
        # The model has read films and series; nodes of the kind are those that the films name.
        loaded = [node for node in nodes if node.kind in {"Movie", "Series"} - {kind}]
        owners = [one for one in edges if one.kind == "PART_OF_SERIES" and kind != "Series"]
        index = EntityIndex(contract.nodes[0], loaded, owners, contract)
        named = {node.id: without_brackets(node.name) for node in nodes if node.kind == kind}
        truth = dict(_mentions(edge, edges, named))
        figures[kind] = _figures(table, index, truth, LocalEmbedder())
    report.table(
        "Names that may mean the same",
        ("kind", "spellings", "found", "pairs", "false pairs", "groups", "names shown"),
        [
            (
                kind,
                *(str(row[key]) for key in ("spellings", "found", "pairs", "false_pairs")),
                str(row["groups"]),
                str(row["shown"]),
            )
            for kind, row in figures.items()
        ],
    )
    print(f"Written: benchmarks/results/{report.write('merging', figures).name}")


def _mentions(
    edge: str, edges: list[EdgeRecord], names: dict[int, str]
) -> Iterator[tuple[Mention, int]]:
    sources: dict[int, list[int]] = defaultdict(list)
    for one in edges:
        if one.kind == edge:
            sources[one.target].append(one.source)
    for node, films in sources.items():
        for film in films:
            yield Mention(film, edge, names[node], names[node]), node
        for at, spelling in enumerate(spellings(EDGES[edge], names[node])):  # negative: of no name
            film = films[at % len(films)]
            yield Mention(film, edge, spelling, spelling), -node


def _figures(
    table: NodeTable, index: EntityIndex, truth: Truth, embedder: LocalEmbedder
) -> dict[str, float]:
    clusters = cluster_mentions(table, index, ((mention, mention.name) for mention in truth))
    pairs = merge_candidates(table, index, clusters, embedder)
    groups = group_pairs(pairs)
    shown_with: dict[int, set[int]] = defaultdict(set)
    for at in range(len(clusters)):
        shown_with[at].add(at)
    for group in groups:
        for member in group:
            shown_with[member].update(group)
    nodes = [{abs(truth[mention]) for mention in cluster.mentions} for cluster in clusters]
    with_name = [_of_name(cluster, truth) for cluster in clusters]
    found: Counter[bool] = Counter()
    for at, cluster in enumerate(clusters):
        for mention in cluster.mentions:
            if truth[mention] < 0:
                found[any(-truth[mention] in with_name[other] for other in shown_with[at])] += 1
    false = sum(nodes[first].isdisjoint(nodes[second]) for first, second in pairs)
    shown = sum(map(len, groups))
    return {
        "spellings": found.total(),
        "found": round(found[True] / found.total(), 3),
        "pairs": len(pairs),
        "false_pairs": false,
        "groups": len(groups),
        "shown": shown,
    }


def _of_name(cluster: Cluster, truth: Truth) -> set[int]:
    """Return the nodes that a cluster has by their own name."""
    return {truth[mention] for mention in cluster.mentions if truth[mention] > 0}


if __name__ == "__main__":
    main()
