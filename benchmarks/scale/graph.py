"""Generates the columns of a movie graph of any size: Zipf texts, power-law edges."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.scale.words import Writer
from moviegraph.contract.model import Contract, EdgeTable
from moviegraph.engines.graph_records import KIND_BITS, EdgeColumns, NodeColumns

SEED = 20
FILM = "Movie"
OTHERS_A_FILM = 5
GENRES = 20
SHARES = {"Character": 0.6, "Setting": 0.2, "Theme": 0.14, "Series": 0.06}
FIRST_YEAR, LAST_YEAR = 1920, 2025
FILM_WORDS, OTHER_WORDS = 60, 10
EXPONENT = 0.8  # of the share of a node by its rank
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Degree:
    """How many edges of a kind a film has: at least so many, and so many more on average."""

    least: int
    more: float


DEGREES = {
    "INCLUDES_THEME": Degree(1, 3.0),
    "FEATURES_CHARACTER": Degree(1, 2.5),
    "SET_IN": Degree(1, 1.0),
    "IN_GENRE": Degree(1, 1.0),
    "PART_OF_SERIES": Degree(0, 0.15),
}


def sizes(films: int) -> dict[str, int]:
    """Return how many nodes of each kind a graph of so many films has."""
    others = OTHERS_A_FILM * films - GENRES
    counts = {kind: int(others * share) for kind, share in SHARES.items()}
    return {FILM: films, **counts, "Genre": GENRES}


def nodes(contract: Contract, films: int) -> list[NodeColumns]:
    """Return the nodes of every table in id order, ids from 1."""
    rng = np.random.default_rng(SEED)
    writer, counts = Writer(rng), sizes(films)
    columnses: list[NodeColumns] = []
    for at, table in enumerate(contract.nodes):
        count = counts[table.name]
        ids = np.arange(1, count + 1, dtype=np.int64)
        film = table.name == FILM
        years = rng.integers(FIRST_YEAR, LAST_YEAR + 1, count).tolist() if film else []
        columnses.append(
            NodeColumns(
                table,
                ids,
                ids + (at << KIND_BITS),
                writer.names(count, 3 if film else 2),
                writer.texts(count, FILM_WORDS if film else OTHER_WORDS),
                {column.name: list(map(str, years)) for column in table.extra},
            )
        )
    return columnses


def edges(contract: Contract, items: list[NodeColumns]) -> list[EdgeColumns]:
    """Return the edges of every table, without doubles, sorted by from and to."""
    rng = np.random.default_rng(SEED + 1)
    by_name = {each.table.name: each for each in items}
    return [_edges(table, at, by_name, rng) for at, table in enumerate(contract.edges)]


def _edges(
    table: EdgeTable, at: int, by_name: dict[str, NodeColumns], rng: np.random.Generator
) -> EdgeColumns:
    (pair,) = table.pairs
    start, end = by_name[pair.from_table].node_ids, by_name[pair.to_table].node_ids
    degree = DEGREES[table.name]
    counts = degree.least + rng.poisson(degree.more, len(start))
    sources = np.repeat(np.arange(len(start)), counts)
    targets = rng.permutation(len(end))[_ranks(len(end), len(sources), rng)]
    both = np.unique(sources * len(end) + targets)
    sources, targets = np.divmod(both, len(end))
    edge_ids = np.arange(len(both), dtype=np.int64) + (at << KIND_BITS)
    return EdgeColumns(table, edge_ids, start[sources], end[targets])


def _ranks(nodes: int, count: int, rng: np.random.Generator) -> Numbers:
    """Draw ranks whose frequency falls with a power of the rank."""
    left = 1.0 - EXPONENT
    drawn = (rng.random(count) * ((nodes + 1) ** left - 1) + 1) ** (1 / left)
    return np.minimum(drawn.astype(np.int64), nodes) - 1
