"""A graph of eight films made by hand, small enough to know every answer."""

from typing import Any

from moviegraph.engines.graph_records import EdgeRecord, NodeRecord

YEARS = {1: 1977, 2: 1980, 3: 2021, 4: 1979, 5: 2001, 6: None, 7: 1999, 8: 1999}
MOVIES = [
    (1, "Star Wars", "A farm boy leaves his desert planet and joins rebels against an empire."),
    (2, "The Empire Strikes Back", "The rebels flee; a young pilot is trained in a swamp."),
    (3, "Dune", "A noble family is betrayed on a desert planet, and its heir leads a rebellion."),
    (4, "Alien", "A crew is hunted by a creature aboard a ship in deep space."),
    (5, "Amélie", "A shy waitress in Paris secretly mends the lives of others."),
    (6, "100% Wolf", "A boy from a line of werewolves turns into a poodle."),
    (7, "alien", "A school play about mice; the mouse ran up the clock."),
    (8, "The Matrix   ", "A hacker learns that his world is a machine's dream, and fights it."),
]
NODES = {
    "Genre": [
        (1, "Science Fiction", "Worlds of the future and of other planets."),
        (2, "Drama", "People and what they do to one another."),
        (3, "Horror", "Made to frighten."),
    ],
    "Theme": [
        (1, "Rebellion", "Some rise against those who rule."),
        (2, "Chosen One", "One person is destined to change the world."),
        (3, "Survival", "Staying alive against the odds."),
    ],
    "Setting": [
        (1, "Desert Planet", "Sand, two suns and little water."),
        (2, "Paris", "The city of light."),
    ],
    "Character": [
        (1, "Luke Skywalker", "A farm boy who becomes a knight."),
        (2, "Ellen Ripley", "An officer who keeps her head."),
    ],
    "Series": [(1, "Star Wars", "A saga of knights and empires.")],
}
EDGES = {
    "IN_GENRE": [(1, 1), (2, 1), (3, 1), (4, 1), (4, 3), (5, 2), (8, 1)],
    "INCLUDES_THEME": [(1, 1), (1, 2), (2, 1), (3, 1), (3, 2), (4, 3), (8, 1), (8, 2)],
    "SET_IN": [(1, 1), (3, 1), (5, 2)],
    "FEATURES_CHARACTER": [(1, 1), (2, 1), (2, 2), (4, 2)],
    "PART_OF_SERIES": [(1, 1), (2, 1)],
}


def nodes() -> list[NodeRecord]:
    """Return the nodes, not in id order."""
    movies = [
        NodeRecord("Movie", key, name, text, {"ReleaseYear": YEARS[key]})
        for key, name, text in reversed(MOVIES)
    ]
    others = [NodeRecord(kind, *row) for kind, rows in NODES.items() for row in rows]
    return movies + others


def edges() -> list[EdgeRecord]:
    """Return the edges, one of them twice."""
    result = [EdgeRecord(kind, *ends) for kind, pairs in EDGES.items() for ends in pairs]
    return [*result, result[0]]


def rows() -> list[dict[str, Any]]:
    """Return the graph as the rows of a source, each edge once."""
    items: list[dict[str, Any]] = [
        {
            "kind": node.kind,
            "id": node.id,
            "name": node.name,
            "content": node.content,
            "year": node.values.get("ReleaseYear"),
        }
        for node in nodes()
    ]
    return items + [
        {"kind": edge.kind, "from": edge.source, "to": edge.target}
        for edge in dict.fromkeys(edges())
    ]
