"""get_records, and records as connectors search and fetch them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from moviegraph.contract.column_types import MAX_ID
from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, node_ids
from moviegraph.errors import ArgumentError
from moviegraph.names import closest_names, fold_case, fold_plural, name_words
from moviegraph.query.names import Item, NameResolver, node_table
from moviegraph.query.query_pipeline import CallRecorder
from moviegraph.query.rows import Rows
from moviegraph.query.session import Call, Session
from moviegraph.search import fulltext, hybrid
from moviegraph.search.edge_conditions import count_edges
from moviegraph.search.fixed_tool import fixed_request, node_output, text_name
from moviegraph.search.references import References
from moviegraph.text import shorten

MAX_MAIN_ROWS = 10
MAX_OTHER_ROWS = 2
NUMBER = re.compile(r"-?[0-9]{1,16}")
MAX_SHOWN_CHARS = 80
WORD = re.compile(r"[^\W_]+")
MIN_WORD_CHARS = 4  # of a word that two names may share: shorter ones are function words


def fetch(
    session: Session,
    call: Call,
    *,
    kind: str | None = None,
    ids: Sequence[Item] | None = None,
    names: Sequence[Item] | None = None,
    detail: str = "full",
) -> Rows:
    """Return the records of a kind by ids or by names, in the order given.

    Raises:
        ArgumentError: Both or neither of `ids` and `names` were given.
        NotFoundError: No id exists, or no name means a node.
    """
    request = fixed_request(call, "get_records", locals())
    with CallRecorder(session, call, request) as recording:
        default = node_table(session.contract, kind)
        if (ids is None) == (names is None):
            raise ArgumentError(
                "Pass exactly one of `ids` (a list of integers) and `names` (a list of strings)."
            )
        # A number among names is a name, if a node has it: 300.
        items, argument = (ids, "ids") if ids is not None else (map(str, names or ()), "names")
        items = tuple(items)

        with recording.reader("get_records") as graph:
            node = NameResolver(graph, session.contract).kind_of(items, default)
            resolved = References(graph, session.contract, node).nodes(items, argument)
            recording.notes += resolved.notes
            count = session.limits.top_expanded
            shown_ids = resolved.ids[:count]
            output = node_output(
                recording,
                graph,
                node,
                shown_ids,
                detail=detail,
                has_more=len(resolved.ids) > count,
                trailing={"Edges": _edge_counts(session, graph, node, shown_ids)},
            )
        return recording.finish(output)


def _edge_counts(
    session: Session, graph: GraphReader, node: NodeTable, ids: Ids
) -> list[dict[str, int]]:
    """Return the edges of each node by edge table."""
    ascending = node_ids(ids.tolist())
    degrees = {
        edge: dict(zip(ascending.tolist(), values.tolist(), strict=True))
        for edge, values in graph.degrees(node.name, ascending).items()
    }
    counts = degrees | count_edges(session, graph, node, ascending.tolist())
    return [{edge: values[key] for edge, values in counts.items()} for key in ids.tolist()]


@dataclass(frozen=True, slots=True)
class Reference:
    """A record by kind and key, written `movie:42` for the kind Movie."""

    kind: str
    key: int
    title: str

    @property
    def id(self) -> str:
        """The id that a connector gives back to fetch it."""
        return f"{self.kind.lower()}:{self.key}"


@dataclass(frozen=True, slots=True)
class Document:
    """One full record: its text and its other columns."""

    reference: Reference
    text: str
    metadata: dict[str, Any]


def search_documents(session: Session, call: Call, query: str) -> list[Reference]:
    """Return what a query finds: of the contract's first kind by meaning, words and links.

    Of the other kinds come the few that its words find and whose names hold one of them; a record
    with the very name that was requested comes first, whatever its kind.

    Raises:
        ModelVisibleError: The query is empty or too long.
    """
    main, *others = session.contract.nodes
    count, few = (min(limit, session.limits.top) for limit in (MAX_MAIN_ROWS, MAX_OTHER_ROWS))
    references = _references(
        main, hybrid.search(session, call, query=query, kind=main.name, top=count)
    )
    worded = [node for node in others if node.searchable and WORD.search(query)]
    for node in worded:
        rows = fulltext.search(session, call, query=query, kind=node.name, top=few, mode="freetext")
        references += [
            reference for reference in _references(node, rows) if _names(query, reference.title)
        ]
    query_name = fold_case(query)
    return sorted(references, key=lambda reference: fold_case(reference.title) != query_name)


def _references(node: NodeTable, rows: Rows) -> list[Reference]:
    """Return the nodes that rows are."""
    key, label = rows.columns.index(node.key), rows.columns.index(node.label)
    return [Reference(node.name, row[key], row[label]) for row in rows.rows]


def _names(query: str, title: str) -> bool:
    """Whether a query contains a word of a title, in either number: robot for Robots."""
    query_words, title_words = (
        {fold_plural(word) for word in name_words(text) if len(word) >= MIN_WORD_CHARS}
        for text in (query, title)
    )
    return not query_words.isdisjoint(title_words)


def fetch_document(session: Session, call: Call, record_id: str) -> Document:
    """Return the document of an id.

    Raises:
        ArgumentError: The id is not made of a kind and a number, with the nearest kind.
        NotFoundError: No record has it.
    """
    node, key = _parse_id(session.contract, record_id.strip())
    rows = fetch(session, call, kind=node.name, ids=[key])
    cells = dict(zip(rows.columns, rows.rows[0], strict=True))
    title, text = cells.pop(node.label), cells.pop(text_name(node))
    del cells[node.key]
    metadata = {"kind": node.name} | {n: cell for n, cell in cells.items() if cell is not None}
    if rows.truncated:
        metadata["truncated"] = rows.truncated
    return Document(Reference(node.name, key, title), text or "", metadata)


def _parse_id(contract: Contract, record_id: str) -> tuple[NodeTable, int]:
    kind, _, number = record_id.partition(":")
    node = contract.node(kind)
    is_number = NUMBER.fullmatch(number) is not None and abs(int(number)) <= MAX_ID
    if node is not None and is_number:
        return node, int(number)
    kinds = tuple(node.name.lower() for node in contract.nodes)
    nearest = closest_names(kind.lower(), kinds) if is_number else ()
    raise ArgumentError(
        f"{shorten(record_id, MAX_SHOWN_CHARS)!r} is not an id; ids are numbers after one of "
        f"{', '.join(kinds)}, such as {kinds[0]}:1.",
        hint="Use an id from a result of search.",
        suggestions=tuple(f"{name}:{number}" for name in nearest),
    )
