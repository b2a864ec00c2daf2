"""Own data: are all rows, values and keys of generated files found again, and what does it cost?

`python -m benchmarks.own_data [--rows N]` writes files of usual shapes, loads each without vectors
in a process of its own, and reads it back. CPU time is compared with that of DuckDB's own reading
of the file and of SQLite FTS5 indexing its texts, in the same process, so that other load on the
machine affects both alike. Without --shape the figures are stored.
"""

import argparse
import csv
import gzip
import json
import random
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from benchmarks import report
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.errors import SourceError
from moviegraph.loading.folder_loader import load

WORDS = [f"word{number}" for number in range(5_000)]
PLACES = [f"Place {number}" for number in range(60)]
Row = dict[str, Any]


def rows_of(count: int) -> Iterator[Row]:
    """Yield rows of ten columns, the same in each run."""
    chosen = random.Random(7)
    for number in range(count):
        yield {
            "code": f"tt{number:07d}",
            "title": " ".join(chosen.choices(WORDS, k=3)),
            "plot": " ".join(chosen.choices(WORDS, k=12)),
            "place": chosen.choice(PLACES),
            "kind": chosen.choice(("drama", "comedy", "war", "crime")),
            "released": f"{chosen.randint(1950, 2020)}-{chosen.randint(1, 12):02d}-28",
            "price": round(chosen.random() * 100, 2),
            "votes": chosen.randint(0, 1_000_000),
            "seen": chosen.choice(("true", "false")),
            "note": chosen.choice(("None", "NA", "x-1", "")),
        }


def write_csv(path: Path, count: int) -> None:
    """Write the rows as CSV, packed by the end of the name."""
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(next(rows_of(1))))
        writer.writeheader()
        writer.writerows(rows_of(count))


def write_json(path: Path, count: int) -> None:
    """Write the rows as one object per line, with an object and a list in each."""
    with path.open("w", encoding="utf-8") as file:
        for row in rows_of(count):
            nested = {"about": {"place": row.pop("place"), "seen": row.pop("seen")}}
            file.write(json.dumps(row | nested | {"tags": [row["kind"], "film"]}) + "\n")


def write_parquet(path: Path, count: int) -> None:
    """Write the rows as Parquet."""
    source = path.with_suffix(".csv")
    write_csv(source, count)
    with duckdb.connect() as connection:
        connection.execute(f"COPY (FROM '{source}') TO '{path}' (FORMAT parquet)")


def write_wide(path: Path, _count: int) -> None:
    """Write a table of too many columns."""
    names = [f"c{number}" for number in range(1_200)]
    path.write_text("\n".join(map(",".join, (names, names, names))), encoding="utf-8")


def write_tables(path: Path, _count: int) -> None:
    """Write a database of many small tables of all types, each with ids of the one before."""
    chosen = random.Random(5)
    with sqlite3.connect(path) as database:
        for at in range(150):
            database.execute(
                f"CREATE TABLE item_{at} (id INTEGER PRIMARY KEY, name TEXT, price REAL, made TEXT,"
                " day TEXT, paid TEXT, active TEXT, note TEXT, tags TEXT, code TEXT, share TEXT,"
                f" quantity INTEGER, other_id INTEGER REFERENCES item_{max(0, at - 1)}(id))"
            )
            for row in range(chosen.randint(20, 100)):
                year, month, day = (
                    chosen.randint(*ends) for ends in ((1990, 2020), (1, 12), (1, 28))
                )
                values = (
                    row + 1,
                    " ".join(chosen.choices(WORDS, k=3)),
                    chosen.random() * 100,
                    f"{year}-{month:02d}-{day:02d}",
                    f"{month:02d}/{day:02d}/{year}",
                    f"${chosen.random() * 10_000:,.2f}",
                    chosen.choice(("yes", "no")),
                    " ".join(chosen.choices(WORDS, k=15)),
                    ", ".join(chosen.choices(WORDS[:30], k=3)),
                    f"C-{at}-{row}",
                    f"{chosen.randint(0, 100)}%",
                    chosen.randint(0, 99),
                    chosen.randint(1, 20),
                )
                database.execute(f"INSERT INTO item_{at} VALUES ({'?, ' * 12}?)", values)


SHAPES: dict[str, Callable[[Path, int], None]] = {
    "films.csv": write_csv,
    "films.csv.gz": write_csv,
    "films.jsonl": write_json,
    "films.parquet": write_parquet,
    "wide.csv": write_wide,
    "tables.db": write_tables,
}


def measure(path: Path, count: int) -> Row:
    """Load a file and read it back; return counts, CPU seconds and megabytes."""
    started = time.process_time()
    graph = path.with_name(f"{path.name}.graph")
    try:
        loaded = load(path, graph, None, None)
    except SourceError as refused:
        seconds = time.process_time() - started
        return {"file": path.name, "refused": refused.message, "cpu": round(seconds, 1)}
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    contract = loaded.prepared.contract
    engine = open_graph(graph, contract)
    counts = engine.describe().counts
    engine.close()
    found = {
        "file": path.name,
        "nodes": counts[contract.nodes[0].name],
        "rejected": sum(loaded.rejects.counts.values()),
        "cells_lost": sum(sum(c.values()) for c in loaded.manifest.losses.cells.values()),
        "cpu": round(seconds, 1),
        "peak_mb": peak,
    }
    if path.suffix == ".db":
        return {**found, "nodes": sum(counts[node.name] for node in contract.nodes)}
    names = {column.source_field: column.name for column in contract.nodes[0].columns}
    rows = loaded.prepared.nodes[0]
    codes, votes = (rows.extras[names[name]] for name in ("code", "votes"))
    stored = dict(zip(codes, zip(rows.names, votes, strict=True), strict=True))
    wrong = sum(stored[r["code"]] != (r["title"], str(r["votes"])) for r in rows_of(count))
    floor = _floor(path)
    figures = {"wrong": wrong, "floor_cpu": round(floor, 1), "times": round(seconds / floor, 1)}
    return {**found, **figures}


def _floor(path: Path) -> float:
    """Return the CPU seconds of DuckDB's reading and of FTS5's indexing of title and plot."""
    started = time.process_time()
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS FROM '{path}'")
        texts = connection.execute(
            "SELECT rowid, title, plot, place FROM t"
            if _is_flat(path)
            else "SELECT rowid, title, plot, kind FROM t"
        ).fetchall()
    with sqlite3.connect(path.with_suffix(".sqlite")) as database:
        database.execute("CREATE VIRTUAL TABLE t USING fts5(title, plot, place, content='')")
        database.executemany("INSERT INTO t(rowid, title, plot, place) VALUES (?, ?, ?, ?)", texts)
    return time.process_time() - started


def _is_flat(path: Path) -> bool:
    return ".jsonl" not in path.name


def main() -> None:
    """Measure each shape in a process of its own, and print one line of JSON for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--shape", choices=SHAPES)
    parsed = parser.parse_args()
    if parsed.shape:
        with TemporaryDirectory() as folder:
            path = Path(folder) / parsed.shape
            SHAPES[parsed.shape](path, parsed.rows)
            print(json.dumps(measure(path, parsed.rows)))
        return
    figures: Row = {"rows": parsed.rows}
    for shape in SHAPES:
        command = ["-m", "benchmarks.own_data", "--rows", str(parsed.rows), "--shape", shape]
        printed = subprocess.run([sys.executable, *command], check=True, stdout=subprocess.PIPE)
        print(printed.stdout.decode(), end="", flush=True)
        figures[shape] = json.loads(printed.stdout)
    report.write("own_data", figures)


if __name__ == "__main__":
    main()
