"""What a database holds: its manifest, or what its tables show where others have filled them."""

import hashlib
import json
import logging
from collections.abc import Mapping

from moviegraph.contract.model import Contract
from moviegraph.contract.space import VectorSpace
from moviegraph.engines.base import Description
from moviegraph.engines.odbc.features import read_features
from moviegraph.engines.odbc.live_schema import (
    LiveSchema,
    dimensions,
    read_live_schema,
    unsearchable,
)
from moviegraph.engines.odbc.manifest import StoredManifest, read_manifest
from moviegraph.engines.odbc.reading import Read
from moviegraph.errors import DatabaseError, GraphError

LOG = logging.getLogger("moviegraph")
LOAD = "Load it: moviegraph load SOURCE --into mssql."
OTHER_LOADER = "tables that were not filled by moviegraph load"


def described(read: Read, contract: Contract, space: VectorSpace) -> Description:
    """Return what a database holds.

    Args:
        read: Runs a query and returns its rows.
        contract: The contract served.
        space: Where the query's vectors are from; believed where there is no manifest.

    Raises:
        GraphError: The load did not end, or was for another contract.
        DatabaseError: Tables or vectors are not as they must be.
    """
    live = read_live_schema(read)
    stored = read_manifest(read)
    if stored is not None:
        return _of_manifest(stored, live, contract, read)
    return _of_tables(live, contract, space, read)


def _of_manifest(
    stored: StoredManifest, live: LiveSchema, contract: Contract, read: Read
) -> Description:
    manifest = stored.manifest
    if stored.state != "whole":
        raise GraphError("The last load into the database did not end.", hint=LOAD)
    if manifest.contract_hash != contract.hash:
        raise GraphError(
            f"The database was loaded for another contract (hash {manifest.contract_hash}, the "
            f"served contract {contract.name} has {contract.hash}).",
            hint=f"Serve that contract with --contract FOLDER. {LOAD}",
        )
    if manifest.space is not None:
        _require_dimensions(dimensions(live, contract), manifest.space)
    return Description(
        engine="mssql",
        contract_hash=manifest.contract_hash,
        content_hash=manifest.content_hash,
        space=manifest.space,
        counts=manifest.counts,
        capabilities=_capabilities(live, contract, manifest.space, read),
        recipe=manifest.recipe,
        source=manifest.source,
    )


def _of_tables(live: LiveSchema, contract: Contract, space: VectorSpace, read: Read) -> Description:
    counts = _counts(contract, read)
    found = dimensions(live, contract)
    if found:
        _require_dimensions(found, space)
        LOG.warning(
            "The database has no manifest: nothing says that its vectors are of the model %s.",
            space.model,
        )
    held = space if found else None
    return Description(
        engine="mssql",
        contract_hash=contract.hash,
        content_hash=_digest(counts),
        space=held,
        counts=counts,
        capabilities=_capabilities(live, contract, held, read),
        source=OTHER_LOADER,
    )


def _require_dimensions(found: Mapping[str, int], space: VectorSpace) -> None:
    wrong = [f"{name} {number}" for name, number in found.items() if number != space.dimensions]
    if wrong:
        raise DatabaseError(
            f"The vectors of the database have other dimensions ({', '.join(wrong)}) than those "
            f"of the model {space.model} ({space.dimensions}).",
            hint="Set MOVIEGRAPH_EMBEDDER to the model that they are from, or load them again.",
        )


def _capabilities(
    live: LiveSchema, contract: Contract, space: VectorSpace | None, read: Read
) -> frozenset[str]:
    found = {"vectors"} if space else set[str]()
    if read_features(read).fulltext and not unsearchable(live, contract):
        found.add("fulltext")
    return frozenset(found)


def _counts(contract: Contract, read: Read) -> dict[str, int]:
    """Count the rows of every table: the contract's names need no escaping."""
    schema = contract.schema_name
    selects = (
        f"SELECT N'{name}' AS Name, COUNT_BIG(*) AS Held FROM [{schema}].[{name}]"  # noqa: S608
        for name in contract.table_names
    )
    return {name: int(held) for name, held in read(" UNION ALL ".join(selects))}


def _digest(counts: Mapping[str, int]) -> str:
    return hashlib.sha256(json.dumps(counts, sort_keys=True).encode()).hexdigest()[:16]
