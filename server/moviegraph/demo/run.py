"""Runs the demo: the graph, the real server as a subprocess, and the walk through it."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from mcp import Client, StdioServerParameters

from moviegraph.content import content_folder
from moviegraph.demo.screen import Screen
from moviegraph.demo.tour import Film, Tour
from moviegraph.demo.walkthrough import Walkthrough, load_walkthrough


def walkthrough() -> Walkthrough:
    """Return the walk that ships with the package."""
    return load_walkthrough(content_folder("schema_docs") / "walkthroughs" / "star_wars.toml")


async def run(graph: Path, screen: Screen) -> list[Film]:
    """Start the server on a graph folder, walk the question through it, and print the answer."""
    plan = walkthrough()
    screen.question(plan.question)
    with TemporaryDirectory(prefix="moviegraph-demo-") as scratch:
        async with Client(_server(graph, Path(scratch) / "journal.sqlite")) as client:
            films = await Tour(client, plan, screen.step).walk()
    screen.films(films)
    return films


def _server(graph: Path, journal: Path) -> StdioServerParameters:
    """Return the command of the real server, with a journal of its own."""
    options = ["--transport", "stdio", "--graph", str(graph), "--journal", str(journal)]
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "moviegraph", "serve", *options],
        env=dict(os.environ),
    )
