"""Finds the words that a model gives as evidence in the text that it read."""

import re
import unicodedata

from moviegraph.sql.contains import STOP_WORDS, split_words

BLANKS = re.compile(r"\s+")
MARKS = re.compile("[\u0300-\u036f]")
ALIKE = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u00b4\u02bc`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)
ENDS = " \"'.,;:!?()[]-"
LEAST_LETTERS = 3
LEAST_SIGNS = 2
MOST_CHARACTERS = 400


def folded(text: str) -> str:
    """Return a text as it is compared: case, accents, blanks and forms of quotes do not count."""
    return BLANKS.sub(" ", _plain(text)).strip()


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.translate(ALIKE).casefold())
    return MARKS.sub("", decomposed).translate(ALIKE)


class ReadText:
    """A text in which evidence is looked up."""

    def __init__(self, text: str) -> None:
        self._text = BLANKS.sub(" ", text).strip()
        self._folded = _plain(self._text)

    def span(self, evidence: str, name: str = "") -> str | None:
        """Return the words of the text that are the evidence, as they stand there.

        None where they do not stand there as whole words, or are too few or too common to show
        anything, or so many that they show nothing; the name itself may be as short as it is.
        """
        wanted = folded(evidence).strip(ENDS)
        if not wanted or len(wanted) > MOST_CHARACTERS:
            return None
        if not _says_something(wanted) and wanted != folded(name).strip(ENDS):
            return None
        place = self._place(wanted)
        return None if place is None else self._verbatim(place, place + len(wanted))

    def shares_word(self, name: str) -> bool:
        """Return whether a word of a name stands here; all of it where its words are common."""
        whole = folded(name).strip(ENDS)
        words = [word for word in split_words(whole) if word not in STOP_WORDS]
        return any(word and self._place(word) is not None for word in words or [whole])

    def _place(self, wanted: str) -> int | None:
        at = self._folded.find(wanted)
        while at >= 0:
            if not (self._cuts_word(at) or self._cuts_word(at + len(wanted))):
                return at
            at = self._folded.find(wanted, at + 1)
        return None

    def _cuts_word(self, at: int) -> bool:
        """Return whether a place is within a word; scripts without case may write no blanks."""
        pair = self._folded[max(at - 1, 0) : at + 1]
        return at > 0 and len(pair) == 2 and all(map(_is_of_word, pair))

    def _verbatim(self, start: int, end: int) -> str:
        found = self._text[start:end]
        if _plain(found) == self._folded[start:end]:
            return found
        places = [at for at, char in enumerate(self._text) for _ in _plain(char)]
        return self._text[places[start] : places[end - 1] + 1]


def _says_something(words: str) -> bool:
    least = LEAST_LETTERS if words.isascii() else LEAST_SIGNS
    enough = len(re.findall(r"\w", words)) >= least
    return enough and not STOP_WORDS.issuperset(split_words(words))


def _is_of_word(char: str) -> bool:
    return char.isdigit() or char.lower() != char.upper()
