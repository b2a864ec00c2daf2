"""What `get_planning_context` names: the share of expected nodes, wrong readings, CPU, tokens.

Run with `python -m benchmarks.planning [GRAPH]`; without a graph of 10,000 films, given here or in
MOVIEGRAPH_BENCH_GRAPH, only the bundled one is asked. `--misses` lists what was missed of the half
that may be looked at. Without `--final` the half held out is not asked, and nothing is written.
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
from moviegraph.cache import Cache
from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.retrieval_primitives import GraphReader, Step
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.loading.builtin_graph import ensure_builtin_graph
from moviegraph.query.session import Call, Caps, Session
from moviegraph.search import planning
from moviegraph.search.entity_index import GraphNames, name_key, name_words, runs, without_articles
from moviegraph.text import fold_name, most_tokens

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


LOOKUPS = 200
SYLLABLES = [f"{first}{vowel}" for first in "bdfklmnrstv" for vowel in "aeio"]


def lookup_cost(count: int) -> dict[str, Any]:
    """Return time and size of an index of so many names, spread over the kinds of the contract."""
    contract, draw = load_contract(), random.Random(20)
    kinds = [node.name for node in contract.nodes]
    names = {kind: [_name(draw) for _ in range(count // len(kinds))] for kind in kinds}

    def read(kind: str) -> list[tuple[int, str, Step]]:
        return [(key, name, "equal") for key, name in enumerate(names[kind])]

    reader = cast("GraphReader", SimpleNamespace(names=read))
    counts = {kind: len(names[kind]) for kind in kinds}
    built, index = _timed(lambda: GraphNames(contract, reader, counts))
    asked = [draw.choice(names["Movie"]) for _ in range(LOOKUPS)]
    exact, _ = _timed(
        lambda: [index.index.find(_runs(f"films like {name} or so")) for name in asked]
    )
    slips = [
        name_key(name_words(name))[:-3] + "x" + name_key(name_words(name))[-2:] for name in asked
    ]
    spelled, near = _timed(lambda: [index.spellings.nearest(slip) for slip in slips])
    return {
        "names": count,
        "built_ms": round(built, 1),
        "megabytes": round(index.nbytes / 1e6, 1),
        "question_ms": round(exact / LOOKUPS, 3),
        "slip_ms": round(spelled / LOOKUPS, 3),
        "slips_found": sum(each is not None for each in near),
        "slips": LOOKUPS,
    }


def _runs(question: str) -> list[tuple[str, ...]]:
    words = name_words(question)
    return [without_articles(words[start:end]) for start, end in runs(len(words), 7)]


def _name(draw: random.Random) -> str:
    words = [
        "".join(draw.choices(SYLLABLES, k=draw.randint(2, 4))) for _ in range(draw.randint(1, 3))
    ]
    return " ".join(words).title()


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    result = work()
    return 1000 * (time.process_time() - began), result


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
class Asked:
    """A question with its context, and what it took."""

    question: Question
    context: dict[str, Any]
    cpu: float

    @property
    def names(self) -> set[Name]:
        return {(each["kind"], fold_name(each["name"])) for each in self.context["entities"]}

    @property
    def missed(self) -> list[list[Name]]:
        return [sorted(node) for node in self.question.expected if not node & self.names]

    @property
    def wrong(self) -> set[Name]:
        return self.names & self.question.tempting


def ask(session: Session, questions: Sequence[Question]) -> list[Asked]:
    """Ask every question once; what is read at the first question is read before."""
    planning.context(session, Call("get_planning_context"), question="warm up, nothing is named")
    asked: list[Asked] = []
    for question in questions:
        began = time.process_time()
        context = planning.context(session, Call("get_planning_context"), question=question.text)
        asked.append(Asked(question, context, 1000 * (time.process_time() - began)))
    return asked


def figures(asked: Sequence[Asked]) -> dict[str, Any]:
    """Return the figures of some questions."""
    expected = sum(len(each.question.expected) for each in asked)
    named = expected - sum(len(each.missed) for each in asked)
    far = [node & each.names for each in asked for node in each.question.unreachable]
    tempting = [each for each in asked if each.question.tempting]
    return {
        "questions": len(asked),
        "expected": expected,
        "named": round(named / expected, 3),
        "unreachable": len(far),
        "unreachable_named": sum(map(bool, far)),
        "tempting": len(tempting),
        "wrong_readings": sum(bool(each.wrong) for each in tempting),
        "wrong_share": round(sum(bool(each.wrong) for each in tempting) / len(tempting), 3),
        "nodes_mean": round(fmean(len(each.context["entities"]) for each in asked), 2),
        "cpu_ms_mean": round(fmean(each.cpu for each in asked), 2),
        "cpu_ms_max": round(max(each.cpu for each in asked), 2),
        "tokens_max": round(max(_tokens(each) for each in asked)),
        "tokens_mean": round(fmean(_tokens(each) for each in asked)),
        "json_tokens_max": round(max(_json_tokens(each) for each in asked)),
        "with_example": sum(bool(each.context["examples"]) for each in asked),
    }


def _tokens(asked: Asked) -> float:
    return most_tokens(planning.context_text(asked.context))


def _json_tokens(asked: Asked) -> float:
    return most_tokens(json.dumps(asked.context, ensure_ascii=False, separators=(",", ":")))


def measure(name: str, graph: Path, folder: Path, *, final: bool) -> list[Asked]:
    """Ask the questions about one graph."""
    contract, journal = load_contract(), SqliteJournal(folder / f"{name}.db")
    embedder = LocalEmbedder()
    engine = open_graph(graph, contract)
    session = Session(contract, engine, embedder, journal, Caps(), today="2026-01-01")
    questions = [each for each in read_questions(name) if final or not each.held_out]
    began = time.process_time()
    planning.context(session, Call("get_planning_context"), question="first question")
    print(f"{name}: first question {time.process_time() - began:.2f} s of CPU")
    fresh = replace(session, questions=Cache())
    return ask(fresh, questions)


def show(title: str, rows: dict[str, dict[str, Any]]) -> None:
    """Print the figures of some groups."""
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


def _show_misses(asked: Sequence[Asked]) -> None:
    for each in asked:
        if each.question.held_out:
            continue
        names = [
            f"{e['text']}={e['kind']}:{e['name']}({e['linked']},{e['found_by']})"
            for e in each.context["entities"]
        ]
        if each.missed or each.wrong or len(names) > 5:
            print(f"\n{each.question.text}\n  {'; '.join(names)}")
            if each.missed:
                print("  missed", each.missed)
            if each.wrong:
                print("  WRONG", each.wrong)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", nargs="?", default=os.environ.get("MOVIEGRAPH_BENCH_GRAPH"))
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--final", action="store_true")
    options = parser.parse_args()
    asked: dict[str, list[Asked]] = {}
    with TemporaryDirectory() as folder:
        box = ensure_builtin_graph(Path(folder) / "box", load_contract(), LocalEmbedder())
        graphs = {"bundled": box} | ({"real": Path(options.graph)} if options.graph else {})
        for name, graph in graphs.items():
            asked[name] = measure(name, graph, Path(folder), final=options.final)
    groups: dict[str, list[Asked]] = {}
    for held_out in (False, True):
        half = "held out" if held_out else "tuning"
        for name, every in asked.items():
            groups[f"{name}, {half}"] = [e for e in every if e.question.held_out is held_out]
        both = [e for name in asked for e in groups[f"{name}, {half}"]]
        for number in (1, 2):
            groups[f"set {number}, {half}"] = [e for e in both if e.question.set == number]
        groups[f"all, {half}"] = both
    rows = {name: figures(group) for name, group in groups.items() if group}
    if options.misses:
        for every in asked.values():
            _show_misses(every)
    show("Planning", rows)
    names = lookup_cost(MANY_NAMES)
    print(names)
    if options.final:
        print(write("planning", {"questions": rows, "many_names": names}))


if __name__ == "__main__":
    main()
