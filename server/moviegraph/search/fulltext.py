"""fulltext_search: nodes by their words, exact names first, near spelling as a last resort."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moviegraph.contract.model import NodeTable
from moviegraph.engines.retrieval_primitives import (
    GraphReader,
    Ids,
    SearchFunction,
    Selection,
    node_ids,
)
from moviegraph.errors import ArgumentError, ExecutionError
from moviegraph.query.argument_checks import (
    DETAILS,
    check_choice,
    check_top,
    clean_text,
    node_table,
)
from moviegraph.query.name_resolver import Item, NamedNode
from moviegraph.query.recorder import CallRecorder, ToolOutput
from moviegraph.query.session import Call, Rows, Session
from moviegraph.search.fixed_tool import (
    Work,
    condition_text,
    node_finding,
    note_unmatched_names,
    run_tool,
    where_decision,
)
from moviegraph.search.references import NO_IDS, References
from moviegraph.search.statements import EXACT_RANK, MAX_LISTED_IDS, matching_nodes
from moviegraph.sql.contains import indexed_words, notes_on_search, parse_contains, split_words

MODES = ("auto", "contains", "freetext")
MAX_NAME_CHARS = 200
MAX_WORDS = 64
MAX_NAMED = 60
SPELLING_RANK = 999
BARE_PREFIX = re.compile(r'(?<![\w"])\w+\*(?!")')


@dataclass(frozen=True, slots=True)
class TextCondition:
    """What a query searches for: a function of full-text search, and its text."""

    function: SearchFunction
    text: str


def search(
    session: Session,
    call: Call,
    *,
    query: str,
    kind: str | None = None,
    exclude: Sequence[Item] = (),
    top: int | None = None,
    where: str | None = None,
    detail: str = "concise",
    mode: str = "auto",
) -> Rows:
    """Return the nodes of a kind that the words match, best rank first, ties by id.

    Raises:
        ModelVisibleError: An argument is wrong, `where` was refused, or mode `contains` was given
            a text that is not in the CONTAINS grammar.
    """
    arguments = {
        "query": query,
        "kind": kind,
        "exclude": list(exclude),
        "top": top,
        "where": where,
        "detail": detail,
        "mode": mode,
    }

    def prepare(recording: CallRecorder) -> Work:
        recording.query = text = clean_text(query, "query")
        node = node_table(session.contract, kind)
        count = check_top(top, session)
        check_choice(mode, MODES, "mode")
        check_choice(detail, DETAILS, "detail")
        condition = read_condition(text, mode)
        filtered = where_decision(session, node, where)

        def work(graph: GraphReader) -> ToolOutput:
            references = References(graph, session.contract, node)
            note_unmatched_names(recording, graph, filtered)
            exclusion = references.exclusion(exclude)
            recording.notes.extend(exclusion.notes)
            among = graph.select(node.name, filtered, exclusion.ids)
            matches = _Matches(recording, graph, references, node, text, among)
            hits = matches.find(condition, mode, count)
            shows_sql = not hits.is_guess and len(exclusion.ids) <= MAX_LISTED_IDS
            where_text = condition_text(filtered) if filtered else None
            return node_finding(
                recording,
                graph,
                node,
                hits.ids[:count],
                detail=detail,
                has_more=len(hits.ids) > count,
                computed={"Rank": hits.ranks[:count]},
                sql=matching_nodes(
                    node,
                    condition.function,
                    condition.text,
                    count,
                    where_text,
                    exclusion.ids,
                    hits.named,
                )
                if shows_sql
                else None,
            )

        return work

    return run_tool(session, call, "fulltext_search", arguments, prepare)


def read_condition(text: str, mode: str) -> TextCondition:
    """Return what a query searches for: CONTAINS if it parses as such, else all of its words.

    Raises ArgumentError, or ExecutionError where mode `contains` is given another grammar.
    """
    if mode == "freetext":
        if not split_words(text):
            raise ArgumentError("`query` has no word to search for.")
        return TextCondition("FREETEXT", text)
    if mode == "contains":
        parse_contains(text)
        return TextCondition("CONTAINS", text)
    return TextCondition("CONTAINS", _as_contains(text) or all_words(text))


def all_words(text: str) -> str:
    """Return the condition that every word occurs, but for stop words. Raises ArgumentError."""
    tokens = [token.strip("*") for token in text.replace('"', " ").split()]
    words = list(dict.fromkeys(token for token in tokens if split_words(token)))
    if not words:
        raise ArgumentError("`query` has no word to search for.")
    words = [word for word in words if any(indexed_words(word))] or words
    if len(words) > MAX_WORDS:
        raise ArgumentError(
            f"`query` has {len(words)} words; mode `all` accepts at most {MAX_WORDS}.",
            hint="Pass only the required words, or use mode `freetext`.",
        )
    return " AND ".join(f'"{word}"' for word in words)


def _as_contains(text: str) -> str | None:
    """Return the text as a CONTAINS condition, with prefixes put in quotes, if it is one."""
    quoted = BARE_PREFIX.sub(r'"\g<0>"', text)
    try:
        parse_contains(quoted)
    except ExecutionError:
        return None
    return quoted


@dataclass(frozen=True, slots=True)
class _Found:
    """Nodes, one more than are shown if there are more; those of an exact name come first."""

    ids: Ids
    ranks: list[int]
    named: Ids
    is_guess: bool = False


@dataclass(frozen=True, slots=True)
class _Matches:
    """One search by words."""

    recording: CallRecorder
    graph: GraphReader
    references: References
    node: NodeTable
    text: str
    among: Selection | None

    def find(self, condition: TextCondition, mode: str, count: int) -> _Found:
        """Return exact names and matches, or else what is spelled nearly so; notes what helps."""
        named = self._named(mode)
        ranked = self.graph.matching(
            self.node.name,
            condition.text,
            count + 1 + len(named),
            self.among,
            function=condition.function,
        )
        others = ~np.isin(ranked.ids, named)
        ids = np.concatenate([named, ranked.ids[others]])
        ranks = [EXACT_RANK] * len(named) + ranked.values[others].astype(int).tolist()
        if not len(named):
            self.recording.notes.extend(notes_on_search(condition.function, condition.text))
        if len(ids):
            return _Found(ids[: count + 1], ranks[: count + 1], named)
        if mode == "contains":
            self.recording.notes.append(
                "Nothing matches the condition. Mode `auto` also matches similar names."
            )
            return _Found(ids, ranks, NO_IDS)
        return self._guess(count) or self._nothing(mode)

    def _named(self, mode: str) -> Ids:
        """Return the nodes that the whole query names, if they are selected."""
        if mode == "freetext" or len(self.text) > MAX_NAME_CHARS or '"' in self.text:
            return NO_IDS
        nodes = self.references.names.named([self.text], [self.node])[self.text][:MAX_NAMED]
        for node in nodes:
            if node.found_by in ("alias", "suffix"):
                self.recording.notes.append(f"{self.text!r} was interpreted as {node.described}.")
        return self._selected(nodes)

    def _guess(self, count: int) -> _Found | None:
        nodes = self.references.names.similar(self.text, self.node, count + 1)
        ids = self.graph.keep(
            self.node.name, np.array([node.id for node in nodes], dtype=np.int64), self.among
        )
        if not len(ids):
            return None
        self.recording.notes.append(
            f"Nothing contains {self.text!r}; these are the nearest names by spelling."
        )
        values = {node.id: round(SPELLING_RANK * node.closeness) for node in nodes}
        return _Found(ids, [values[key] for key in ids.tolist()], NO_IDS, is_guess=True)

    def _nothing(self, mode: str) -> _Found:
        """Note what to do where nothing matches."""
        self.recording.notes.append(self._advice(mode))
        return _Found(NO_IDS, [], NO_IDS)

    def _advice(self, mode: str) -> str:
        if self.among is not None:
            return "Nothing contains it and satisfies `where` and `exclude`."
        contract = self.recording.session.contract
        others = [kind for kind in contract.nodes if kind.name != self.node.name]
        elsewhere = self.references.names.named([self.text], others)[self.text]
        if elsewhere:
            return (
                f"{self.text!r} is {elsewhere[0].described}. To follow its edges, use "
                "graph_traverse with start_kind, start and to_kind."
            )
        if not any(indexed_words(self.text)):
            return "The query has stop words only. Use other words, or semantic_search."
        if mode == "freetext":
            return "No text contains a word of the query. Use semantic_search."
        return (
            "No text contains all words. Use mode `freetext` to match any word, or semantic_search."
        )

    def _selected(self, nodes: Sequence[NamedNode]) -> Ids:
        return self.graph.keep(self.node.name, node_ids([node.id for node in nodes]), self.among)
