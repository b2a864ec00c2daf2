"""Records as connectors read them: a search over every kind, and one whole document by its id."""

import re
from dataclasses import dataclass
from typing import Any

from moviegraph.contract.model import Contract, NodeTable, closest_names
from moviegraph.errors import ArgumentError, NotFoundError
from moviegraph.query.name_resolver import MAX_ID
from moviegraph.query.query_pipeline import CallRecorder
from moviegraph.query.session import Call, Rows, Session
from moviegraph.search import fulltext, hybrid, records
from moviegraph.search.references import References

MAX_MAIN_ROWS = 10
MAX_OTHER_ROWS = 2
ID = re.compile(r"([A-Za-z_][A-Za-z0-9_]*):(.+)", re.DOTALL)
NUMBER = re.compile(r"-?[0-9]{1,10}")
MAX_SHOWN_CHARS = 80
WORD = re.compile(r"[^\W_]+")
STEM_CHARS = 4
IDS = "Use an id from a result of search."


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


def search(session: Session, call: Call, query: str) -> list[Reference]:
    """Return what a query finds: of the contract's first kind by meaning, words and links.

    Of the other kinds come the few that its words find and whose names hold one of them; a record
    with the very name that was requested comes first, whatever its kind.

    Raises:
        ModelVisibleError: The query is empty or too long.
    """
    main, *others = session.contract.nodes
    count, few = (min(limit, session.caps.top) for limit in (MAX_MAIN_ROWS, MAX_OTHER_ROWS))
    references = _references(
        main, hybrid.search(session, call, query=query, kind=main.name, top=count)
    )
    worded = [node for node in others if node.searchable and WORD.search(query)]
    for node in worded:
        rows = fulltext.search(session, call, query=query, kind=node.name, top=few, mode="freetext")
        references += [
            reference for reference in _references(node, rows) if _names(query, reference.title)
        ]
    query_name = query.strip().casefold()
    return sorted(references, key=lambda reference: reference.title.casefold() != query_name)


def _references(node: NodeTable, rows: Rows) -> list[Reference]:
    """Return the nodes that rows are."""
    key, label = rows.columns.index(node.key), rows.columns.index(node.label)
    return [Reference(node.name, row[key], row[label]) for row in rows.rows]


def _names(query: str, title: str) -> bool:
    """Whether a query contains a word of a title, or one that begins alike: robot for Robots."""
    query_words, title_words = (set(WORD.findall(text.casefold())) for text in (query, title))
    return any(
        ours[:STEM_CHARS] == theirs[:STEM_CHARS]
        for ours in query_words
        for theirs in title_words
        if len(ours) >= STEM_CHARS
    )


def fetch(session: Session, call: Call, record_id: str) -> Document:
    """Return the document of an id.

    Raises:
        ArgumentError: The id is not made of a kind and a number, with the nearest that is.
        NotFoundError: No record has it.
    """
    node, key = _parsed(session, call, record_id.strip())
    rows = records.fetch(session, call, kind=node.name, ids=[key])
    cells = dict(zip(rows.columns, rows.rows[0], strict=True))
    title, text = cells.pop(node.label), cells.pop(node.text)
    del cells[node.key]
    metadata = {"kind": node.name} | {n: cell for n, cell in cells.items() if cell is not None}
    if rows.truncated:
        metadata["truncated"] = rows.truncated
    return Document(Reference(node.name, key, title), text or "", metadata)


def _parsed(session: Session, call: Call, record_id: str) -> tuple[NodeTable, int]:
    parts = ID.fullmatch(record_id)
    if parts is None:
        raise _not_an_id(session.contract, record_id)
    node = session.contract.node(parts[1])
    if node is None:
        kinds = tuple(kind.name.lower() for kind in session.contract.nodes)
        suggestions = tuple(f"{kind}:{parts[2]}" for kind in closest_names(parts[1].lower(), kinds))
        raise ArgumentError(
            f"No kind of the graph is named {parts[1][:MAX_SHOWN_CHARS]!r}; ids start with "
            f"{', '.join(kinds)}.",
            hint=IDS,
            suggestions=tuple(suggestion[:MAX_SHOWN_CHARS] for suggestion in suggestions),
        )
    if not NUMBER.fullmatch(parts[2]):
        raise _named(session, call, node, parts[2])
    if abs(int(parts[2])) > MAX_ID:
        raise ArgumentError(f"The largest id is {MAX_ID}, not {parts[2]}.", hint=IDS)
    return node, int(parts[2])


def _not_an_id(contract: Contract, text: str) -> ArgumentError:
    shortened = text[:MAX_SHOWN_CHARS]
    form = f"{contract.nodes[0].name.lower()}:1"
    return ArgumentError(f"{shortened!r} is not an id; they look like {form}.", hint=IDS)


def _named(session: Session, call: Call, node: NodeTable, name: str) -> ArgumentError:
    """Return the error for a name in the place of a number, with the ids of whom it means."""
    kind = node.name.lower()
    message = f"An id ends with a number, such as {kind}:1, not with a name."
    try:
        with CallRecorder(session, call, "").reader() as graph:
            nodes = References(graph, session.contract, node).nodes([name], "id")
    except NotFoundError as error:
        return ArgumentError(f"{message} {error.message}", hint=error.hint or IDS)
    suggestions = tuple(f"{kind}:{key}" for key in nodes.names)
    first = next(iter(nodes.names.values()))
    return ArgumentError(message, hint=f"{first} is {suggestions[0]}.", suggestions=suggestions)
