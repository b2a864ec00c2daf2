"""Turns what a caller gives, ids or names, into nodes of one kind."""

from collections.abc import Sequence
from dataclasses import dataclass

from moviegraph.contract.model import NodeTable
from moviegraph.errors import ArgumentError, NotFoundError
from moviegraph.retrieval.arguments import LONGEST_NAME, clean_text, node_table
from moviegraph.retrieval.names import (
    Named,
    equal_names,
    known_names,
    named_elsewhere,
    near_names,
)
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.session import Call, Session
from moviegraph.sql.statements import nodes_with_ids

LARGEST_ID = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Resolved:
    """The nodes meant, in the order given, and what is worth saying about the choice."""

    ids: tuple[int, ...]
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()


def nodes(session: Session, call: Call, kind: str, given: Sequence[int | str]) -> Resolved:
    """Return the nodes of a kind that integers (ids) and strings (names) mean.

    Raises:
        ArgumentError: The list is empty, too long, or holds something else.
        NotFoundError: A name means no node, with the nearest names; or no id is known.
    """
    recording = Recording(session, call, "")
    return resolve(recording, node_table(session.contract, kind), given)


def resolve(
    recording: Recording,
    node: NodeTable,
    given: Sequence[int | str],
    argument: str = "start",
    *,
    partly: bool = False,
) -> Resolved:
    """Return the nodes meant, within a call under way.

    With `partly`, a name that means no node is noted unless none does.
    """
    ids, names = _checked(recording.session, given, argument)
    by_id = _by_id(recording, node, ids)
    equal = equal_names(recording, node, names)
    notes: list[str] = []
    found: dict[int, str] = {}
    unknown: list[NotFoundError] = []
    for each in given:
        if isinstance(each, str):
            meant = _by_name(recording, node, each.strip(), equal, notes)
        else:
            meant = [Named(each, by_id[each])] if each in by_id else []
        if not meant and isinstance(each, str):
            unknown.append(_unknown_name(recording, node, each.strip()))
        found.update((one.key, one.name) for one in meant)
    if unknown and not (partly and found):
        raise unknown[0]
    notes.extend(f"{error.message} {error.hint}" for error in unknown)
    missing = [each for each in ids if each not in by_id]
    _note_missing(node, missing, found, notes)
    most = recording.session.caps.top_expanded
    if len(found) > most:
        used = f"{most} are" if most > 1 else "is"
        notes.append(f"{len(found)} nodes are meant; the first {used} used.")
    return Resolved(tuple(found)[:most], tuple(found.values())[:most], tuple(notes))


def _checked(
    session: Session, given: Sequence[int | str], argument: str
) -> tuple[list[int], list[str]]:
    most = session.caps.top_expanded
    if not given or len(given) > most:
        raise ArgumentError(f"`{argument}` takes 1 to {most} ids or names, not {len(given)}.")
    names = [clean_text(each, argument, LONGEST_NAME) for each in given if isinstance(each, str)]
    ids = [each for each in given if not isinstance(each, str)]
    for each in ids:
        if type(each) is int and abs(each) > LARGEST_ID:
            raise ArgumentError(f"`{argument}` holds {each}; the largest id is {LARGEST_ID}.")
        if type(each) is not int:
            raise ArgumentError(
                f"`{argument}` takes integers (ids) and strings (names), not {each!r}."
            )
    return ids, names


def _by_id(recording: Recording, node: NodeTable, ids: Sequence[int]) -> dict[int, str]:
    if not ids:
        return {}
    return dict[int, str](recording.read(nodes_with_ids(node, ids, len(ids))))


def _by_name(
    recording: Recording,
    node: NodeTable,
    name: str,
    equal: dict[str, list[Named]],
    notes: list[str],
) -> list[Named]:
    meant, read_as = known_names(recording, node, name, equal)
    notes.extend(read_as)
    if len(meant) > 1:
        listed = ", ".join(str(each.key) for each in meant[:10])
        notes.append(
            f"{len(meant)} nodes of kind {node.name} are named {meant[0].name!r}: ids {listed}; "
            "all of them are meant. Give an id to mean one."
        )
    return meant


def _unknown_name(recording: Recording, node: NodeTable, name: str) -> NotFoundError:
    near = tuple(dict.fromkeys(each.name for each in near_names(recording, node, name)))
    hint = f"Nearest names: {', '.join(near)}." if near else "Search for it first."
    elsewhere = named_elsewhere(recording, node, name)
    if elsewhere:
        hint = f"{elsewhere} Give that kind, or: {hint[0].lower()}{hint[1:]}"
    if name.lstrip("-").isdigit():
        hint += " An id is given as a number, not as a string."
    return NotFoundError(f"No {node.name} is named {name!r}.", hint=hint, suggestions=near)


def _note_missing(
    node: NodeTable, missing: list[int], found: dict[int, str], notes: list[str]
) -> None:
    if not missing:
        return
    listed = ", ".join(str(each) for each in missing)
    if not found:
        raise NotFoundError(
            f"No {node.name} has the id {listed}.",
            hint="Take ids from an earlier result, or give names as strings.",
        )
    notes.append(f"No {node.name} has the id {listed}.")
