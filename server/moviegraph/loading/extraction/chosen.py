"""Chooses a few of the nodes that name something, so that one more seldom changes the choice."""

import hashlib

from moviegraph.loading.extraction.cluster import Cluster


def chosen_sources(kind: str, cluster: Cluster, most: int) -> list[tuple[int, str]]:
    """Return the ids of at most so many nodes that name a cluster, each with its words.

    Chosen are the least by a digest of kind, key and id: whether one is in depends on nothing but
    itself, and of a thousand that name a thing a newcomer is among six in one of 167 cases.
    """
    words: dict[int, str] = {}
    for spelling in cluster.mentions:
        words.setdefault(spelling.mention.source, spelling.mention.evidence)
    ranked = sorted(words, key=lambda source: (_digest(f"{kind}|{cluster.key}|{source}"), source))
    return [(source, words[source]) for source in sorted(ranked[:most])]


def shortened(text: str, most: int) -> str:
    """Return the beginning of a text in one line, cut between words."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rsplit(' ', 1)[0]}…"


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
