"""fulltext_search: nodes by their words, exact names first, near spelling as a last resort."""

import re
from collections.abc import Sequence

import numpy as np

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, SearchFunction, node_ids
from moviegraph.errors import ArgumentError, ExecutionError
from moviegraph.query.names import Item, node_table
from moviegraph.query.query_pipeline import CallRecorder
from moviegraph.query.recorded_reader import condition_text
from moviegraph.query.rows import Rows
from moviegraph.query.session import Call, Session
from moviegraph.search.fixed_tool import (
    fixed_request,
    head_columns,
    id_list,
    literal,
    node_output,
    row_count,
    statement_conditions,
    text_column,
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
NEGATED = re.compile(r"NOT\s+(.+)", re.S)
BARE_PREFIX = re.compile(r'(?<![\w"])\w+\*(?!")')


def search(
    session: Session,
    call: Call,
    *,
    query: str,
    kind: str | None = None,
    only: Sequence[Item] = (),
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
    request = fixed_request(call, "fulltext_search", locals())
    with CallRecorder(session, call, request) as recording:
        recording.query = text = query.strip()
        node = node_table(session.contract, kind)
        count = row_count(session, top)
        function, condition = read_condition(text, mode)
        filters = where_decision(session, node, where)

        with recording.reader("fulltext_search") as graph:
            selection = select_nodes(recording, graph, node, filters, (), only, exclude)
            named = NO_IDS
            if mode != "freetext" and '"' not in text:
                meant = nodes_named_by_query(recording, selection.names, node, MAX_NAMED)
                meant_ids = node_ids([match.id for match in meant])
                named = graph.keep(node.name, meant_ids, selection.among)
            limit = count + 1 + len(named)
            matches = graph.matching(
                node.name, condition, limit, selection.among, function=function
            )
            ranks = dict.fromkeys(named.tolist(), EXACT_RANK)
            for key, rank in zip(matches.ids.tolist(), matches.values.tolist(), strict=True):
                ranks.setdefault(key, int(rank))
            if not len(named):
                recording.notes += notes_on_search(function, condition)
            guesses = {}
            if not ranks:
                guesses = _guesses(recording, graph, node, selection, text, mode, count)
            conditions = statement_conditions(
                session.contract, node, condition_text(filters), selection
            )
            sql = None
            if detail == "full" and not guesses and conditions is not None:
                sql = matching_nodes(node, function, condition, count, conditions, named)
            ranks = ranks or guesses
            ids = [*ranks][:count]
            output = node_output(
                recording,
                graph,
                node,
                np.array(ids, dtype=np.int64),
                detail=detail,
                has_more=len(ranks) > count,
                computed={"Rank": [ranks[key] for key in ids]},
                sql=sql,
            )
        return recording.finish(output)


def read_condition(text: str, mode: str) -> tuple[SearchFunction, str]:
    """Return function and condition of a query: CONTAINS if it parses, else all of its words.

    Raises ArgumentError, or ExecutionError where mode `contains` is given another grammar.
    """
    if mode == "freetext":
        if not split_words(text):
            raise ArgumentError("`query` has no word to search for.")
        return ("FREETEXT", text)
    if mode == "contains":
        parse_contains(text)
        return ("CONTAINS", text)
    negated = NEGATED.fullmatch(text)
    if negated and text != text.upper() and _as_contains(negated[1]):
        raise ArgumentError(
            "A condition cannot begin with NOT: it would match nearly every node.",
            hint=f"Write 'words AND NOT {negated[1]}', or leave nodes out by name with `exclude`. "
            "To find the word itself, put it in double quotes.",
        )
    return ("CONTAINS", _as_contains(text) or all_words(text))


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


def _guesses(
    recording: CallRecorder,
    graph: GraphReader,
    node: NodeTable,
    selection: NodeSelection,
    text: str,
    mode: str,
    count: int,
) -> dict[int, int]:
    """Return the ranks of nodes whose names are spelled nearly so, and note why, or what to do."""
    if mode == "contains":
        recording.notes.append(
            "Nothing matches the condition. Mode `auto` also matches similar names."
        )
        return {}
    ranks = {
        match.id: round(SPELLING_RANK * match.closeness)
        for match in selection.names.similar(text, node, count + 1)
    }
    ids = graph.keep(node.name, np.array(list(ranks), dtype=np.int64), selection.among)
    contract = recording.session.contract
    recording.notes.append(
        f"Nothing contains {text!r}; these are the nearest names by spelling."
        if len(ids)
        else _advice(contract, node, selection, text, mode)
    )
    return {key: ranks[key] for key in ids.tolist()}


def _advice(
    contract: Contract, node: NodeTable, selection: NodeSelection, text: str, mode: str
) -> str:
    """Return what to do where nothing matches."""
    if selection.among is not None:
        return "Nothing contains it and satisfies `where`, `only` and `exclude`."
    others = [kind for kind in contract.nodes if kind.name != node.name]
    elsewhere = selection.names.named([text], others)[text]
    if elsewhere:
        return (
            f"{text!r} is {elsewhere[0].described}. To follow its edges, use "
            "graph_traverse with start_kind, start and to_kind."
        )
    if not any(indexed_words(text)):
        return "The query has stop words only. Use other words, or semantic_search."
    if mode == "freetext":
        return "No text contains a word of the query. Use semantic_search."
    return "No text contains all words. Use mode `freetext` to match any word, or semantic_search."


def matching_nodes(
    node: NodeTable,
    function: SearchFunction,
    text: str,
    top: int,
    conditions: Sequence[str],
    named_ids: Ids,
) -> str:
    """Return the statement of fulltext_search: nodes of an exact name first, then matches."""
    columns = ", ".join(node.searchable)
    source = f"{function}TABLE({node.name}, ({columns}), {literal(text)}) AS k"
    rank, order = "k.[RANK] AS Rank", "k.[RANK] DESC"
    tables = f"{source} JOIN {node.name} AS n ON n.{node.key} = k.[KEY]"
    if len(named_ids):
        is_named = f"n.{node.key} IN ({id_list(named_ids)})"
        rank = f"CASE WHEN {is_named} THEN {EXACT_RANK} ELSE k.[RANK] END AS Rank"
        order = f"CASE WHEN {is_named} THEN 0 ELSE 1 END, Rank DESC"
        tables = f"{node.name} AS n LEFT JOIN {source} ON k.[KEY] = n.{node.key}"
        conditions = [f"(k.[KEY] IS NOT NULL OR {is_named})", *conditions]
    condition = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    return (
        f"SELECT TOP ({top}) {', '.join([*head_columns(node), rank, text_column(node)])} "
        f"FROM {tables} {condition}ORDER BY {order}, n.{node.key}"
    )
