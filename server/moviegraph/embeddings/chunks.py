"""Cuts what is longer than a model reads into chunks of about equal length, and bounds it."""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from moviegraph.contract.space import MOST_CHARACTERS
from moviegraph.embeddings.base import Vector, Vectors


def part_read(text: str) -> str:
    """Return the beginning of a text that a vector stands for: no more is paid for, or run."""
    return text.strip()[:MOST_CHARACTERS]


def token_chunks(words: Sequence[Sequence[int]], most: int) -> list[list[int]]:
    """Pack words into as few chunks of at most `most` ids as fit, never cutting inside a word."""
    total = sum(map(len, words))
    if total <= most:
        return [list(chain.from_iterable(words))]
    longest = max(map(len, words))
    count = -(-total // (most - longest + 1))
    chunks: list[list[int]] = [[]]
    taken = 0
    for word in words:
        if taken * count >= total * len(chunks):
            chunks.append([])
        chunks[-1].extend(word)
        taken += len(word)
    return chunks


def text_chunks(text: str, most: int) -> list[str]:
    """Cut a text into about equal chunks of at most `most` characters, at blanks where it can."""
    if len(text) <= most:
        return [text]
    middle = len(text) // 2
    cut = text.rfind(" ", middle // 2, middle + 1)
    cut = middle if cut < 0 else cut
    halves = text[:cut].strip(), text[cut:].strip()
    return [chunk for half in halves if half for chunk in text_chunks(half, most)]


def normalised_mean(vectors: Vectors) -> Vector:
    """Return the mean of the rows, scaled to length 1."""
    mean = vectors.mean(axis=0)
    return mean / np.linalg.norm(mean)
