"""Finds names that are spelt alike or mean alike, without comparing all of them in Python."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moviegraph.loading.extraction.names import numbers

Matrix = NDArray[np.float32]
ROWS = 256
WIDTH = 512
SPREAD = 2654435761  # 2^32 over the golden ratio: near numbers fall far from each other
NEAREST = 6
LEAST_SPELT = 0.7
LEAST_MEANT = 0.8
LEAST_WITHIN = 0.75


@dataclass(frozen=True, slots=True, order=True)
class Pair:
    """Two names that may mean the same, by their places in a list, the lower one first."""

    first: int
    second: int
    score: float


def alike(names: Sequence[str], asked: Sequence[int], vectors: Matrix | None) -> list[Pair]:
    """Return the pairs of names that are near each other, of which one at least is asked for.

    A name has its few nearest alone, so that what comes back grows with the names and not with
    their pairs. Names that differ in a number are no pair.

    Args:
        names: Normal forms.
        asked: Places of the names whose neighbours are looked for.
        vectors: What the names mean, a row of length 1 for each, or None.
    """
    found: dict[tuple[int, int], float] = {}
    spelt = _of_length_one(trigrams(names))
    for matrix, least in ((spelt, LEAST_SPELT), (vectors, LEAST_MEANT)):
        if matrix is not None:
            for one, other, score in _nearest(matrix, asked, least):
                ends = (min(one, other), max(one, other))
                found[ends] = max(found.get(ends, 0.0), score)
    return _kept(names, found)


def alike_within(names: Sequence[str]) -> list[Pair]:
    """Return the pairs of a few names where one has most of the other's letters in a row."""
    has = trigrams(names, 2 * WIDTH) > 0
    counts = has.sum(axis=1)
    common = has.astype(np.float32) @ has.T.astype(np.float32)
    shares = common / np.maximum(1, np.minimum.outer(counts, counts))
    ones, others = np.nonzero(np.triu(shares >= LEAST_WITHIN, 1))
    found = {
        (int(one), int(other)): float(shares[one, other])
        for one, other in zip(ones, others, strict=True)
    }
    return _kept(names, found)


def same_spelling(names: Sequence[str]) -> dict[str, list[int]]:
    """Return the places of each name that occurs more than once."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        places[name].append(place)
    return {name: each for name, each in sorted(places.items()) if len(each) > 1}


def trigrams(names: Sequence[str], width: int = WIDTH) -> Matrix:
    """Return how often each name has each three letters in a row, hashed into columns."""
    padded = [f" {name} ".encode() for name in names]
    matrix = np.zeros((len(names), width), np.float32)
    letters = np.frombuffer(b"".join(padded), np.uint8).astype(np.uint64)
    if len(letters) < 3:
        return matrix
    rows = np.repeat(np.arange(len(names)), [len(each) for each in padded])
    threes = letters[:-2] << 16 | letters[1:-1] << 8 | letters[2:]
    columns = (threes * SPREAD & 0xFFFFFFFF) * width >> 32
    of_one_name = rows[:-2] == rows[2:]
    np.add.at(matrix, (rows[:-2][of_one_name], columns[of_one_name]), 1)
    return matrix


def _of_length_one(matrix: Matrix) -> Matrix:
    return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)


def _nearest(
    matrix: Matrix, asked: Sequence[int], least: float
) -> Iterator[tuple[int, int, float]]:
    """Yield for each row that is asked for its nearest others, with their cosines."""
    most = min(NEAREST + 1, len(matrix))
    for start in range(0, len(asked), ROWS):
        rows = np.asarray(asked[start : start + ROWS])
        scores = matrix[rows] @ matrix.T
        scores[np.arange(len(rows)), rows] = -1.0
        best = np.argpartition(-scores, most - 1, axis=1)[:, :most]
        for at, row in enumerate(rows):
            for other in best[at]:
                if scores[at, other] >= least:
                    yield int(row), int(other), float(scores[at, other])


def _kept(names: Sequence[str], found: dict[tuple[int, int], float]) -> list[Pair]:
    return [
        Pair(one, other, round(score, 4))
        for (one, other), score in sorted(found.items())
        if numbers(names[one]) == numbers(names[other])
    ]
