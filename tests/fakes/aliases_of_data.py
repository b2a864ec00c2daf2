"""Aliases of the data, as extraction gets them while loading."""

from pathlib import Path

from moviegraph.contract.model import Contract
from moviegraph.loading.aliases import names_by_alias, read_alias_rows
from moviegraph.loading.row_validation import Rejects


def aliases_of(data: Path, contract: Contract) -> dict[str, dict[str, str]]:
    """Return kind -> alias -> name of a folder of sources."""
    return names_by_alias(read_alias_rows(data / "aliases.jsonl", contract, Rejects()))
