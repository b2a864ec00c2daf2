"""Merges the rows of a widened statement with what was known before, so that nothing is lost."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from moviegraph.errors import ForModel
from moviegraph.journal.execution_records import Execution
from moviegraph.retrieval.keys import nodes_of
from moviegraph.retrieval.recording import Answer, Key, Recording
from moviegraph.sql.guard import RowLimits
from moviegraph.strategies.limit_scaling import Scaled
from moviegraph.text import plural

Pair = tuple[tuple[Any, ...], Key | None]
MOST_NAMED = 5
DOCUMENT = "A JSON document is not merged with the previous one; count its elements."


@dataclass(frozen=True, slots=True)
class Widening:
    """What is widened: an execution as recorded, its statement, and that with other limits."""

    known: Execution
    sql: str
    scaled: Scaled
    top: int


@dataclass(frozen=True, slots=True)
class Merged:
    """Rows, each with the node that it is (None: none), how many are new, and what to note."""

    pairs: Sequence[Pair]
    added: int
    notes: tuple[str, ...] = ()


def merged(recording: Recording, widening: Widening, answer: Answer) -> Merged:
    """Return the rows of the widened statement, and those known that it lost.

    The rows keep the order of the statement; where it has none, what is known comes first. What
    the widened statement no longer returns is read by the statement as it was, and follows; where
    the limit is reached, it takes the place of the last new rows.
    """
    if answer.allowed.json:
        return Merged([(row, None) for row in answer.result.rows], 0, (DOCUMENT,))
    wide, known = _pairs(recording, answer), widening.known
    if answer.truncated == "bytes" or widening.top < known.row_count:
        return Merged(wide, _beyond(wide, known.keys))
    nodes = [node for _, node in wide if node is not None]
    if len(set(nodes)) == len(wide) and len(known.keys) == known.row_count:
        return _by_node(recording, widening, wide)
    return _by_row(recording, widening, wide)


def _by_node(recording: Recording, widening: Widening, wide: list[Pair]) -> Merged:
    """Merge rows of which each is a node of its own."""
    places = {key: at for at, key in enumerate(widening.known.keys)}
    if not widening.scaled.ordered:
        wide = sorted(wide, key=lambda pair: places.get(pair[1] or ("", 0), len(places)))
    found = {node for _, node in wide}
    lost = [key for key in places if key not in found]
    before = {node: (row, node) for row, node in _before(recording, widening)} if lost else {}
    kept = [before[key] for key in lost if key in before]
    gone = [key for key in lost if key not in before]
    pairs = _joined(wide, kept, widening.top, lambda pair: pair[1] in places)
    return Merged(pairs, _beyond(pairs, places), (*_kept(kept), *_gone(gone)))


def _by_row(recording: Recording, widening: Widening, wide: list[Pair]) -> Merged:
    """Merge rows that are no nodes, or of which several are the same node.

    Where inner limits grew, figures over them are others: then a row is lost only with its node.
    """
    before = _before(recording, widening)
    if widening.scaled.grown:
        nodes, found = ({node for _, node in pairs} for pairs in (before, wide))
        kept = [pair for pair in before if pair[1] is not None and pair[1] not in found]
        pairs = _joined(wide, kept, widening.top, lambda pair: pair[1] in nodes)
        added = max(0, len(pairs) - len(before))
    else:
        rows = {row for row, _ in before}
        kept = _without(before, wide)
        pairs = _joined(wide, kept, widening.top, lambda pair: pair[0] in rows)
        added = len(_without(pairs, before))
    if all(node is not None for _, node in pairs):
        added = _beyond(pairs, widening.known.keys)
    return Merged(pairs, added, _kept(kept))


def _pairs(recording: Recording, answer: Answer) -> list[Pair]:
    """Return the rows with their nodes; of rows of one node that say the same, the first."""
    pairs = zip(answer.result.rows, nodes_of(recording, answer), strict=True)
    seen: set[Pair] = set()
    return [pair for pair in pairs if pair[1] is None or not (pair in seen or seen.add(pair))]


def _before(recording: Recording, widening: Widening) -> list[Pair]:
    """Return the rows of the statement as it was; none where it no longer runs."""
    limits = RowLimits(widening.top, recording.session.contract.limits.inner_top)
    try:
        return _pairs(recording, recording.show(widening.sql, limits=limits))
    except ForModel as error:
        recording.notes.append(f"The previous result could not be read again: {error.message}")
        return []


def _without(pairs: Sequence[Pair], others: Sequence[Pair]) -> list[Pair]:
    """Return the pairs whose row the others do not hold, one for one."""
    left = Counter(row for row, _ in others)
    found: list[Pair] = []
    for pair in pairs:
        if left[pair[0]] > 0:
            left[pair[0]] -= 1
        else:
            found.append(pair)
    return found


def _joined(
    wide: list[Pair], kept: list[Pair], top: int, is_known: Callable[[Pair], bool]
) -> list[Pair]:
    """Append what is kept; the last new rows make room for it."""
    surplus = len(wide) + len(kept) - top
    left: list[Pair] = []
    for pair in reversed(wide):
        if surplus > 0 and not is_known(pair):
            surplus -= 1
        else:
            left.append(pair)
    return [*reversed(left), *kept][:top]


def _beyond(pairs: Iterable[Pair], known: Iterable[Key]) -> int:
    return len({node for _, node in pairs if node is not None} - set(known))


def _kept(kept: Sequence[Pair]) -> tuple[str, ...]:
    if not kept:
        return ()
    rows, them = ("row is", "it") if len(kept) == 1 else (f"{len(kept)} rows are", "them")
    note = f"The last {rows} from the previous result; the expanded statement no longer returns"
    return (f"{note} {them}.",)


def _gone(gone: Sequence[Key]) -> tuple[str, ...]:
    if not gone:
        return ()
    named = ", ".join(f"{kind} {key}" for kind, key in gone[:MOST_NAMED])
    more = " and others" if len(gone) > MOST_NAMED else ""
    nodes = plural(len(gone), "known node is", "known nodes are")
    return (f"{nodes} no longer in the result: {named}{more}.",)
