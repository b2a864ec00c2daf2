"""The nodes that a question names, in any language: by name, near spelling, or meaning.

Whether a word of the language is meant as a name is decided by figures: the share of the texts
containing it whose node has the name, its capital letter, and the similarity of the node to the
question. The thresholds were measured with the local embedding model (`benchmarks/planning`).
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from moviegraph.contract.model import Contract
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, node_ids
from moviegraph.query.names import node_names
from moviegraph.search.entity_index import (
    ARTICLES,
    Form,
    GraphNames,
    NameMatch,
    Token,
    name_key,
    question_tokens,
    runs,
    without_articles,
)
from moviegraph.sql.contains import STOP_WORDS
from moviegraph.sql.match_patterns import Hop, hops_from

if TYPE_CHECKING:
    from moviegraph.embeddings.embedder import Vector

Key = tuple[str, int]
Groups = dict[tuple[int, int], list[NameMatch]]  # what runs of tokens may be the names of
THE = ("the",)
INDEFINITE = frozenset({"a", "an"})
FOUND_BY = {
    Form.NAME: "name",
    Form.ALIAS: "alias",
    Form.CAPITALS: "alias",
    Form.PART: "part of name",
    Form.WORD: "part of name",
    Form.SPELLING: "spelling",
}
MAX_RUN, MAX_UNSPACED_RUN, MAX_MISSPELLED_RUN = 7, 16, 7  # tokens
MAX_PER_RUN, MAX_PER_KIND, MAX_BY_MEANING = 4, 2, 5  # entities
RARE = 3_000  # a word is unknown where fewer than one in so many nodes has it
COMMON = 1_000  # a name is common where more than one in so many nodes is linked to it
# Least share of the texts with a word whose node has it as a name, and least similarities.
MOSTLY, OFTEN, SELDOM = 0.5, 0.3, 0.03
LIKELY, WORD, NEAR, WEAK = 0.15, 0.2, 0.33, 0.45
NEAREST, MIN_SHARED, MIN_EVIDENCE = 30, 3, 12.0  # what the nearest nodes share
CLOSE = 0.45  # least similarity of a node that is meant without being named


@dataclass(frozen=True, slots=True)
class Entity:
    """A node that a question names, and where: tokens from `start` to `end`."""

    text: str
    kind: str
    id: int
    name: str
    linked: int
    found_by: str
    similarity: float
    start: int
    end: int

    @property
    def key(self) -> Key:
        """Kind and id."""
        return self.kind, self.id


class Graph:
    """What linking reads of a graph, each node once: edges, similarity, counts of words."""

    def __init__(
        self, contract: Contract, graph: GraphReader, names: GraphNames, vector: "Vector | None"
    ) -> None:
        self.contract, self.reader, self.names, self.vector = contract, graph, names, vector
        self.main = contract.nodes[0].name
        self._linked: dict[Key, int] = {}
        self._similar: dict[Key, float] = {}

    def read(self, keys: Iterable[Key]) -> None:
        """Read edges and similarities of nodes, kind by kind."""
        by_kind: defaultdict[str, set[int]] = defaultdict(set)
        for kind, key in keys:
            if (kind, key) not in self._linked:
                by_kind[kind].add(key)
        for kind, numbers in by_kind.items():
            ids = node_ids([*numbers])
            linked = sum(self.reader.degrees(kind, ids).values(), np.zeros(len(ids), np.int64))
            self._linked.update(((kind, int(i)), int(n)) for i, n in zip(ids, linked, strict=True))
            if self.vector is not None:
                among = self.reader.only(ids)
                nearest = self.reader.nearest(kind, self.vector, len(ids), among)
                pairs = zip(nearest.ids, nearest.values, strict=True)
                self._similar.update(((kind, int(i)), 1.0 - float(d)) for i, d in pairs)

    def linked(self, key: Key) -> int:
        """Return how many edges a node has."""
        if key not in self._linked:
            self.read([key])
        return self._linked[key]

    def bearers(self, key: Key) -> int:
        """Return how many nodes of the first kind have a node; one of that kind has itself."""
        return 1 if key[0] == self.main else self.linked(key)

    def similarity(self, key: Key) -> float:
        """Return the similarity of a node to the question."""
        if key not in self._linked:
            self.read([key])
        return self._similar.get(key, 0.0)

    def entity(
        self, key: Key, found_by: str, text: str = "", start: int = 0, end: int = 0
    ) -> Entity:
        """Return a node as an entity, named by a text from token `start` to `end`, if by any."""
        kind, node_id = key
        return Entity(
            text=text,
            kind=kind,
            id=node_id,
            name=node_names(self.reader, self.contract, kind, [node_id])[node_id],
            linked=self.linked(key),
            found_by=found_by,
            similarity=self.similarity(key),
            start=start,
            end=end,
        )


class Linker:
    """Links one question."""

    def __init__(self, graph: Graph, question: str, counts: Mapping[str, int], total: int) -> None:
        """Take how many nodes of the first kind contain each word, and how many there are."""
        self._graph, self._names = graph, graph.names
        self._question, self._counts, self._total = question, counts, total
        self.tokens = question_tokens(question)
        self._free = set(range(len(self.tokens)))
        self._unknown = [self._is_unknown(token) for token in self.tokens]
        self._capital = [t.capital and not self._is_empty(t.word) for t in self.tokens]
        nodes = graph.contract.nodes
        self._weak = {n.name for n in nodes if n.named_within is not None}
        self._titled = {graph.main, *self._weak, *(n.name for n in nodes if n.name_suffixes)}

    @property
    def is_foreign(self) -> bool:
        """Whether most words that are no names occur nowhere in the graph."""
        unknown = [
            self._unknown[index]
            for index, token in enumerate(self.tokens)
            if index in self._free and not token.capital and not self._is_empty(token.word)
        ]
        return 2 * sum(unknown) > len(unknown) > 2

    def link(self) -> list[Entity]:
        """Return the entities in the order of the question; longer names are taken first."""
        entities: list[Entity] = []
        exact = self._exact_candidates()
        self._graph.read(match[:2] for matches in exact.values() for match in matches)
        for shortest in (2, 1):
            entities += self._take(exact, shortest)
            entities += self._take(self._misspelled_candidates(shortest), shortest)
        entities.sort(key=lambda entity: (entity.start, -entity.linked))
        return [*{entity.key: entity for entity in reversed(entities)}.values()][::-1]

    def masked(self, entities: Iterable[Entity]) -> str:
        """Return the question with kinds in the place of names: what it asks, not of what."""
        words = [token.text for token in self.tokens]
        for entity in reversed([*entities]):
            sure = entity.similarity >= NEAR or self.tokens[entity.start].capital
            if entity.end > entity.start and sure:
                words[entity.start : entity.end] = [
                    entity.kind,
                    *[""] * (entity.end - entity.start - 1),
                ]
        return " ".join(filter(None, words))

    def unlinked_names(self) -> list[str]:
        """Return the words with a capital that are linked to nothing; neighbors are one name."""
        is_missing = [
            capital and index in self._free for index, capital in enumerate(self._capital)
        ]
        marked = zip(self.tokens, is_missing, strict=True)
        text = " ".join(token.text if missing else "\n" for token, missing in marked)
        return [name.strip() for name in text.split("\n") if name.strip()]

    def _is_unknown(self, token: Token) -> bool:
        """Whether hardly any name or text has a word, as with slips and other languages."""
        least = self._total // RARE
        is_common = token.word in STOP_WORDS or self._names.count_of(token.word) > least
        return not is_common and self._texts_with(token.word) <= least

    def _texts_with(self, word: str) -> int:
        """Return how many texts have a word, in either number."""
        return max(self._counts.get(form, 0) for form in word_forms(word))

    def _is_empty(self, word: str) -> bool:
        """Whether a word alone names nothing: a stop word, or one for a kind."""
        return word in STOP_WORDS or self._names.kind_words.kind_of(word) is not None

    def _text(self, start: int, end: int) -> str:
        return self._question[self.tokens[start].start : self.tokens[end - 1].end]

    def _take(self, groups: Groups, shortest: int) -> list[Entity]:
        """Return the entities at runs that are still free, the longest first."""
        entities: list[Entity] = []
        for (start, end), matches in groups.items():
            positions = set(range(start, end))
            if end - start >= shortest and positions <= self._free:
                accepted = self._accepted(matches, start, end)
                if accepted:
                    self._free -= positions
                    entities += self._entities(accepted, start, end)
        return entities

    def _exact_candidates(self) -> Groups:
        """Return by run of tokens, the longest first, what it is the name of."""
        longest = max(
            (MAX_UNSPACED_RUN if t.is_unspaced else MAX_RUN for t in self.tokens), default=0
        )
        names = {
            (start, end): without_articles([token.word for token in self.tokens[start:end]])
            for start, end in runs(len(self.tokens), longest)
            if self._may_be_name(start, end)
        }
        matches = self._find(names.values())
        groups = {
            (start, end): self._fitting(words, matches.get(words, []), start, end)
            for (start, end), words in names.items()
        }
        return {run: fitting for run, fitting in groups.items() if fitting}

    def _find(self, names: Collection[tuple[str, ...]]) -> dict[tuple[str, ...], list[NameMatch]]:
        """Return what has a name, also without a word for a kind at its end: horror films."""
        shorter = {words: self._names.kind_words.strip(words) for words in names}
        matches = self._names.index.find({*names, *shorter.values()})
        for kind in self._names.large:
            for words, more in self._find_by_statement(kind, names).items():
                matches.setdefault(words, []).extend(more)
        return {
            words: [*nodes, *(matches.get(shorter[words], ()) if shorter[words] != words else ())]
            for words, nodes in matches.items()
            if words in shorter
        }

    def _find_by_statement(
        self, kind: str, names: Collection[tuple[str, ...]]
    ) -> dict[tuple[str, ...], list[NameMatch]]:
        """Return the nodes of a kind that is too large for memory, with their articles as well."""
        spoken = {" ".join((*article, *words)): words for words in names for article in ((), THE)}
        matches: dict[tuple[str, ...], list[NameMatch]] = {}
        for name, key, step in self._graph.reader.named(kind, [*spoken]):
            form = Form.ALIAS if step == "alias" else Form.NAME
            words = spoken[name]
            matches.setdefault(words, []).append(NameMatch(kind, key, form, len(words), True))
        return matches

    def _may_be_name(self, start: int, end: int) -> bool:
        run = self.tokens[start:end]
        if end - start > 1 and not ARTICLES.isdisjoint((run[0].text, run[-1].text)):
            return False  # it does not count in names
        if all(token.is_unspaced for token in run):
            return len(run) > 1 or len(self.tokens) == 1
        if len(run) > MAX_RUN:
            return False
        content = [token for token in run if not self._is_empty(token.word)]
        capital = all(token.capital for token in content or run)
        letters = sum(len(token.word) for token in run)
        if not (self._is_alone(start, end) or capital or (content and letters > 2)):
            return False
        return bool(content) or run[-1].word in STOP_WORDS

    def _is_beside_name(self, start: int, end: int) -> bool:
        """Whether a word with a capital is next to a run: it may be part of an unknown name."""
        return any(self._capital[end : end + 1] + self._capital[max(start - 1, 0) : start])

    def _is_alone(self, start: int, end: int) -> bool:
        """Whether a run is the whole question, or written as one word: wall-e."""
        text = self._text(start, end)
        return text == self._question.strip() or (end - start > 1 and " " not in text)

    def _fitting(
        self, words: tuple[str, ...], matches: Sequence[NameMatch], start: int, end: int
    ) -> list[NameMatch]:
        """Return the matches of a run; where a name is spelled exactly so, no plural of another."""
        in_capitals = self._text(start, end).isupper()
        matches = [m for m in matches if m.form is not Form.CAPITALS or in_capitals]
        if len("".join(words)) < 3:
            matches = [m for m in matches if m.is_exact]
        elif not STOP_WORDS.isdisjoint(words):
            matches = [m for m in matches if m.size == len(words)]
        if end - start > 1:
            matches = [m for m in matches if m.form is not Form.WORD]
        exact = [m for m in matches if m.is_exact]
        nouns = {n.name for n in self._graph.contract.nodes if n.common_nouns}
        inexact = [m for m in matches if not m.is_exact and (not exact or m.kind in nouns)]
        fitting = [*exact, *(m for m in inexact if m.form is not Form.WORD)]
        return [*{m[:2]: m for m in sorted(fitting, key=lambda m: -m.form)}.values()]

    def _accepted(self, group: Sequence[NameMatch], start: int, end: int) -> list[NameMatch]:
        """Return the matches that are meant; parts of names where there is nothing else."""
        if group[0].form is Form.SPELLING:
            return [*group]
        content = [t for t in self.tokens[start:end] if not self._is_empty(t.word)]
        texts = min((self._texts_with(t.word) for t in content), default=self._total)
        beside = self._is_beside_name(start, end)
        capital = all(token.capital for token in content or self.tokens[start:end])
        is_single = capital and not beside  # not Tom of Tom Hanks
        sure = len(content) > 1 or self._is_alone(start, end) or is_single
        full_matches = [m for m in group if m.form is not Form.WORD]
        words = [m for m in group if m.form is Form.WORD and not beside]
        begins = self.tokens[start].text[0].isupper() and not beside
        if not begins and not sure and start and self.tokens[start - 1].word in INDEFINITE:
            full_matches, words = [m for m in full_matches if m.kind not in self._titled], []
        accepted = [m for m in full_matches if sure or self._is_meant(m, texts, begins)]
        names = [m for m in accepted if m.form is not Form.PART]
        return names or accepted or [m for m in words if self._is_meant(m, texts, begins)]

    def _is_meant(self, match: NameMatch, texts: int, begins: bool) -> bool:
        """Whether one word is used as a name: texts have it for that, and the question is near.

        `begins` says that it has a capital, if only where a sentence begins.
        """
        if match.size > 1 and match.form is not Form.WORD:  # several words written as one
            return True
        bearers = self._graph.bearers(match[:2])
        share, is_alias = bearers / max(1, texts), match.form in (Form.ALIAS, Form.CAPITALS)
        if is_alias and not texts:
            return True
        likely = share >= OFTEN and (is_alias or bearers > self._total // COMMON)
        is_word, is_weak = match.form is Form.WORD, match.kind in self._weak and not is_alias
        if likely and begins and not is_word:
            return True
        is_title = match.kind in self._titled and share < MOSTLY and not is_alias
        least = WORD if is_word else WEAK if is_weak or is_title else LIKELY if likely else NEAR
        enough = share >= (OFTEN if is_word else MOSTLY if is_weak else SELDOM)
        return enough and self._graph.similarity(match[:2]) >= least

    def _misspelled_candidates(self, shortest: int) -> Groups:
        """Return names spelled nearly like free runs with an unknown word, nearest first."""
        longest = MAX_MISSPELLED_RUN if shortest > 1 else 1
        scored: list[tuple[float, tuple[int, int], str]] = []
        for start, end in runs(len(self.tokens), longest, shortest):
            if self._may_be_misspelt(start, end):
                words = without_articles([token.word for token in self.tokens[start:end]])
                best = self._names.spellings.nearest(name_key(words))
                if best is not None:
                    scored.append((best[1], (start, end), best[0]))
        scored.sort(key=lambda item: -item[0])
        groups = {run: self._plausible(self._names.index.find_key(k), *run) for _, run, k in scored}
        return {run: matches for run, matches in groups.items() if matches}

    def _may_be_misspelt(self, start: int, end: int) -> bool:
        first, last = self.tokens[start].word, self.tokens[end - 1].word
        return (
            any(self._unknown[start:end])
            and not self._is_empty(first)
            and not self._is_empty(last)
            and set(range(start, end)) <= self._free
        )

    def _plausible(self, matches: Sequence[NameMatch], start: int, end: int) -> list[NameMatch]:
        """Return what near spelling may mean: for one word without a capital, what is common."""
        spelled = [m._replace(form=Form.SPELLING) for m in matches if m.form is not Form.WORD]
        if end - start > 1 or self.tokens[start].capital:
            return [] if end - start == 1 and self._is_beside_name(start, end) else spelled
        return [m for m in spelled if m.kind not in self._weak and self._graph.bearers(m[:2]) > 1]

    def _entities(self, accepted: Sequence[NameMatch], start: int, end: int) -> list[Entity]:
        """Return those with the most edges, few of a kind."""
        best = {m[:2]: m for m in sorted(accepted, key=lambda m: -m.form)}
        ranked = sorted(best.values(), key=lambda m: (-self._graph.linked(m[:2]), m.id))
        few: list[NameMatch] = []
        for match in ranked:
            of_kind = sum(chosen.kind == match.kind for chosen in few)
            if len(few) < MAX_PER_RUN and of_kind < MAX_PER_KIND:
                few.append(match)
        text = self._text(start, end)
        return [self._graph.entity(m[:2], FOUND_BY[m.form], text, start, end) for m in few]


def word_forms(word: str) -> tuple[str, ...]:
    """Return a word as it may be in texts: as it is, and in the other number."""
    return (word, word[:-1]) if word.endswith("s") else (word, f"{word}s")


def entities_by_meaning(graph: Graph, total: int, known: Iterable[Key]) -> list[Entity]:
    """Return what the question means without naming it: near itself, or shared by what is near."""
    if graph.vector is None:
        return []
    weights: dict[Key, float] = {}
    nearest = graph.reader.nearest(graph.main, graph.vector, NEAREST).ids
    for hop in hops_from(graph.contract, graph.main):
        if hop.kind != graph.main and len(nearest):
            weights.update(_shared_along(graph, hop, node_ids(nearest.tolist()), total))
    for node in graph.contract.nodes[1:]:
        if node.named_within is None:
            weights = {**_close_nodes(graph, node.name), **weights}
    for key in known:
        weights.pop(key, None)
    return [graph.entity(key, "meaning") for key in _best_few(weights)]


def _shared_along(graph: Graph, hop: Hop, nearest: Ids, total: int) -> dict[Key, float]:
    """Return, with its weight, what many of the nearest nodes are linked to, and few others."""
    pairs = graph.reader.neighbors(graph.main, hop, nearest)
    ids, counts = np.unique(pairs.targets, return_counts=True)
    shared = {
        (hop.kind, int(key)): int(count)
        for key, count in zip(ids, counts, strict=True)
        if count >= MIN_SHARED
    }
    graph.read(shared)
    weights: dict[Key, float] = {}
    for key, count in shared.items():
        ratio = count / len(nearest) * total / max(1, graph.linked(key))
        evidence, similarity = count * math.log(ratio), graph.similarity(key)
        if evidence >= MIN_EVIDENCE and similarity >= NEAR:
            weights[key] = evidence * similarity
    return weights


def _close_nodes(graph: Graph, kind: str) -> dict[Key, float]:
    """Return the nodes of a kind that are near to the question themselves."""
    assert graph.vector is not None
    ranked = graph.reader.nearest(kind, graph.vector, MAX_PER_KIND)
    pairs = zip(ranked.ids.tolist(), ranked.values.tolist(), strict=True)
    keys = [(kind, key) for key, distance in pairs if 1 - distance >= CLOSE]
    graph.read(keys)
    return {key: MIN_EVIDENCE * graph.similarity(key) for key in keys}


def _best_few(weights: dict[Key, float]) -> list[Key]:
    """Return the keys with the largest weights, few of a kind."""
    best: list[Key] = []
    for key in sorted(weights, key=lambda key: (-weights[key], key)):
        of_kind = sum(kind == key[0] for kind, _ in best)
        if of_kind < MAX_PER_KIND and len(best) < MAX_BY_MEANING:
            best.append(key)
    return best
