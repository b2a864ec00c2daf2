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
from moviegraph.errors import MoviegraphError


def walkthrough() -> Walkthrough:
    """Return the walk that ships with the package."""
    return load_walkthrough(content_folder("schema_docs") / "walkthroughs" / "star_wars.toml")


async def run(options: list[str], screen: Screen) -> list[Film]:
    """Start the server with these options, walk the question through it, print the answer.

    Raises:
        MoviegraphError: The server failed; the message says how.
    """
    plan = walkthrough()
    screen.question(plan.question)
    outcome: list[Film] | MoviegraphError = []
    with TemporaryDirectory(prefix="moviegraph-demo-") as scratch:
        async with Client(_server(options, Path(scratch) / "journal.sqlite")) as client:
            outcome = await _walked(Tour(client, plan, screen.step))
    if isinstance(outcome, MoviegraphError):
        raise outcome
    screen.films(outcome)
    return outcome


async def _walked(tour: Tour) -> list[Film] | MoviegraphError:
    """Return the answer, or what failed: raised, it would leave the client within a group."""
    try:
        return await tour.walk()
    except MoviegraphError as error:
        if error.code == "internal_error":
            error.hint = "What the server logged stands above; `moviegraph check` says more."
        return error


def _server(options: list[str], journal: Path) -> StdioServerParameters:
    """Return the command of the real server, with a journal of its own."""
    own = ["--transport", "stdio", "--journal", str(journal)]
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "moviegraph", "serve", *options, *own],
        env=dict(os.environ),
    )
