"""The words of names and questions in the form in which they are compared, in any script."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from unicodedata import category, normalize

# Scripts without blanks between words: each of their characters is a token of its own.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
ACCENTS = re.compile("[\u0300-\u036f]")
APOSTROPHE = re.compile("['\u2019]")
POSSESSIVE = re.compile("['\u2019]s$")
SENTENCE_START = re.compile(r"[.!?;:\n]\s*$")
ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}
SAME = {"&": "and", **ROMAN}
ARTICLES = frozenset({"the", "a", "an"})
PLURALS = (
    (re.compile(r"(ch|sh|ss|x|o)es$"), r"\1"),
    (re.compile(r"ies?$"), "y"),
    (re.compile(r"(?<![sui])s$"), ""),
)
MOSTLY = 0.6  # of the words: above, capitals do not mark names


def _mark_ranges() -> str:
    """Return the combining marks of the basic plane, as ranges of a character class."""
    codes = [code for code in range(0x0300, 0x2000) if category(chr(code)).startswith("M")]
    runs = groupby(enumerate(codes), key=lambda pair: pair[1] - pair[0])
    groups = [[code for _, code in run] for _, run in runs]
    return "".join(f"{chr(group[0])}-{chr(group[-1])}" for group in groups)


MARKS = _mark_ranges()
LETTER = rf"(?:(?![{UNSPACED}])(?:[^\W_]|[{MARKS}\u200c\u200d]))"
TOKEN = re.compile(rf"[{UNSPACED}]|&|{LETTER}+(?:['\u2019]{LETTER}+)*")
ASCII_TOKEN = re.compile(r"&|[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a question: folded, as it is written, and its position.

    `capital` says that a capital letter within a sentence marks it as a name.
    """

    word: str
    text: str
    start: int
    end: int
    capital: bool

    @property
    def is_unspaced(self) -> bool:
        """Whether its script puts no blanks between words."""
        return re.match(f"[{UNSPACED}]", self.text) is not None


def tokenize(question: str) -> list[Token]:
    """Return the words of a question; capitals count unless most words have one."""
    tokens: list[Token] = []
    for match in TOKEN.finditer(question):
        text, start = match.group(), match.start()
        begins = not tokens or SENTENCE_START.search(question[:start]) is not None
        capital = text[0].isupper() and (not begins or (len(text) > 1 and text.isupper()))
        tokens.append(Token(fold_word(text), text, start, match.end(), capital))
    if sum(token.capital for token in tokens) <= MOSTLY * len(tokens):
        return tokens
    return [Token(token.word, token.text, token.start, token.end, False) for token in tokens]


@lru_cache(maxsize=50_000)
def fold_word(word: str) -> str:
    """Return a word without case, accents, apostrophe and 's, Roman numerals as figures."""
    if word.isascii():
        folded = APOSTROPHE.sub("", POSSESSIVE.sub("", word.lower()))
    else:
        letters = normalize("NFKD", POSSESSIVE.sub("", word.casefold()))
        folded = normalize("NFC", APOSTROPHE.sub("", ACCENTS.sub("", letters)))
    return SAME.get(folded, folded)


def name_words(name: str) -> list[str]:
    """Return the folded words of a name."""
    pattern = ASCII_TOKEN if name.isascii() else TOKEN
    return [fold_word(word) for word in pattern.findall(name)]


def without_articles(words: Sequence[str]) -> tuple[str, ...]:
    """Return words without articles, unless there is nothing else."""
    return tuple(word for word in words if word not in ARTICLES) or tuple(words)


@lru_cache(maxsize=50_000)
def singular(word: str) -> str:
    """Return one form for singular and plural; it need not be a word."""
    if len(word) > 3:
        for ending, replacement in PLURALS:
            shorter = ending.sub(replacement, word)
            if shorter != word:
                return shorter
    return word


def name_key(words: Iterable[str]) -> str:
    """Return the key of a name: Spider-Man, spiderman and Spider Man have the same."""
    return "".join(map(singular, words))


def runs(count: int, longest: int, shortest: int = 1) -> Iterator[tuple[int, int]]:
    """Yield start and end of every run of positions, the longest first."""
    for size in range(min(longest, count), shortest - 1, -1):
        for start in range(count - size + 1):
            yield start, start + size
