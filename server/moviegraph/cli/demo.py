"""`moviegraph demo`: the main job on the graph in the box, with nothing to configure."""

from __future__ import annotations

import argparse

from moviegraph.cli.box import ready_graph
from moviegraph.cli.options import add_settings, settings_of

NAME = "demo"
HELP = "Walk one question through the real server: plan, repair, compare, expand, explain."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_settings(parser, "graph", "contract")


def run(parsed: argparse.Namespace) -> int:
    """Build the graph if need be, start the server, and print the walk."""
    import anyio

    from moviegraph.demo.run import run
    from moviegraph.demo.screen import Screen

    graph = ready_graph(settings_of(parsed))
    films = anyio.run(run, graph, Screen())
    return 0 if films else 1
