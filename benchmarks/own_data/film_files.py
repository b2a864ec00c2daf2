"""Large files of one table of films, and a database of many small tables."""

import csv
import gzip
import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb

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


FILES: dict[str, Callable[[Path, int], None]] = {
    "films.csv": write_csv,
    "films.csv.gz": write_csv,
    "films.jsonl": write_json,
    "films.parquet": write_parquet,
    "wide.csv": write_wide,
    "tables.db": write_tables,
}
