"""Resolution of names and ids that callers pass into nodes, by index and never by guess.

Within a kind the first step that matches wins: a name that is equal without regard to case, accents
and punctuation; an alias; a name with what distinguishes it, such as Dune (1984); a name plus one
of the kind's suffixes. A misspelled name is a question of its own (`misspelled`), asked only if no
kind has the name: one node, within few edits, is meant; all other similar names are suggestions.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Literal

from moviegraph.contract.column_types import MAX_ID
from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.retrieval_primitives import GraphReader, node_ids
from moviegraph.names import (
    LETTERS_PER_EDIT,
    closeness,
    edit_distance,
    fold_case,
    fold_collation,
    fold_letters,
    fold_name,
    fold_plural,
    name_words,
    similar_positions,
    spelling_edits,
    spelling_form,
    words_key,
)
from moviegraph.sql.decision import Allowed, ComparedName
from moviegraph.sql.guard import RowLimits, judge
from moviegraph.text import shorten

MAX_SHOWN_CHARS = 80

CANDIDATES = 300  # names of a kind that are compared: they share the most parts with the request
MIN_GUESS_CHARS, MAX_GUESS_CHARS = 4, 80  # shorter requests resemble too much, longer are no names
MAX_SWAPPED_CHARS = 8  # longer requests have long parts: a swap spoils at most two of three

PREFIXED = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*:\s*(\S.*?)\s*", re.S)
DISTINGUISHED = re.compile(
    r"(?P<name>\S.*?)(?:,?\s*\((?P<bracketed>\d{1,9})\)|,?\s+(?:from\s+)?(?P<unbracketed>\d{4}))",
    re.S,
)

FoundBy = Literal["id", "source key", "equal", "alias", "distinguished", "suffix", "spelling"]
WHOLE = ("source key", "equal")  # a text that means a node before a prefix is looked for
Item = int | str
MAX_NEAREST = 3
MAX_CONTAINING = 1_000
MAX_COMPARED_CHARS = 60
EVERY_ROW = RowLimits(2**31 - 1, 1000)


def node_table(contract: Contract, kind: str | None) -> NodeTable:
    """Return the node table of a kind of the contract, by default its first."""
    table = contract.nodes[0] if kind is None else contract.node(kind)
    assert table is not None
    return table


@dataclass(frozen=True, slots=True)
class NamedNode:
    """A node that a name or an id means.

    `closeness` is the share of equal letters, below 1 only for a similar spelling. `edits` are the
    edits between request and name, None if too many for one to be the other misspelled.
    """

    kind: str
    id: int
    name: str
    found_by: FoundBy
    closeness: float = 1.0
    edits: int | None = 0

    @property
    def reference(self) -> str:
        """How a caller writes just this node: Theme:12."""
        return f"{self.kind}:{self.id}"

    @property
    def described(self) -> str:
        """Reference and name."""
        return f"{self.reference} {shorten(self.name, MAX_SHOWN_CHARS)!r}"


def node_names(
    graph: GraphReader, contract: Contract, kind: str, ids: Iterable[int]
) -> dict[int, str]:
    """Return the names of nodes of a kind by id, ascending."""
    ascending = node_ids(list(ids))
    label = node_table(contract, kind).label
    rows = graph.fetch(kind, ascending, (label,)) if len(ascending) else []
    return {key: row[0] or "" for key, row in zip(ascending.tolist(), rows, strict=True)}


class NameResolver:
    """Resolves what one call names, within its reader."""

    def __init__(self, graph: GraphReader, contract: Contract) -> None:
        self._graph = graph
        self._contract = contract

    def resolve(
        self, items: Sequence[Item], node_table: NodeTable, kinds: Sequence[NodeTable]
    ) -> dict[Item, list[NamedNode]]:
        """Return the nodes that each item means; an item that means none has an empty list.

        Args:
            items: Ids of the kind of `node_table`, names, and both with a kind in front
                (`Theme:12`).
            node_table: The kind of ids without a kind.
            kinds: The kinds in which names without a kind are looked up.
        """
        meanings: dict[Item, list[NamedNode]] = {item: [] for item in items}
        numbers = [item for item in meanings if isinstance(item, int)]
        for node_id, name in self._existing(node_table, numbers).items():
            meanings[node_id] = [NamedNode(node_table.name, node_id, name, "id")]
        unknown = {str(number): number for number in numbers if not meanings[number]}
        for text, nodes in self.keyed(node_table, list(unknown)).items():
            meanings[unknown[text]] = nodes
        texts = [item for item in meanings if isinstance(item, str)]
        full_matches = self.named(texts, self._contract.nodes)
        kind_names = {kind.name for kind in kinds}
        for text in texts:
            prefixed = self._prefixed(text)
            is_name = any(node.found_by in WHOLE for node in full_matches[text])
            if prefixed is None or is_name:
                meanings[text] = [node for node in full_matches[text] if node.kind in kind_names]
                if not full_matches[text] and (number := _id_in(text)) is not None:
                    meanings[text] = self._with_id(node_table, number)
            else:
                meanings[text] = self._of_kind(*prefixed)
        return meanings

    def alternatives(self, item: Item) -> list[Item]:
        """Return the items in one that joins names of a kind: Genre:Comedy|Satire.

        A name that contains the sign, and that a node has, is one item.
        """
        if isinstance(item, int) or "|" not in item:
            return [item]
        prefixed = self._prefixed(item)
        kinds, text = ([prefixed[0]], prefixed[1]) if prefixed else (self._contract.nodes, item)
        if any(self.named([text], kinds).values()):
            return [item]
        names = [part.strip() for part in item.split("|") if part.strip()]
        head = f"{prefixed[0].name}:" if prefixed else ""
        return [name if self._prefixed(name) else f"{head}{name}" for name in names]

    def kind_before(self, item: Item) -> NodeTable | None:
        """Return the kind in front of an item: Genre of Genre:Comedy."""
        prefixed = self._prefixed(item) if isinstance(item, str) else None
        return prefixed[0] if prefixed else None

    def kind_of(self, items: Sequence[Item], default: NodeTable) -> NodeTable:
        """Return the kind in front of every item, where the default is the contract's first."""
        is_first = default.name == self._contract.nodes[0].name
        return (self.kind_in_front(items) if is_first and items else None) or default

    def kind_in_front(self, items: Sequence[Item]) -> NodeTable | None:
        """Return the kind that every item has in front, such as Theme in `Theme:Revenge`.

        None where an item has none or another one, or is as a whole the name of a node.
        """
        prefixed = [self._prefixed(item) if isinstance(item, str) else None for item in items]
        kinds = {parts[0].name: parts[0] for parts in prefixed if parts is not None}
        if len(kinds) != 1 or None in prefixed:
            return None
        texts = [item for item in items if isinstance(item, str)]
        nodes = chain.from_iterable(self.named(texts, self._contract.nodes).values())
        return None if any(node.found_by in WHOLE for node in nodes) else next(iter(kinds.values()))

    def named(self, names: Sequence[str], kinds: Sequence[NodeTable]) -> dict[str, list[NamedNode]]:
        """Return the nodes of some kinds that have each name, by the first step of each kind."""
        meanings: dict[str, list[NamedNode]] = {name: [] for name in names}
        for kind in kinds:
            for name, nodes in self._named_in(kind, names).items():
                meanings[name] += nodes
        return meanings

    def similar(self, name: str, kind: NodeTable, count: int = 5) -> list[NamedNode]:
        """Return nodes whose name, alias, or a run of words in a name, is spelled nearly so.

        The nearest come first: those with few edits, then those with most equal letters.
        """
        distinguished = self._distinguished(kind, name)
        folded = fold_case(distinguished[0] if distinguished else name)
        if not MIN_GUESS_CHARS <= len(folded) <= MAX_GUESS_CHARS:
            return []
        letters, form = fold_letters(folded), spelling_form(name)
        nodes: dict[int, NamedNode] = {}
        for node_id, label, spelling in self._spellings(kind, folded):
            edits = spelling_edits(form, spelling_form(spelling))
            value = closeness(letters, fold_letters(spelling))
            if edits is not None or value:
                node = NamedNode(kind.name, node_id, label, "spelling", value, edits)
                nodes[node_id] = min(node, nodes.get(node_id, node), key=_spelling_rank)
        return sorted(nodes.values(), key=_spelling_rank)[:count]

    def misspelled(self, name: str, kinds: Sequence[NodeTable]) -> list[NamedNode]:
        """Return the nodes of the only name that a misspelled one can mean, within few edits.

        Of several names none is meant unless one has fewer edits than all others.
        """
        nodes = [node for node in self._similar_in(name, kinds) if node.edits is not None]
        prefixed = self._prefixed(name)
        text = prefixed[1] if prefixed else name
        nodes = [node for node in nodes if _may_be_misspelled(text, node.name)]
        best = [node for node in nodes if node.edits == nodes[0].edits]
        return best if len({fold_name(node.name) for node in best}) == 1 else []

    def nearest(self, name: str, kinds: Sequence[NodeTable], count: int = 3) -> list[NamedNode]:
        """Return the nodes with the most similar names over some kinds: what may be suggested."""
        return self._similar_in(name, kinds, count)[:count]

    def _similar_in(self, name: str, kinds: Sequence[NodeTable], count: int = 5) -> list[NamedNode]:
        """Return similar nodes of some kinds, or of the one that is in front of the name."""
        prefixed = self._prefixed(name)
        if prefixed is not None:
            kinds, name = [prefixed[0]], prefixed[1]
        nodes = [node for kind in kinds for node in self.similar(name, kind, count)]
        return sorted(nodes, key=_spelling_rank)

    def _spellings(self, kind: NodeTable, text: str) -> Iterator[tuple[int, str, str]]:
        """Yield id, name and a spelling of nodes that may be similar: their names and aliases."""
        parts = [*split_parts(text), *swapped_letters(text)]
        for node_id, label in self._graph.names_with(kind.name, parts, CANDIDATES):
            yield node_id, label, label
            if (short := without_suffix(kind, label)) != label:
                yield node_id, label, short
        aliases = self._graph.aliases(kind.name)
        positions = similar_positions(text, [alias for _, alias in aliases], CANDIDATES)
        matches = [aliases[position] for position in positions]
        labels = node_names(self._graph, self._contract, kind.name, (match[0] for match in matches))
        for node_id, alias in matches:
            yield node_id, labels[node_id], alias

    def containing(self, name: str, kinds: Iterable[NodeTable], count: int) -> Iterator[NamedNode]:
        """Yield nodes whose name has the words of a name, up to so many of each kind."""
        words = _spaced(name)
        for kind in kinds:
            found = self._graph.names_with(kind.name, [name.strip()], MAX_CONTAINING)
            nodes = (NamedNode(kind.name, key, label, "equal") for key, label in found)
            yield from islice((node for node in nodes if words in _spaced(node.name)), count)

    def _named_in(self, kind: NodeTable, names: Sequence[str]) -> dict[str, list[NamedNode]]:
        meanings = self.keyed(kind, names)
        meanings |= self._equal(kind, [name for name in names if name not in meanings])
        missing = [name for name in names if name not in meanings]
        distinguished = {name: self._distinguished(kind, name) for name in missing}
        meanings |= self._by_distinction(kind, distinguished)
        missing = [name for name in missing if name not in meanings]
        forms = {form: name for name in missing for form in _with_other_suffix(kind, name)}
        for form, nodes in self._equal(kind, list(forms)).items():
            by_suffix = [NamedNode(kind.name, node.id, node.name, "suffix") for node in nodes]
            meanings.setdefault(forms[form], []).extend(by_suffix)
        return meanings

    def keyed(self, kind: NodeTable, keys: Sequence[str]) -> dict[str, list[NamedNode]]:
        """Return the nodes with these source keys: exactly, or in another case of one node only."""
        if kind.source_key is None or not keys:
            return {}
        stored = self._graph.keyed(kind.name, keys)
        labels = node_names(self._graph, self._contract, kind.name, (key for _, key in stored))
        meanings: dict[str, list[NamedNode]] = {}
        for key in keys:
            exact = [node_id for text, node_id in stored if text == key.strip()]
            loose = [node_id for text, node_id in stored if fold_case(text) == fold_case(key)]
            ids = exact or (loose if len(loose) == 1 else [])
            if ids:
                meanings[key] = [NamedNode(kind.name, ids[0], labels[ids[0]], "source key")]
        return meanings

    def _equal(self, kind: NodeTable, names: Sequence[str]) -> dict[str, list[NamedNode]]:
        """Return the nodes of equal names and aliases; the very name is preferred to others."""
        if not names:
            return {}
        matches = self._graph.named(kind.name, names)
        labels = node_names(self._graph, self._contract, kind.name, (match[1] for match in matches))
        meanings: dict[str, list[NamedNode]] = defaultdict(list)
        for name, node_id, step in matches:
            meanings[name].append(NamedNode(kind.name, node_id, labels[node_id], step))
        for name, nodes in meanings.items():
            same = [node for node in nodes if fold_case(node.name) == fold_case(name)]
            meanings[name] = sorted(same or nodes, key=lambda node: node.id)
        return dict(meanings)

    def _by_distinction(
        self, kind: NodeTable, names: Mapping[str, tuple[str, int] | None]
    ) -> dict[str, list[NamedNode]]:
        parted = {name: parts for name, parts in names.items() if parts}
        nodes = self._equal(kind, list(dict.fromkeys(base for base, _ in parted.values())))
        ids = node_ids([node.id for node in chain.from_iterable(nodes.values())])
        if not len(ids) or kind.disambiguated_by is None:
            return {}
        rows = self._graph.fetch(kind.name, ids, (kind.disambiguated_by,))
        values = dict(zip(ids.tolist(), (row[0] for row in rows), strict=True))
        meanings: dict[str, list[NamedNode]] = {}
        for name, (base, value) in parted.items():
            same = [node for node in nodes.get(base, ()) if values[node.id] == value]
            if same:
                meanings[name] = [
                    NamedNode(kind.name, node.id, node.name, "distinguished") for node in same
                ]
        return meanings

    def _distinguished(self, kind: NodeTable, name: str) -> tuple[str, int] | None:
        """Return name and value of a name like Dune (1984), Dune 1984, or Dune from 1984."""
        if kind.disambiguated_by is None:
            return None
        match = DISTINGUISHED.fullmatch(name.strip())
        return (match["name"], int(match["bracketed"] or match["unbracketed"])) if match else None

    def _prefixed(self, text: str) -> tuple[NodeTable, str] | None:
        match = PREFIXED.fullmatch(text)
        kind = self._contract.node(match[1]) if match else None
        return (kind, match[2]) if match and kind else None

    def _of_kind(self, kind: NodeTable, text: str) -> list[NamedNode]:
        """Return the node of an id after a kind, otherwise those of a name."""
        number = _id_in(text)
        nodes = [] if number is None else self._with_id(kind, number)
        return nodes or self._named_in(kind, [text]).get(text, [])

    def _with_id(self, kind: NodeTable, number: int) -> list[NamedNode]:
        existing = self._existing(kind, [number])
        return [NamedNode(kind.name, key, name, "id") for key, name in existing.items()]

    def _existing(self, kind: NodeTable, numbers: Sequence[int]) -> dict[int, str]:
        if not numbers:
            return {}
        existing = self._graph.existing(kind.name, node_ids(numbers))
        return node_names(self._graph, self._contract, kind.name, existing.tolist())


def _id_in(text: str) -> int | None:
    """Return the id that a text is, if it can be one."""
    is_id = text.isascii() and text.isdigit() and len(text) <= len(str(MAX_ID))
    return int(text) if is_id and int(text) <= MAX_ID else None


def _may_be_misspelled(requested: str, name: str) -> bool:
    """Whether no word has more edits than a slip makes: Robert Harari is not Robert Harris."""
    words, named = name_words(requested), name_words(name)
    return len(words) != len(named) or all(
        edit_distance(word, other) <= max(1, len(other) // LETTERS_PER_EDIT)
        for word, other in zip(words, named, strict=True)
    )


def without_suffix(kind: NodeTable, name: str) -> str:
    """Return a name without the suffix of its kind: Rocky Collection -> Rocky."""
    for suffix in kind.name_suffixes:
        short = re.sub(rf"\s+{re.escape(suffix)}\s*$", "", name, flags=re.IGNORECASE)
        if short != name:
            return short
    return name


def _with_other_suffix(kind: NodeTable, name: str) -> list[str]:
    """Return a name with each suffix of its kind and, where it has one, without.

    With a suffix, also with and without an article: Terminator -> The Terminator Collection.
    """
    base = without_suffix(kind, name)
    bases = dict.fromkeys((base, f"The {base}", re.sub(r"^the\s+", "", base, flags=re.IGNORECASE)))
    longer = (f"{form} {suffix}" for form in bases for suffix in kind.name_suffixes)
    return [*({base} - {name}), *longer]


def _spaced(name: str) -> str:
    return f" {' '.join(name_words(name))} "


class KindWords:
    """The words for kinds of nodes, as they are put before or after names."""

    def __init__(self, contract: Contract) -> None:
        synonyms = [(synonym.word, synonym.table) for synonym in contract.glossary.tables]
        suffixes = [(word, node.name) for node in contract.nodes for word in node.name_suffixes]
        kinds = {node.name for node in contract.nodes}
        pairs = [*((kind, kind) for kind in kinds), *synonyms, *suffixes]
        self._kinds = {words_key(name_words(word)): kind for word, kind in pairs if kind in kinds}

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


def _spelling_rank(node: NamedNode) -> tuple[float, float, int, str, int]:
    edits = MAX_GUESS_CHARS if node.edits is None else node.edits
    return edits, -node.closeness, len(node.name), node.kind, node.id


def split_parts(text: str) -> list[str]:
    """Cut a text into two to four parts: with fewer slips than parts, one of them is intact."""
    count = 2 if len(text) < 6 else 3 if len(text) < 16 else 4
    size, remainder = divmod(len(text), count)
    ends = [size * (index + 1) + min(index + 1, remainder) for index in range(count)]
    return [text[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def swapped_letters(text: str) -> list[str]:
    """Return a short text with each pair of neighbors swapped: that slip can spoil every part."""
    if len(text) > MAX_SWAPPED_CHARS:
        return []
    swapped = (text[:at] + text[at + 1] + text[at] + text[at + 2 :] for at in range(len(text) - 1))
    return [word for word in dict.fromkeys(swapped) if word != text]


def unmatched_name_notes(
    graph: GraphReader, contract: Contract, names: Sequence[ComparedName]
) -> tuple[str, ...]:
    """Return a note for each literal that no node of its table has, with the nearest names."""
    resolver = NameResolver(graph, contract)
    notes = (_note(graph, resolver, contract, name) for name in names)
    return tuple(note for note in notes if note)


def _note(
    graph: GraphReader, resolver: NameResolver, contract: Contract, compared: ComparedName
) -> str | None:
    table, text = node_table(contract, compared.table), compared.text
    literal = repr(shorten(text, MAX_COMPARED_CHARS))
    if compared.pattern is not None:
        if _matches(graph, contract, table, compared.pattern):
            return None
        text = text.strip("%").strip()
        sentences = [f"No {table.name} has a name like {literal}."]
    else:
        same_kind = resolver.named([text], [table])[text]
        if any(_is_equal(node.name, text) for node in same_kind):
            return None
        sentences = [f"No {table.name} has the name {literal}."]
        if same_kind:
            return f"{sentences[0]} It may mean {_listed(same_kind)}."
    if text:
        others = [kind for kind in contract.nodes if kind.name != table.name]
        elsewhere = resolver.named([text], others)[text]
        suggestions = resolver.nearest(text, [table], MAX_NEAREST)
        if elsewhere:
            sentences.append(f"Nodes with that name: {_listed(elsewhere)}.")
        if suggestions:
            sentences.append(f"Nearest: {_listed(suggestions)}.")
        elif not elsewhere:
            sentences.append("Search for it before you rely on it.")
    return " ".join(sentences)


def _listed(nodes: Sequence[NamedNode]) -> str:
    return ", ".join(node.described for node in nodes[:MAX_NEAREST])


def _is_equal(name: str, text: str) -> bool:
    """Whether the database compares two names as equal: accents count, case does not."""
    return fold_collation(name) == fold_collation(text)


def _matches(graph: GraphReader, contract: Contract, node: NodeTable, pattern: str) -> bool:
    """Whether a node of the table satisfies a condition; true where that is unknown."""
    sql = f"SELECT n.{node.key} FROM {node.name} AS n WHERE {pattern}"
    decision = judge(sql, contract, EVERY_ROW)
    if not isinstance(decision, Allowed):
        return True
    return graph.has_any(node.name, graph.select(node.name, decision))
