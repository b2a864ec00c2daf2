"""Full text, vectors and hybrid search on queries with known answers.

Run with `python -m benchmarks.retrieval [GRAPH]`; without a graph, the one in the box is built.
`--misses` lists what hybrid search missed of the half that may be looked at. `--known-item` asks
the graph for the films of the box by the first two sentences of their plots there.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.report import table, write
from benchmarks.retrieval.queries import KINDS, Query, Truth, halves, read_queries
from benchmarks.retrieval.rankings import (
    HYBRID,
    MEANING,
    SYSTEMS,
    WORDS,
    answers,
    first,
    interval,
    recall,
    reciprocal,
)
from moviegraph.content import content_folder
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.loading.builtin_graph import ensure_builtin_graph
from moviegraph.loading.preparation import Preparation, prepare, sentences
from moviegraph.loading.rejects import Rejects
from moviegraph.query.recorder import CallRecorder
from moviegraph.query.session import Call, Caps, Session
from moviegraph.search.fusion import DEPTH
from moviegraph.search.statements import literal
from moviegraph.sql.guard import RowLimits

SENTENCES = 2
FIGURES = {"recall@10": recall, "mrr": reciprocal, "r@1": first}


@dataclass(frozen=True, slots=True)
class KnownItem:
    """The first two sentences of a plot in the box, and the films of its title and year."""

    text: str
    relevant: set[int]


def known_items(session: Session, contract: Contract) -> Iterator[KnownItem]:
    """Yield what to ask of the graph: each film of the box that it holds under the same title."""
    nodes = prepare(content_folder("data"), contract, Rejects(), Preparation(enrich=False)).nodes
    for film in (node for node in nodes if node.kind == "Movie"):
        relevant = _same(session, film)
        if relevant:
            yield KnownItem(_beginning(film.content), relevant)


def measured(session: Session, contract: Contract) -> dict[str, Any]:
    """Ask for every known item, and return the figures of each system."""
    items = list(known_items(session, contract))
    listed = [answers(session, Query("known item", item.text)) for item in items]
    by_key: dict[str, Any] = {"queries": len(items)}
    for system in SYSTEMS:
        pairs = [(of[system], item.relevant) for of, item in zip(listed, items, strict=True)]
        by_key[system] = {
            name: round(fmean(figure(*pair) for pair in pairs), 3)
            for name, figure in FIGURES.items()
        }
    hits = {
        system: [recall(of[system], item.relevant) for of, item in zip(listed, items, strict=True)]
        for system in (HYBRID, WORDS, MEANING)
    }
    by_key["recall@10 gained"] = {
        f"{HYBRID} minus {other}": interval(hits[HYBRID], hits[other]) for other in (WORDS, MEANING)
    }
    return by_key


def _same(session: Session, film: NodeRecord) -> set[int]:
    year = film.values.get("ReleaseYear")
    if year is None:
        return set()
    sql = (
        f"SELECT m.Id FROM Movie AS m WHERE m.Name = {literal(film.name)} "
        f"AND m.ReleaseYear = {int(year)} ORDER BY m.Id"
    )
    with CallRecorder(session, Call("benchmark"), "{}") as recording:
        return {row[0] for row in recording.show(sql, limits=RowLimits(20_000, 1_000)).result.rows}


def _beginning(plot: str) -> str:
    parts = [plot[start:end] for start, end in sentences(plot)]
    return "".join(parts[:SENTENCES]).strip()


@dataclass(frozen=True, slots=True)
class Judged:
    """One query, what is relevant, and what every system listed."""

    query: Query
    relevant: set[int]
    listed: dict[str, list[int]]

    def recall(self, system: str) -> float:
        return recall(self.listed[system], self.relevant)

    def reciprocal(self, system: str) -> float:
        return reciprocal(self.listed[system], self.relevant)

    def first(self, system: str) -> float:
        return first(self.listed[system], self.relevant)


def judged(session: Session, queries: Sequence[Query]) -> list[Judged]:
    """Ask every query that this graph can answer."""
    truth = Truth(session)
    known = [(each, truth.of(each)) for each in queries]
    return [Judged(each, relevant, answers(session, each)) for each, relevant in known if relevant]


def scores(asked: Sequence[Judged], system: str) -> dict[str, float]:
    """Return the three figures of one system over some queries."""
    return {
        "recall@10": round(fmean(each.recall(system) for each in asked), 3),
        "mrr": round(fmean(each.reciprocal(system) for each in asked), 3),
        "r@1": round(fmean(each.first(system) for each in asked), 3),
    }


def by_kind(asked: Sequence[Judged]) -> dict[str, Any]:
    """Return the figures of every kind and system, and over all."""
    groups = {kind: [each for each in asked if each.query.kind == kind] for kind in KINDS}
    groups["all"] = list(asked)
    return {
        kind: {"queries": len(group), **{system: scores(group, system) for system in SYSTEMS}}
        for kind, group in groups.items()
        if group
    }


def gains(asked: Sequence[Judged]) -> dict[str, tuple[float, float, float]]:
    """Return the recall of hybrid minus each single list, with bootstrap bounds."""
    hybrid = [each.recall(HYBRID) for each in asked]
    return {
        f"hybrid minus {other}": interval(hybrid, [each.recall(other) for each in asked])
        for other in (WORDS, MEANING)
    }


def figures(asked: Sequence[Judged], queries: Sequence[Query]) -> dict[str, Any]:
    """Return what is kept: every half by kind and system, gains, and what was skipped."""
    own = [each for each in queries if each.group is None]
    looked_at, held_out = halves(own)
    parts = {"all": {each.text for each in own}, "dev": looked_at, "held out": held_out}
    parts.update(_groups(queries))
    chosen = {
        name: [each for each in asked if each.query.text in texts] for name, texts in parts.items()
    }
    return {
        "queries": len(asked),
        "skipped": _skipped(queries, [each.query for each in asked]),
        "parts": {
            name: {"kinds": by_kind(part), "recall@10 gained": gains(part)}
            for name, part in chosen.items()
        },
    }


def show(by_key: dict[str, Any]) -> None:
    """Print a table for every part, and what hybrid search gains."""
    for name, part in by_key["parts"].items():
        rows = [
            [kind, str(of["queries"]), *(_shown(of[system]) for system in SYSTEMS)]
            for kind, of in part["kinds"].items()
        ]
        table(f"recall@10 / MRR / R@1: {name}", ("kind", "queries", *SYSTEMS), rows)
        for what, (mean, low, high) in part["recall@10 gained"].items():
            print(f"{what}: {mean:+.3f} [{low:+.3f}, {high:+.3f}]")
    print(f"skipped: {by_key['skipped']}")


def show_misses(asked: Sequence[Judged], queries: Sequence[Query]) -> None:
    """Print the queries of the half that may be looked at which hybrid search answers badly."""
    looked_at, _ = halves([each for each in queries if each.group is None])
    for each in asked:
        if each.query.text in looked_at and each.recall(HYBRID) < 1:
            per = " ".join(f"{name} {each.recall(name):.2f}" for name in (WORDS, MEANING, HYBRID))
            print(f"{each.query.kind}: {each.query.text!r} of {len(each.relevant)}: {per}")


def _groups(queries: Sequence[Query]) -> dict[str, set[str]]:
    names = dict.fromkeys(each.group for each in queries if each.group)
    return {name: {each.text for each in queries if each.group == name} for name in names}


def _skipped(queries: Sequence[Query], asked: Sequence[Query]) -> dict[str, int]:
    left = Counter(each.kind for each in queries)
    left.subtract(each.kind for each in asked)
    return {kind: count for kind, count in left.items() if count}


def _shown(of: dict[str, float]) -> str:
    return " ".join(f"{value:.2f}" for value in of.values())


def _show_known(by_key: dict[str, Any]) -> None:
    rows = [[system, *(f"{value:.3f}" for value in by_key[system].values())] for system in SYSTEMS]
    table(f"{by_key['queries']} known items", ("system", *FIGURES), rows)
    for what, (mean, low, high) in by_key["recall@10 gained"].items():
        print(f"{what}: {mean:+.3f} [{low:+.3f}, {high:+.3f}]")
    write("retrieval_known_item", by_key)


def main() -> None:
    """Measure, print and keep the figures."""
    parser = argparse.ArgumentParser(prog="benchmarks.retrieval")
    parser.add_argument("graph", nargs="?", type=Path)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--known-item", action="store_true")
    args = parser.parse_args()
    if args.known_item and not args.graph:
        parser.error("--known-item asks another graph than the one in the box: name GRAPH")
    contract, embedder, queries = load_contract(), LocalEmbedder(), read_queries()
    with TemporaryDirectory() as scratch:
        folder = args.graph or ensure_builtin_graph(Path(scratch) / "box", contract, embedder)
        engine = open_graph(folder, contract)
        try:
            caps = Caps(top=DEPTH, bytes=2_000_000)
            session = Session(contract, engine, embedder, SqliteJournal(None), caps)
            if args.known_item:
                _show_known(measured(session, contract))
                return
            asked = judged(session, queries)
        finally:
            engine.close()
    result = figures(asked, queries)
    show(result)
    if args.misses:
        show_misses(asked, queries)
    write("retrieval" if args.graph else "retrieval_box", result)


if __name__ == "__main__":
    main()
