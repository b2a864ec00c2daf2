import numpy as np
import pytest

from moviegraph.embeddings.embedder import QueryCache, Vector


class Counted:
    """Computes a vector and remembers for what."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, text: str) -> Vector:
        self.texts.append(text)
        return np.array([len(self.texts)], np.float32)


def test_a_known_query_is_not_computed_again_whatever_its_blanks() -> None:
    cache, compute = QueryCache(4), Counted()
    for text in ("star wars", " star \n wars ", "star wars"):
        assert cache.vector(text, compute) == [1]
    assert compute.texts == ["star wars"]


def test_the_least_recently_used_goes_first() -> None:
    cache, compute = QueryCache(2), Counted()
    for text in ("a", "b", "a", "c", "a", "b"):
        cache.vector(text, compute)
    assert compute.texts == ["a", "b", "c", "b"]


def test_a_failure_is_not_remembered() -> None:
    cache, compute = QueryCache(2), Counted()

    def failing(text: str) -> Vector:
        raise ValueError(text)

    with pytest.raises(ValueError, match="q"):
        cache.vector("q", failing)
    assert cache.vector("q", compute) == [1]
