"""Own data: is all that goes in found again, what does it cost, and how do other servers answer?

`python -m benchmarks.own_data [--rows N]` writes files, folders and databases of usual shapes,
loads each without vectors in a process of its own, and compares the graph with what was written.
CPU is compared with that of DuckDB's own reading and of SQLite FTS5 indexing the prose, in the
same process, so that other load on the machine affects both alike. `--folder SOURCE` does that
with any file or folder, which DuckDB reads for the comparison. `--peers` asks other servers for
MCP about the same files, and installs them first. Figures are stored, but for --shape and --folder.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import report
from benchmarks.own_data.film_files import FILES
from benchmarks.own_data.found import Found, find, links_found, read_graph
from benchmarks.own_data.reading import cost_alone, read_source
from benchmarks.own_data.shapes import SHAPES
from benchmarks.own_data.tables import Table
from benchmarks.server_process import ServerProcess, launch_python
from moviegraph.contract.loader import load_contract
from moviegraph.errors import SourceError
from moviegraph.loading.folder_loader import load

RELATIONAL = {shape.file: shape for shape in SHAPES}
KEYS_ASKED, KEYS_A_CALL = 100, 20


def measure(path: Path, graph: Path, known: Sequence[Table] | None) -> dict[str, Any]:
    """Load a source and find it again.

    Args:
        path: The source.
        graph: The graph folder to build.
        known: What was written into the source; None to read it with DuckDB.
    """
    started = time.process_time()
    try:
        loaded = load(path, graph, None, None)
    except SourceError as refused:
        return {"refused": refused.message, "cpu": round(time.process_time() - started, 1)}
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    alone = cost_alone(path)
    tables, relations = known or read_source(path), read_graph(graph)
    found = [find(table, relations) for table in tables]
    figures: dict[str, Any] = {
        "tables": len(tables),
        **{sort: _sum(found, sort) for sort in ("rows", "values", "distinct")},
        "missing": {f"{f.table}.{name}": n for f in found for name, n in f.missing.items()},
        "said": loaded.manifest.losses.described,
        "cpu": round(seconds, 1),
        "alone_cpu": round(alone, 2),
        "times": round(seconds / alone, 1),
        "peak_mb": peak,
    }
    if known:
        links = [links_found(table, tables, relations) for table in tables]
        figures["types"] = _sum(found, "types")
        figures["links"] = [sum(n[at] for each in links for n in each.values()) for at in (0, 1)]
        kinds = [(f.relation, table) for f, table in zip(found, tables, strict=True)]
        figures["identifiers"] = _identifiers_found(graph, kinds)
    return figures


def _sum(found: Sequence[Found], sort: str) -> list[int]:
    return [sum(getattr(each, sort)[at] for each in found) for at in (0, 1)]


def _identifiers_found(graph: Path, kinds: Sequence[tuple[str, Table]]) -> list[int]:
    """Ask get_records for identifiers as they were written; return how many, and those found."""
    nodes = {node.name for node in load_contract(graph / "contract").nodes}
    journal = graph.with_name(f"{graph.name}.journal")
    options = ("--graph", str(graph), "--journal", str(journal))
    asked = found = 0
    with ServerProcess(launch_python("-m", "moviegraph", "serve", *options)) as server:
        server.open()
        for kind, table in kinds:
            if kind not in nodes or len(table.key) != 1:
                continue
            keys = table.values(table.key[0])
            keys = [str(key) for key in keys[:: max(1, len(keys) // KEYS_ASKED)]]
            for at in range(0, len(keys), KEYS_A_CALL):
                part = keys[at : at + KEYS_A_CALL]
                result = server.call("get_records", {"kind": kind, "ids": part})
                rows = (result.get("structuredContent") or {}).get("rows", [])
                cells = {str(cell) for row in rows for cell in row}
                asked += len(part)
                found += sum(key in cells for key in part)
    return [asked, found]


def measure_shape(name: str, rows: int) -> dict[str, Any]:
    """Write a source and measure it."""
    with TemporaryDirectory() as folder:
        path, graph = Path(folder) / name, Path(folder) / "graph"
        if name in FILES:
            FILES[name](path, rows)
            return measure(path, graph, None)
        shape = RELATIONAL[name]
        tables = shape.tables(rows // 10)
        shape.write(path, tables)
        return measure(path, graph, tables)


def main() -> None:
    """Measure each shape in a process of its own, and print one line of JSON for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000, help="of a file; a tenth if related")
    parser.add_argument("--shape", choices=[*FILES, *RELATIONAL])
    parser.add_argument("--folder", metavar="SOURCE", type=Path, help="any file or folder")
    parser.add_argument("--peers", action="store_true", help="only the comparison of servers")
    parsed = parser.parse_args()
    if parsed.folder:
        with TemporaryDirectory() as folder:
            print(json.dumps(measure(parsed.folder, Path(folder) / "graph", None), indent=1))
    elif parsed.peers:
        from benchmarks.own_data.peers import measure_peers

        report.write("own_data_peers", measure_peers())
    elif parsed.shape:
        print(json.dumps(measure_shape(parsed.shape, parsed.rows)))
    else:
        figures: dict[str, Any] = {"rows": parsed.rows, "sources": {}}
        for name in (*FILES, *RELATIONAL):
            options = ("--rows", str(parsed.rows), "--shape", name)
            command = (sys.executable, "-m", "benchmarks.own_data", *options)
            printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
            print(name, printed.decode(), end="", flush=True)
            figures["sources"][name] = json.loads(printed)
        report.write("own_data", figures)


if __name__ == "__main__":
    main()
