"""What the fixed tools share: their recorded arguments, `where`, rows and shown statements."""

import json
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from moviegraph.contract.model import USUAL_COLUMNS, Contract, NodeTable
from moviegraph.engines.result_limits import fit_rows
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, Linked
from moviegraph.query.names import node_table
from moviegraph.query.query_pipeline import CallRecorder, decide
from moviegraph.query.rows import Rows
from moviegraph.query.session import Call, Session
from moviegraph.search.references import NodeSelection
from moviegraph.sql.contains import indexed_words
from moviegraph.sql.decision import Allowed, Output
from moviegraph.sql.guard import RowLimits, Where
from moviegraph.sql.lexer import CONTINUED
from moviegraph.sql.match_patterns import hops_from
from moviegraph.text import shorten

MAX_PROSE_CHARS = 140
MIN_EXCERPT = 50
SENTENCE_END, CLAUSE_END = re.compile(r"[.!?] "), re.compile(r"[,;:] ")
LEAD_CHARS = 30  # of an excerpt before what was searched for
MAX_LINKS_CHARS = 100
MORE = " (+99)"
NEXT_KIND = re.compile(r"; (?<=[^,;]; )(?=\w+: )")
MIN_WORD_CHARS = 4
CONCISE_CELL = 1_000
MAX_LISTED_IDS = 100  # in the statement that is shown beside rows
ALIAS = "n"
Columns = Mapping[str, Sequence[Any]]
NO_COLUMNS: Columns = {}
EVERY_ROW = 2**31 - 1


def node_output(
    recording: CallRecorder,
    graph: GraphReader,
    node: NodeTable,
    ids: Ids,
    *,
    detail: str,
    has_more: bool,
    leading: Columns = NO_COLUMNS,
    computed: Columns = NO_COLUMNS,
    trailing: Columns = NO_COLUMNS,
    sql: str | None = None,
) -> Rows:
    """Return nodes as rows, in the order of the ids.

    Args:
        recording: The call.
        graph: Its reader.
        node: The kind of the nodes.
        ids: The nodes; one that occurs more than once has its text in its first row.
        detail: "concise" shortens texts.
        has_more: Whether more nodes exist than are returned.
        leading: Columns before the key.
        computed: Columns between those of the node and its text.
        trailing: Columns after the text.
        sql: A statement that returns the same rows.
    """
    limits, is_concise = recording.session.limits, detail == "concise"
    head, texts = _stored(recording, graph, node, ids, is_concise=is_concise)
    text = Output(node.text, node.name, node.text, ALIAS) if node.text else Output(text_name(node))
    outputs: list[tuple[Output, Sequence[Any]]] = [
        *((Output(name), values) for name, values in leading.items()),
        *((Output(name, node.name, name, ALIAS), values) for name, values in head),
        *((Output(name), values) for name, values in computed.items()),
        (text, texts),
        *((Output(name), values) for name, values in trailing.items()),
    ]
    rows = list(zip(*(values for _, values in outputs), strict=True))
    cell = min(CONCISE_CELL, limits.cell) if is_concise else limits.cell
    budget = replace(recording.call.budget(limits, len(rows)), cell=cell)
    fitting, truncated = fit_rows(rows, budget)
    if is_concise and truncated == "cells":
        truncated = None  # concise texts are short on purpose
    if has_more and truncated in (None, "cells"):
        truncated = "rows"
    return Rows(
        columns=tuple(output.name for output, _ in outputs),
        rows=fitting,
        truncated=truncated,
        sql=sql,
        keys=tuple((node.name, node_id) for node_id in ids[: len(fitting)].tolist()),
        lineage=tuple(output for output, _ in outputs),
    )


def _stored(
    recording: CallRecorder, graph: GraphReader, node: NodeTable, ids: Ids, *, is_concise: bool
) -> tuple[list[tuple[str, Sequence[Any]]], Sequence[Any]]:
    """Return the columns of nodes that come first, and their texts."""
    head = (node.key, node.label, *(column.name for column in node.extra))
    fetched = (*head, node.text) if node.text else head
    stored = graph.fetch(node.name, ids, fetched) if len(ids) else []
    columns = list(zip(*stored, strict=True) if stored else ((),) * len(fetched))
    texts: Sequence[Any] = columns.pop() if node.text else [None] * len(ids)
    if is_concise:
        texts = concise_texts(texts, recording.session.contract, recording.query or "")
    listed = ids.tolist()
    if len({*listed}) < len(listed):
        recording.notes.append(f"{text_name(node)} is only in the first row of each {node.name}.")
        texts = [
            None if node_id in listed[:row] else text
            for row, (node_id, text) in enumerate(zip(listed, texts, strict=True))
        ]
    return list(zip(head, columns, strict=True)), texts


def concise_texts(
    texts: Iterable[str | None], contract: Contract, searched: str
) -> list[str | None]:
    """Return a part of each text, then linked nodes if its last line lists them.

    Both begin with what was searched for, if it occurs there.
    """
    words = [word for word in indexed_words(searched) if len(word) >= MIN_WORD_CHARS]
    beginnings = "|".join(re.escape(word[: max(MIN_WORD_CHARS, len(word) - 3)]) for word in words)
    found = re.compile(rf"\b(?:{beginnings})", re.IGNORECASE) if words else None
    kinds = {pair.to_table for edge in contract.edges if edge.in_text for pair in edge.pairs}
    return [text and _concise_text(text, kinds, found) for text in texts]


def _concise_text(text: str, kinds: Container[str], searched: re.Pattern[str] | None) -> str:
    prose, line = _split_links(text, kinds)
    short = _excerpt(" ".join(prose.split()), searched)
    return f"{short}\n{_fitting_links(line, searched)}" if line else short


def _excerpt(prose: str, searched: re.Pattern[str] | None) -> str:
    """Return the part of a text with most of the words that were searched for, else its start."""
    matches = searched.finditer(prose) if searched else ()
    found = [(match.start(), match.group().lower()) for match in matches]
    starts = [0, *(prose.rfind(" ", 0, max(0, at - LEAD_CHARS)) + 1 for at, _ in found)]

    def distinct(start: int) -> int:
        end = start + MAX_PROSE_CHARS - LEAD_CHARS
        return len({word for at, word in found if start <= at < end})

    start = max(starts, key=lambda start: (distinct(start), -start))
    mark = "…" if start else ""
    cut = shorten(prose[start:], MAX_PROSE_CHARS - len(mark))
    if start + len(cut) < len(prose):  # at the end of a sentence, else of a clause
        for end in (SENTENCE_END, CLAUSE_END):
            places = [match.start() for match in end.finditer(cut) if match.start() > MIN_EXCERPT]
            if places:
                return f"{mark}{cut[: places[-1]]}…"
    return mark + cut


def _split_links(text: str, kinds: Container[str]) -> tuple[str, str]:
    """Return a text without the line of nodes of linked kinds, if it has one, and that line."""
    prose, newline, line = text.rstrip().rpartition("\n")
    if newline and line.partition(": ")[0] in kinds and line.endswith("."):
        return prose, line
    return text, ""


def _fitting_links(line: str, searched: re.Pattern[str] | None) -> str:
    """Return as many of the names as fit, those that were searched for first, and how many more."""
    if len(line) <= MAX_LINKS_CHARS:
        return line
    names: list[tuple[str, str]] = []
    for part in NEXT_KIND.split(line.removesuffix(".")):
        kind, _, listed = part.partition(": ")
        names += [(kind, name) for name in listed.split(", ")]
    if searched and searched.search(line):
        names.sort(key=lambda name: searched.search(name[1]) is None)
    shown, kind, length = "", "", 0
    for index, (of, name) in enumerate(names):
        part = f"{', ' if of == kind else f'; {of}: ' if kind else f'{of}: '}{name}"
        if index and length + len(part) > MAX_LINKS_CHARS - len(MORE):
            return f"{shown} (+{len(names) - index})"
        shown, kind, length = shown + part, of, length + len(part)
    return shown


def fixed_request(call: Call, tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the arguments of a fixed tool as they are recorded, by which it can be repeated.

    They are the values of a published tool, or the `locals()` with which a function begins.
    """
    other = {"tool": tool} if call.tool != tool else {}
    passed = {
        name: value
        for name, value in arguments.items()
        if value not in (None, (), []) and not isinstance(value, Session | Call)
    }
    return json.dumps({**other, **passed}, ensure_ascii=False, default=str)


def row_count(session: Session, top: int | None) -> int:
    """Return the number of rows to list: by default as many as a result may have."""
    return session.limits.top if top is None else top


def where_decision(session: Session, node: NodeTable, where: str | None) -> Allowed | None:
    """Return the guard's decision about `SELECT n.Id FROM kind AS n WHERE where`; None without.

    Raises:
        RefusedError: The condition was refused (code invalid_where).
    """
    if where is None or not where.strip():
        return None
    decision = decide(
        session,
        f"SELECT {ALIAS}.{node.key} FROM {node.name} AS {ALIAS}",
        RowLimits(EVERY_ROW, session.contract.limits.inner_top),
        Where(where, node.name, ALIAS),
    )
    if not isinstance(decision, Allowed):
        raise decision.error()
    return decision


def literal(text: str) -> str:
    """Return a T-SQL string literal.

    A backslash before a line break would join two lines, so a space is put between them.
    """
    return "N'" + CONTINUED.sub(" ", text).replace("'", "''") + "'"


def nothing_satisfies(
    what: str, where: object, only: object, where_edge: object = None
) -> list[str]:
    """Return the note of an empty result that conditions restricted; none without conditions."""
    conditions = {"where": where, "only": only, "where_edge": where_edge}
    names = [f"`{name}`" for name, value in conditions.items() if value]
    return [f"No {what} satisfies {' and '.join(names)}."] if names else []


def statement_conditions(
    contract: Contract, node: NodeTable, where: str | None, selection: NodeSelection
) -> list[str] | None:
    """Return the conditions of a shown statement; None if they would be too long.

    They are `where`, what `only` names, and the ids that are left out.
    """
    conditions = [f"({where})"] if where else []
    if len(selection.left_out):
        conditions.append(f"n.{node.key} NOT IN ({id_list(selection.left_out)})")
    conditions += [_linked_to(contract, node, ends) for ends in selection.linked]
    listed = [selection.left_out, *(ids for ends in selection.linked for ids in ends.values())]
    is_short = all(selection.linked) and sum(map(len, listed)) <= MAX_LISTED_IDS
    return conditions if is_short else None


def _linked_to(contract: Contract, node: NodeTable, ends: Linked) -> str:
    """Return the condition that an edge links a node to one of others."""
    ways: list[str] = []
    for kind, ids in ends.items():
        end = node_table(contract, kind)
        for hop in hops_from(contract, node.name):
            if hop.kind == kind:
                pattern = "s-(e)->t" if hop.forward else "t-(e)->s"
                ways.append(
                    f"EXISTS (SELECT 1 FROM {node.name} AS s, {hop.edge} AS e, {kind} AS t "
                    f"WHERE MATCH({pattern}) AND s.{node.key} = n.{node.key} "
                    f"AND t.{end.key} IN ({id_list(ids)}))"
                )
    return f"({' OR '.join(ways)})"


def head_columns(node: NodeTable) -> list[str]:
    """Return the columns of a shown statement that come first."""
    names = [node.key, node.label, *(column.name for column in node.extra)]
    return [f"n.{name}" for name in names]


def text_name(node: NodeTable) -> str:
    """Return the name of the column of texts in results; it is empty for a kind without text."""
    return node.text or USUAL_COLUMNS["text"]


def text_column(node: NodeTable) -> str:
    """Return the column of texts of a shown statement."""
    return f"n.{node.text}" if node.text else f"NULL AS {text_name(node)}"


def id_list(ids: Ids) -> str:
    """Return ids as the list of an IN condition."""
    return ", ".join(map(str, ids.tolist()))
