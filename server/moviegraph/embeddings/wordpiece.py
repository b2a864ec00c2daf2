"""The uncased BERT tokenizer: text to WordPiece ids, equal to those of the `tokenizers` package."""

import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache

LONGEST_WORD = 100
"""Characters; a longer word is one unknown token, as the model was trained."""

IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),  # the reference leaves the 256 before it out, so we do
    (0x2F800, 0x2FA1F),
)

Ids = tuple[int, ...]


def _cleaned(char: str) -> str:
    """Blank, drop or set apart one character of the text as given."""
    category = unicodedata.category(char)
    if char in "\t\n\r" or category == "Zs":
        return " "
    if char == "\ufffd" or category in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if any(low <= ord(char) <= high for low, high in IDEOGRAPHS):
        return f" {char} "
    return char


def _folded(char: str) -> str:
    """Drop an accent, set punctuation apart, lower the rest, one decomposed character."""
    category = unicodedata.category(char)
    if category == "Mn":
        return ""
    ascii_symbol = "!" <= char <= "~" and not char.isalnum()
    if ascii_symbol or category.startswith("P"):
        return f" {char} "
    return char.lower()  # one at a time: str.lower would make a final sigma of the last one


class _CharacterMap(dict[int, str]):
    """A rule for single characters in the form `str.translate` reads, remembering its results."""

    LIMIT = 20_000

    def __init__(self, rule: Callable[[str], str]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str:
        result = self._rule(chr(code))
        if len(self) < self.LIMIT:
            self[code] = result
        return result


class WordPiece:
    """Splits text into words and words into the longest pieces the vocabulary knows.

    Special tokens written in a text ("[SEP]") are read as the characters they are.
    """

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._unknown = vocabulary["[UNK]"]
        self._start = vocabulary["[CLS]"]
        self._end = vocabulary["[SEP]"]
        self._clean = _CharacterMap(_cleaned)
        self._fold = _CharacterMap(_folded)
        self._pieces = lru_cache(30_000)(self._split)

    @classmethod
    def from_lines(cls, text: str) -> "WordPiece":
        """Read a vocabulary of one piece a line, the line number being the id."""
        # Not splitlines(): pieces hold characters that splitlines() breaks at.
        lines = text.removesuffix("\n").split("\n")
        return cls({piece: number for number, piece in enumerate(lines)})

    def words(self, text: str) -> list[Ids]:
        """Return the ids of the text, word by word, without the frame."""
        decomposed = unicodedata.normalize("NFD", text.translate(self._clean))
        return [self._pieces(word) for word in decomposed.translate(self._fold).split()]

    def framed(self, ids: list[int]) -> list[int]:
        """Put the start and end tokens around the ids of one run."""
        return [self._start, *ids, self._end]

    def _split(self, word: str) -> Ids:
        if len(word) > LONGEST_WORD:
            return (self._unknown,)
        ids: list[int] = []
        begin = 0
        while begin < len(word):
            found = self._longest(word, begin)
            if found is None:
                return (self._unknown,)  # one unmatched piece makes the whole word unknown
            piece, begin = found
            ids.append(piece)
        return tuple(ids)

    def _longest(self, word: str, begin: int) -> tuple[int, int] | None:
        """Return id and end of the longest piece that starts at `begin`."""
        prefix = "##" if begin else ""
        for end in range(len(word), begin, -1):
            piece = self._vocabulary.get(prefix + word[begin:end])
            if piece is not None:
                return piece, end
        return None
