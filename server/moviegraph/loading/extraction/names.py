"""Names as a model gives them: cleaned, and in the form in which spellings are compared."""

import re
import unicodedata

ENDS = ' \t"“”„«»`*_,;:'
MARKS = re.compile("[\u0300-\u036f]")  # not the marks of other scripts: there they are letters
APOSTROPHES = re.compile("['\u2018\u2019\u02bc\u00b4]")
ARTICLE = re.compile(r"^(?:the|an?) (?=\S)")
ARTICLE_BEHIND = re.compile(r", (?:the|an?)$")
INITIAL = re.compile(r"(?<!\w)([^\W\d_])\.(?=[^\W\d_](?:\.|$|\s))")
NO_WORD = re.compile(r"[^\w+#%$]+|_+")
LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "\u0131": "i", "&": " and "}
)
JOINERS = "\u200c\u200d"
NUMBER = re.compile(r"\d\w*|[ivx]{2,}")
BRACKETS = re.compile(r" \(.*\)$")
NO_PLURAL = ("ss", "us", "is")
LONG_PLURALS = ("sses", "shes", "ches", "xes", "zes", "oes")


def cleaned(name: str, most: int) -> str | None:
    """Return a name as a node can bear it; None if it is dirty.

    Dirty is what has control characters or halves of surrogate pairs, no letter or digit, or
    more than `most` UTF-16 units. Characters that only steer the layout are left out.
    """
    text = " ".join(unicodedata.normalize("NFC", name).split()).strip(ENDS)
    text = "".join(
        char for char in text if unicodedata.category(char) != "Cf" or char in JOINERS
    ).strip()
    if any(unicodedata.category(char) in ("Cc", "Cs", "Cn") for char in text):
        return None
    if len(text.encode("utf-16-le")) // 2 > most or not any(map(str.isalnum, normal_form(text))):
        return None
    return text


def normal_form(name: str) -> str:
    """Return what spellings of one name have in common.

    Case, accents, punctuation, blanks and an English article before or behind do not count.
    """
    text = MARKS.sub("", unicodedata.normalize("NFKD", name.casefold()))
    text = unicodedata.normalize("NFC", text).casefold().translate(LETTERS)
    text = " ".join(APOSTROPHES.sub("", text).split())
    text = ARTICLE_BEHIND.sub("", ARTICLE.sub("", text))
    return " ".join(NO_WORD.sub(" ", INITIAL.sub(r"\1", text)).split())


def singular(normal: str) -> str:
    """Return a normal form with its last word in the singular, as far as its ending tells."""
    head, blank, word = normal.rpartition(" ")
    if len(word) > 4 and word.endswith("ies"):
        word = f"{word[:-3]}y"
    elif word.endswith(LONG_PLURALS):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(NO_PLURAL):
        word = word[:-1]
    return head + blank + word


def numbers(normal: str) -> tuple[str, ...]:
    """Return the numbers in a normal form: names that differ in them are never one."""
    return tuple(word for word in normal.split() if NUMBER.fullmatch(word))


def without_brackets(name: str) -> str:
    """Return a name without what tells it from another of the same name."""
    return BRACKETS.sub("", name)


def commonest(names: dict[str, int]) -> str:
    """Return the spelling that is used most; among equals one as a name is written, then any."""
    return min(
        names,
        key=lambda name: (-names[name], not name[:1].isupper(), name.isupper(), name),
    )
