"""Which clusters of a kind may mean one thing: what is worth a question to the model."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from moviegraph.contract.model import NodeTable
from moviegraph.embeddings.embedder import Embedder
from moviegraph.loading.extraction.cluster import Cluster
from moviegraph.loading.extraction.ground import Ground, Scope
from moviegraph.loading.extraction.likeness import Pair, alike, alike_within, same_spelling
from moviegraph.loading.extraction.merging import MOST_IN_GROUP, weight


def candidates(
    table: NodeTable, ground: Ground, clusters: Sequence[Cluster], embedder: Embedder | None
) -> list[Pair]:
    """Return the pairs that the model is asked about; never two loaded nodes.

    Where names are shared, these are names alike within a scope, and the same name in several.

    Raises:
        EmbeddingError: The embedder failed.
    """
    if table.named_within is None:
        pairs = _near(clusters, embedder)
    else:
        pairs = [*_within(table, ground, clusters), *_namesakes(clusters)]
    return [
        pair
        for pair in pairs
        if clusters[pair.first].node is None or clusters[pair.second].node is None
    ]


def _near(clusters: Sequence[Cluster], embedder: Embedder | None) -> list[Pair]:
    names = [each.normal for each in clusters]
    asked = [place for place, each in enumerate(clusters) if each.node is None]
    vectors = embedder.embed(names) if embedder is not None and asked else None
    return alike(names, asked, vectors) if asked else []


def _within(table: NodeTable, ground: Ground, clusters: Sequence[Cluster]) -> Iterator[Pair]:
    seen = set[tuple[int, int]]()
    names = [each.normal for each in clusters]
    for places in _by_scope(table, ground, clusters):
        if all(clusters[place].node is not None for place in places):
            continue
        for pair in alike_within([names[place] for place in places]):
            ends = (places[pair.first], places[pair.second])
            if ends not in seen:
                seen.add(ends)
                yield Pair(*ends, pair.score)


def _by_scope(table: NodeTable, ground: Ground, clusters: Sequence[Cluster]) -> Iterable[list[int]]:
    linked: Mapping[int, set[int]] = ground.linked(table)
    found: dict[Scope, list[int]] = defaultdict(list)
    for place, cluster in enumerate(clusters):
        sources = {*cluster.sources, *(linked.get(cluster.node.id, ()) if cluster.node else ())}
        for scope in {scope for source in sources for scope in ground.scopes(table, source)}:
            found[scope].append(place)
    return [places for _, places in sorted(found.items()) if len(places) > 1]


def _namesakes(clusters: Sequence[Cluster]) -> Iterator[Pair]:
    """Yield pairs of one name in groups; a single word that very many bear says too little."""
    for name, places in same_spelling([each.normal for each in clusters]).items():
        if " " not in name and len(places) > MOST_IN_GROUP:
            continue
        ordered = sorted(places, key=lambda place: weight(clusters[place]))
        for start in range(0, len(ordered), MOST_IN_GROUP):
            group = sorted(ordered[start : start + MOST_IN_GROUP])
            for at, one in enumerate(group):
                yield from (Pair(one, other, 1.0) for other in group[at + 1 :])
