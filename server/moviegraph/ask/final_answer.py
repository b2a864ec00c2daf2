"""The answer of `ask`: records joined back to the graph, with what is missing or was omitted."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from moviegraph.ask.evidence import Details, Evidence, Key
from moviegraph.ask.reasoner import Composition
from moviegraph.llm.language_model import TokenUsage
from moviegraph.text import fold_name
from moviegraph.tool_client import records


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """One record of the answer; all but the reason comes from the graph."""

    kind: str
    id: int
    name: str
    further: dict[str, Any]
    reason: str
    found_by: tuple[str, ...]

    @property
    def title(self) -> str:
        """The name; where one further column stands beside it, as a year does, with its value."""
        beside = [value for value in self.further.values() if value is not None]
        return f"{self.name} ({beside[0]})" if len(self.further) == len(beside) == 1 else self.name


@dataclass(frozen=True, slots=True)
class DroppedRecord:
    """Something the model named that the answer does not hold, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of a question."""

    question: str
    answered: bool
    text: str
    records: tuple[AnswerRecord, ...]
    missing: tuple[str, ...]
    dropped: tuple[DroppedRecord, ...]
    doubts: tuple[str, ...]
    rounds: int
    executions: tuple[str, ...]
    model: str
    usage: TokenUsage

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {**asdict(self), "records": [_as_dict(each) for each in self.records]}

    def as_text(self) -> str:
        """Return it for a reader."""
        blocks = [self.text]
        blocks += [_entry(number, each) for number, each in enumerate(self.records, 1)]
        blocks += [_list("Missing", self.missing)] if self.missing else []
        left_out = [f"{each.what}: {each.why}" for each in self.dropped]
        blocks += [_list("Omitted", left_out)] if left_out else []
        blocks += [_list("To check", self.doubts)] if self.doubts else []
        return "\n\n".join(blocks)


def _as_dict(record: AnswerRecord) -> dict[str, Any]:
    members = asdict(record)
    return {"kind": members.pop("kind"), "id": members.pop("id"), "name": members.pop("name"),
            **members.pop("further"), **members}  # fmt: skip


def _entry(number: int, record: AnswerRecord) -> str:
    lines = [f"{number:>2}. {record.title} [{record.kind} {record.id}]", f"    {record.reason}"]
    return "\n".join([*lines, f"    found by: {', '.join(record.found_by)}"])


def _list(title: str, lines: tuple[str, ...] | list[str]) -> str:
    return "\n".join([f"{title}:", *(f"- {line}" for line in lines)])


MOST_CITED = 20
REFERENCE = re.compile(r"\[(\w+)[\s:#]*(\d{1,12})\]")
QUOTED = re.compile(r"[\"\u201c*]([^\"\u201c\u201d*\n]{2,80})[\"\u201d*]")
NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")
NOT_FOUND = "in no result"
NO_RECORD = "The text names no record, so it cites nothing from the graph."
UNKNOWN = "(a record that is in no result)"


@dataclass(slots=True)
class ResolvedAnswer:
    """Text and records with the names of the graph; what was left out, and what is doubtful."""

    text: str
    records: list[AnswerRecord] = field(default_factory=list[AnswerRecord])
    dropped: list[DroppedRecord] = field(default_factory=list[DroppedRecord])
    doubts: list[str] = field(default_factory=list[str])


class CitationResolver:
    """Joins one composition; only nodes that some result holds can come through."""

    def __init__(self, details: Details, evidence: Evidence, must_not: Iterable[str] = ()) -> None:
        """Take what the answer may not contain, by name."""
        self._details = details
        self._evidence = evidence
        self._must_not = {fold_name(each) for each in must_not}
        self._known: dict[Key, AnswerRecord] = {}
        self._dropped: dict[str, str] = {}

    async def join(self, composed: Composition, grounds: str) -> ResolvedAnswer:
        """Return the composition with names from the graph.

        Args:
            composed: What the model wrote.
            grounds: All that it was given, in which each number of its text must stand.
        """
        cited = self._cited(composed)
        words = " ".join((composed.text, *cited.values()))
        referred = self._referred(words)
        await self._fetch([*cited, *referred])
        text = self._named(composed.text)
        kept = [self._record(key, reason) for key, reason in cited.items() if key in self._known]
        doubts = _doubts(REFERENCE.sub("", words), f"{grounds} {len(kept)}")
        if not (cited or referred or self._evidence.has_figures):
            doubts.append(NO_RECORD)
        doubts += [
            f"{each.title} may be something that the question excludes."
            for each in kept
            if not self._must_not.isdisjoint(map(fold_name, (each.name, each.title)))
        ]
        dropped = [DroppedRecord(what, why) for what, why in self._dropped.items()]
        return ResolvedAnswer(text, kept, dropped, doubts)

    def _cited(self, composed: Composition) -> dict[Key, str]:
        """Return the reason of each cited node that a result holds, in the model's order."""
        cited: dict[Key, str] = {}
        for each in composed.records:
            key = self._key(each.kind, each.id)
            if key is None:
                self._drop(each.kind, each.id, NOT_FOUND)
            elif len(cited) < MOST_CITED:
                cited.setdefault(key, each.reason)
            elif key not in cited:
                self._drop(*key, f"an answer lists at most {MOST_CITED} records")
        return cited

    def _referred(self, text: str) -> list[Key]:
        keys = (self._key(kind, int(number)) for kind, number in REFERENCE.findall(text))
        return [key for key in keys if key is not None]

    def _key(self, kind: str, number: int) -> Key | None:
        """Return the node that is meant, if a result holds it."""
        spelt = self._evidence.kinds.spelt(kind)
        if spelt is not None:
            key = (spelt, number)
            return key if key in self._evidence.found_by else None
        same = [key for key in self._evidence.found_by if key[1] == number]
        return same[0] if kind.lower() == "id" and len(same) == 1 else None

    async def _fetch(self, keys: Iterable[Key]) -> None:
        keys = list(keys)
        for kind, result in (await self._details.read(keys)).items():
            of = self._evidence.kinds.of(kind)
            for row in records(result):
                key = (kind, row[of.key])
                self._known[key] = AnswerRecord(
                    kind=kind,
                    id=row[of.key],
                    name=str(row[of.label]),
                    further={name: row[name] for name in of.further if name in row},
                    reason="",
                    found_by=tuple(self._evidence.found_by[key]),
                )
        for key in keys:
            if key not in self._known:
                self._drop(*key, "the graph no longer contains it")

    def _record(self, key: Key, reason: str) -> AnswerRecord:
        record = self._known[key]
        return replace(record, reason=self._named(reason))

    def _named(self, text: str) -> str:
        return REFERENCE.sub(self._name, text.strip())

    def _name(self, reference: re.Match[str]) -> str:
        """Return what stands for a reference within the text."""
        key = self._key(reference[1], int(reference[2]))
        if key is not None and key in self._known:
            return self._known[key].title
        if self._evidence.kinds.spelt(reference[1]) is None and reference[1].lower() != "id":
            return reference[0]
        self._drop(reference[1], int(reference[2]), NOT_FOUND)
        return UNKNOWN

    def _drop(self, kind: str, number: int, why: str) -> None:
        kind = self._evidence.kinds.spelt(kind) or kind
        self._dropped.setdefault(f"{kind} {number}", why)


def _doubts(text: str, grounds: str) -> list[str]:
    """Name the numbers and the quoted words of a text that stand nowhere in what it rests on."""
    held = {_plain(each) for each in NUMBER.findall(grounds)}
    numbers = dict.fromkeys(NUMBER.findall(text))
    quoted = dict.fromkeys(each.strip() for each in QUOTED.findall(text))
    said = grounds.lower()
    return [
        *(f"The number {each} is in no result." for each in numbers if _plain(each) not in held),
        *(f"The words {each!r} are in no result." for each in quoted if each.lower() not in said),
    ]


def _plain(number: str) -> str:
    return number.replace(",", "")
