"""Which nodes a query calls by their name, for a search that is fused of ranked lists."""

from dataclasses import dataclass, field

from moviegraph.contract.model import NodeTable
from moviegraph.retrieval.fulltext import LONGEST_EXACT_NAME
from moviegraph.retrieval.likened import likened_to, misspelt
from moviegraph.retrieval.names import known_names
from moviegraph.retrieval.recording import Recording

MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Called:
    """What each named node gains, more than any two places in lists give, and what to say."""

    gains: dict[int, float] = field(default_factory=dict[int, float])
    notes: tuple[str, ...] = ()


def calling(recording: Recording, node: NodeTable) -> Called:
    """Return the nodes that the query names: exactly, by an alias, else nearly."""
    text = recording.query or ""
    if len(text) > LONGEST_EXACT_NAME:
        return Called()
    named, notes = known_names(recording, node, text)
    if named:
        return Called({each.key: 1.0 for each in named[:MOST_NAMED]}, notes)
    close = [] if likened_to(recording, text) else misspelt(recording, node, text)
    if not close:
        return Called()
    names = ", ".join(dict.fromkeys(each.name for each in close))
    note = f"No text holds {text!r}; names spelt nearly so come first: {names}."
    return Called({each.key: round(each.closeness, 4) for each in close}, (note,))
