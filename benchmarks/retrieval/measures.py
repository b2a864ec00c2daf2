"""Figures of ranked lists against what is relevant."""

from collections.abc import Sequence
from statistics import fmean

import numpy as np

DEPTH = 10
DRAWS = 10_000
SEED = 7


def recall(listed: Sequence[int], relevant: set[int]) -> float:
    """Return the hits in the first ten by how many there could be."""
    return len(relevant.intersection(listed[:DEPTH])) / min(DEPTH, len(relevant))


def reciprocal(listed: Sequence[int], relevant: set[int]) -> float:
    """Return one by the place of the first hit, 0 without one."""
    places = (place for place, key in enumerate(listed, start=1) if key in relevant)
    return 1 / next(places, float("inf"))


def first(listed: Sequence[int], relevant: set[int]) -> float:
    """Return whether the first place is a hit."""
    return float(bool(listed) and listed[0] in relevant)


def interval(better: Sequence[float], worse: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of paired differences and the bounds of its bootstrap interval of 95 %."""
    differences = np.asarray(better) - np.asarray(worse)
    chance = np.random.default_rng(SEED)
    drawn = chance.choice(differences, size=(DRAWS, len(differences))).mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return round(fmean(differences), 3), round(float(low), 3), round(float(high), 3)
