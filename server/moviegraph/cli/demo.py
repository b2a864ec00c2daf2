"""`moviegraph demo`: the main job on the graph in the box, with nothing to configure."""

from __future__ import annotations

import argparse

from moviegraph.cli.box import ready_graph
from moviegraph.cli.options import add_settings, is_of_load, options_of, settings_of
from moviegraph.settings import SETTINGS

NAME = "demo"
GRAPH = ("engine", "graph", "contract", "mssql", "embedder")
HELP = "Walk one question through the real server: plan, repair, compare, expand, explain."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    names = (setting.name for setting in SETTINGS if not is_of_load(setting.name))
    add_settings(parser, *(name for name in names if name.startswith(GRAPH)))


def run(parsed: argparse.Namespace) -> int:
    """Build the graph if need be, start the server, and print the walk."""
    import anyio

    from moviegraph.app import require_engine, require_graph, served_contract
    from moviegraph.demo.run import run
    from moviegraph.demo.screen import Screen

    settings = settings_of(parsed)
    require_engine(settings)
    require_graph(settings, served_contract(settings))
    options = options_of(parsed)
    if settings.engine == "embedded" and settings.graph is None:
        options += ["--graph", str(ready_graph(settings))]
    films = anyio.run(run, options, Screen())
    return 0 if films else 1
