"""Where the sentences of a text end."""

import re
from collections.abc import Iterator

_END = re.compile(
    r"""(?<=[.!?])["'\u201d\u2019)\]]*+(?:\s++(?=["'\u201c\u2018(\[]?[^\W_a-z])|\Z)|\n\s*+"""
)
_LAST_WORD = re.compile(r"(?:^|[\s(\"'\u201c\u2018.-])(\w{1,5})\.$")
_SHORT = frozenset(
    "Mr Mrs Ms Dr St Sgt Lt Col Gen Capt Prof Rev Hon Gov Sen No vs Wm Chas Geo".split()
)
_BEGINNING = re.compile(r"(?:The|A|An|It|Its|He|His|She|Her|They|Their|This|In|When|After|But)\b")
_LONGEST_WORD = 7


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence, the blanks after it included; together, the text.

    An initial or a title ("Samuel L. Jackson", "Dr. Jones") ends none, unless a word follows that
    begins sentences; what is in doubt is cut, so that no sentence holds more than one.
    """
    start = 0
    for end in _END.finditer(text):
        if end.end() < len(text) and _is_abbreviation(text, end):
            continue
        if end.end() > start:
            yield start, end.end()
            start = end.end()
    if start < len(text):
        yield start, len(text)


def _is_abbreviation(text: str, end: re.Match[str]) -> bool:
    if "\n" in end[0]:
        return False
    word = _LAST_WORD.search(text, max(0, end.start() - _LONGEST_WORD), end.start())
    if word is None:
        return False
    if word[1] in _SHORT:
        return True
    return len(word[1]) == 1 and word[1].isupper() and not _BEGINNING.match(text, end.end())
