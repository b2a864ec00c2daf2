"""Answers of the scripted plan and of the nearest 200 films, and their scores."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from mcp import Client

from benchmarks.agent.ground_truth import Fact, Film, GroundTruth
from benchmarks.agent.plans import PlanStep
from benchmarks.agent.questions import Question
from moviegraph.embeddings.embedder import Embedder, Vectors
from moviegraph.text import max_tokens

NEAREST = 200
EXPANDED_TOP = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """Film ids, best first; other rows as text; tokens and calls."""

    films: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    tokens: float
    calls: int
    failed: tuple[str, ...] = ()


class Baseline:
    """The films nearest to the question with their complete text, as in retrieval without tools."""

    def __init__(self, films: Sequence[Film], ids: Sequence[int], vectors: Vectors) -> None:
        self._texts = {film.id: f"{film.name}\n{film.content}" for film in films}
        self._ids = np.asarray(ids)
        self._vectors = vectors

    def answer(self, question: Question, embedder: Embedder) -> Answer:
        """Return the nearest films."""
        [vector] = embedder.embed([question.text])
        order = np.argsort(-(self._vectors @ vector), kind="stable")[:NEAREST]
        films = tuple(int(key) for key in self._ids[order])
        tokens = max_tokens(question.text) + sum(max_tokens(self._texts[key]) for key in films)
        return Answer(films, (), tokens, 1)


async def run_plan(client: Client, question: Question) -> Answer:
    """Run the plan in one call, then expand the strategies that the question requires."""
    strategies = [_strategy(step) for step in question.plan]
    request = {"question": question.text, "strategies": strategies}
    run = await _call(client, "run_strategies", request)
    tokens, calls = run.tokens, 1
    films = _films(run.content["fused"]["columns"], run.content["fused"]["rows"])
    rows = list[tuple[str, ...]]()
    expanded = list[int]()
    failed = [e["strategy_id"] for e in run.content["executions"] if e["status"] == "failed"]
    for step, execution in zip(question.plan, run.content["executions"], strict=True):
        rows += _row_texts(execution.get("rows") or [])
        if not step.is_expanded or execution["row_count"] <= len(execution.get("rows") or []):
            continue
        expansion = await _call(
            client,
            "expand_strategy",
            {"execution_id": execution["execution_id"], "top": EXPANDED_TOP},
        )
        tokens, calls = tokens + expansion.tokens, calls + 1
        expanded += _films(expansion.content["columns"], expansion.content["rows"])
        rows += _row_texts(expansion.content["rows"])
    return Answer(
        tuple(dict.fromkeys((*expanded, *films))), tuple(rows), tokens, calls, tuple(failed)
    )


@dataclass(frozen=True, slots=True)
class _ToolResult:
    content: dict[str, Any]
    tokens: float


async def _call(client: Client, tool: str, arguments: dict[str, Any]) -> _ToolResult:
    result = await client.call_tool(tool, arguments)
    text = "\n".join(getattr(part, "text", "") for part in result.content)
    if result.is_error or result.structured_content is None:
        raise RuntimeError(f"{tool}: {text}")
    request = json.dumps(arguments, ensure_ascii=False)
    return _ToolResult(result.structured_content, max_tokens(request) + max_tokens(text))


def _strategy(step: PlanStep) -> dict[str, Any]:
    arguments = {"id": step.id, "message_to_user": step.id, "command": step.command}
    return arguments if step.query is None else {**arguments, "query": step.query}


def _films(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    """Return the ids of films among rows, without nodes of other kinds."""
    if "Id" not in columns:
        return []
    key = columns.index("Id")
    kind = columns.index("Kind") if "Kind" in columns else None
    return [row[key] for row in rows if kind is None or row[kind] == "Movie"]


def _row_texts(rows: Sequence[Sequence[Any]]) -> list[tuple[str, ...]]:
    return [tuple(str(cell).casefold() for cell in row) for row in rows]


def recall(answer: Answer, truth: GroundTruth) -> float:
    """Return the share of the expected answer that was found; for two sides, the mean of both.

    A fact is found if a row contains exactly it, or if all films that it counts are listed, because
    a model can then count them.
    """
    if truth.facts:
        return fmean(_has_fact(answer, fact) for fact in truth.facts)
    film_ids = set(answer.films)
    return fmean(len(side & film_ids) / len(side) for side in truth.sides)


def precision(answer: Answer, truth: GroundTruth) -> float | None:
    """Return the share of the listed films that are expected; None for facts."""
    if truth.facts:
        return None
    expected = frozenset[int]().union(*truth.sides)
    return len(expected.intersection(answer.films)) / len(answer.films) if answer.films else 0.0


def _has_fact(answer: Answer, fact: Fact) -> bool:
    words = set(fact.words)
    return any(words == set(row) for row in answer.rows) or fact.films <= set(answer.films)
