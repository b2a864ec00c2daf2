"""Which nodes a query calls by their name, for a search that is fused of ranked lists."""

from dataclasses import dataclass, field

from moviegraph.contract.model import NodeTable
from moviegraph.errors import ArgumentError
from moviegraph.retrieval.fulltext import LONGEST_EXACT_NAME, all_words
from moviegraph.retrieval.names import aliased_names, equal_names, near_names
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.resembling import likened_to
from moviegraph.sql.statements import matching_nodes

MOST_NAMED = 20
MOST_GUESSED = 3
MOST_WORDS_OF_A_GUESS = 6
CLOSE = 0.8


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
    equal = equal_names(recording, node, [text]).get(text.casefold())
    if equal:
        return Called({each.key: 1.0 for each in equal[:MOST_NAMED]})
    aliased = aliased_names(recording, node, text)
    if aliased:
        names = dict.fromkeys(each.name for each in aliased)
        notes = tuple(f"{text!r} was read as {name!r}." for name in names)
        return Called({each.key: 1.0 for each in aliased[:MOST_NAMED]}, notes)
    return _misspelt(recording, node, text)


def _misspelt(recording: Recording, node: NodeTable, text: str) -> Called:
    """Guess the spelling of a short query, or of what it likens to, that no text holds."""
    likened = likened_to(recording, text)
    wanted = likened or text
    if len(wanted.split()) > MOST_WORDS_OF_A_GUESS or _held(recording, node, wanted):
        return Called()
    near = near_names(recording, node, wanted, MOST_GUESSED)
    close = [each for each in near if each.closeness >= CLOSE]
    if not close:
        return Called()
    names = ", ".join(dict.fromkeys(each.name for each in close))
    if likened:
        return Called(notes=(f"No text holds {likened!r}; names spelt nearly so: {names}.",))
    note = f"No text holds {text!r}; names spelt nearly so come first: {names}."
    return Called({each.key: round(each.closeness, 4) for each in close}, (note,))


def _held(recording: Recording, node: NodeTable, text: str) -> bool:
    try:
        condition = all_words(text)
    except ArgumentError:
        return True
    return bool(recording.read(matching_nodes(node, "CONTAINSTABLE", condition, 1)))
