"""CPU of each fixed tool in this version and another one, alternately in two processes.

Run with `python -m benchmarks.versions --other PYTHON --graph FOLDER`, where PYTHON is the
interpreter of an environment with the other version. Each process serves the graph through the
functions behind the tools, journal included, and every call is new to it.
The values are medians of CPU milliseconds per call.
"""

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import duckdb

MODULE = Path(__file__)
SEED = 7


def serve(graph: str, folder: str) -> None:
    """Run calls from standard input, one line {"tool", "arguments"} each, in either version."""
    from moviegraph.errors import MoviegraphError
    from moviegraph.settings import Settings

    make_call = first_of("Call", "query.session", "retrieval.session")
    open_session = first_of("open_session", "query.opening", "server", "app")
    read_contract = first_of("read_contract", "contract.loader", "contract.served")
    settings = Settings(graph=Path(graph), journal=Path(folder) / "journal.sqlite")
    session = open_session(settings, read_contract(settings), ignore_progress)
    functions = tool_functions()
    for line in sys.stdin:
        call = json.loads(line)
        start = time.process_time()
        try:
            rows = functions[call["tool"]](session, make_call(call["tool"]), **call["arguments"])
            count = len(rows.rows)
        except MoviegraphError as error:
            count = error.code if hasattr(error, "code") else str(error)
        milliseconds = 1000 * (time.process_time() - start)
        print(json.dumps({"ms": milliseconds, "rows": count}), flush=True)


def ignore_progress(*_: object) -> None:
    """Show no progress."""


def first_of(name: str, *modules: str) -> Any:
    """Return a function of the first of some modules that this version has."""
    for module in modules:
        with suppress(ImportError, AttributeError):
            return getattr(import_module(f"moviegraph.{module}"), name)
    raise ImportError(name)


def tool_functions() -> dict[str, Any]:
    """Return the functions behind the tools, wherever this version keeps them."""
    return {
        "semantic_search": first_of("search", "search.semantic", "retrieval.semantic"),
        "fulltext_search": first_of("search", "search.fulltext", "retrieval.fulltext"),
        "hybrid_search": first_of("search", "search.hybrid", "retrieval.hybrid"),
        "graph_traverse": first_of("traverse", "search.traverse", "retrieval.traversal"),
        "get_records": first_of("fetch", "search.records", "retrieval.records"),
    }


def film_ids(graph: Path) -> list[int]:
    """Return the ids of all films."""
    with duckdb.connect(str(graph / "graph.duckdb"), read_only=True) as database:
        rows = database.execute('SELECT "Id" FROM "Movie" ORDER BY "Id"').fetchall()
    return [row[0] for row in rows]


def calls(count: int, graph: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the calls of each group; texts are the queries of benchmarks.retrieval."""
    lines = (MODULE.parent / "retrieval" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [json.loads(line) for line in lines]
    rng = random.Random(SEED)
    rng.shuffle(queries)
    texts = [query["text"] for query in queries]
    names = [name for query in queries for name in query.get("films", ())]
    ids = rng.sample(film_ids(graph), count)
    themes = "INCLUDES_THEME"

    def group(tool: str, *arguments: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"tool": tool, "arguments": item} for item in arguments]

    return {
        "semantic_search": group("semantic_search", *({"query": text} for text in texts[:count])),
        "fulltext_search": group(
            "fulltext_search",
            *({"query": " ".join(text.split()[:3])} for text in texts[count : 2 * count]),
        ),
        "fulltext_search, names": group(
            "fulltext_search", *({"query": name} for name in names[:count])
        ),
        "hybrid_search": group(
            "hybrid_search", *({"query": text} for text in texts[2 * count : 3 * count])
        ),
        "hybrid_search, where": group(
            "hybrid_search",
            *(
                {"query": text, "where": "ReleaseYear >= 1990"}
                for text in texts[3 * count : 4 * count]
            ),
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
            *({"start": [start], "to": [end]} for start, end in itertools.pairwise(ids)),
        ),
        "get_records": group("get_records", *({"ids": [number]} for number in ids)),
    }


class Version:
    """One version, serving in a separate process."""

    def __init__(self, python: str, graph: str, folder: Path) -> None:
        self._process = subprocess.Popen(
            [python, str(MODULE), "--serve", graph, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
        )

    def run(self, call: dict[str, Any]) -> tuple[float, Any]:
        """Return CPU milliseconds and the number of rows, or an error code."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(call) + "\n")
        self._process.stdin.flush()
        response = json.loads(self._process.stdout.readline())
        return response["ms"], response["rows"]

    def close(self) -> None:
        """Stop the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def compare(other: str, graph: str, other_graph: str, count: int) -> dict[str, Any]:
    """Return for each group the medians of both versions, and their ratio."""
    measurements: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as other_home, tempfile.TemporaryDirectory() as home:
        old_version = Version(other, other_graph, Path(other_home))
        new_version = Version(sys.executable, graph, Path(home))
        try:
            for name, group in calls(count, Path(graph)).items():
                measured = measure(old_version, new_version, group)
                if measured is None:
                    print(f"skipped: {name}: a call failed")
                else:
                    measurements[name] = measured
        finally:
            old_version.close()
            new_version.close()
    return measurements


def measure(
    old_version: Version, new_version: Version, group: list[dict[str, Any]]
) -> dict[str, Any] | None:
    """Run calls on both versions, alternating the order; the first call of each warms up.

    Returns:
        The values, or None if a call failed, as searches do in a graph with generated vectors.
    """
    times: dict[Version, list[float]] = {old_version: [], new_version: []}
    for number, call in enumerate(group):
        order = (old_version, new_version) if number % 2 else (new_version, old_version)
        for version in order:
            milliseconds, rows = version.run(call)
            if not isinstance(rows, int):
                return None
            if number:
                times[version].append(milliseconds)
    old, new = median(times[old_version]), median(times[new_version])
    return {"before_ms": round(old, 2), "after_ms": round(new, 2), "ratio": round(new / old, 2)}


def main() -> None:
    """Compare, print and store the values."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--other", required=True, help="interpreter of the other version")
    parser.add_argument("--graph", required=True, type=Path, help="graph folder")
    parser.add_argument(
        "--other-graph", type=Path, help="the same data as the other version stores them"
    )
    parser.add_argument("--calls", type=int, default=40, help="calls per group")
    parser.add_argument("--keep", help="name of the results file, without ending")
    arguments = parser.parse_args()
    measurements = compare(
        arguments.other,
        str(arguments.graph.resolve()),
        str((arguments.other_graph or arguments.graph).resolve()),
        arguments.calls,
    )
    for name, values in measurements.items():
        print(
            f"{name:28} {values['before_ms']:8.2f} {values['after_ms']:8.2f} {values['ratio']:6.2f}"
        )
    if arguments.keep:
        from benchmarks.report import write

        write(arguments.keep, measurements)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(*sys.argv[2:4])
    else:
        main()
