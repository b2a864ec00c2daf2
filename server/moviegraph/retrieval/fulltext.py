"""Finds nodes by their words: an exact name first, a guessed spelling when nothing is found."""

import re
from dataclasses import dataclass

from moviegraph.contract.model import NodeTable
from moviegraph.errors import ArgumentError, ExecutionError
from moviegraph.retrieval.arguments import (
    DETAILS,
    check_choice,
    check_top,
    clean_text,
    condition,
    node_table,
)
from moviegraph.retrieval.names import (
    NEGATIONS,
    Named,
    known_names,
    meanings,
    named_elsewhere,
    near_names,
)
from moviegraph.retrieval.nodes import as_listed, but_stop_words, given, node_finding
from moviegraph.retrieval.recording import Answer, Finding, Recording
from moviegraph.retrieval.session import Call, Rows, Session
from moviegraph.sql.contains import parse_contains
from moviegraph.sql.guard import Where
from moviegraph.sql.statements import matching_nodes, named_or_matching_nodes, scored_nodes
from moviegraph.sql.words import heard_words, words_of

MODES = ("auto", "contains", "freetext")
LONGEST_EXACT_NAME = 200
MOST_WORDS = 64
MOST_NAMED = 60
GUESSED_RANK = 999
BARE_PREFIX = re.compile(r'(?<![\w"])\w+\*(?!")')


@dataclass(frozen=True, slots=True)
class Search:
    """One full-text search under way, its arguments checked."""

    recording: Recording
    node: NodeTable
    text: str
    top: int
    where: Where | None
    mode: str
    concise: bool

    def show(self, sql: str) -> Answer:
        """Run a statement whose rows the caller sees."""
        return self.recording.show(sql, where=self.where, concise=self.concise, own=True)


def search(
    session: Session,
    call: Call,
    *,
    query: str,
    kind: str | None = None,
    top: int | None = None,
    where: str | None = None,
    detail: str = "concise",
    mode: str = "auto",
) -> Rows:
    """Return the nodes of a kind that the words find, best rank first, ties by key.

    Raises:
        ForModel: An argument is wrong, `where` was refused, or the CONTAINS grammar was not kept.
    """
    arguments = given(query=query, kind=kind, top=top, where=where, detail=detail, mode=mode)
    with Recording(session, call, arguments) as recording:
        recording.query = clean_text(query, "query")
        node = node_table(session.contract, kind)
        one = Search(
            recording,
            node,
            recording.query,
            check_top(top, session),
            condition(where, node),
            check_choice(mode, MODES, "mode"),
            check_choice(detail, DETAILS, "detail") == "concise",
        )
        finding = _run(one, detail)
        return recording.finish(as_listed(finding, top, one.top))


def _run(one: Search, detail: str) -> Finding:
    function, text = _condition(one)
    named, notes = _named(one)
    if named:
        ids = [each.key for each in named[:MOST_NAMED]]
        answer = one.show(named_or_matching_nodes(one.node, ids, function, text, one.top))
        return but_stop_words(node_finding(answer, one.node, detail, notes))
    answer, notes = _matching(one, function, text)
    return node_finding(answer, one.node, detail, notes)


def _matching(one: Search, function: str, text: str) -> tuple[Answer, tuple[str, ...]]:
    """Search by the condition, then by what else the query may mean, and say how it was read."""
    answer = one.show(matching_nodes(one.node, function, text, one.top))
    found = bool(answer.result.rows)
    unread = _unread_negations(one, text, found=found)
    if found:
        return answer, unread
    if one.mode == "contains":
        return answer, (*unread, "Nothing satisfies the condition; mode `auto` also guesses names.")
    answer, notes = _in_full(one) or _guess(one) or (answer, _advice(one))
    return answer, (*unread, *notes)


def _condition(one: Search) -> tuple[str, str]:
    """Return the table function and its condition: CONTAINS if it parses as such, else all words.

    Raises ArgumentError, or ExecutionError where mode `contains` meets another grammar.
    """
    if one.mode == "freetext":
        if not words_of(one.text):
            raise ArgumentError("`query` holds no word to search for.")
        return "FREETEXTTABLE", one.text
    if one.mode == "contains":
        parse_contains(one.text)
        return "CONTAINSTABLE", one.text
    return "CONTAINSTABLE", _as_contains(one.text) or all_words(one.text)


def _as_contains(text: str) -> str | None:
    """Return the text as a CONTAINS condition, with prefixes put in quotes, if it is one."""
    quoted = BARE_PREFIX.sub(r'"\g<0>"', text)
    try:
        parse_contains(quoted)
    except ExecutionError:
        return None
    return quoted


def all_words(text: str) -> str:
    """Return the condition that every word occurs, but for stop words. Raises ArgumentError."""
    tokens = [token.strip("*") for token in text.replace('"', " ").split()]
    words = list(dict.fromkeys(token for token in tokens if words_of(token)))
    if not words:
        raise ArgumentError("`query` holds no word to search for.")
    words = [word for word in words if any(heard_words(word))] or words
    if len(words) > MOST_WORDS:
        raise ArgumentError(
            f"`query` has {len(words)} words; all of at most {MOST_WORDS} can be required.",
            hint="Give the few words that must occur, or use mode `freetext`.",
        )
    return " AND ".join(f'"{word}"' for word in words)


def _unread_negations(one: Search, condition: str, *, found: bool) -> tuple[str, ...]:
    """Say that NOT was searched for as a word, or that without is not held; and how to exclude."""
    if one.mode != "freetext" and condition != all_words(one.text):
        return ()
    columns = ", ".join(one.node.searchable)
    return tuple(
        f"{word!r} is a word to find here and excludes nothing: write 'one AND NOT other' in mode "
        f"`contains`, or exclude by `where`: NOT CONTAINS(({columns}), 'other')."
        for word in sorted(NEGATIONS.intersection(words_of(one.text)))
        if word == "not" or not found
    )


def _named(one: Search) -> tuple[list[Named], tuple[str, ...]]:
    """Return the nodes that the whole query names."""
    if one.mode == "freetext" or len(one.text) > LONGEST_EXACT_NAME or '"' in one.text:
        return [], ()
    return known_names(one.recording, one.node, one.text)


def _in_full(one: Search) -> tuple[Answer, tuple[str, ...]] | None:
    """Search for what the glossary says that the query is short for."""
    for meaning in meanings(one.recording.session.contract, one.text):
        answer = one.show(matching_nodes(one.node, "CONTAINSTABLE", all_words(meaning), one.top))
        if answer.result.rows:
            return answer, (f"{one.text!r} was read as {meaning!r}.",)
    return None


def _guess(one: Search) -> tuple[Answer, tuple[str, ...]] | None:
    near = near_names(one.recording, one.node, one.text, one.top)
    if not near:
        return None
    ranks = {each.key: round(GUESSED_RANK * each.closeness) for each in near}
    answer = one.show(scored_nodes(one.node, ranks, "Rank", one.top))
    if not answer.result.rows:
        return None
    note = f"Nothing holds {one.text!r}; the spelling was guessed, and the nearest names are shown."
    return answer, (note,)


def _advice(one: Search) -> tuple[str, ...]:
    if one.where:
        return ("Nothing holds it and satisfies `where`.",)
    elsewhere = named_elsewhere(one.recording, one.node, one.text)
    if elsewhere:
        return (f"{elsewhere} graph_traverse walks from it: start_kind, start, to_kind.",)
    if one.mode == "freetext" and any(heard_words(one.text)):
        return ("No word of the query occurs; semantic_search finds by meaning.",)
    if not any(heard_words(one.text)):
        return ("Search for words that tell something, or with semantic_search for the meaning.",)
    advice = "Nothing holds all of it; mode `freetext` asks for any of the words"
    return (f"{advice}, semantic_search for the meaning.",)
