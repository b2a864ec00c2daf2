"""The nodes that a question names, in any language: by name, near spelling, or meaning.

The longest name wins. A word that the question does not mark as a name, by a capital letter or
quotes, is one only if the texts use it so (`Linker._is_meant`).
"""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from moviegraph.contract.model import Contract
from moviegraph.engines.base import Vector
from moviegraph.engines.retrieval_primitives import GraphReader, node_ids
from moviegraph.names import ARTICLES, Token, question_tokens, runs, without_articles, word_forms
from moviegraph.query.names import NameResolver, node_names
from moviegraph.search.entity_index import Form, GraphNames, NameMatch
from moviegraph.sql.contains import STOP_WORDS
from moviegraph.sql.match_patterns import hops_from

# Function words of English alone: others are letters, or words of German, French or Spanish too.
ENGLISH = frozenset(word for word in STOP_WORDS if len(word) > 1) - frozenset(
    "also an as come do had has he her in is it many me most no of on over said so was we".split()
)
CODE = re.compile(r"\"([^\"]{1,450})\"|(?<!\w)'([^']{1,450})'(?!\w)|[^\s,;!?\"'()]+")
Key = tuple[str, int]
Matches = defaultdict[tuple[str, ...], list[NameMatch]]  # by the words of a name
FOUND_BY = ("name", "alias", "part of name", "part of name", "spelling")  # by form
MAX_RUN, MAX_UNSPACED_RUN = 7, 16  # tokens of a name; longer titles are found by their parts
MAX_PER_RUN, MAX_PER_KIND, MAX_BY_MEANING = 4, 2, 5  # entities: a context has room for about 8
MIN_JOINED_CHARS = 5  # of an unmarked word for a name of several words
RARE = 3_000  # a word is unknown if at most one in so many nodes has it: texts misspell, too
# Similarities are those of the local embedding model. All were set by the tuning half of
# benchmarks/planning: higher loses names, lower takes ordinary words for names.
NEAR = 0.33  # of a node and a question about it; unrelated pairs rarely exceed 0.25
TITLE_NEAR = 0.45  # likewise for titles and persons: most of their words are ordinary ones
USED = 0.25  # share of the texts with a word whose node has it as a name: it is used as one
USED_NEAR = 0.15  # similarity that is enough then
USED_PHRASE = 0.1  # likewise for several words
SELDOM = 0.03  # share below which a word is an ordinary one, however near its node is
FOREIGN = 0.25  # share of unknown words above which a word alone is no proper name
NEAREST, MIN_SHARED = 30, 3  # nodes nearest to a question, and those of them that share a node
MIN_EVIDENCE = 12.0  # count * log(lift): three of 30 share what one node in 550 has


@dataclass(frozen=True, slots=True)
class Entity:
    """A node that a question names, and where: tokens from `start` to `end`."""

    text: str
    kind: str
    id: int
    name: str
    linked: int
    found_by: str
    start: int
    end: int


class Graph:
    """What linking reads of a graph: of each node read its edges and similarity to the question."""

    def __init__(
        self, contract: Contract, graph: GraphReader, names: GraphNames, vector: Vector | None
    ) -> None:
        self.contract, self.reader, self.names, self.vector = contract, graph, names, vector
        self.main = contract.nodes[0].name
        self.linked: dict[Key, int] = {}
        self.similarity: dict[Key, float] = {}

    def read(self, keys: Iterable[Key]) -> None:
        """Read edges and similarities of nodes, kind by kind; without a vector all are 0."""
        by_kind: defaultdict[str, set[int]] = defaultdict(set)
        for kind, node_id in {*keys} - self.linked.keys():
            by_kind[kind].add(node_id)
        for kind, numbers in by_kind.items():
            ids, similar = node_ids([*numbers]), dict[int, float]()
            linked = sum(self.reader.degrees(kind, ids).values(), np.zeros(len(ids), np.int64))
            if self.vector is not None:
                near = self.reader.nearest(kind, self.vector, len(ids), self.reader.only(ids))
                similar = dict(zip(near.ids.tolist(), (1 - near.values).tolist(), strict=True))
            for node_id, count in zip(ids.tolist(), linked.tolist(), strict=True):
                self.linked[kind, node_id] = count
                self.similarity[kind, node_id] = similar.get(node_id, 0.0)

    def bearers(self, key: Key) -> int:
        """Return how many nodes of the first kind have a node; one of that kind has itself."""
        return 1 if key[0] == self.main else self.linked[key]

    def entity(self, key: Key, found_by: str, text: str, start: int, end: int) -> Entity:
        """Return a node as an entity, named by a text from token `start` to `end`, if by any."""
        name = node_names(self.reader, self.contract, key[0], [key[1]])[key[1]]
        return Entity(text, *key, name, self.linked[key], found_by, start, end)


def entities_by_key(graph: Graph, question: str) -> list[Entity]:
    """Return the nodes whose source keys occur in a question: codes, or quoted texts.

    A code has a digit and a character that is none, or only capitals. A number is none, because it
    is rarely an identifier in a question.
    """
    words = (match[1] or match[2] or match[0].strip(".:") for match in CODE.finditer(question))
    quoted = {match[1] or match[2] for match in CODE.finditer(question)}
    keys = [word for word in dict.fromkeys(words) if word in quoted or _is_code(word)]
    resolver = NameResolver(graph.reader, graph.contract)
    found = [
        (text, (node.kind, node.id))
        for kind in graph.contract.nodes
        for text, nodes in resolver.keyed(kind, keys).items()
        for node in nodes
    ]
    graph.read(key for _, key in found)
    return [graph.entity(key, "source key", text, 0, 0) for text, key in found]


def _is_code(word: str) -> bool:
    has_digit = any(map(str.isdigit, word))
    is_number = not any(map(str.isalpha, word)) and not re.search(r"\d[^\d.,]\d", word)
    return (has_digit and not is_number) or (len(word) > 1 and word.isupper())


class Linker:
    """Links one question."""

    def __init__(self, graph: Graph, question: str, counts: Mapping[str, int], total: int) -> None:
        """Take how many nodes of the first kind contain each word, and how many there are."""
        self._graph, self._names = graph, graph.names
        self._question, self._counts, self._total = question, counts, total
        self.tokens = question_tokens(question)
        self._free = set(range(len(self.tokens)))
        self._unknown = [not t.is_unspaced and self.is_unknown(t) for t in self.tokens]
        self._marked = [t.is_marked and not self._is_empty(t) for t in self.tokens]
        is_unspaced = any(token.is_unspaced for token in self.tokens)
        self._longest = MAX_UNSPACED_RUN if is_unspaced else MAX_RUN
        self._titled = {
            node.name
            for node in graph.contract.nodes
            if node.name == graph.main or node.named_within is not None or node.name_suffixes
        }
        self._persons = {n.name for n in graph.contract.nodes if n.named_within is not None}
        self._nouns = {node.name for node in graph.contract.nodes if node.common_nouns}
        self._may_be_foreign = self.is_foreign(FOREIGN)

    def link(self) -> list[Entity]:
        """Return the entities in the order of the question; longer names are taken first."""
        entities: list[Entity] = []
        exact = self._exact_candidates()
        self._graph.read(match[:2] for matches in exact.values() for match in matches)
        for start, end in runs(len(self.tokens), self._longest):
            if self._free >= {*range(start, end)}:
                matches = self._meant(exact.get((start, end), []), start, end)
                if matches := matches or self._misspelled(start, end):
                    self._free -= {*range(start, end)}
                    entities += self._entities(matches, start, end)
        entities.sort(key=lambda entity: (entity.start, -entity.linked))
        return [*{(e.kind, e.id): e for e in reversed(entities)}.values()][::-1]

    def unlinked(self) -> list[Token]:
        """Return the words that are linked to nothing, but for those that name nothing."""
        free = (self.tokens[index] for index in sorted(self._free))
        return [token for token in free if not self._is_empty(token)]

    def is_foreign(self, share: float = 0.5) -> bool:
        """Whether a question seems to be in another language than the texts.

        It has none of the texts' function words, and they do not know more than a share of its
        words.
        """
        unknown = sum(self.is_unknown(token) for token in self.unlinked() if not token.is_marked)
        is_english = self._graph.contract.language.partition("-")[0] == "en"
        unmarked = {token.word for token in self.tokens if not token.is_marked and is_english}
        return unknown > share * len(self.tokens) and unmarked.isdisjoint(ENGLISH)

    def is_unknown(self, token: Token) -> bool:
        """Whether hardly any name or text has a word, as with slips and other languages."""
        least = self._total // RARE
        is_common = token.word in STOP_WORDS or len(self._names.index.find([token.word])) > least
        return not is_common and self._texts_with(token) <= least

    def _texts_with(self, token: Token) -> int:
        """Return how many texts have a word, in either number."""
        return max(self._counts.get(form, 0) for form in word_forms(token.word))

    def _is_empty(self, token: Token) -> bool:
        """Whether a word names nothing by itself: a function word, a number, a word for a kind."""
        is_kind = self._names.kind_words.kind_of(token.word) is not None
        return is_kind or token.word in STOP_WORDS or token.word.isdigit()

    def _text(self, start: int, end: int) -> str:
        return self._question[self.tokens[start].start : self.tokens[end - 1].end]

    def _exact_candidates(self) -> dict[tuple[int, int], list[NameMatch]]:
        """Return by run of tokens what it is the name of."""
        names = {
            (start, end): without_articles([token.word for token in self.tokens[start:end]])
            for start, end in runs(len(self.tokens), self._longest)
            if self._may_be_name(start, end)
        }
        matches = self._find_by_statement({*names.values()})
        for words in {*names.values()}:
            found = self._names.index.find(words)
            shorter = self._names.kind_words.strip(words)
            if found and shorter != words:  # horror films is a theme, and the genre Horror
                found += self._names.index.find(shorter)
            matches[words] += found
        return {run: self._fitting(words, matches[words], *run) for run, words in names.items()}

    def _find_by_statement(self, names: Collection[tuple[str, ...]]) -> Matches:
        """Return the nodes of kinds that are too large for memory, with their articles as well."""
        spoken = {" ".join((*article, *w)): w for w in names for article in ((), ("the",))}
        matches: Matches = defaultdict(list)
        for kind in self._names.large:
            for name, key, step in self._graph.reader.named(kind, [*spoken]):
                form, words = Form.ALIAS if step == "alias" else Form.NAME, spoken[name]
                matches[words].append(NameMatch(kind, key, form, len(words), True))
        return matches

    def _may_be_name(self, start: int, end: int) -> bool:
        """Whether a run may be a name: not function words and numbers only, unless marked."""
        run = self.tokens[start:end]
        if end - start > 1 and not ARTICLES.isdisjoint((run[0].text, run[-1].text)):
            return False  # it does not count in names
        if all(token.is_unspaced for token in run):
            return len(run) > 1 or len(self.tokens) == 1
        content = [token for token in run if not self._is_empty(token)]
        is_marked = all(token.is_marked for token in content or (run[0], run[-1]))
        has_content = bool(content) and sum(len(token.word) for token in run) > 2
        return len(run) <= MAX_RUN and (has_content or is_marked or self._is_alone(start, end))

    def _is_beside_name(self, start: int, end: int) -> bool:
        """Whether a marked word is next to a run: it may be part of an unknown name."""
        return any(self._marked[end : end + 1] + self._marked[max(start - 1, 0) : start])

    def _is_alone(self, start: int, end: int) -> bool:
        """Whether a run is the whole question, or written as one word: wall-e."""
        text = self._text(start, end)
        return text == self._question.strip() or (end - start > 1 and " " not in text)

    def _fitting(
        self, words: tuple[str, ...], matches: Iterable[NameMatch], start: int, end: int
    ) -> list[NameMatch]:
        """Return the matches of a run, each node once, by its best form.

        If a name is written exactly so, plurals of others are not meant, except common nouns:
        Alien is not Aliens. A person has no plural: Dans is not Dan. A name with function words has
        just these: next of kin is not Next.
        """
        matches = [
            match
            for match in matches
            if (match.size == len(words) or self._is_joined(match, words, start, end))
            and (match.is_exact or not (match.kind in self._persons or self._may_be_foreign))
            and (match.form is not Form.WORD or (end - start == 1 and match.is_exact))
        ]
        has_exact = any(match.is_exact for match in matches)
        fitting = [m for m in matches if m.is_exact or not has_exact or m.kind in self._nouns]
        return [*{m[:2]: m for m in sorted(fitting, key=lambda m: -m.form)}.values()]

    def _is_joined(self, match: NameMatch, words: tuple[str, ...], start: int, end: int) -> bool:
        """Whether a run is a name with other spaces: spider man is Spiderman, bladerunner also.

        But est-elle is not Estelle, runs away not The Runaways, and mit not M.I.T.
        """
        if not STOP_WORDS.isdisjoint(words):
            return False
        if match.size > len(words):
            is_long = len("".join(words)) >= MIN_JOINED_CHARS
            return is_long or all(token.is_marked for token in self.tokens[start:end])
        is_known = not any(self._unknown[start:end])
        return is_known and (match.is_exact or match.kind in self._nouns)

    def _meant(self, matches: Sequence[NameMatch], start: int, end: int) -> list[NameMatch]:
        """Return the matches that are meant: names, else what follows a colon, else words."""
        content = [token for token in self.tokens[start:end] if not self._is_empty(token)]
        texts = min(map(self._texts_with, content), default=self._total)
        is_beside = self._is_beside_name(start, end)
        ends = (self.tokens[start], self.tokens[end - 1])  # Here and There
        is_marked = all(token.is_marked for token in content or ends)
        first = self.tokens[start].text[0]
        begins = first == first.title() and not is_beside
        is_sure = len(content) > 1 or self._is_alone(start, end)
        is_sure = is_sure or (is_marked and not is_beside)  # not Tom of Tom Hanks
        if not is_sure and not begins and start and self.tokens[start - 1].word in ("a", "an"):
            matches = [m for m in matches if m.kind not in self._titled]  # a ghost is not a title
        elif not is_marked and not self._is_alone(start, end):
            matches = [m for m in matches if self._is_used(m, start, end)]
        has_the = start > 0 and self.tokens[start - 1].word == "the"
        used = [m for m in matches if self._is_meant(m, texts, begins, has_the=has_the)]
        for forms in ((Form.NAME, Form.ALIAS), (Form.PART,)):
            if named := [m for m in (matches if is_sure else used) if m.form in forms]:
                return named
        return [] if is_beside else [m for m in used if m.form is Form.WORD]

    def _is_used(self, match: NameMatch, start: int, end: int) -> bool:
        """Whether texts use unmarked words of a title mostly as a name: not two brothers."""
        words = without_articles([token.word for token in self.tokens[start:end]])
        if end - start == 1 or match.kind not in self._titled or match.size != len(words):
            return True
        least = USED_PHRASE if match.is_exact else USED
        most = int(self._graph.bearers(match[:2]) / least)
        phrase = " ".join(token.text for token in self.tokens[start:end])
        reader = self._graph.reader
        return len(reader.matching(self._graph.main, f'"{phrase}"', most + 1).ids) <= most

    def _is_meant(self, match: NameMatch, texts: int, begins: bool, *, has_the: bool) -> bool:
        """Whether one unmarked word is used as a name: by its texts, and near to the question.

        `begins` says that it has a capital as it begins a sentence, or is of a script without.
        """
        if match.form is not Form.WORD and match.size > 1:  # several words written as one
            return True
        is_name = begins and match.kind not in self._persons
        if self._may_be_foreign and not is_name and match.kind not in self._nouns:
            return False
        share = self._graph.bearers(match[:2]) / max(1, texts)
        similarity = self._graph.similarity[match[:2]]
        is_title = match.kind in self._titled and match.form is not Form.ALIAS
        if share >= USED and (match.form is Form.WORD or not is_title):
            return similarity >= USED_NEAR or not texts
        if match.form is Form.WORD or share < SELDOM:
            return False
        if is_title and has_the:
            name = self._graph.entity(match[:2], "", "", 0, 0).name
            is_title = not name.lower().startswith("the ")
        return similarity >= (TITLE_NEAR if is_title else NEAR) or (begins and share >= USED)

    def _misspelled(self, start: int, end: int) -> list[NameMatch]:
        """Return what a run with an unknown word is a near spelling of.

        One unmarked word can only be what several nodes have, and no title: rebelion.
        """
        run = self.tokens[start:end]
        if self._may_be_foreign and run[0].text[0].islower() and end - start < len(self.tokens):
            return []
        if not any(self._unknown[start:end]) or self._is_empty(run[0]) or self._is_empty(run[-1]):
            return []
        is_marked = end - start > 1 or self._is_alone(start, end) or run[0].is_marked
        if end - start == 1 and run[0].is_marked and self._is_beside_name(start, end):
            return []
        spelling = "".join(without_articles([token.word for token in run]))
        edits, names = self._names.spellings.nearest(spelling)
        if end - start > 1 and edits > min(len(run[0].word), len(run[-1].word)):
            return []  # a word at an end is not part of the name: Redemtion vs
        matches = [match for name in names for match in self._names.index.find(name)]
        self._graph.read(match[:2] for match in matches)
        return [
            match._replace(form=Form.SPELLING)
            for match in matches
            if match.form is not Form.WORD
            and (is_marked or match.kind not in self._titled)
            and (is_marked or self._graph.bearers(match[:2]) > 1)
        ]

    def _entities(self, accepted: Sequence[NameMatch], start: int, end: int) -> list[Entity]:
        """Return those with the most edges, few of a kind."""
        matches = {match[:2]: match for match in sorted(accepted, key=lambda m: -m.form)}
        ranked = sorted(matches, key=lambda key: (-self._graph.linked[key], key[1]))
        text = self._text(start, end)
        return [
            self._graph.entity(key, FOUND_BY[matches[key].form], text, start, end)
            for key in _few_of_each_kind(ranked, MAX_PER_RUN)
        ]


def entities_by_meaning(graph: Graph, total: int, known: Iterable[Key]) -> list[Entity]:
    """Return what the question means without naming it.

    That is what many of the nodes nearest to it are linked to, and few others; and of each kind
    the nodes nearest to it.
    """
    if graph.vector is None:
        return []
    weights: dict[Key, float] = {}
    nearest = node_ids(graph.reader.nearest(graph.main, graph.vector, NEAREST).ids.tolist())
    for hop in hops_from(graph.contract, graph.main):
        if hop.kind == graph.main or not len(nearest):
            continue
        targets = graph.reader.neighbors(graph.main, hop, nearest).targets
        pairs = zip(*np.unique(targets, return_counts=True), strict=True)
        shared = {(hop.kind, int(i)): int(n) for i, n in pairs if n >= MIN_SHARED}
        graph.read(shared)
        for key, count in shared.items():
            lift = count / len(nearest) * total / max(1, graph.linked[key])
            evidence, similarity = count * math.log(lift), graph.similarity[key]
            if evidence >= MIN_EVIDENCE and similarity >= NEAR:
                weights[key] = evidence * similarity
    for node in graph.contract.nodes[1:]:
        if node.named_within is None:
            ranked = graph.reader.nearest(node.name, graph.vector, MAX_PER_KIND)
            for node_id, distance in zip(ranked.ids.tolist(), ranked.values.tolist(), strict=True):
                if 1 - distance >= TITLE_NEAR:
                    weights.setdefault((node.name, node_id), MIN_EVIDENCE * (1 - distance))
    best = sorted(weights.keys() - {*known}, key=lambda key: (-weights[key], key))
    few = _few_of_each_kind(best, MAX_BY_MEANING)
    graph.read(few)
    return [graph.entity(key, "meaning", "", 0, 0) for key in few]


def _few_of_each_kind(keys: Iterable[Key], count: int) -> list[Key]:
    few: list[Key] = []
    for key in keys:
        of_kind = sum(kind == key[0] for kind, _ in few)
        if of_kind < MAX_PER_KIND and len(few) < count:
            few.append(key)
    return few
