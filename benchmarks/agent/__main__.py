"""Scripted plans through `run_strategies` and the nearest 200 films, compared on known answers.

Run with `python -m benchmarks.agent [GRAPH --source FOLDER]`, by default on the built-in graph and
its records. Plain Python computes the expected answers from the source.
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from mcp import Client

from benchmarks.agent.answers import Answer, Baseline, precision, recall, run_plan
from benchmarks.agent.ground_truth import Film, GroundTruth, read_films
from benchmarks.agent.questions import KINDS, Question, questions
from benchmarks.report import table, write
from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.embedded.graph_files import vector_files
from moviegraph.engines.embedded.vector_table import unit
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.loading.folder_loader import ensure_builtin_graph
from moviegraph.query.opening import session_limits
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings, content_folder

HEAD = ("kind", "questions", "recall", "of 200", "precision", "of 200", "tokens", "of 200", "calls")


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """One question with both answers."""

    question: Question
    truth: GroundTruth
    plan: Answer
    nearest: Answer


async def answer_questions(
    session: Session, graph: Path, films: Sequence[Film]
) -> list[ScoredQuestion]:
    """Run every question that this graph can answer."""
    matrix, ids, _ = vector_files(graph, "Movie")
    baseline = Baseline(films, np.load(ids).tolist(), unit(np.load(matrix)))
    scored: list[ScoredQuestion] = []
    async with Client(create_server(Settings(), session=session)) as client:
        for question in questions():
            truth = question.truth(films)
            if truth.is_usable:
                plan = await run_plan(client, question)
                nearest = baseline.answer(question, session.embedder)
                scored.append(ScoredQuestion(question, truth, plan, nearest))
    return scored


def summarize(scored: Sequence[ScoredQuestion]) -> dict[str, Any]:
    """Return the values of some questions."""
    listing = [item for item in scored if not item.truth.facts]
    return {
        "questions": len(scored),
        **_system([(item.plan, item.truth) for item in scored], "plan"),
        **_system([(item.nearest, item.truth) for item in scored], "nearest_200"),
        "listing_films": len(listing),
        "calls": round(fmean(item.plan.calls for item in scored), 1),
        "failed_strategies": sum(len(item.plan.failed) for item in scored),
    }


def _system(answers: Sequence[tuple[Answer, GroundTruth]], name: str) -> dict[str, Any]:
    precisions = [share for pair in answers if (share := precision(*pair)) is not None]
    return {
        f"{name}_recall": round(fmean(recall(*pair) for pair in answers), 3),
        f"{name}_precision": round(fmean(precisions), 3) if precisions else None,
        f"{name}_tokens_median": round(median(answer.tokens for answer, _ in answers)),
    }


def planning_losses(scored: Sequence[ScoredQuestion]) -> list[dict[str, Any]]:
    """Return the questions for which the nearest 200 films have more recall than the plan."""
    pairs = [
        (item, recall(item.plan, item.truth), recall(item.nearest, item.truth)) for item in scored
    ]
    return [
        {
            "question": item.question.text,
            "kind": item.question.kind,
            "plan_recall": round(plan_recall, 3),
            "nearest_200_recall": round(nearest_recall, 3),
        }
        for item, plan_recall, nearest_recall in pairs
        if plan_recall < nearest_recall
    ]


def show(kinds: dict[str, dict[str, Any]], losses: list[dict[str, Any]]) -> None:
    """Print the table and the questions for which planning loses."""
    rows = [(kind, *(_cell(values[name]) for name in COLUMNS)) for kind, values in kinds.items()]
    table("Planned answers compared with the nearest 200 films", HEAD, rows)
    for loss in losses:
        print(
            f"planning loses: {loss['question']} "
            f"({loss['plan_recall']:.2f} against {loss['nearest_200_recall']:.2f})"
        )


COLUMNS = (
    "questions",
    "plan_recall",
    "nearest_200_recall",
    "plan_precision",
    "nearest_200_precision",
    "plan_tokens_median",
    "nearest_200_tokens_median",
    "calls",
)


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def main() -> None:
    """Measure, print and store the values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "graph", nargs="?", type=Path, help="a graph folder instead of the built-in graph"
    )
    parser.add_argument(
        "--source", type=Path, help="the JSON Lines from which the graph was loaded"
    )
    options = parser.parse_args()
    if (options.graph is None) != (options.source is None):
        parser.error("GRAPH and --source belong together")
    contract = load_contract()
    embedder = LocalEmbedder()
    with TemporaryDirectory() as scratch:
        graph: Path = options.graph or ensure_builtin_graph(
            Path(scratch) / "builtin", contract, embedder
        )
        films = read_films(options.source or content_folder("data"))
        engine = open_graph(graph, contract)
        session = Session(
            contract, engine, embedder, SqliteJournal(None), session_limits(Settings(), contract)
        )
        scored = asyncio.run(answer_questions(session, graph, films))
        source = engine.describe().source
        engine.close()
    groups = {kind: [item for item in scored if item.question.kind == kind] for kind in KINDS}
    kinds = {kind: summarize(group) for kind, group in {**groups, "all": scored}.items() if group}
    losses = planning_losses(scored)
    show(kinds, losses)
    skipped = len(questions()) - len(scored)
    print(f"skipped: {skipped} questions that this graph cannot answer, or with more than 60 films")
    report = {
        "source": source,
        "films": len(films),
        "skipped": skipped,
        "kinds": kinds,
        "planning_loses": losses,
    }
    write("agent" if options.graph else "agent_builtin", report)


if __name__ == "__main__":
    main()
