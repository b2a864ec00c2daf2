"""Answers of the scripted plan and of the nearest 200 films, and their scores."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from mcp import Client

from benchmarks.agent.ground_truth import Fact, Film, Truth
from benchmarks.agent.plans import Step
from benchmarks.agent.questions import Question
from moviegraph.embeddings.embedder import Embedder, Vectors
from moviegraph.text import most_tokens

NEAREST = 200
WIDE = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: film ids best first, other rows as texts, and what it cost."""

    films: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    tokens: float
    calls: int
    failed: tuple[str, ...] = ()


class Baseline:
    """The films nearest to the question, whole, as the originals gave them to the model."""

    def __init__(self, films: Sequence[Film], ids: Sequence[int], vectors: Vectors) -> None:
        self._texts = {film.id: f"{film.name}\n{film.content}" for film in films}
        self._ids = np.asarray(ids)
        self._vectors = vectors

    def answer(self, question: Question, embedder: Embedder) -> Answer:
        """Return the nearest films."""
        [vector] = embedder.embed([question.text])
        order = np.argsort(-(self._vectors @ vector), kind="stable")[:NEAREST]
        result = tuple(int(key) for key in self._ids[order])
        tokens = most_tokens(question.text) + sum(most_tokens(self._texts[key]) for key in result)
        return Answer(result, (), tokens, 1)


async def planned(client: Client, question: Question) -> Answer:
    """Run the plan in one call, then expand what the question asks for."""
    strategies = [_strategy(step) for step in question.plan]
    request = {"question": question.text, "strategies": strategies}
    ran = await _called(client, "run_strategies", request)
    tokens, calls = ran.tokens, 1
    films = _films(ran.facts["fused"]["columns"], ran.facts["fused"]["rows"])
    rows = list[tuple[str, ...]]()
    wide = list[int]()
    failed = [each["strategy_id"] for each in ran.facts["executions"] if each["status"] == "failed"]
    for step, execution in zip(question.plan, ran.facts["executions"], strict=True):
        rows += _texts(execution.get("rows") or [])
        if not step.wide or execution["row_count"] <= len(execution.get("rows") or []):
            continue
        more = await _called(
            client, "expand_strategy", {"execution_id": execution["execution_id"], "top": WIDE}
        )
        tokens, calls = tokens + more.tokens, calls + 1
        wide += _films(more.facts["columns"], more.facts["rows"])
        rows += _texts(more.facts["rows"])
    return Answer(tuple(dict.fromkeys((*wide, *films))), tuple(rows), tokens, calls, tuple(failed))


@dataclass(frozen=True, slots=True)
class _Called:
    facts: dict[str, Any]
    tokens: float


async def _called(client: Client, tool: str, arguments: dict[str, Any]) -> _Called:
    result = await client.call_tool(tool, arguments)
    text = "\n".join(getattr(part, "text", "") for part in result.content)
    if result.is_error or result.structured_content is None:
        raise RuntimeError(f"{tool}: {text}")
    sent = json.dumps(arguments, ensure_ascii=False)
    return _Called(result.structured_content, most_tokens(sent) + most_tokens(text))


def _strategy(step: Step) -> dict[str, Any]:
    arguments = {"id": step.id, "message_to_user": step.id, "command": step.command}
    return arguments if step.query is None else {**arguments, "query": step.query}


def _films(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    """Return the ids of films among rows; a row of another kind is none."""
    if "Id" not in columns:
        return []
    key = columns.index("Id")
    kind = columns.index("Kind") if "Kind" in columns else None
    return [row[key] for row in rows if kind is None or row[kind] == "Movie"]


def _texts(rows: Sequence[Sequence[Any]]) -> list[tuple[str, ...]]:
    return [tuple(str(cell).casefold() for cell in row) for row in rows]


def recall(answer: Answer, truth: Truth) -> float:
    """Return the share of the truth that was found; of two sides, the mean of both.

    A fact is found where a row tells it and nothing else, or where every film that it counts is
    listed: a model could then count itself.
    """
    if truth.facts:
        return fmean(_told(answer, fact) for fact in truth.facts)
    listed = set(answer.films)
    return fmean(len(side & listed) / len(side) for side in truth.sides)


def precision(answer: Answer, truth: Truth) -> float | None:
    """Return the share of the listed films that are true; None for facts."""
    if truth.facts:
        return None
    true = frozenset[int]().union(*truth.sides)
    return len(true.intersection(answer.films)) / len(answer.films) if answer.films else 0.0


def _told(answer: Answer, fact: Fact) -> bool:
    wanted = set(fact.words)
    return any(wanted == set(row) for row in answer.rows) or fact.films <= set(answer.films)
