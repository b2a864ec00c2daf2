"""Which words of a query leave something out for sure, and which may only tell the story."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.retrieval.exclusions import (
    FURTHER_SAID,
    Exclusion,
    words_read,
)
from moviegraph.retrieval.negations import Negation
from moviegraph.retrieval.relatives import relative_kind
from moviegraph.retrieval.wording import (
    LEADING,
    PRONOUNS,
    QUOTES,
    class_words,
    inflected,
    own_nouns,
    words_for,
)

CLEAR = re.compile(
    r"but\s+(?:not|no)\b|except|other\s+than|apart\s+from|besides|excluding|leaving\s+out|"
    r"anything\s+but|nothing\s+(?:with|about|from)\b|none\s+(?:with|of|from|about|in)\b|(?:I|we)\s",
    re.I,
)
SAID_OF_STORIES = re.compile(r"(?:without|and\s+not|not|no|neither|nothing|\w+n['\u2019]t)\b", re.I)
SPEAKER = re.compile(
    r"(?:^|[.,;:!?]|\b(?:I|we|please|(?:I|we)\s+(?:am|are|have|do|really|just|already)|"
    r"I['\u2019]m|I['\u2019]ve|we['\u2019]re|we['\u2019]ve))\s*$",
    re.I,
)
BETWEEN = (
    r"(?:\s+(?:with|but|from|in|which|that)|\s+(?:which|that)\s+(?:are|do|does|has|have|is|was))?"
)

# A crime without witnesses tells a story; sci-fi without robots is a wish.
PLAIN = r"(?!(?:an?|the|his|her|their|this|that)\b)[\w'\u2019-]+"


@dataclass(frozen=True, slots=True)
class Spoken:
    """Words that may leave something out: what they name, where they begin, and how.

    `read` is the text without what goes on behind the name. `named` says that it is written as a
    name is; `clear`, that the words can be nothing but a wish.
    """

    what: str
    read: str
    at: int
    named: bool
    clear: bool


def spoken(
    contract: Contract, node: NodeTable, query: str, negated: Sequence[Negation]
) -> list[Spoken]:
    """Return what a query may leave out, by its words; a list goes on as it began."""
    cased = any(word[0].islower() for word in query.split())
    found: list[Spoken] = []
    clear = False
    for each in negated:
        text, what = each.text, each.what
        if not each.listed:
            clear = _clear(contract, node, query[: each.start], text, what)
        named = cased and _capital(what, own_nouns(contract))
        read = words_read(contract, node, text, what)
        found.append(Spoken(what, read, each.start, named or _quoted(what), clear))
    return found


def meant(contract: Contract, found: list[Exclusion], said: list[Spoken]) -> list[Exclusion]:
    """Return what is left out for sure: by a name written as one, or after a clear wish."""
    return [each for each in found if _sure(contract, each, _said(each, said))]


def told_only(found: list[Exclusion], kept: list[Exclusion]) -> list[Exclusion]:
    """Return what a negation names but, as it may tell the story, does not leave out."""
    rest = (each for each in found if each not in kept)
    return [each for each in rest if SAID_OF_STORIES.match(each.text)]


def _said(exclusion: Exclusion, said: list[Spoken]) -> Spoken | None:
    """Return the words that an exclusion was read from, though what they go on to say is not."""
    return next((each for each in said if each.at == exclusion.at), None)


def _left_out(found: list[Exclusion], said: list[Spoken]) -> set[str]:
    """Return what is left out, by the names in the graph and by the words of the query."""
    read = filter(None, (_said(each, said) for each in found))
    return {each.what.casefold() for each in (*found, *read)}


def repeated(found: list[Exclusion], said: list[Spoken]) -> Iterator[Spoken]:
    """Yield the words that name what is left out by other words already."""
    names, places = _left_out(found, said), {each.at for each in found}
    return (each for each in said if each.what.casefold() in names and each.at not in places)


def unread(
    contract: Contract, node: NodeTable, found: list[Exclusion], said: list[Spoken]
) -> Iterator[Spoken]:
    """Yield the names, and after a clear wish the words, that left nothing out."""
    kinds = inflected(each.name.lower() for each in contract.nodes)
    empty = words_for(contract, node.name) | kinds | LEADING | PRONOUNS | {"all", "everything"}
    names, places = _left_out(found, said), {each.at for each in found}
    for each in said:
        known = each.at in places or each.what.casefold() in names
        says = not empty.issuperset(each.what.lower().split())
        says = says or relative_kind(contract, node, each.what) is not None
        if not known and says and (each.named or each.clear):
            yield each


def _sure(contract: Contract, exclusion: Exclusion, said: Spoken | None) -> bool:
    if said is None or said.named or said.clear:
        return True
    opening = exclusion.text.split()[0].casefold()
    words = {(each.table, each.word.casefold()) for each in contract.glossary.keywords}
    return any((kind, opening) in words for kind in exclusion.kinds)


def _clear(contract: Contract, node: NodeTable, before: str, text: str, what: str) -> bool:
    """Whether words are a wish: `films without X`, `not a comedy`, but not `a man without X`."""
    if CLEAR.match(text):
        return True
    if not SAID_OF_STORIES.match(text):
        return bool(SPEAKER.search(before))
    own, classes = words_for(contract, node.name), class_words(contract)
    said = FURTHER_SAID.split(what)[0] if not before.strip() else what
    if SPEAKER.search(before) and (own | classes | LEADING).issuperset(said.lower().split()):
        return True
    nouns, headed = ("|".join(map(re.escape, sorted(words))) for words in (own, classes))
    meant = rf"(?:\b(?:{nouns}){BETWEEN}|\bbut|^\W*(?:{PLAIN}[\s-]+)?(?:{headed}){BETWEEN})\s*$"
    return bool(re.search(meant, before, re.I))


def _capital(what: str, nouns: set[str]) -> bool:
    """Whether the first word, but for articles and nouns of the contract, begins as a name."""
    words = (each for each in what.split() if each not in nouns | LEADING)
    return not next(words, "a")[0].islower()


def _quoted(what: str) -> bool:
    words = [each for each in what.split() if each.lower() not in LEADING]
    return bool(words) and words[0][0] in QUOTES
