"""The words of a question that leave something out, and where in it they name what."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from moviegraph.retrieval.likened import begins_small, starts

KNOWN = r"seen|watched|read|heard|played|tried|cooked|visited|finished"
END = r"(?=\s*(?:[,.;:!?]|$|\b(?:and|but|n?or|so|which|what|that|would|can|could|please|now)\b))"
# Each with whether it is sure: else only a name that the graph knows is taken for one.
OPENINGS = (
    (
        rf"\b(?:{KNOWN}|knows?|known|own|had|made)\s+(?:already\s+)?(?:all|every|each)(?:\s+of)?\s+",
        True,
    ),
    (r"\b(?:except(?:ing)?(?:\s+(?-i:for))?|other\s+than|apart\s+from|besides)\s+", True),
    (r"\b(?:excluding|leaving\s+out|anything\s+but)\s+", True),
    (
        (
            r"\b(?:but\s+(?:not|no)(?!\s+(?:only|just|without)\b)|(?<!not )without(?:\s+any)?|"
            r"and\s+not)\s+"
        ),
        True,
    ),
    (
        (
            r"\b(?:(?:do\s+not|don['\u2019]t)\s+(?:want|like|show\s+me|need)|tired\s+of|"
            r"sick\s+of|avoid(?:ing)?|skip(?:ping)?|nothing\s+(?:with|about|from))\s+"
        ),
        True,
    ),
    (r"\bnot\s+set\s+(?:in|on|at)\s+", True),
    (r"\bnone\s+(?:with|of|from|about|in)\s+", True),
    (r"\b(?:rather\s+than|instead\s+of|neither|nothing)\s+", False),
    (rf"\b(?:already|have|has|'ve)\s+(?:already\s+)?(?:{KNOWN})\s+", False),
    (r"\bnot\s+(?:from|in|part\s+of|by|a|an|another|the|any)\s+", False),
    (
        (
            r"\b(?:not(?!\s+(?:only|just|without)\b)|(?:is|are|was|were)n['\u2019]t|"
            r"(?<!is )(?<!are )(?<!was )(?<!were )(?<!has )(?<!had )(?:(?-i:no)|^No)|"
            r"(?:I|we)(?:\s+really)?\s+(?:hate|dislike|can(?:not|['\u2019]t)\s+stand))\s+"
        ),
        False,
    ),
)
QUOTED = re.compile(
    r"""(?:(?<!\w)["\u201c][^"\u201d]{1,100}["\u201d]|"""
    r"""(?<!\w)['\u2018](?!\d0s).{1,100}?['\u2019](?!\w))"""
)
PATTERNS = tuple(
    (re.compile(rf"{opening}(?P<what>(?:{QUOTED.pattern}|[^,.;:!?])+?){END}", re.I), sure)
    for opening, sure in OPENINGS
)
LISTED = re.compile(r"\s*(?:,\s*(?:and|or)?|and|n?or)\s+")
NAME = re.compile(
    rf"{QUOTED.pattern}|[A-Z][\w'\u2019-]*(?:\s+(?:of\s+|the\s+)*[A-Z0-9][\w'\u2019-]*)*"
)
TOLD = "(?:about|with|without|in|on|at|from|of|set|featuring)"  # what a film is asked to be
FURTHER_WORD = re.compile(
    rf"\s*(?P<link>and|n?or)\s+(?P<what>(?!{TOLD}\b)[\w-]+(?:\s+[\w-]+)??)"
    rf"(?:{END}|(?=\s+(?:about|with|set|featuring)\s))",
    re.I,
)
WORD_BEFORE = re.compile(r"\s*([\w'\u2019-]+)\s+")
NEXT_WORD = re.compile(r"\s+([\w-]+)")
MOST_PLACES, MOST_BEFORE = 12, 3


@dataclass(frozen=True, slots=True)
class Negation:
    """A stretch of a question that leaves something out; from `at` on it says what.

    In a list, those behind the first have no words before what they name. `sure` says that it is
    left out though the graph may not know its name.
    """

    question: str
    start: int
    at: int
    end: int
    sure: bool

    @property
    def text(self) -> str:
        """The whole stretch."""
        return self.question[self.start : self.end].strip()

    @property
    def what(self) -> str:
        """What is to be left out."""
        return self.question[self.at : self.end].strip()

    @property
    def listed(self) -> bool:
        """Whether it goes on with a list."""
        return self.start == self.at


@dataclass(frozen=True, slots=True)
class Known:
    """Names that the graph holds, in small letters, and the nouns that may stand behind one."""

    names: frozenset[str] = frozenset()
    nouns: frozenset[str] = frozenset()


def negations(question: str, known: Known | None = None) -> Iterator[Negation]:
    """Yield what leaves something out; a known name ends where it does, else at a sign."""
    known = known or Known()
    taken: list[tuple[int, int]] = []
    for pattern, sure in PATTERNS:
        for match in pattern.finditer(question):
            at, cut = match.span("what")
            end = _end(question, at, cut, known)
            if not any(a < end and at < b for a, b in taken):
                taken.append((at, end))
                yield Negation(question, match.start(), at, end, sure)
                yield from _following(question, end, sure, known)


def possible_names(question: str) -> list[str]:
    """Return what may be the names that go on behind a sign: Who Knows, Ada?"""
    places = [match.span("what") for pattern, _ in PATTERNS for match in pattern.finditer(question)]
    if not places:
        return []
    listed = LISTED.finditer(question, min(places)[0])
    places += [_listed(question, match) for match in listed]
    found = (_going_on(question, at, cut) for at, cut in places[:MOST_PLACES])
    return list(dict.fromkeys(name for each in found for name, _ in each))


def _following(question: str, at: int, sure: bool, known: Known) -> Iterator[Negation]:
    """Yield the further names of a list: The Matrix and Inception; horror and musicals."""
    while match := LISTED.match(question, at):
        start, cut = _listed(question, match)
        at = _end(question, start, cut, known)
        if at == start:
            at = match.start()
            break
        yield Negation(question, start, start, at, sure)
    if match := FURTHER_WORD.match(question, at):
        start, end = match.span("what")
        alone = " " not in match["what"].strip()
        yield Negation(question, start, start, end, sure and alone and match["link"] != "and")


def _listed(question: str, link: re.Match[str]) -> tuple[int, int]:
    """Return where a further name of a list begins, and where its capital letters or quotes end."""
    name = NAME.match(question, link.end())
    return link.end(), name.end() if name else link.end()


def _end(question: str, at: int, cut: int, known: Known) -> int:
    """Return where quotes end, or a known name that goes on behind the cut, and its nouns."""
    quoted = (QUOTED.match(question, begin) for begin in _begins(question, at, cut))
    ends = [match.end() for match in quoted if match]
    going_on = _going_on(question, at, cut) if not ends else ()
    ends += [end for name, end in going_on if name.casefold() in known.names]
    if not ends:
        return cut
    end = ends[0]
    while (word := NEXT_WORD.match(question, end)) and word[1].lower() in known.nouns:
        end = word.end()
    return end


def _going_on(question: str, at: int, cut: int) -> Iterator[tuple[str, int]]:
    """Yield what may be a name and goes on behind the cut, the longest first, and where it ends.

    Words in small letters may stand before it; in a list it has a capital letter.
    """
    if cut >= len(question.rstrip()):
        return
    for begin in _begins(question, at, cut):
        for name, length in starts(question[begin:]).items():
            end = begin + length
            if end > cut and not (at == cut and begins_small(name)):
                yield name, end


def _begins(question: str, at: int, cut: int) -> Iterator[int]:
    """Yield where a name may begin: at once, or behind the first words in small letters."""
    yield at
    for _ in range(MOST_BEFORE):
        word = WORD_BEFORE.match(question, at, cut)
        if word is None or not word[1].islower():
            return
        at = word.end()
        yield at
