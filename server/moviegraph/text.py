"""The text helpers: the form in which names are compared, shortening, and an estimate of tokens."""

import re
from collections import Counter
from unicodedata import category, normalize

ACCENTS = re.compile("[\u0300-\u036f]")
NOT_WORD = re.compile(r"[\W_]+")


def fold_name(name: str) -> str:
    """Return the form in which names are equal: without case, accents, punctuation and spaces.

    A name of punctuation alone keeps it. Only the accents of European scripts are removed; marks
    of other scripts distinguish words.
    """
    if name.isascii():
        folded = NOT_WORD.sub("", name).lower()
    else:
        letters = normalize("NFKC", ACCENTS.sub("", normalize("NFKD", name).casefold()))
        folded = "".join(char for char in letters if char.isalnum() or category(char)[0] == "M")
    return folded or name.strip().casefold()


def shorten(text: str, length: int) -> str:
    """Return the text, truncated to a length that includes the ellipsis."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


# Tokens a character, at most: measured on random text with vocabularies of 100,000 and 200,000
# words. Plain English has half as many. What is not listed has one token a byte.
SPACE, LETTER, MARK, ALPHABET, IDEOGRAM = 0.25, 0.55, 1.0, 1.0, 2.0
ALPHABETS = range(0xA0, 0x590)  # Latin, Greek, Cyrillic, Armenian
IDEOGRAMS = (range(0x3040, 0x3100), range(0x4E00, 0xA000), range(0xAC00, 0xD7A4))


def most_tokens(text: str) -> float:
    """Return a number of tokens that no usual vocabulary exceeds; a token has at least one byte."""
    size = len(text.encode("utf-8", "replace"))
    return min(float(size), sum(_cost(char) * count for char, count in Counter(text).items()))


def _cost(char: str) -> float:
    if char.isascii():
        return LETTER if char.isalpha() else SPACE if char == " " else MARK
    code = ord(char)
    if code in ALPHABETS:
        return ALPHABET
    return IDEOGRAM if any(code in block for block in IDEOGRAMS) else float(_bytes(code))


def _bytes(code: int) -> int:
    return 2 if code < 0x800 else 3 if code < 0x10000 else 4
