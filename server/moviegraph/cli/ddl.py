"""`moviegraph ddl`: the script that creates a contract's tables on SQL Server."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import answer
from moviegraph.errors import SettingsError

if TYPE_CHECKING:
    from moviegraph.settings import Settings

NAME = "ddl"
HELP = "Print the T-SQL that creates the contract's tables, indexes and roles on SQL Server."
SETTINGS = ("engine", "contract", "embedder", "embedder_model", "embedder_dimensions")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--vector-index",
        action="store_true",
        help="add a vector index to each node table, for approximate search (in preview)",
    )
    add_settings(parser, *SETTINGS)


def run(parsed: argparse.Namespace) -> int:
    """Write the script; nothing is connected to."""
    settings = settings_of(parsed)
    if settings.engine != "mssql":
        raise SettingsError(
            "The embedded engine creates its own tables when a graph is loaded.",
            hint="For the SQL Server script, run: moviegraph ddl --engine mssql.",
        )
    from moviegraph.contract.ddl import script
    from moviegraph.contract.loader import read_contract

    contract = read_contract(settings)
    answer(script(contract, _dimensions(settings), vector_index=parsed.vector_index).rstrip("\n"))
    return 0


def _dimensions(settings: Settings) -> int:
    """Return the width of the embedder's vectors; where it is set, no key is needed for it."""
    if settings.embedder != "local" and settings.embedder_dimensions is not None:
        return settings.embedder_dimensions
    from moviegraph.app import open_embedder

    return open_embedder(settings).space.dimensions
