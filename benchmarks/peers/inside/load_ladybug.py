"""Load of CSV files into the graph server's database, inside its environment."""

import sys
from pathlib import Path

import ladybug

NODES = {
    "Movie": "Id INT64 PRIMARY KEY, Name STRING, ReleaseYear INT64, Content STRING",
    "Genre": "Id INT64 PRIMARY KEY, Name STRING",
    "Theme": "Id INT64 PRIMARY KEY, Name STRING",
}
OPTIONS = """HEADER=true, PARALLEL=false, AUTO_DETECT=false, QUOTE='"', ESCAPE='"'"""
EDGES = {"IN_GENRE": "Genre", "INCLUDES_THEME": "Theme"}


def main() -> None:
    database, folder = sys.argv[1], Path(sys.argv[2])
    connection = ladybug.Connection(ladybug.Database(database))
    for name, columns in NODES.items():
        connection.execute(f"CREATE NODE TABLE {name} ({columns})")
    for name, target in EDGES.items():
        connection.execute(f"CREATE REL TABLE {name} (FROM Movie TO {target})")
    for name in (*NODES, *EDGES):
        source = (folder / f"{name}.csv").as_posix()
        connection.execute(f"COPY {name} FROM '{source}' ({OPTIONS})")


if __name__ == "__main__":
    main()
