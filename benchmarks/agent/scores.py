"""How much of the truth an answer holds, and how much of the answer is true."""

from statistics import fmean

from benchmarks.agent.answers import Answer
from benchmarks.agent.truth import Fact, Truth


def recall(answer: Answer, truth: Truth) -> float:
    """Return the share of the truth that was found; of two sides, the mean of both.

    A fact is found where a row tells it and nothing else, or where every film that it counts is
    listed: a model could then count itself.
    """
    if truth.facts:
        return fmean(_told(answer, fact) for fact in truth.facts)
    listed = set(answer.films)
    return fmean(len(side & listed) / len(side) for side in truth.sides)


def precision(answer: Answer, truth: Truth) -> float | None:
    """Return the share of the listed films that are true; None for facts."""
    if truth.facts:
        return None
    true = frozenset[int]().union(*truth.sides)
    return len(true.intersection(answer.films)) / len(answer.films) if answer.films else 0.0


def _told(answer: Answer, fact: Fact) -> bool:
    wanted = set(fact.words)
    return any(wanted == set(row) for row in answer.rows) or fact.films <= set(answer.films)
