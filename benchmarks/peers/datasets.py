"""Films, genres and themes of a graph folder in the format of each server, and statements."""

import csv
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

GRAPH_FILE = "graph.duckdb"
STORAGE_VERSION = "v1.2.0"
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
        """The number of films."""
        return len(self.nodes["Movie"])


def read_graph(folder: Path) -> GraphData:
    """Read the data of the comparison from a graph folder."""
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
    """Write tables with usual keys and indexes."""
    connection = sqlite3.connect(file)
    for name, rows in data.nodes.items():
        columns = COLUMNS[name].replace("Id", "Id INTEGER PRIMARY KEY", 1)
        connection.execute(f"CREATE TABLE {name} ({columns})")
        connection.executemany(f"INSERT INTO {name} VALUES ({_placeholders(rows)})", rows)
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
    """Write the same tables for DuckDB, in a format that older versions can read."""
    write_csv(data, folder)
    with duckdb.connect() as connection:
        target = str(file).replace("'", "''")
        connection.execute(f"ATTACH '{target}' AS films (STORAGE_VERSION '{STORAGE_VERSION}')")
        connection.execute("USE films")
        for name in (*data.nodes, *data.edges):
            source = str(folder / f"{name}.csv").replace("'", "''")
            connection.execute(f"CREATE TABLE {name} AS FROM read_csv('{source}', header=true)")


def write_csv(data: GraphData, folder: Path) -> None:
    """Write one CSV file per table, with a header."""
    for name, rows in (data.nodes | data.edges).items():
        header = COLUMNS.get(name, "from_id, to_id").split(", ")
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            writer.writerows(rows)


def _placeholders(rows: Rows) -> str:
    return ", ".join("?" * len(rows[0]))


ROWS = 50
MISSPELLED = "ReleaseYer"
INTENDED = "ReleaseYear"
MISSPELLED_SQL = {
    "tsql": f"SELECT TOP 5 m.Id, m.{MISSPELLED} FROM Movie AS m",
    "sqlite": f"SELECT m.Id, m.{MISSPELLED} FROM Movie AS m LIMIT 5",
}


@dataclass(frozen=True, slots=True)
class Join:
    """A three-table join of fifty rows, by dialect."""

    name: str
    tsql: str
    sqlite: str

    def text(self, dialect: str) -> str:
        """Return the statement in a dialect."""
        return self.tsql if dialect == "tsql" else self.sqlite


def joins(data: GraphData) -> tuple[Join, Join]:
    """Return the newest films of the commonest genre, and the first films with their genres."""
    counts: dict[int, int] = {}
    for _, genre in data.edges["IN_GENRE"]:
        counts[genre] = counts.get(genre, 0) + 1
    commonest = max(counts, key=lambda genre: (counts[genre], -genre))
    name = dict(data.nodes["Genre"])[commonest].replace("'", "''")
    return (
        _join("newest of a genre", f"g.Name = '{name}'", "m.ReleaseYear DESC, m.Id"),
        _join("first by id", "", "m.Id, g.Name"),
    )


def _join(name: str, condition: str, order: str) -> Join:
    columns = "m.Id, m.Name, m.ReleaseYear, g.Name AS Genre"
    extra = f" AND {condition}" if condition else ""
    return Join(
        name,
        f"SELECT TOP {ROWS} {columns} FROM Movie AS m, IN_GENRE AS e, Genre AS g "
        f"WHERE MATCH(m-(e)->g){extra} ORDER BY {order}",
        f"SELECT {columns} FROM Movie AS m JOIN IN_GENRE AS e ON e.from_id = m.Id "
        f"JOIN Genre AS g ON g.Id = e.to_id WHERE 1 = 1{extra} ORDER BY {order} LIMIT {ROWS}",
    )


def two_hops(film: int) -> tuple[str, str]:
    """Return T-SQL and Cypher for the films that share the most themes with a film."""
    return (
        (
            "SELECT TOP 20 o.Id, o.Name, COUNT(*) AS Shared FROM Movie AS m, INCLUDES_THEME AS a, "
            "Theme AS t, INCLUDES_THEME AS b, Movie AS o WHERE MATCH(m-(a)->t<-(b)-o) "
            f"AND m.Id = {film} AND o.Id <> m.Id GROUP BY o.Id, o.Name ORDER BY Shared DESC, o.Id"
        ),
        (
            f"MATCH (m:Movie {{Id: {film}}})-[:INCLUDES_THEME]->(t:Theme)"
            "<-[:INCLUDES_THEME]-(o:Movie) "
            "WHERE o.Id <> m.Id RETURN o.Id, o.Name, COUNT(*) AS Shared "
            "ORDER BY Shared DESC, o.Id LIMIT 20"
        ),
    )


def shortest(start: int, end: int) -> tuple[str, str]:
    """Return T-SQL and Cypher for the length of a shortest path over themes."""
    return (
        (
            "SELECT d.Hops FROM (SELECT COUNT(o.Id) WITHIN GROUP (GRAPH PATH) AS Hops, "
            "LAST_VALUE(o.Id) WITHIN GROUP (GRAPH PATH) AS Reached FROM Movie AS m, "
            "INCLUDES_THEME FOR PATH AS a, Theme FOR PATH AS t, INCLUDES_THEME FOR PATH AS b, "
            "Movie FOR PATH AS o WHERE MATCH(SHORTEST_PATH(m(-(a)->t<-(b)-o){1,3})) "
            f"AND m.Id = {start}) AS d WHERE d.Reached = {end}"
        ),
        (
            f"MATCH p = (m:Movie {{Id: {start}}})-[:INCLUDES_THEME* SHORTEST 1..6]-"
            f"(o:Movie {{Id: {end}}}) RETURN length(p)"
        ),
    )
