"""Scripted plans through `run_strategies` beside the nearest 200 films, on questions with truth.

Run with `python -m benchmarks.agent [GRAPH --source FOLDER]`; without a graph, the one in the box
is built and its own records are the source. Truth is computed from the source by plain Python.
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

from benchmarks.agent.answers import Answer, Baseline, planned, precision, recall
from benchmarks.agent.ground_truth import Film, Truth, read_films
from benchmarks.agent.questions import KINDS, Question, questions
from benchmarks.report import table, write
from moviegraph.content import content_folder
from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.embedded.graph_folder import vector_files
from moviegraph.engines.embedded.vector_table import unit
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.loading.builtin_graph import ensure_builtin_graph
from moviegraph.query.session import Caps, Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

HEAD = ("kind", "asked", "recall", "of 200", "precision", "of 200", "tokens", "of 200", "calls")


@dataclass(frozen=True, slots=True)
class Judged:
    """One question with both answers."""

    question: Question
    truth: Truth
    plan: Answer
    nearest: Answer


async def judged(session: Session, graph: Path, films: Sequence[Film]) -> list[Judged]:
    """Ask every question that this graph can answer."""
    matrix, ids, _ = vector_files(graph, "Movie")
    baseline = Baseline(films, np.load(ids).tolist(), unit(np.load(matrix)))
    judgeds: list[Judged] = []
    async with Client(create_server(Settings(), session=session)) as client:
        for question in questions():
            truth = question.truth(films)
            if truth.usable:
                plan = await planned(client, question)
                nearest = baseline.answer(question, session.embedder)
                judgeds.append(Judged(question, truth, plan, nearest))
    return judgeds


def figures(asked: Sequence[Judged]) -> dict[str, Any]:
    """Return the figures of some questions."""
    exact = [each for each in asked if not each.truth.facts]
    return {
        "questions": len(asked),
        **_system([(each.plan, each.truth) for each in asked], "plan"),
        **_system([(each.nearest, each.truth) for each in asked], "nearest_200"),
        "listing_films": len(exact),
        "calls": round(fmean(each.plan.calls for each in asked), 1),
        "failed_strategies": sum(len(each.plan.failed) for each in asked),
    }


def _system(answers: Sequence[tuple[Answer, Truth]], name: str) -> dict[str, Any]:
    right = [share for each in answers if (share := precision(*each)) is not None]
    return {
        f"{name}_recall": round(fmean(recall(*each) for each in answers), 3),
        f"{name}_precision": round(fmean(right), 3) if right else None,
        f"{name}_tokens_median": round(median(answer.tokens for answer, _ in answers)),
    }


def lost(asked: Sequence[Judged]) -> list[dict[str, Any]]:
    """Return the questions for which planning found less than the nearest 200 films hold."""
    pairs = [
        (each, recall(each.plan, each.truth), recall(each.nearest, each.truth)) for each in asked
    ]
    return [
        {
            "question": each.question.text,
            "kind": each.question.kind,
            "plan_recall": round(mine, 3),
            "nearest_200_recall": round(theirs, 3),
        }
        for each, mine, theirs in pairs
        if mine < theirs
    ]


def show(kinds: dict[str, dict[str, Any]], losses: list[dict[str, Any]]) -> None:
    """Print the table, and where planning loses."""
    rows = [(kind, *(_cell(result[name]) for name in COLUMNS)) for kind, result in kinds.items()]
    table("Planned answers beside the nearest 200 films", HEAD, rows)
    for each in losses:
        print(
            f"planning loses: {each['question']} "
            f"({each['plan_recall']:.2f} against {each['nearest_200_recall']:.2f})"
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
    """Measure, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", nargs="?", type=Path, help="a graph folder instead of the box")
    parser.add_argument("--source", type=Path, help="the JSON Lines that the graph was loaded from")
    options = parser.parse_args()
    if (options.graph is None) != (options.source is None):
        parser.error("GRAPH and --source belong together")
    contract = load_contract()
    embedder = LocalEmbedder()
    with TemporaryDirectory() as scratch:
        graph: Path = options.graph or ensure_builtin_graph(
            Path(scratch) / "box", contract, embedder
        )
        films = read_films(options.source or content_folder("data"))
        engine = open_graph(graph, contract)
        session = Session(contract, engine, embedder, SqliteJournal(None), Caps())
        asked = asyncio.run(judged(session, graph, films))
        source = engine.describe().source
        engine.close()
    groups = {kind: [each for each in asked if each.question.kind == kind] for kind in KINDS}
    kinds = {kind: figures(group) for kind, group in {**groups, "all": asked}.items() if group}
    losses = lost(asked)
    show(kinds, losses)
    skipped = len(questions()) - len(asked)
    print(f"skipped: {skipped} questions that this graph cannot answer, or with more than 60 films")
    result = {
        "source": source,
        "films": len(films),
        "skipped": skipped,
        "kinds": kinds,
        "planning_loses": losses,
    }
    write("agent" if options.graph else "agent_box", result)


if __name__ == "__main__":
    main()
