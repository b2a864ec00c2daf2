"""Finds nodes by meaning, words and links at once, fused by reciprocal rank in one statement."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from moviegraph.contract.model import NodeTable
from moviegraph.retrieval.arguments import (
    DETAILS,
    check_choice,
    check_top,
    clean_text,
    condition,
    node_table,
)
from moviegraph.retrieval.calling import Called, calling
from moviegraph.retrieval.fusion import DEPTH, RANK_CONSTANT, WORDS_WEIGHT
from moviegraph.retrieval.indexed import NOTE, by_index
from moviegraph.retrieval.left_out_keys import by_key
from moviegraph.retrieval.linking import linking
from moviegraph.retrieval.names import near_names
from moviegraph.retrieval.nodes import but_stop_words, given, node_finding, unmet
from moviegraph.retrieval.recording import Finding, Recording
from moviegraph.retrieval.resembling import Wish, wished
from moviegraph.retrieval.road import decide
from moviegraph.retrieval.session import Call, Rows, Session
from moviegraph.sql.decision import Refused
from moviegraph.sql.fusion_statements import Links, Lists, fused_nodes
from moviegraph.sql.guard import Where

MOST_NEAR = 3
UNLINKED = "Searched by meaning and words alone: with links, the statement would be too large."


def search(
    session: Session,
    call: Call,
    *,
    query: str,
    keywords: str | None = None,
    kind: str | None = None,
    top: int | None = None,
    where: str | None = None,
    detail: str = "concise",
) -> Rows:
    """Return the nodes of a kind by fused score, each with its rank in every list.

    The lists are by meaning, by words, and by links: nodes whose edges lead to what is near to the
    query, or for a likeness to what the named node is linked to.

    Nodes that the query names come first, by an exact name or, where no text holds its few words,
    by a name spelt nearly so. A query that wants what is like a named node is searched by the text
    of that node, and what it leaves out is left out; without such a node, only what it names.

    `keywords` are the words of the full-text list, any of them; by default those of the query.

    Raises:
        ForModel: An argument is wrong, or `where` was refused.
    """
    arguments = given(
        query=query, keywords=keywords, kind=kind, top=top, where=where, detail=detail
    )
    with Recording(session, call, arguments) as recording:
        recording.query = clean_text(query, "query")
        node = node_table(session.contract, kind)
        given_words = keywords is not None and keywords.strip()
        asked = clean_text(keywords, "keywords") if given_words else None
        count = check_top(top, session)
        check_choice(detail, DETAILS, "detail")
        filtered = condition(where, node)
        called = calling(recording, node)
        wish = Wish(recording.query) if called.gains else wished(recording, node, recording.query)
        recording.query = wish.text
        words = asked or wish.text
        lists = _lists(recording, node, called, wish, filtered)
        if asked:
            lists = replace(lists, words=1)
        sql = _statement(recording, node, partial(fused_nodes, node, words, count), lists, filtered)
        answer = recording.show(sql, where=filtered, concise=detail == "concise", own=True)
        recording.notes.extend((*called.notes, *wish.notes, *((NOTE,) if lists.by_index else ())))
        notes = unmet(answer.result.rows, where, f"No {node.name} satisfies `where`.")
        finding = node_finding(answer, node, detail, notes)
        if called.gains and asked is None:
            finding = but_stop_words(finding)
        if _wordless(finding) and not called.gains:
            finding = replace(finding, notes=(*finding.notes, _advice(recording, node, words)))
        return recording.finish(finding)


def _lists(
    recording: Recording, node: NodeTable, called: Called, wish: Wish, where: Where | None
) -> Lists:
    """Return the lists that are fused, the words at the weight of words that nobody chose."""
    session = recording.session
    return Lists(
        depth=min(DEPTH, session.contract.limits.inner_top),
        k=RANK_CONSTANT,
        words=WORDS_WEIGHT,
        by_index=by_index(session, node, where),
        links=linking(recording, node, wish.examples),
        named=called.gains,
        kept=wish.kept,
    )


def _statement(
    recording: Recording,
    node: NodeTable,
    fused: Callable[[Lists], str],
    lists: Lists,
    where: Where | None,
) -> str:
    """Return the statement; if it is too large, with keys for names left out, or without links."""
    session, sql = recording.session, fused(lists)
    if not _is_too_large(session, sql, where):
        return sql
    if lists.kept:
        lists = replace(lists, kept=by_key(recording, node, lists.kept))
        sql = fused(lists)
        if not _is_too_large(session, sql, where):
            return sql
    recording.notes.append(UNLINKED)
    return fused(replace(lists, links=Links()))


def _is_too_large(session: Session, sql: str, where: Where | None) -> bool:
    decision = decide(session, sql, where=where, own=True)
    return isinstance(decision, Refused) and decision.code == "too_large"


def _wordless(finding: Finding) -> bool:
    """Whether the words found nothing: their first hit would be among the first two rows."""
    rank = finding.columns.index("FulltextRank")
    return len(finding.rows) > 1 and all(row[rank] is None for row in finding.rows)


def _advice(recording: Recording, node: NodeTable, words: str) -> str:
    near = dict.fromkeys(each.name for each in near_names(recording, node, words, MOST_NEAR))
    names = f" Names spelt nearly so: {', '.join(near)}." if near else ""
    return f"No row holds the words: they count for nothing in the ranking.{names}"
