"""The questions with the nodes that they name."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moviegraph.text import fold_name

Name = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Question:
    """A question; each expected node as its alternatives, names folded."""

    text: str
    expected: tuple[frozenset[Name], ...]
    unreachable: tuple[frozenset[Name], ...]
    tempting: frozenset[Name]
    held_out: bool
    language: str
    set: int


def read_questions(graph: str) -> list[Question]:
    """Return the questions about one of the graphs: bundled, or real."""
    text = (Path(__file__).parent / "questions.toml").read_text(encoding="utf-8")
    return [_question(each) for each in tomllib.loads(text)[graph]]


def _question(values: dict[str, Any]) -> Question:
    return Question(
        text=values["text"],
        expected=_alternatives(values.get("expected", [])),
        unreachable=_alternatives(values.get("unreachable", [])),
        tempting=frozenset(folded_name(each) for each in values.get("tempting", [])),
        held_out=values.get("held_out", False),
        language=values.get("language", "en"),
        set=values.get("set", 1),
    )


def _alternatives(nodes: Sequence[str]) -> tuple[frozenset[Name], ...]:
    return tuple(frozenset(folded_name(each) for each in node.split("|")) for node in nodes)


def folded_name(node: str) -> Name:
    """Return kind and folded name of KIND:NAME."""
    kind, _, name = node.partition(":")
    return kind, fold_name(name)
