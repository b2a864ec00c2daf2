"""Scripted responses of a SQL Server with a complete graph to internal queries; tests spoil parts.

The rows are those that the documentation of SQL Server describes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fakes.tds.script import Call, Fail, Rows, Step
from fakes.tds.types import INT, NVARCHAR_MAX

from moviegraph.contract.model import Column, Contract
from moviegraph.embeddings.embedder import VectorSpace
from moviegraph.engines.graph_records import FORMAT, Manifest
from moviegraph.engines.sqlserver import internal_tables, metadata, principal
from moviegraph.errors import DatabaseError

Row = tuple[Any, ...]
TYPES = {"INT": "int", "BIGINT": "bigint", "FLOAT": "float", "BIT": "bit", "DATE": "date"}
READER = ("CONNECT", "VIEW ANY COLUMN ENCRYPTION KEY DEFINITION")
GUEST = ("CONNECT SQL", "VIEW ANY DATABASE")


def healthy(contract: Contract, space: VectorSpace) -> dict[str, list[Row] | Fail]:
    """Return the rows of each internal query on a healthy server."""
    return {
        principal.STATE: [("READ_WRITE", 3, "reader")],
        principal.ROLES: [("db_owner", 0), ("db_datawriter", 0)],
        principal.SERVER_ROLES: [("sysadmin", 0), ("bulkadmin", None)],
        principal.DATABASE: [(permission,) for permission in READER],
        principal.SERVER: [(permission,) for permission in GUEST],
        principal.SCHEMAS: [],
        principal.OBJECTS: list(_granted(contract)),
        principal.OTHER_GRANTS: [],
        principal.OWNED: [],
        principal.USERS: [("dbo", "VIEW DEFINITION")],
        principal.LOGINS: [],
        metadata.SERVER: [
            ("17.0.1000.7", "Developer Edition", 3, 1, "READ_WRITE", 170, 1, "Latin1_General_CI_AS")
        ],
        metadata.ENCRYPTION: [("TRUE",)],
        metadata.VECTOR_INDEXES: [],
        metadata.COLUMNS: list(_columns(contract, space.dimensions)),
        metadata.FULLTEXT: list(_indexed(contract)),
        metadata.POPULATION: [(contract.schema_name, n.name, 0) for n in contract.nodes],
        internal_tables.READ_MANIFEST: [(document(contract, space),)],
        internal_tables.READ_ALIASES: [],
    }


def document(contract: Contract, space: VectorSpace, **changed: Any) -> str:
    """Return the manifest that a load leaves, with other values."""
    counts = dict.fromkeys(contract.table_names, 3)
    state = changed.pop("state", "whole")
    facts: dict[str, Any] = {
        "format": FORMAT,
        "contract_hash": contract.hash,
        "contract": contract.name,
        "content_hash": "c0ffee",
        "space": space,
        "counts": counts,
        "vectors": {node.name: 3 for node in contract.nodes},
        "recipe": {},
        "source": "made by hand",
    } | changed
    return internal_tables.StoredManifest(Manifest(**facts), state).document()


def _granted(contract: Contract) -> Iterator[Row]:
    for name in contract.table_names:
        yield (contract.schema_name, name, "SELECT")
    yield ("moviegraph", "Manifest", "SELECT")
    yield ("moviegraph", "Alias", "SELECT")


def _columns(contract: Contract, dimensions: int) -> Iterator[Row]:
    for node in contract.nodes:
        for column in node.columns:
            kind, length, size = _type(column, dimensions)
            place = (contract.schema_name, node.name, 1, 0)
            yield (*place, column.name, kind, kind, length, size)
    for edge in contract.edges:
        place = (contract.schema_name, edge.name, 0, 1)
        yield (*place, "$edge_id_0A", "nvarchar", "nvarchar", 2000, None)
    yield ("moviegraph", "Alias", 0, 0, "Alias", "nvarchar", "nvarchar", 400, None)


def _type(column: Column, dimensions: int) -> tuple[str, int, int | None]:
    if column.type == "VECTOR":
        return "vector", 8 + 4 * dimensions, dimensions
    return ("nvarchar", 400, None) if column.is_text else (TYPES[column.type], 4, None)


def _indexed(contract: Contract) -> Iterator[Row]:
    for node in contract.nodes:
        for name in node.searchable:
            yield (contract.schema_name, node.name, name)


@dataclass(slots=True)
class SpoilableServer:
    """Answers questions from its table; any other statement by `otherwise`.

    An instance is a script for the TDS server, and `read` what the pure judgements call.
    """

    answers: dict[str, list[Row] | Fail]
    otherwise: Sequence[Step] = ()
    asked: list[str] = field(default_factory=list[str])

    @classmethod
    def of(cls, contract: Contract, space: VectorSpace) -> "SpoilableServer":
        """Return a server where all is as it must be."""
        return cls(healthy(contract, space))

    def read(self, query: str) -> list[Row]:
        """Return the rows of a question, as the engine's reader would."""
        self.asked.append(query)
        answer = self.answers[query]
        if isinstance(answer, Fail):
            raise DatabaseError(answer.message)
        return answer

    def __call__(self, call: Call) -> Sequence[Step]:
        """Answer a statement that came over the wire."""
        answer = self.answers.get(call.sql)
        if answer is None:
            return self.otherwise if "SELECT TOP" in call.sql else ()
        return [answer] if isinstance(answer, Fail) else [_result(answer)]


def _result(rows: list[Row]) -> Rows:
    width = len(rows[0]) if rows else 1
    kinds = [
        INT if any(isinstance(row[at], int) for row in rows) else NVARCHAR_MAX
        for at in range(width)
    ]
    return Rows([(f"c{at}", kind) for at, kind in enumerate(kinds)], rows)
