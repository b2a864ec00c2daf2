"""A seeded vocabulary, and texts of it in which words are as unequal as in a language."""

from collections.abc import Iterator

import numpy as np

from moviegraph.sql.contains import STOP_WORDS

STEMS = 20_000
ENDINGS = ("", "s", "ed", "ing")
ONSETS = (
    "b",
    "br",
    "c",
    "d",
    "dr",
    "f",
    "g",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "st",
    "t",
    "v",
)
VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")
CODAS = ("", "", "l", "m", "n", "r", "rk", "t", "nd")
CHUNK = 20_000


def vocabulary(rng: np.random.Generator) -> list[str]:
    """Return words from the most to the least frequent: stop words, then inflected stems."""
    stems: dict[str, None] = {}
    while len(stems) < STEMS:
        parts = rng.integers(0, [len(ONSETS), len(VOWELS), len(CODAS)], size=(3, 3))
        count = int(rng.integers(2, 4))
        word = "".join(ONSETS[a] + VOWELS[b] + CODAS[c] for a, b, c in parts[:count].tolist())
        stems[word] = None
    inflected = [stem + ending for stem in stems for ending in ENDINGS]
    order = rng.permutation(len(inflected))
    return [*sorted(STOP_WORDS)[:60], *(inflected[at] for at in order.tolist())]


class Writer:
    """Writes texts: the n-th word of the vocabulary comes n times more seldom than the first."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self.words = vocabulary(rng)
        shares = 1.0 / np.arange(1, len(self.words) + 1)
        self._bounds = np.cumsum(shares) / shares.sum()

    def texts(self, count: int, words: int) -> list[str]:
        """Return sentences of so many words."""
        return [" ".join(text) + "." for text in self._drawn(count, words, 0)]

    def names(self, count: int, words: int) -> list[str]:
        """Return names of so many words that are no stop words, each with a capital."""
        return [" ".join(text).title() for text in self._drawn(count, words, 60)]

    def _drawn(self, count: int, words: int, first: int) -> Iterator[list[str]]:
        """Yield lists of words; the first ones of the vocabulary can be left out."""
        low = self._bounds[first - 1] if first else 0.0
        for start in range(0, count, CHUNK):
            size = (min(CHUNK, count - start), words)
            places = np.searchsorted(self._bounds, self._rng.uniform(low, 1.0, size))
            places = np.clip(places, first, len(self.words) - 1)
            yield from ([self.words[at] for at in row] for row in places.tolist())
