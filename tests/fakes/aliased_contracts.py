"""Contracts with the aliases of their data, as extraction gets them while loading."""

from pathlib import Path

from fakes.toy_graph import TOY, toy_contract

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.loading.aliases import read_alias_rows, with_aliases
from moviegraph.loading.row_validation import Rejects
from moviegraph.settings import content_folder


def movies_with_aliases() -> Contract:
    """Return the bundled contract with the aliases of the bundled films."""
    return _with_aliases(load_contract(), content_folder("data"))


def toy_with_aliases() -> Contract:
    """Return the toy contract with the aliases of the toy graph."""
    return _with_aliases(toy_contract(), TOY / "data")


def _with_aliases(contract: Contract, data: Path) -> Contract:
    rows = read_alias_rows(data / "aliases.jsonl", contract, Rejects())
    return with_aliases(contract, rows)
