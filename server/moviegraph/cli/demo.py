"""`moviegraph demo`: the main job on the graph in the box, with nothing to configure."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.progress import shown_progress

if TYPE_CHECKING:
    from moviegraph.settings import Settings

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

    settings = settings_of(parsed)
    graph = _graph(settings)
    films = anyio.run(run, graph, Screen())
    return 0 if films else 1


def _graph(settings: Settings) -> Path:
    """Return the graph folder that is set, or the one in the box, built when it is missing."""
    if settings.graph is not None:
        return settings.graph
    from moviegraph.app import open_embedder
    from moviegraph.contract.served import read_contract
    from moviegraph.loading.box import ensure_box

    embedder = open_embedder(settings)
    with shown_progress() as progress:
        return ensure_box(settings.graph_folder, read_contract(settings), embedder, progress)
