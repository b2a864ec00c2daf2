"""Cuts a text that is too long for one question."""

import re
from collections.abc import Iterator

MOST_CHARACTERS = 12_000
BREAKS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"[.!?\u2026][\"'\u201d\u2019)]*\s+|\n|[\u3002\uff01\uff1f]"),
    re.compile(r"\s+"),
)


def parts(text: str, most: int = MOST_CHARACTERS) -> Iterator[str]:
    """Yield a text in parts of at most `most` characters, cut where a paragraph or sentence ends.

    A blank text has none.
    """
    start = 0
    while len(text) - start > most:
        end = _end(text, start, start + most)
        if part := text[start:end].strip():
            yield part
        start = end
    if rest := text[start:].strip():
        yield rest


def _end(text: str, start: int, most: int) -> int:
    """Return the last good place to cut in the second half of a part, the best sort first."""
    half = (start + most) // 2
    for each in BREAKS:
        if found := [match.end() for match in each.finditer(text, half, most)]:
            return found[-1]
    return most
