"""The answer of `ask`: records joined back to the graph, with missing and omitted parts."""

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
    """One record of the answer; everything except the reason comes from the graph."""

    kind: str
    id: int
    name: str
    further: dict[str, Any]
    reason: str
    found_by: tuple[str, ...]

    @property
    def title(self) -> str:
        """The name, with the value of the only additional column, such as a year."""
        values = [value for value in self.further.values() if value is not None]
        return f"{self.name} ({values[0]})" if len(self.further) == len(values) == 1 else self.name


@dataclass(frozen=True, slots=True)
class DroppedRecord:
    """Something that the model cited and the answer omits, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a question, with missing, omitted and doubtful parts."""

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
        """Return the answer for `--json`."""
        return {**asdict(self), "records": [_as_dict(record) for record in self.records]}

    def as_text(self) -> str:
        """Return the answer as text."""
        blocks = [self.text]
        blocks += [_entry(number, record) for number, record in enumerate(self.records, 1)]
        blocks += [_list("Missing", self.missing)] if self.missing else []
        omitted = [f"{record.what}: {record.why}" for record in self.dropped]
        blocks += [_list("Omitted", omitted)] if omitted else []
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


MAX_CITED = 20
REFERENCE = re.compile(r"\[(\w+)[\s:#]*(\d{1,12})\]")
QUOTED = re.compile(r"[\"\u201c*]([^\"\u201c\u201d*\n]{2,80})[\"\u201d*]")
NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")
NOT_FOUND = "in no result"
NO_RECORD = "The text names no record, so it cites nothing from the graph."
UNKNOWN = "(a record that is in no result)"


@dataclass(slots=True)
class ResolvedAnswer:
    """Text and records with the names of the graph; the omitted and the doubtful parts."""

    text: str
    records: list[AnswerRecord] = field(default_factory=list[AnswerRecord])
    dropped: list[DroppedRecord] = field(default_factory=list[DroppedRecord])
    doubts: list[str] = field(default_factory=list[str])


class CitationResolver:
    """Resolves the citations of one composition; only nodes of some result pass."""

    def __init__(self, details: Details, evidence: Evidence, must_not: Iterable[str] = ()) -> None:
        self._details = details
        self._evidence = evidence
        self._must_not = {fold_name(name) for name in must_not}
        self._known: dict[Key, AnswerRecord] = {}
        self._dropped: dict[str, str] = {}

    async def resolve(self, composed: Composition, grounds: str) -> ResolvedAnswer:
        """Return the composition with names from the graph.

        Args:
            composed: What the model wrote.
            grounds: All that it received, in which each number of its text must occur.
        """
        cited = self._cited(composed)
        words = " ".join((composed.text, *cited.values()))
        references = self._references(words)
        await self._fetch([*cited, *references])
        text = self._insert_names(composed.text)
        resolved = [
            self._record(key, reason) for key, reason in cited.items() if key in self._known
        ]
        doubts = _doubts(REFERENCE.sub("", words), f"{grounds} {len(resolved)}")
        if not (cited or references or self._evidence.has_figures):
            doubts.append(NO_RECORD)
        doubts += [
            f"{record.title} may be something that the question excludes."
            for record in resolved
            if not self._must_not.isdisjoint(map(fold_name, (record.name, record.title)))
        ]
        dropped = [DroppedRecord(record, reason) for record, reason in self._dropped.items()]
        return ResolvedAnswer(text, resolved, dropped, doubts)

    def _cited(self, composed: Composition) -> dict[Key, str]:
        """Return the reason of each cited node that a result contains, in the model's order."""
        cited: dict[Key, str] = {}
        for citation in composed.records:
            key = self._key(citation.kind, citation.id)
            if key is None:
                self._drop(citation.kind, citation.id, NOT_FOUND)
            elif len(cited) < MAX_CITED:
                cited.setdefault(key, citation.reason)
            elif key not in cited:
                self._drop(*key, f"an answer lists at most {MAX_CITED} records")
        return cited

    def _references(self, text: str) -> list[Key]:
        keys = (self._key(kind, int(number)) for kind, number in REFERENCE.findall(text))
        return [key for key in keys if key is not None]

    def _key(self, kind: str, number: int) -> Key | None:
        """Return the node of a reference, if a result contains it."""
        name = self._evidence.kinds.spelling(kind)
        if name is not None:
            key = (name, number)
            return key if key in self._evidence.found_by else None
        same = [key for key in self._evidence.found_by if key[1] == number]
        return same[0] if kind.lower() == "id" and len(same) == 1 else None

    async def _fetch(self, keys: Iterable[Key]) -> None:
        keys = list(keys)
        for kind, result in (await self._details.read(keys)).items():
            info = self._evidence.kinds.of(kind)
            for row in records(result):
                key = (kind, row[info.key])
                self._known[key] = AnswerRecord(
                    kind=kind,
                    id=row[info.key],
                    name=str(row[info.label]),
                    further={name: row[name] for name in info.further if name in row},
                    reason="",
                    found_by=tuple(self._evidence.found_by[key]),
                )
        for key in keys:
            if key not in self._known:
                self._drop(*key, "the graph no longer contains it")

    def _record(self, key: Key, reason: str) -> AnswerRecord:
        record = self._known[key]
        return replace(record, reason=self._insert_names(reason))

    def _insert_names(self, text: str) -> str:
        return REFERENCE.sub(self._name, text.strip())

    def _name(self, reference: re.Match[str]) -> str:
        """Return the text that replaces a reference."""
        key = self._key(reference[1], int(reference[2]))
        if key is not None and key in self._known:
            return self._known[key].title
        if self._evidence.kinds.spelling(reference[1]) is None and reference[1].lower() != "id":
            return reference[0]
        self._drop(reference[1], int(reference[2]), NOT_FOUND)
        return UNKNOWN

    def _drop(self, kind: str, number: int, reason: str) -> None:
        kind = self._evidence.kinds.spelling(kind) or kind
        self._dropped.setdefault(f"{kind} {number}", reason)


def _doubts(text: str, grounds: str) -> list[str]:
    """Return a doubt for each number and quotation of a text that its grounds do not contain."""
    grounded = {_digits(number) for number in NUMBER.findall(grounds)}
    numbers = dict.fromkeys(NUMBER.findall(text))
    quotations = dict.fromkeys(words.strip() for words in QUOTED.findall(text))
    return [
        *(
            f"The number {number} is in no result."
            for number in numbers
            if _digits(number) not in grounded
        ),
        *(
            f"The words {words!r} are in no result."
            for words in quotations
            if words.lower() not in grounds.lower()
        ),
    ]


def _digits(number: str) -> str:
    return number.replace(",", "")
