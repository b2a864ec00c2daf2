"""Text helpers: the form in which names are compared, and shortening."""

import re
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
