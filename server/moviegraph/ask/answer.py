"""The answer: records by id, joined back to the graph, with what is missing or was left out."""

from dataclasses import asdict, dataclass
from typing import Any

from moviegraph.llm.language_model import TokenUsage


@dataclass(frozen=True, slots=True)
class Record:
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
class Dropped:
    """Something the model named that the answer does not hold, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of a question."""

    question: str
    answered: bool
    text: str
    records: tuple[Record, ...]
    missing: tuple[str, ...]
    dropped: tuple[Dropped, ...]
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


def _as_dict(record: Record) -> dict[str, Any]:
    found = asdict(record)
    return {"kind": found.pop("kind"), "id": found.pop("id"), "name": found.pop("name"),
            **found.pop("further"), **found}  # fmt: skip


def _entry(number: int, record: Record) -> str:
    lines = [f"{number:>2}. {record.title} [{record.kind} {record.id}]", f"    {record.reason}"]
    return "\n".join([*lines, f"    found by: {', '.join(record.found_by)}"])


def _list(title: str, lines: tuple[str, ...] | list[str]) -> str:
    return "\n".join([f"{title}:", *(f"- {line}" for line in lines)])
