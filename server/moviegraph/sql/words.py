"""Splits texts into words as the full-text index does, and knows its stop words."""

import re
from unicodedata import normalize

WORD = re.compile(r"[^\W_]+")
RUN = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")
MARK = "\ue000"  # stands for a stop word in the index; no text is searched for it
# SQL Server's system stoplist for English (sys.fulltext_system_stopwords), beside "$".
STOP_WORDS = frozenset("0123456789abcdefghijklmnopqrstuvwxyz") | frozenset(
    """
    about after all also an and another any are as at be because been before being between both but
    by came can come could did do does each else for from get got had has have he her here him
    himself his how if in into is it its just like make many me might more most much must my never
    no now of on only or other our out over re said same see should since so some still such take
    than that the their them then there these they this those through to too under up use very want
    was way we well were what when where which while who will with would you your
    """.split()
)


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, in lower case, split as the index splits them."""
    return tuple(WORD.findall(_composed(text).lower()))


def heard_words(text: str) -> list[str]:
    """Return the words of a text, an empty one in the place of each stop word.

    A single letter or digit counts where it is part of a word such as X-Men, O'Brien or T-800.
    """
    found: list[str] = []
    for run in RUN.findall(_composed(text).lower()):
        parts: list[str] = WORD.findall(run)
        whole = len(parts) == 1
        found += ["" if _is_silent(part, whole=whole) else part for part in parts]
    return found


def with_marks(text: str) -> str:
    """Return a text for the index: MARK in the place of each stop word."""
    return RUN.sub(_marked, _composed(text))


def _composed(text: str) -> str:
    """Write a letter and its accent as one character, however they were typed."""
    return text if text.isascii() else normalize("NFC", text)


def _marked(match: re.Match[str]) -> str:
    run = match.group()
    if run.isalnum():
        return MARK if run.lower() in STOP_WORDS else run
    return WORD.sub(lambda part: MARK if _is_silent(part[0].lower(), whole=False) else part[0], run)


def _is_silent(word: str, *, whole: bool) -> bool:
    return word in STOP_WORDS and (whole or len(word) > 1)
