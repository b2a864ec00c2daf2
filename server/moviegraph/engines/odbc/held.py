"""Which graph a database holds, and whether it is the one to be served."""

from collections.abc import Mapping
from dataclasses import dataclass

from moviegraph.contract.model import Contract
from moviegraph.contract.space import VectorSpace
from moviegraph.engines.odbc.live_schema import LiveSchema, dimensions, misfits
from moviegraph.engines.odbc.manifest import StoredManifest
from moviegraph.errors import DatabaseError, GraphError, VectorSpaceError

SHOWN = 5
LOAD = "moviegraph load SOURCE --into mssql"
DDL = "moviegraph ddl --engine mssql"


@dataclass(frozen=True, slots=True)
class Held:
    """The graph of a database.

    Attributes:
        stored: Its manifest, or None where nobody wrote one.
        space: The space of its vectors: the manifest's, else taken to be the embedder's.
    """

    stored: StoredManifest | None
    space: VectorSpace | None

    @property
    def certain(self) -> bool:
        """Whether the manifest says from which model the vectors are."""
        return self.stored is not None


def require_tables(live: LiveSchema, contract: Contract) -> None:
    """Raise DatabaseError unless every table and column of the contract is there."""
    found = misfits(live, contract)
    if found:
        more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise DatabaseError(
            f"The database does not fit the contract {contract.name}: "
            f"{'; '.join(found[:SHOWN])}{more}.",
            hint=f"Run the script of `{DDL}` in it, grants included, or serve the contract that "
            "it was made for (--contract).",
        )


def judge_held(
    stored: StoredManifest | None, live: LiveSchema, contract: Contract, query: VectorSpace
) -> Held:
    """Return what the database holds.

    Args:
        stored: Its manifest.
        live: Its tables.
        contract: The contract to serve.
        query: The space of the embedder.

    Raises:
        GraphError: The graph is half-loaded or of another contract.
        VectorSpaceError: Its vector columns hold other vectors than the manifest says, or, where
            there is none, than the embedder makes.
    """
    found = dimensions(live, contract)
    if stored is None:
        require_dimensions(found, query, "the embedder's vectors have")
        return Held(None, query if found else None)
    _check_manifest(stored, contract)
    space = stored.manifest.space
    if space is not None:
        require_dimensions(found, space, "the vectors that were loaded have")
    return Held(stored, space)


def _check_manifest(stored: StoredManifest, contract: Contract) -> None:
    if stored.state != "whole":
        raise GraphError(
            "The last load into the database has not come to its end.",
            hint=f"Run it again: `{LOAD}` goes on where it stopped.",
        )
    if stored.manifest.contract_hash != contract.hash:
        raise GraphError(
            f"The database was loaded for another contract (hash "
            f"{stored.manifest.contract_hash}, the served contract {contract.name} has "
            f"{contract.hash}).",
            hint="Serve that contract with --contract FOLDER, or load the data again.",
        )


def require_dimensions(found: Mapping[str, int], space: VectorSpace, whose: str) -> None:
    """Raise VectorSpaceError unless every vector column is as wide as a space.

    Args:
        found: The dimensions of each table's column.
        space: The space to fit.
        whose: Whose vectors those of the space are, up to their number.
    """
    wrong = [f"{name} has {size}" for name, size in found.items() if size != space.dimensions]
    if wrong:
        raise VectorSpaceError(
            f"The dimensions of the vector columns do not fit: {'; '.join(wrong[:SHOWN])}, and "
            f"{whose} {space.dimensions} ({space.model}).",
            hint=f"Set MOVIEGRAPH_EMBEDDER to the model of the stored vectors, or make the tables "
            f"anew with `{DDL}` and load again.",
        )
