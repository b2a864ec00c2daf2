"""What a rule proposes, and what a repair did."""

from collections.abc import Iterable
from dataclasses import dataclass

from moviegraph.sql.decision import Refused

LONGEST_SHOWN = 160


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A half-open range of the text, and what stands there instead."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Correction:
    """The edits of one rule, and the sentence that says why they keep the meaning.

    `query` is the text whose embedding the statement asked for where @q stands now.
    """

    edits: tuple[Edit, ...]
    why: str
    query: str | None = None


@dataclass(frozen=True, slots=True)
class RuleChange:
    """One change that took part in a repair; `query` is the text that @q has to stand for."""

    rule: str
    before: str
    after: str
    why: str
    query: str | None = None


@dataclass(frozen=True, slots=True)
class Repaired:
    """The statement after repair; without changes it is the one that was given.

    `rest` is what the guard still refuses where no rule helped.
    """

    sql: str
    changes: tuple[RuleChange, ...] = ()
    rest: Refused | None = None


def without_overlaps(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits in order, without those that overlap an earlier one."""
    kept: list[Edit] = []
    for edit in sorted(edits):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return tuple(kept)


def apply(sql: str, edits: tuple[Edit, ...]) -> str:
    """Return the text with every edit made."""
    parts: list[str] = []
    index = 0
    for edit in edits:
        parts += [sql[index : edit.start], edit.text]
        index = edit.end
    return "".join([*parts, sql[index:]])


def describe(rule: str, sql: str, correction: Correction) -> RuleChange:
    """Return the change as it is reported: the text around the edits, before and after."""
    edits = correction.edits
    start, end = edits[0].start, edits[-1].end
    if end - start <= LONGEST_SHOWN:
        before = sql[start:end]
        moved = tuple(Edit(e.start - start, e.end - start, e.text) for e in edits)
        after = apply(before, moved)
    else:
        before = " ... ".join(sql[e.start : e.end] for e in edits if e.end > e.start)
        after = " ... ".join(e.text for e in edits if e.text)
    return RuleChange(rule, _shown(before), _shown(after), correction.why, correction.query)


def _shown(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 2 * LONGEST_SHOWN else f"{plain[: 2 * LONGEST_SHOWN]}..."


def correct(edits: Iterable[Edit], why: str) -> Correction | None:
    """Return a correction of the edits that do not overlap, or None where there are none."""
    kept = without_overlaps(edits)
    return Correction(kept, why) if kept else None
