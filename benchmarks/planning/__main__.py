"""Nodes in the result of `get_planning_context`: share of expected ones, wrong ones, CPU, tokens.

Run with `python -m benchmarks.planning [GRAPH]`; without a graph of 10,000 films, as argument or in
MOVIEGRAPH_BENCH_GRAPH, only the bundled graph is used. `--misses` lists the misses of the tuning
half. Without `--final` the held-out half is skipped and nothing is written.
"""

import argparse
import json
import os
import random
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, cast

from benchmarks.report import table, write
from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.retrieval_primitives import GraphReader, Step
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.loading.folder_loader import ensure_builtin_graph
from moviegraph.names import fold_name, name_words, runs, spelling_form, without_articles
from moviegraph.query.opening import session_limits
from moviegraph.query.session import Cache, Call, Session
from moviegraph.search import planning
from moviegraph.search.entity_index import GraphNames
from moviegraph.settings import Settings
from moviegraph.text import max_tokens

Name = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PlanningQuestion:
    """A question; each expected node is a set of alternatives with normalized names."""

    text: str
    expected: tuple[frozenset[Name], ...]
    unreachable: tuple[frozenset[Name], ...]
    tempting: frozenset[Name]
    held_out: bool
    language: str
    set: int


def read_questions(graph: str) -> list[PlanningQuestion]:
    """Return the questions about one of the graphs: bundled or real."""
    text = (Path(__file__).parent / "questions.toml").read_text(encoding="utf-8")
    return [_question(values) for values in tomllib.loads(text)[graph]]


def _question(values: dict[str, Any]) -> PlanningQuestion:
    return PlanningQuestion(
        text=values["text"],
        expected=_alternatives(values.get("expected", [])),
        unreachable=_alternatives(values.get("unreachable", [])),
        tempting=frozenset(normalized_name(node) for node in values.get("tempting", [])),
        held_out=values.get("held_out", False),
        language=values.get("language", "en"),
        set=values.get("set", 1),
    )


def _alternatives(nodes: Sequence[str]) -> tuple[frozenset[Name], ...]:
    return tuple(frozenset(normalized_name(name) for name in node.split("|")) for node in nodes)


def normalized_name(node: str) -> Name:
    """Return kind and normalized name of KIND:NAME."""
    kind, _, name = node.partition(":")
    return kind, fold_name(name)


LOOKUPS = 200
SYLLABLES = [f"{first}{vowel}" for first in "bdfklmnrstv" for vowel in "aeio"]


def lookup_cost(count: int) -> dict[str, Any]:
    """Return build time, lookup time and size of an index of names of all kinds."""
    contract, rng = load_contract(), random.Random(20)
    kinds = [node.name for node in contract.nodes]
    names = {kind: [_name(rng) for _ in range(count // len(kinds))] for kind in kinds}

    def read(kind: str) -> list[tuple[int, str, Step]]:
        return [(key, name, "equal") for key, name in enumerate(names[kind])]

    reader = cast("GraphReader", SimpleNamespace(names=read))
    counts = {kind: len(names[kind]) for kind in kinds}
    build_ms, index = _timed(lambda: GraphNames(contract, reader, counts))
    targets = [rng.choice(names["Movie"]) for _ in range(LOOKUPS)]
    exact_ms, _ = _timed(
        lambda: [
            [index.index.find(words) for words in _runs(f"films like {name} or so")]
            for name in targets
        ]
    )
    slips = [spelling_form(name)[:-3] + "x" + spelling_form(name)[-2:] for name in targets]
    slips_ms, corrections = _timed(lambda: [index.spellings.nearest(slip) for slip in slips])
    return {
        "names": count,
        "built_ms": round(build_ms, 1),
        "question_ms": round(exact_ms / LOOKUPS, 3),
        "slip_ms": round(slips_ms / LOOKUPS, 3),
        "slips_found": sum(bool(names) for _, names in corrections),
        "slips": LOOKUPS,
    }


def _runs(question: str) -> list[tuple[str, ...]]:
    words = name_words(question)
    return [without_articles(words[start:end]) for start, end in runs(len(words), 7)]


def _name(rng: random.Random) -> str:
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(rng.randint(1, 3))]
    return " ".join(words).title()


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return 1000 * (time.process_time() - start), result


MANY_NAMES = 100_000
HEAD = (
    "questions",
    "count",
    "named",
    "unreachable",
    "wrong",
    "nodes",
    "CPU ms",
    "tokens",
    "examples",
)


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """A question with its context and CPU time."""

    question: PlanningQuestion
    context: dict[str, Any]
    cpu: float

    @property
    def names(self) -> set[Name]:
        return {(node["kind"], fold_name(node["name"])) for node in self.context["entities"]}

    @property
    def missed(self) -> list[list[Name]]:
        return [sorted(node) for node in self.question.expected if not node & self.names]

    @property
    def wrong(self) -> set[Name]:
        return self.names & self.question.tempting


def run_questions(session: Session, questions: Sequence[PlanningQuestion]) -> list[QuestionResult]:
    """Run every question once, after a first one that loads caches."""
    planning.context(session, Call("get_planning_context"), question="warm up, nothing is named")
    results: list[QuestionResult] = []
    for question in questions:
        start = time.process_time()
        context = planning.context(session, Call("get_planning_context"), question=question.text)
        results.append(QuestionResult(question, context, 1000 * (time.process_time() - start)))
    return results


def summarize(results: Sequence[QuestionResult]) -> dict[str, Any]:
    """Return the values of some questions."""
    expected = sum(len(result.question.expected) for result in results)
    named = expected - sum(len(result.missed) for result in results)
    unreachable = [r.names & node for r in results for node in r.question.unreachable]
    tempting = [result for result in results if result.question.tempting]
    return {
        "questions": len(results),
        "expected": expected,
        "named": round(named / expected, 3),
        "unreachable": len(unreachable),
        "unreachable_named": sum(map(bool, unreachable)),
        "tempting": len(tempting),
        "wrong_readings": sum(bool(result.wrong) for result in tempting),
        "wrong_share": round(sum(bool(result.wrong) for result in tempting) / len(tempting), 3),
        "nodes_mean": round(fmean(len(result.context["entities"]) for result in results), 2),
        "cpu_ms_mean": round(fmean(result.cpu for result in results), 2),
        "cpu_ms_max": round(max(result.cpu for result in results), 2),
        "tokens_max": round(max(map(_tokens, results))),
        "tokens_mean": round(fmean(map(_tokens, results))),
        "json_tokens_max": round(max(map(_json_tokens, results))),
        "with_example": sum(bool(result.context["examples"]) for result in results),
    }


def _tokens(result: QuestionResult) -> float:
    return max_tokens(planning.context_text(result.context))


def _json_tokens(result: QuestionResult) -> float:
    return max_tokens(json.dumps(result.context, ensure_ascii=False, separators=(",", ":")))


def measure(name: str, graph: Path, folder: Path, *, final: bool) -> list[QuestionResult]:
    """Run the questions about one graph."""
    contract, journal = load_contract(), SqliteJournal(folder / f"{name}.db")
    embedder = LocalEmbedder()
    engine = open_graph(graph, contract)
    session = Session(
        contract,
        engine,
        embedder,
        journal,
        session_limits(Settings(), contract),
        today="2026-01-01",
    )
    questions = [question for question in read_questions(name) if final or not question.held_out]
    start = time.process_time()
    planning.context(session, Call("get_planning_context"), question="first question")
    print(f"{name}: first question {time.process_time() - start:.2f} s of CPU")
    session = replace(session, questions=Cache())
    return run_questions(session, questions)


def show(title: str, rows: dict[str, dict[str, Any]]) -> None:
    """Print the values of some groups."""
    table(
        title,
        HEAD,
        [
            (
                name,
                f"{row['questions']}",
                f"{row['named']:.1%} of {row['expected']}",
                f"{row['unreachable_named']} of {row['unreachable']}",
                f"{row['wrong_readings']} of {row['tempting']}",
                f"{row['nodes_mean']}",
                f"{row['cpu_ms_mean']} ({row['cpu_ms_max']})",
                f"{row['tokens_mean']} ({row['tokens_max']})",
                f"{row['json_tokens_max']}",
                f"{row['with_example']}",
            )
            for name, row in rows.items()
        ],
    )


def _show_misses(results: Sequence[QuestionResult]) -> None:
    for result in results:
        if result.question.held_out:
            continue
        names = [
            f"{e['text']}={e['kind']}:{e['name']}({e['linked']},{e['found_by']})"
            for e in result.context["entities"]
        ]
        if result.missed or result.wrong or len(names) > 5:
            print(f"\n{result.question.text}\n  {'; '.join(names)}")
            if result.missed:
                print("  missed", result.missed)
            if result.wrong:
                print("  WRONG", result.wrong)


def main() -> None:
    """Measure, print and store the values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", nargs="?", default=os.environ.get("MOVIEGRAPH_BENCH_GRAPH"))
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--final", action="store_true")
    options = parser.parse_args()
    results: dict[str, list[QuestionResult]] = {}
    with TemporaryDirectory() as folder:
        builtin = ensure_builtin_graph(Path(folder) / "builtin", load_contract(), LocalEmbedder())
        graphs = {"bundled": builtin} | ({"real": Path(options.graph)} if options.graph else {})
        for name, graph in graphs.items():
            results[name] = measure(name, graph, Path(folder), final=options.final)
    groups: dict[str, list[QuestionResult]] = {}
    for held_out in (False, True):
        half = "held out" if held_out else "tuning"
        for name, of_graph in results.items():
            groups[f"{name}, {half}"] = [r for r in of_graph if r.question.held_out is held_out]
        both = [r for name in results for r in groups[f"{name}, {half}"]]
        for number in (1, 2):
            groups[f"set {number}, {half}"] = [r for r in both if r.question.set == number]
        groups[f"all, {half}"] = both
    rows = {name: summarize(group) for name, group in groups.items() if group}
    if options.misses:
        for of_graph in results.values():
            _show_misses(of_graph)
    show("Planning", rows)
    names = lookup_cost(MANY_NAMES)
    print(names)
    if options.final:
        print(write("planning", {"questions": rows, "many_names": names}))


if __name__ == "__main__":
    main()
