"""CPU of each fixed tool, this version against another, asked alternately in two processes.

Run with `python -m benchmarks.versions --other PYTHON --graph FOLDER`, where PYTHON is
the interpreter of an environment in which the other version is installed. Each process serves the
graph through the functions behind the tools, journal included; every call is new to it, but for
those of "repeated". The figures are medians of CPU milliseconds per call.
"""

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import duckdb

HERE = Path(__file__)
REPEATED = "repeated"
SEED = 7


def serve(graph: str, folder: str) -> None:
    """Answer calls from standard input: a line {"tool", "arguments"} each, in either version."""
    from moviegraph.contract.loader import read_contract
    from moviegraph.errors import MoviegraphError
    from moviegraph.query.session import Call
    from moviegraph.server import open_session
    from moviegraph.settings import Settings

    settings = Settings(graph=Path(graph), journal=Path(folder) / "journal.sqlite")
    session = open_session(settings, read_contract(settings), ignore_progress)
    functions = tool_functions()
    for line in sys.stdin:
        call = json.loads(line)
        began = time.process_time()
        try:
            rows = functions[call["tool"]](session, Call(call["tool"]), **call["arguments"])
            count = len(rows.rows)
        except MoviegraphError as error:
            count = error.code if hasattr(error, "code") else str(error)
        spent = 1000 * (time.process_time() - began)
        print(json.dumps({"ms": spent, "rows": count}), flush=True)


def ignore_progress(*_: object) -> None:
    """Show no progress."""


def tool_functions() -> dict[str, Any]:
    """Return the functions behind the tools, wherever this version keeps them."""
    try:
        from moviegraph.search import fulltext, hybrid, records, semantic
    except ImportError:
        package = "moviegraph.retrieval"
        fulltext, hybrid, records, semantic, traverse = (
            import_module(f"{package}.{name}")
            for name in ("fulltext", "hybrid", "records", "semantic", "traversal")
        )
    else:
        traverse = import_module("moviegraph.search.traverse")
    return {
        "semantic_search": semantic.search,
        "fulltext_search": fulltext.search,
        "hybrid_search": hybrid.search,
        "graph_traverse": traverse.traverse,
        "get_records": records.fetch,
    }


def film_ids(graph: Path) -> list[int]:
    """Return the ids of all films."""
    with duckdb.connect(str(graph / "graph.duckdb"), read_only=True) as database:
        rows = database.execute('SELECT "Id" FROM "Movie" ORDER BY "Id"').fetchall()
    return [row[0] for row in rows]


def calls(count: int, graph: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the calls of each group; texts are the queries of benchmarks.retrieval."""
    lines = (HERE.parent / "retrieval" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [json.loads(line) for line in lines]
    chance = random.Random(SEED)
    chance.shuffle(queries)
    texts = [query["text"] for query in queries]
    names = [name for query in queries for name in query.get("films", ())]
    ids = chance.sample(film_ids(graph), count)
    themes = "INCLUDES_THEME"

    def group(tool: str, *arguments: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"tool": tool, "arguments": each} for each in arguments]

    return {
        "semantic_search": group("semantic_search", *({"query": text} for text in texts[:count])),
        "fulltext_search": group(
            "fulltext_search",
            *({"query": " ".join(text.split()[:3])} for text in texts[count : 2 * count]),
        ),
        "fulltext_search, names": group(
            "fulltext_search", *({"query": name} for name in names[:count])
        ),
        "hybrid_search": group("hybrid_search", *({"query": text} for text in texts[:count])),
        "hybrid_search, where": group(
            "hybrid_search",
            *({"query": text, "where": "ReleaseYear >= 1990"} for text in texts[:count]),
        ),
        "graph_traverse, path": group(
            "graph_traverse", *({"start": [number], "path": [themes, themes]} for number in ids)
        ),
        "graph_traverse, to_kind": group(
            "graph_traverse",
            *({"start": [number], "to_kind": "Theme", "max_hops": 1} for number in ids),
        ),
        "graph_traverse, to": group(
            "graph_traverse",
            *({"start": [one], "to": [other]} for one, other in itertools.pairwise(ids)),
        ),
        "get_records": group("get_records", *({"ids": [number]} for number in ids)),
        REPEATED: group("semantic_search", *[{"query": texts[0]}] * count),
    }


class Version:
    """One version, serving in a process of its own."""

    def __init__(self, python: str, graph: str, folder: Path) -> None:
        self._process = subprocess.Popen(
            [python, str(HERE), "--serve", graph, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
        )

    def ask(self, call: dict[str, Any]) -> tuple[float, Any]:
        """Return CPU milliseconds and the number of rows, or an error code."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(call) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return answer["ms"], answer["rows"]

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def compare(other: str, graph: str, count: int) -> dict[str, Any]:
    """Return for each group the medians of both versions, and their ratio."""
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        before = Version(other, graph, Path(one))
        after = Version(sys.executable, graph, Path(two))
        try:
            for name, group in calls(count, Path(graph)).items():
                figures[name] = measure(before, after, group)
        finally:
            before.close()
            after.close()
    return figures


def measure(before: Version, after: Version, group: list[dict[str, Any]]) -> dict[str, Any]:
    """Ask both versions alternately, whichever first in turn; the first call of each warms up."""
    times: dict[Version, list[float]] = {before: [], after: []}
    for number, call in enumerate(group):
        order = (before, after) if number % 2 else (after, before)
        for version in order:
            spent, _ = version.ask(call)
            if number:
                times[version].append(spent)
    old, new = median(times[before]), median(times[after])
    return {"before_ms": round(old, 2), "after_ms": round(new, 2), "ratio": round(new / old, 2)}


def main() -> None:
    """Compare, print and keep the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--other", required=True, help="interpreter of the other version")
    parser.add_argument("--graph", required=True, type=Path, help="graph folder")
    parser.add_argument("--calls", type=int, default=40, help="calls of each group")
    parser.add_argument("--keep", help="name of the results file, without ending")
    arguments = parser.parse_args()
    figures = compare(arguments.other, str(arguments.graph.resolve()), arguments.calls)
    for name, each in figures.items():
        print(f"{name:28} {each['before_ms']:8.2f} {each['after_ms']:8.2f} {each['ratio']:6.2f}")
    if arguments.keep:
        from benchmarks.report import write

        write(arguments.keep, figures)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(*sys.argv[2:4])
    else:
        main()
