"""What a database holds and can do, as the engine describes it."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from moviegraph.contract.model import Contract
from moviegraph.contract.space import VectorSpace
from moviegraph.engines.base import APPROXIMATE, Description
from moviegraph.engines.odbc.features import Features, read_features
from moviegraph.engines.odbc.held import Held, judge_held, require_tables
from moviegraph.engines.odbc.live_schema import LiveSchema, read_live_schema, unsearchable
from moviegraph.engines.odbc.manifest import read_manifest
from moviegraph.engines.odbc.reading import Read

FILLED_BY_OTHERS = "tables that were not filled by moviegraph load"


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in a database: what its server can do, its tables, and the graph in them."""

    features: Features
    live: LiveSchema
    held: Held


def look(read: Read, contract: Contract, space: VectorSpace) -> Found:
    """Ask a database what it is and holds.

    Args:
        read: Runs a query and returns its rows.
        contract: The contract to serve.
        space: The space of the embedder, believed where there is no manifest.

    Raises:
        GraphError: The graph is half-loaded or of another contract.
        VectorSpaceError: The stored vectors have other dimensions.
        DatabaseError: The database does not answer, or lacks a table.
    """
    features, live = read_features(read), read_live_schema(read)
    require_tables(live, contract)
    return Found(features, live, judge_held(read_manifest(read), live, contract, space))


def described(
    found: Found, contract: Contract, read: Read, *, approximate: bool = False
) -> Description:
    """Return what a database holds: by its manifest, else by its tables.

    Args:
        found: What was found in it.
        contract: The contract served.
        read: Counts the rows where there is no manifest.
        approximate: Whether vector indexes are to be used.

    Raises:
        DatabaseError: The database does not answer.
    """
    held, capabilities = found.held, frozenset(_capabilities(found, contract, approximate))
    if held.stored is not None:
        manifest = held.stored.manifest
        return Description(
            engine="mssql",
            contract_hash=manifest.contract_hash,
            content_hash=manifest.content_hash,
            space=manifest.space,
            counts=manifest.counts,
            capabilities=capabilities,
            recipe=manifest.recipe,
            source=manifest.source,
        )
    counts = _counts(contract, read)
    return Description(
        engine="mssql",
        contract_hash=contract.hash,
        content_hash=_digest(counts),
        space=held.space,
        counts=counts,
        capabilities=capabilities,
        source=FILLED_BY_OTHERS,
    )


def _capabilities(found: Found, contract: Contract, approximate: bool) -> Iterator[str]:
    if found.features.fulltext and not unsearchable(found.live, contract):
        yield "fulltext"
    if found.held.space is None:
        return
    yield "vectors"
    if approximate:
        without = found.features.without_index(contract)
        yield from (f"{APPROXIMATE}{n.name}" for n in contract.nodes if n.name not in without)


def _counts(contract: Contract, read: Read) -> dict[str, int]:
    """Count the rows of every table: the contract's names need no escaping."""
    schema = contract.schema_name
    selects = (
        f"SELECT N'{name}' AS Name, COUNT_BIG(*) AS Held FROM [{schema}].[{name}]"
        for name in contract.table_names
    )
    return {name: int(held) for name, held in read(" UNION ALL ".join(selects))}


def _digest(counts: Mapping[str, int]) -> str:
    return hashlib.sha256(json.dumps(counts, sort_keys=True).encode()).hexdigest()[:16]
