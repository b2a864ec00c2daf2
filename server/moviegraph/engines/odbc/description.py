"""What a database holds and can do, as the engine describes it."""

import hashlib
import json
from collections.abc import Iterator, Mapping

from moviegraph.contract.model import Contract
from moviegraph.contract.space import VectorSpace
from moviegraph.engines.base import APPROXIMATE, Description
from moviegraph.engines.odbc.features import Features, read_features
from moviegraph.engines.odbc.held import Held, judge_held
from moviegraph.engines.odbc.live_schema import LiveSchema, read_live_schema, unsearchable
from moviegraph.engines.odbc.manifest import read_manifest
from moviegraph.engines.odbc.reading import Read

FILLED_BY_OTHERS = "tables that were not filled by moviegraph load"


def described(
    read: Read, contract: Contract, space: VectorSpace, *, approximate: bool = False
) -> Description:
    """Return what a database holds: by its manifest, else by its tables.

    Args:
        read: Runs a query and returns its rows.
        contract: The contract served.
        space: The space of the embedder, believed where there is no manifest.
        approximate: Whether vector indexes are to be used.

    Raises:
        GraphError: The graph is half-loaded or of another contract.
        VectorSpaceError: The stored vectors have other dimensions.
        DatabaseError: The database does not answer.
    """
    live, features = read_live_schema(read), read_features(read)
    held = judge_held(read_manifest(read), live, contract, space)
    found = frozenset(_capabilities(held, live, features, contract, approximate=approximate))
    if held.stored is not None:
        manifest = held.stored.manifest
        return Description(
            engine="mssql",
            contract_hash=manifest.contract_hash,
            content_hash=manifest.content_hash,
            space=manifest.space,
            counts=manifest.counts,
            capabilities=found,
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
        capabilities=found,
        source=FILLED_BY_OTHERS,
    )


def _capabilities(
    held: Held, live: LiveSchema, features: Features, contract: Contract, *, approximate: bool
) -> Iterator[str]:
    if features.fulltext and not unsearchable(live, contract):
        yield "fulltext"
    if held.space is None:
        return
    yield "vectors"
    if approximate:
        without = features.without_index(contract)
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
