"""Where a traversal begins: at given nodes, or at those nearest to a text by meaning."""

from collections.abc import Sequence

from moviegraph.contract.model import NodeTable
from moviegraph.errors import ArgumentError, NotFoundError
from moviegraph.retrieval.arguments import clean_text
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.resolve import Resolved, resolve
from moviegraph.sql.statements import nearest_nodes

STARTS_BY_MEANING = 5


def find_starts(
    recording: Recording,
    node: NodeTable,
    start: Sequence[int | str] | int | str | None,
    start_query: str | None,
) -> Resolved:
    """Return the nodes to start from, and note what was chosen.

    Raises:
        ArgumentError: Both or neither of `start` and `start_query` were given.
        NotFoundError: A name means no node, or no id is known.
    """
    if (start is None) == (start_query is None):
        raise ArgumentError(
            "Give exactly one of `start` (a list of ids or names) and `start_query` (a text; the "
            f"{STARTS_BY_MEANING} nodes nearest to it are the starts)."
        )
    if start is not None:
        given = [start] if isinstance(start, int | str) else start
        found = resolve(recording, node, given)
        recording.notes.extend(found.notes)
        return found
    recording.query = clean_text(start_query, "start_query")
    return _nearest(recording, node)


def _nearest(recording: Recording, node: NodeTable) -> Resolved:
    rows = recording.read(nearest_nodes(node, STARTS_BY_MEANING))
    if not rows:
        raise NotFoundError(f"No {node.name} has a vector, so none is near to `start_query`.")
    names = ", ".join(f"{row[1]} ({row[0]})" for row in rows)
    recording.notes.append(f"Starts nearest to the text: {names}.")
    return Resolved(tuple(row[0] for row in rows), tuple(row[1] for row in rows))
