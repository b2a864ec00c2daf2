"""DuckDB files of a graph folder: their tables are written here."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.ddl import edge_ddl, node_ddl
from moviegraph.contract.model import Column
from moviegraph.engines.base import Vector
from moviegraph.engines.embedded.vector_table import unit
from moviegraph.engines.graph_records import EdgeColumns, NodeColumns
from moviegraph.errors import GraphError

CHUNK = 8192
MEMORY = "2GB"


class DatabaseFile:
    """A DuckDB file under construction."""

    def __init__(self, path: Path) -> None:
        self._connection = duckdb.connect(str(path), config={"memory_limit": MEMORY})

    def __enter__(self) -> "DatabaseFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def write_nodes(
        self,
        nodes: NodeColumns,
        vectors: NDArray[np.float16] | Vector | None,
        dimensions: int,
    ) -> None:
        """Write a node table; `vectors` has a row for each node (NaN: none), or is None.

        The rows are brought to length 1, a chunk at a time.
        """
        table = nodes.table
        columns_by_name: dict[str, Any] = {
            table.key: nodes.ids,
            table.label: nodes.names,
            **({table.text: nodes.contents} if table.text else {}),
            **nodes.extras,
        }
        self._connection.execute(node_ddl(table, dimensions))
        try:
            for start in range(0, len(nodes.ids), CHUNK):
                part = slice(start, start + CHUNK)
                arrays = {name: values[part] for name, values in columns_by_name.items()}
                arrays["$node_id"] = nodes.node_ids[part]
                chunk = unit(vectors[part]) if vectors is not None else None
                self._insert(table.name, table.columns, table.vector, arrays, chunk)
        except (duckdb.ConversionException, duckdb.ConstraintException) as error:
            raise GraphError(f"A value does not fit a column of {table.name}: {error}") from error

    def _insert(
        self,
        table: str,
        columns: tuple[Column, ...],
        vector: str | None,
        arrays: Mapping[str, Any],
        vectors: Vector | None,
    ) -> None:
        columns_by_name = dict(arrays)
        value = "NULL"
        if vectors is not None:
            parts = [f"v{at}" for at in range(vectors.shape[1])]
            columns_by_name.update(zip(parts, np.ascontiguousarray(vectors.T), strict=True))
            value = f"CASE WHEN v0 IS NULL OR isnan(v0) THEN NULL ELSE [{', '.join(parts)}] END"
        expressions = ['"$node_id"'] + [
            value if c.name == vector else f'"{c.name}"' for c in columns
        ]
        self._connection.register("chunk", columns_by_name)
        self._connection.execute(
            f'INSERT INTO "{table}" SELECT {", ".join(expressions)} FROM chunk'  # noqa: S608
        )
        self._connection.unregister("chunk")

    def write_edges(self, edges: EdgeColumns) -> None:
        """Write an edge table."""
        arrays: dict[str, Any] = {"$e": edges.edge_ids, "$f": edges.from_ids, "$t": edges.to_ids}
        arrays |= edges.extras
        names = ", ".join(f'"{name}"' for name in arrays)
        self._connection.execute(edge_ddl(edges.table))
        self._connection.register("chunk", arrays)
        try:
            self._connection.execute(
                f'INSERT INTO "{edges.table.name}" SELECT {names} FROM chunk'  # noqa: S608
            )
        except (duckdb.ConversionException, duckdb.ConstraintException) as error:
            table = edges.table.name
            raise GraphError(f"A value does not fit a column of {table}: {error}") from error
        self._connection.unregister("chunk")
