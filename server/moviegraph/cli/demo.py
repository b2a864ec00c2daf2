"""`moviegraph demo`: a tour of the built-in graph, or of any other, through the real server."""

from __future__ import annotations

import argparse

from moviegraph.cli.box import ready_graph
from moviegraph.cli.options import add_settings, is_of_load, options_of, settings_of
from moviegraph.settings import SETTINGS

NAME = "demo"
GRAPH = ("engine", "graph", "contract", "mssql", "embedder", "journal")
HELP = "Run example calls on the built-in graph, or on the one of --graph; calls are recorded."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    names = (setting.name for setting in SETTINGS if not is_of_load(setting.name))
    add_settings(parser, *(name for name in names if name.startswith(GRAPH)))


def run(parsed: argparse.Namespace) -> int:
    """Build the graph if needed, start the server, and print the tour."""
    import anyio

    from moviegraph.app import require_engine, require_graph, served_contract
    from moviegraph.demo.run import run
    from moviegraph.demo.screen import Screen

    settings = settings_of(parsed)
    require_engine(settings)
    contract = served_contract(settings)
    require_graph(settings, contract)
    options = options_of(parsed)
    screen = Screen(has_options=bool(options))
    if settings.engine == "embedded" and settings.graph is None:
        options += ["--graph", str(ready_graph(settings))]
    return 0 if anyio.run(run, options, contract, screen) else 1
