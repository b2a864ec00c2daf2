"""The films, genres and themes of one graph folder, read once and written for each peer."""

import csv
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

GRAPH_FILE = "graph.duckdb"
OLD_STORAGE = "v1.2.0"
NODES = ("Movie", "Genre", "Theme")
EDGES = {"IN_GENRE": "Genre", "INCLUDES_THEME": "Theme"}
COLUMNS = {"Movie": "Id, Name, ReleaseYear, Content", "Genre": "Id, Name", "Theme": "Id, Name"}
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class GraphData:
    """Rows of node tables, and pairs of ids of edge tables."""

    nodes: dict[str, Rows]
    edges: dict[str, Rows]

    @property
    def films(self) -> int:
        """How many films there are."""
        return len(self.nodes["Movie"])


def read_graph(folder: Path) -> GraphData:
    """Read what peers get from the tables of a graph folder."""
    with duckdb.connect(str(folder / GRAPH_FILE), read_only=True) as connection:
        nodes = {
            name: connection.execute(f"SELECT {COLUMNS[name]} FROM {name} ORDER BY Id").fetchall()
            for name in NODES
        }
        edges = {
            edge: connection.execute(
                f'SELECT m.Id, n.Id FROM {edge} e JOIN Movie m ON e."$from_id" = m."$node_id" '
                f'JOIN {target} n ON e."$to_id" = n."$node_id" ORDER BY 1, 2'
            ).fetchall()
            for edge, target in EDGES.items()
        }
    return GraphData(nodes, edges)


def write_sqlite(data: GraphData, file: Path) -> None:
    """Write tables with the keys and indexes that one would make by hand."""
    connection = sqlite3.connect(file)
    for name, rows in data.nodes.items():
        columns = COLUMNS[name].replace("Id", "Id INTEGER PRIMARY KEY", 1)
        connection.execute(f"CREATE TABLE {name} ({columns})")
        connection.executemany(f"INSERT INTO {name} VALUES ({_marks(rows)})", rows)
    for name, rows in data.edges.items():
        connection.execute(f"CREATE TABLE {name} (from_id INTEGER, to_id INTEGER)")
        connection.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows)
        connection.execute(f"CREATE UNIQUE INDEX {name}_from ON {name} (from_id, to_id)")
        connection.execute(f"CREATE INDEX {name}_to ON {name} (to_id, from_id)")
    connection.execute("CREATE INDEX Movie_year ON Movie (ReleaseYear)")
    connection.execute("CREATE UNIQUE INDEX Genre_name ON Genre (Name)")
    connection.execute("ANALYZE")
    connection.commit()
    connection.close()


def write_duckdb(data: GraphData, file: Path, folder: Path) -> None:
    """Write the same tables for DuckDB, in a form that older versions read as well."""
    write_csv(data, folder)
    with duckdb.connect() as connection:
        target = str(file).replace("'", "''")
        connection.execute(f"ATTACH '{target}' AS films (STORAGE_VERSION '{OLD_STORAGE}')")
        connection.execute("USE films")
        for name in (*data.nodes, *data.edges):
            source = str(folder / f"{name}.csv").replace("'", "''")
            connection.execute(f"CREATE TABLE {name} AS FROM read_csv('{source}', header=true)")


def write_csv(data: GraphData, folder: Path) -> None:
    """Write one CSV file a table, with a header."""
    for name, rows in (data.nodes | data.edges).items():
        header = COLUMNS.get(name, "from_id, to_id").split(", ")
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(header)
            writer.writerows(rows)


def _marks(rows: Rows) -> str:
    return ", ".join("?" * len(rows[0]))
