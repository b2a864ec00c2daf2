"""`moviegraph version`: prints the version."""

import argparse

from moviegraph import __version__
from moviegraph.cli.streams import answer

NAME = "version"
HELP = "Print the version."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def run(_: argparse.Namespace) -> int:
    """Print it."""
    answer(f"moviegraph {__version__}")
    return 0
