"""Names of nodes in memory, looked up by their words or by near spelling, in any script.

Forms of names are stored as hashes in arrays. Kinds of more than `MAX_NAMES` nodes are omitted;
their names are looked up by statements.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.retrieval_primitives import GraphReader
from moviegraph.names import (
    LETTERS_PER_EDIT,
    name_words,
    spelling_edits,
    without_articles,
    words_key,
)
from moviegraph.query.names import KindWords

BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
MAX_NAMES = 200_000  # of one kind: of more, building takes above 10 s and 100 MB
MIN_WORD_CHARS = 4  # of a word that may stand for a name: shorter ones are initials and particles
BUCKETS = 1 << 18  # of trigrams: 100,000 names have about as many different ones
TRIGRAMS_PER_EDIT, TRIGRAMS_PER_SWAP = 3, 4  # that an edit changes; of several, one is a swap


class Form(IntEnum):
    """Which form of a node's name was found; the best first."""

    NAME = 0
    ALIAS = 1
    PART = 2  # what follows a colon
    WORD = 3
    SPELLING = 4


class NameMatch(NamedTuple):
    """A node found by a name; `is_exact` unless only singular or plural differ."""

    kind: str
    id: int
    form: Form
    size: int
    is_exact: bool


class NameForm(NamedTuple):
    """One form of the name of a node, as words without articles."""

    kind: str
    id: int
    words: tuple[str, ...]
    form: Form


def name_forms(
    contract: Contract, node: NodeTable, key: int, name: str, kind_words: KindWords
) -> Iterator[NameForm]:
    """Yield the forms of a node's name: whole, without brackets or kind, after a colon, words."""
    main = contract.nodes[0].name
    short = BRACKETS.sub("", name) if name.endswith(")") else name
    kinds = [] if node.name == main else [node.name, main]
    full_names = [without_articles(name_words(text)) for text in dict.fromkeys((name, short))]
    stripped = [kind_words.strip(words, kinds) for words in full_names]
    for words in dict.fromkeys(filter(None, (*full_names, *stripped))):
        yield NameForm(node.name, key, words, Form.NAME)
    if ":" in short and (part := without_articles(name_words(short.partition(":")[2]))):
        yield NameForm(node.name, key, part, Form.PART)
    if not node.common_nouns and len(full_names[-1]) > 1:
        for word in dict.fromkeys(full_names[-1]):
            if len(word) >= MIN_WORD_CHARS:
                yield NameForm(node.name, key, (word,), Form.WORD)


class NameFormIndex:
    """Forms of names by their hash, in an array; 64 bits are taken for equality."""

    def __init__(self, kinds: Sequence[str], forms: Iterable[NameForm]) -> None:
        self._kinds = tuple(kinds)
        numbers = {kind: number for number, kind in enumerate(kinds)}
        rows = [
            (hash(words_key(f.words)), hash("".join(f.words)), f.id, numbers[f.kind], f.form,
             len(f.words))
            for f in forms
        ]  # fmt: skip
        table: NDArray[np.int64] = np.array(rows, dtype=np.int64).reshape(-1, 6)
        self._table = table[np.argsort(table[:, 0], kind="stable")]
        self._keys = self._table[:, 0].copy()

    def find(self, words: Sequence[str]) -> list[NameMatch]:
        """Return the nodes that have words (without articles) for a name, in either number."""
        key, joined = hash(words_key(words)), hash("".join(words))
        first, last = np.searchsorted(self._keys, key), np.searchsorted(self._keys, key, "right")
        rows: list[list[int]] = self._table[first:last].tolist()
        return [
            NameMatch(self._kinds[kind], node_id, Form(form), size, form_hash == joined)
            for _, form_hash, node_id, kind, form, size in rows
        ]


class SpellingIndex:
    """Names as joined words, by the trigrams that they contain."""

    def __init__(self, names: Iterable[tuple[str, ...]]) -> None:
        self._names = sorted({" ".join(words) for words in names})
        spellings = [name.replace(" ", "") for name in self._names]
        grams, owners = _trigrams("".join(f" {spelling} \n" for spelling in spellings))
        order = np.argsort(grams, kind="stable")
        self._first = np.searchsorted(grams[order], np.arange(BUCKETS + 1)).astype(np.int32)
        self._owners = owners[order]
        self._sizes = np.array([len(spelling) for spelling in spellings], dtype=np.int32)

    def nearest(self, spelling: str) -> tuple[int, list[tuple[str, ...]]]:
        """Return the fewest edits, and the words of the names with so many; none if too many."""
        max_edits = (len(spelling) + 1) // LETTERS_PER_EDIT  # the name may have one letter more
        if not max_edits or not self._names:
            return 0, []
        grams = np.unique(_trigrams(f" {spelling} \n")[0])
        rows = [self._owners[self._first[gram] : self._first[gram + 1]] for gram in grams]
        counts = np.bincount(np.concatenate(rows), minlength=len(self._names))
        changed = TRIGRAMS_PER_SWAP + TRIGRAMS_PER_EDIT * (max_edits - 1)
        likely = counts >= max(1, len(grams) - changed)
        likely &= np.abs(self._sizes - len(spelling)) <= max_edits
        by_edits: defaultdict[int, list[tuple[str, ...]]] = defaultdict(list)
        for row in np.flatnonzero(likely).tolist():
            words = tuple(self._names[row].split(" "))
            edits = spelling_edits(spelling, "".join(words))
            if edits is not None:
                by_edits[edits].append(words)
        edits = min(by_edits, default=0)
        return edits, by_edits[edits]


def _trigrams(text: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the bucket and the line of every three characters within a line."""
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    lines = np.cumsum(codes == ord("\n"))
    mixed = (codes[:-2] * 1_000_003 + codes[1:-1]) * 8_191 + codes[2:]
    buckets = ((mixed * 0x9E3779B1) >> np.uint64(20)) % BUCKETS
    inside = (codes[:-2] != ord("\n")) & (codes[1:-1] != ord("\n")) & (codes[2:] != ord("\n"))
    return buckets[inside].astype(np.int32), lines[:-2][inside].astype(np.int32)


class GraphNames:
    """The names of a graph: words for kinds, forms and spellings of names.

    The names of the `large` kinds are neither; they are looked up by statements.
    """

    def __init__(self, contract: Contract, graph: GraphReader, counts: Mapping[str, int]) -> None:
        self.kind_words = KindWords(contract)
        self.large = tuple(n.name for n in contract.nodes if counts[n.name] > MAX_NAMES)
        abbreviations: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        for short, full in contract.glossary.abbreviations.items():
            abbreviations[without_articles(name_words(full))].append(short)
        forms: list[NameForm] = []
        for node in contract.nodes:
            for key, name, step in graph.names(node.name) if node.name not in self.large else ():
                others = [name]
                if step != "alias":
                    named = [*name_forms(contract, node, key, name, self.kind_words)]
                    forms += named
                    whole = (form.words for form in named if form.form is Form.NAME)
                    others = [short for words in whole for short in abbreviations.get(words, ())]
                for other in others:
                    words = without_articles(name_words(other))
                    forms.append(NameForm(node.name, key, words, Form.ALIAS))
        forms = [form for form in forms if form.words]
        self.index = NameFormIndex([node.name for node in contract.nodes], forms)
        self.spellings = SpellingIndex(f.words for f in forms if f.form is not Form.WORD)
