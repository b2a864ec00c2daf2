"""fulltext_search: nodes by their words, exact names first, near spelling as a last resort."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from moviegraph.contract.model import NodeTable
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, SearchFunction, node_ids
from moviegraph.errors import ArgumentError, ExecutionError
from moviegraph.query.name_resolver import Item, node_table
from moviegraph.query.query_pipeline import CallRecorder
from moviegraph.query.session import Rows
from moviegraph.search.fixed_tool import (
    MAX_LISTED_IDS,
    Work,
    condition_text,
    fixed_tool,
    head_columns,
    id_list,
    literal,
    node_output,
    row_count,
    statement_conditions,
    where_decision,
)
from moviegraph.search.references import (
    NO_IDS,
    NodeSelection,
    nodes_named_by_query,
    select_nodes,
)
from moviegraph.sql.contains import indexed_words, notes_on_search, parse_contains, split_words

MAX_WORDS = 64
MAX_NAMED = 60
EXACT_RANK, SPELLING_RANK = 1000, 999
BARE_PREFIX = re.compile(r'(?<![\w"])\w+\*(?!")')


@dataclass(frozen=True, slots=True)
class TextCondition:
    """What a query searches for: a function of full-text search, and its text."""

    function: SearchFunction
    text: str


@fixed_tool("fulltext_search")
def search(
    recording: CallRecorder,
    *,
    query: str,
    kind: str | None = None,
    exclude: Sequence[Item] = (),
    top: int | None = None,
    where: str | None = None,
    detail: str = "concise",
    mode: str = "auto",
) -> Work:
    """Return the nodes of a kind that the words match, best rank first, ties by id.

    Raises:
        ModelVisibleError: An argument is wrong, `where` was refused, or mode `contains` was given
            a text that is not in the CONTAINS grammar.
    """
    session = recording.session
    recording.query = text = query.strip()
    node = node_table(session.contract, kind)
    count = row_count(session, top)
    condition = read_condition(text, mode)
    filters = where_decision(session, node, where)

    def work(graph: GraphReader) -> Rows:
        selection = select_nodes(recording, graph, node, filters, (), exclude)
        hits = _WordSearch(recording, graph, node, selection).find(condition, mode, count)
        sql = None
        if not hits.is_guess and len(selection.left_out) <= MAX_LISTED_IDS:
            where_text, excluded = condition_text(filters), selection.left_out
            sql = matching_nodes(
                node, condition.function, condition.text, count, where_text, excluded, hits.named
            )
        return node_output(
            recording,
            graph,
            node,
            hits.ids[:count],
            detail=detail,
            has_more=len(hits.ids) > count,
            computed={"Rank": hits.ranks[:count]},
            sql=sql,
        )

    return work


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
class _Hits:
    """Nodes, one more than are shown if there are more; those of an exact name come first."""

    ids: Ids
    ranks: list[int]
    named: Ids
    is_guess: bool = False


@dataclass(frozen=True, slots=True)
class _WordSearch:
    """One search by the words of the recorded query, within its reader."""

    recording: CallRecorder
    graph: GraphReader
    node: NodeTable
    selection: NodeSelection

    def find(self, condition: TextCondition, mode: str, count: int) -> _Hits:
        """Return exact names and matches, or else what is spelled nearly so; notes what helps."""
        notes = self.recording.notes
        named_ids = self._named(mode)
        ranked = self.graph.matching(
            self.node.name,
            condition.text,
            count + 1 + len(named_ids),
            self.selection.among,
            function=condition.function,
        )
        others = ~np.isin(ranked.ids, named_ids)
        ids = np.concatenate([named_ids, ranked.ids[others]])
        ranks = [EXACT_RANK] * len(named_ids) + ranked.values[others].astype(int).tolist()
        if not len(named_ids):
            notes += notes_on_search(condition.function, condition.text)
        if len(ids):
            return _Hits(ids[: count + 1], ranks[: count + 1], named_ids)
        if mode == "contains":
            notes.append("Nothing matches the condition. Mode `auto` also matches similar names.")
            return _Hits(NO_IDS, [], NO_IDS)
        guess = self._guess(count)
        if guess is None:
            notes.append(self._advice(mode))
        return guess or _Hits(NO_IDS, [], NO_IDS)

    def _named(self, mode: str) -> Ids:
        """Return the nodes that the whole query names, if they are selected."""
        if mode == "freetext" or '"' in (self.recording.query or ""):
            return NO_IDS
        names = self.selection.names
        nodes = nodes_named_by_query(self.recording, names, self.node, MAX_NAMED)
        ids = node_ids([node.id for node in nodes])
        return self.graph.keep(self.node.name, ids, self.selection.among)

    def _guess(self, count: int) -> _Hits | None:
        text = self.recording.query or ""
        nodes = self.selection.names.similar(text, self.node, count + 1)
        numbers = np.array([node.id for node in nodes], dtype=np.int64)
        ids = self.graph.keep(self.node.name, numbers, self.selection.among)
        if not len(ids):
            return None
        self.recording.notes.append(
            f"Nothing contains {text!r}; these are the nearest names by spelling."
        )
        values = {node.id: round(SPELLING_RANK * node.closeness) for node in nodes}
        return _Hits(ids, [values[key] for key in ids.tolist()], NO_IDS, is_guess=True)

    def _advice(self, mode: str) -> str:
        """Return what to do where nothing matches."""
        if self.selection.among is not None:
            return "Nothing contains it and satisfies `where` and `exclude`."
        text, contract = self.recording.query or "", self.recording.session.contract
        others = [kind for kind in contract.nodes if kind.name != self.node.name]
        elsewhere = self.selection.names.named([text], others)[text]
        if elsewhere:
            return (
                f"{text!r} is {elsewhere[0].described}. To follow its edges, use "
                "graph_traverse with start_kind, start and to_kind."
            )
        if not any(indexed_words(text)):
            return "The query has stop words only. Use other words, or semantic_search."
        if mode == "freetext":
            return "No text contains a word of the query. Use semantic_search."
        return (
            "No text contains all words. Use mode `freetext` to match any word, or semantic_search."
        )


def matching_nodes(
    node: NodeTable,
    function: SearchFunction,
    text: str,
    top: int,
    where: str | None,
    excluded: Ids,
    named_ids: Ids,
) -> str:
    """Return the statement of fulltext_search: nodes of an exact name first, then matches."""
    columns = ", ".join(node.searchable)
    source = f"{function}TABLE({node.name}, ({columns}), {literal(text)}) AS k"
    filters = statement_conditions(node, where, excluded)
    if not len(named_ids):
        columns_shown = [*head_columns(node), "k.[RANK] AS Rank", f"n.{node.text}"]
        condition = f"WHERE {' AND '.join(filters)} " if filters else ""
        return (
            f"SELECT TOP ({top}) {', '.join(columns_shown)} "
            f"FROM {source} "
            f"JOIN {node.name} AS n ON n.{node.key} = k.[KEY] "
            f"{condition}ORDER BY k.[RANK] DESC, n.{node.key}"
        )
    is_named = f"n.{node.key} IN ({id_list(named_ids)})"
    rank = f"CASE WHEN {is_named} THEN {EXACT_RANK} ELSE k.[RANK] END AS Rank"
    columns_shown = [*head_columns(node), rank, f"n.{node.text}"]
    conditions = [f"(k.[KEY] IS NOT NULL OR {is_named})", *filters]
    return (
        f"SELECT TOP ({top}) {', '.join(columns_shown)} "
        f"FROM {node.name} AS n "
        f"LEFT JOIN {source} ON k.[KEY] = n.{node.key} "
        f"WHERE {' AND '.join(conditions)} "
        f"ORDER BY CASE WHEN {is_named} THEN 0 ELSE 1 END, Rank DESC, n.{node.key}"
    )
