"""Full text, vectors and hybrid search on queries with known results.

Run with `python -m benchmarks.retrieval [GRAPH]`, by default on the built-in graph. `--misses`
lists the misses of hybrid search in the tuning half. `--known-item` searches the graph for the
films of the built-in graph by the first two sentences of their plots there.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.report import table, write
from benchmarks.retrieval.queries import KINDS, Query, RelevantFilms, halves, read_queries
from benchmarks.retrieval.rankings import (
    HYBRID,
    MEANING,
    SYSTEMS,
    WORDS,
    answers,
    first,
    interval,
)
from moviegraph.cli.evaluation import recall, reciprocal
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.loading.folder_loader import ensure_builtin_graph
from moviegraph.loading.preparation import Preparation, prepare_source
from moviegraph.loading.row_validation import Rejects
from moviegraph.query.opening import session_limits
from moviegraph.query.query_pipeline import CallRecorder
from moviegraph.query.session import Call, Session
from moviegraph.search.fixed_tool import literal
from moviegraph.search.hybrid import DEPTH
from moviegraph.settings import Settings, content_folder
from moviegraph.sql.guard import RowLimits

SENTENCES = 2
SCORES = {"recall@10": recall, "mrr": reciprocal, "r@1": first}


@dataclass(frozen=True, slots=True)
class KnownItem:
    """The first two sentences of a built-in plot, and the films with its title and year."""

    text: str
    relevant: set[int]


def known_items(session: Session, contract: Contract) -> Iterator[KnownItem]:
    """Yield each film of the built-in graph that this graph has with the same title and year."""
    tables = prepare_source(
        content_folder("data"), contract, Rejects(), Preparation(enrich=False)
    ).nodes
    for film in next(nodes for nodes in tables if nodes.table.name == "Movie").records():
        relevant = _film_ids(session, film)
        if relevant:
            yield KnownItem(_first_sentences(film.content), relevant)


def known_item_scores(session: Session, contract: Contract) -> dict[str, Any]:
    """Search for every known item; return the scores of each system."""
    items = list(known_items(session, contract))
    rankings = [answers(session, Query("known item", item.text)) for item in items]
    results: dict[str, Any] = {"queries": len(items)}
    for system in SYSTEMS:
        pairs = [(r[system], item.relevant) for r, item in zip(rankings, items, strict=True)]
        results[system] = {
            name: round(fmean(score(*pair) for pair in pairs), 3) for name, score in SCORES.items()
        }
    recalls = {
        system: [recall(r[system], item.relevant) for r, item in zip(rankings, items, strict=True)]
        for system in (HYBRID, WORDS, MEANING)
    }
    results["recall@10 gained"] = {
        f"{HYBRID} minus {other}": interval(recalls[HYBRID], recalls[other])
        for other in (WORDS, MEANING)
    }
    return results


def _film_ids(session: Session, film: NodeRecord) -> set[int]:
    year = film.values.get("ReleaseYear")
    if year is None:
        return set()
    sql = (
        f"SELECT m.Id FROM Movie AS m WHERE m.Name = {literal(film.name)} "
        f"AND m.ReleaseYear = {int(year)} ORDER BY m.Id"
    )
    with CallRecorder(session, Call("benchmark"), "{}") as recorder:
        result = recorder.execute(sql, limits=RowLimits(20_000, 1_000)).result
        return {row[0] for row in result.rows}


def _first_sentences(plot: str) -> str:
    return " ".join(re.split(r"(?<=[.!?])\s+", plot.strip())[:SENTENCES])


@dataclass(frozen=True, slots=True)
class RankedQuery:
    """One query, its relevant films, and the ranking of every system."""

    query: Query
    relevant: set[int]
    rankings: dict[str, list[int]]

    def recall(self, system: str) -> float:
        return recall(self.rankings[system], self.relevant)

    def reciprocal(self, system: str) -> float:
        return reciprocal(self.rankings[system], self.relevant)

    def first(self, system: str) -> float:
        return first(self.rankings[system], self.relevant)


def rank_queries(session: Session, queries: Sequence[Query]) -> list[RankedQuery]:
    """Run every query that has relevant films in this graph."""
    relevant_films = RelevantFilms(session)
    pairs = [(query, relevant_films.of(query)) for query in queries]
    return [RankedQuery(q, relevant, answers(session, q)) for q, relevant in pairs if relevant]


def scores(ranked: Sequence[RankedQuery], system: str) -> dict[str, float]:
    """Return the three scores of one system over some queries."""
    return {
        "recall@10": round(fmean(query.recall(system) for query in ranked), 3),
        "mrr": round(fmean(query.reciprocal(system) for query in ranked), 3),
        "r@1": round(fmean(query.first(system) for query in ranked), 3),
    }


def by_kind(ranked: Sequence[RankedQuery]) -> dict[str, Any]:
    """Return the scores of every kind and system, and over all."""
    groups = {kind: [r for r in ranked if r.query.kind == kind] for kind in KINDS}
    groups["all"] = list(ranked)
    return {
        kind: {"queries": len(group), **{system: scores(group, system) for system in SYSTEMS}}
        for kind, group in groups.items()
        if group
    }


def gains(ranked: Sequence[RankedQuery]) -> dict[str, tuple[float, float, float]]:
    """Return the recall of hybrid minus each single list, with bootstrap bounds."""
    hybrid = [query.recall(HYBRID) for query in ranked]
    return {
        f"hybrid minus {other}": interval(hybrid, [query.recall(other) for query in ranked])
        for other in (WORDS, MEANING)
    }


def summarize(ranked: Sequence[RankedQuery], queries: Sequence[Query]) -> dict[str, Any]:
    """Return the values to store: both halves by kind and system, gains, and skipped queries."""
    ungrouped = [query for query in queries if query.group is None]
    tuning, held_out = halves(ungrouped)
    parts = {"all": {query.text for query in ungrouped}, "dev": tuning, "held out": held_out}
    parts.update(_groups(queries))
    ranked_by_part = {
        name: [r for r in ranked if r.query.text in texts] for name, texts in parts.items()
    }
    return {
        "queries": len(ranked),
        "skipped": _skipped(queries, [r.query for r in ranked]),
        "parts": {
            name: {"kinds": by_kind(part), "recall@10 gained": gains(part)}
            for name, part in ranked_by_part.items()
        },
    }


def show(results: dict[str, Any]) -> None:
    """Print a table for every part, and the gains of hybrid search."""
    for name, part in results["parts"].items():
        rows = [
            [kind, str(row["queries"]), *(_cell(row[system]) for system in SYSTEMS)]
            for kind, row in part["kinds"].items()
        ]
        table(f"recall@10 / MRR / R@1: {name}", ("kind", "queries", *SYSTEMS), rows)
        for gain, (mean, low, high) in part["recall@10 gained"].items():
            print(f"{gain}: {mean:+.3f} [{low:+.3f}, {high:+.3f}]")
    print(f"skipped: {results['skipped']}")


def show_misses(ranked: Sequence[RankedQuery], queries: Sequence[Query]) -> None:
    """Print the queries of the tuning half that hybrid search misses."""
    tuning, _ = halves([query for query in queries if query.group is None])
    for r in ranked:
        if r.query.text in tuning and r.recall(HYBRID) < 1:
            recalls = " ".join(f"{name} {r.recall(name):.2f}" for name in (WORDS, MEANING, HYBRID))
            print(f"{r.query.kind}: {r.query.text!r} of {len(r.relevant)}: {recalls}")


def _groups(queries: Sequence[Query]) -> dict[str, set[str]]:
    names = dict.fromkeys(query.group for query in queries if query.group)
    return {name: {q.text for q in queries if q.group == name} for name in names}


def _skipped(queries: Sequence[Query], ranked: Sequence[Query]) -> dict[str, int]:
    counts = Counter(query.kind for query in queries)
    counts.subtract(query.kind for query in ranked)
    return {kind: count for kind, count in counts.items() if count}


def _cell(values: dict[str, float]) -> str:
    return " ".join(f"{value:.2f}" for value in values.values())


def _show_known_items(results: dict[str, Any]) -> None:
    rows = [[system, *(f"{value:.3f}" for value in results[system].values())] for system in SYSTEMS]
    table(f"{results['queries']} known items", ("system", *SCORES), rows)
    for gain, (mean, low, high) in results["recall@10 gained"].items():
        print(f"{gain}: {mean:+.3f} [{low:+.3f}, {high:+.3f}]")
    write("retrieval_known_item", results)


def main() -> None:
    """Measure, print and store the values."""
    parser = argparse.ArgumentParser(prog="benchmarks.retrieval")
    parser.add_argument("graph", nargs="?", type=Path)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--known-item", action="store_true")
    args = parser.parse_args()
    if args.known_item and not args.graph:
        parser.error("--known-item needs a graph other than the built-in one. Specify GRAPH.")
    contract, embedder, queries = load_contract(), LocalEmbedder(), read_queries()
    with TemporaryDirectory() as scratch:
        folder = args.graph or ensure_builtin_graph(Path(scratch) / "builtin", contract, embedder)
        engine = open_graph(folder, contract)
        try:
            limits = replace(session_limits(Settings(), contract), top=DEPTH, bytes=2_000_000)
            session = Session(contract, engine, embedder, SqliteJournal(None), limits)
            if args.known_item:
                _show_known_items(known_item_scores(session, contract))
                return
            ranked = rank_queries(session, queries)
        finally:
            engine.close()
    results = summarize(ranked, queries)
    show(results)
    if args.misses:
        show_misses(ranked, queries)
    write("retrieval" if args.graph else "retrieval_builtin", results)


if __name__ == "__main__":
    main()
