"""Reads the rows of a Parquet file, a few at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from moviegraph.errors import SourceError

BATCH = 256
MEMORY = "512MB"


def parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file as values by column.

    Raises:
        SourceError: The file is no Parquet, or damaged.
    """
    connection = duckdb.connect(":memory:", config={"memory_limit": MEMORY, "threads": 1})
    try:
        rows = connection.execute("SELECT * FROM read_parquet(?)", [_literal(path)])
        names = [str(each[0]) for each in rows.description or ()]
        while batch := rows.fetchmany(BATCH):
            for row in batch:
                yield dict(zip(names, row, strict=True))
    except duckdb.Error as error:
        raise SourceError(
            f"{path.name} cannot be read as Parquet.", hint="Get or write the file again."
        ) from error
    finally:
        connection.close()


def _literal(path: Path) -> str:
    """Return a path of which no sign is taken for a wildcard."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))
