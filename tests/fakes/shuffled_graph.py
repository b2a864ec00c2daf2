"""The small graph shuffled: other years, texts and edges give other answers."""

from random import Random

from fakes.small_graph import EDGES, MOVIES, NODES

from moviegraph.engines.graph_records import EdgeRecord, NodeRecord

YEARS = (1968, 1972, 1975, 1979, 1983, 1985, 1999, 1999, 2003, 2010, None)
ENDS = {
    "IN_GENRE": "Genre",
    "INCLUDES_THEME": "Theme",
    "SET_IN": "Setting",
    "FEATURES_CHARACTER": "Character",
    "PART_OF_SERIES": "Series",
}


def nodes(seed: int) -> list[NodeRecord]:
    """Return the nodes with plots moved to other titles, and new random years."""
    draw = Random(seed)
    texts = draw.sample([text for _, _, text in MOVIES], len(MOVIES))
    movies = [
        NodeRecord("Movie", key, name, text, {"ReleaseYear": draw.choice(YEARS)})
        for (key, name, _), text in zip(MOVIES, texts, strict=True)
    ]
    return movies + [NodeRecord(kind, *row) for kind, rows in NODES.items() for row in rows]


def edges(seed: int) -> list[EdgeRecord]:
    """Return edges between films and concepts, each with a chance of two in five."""
    draw = Random(seed + 1)
    return [
        EdgeRecord(kind, film, concept[0])
        for kind in EDGES
        for film, _, _ in MOVIES
        for concept in NODES[ENDS[kind]]
        if draw.random() < 0.4
    ]
