"""Names of nodes in memory, looked up by their words or by near spelling, in any script.

Forms of names are stored as hashes in arrays. Kinds of more than `MAX_NAMES` nodes are omitted;
their names are looked up by statements.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from enum import IntEnum
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.retrieval_primitives import GraphReader

# Scripts without spaces between words: each of their characters is a token of its own.
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
ASCII_TOKEN = re.compile(r"&|[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")
Integers = NDArray[np.int64]
MAX_NAMES = 200_000  # of one kind
MIN_WORD_CHARS = 4  # letters of a word that may stand for a name
MAX_CAPITALS = 2  # letters up to which an alias in capitals is meant in capitals
MIN_MISSPELLED_CHARS = 6  # letters of a name that is found in spite of a slip
MIN_RATIO = 0.87  # least ratio of equal letters
MIN_SHARED = 0.5  # least share of equal trigrams
MAX_CANDIDATES = 12
BUCKETS = 1 << 18
BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")


def _mark_ranges() -> str:
    """Return the combining marks of the basic plane, as ranges of a character class."""
    codes = [code for code in range(0x0300, 0x2000) if category(chr(code)).startswith("M")]
    runs = groupby(enumerate(codes), key=lambda pair: pair[1] - pair[0])
    groups = [[code for _, code in run] for _, run in runs]
    return "".join(f"{chr(group[0])}-{chr(group[-1])}" for group in groups)


MARKS = _mark_ranges()
LETTER = rf"(?:(?![{UNSPACED}])(?:[^\W_]|[{MARKS}\u200c\u200d]))"
TOKEN = re.compile(rf"[{UNSPACED}]|&|{LETTER}+(?:['\u2019]{LETTER}+)*")


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
        """Whether its script puts no spaces between words."""
        return re.match(f"[{UNSPACED}]", self.text) is not None


def question_tokens(question: str) -> list[Token]:
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
        normalized = APOSTROPHE.sub("", POSSESSIVE.sub("", word.lower()))
    else:
        letters = normalize("NFKD", POSSESSIVE.sub("", word.casefold()))
        normalized = normalize("NFC", APOSTROPHE.sub("", ACCENTS.sub("", letters)))
    return SAME.get(normalized, normalized)


def name_words(name: str) -> list[str]:
    """Return the folded words of a name."""
    pattern = ASCII_TOKEN if name.isascii() else TOKEN
    return [fold_word(word) for word in pattern.findall(name)]


def without_articles(words: Sequence[str]) -> tuple[str, ...]:
    """Return words without articles, unless there is nothing else."""
    return tuple(word for word in words if word not in ARTICLES) or tuple(words)


@lru_cache(maxsize=50_000)
def fold_plural(word: str) -> str:
    """Return one form for singular and plural; it need not be a word."""
    if len(word) > 3:
        for ending, replacement in PLURALS:
            shorter = ending.sub(replacement, word)
            if shorter != word:
                return shorter
    return word


def name_key(words: Iterable[str]) -> str:
    """Return the key of a name: Spider-Man, spiderman and Spider Man have the same."""
    return "".join(map(fold_plural, words))


def runs(count: int, longest: int, shortest: int = 1) -> Iterator[tuple[int, int]]:
    """Yield start and end of every run of positions, the longest first."""
    for size in range(min(longest, count), shortest - 1, -1):
        for start in range(count - size + 1):
            yield start, start + size


class Form(IntEnum):
    """Which form of a node's name was found; the best first."""

    NAME = 0
    ALIAS = 1
    CAPITALS = 2  # an alias that is meant in capitals only: LA
    PART = 3  # what follows a colon
    WORD = 4
    SPELLING = 5


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


class KindWords:
    """The words for kinds of nodes, as they are put before or after names."""

    def __init__(self, contract: Contract) -> None:
        synonyms = [(synonym.word, synonym.table) for synonym in contract.glossary.tables]
        suffixes = [(word, node.name) for node in contract.nodes for word in node.name_suffixes]
        kinds = {node.name for node in contract.nodes}
        pairs = [*((kind, kind) for kind in kinds), *synonyms, *suffixes]
        self._kinds = {name_key(name_words(word)): kind for word, kind in pairs if kind in kinds}

    def kind_of(self, word: str) -> str | None:
        """Return the kind that a folded word is for."""
        return self._kinds.get(fold_plural(word))

    def strip(self, words: Sequence[str], kinds: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return words without those for kinds (any, or some) at their ends."""
        first, last = 0, len(words)
        while last - first > 1 and self._is_for(words[last - 1], kinds):
            last -= 1
        while last - first > 1 and self._is_for(words[first], kinds):
            first += 1
        return tuple(words[first:last])

    def _is_for(self, word: str, kinds: Sequence[str] | None) -> bool:
        kind = self.kind_of(word)
        return kind is not None and (kinds is None or kind in kinds)


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


def alias_form(kind: str, key: int, alias: str) -> NameForm:
    """Return the form of an alias."""
    short = alias.isupper() and len(alias) <= MAX_CAPITALS
    form = Form.CAPITALS if short else Form.ALIAS
    return NameForm(kind, key, without_articles(name_words(alias)), form)


class NameFormIndex:
    """Forms of names by their hash, in an array; 64 bits are taken for equality."""

    def __init__(self, kinds: Sequence[str], forms: Iterable[NameForm]) -> None:
        self._kinds = tuple(kinds)
        numbers = {kind: number for number, kind in enumerate(kinds)}
        rows = [
            (hash(name_key(f.words)), hash("".join(f.words)), f.id, numbers[f.kind], f.form,
             len(f.words))
            for f in forms if f.words
        ]  # fmt: skip
        table: Integers = np.array(rows, dtype=np.int64).reshape(-1, 6)
        self._table = table[np.argsort(table[:, 0], kind="stable")]
        self._keys = self._table[:, 0].copy()

    def find(self, names: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], list[NameMatch]]:
        """Return by words (without articles) the nodes that have them for a name."""
        matches = {words: self.find_key(name_key(words), "".join(words)) for words in names}
        return {words: nodes for words, nodes in matches.items() if nodes}

    def find_key(self, key: str, exact: str = "") -> list[NameMatch]:
        """Return the nodes with a key; matches are exact where their joined words are these."""
        first = int(np.searchsorted(self._keys, hash(key), side="left"))
        last = int(np.searchsorted(self._keys, hash(key), side="right"))
        rows: list[list[int]] = self._table[first:last].tolist()
        return [
            NameMatch(self._kinds[kind], node_id, Form(form), size, joined == hash(exact))
            for _, joined, node_id, kind, form, size in rows
        ]


class SpellingIndex:
    """Keys of names by the trigrams that they contain."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = sorted(set(keys))
        grams, owners = _trigrams("".join(f" {key} \n" for key in self._keys))
        order = np.argsort(grams, kind="stable")
        self._first = np.searchsorted(grams[order], np.arange(BUCKETS + 1)).astype(np.int32)
        self._owners = owners[order]
        self._sizes = np.array([len(key) for key in self._keys], dtype=np.int32)

    def nearest(self, key: str) -> tuple[str, float] | None:
        """Return the key that is spelled most nearly so and its similarity, or None."""
        if len(key) < MIN_MISSPELLED_CHARS or not self._keys:
            return None
        grams = np.unique(_trigrams(f" {key} \n")[0])
        rows = [self._owners[self._first[gram] : self._first[gram + 1]] for gram in grams]
        counts = np.bincount(np.concatenate(rows), minlength=len(self._keys))
        likely = np.flatnonzero(counts >= MIN_SHARED * len(grams))
        likely = likely[np.abs(self._sizes[likely] - len(key)) <= 2]
        best = likely[np.argsort(-counts[likely], kind="stable")[:MAX_CANDIDATES]]
        rows_of_best: list[int] = best.tolist()
        candidates = [self._keys[row] for row in rows_of_best]
        closest = get_close_matches(key, candidates, 1, MIN_RATIO)
        return (closest[0], SequenceMatcher(None, closest[0], key).ratio()) if closest else None


def _trigrams(text: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the bucket and the line of every three characters within a line."""
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    lines = np.cumsum(codes == ord("\n"))
    mixed = (codes[:-2] * 1_000_003 + codes[1:-1]) * 8_191 + codes[2:]
    buckets = ((mixed * 0x9E3779B1) >> np.uint64(20)) % BUCKETS
    inside = (codes[:-2] != ord("\n")) & (codes[1:-1] != ord("\n")) & (codes[2:] != ord("\n"))
    return buckets[inside].astype(np.int32), lines[:-2][inside].astype(np.int32)


class GraphNames:
    """Everything that is known about the names of a graph.

    Attributes:
        kind_words: The words for kinds.
        index: The forms of all names of kinds that fit in memory.
        spellings: Their keys.
        large: The kinds whose names are looked up by statements.
    """

    def __init__(self, contract: Contract, graph: GraphReader, counts: Mapping[str, int]) -> None:
        self.kind_words = KindWords(contract)
        self.large = tuple(n.name for n in contract.nodes if counts[n.name] > MAX_NAMES)
        abbreviations: dict[str, list[str]] = defaultdict(list)
        for short, full in contract.glossary.abbreviations.items():
            abbreviations[name_key(without_articles(name_words(full)))].append(short)
        words = Counter[int]()
        forms: list[NameForm] = []
        for node in contract.nodes:
            for key, name, step in graph.names(node.name) if node.name not in self.large else ():
                if step == "alias":
                    forms.append(alias_form(node.name, key, name))
                else:
                    for form in name_forms(contract, node, key, name, self.kind_words):
                        forms.append(form)
                        if form.form is Form.NAME and abbreviations:
                            aliases = abbreviations.get(name_key(form.words), ())
                            forms += (alias_form(node.name, key, alias) for alias in aliases)
                    words.update(map(hash, name_words(name)))
        self.index = NameFormIndex([node.name for node in contract.nodes], forms)
        full_forms = [form for form in forms if form.form is not Form.WORD]
        self.spellings = SpellingIndex(name_key(form.words) for form in full_forms)
        self._words: Integers = np.array(sorted(words), dtype=np.int64)
        self._counts: Integers = np.array([words[word] for word in sorted(words)], dtype=np.int64)

    def count_of(self, word: str) -> int:
        """Return how many names contain a folded word."""
        index = int(np.searchsorted(self._words, hash(word)))
        inside = index < len(self._words) and self._words[index] == hash(word)
        return int(self._counts[index]) if inside else 0
