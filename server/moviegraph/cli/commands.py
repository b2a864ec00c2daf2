"""The subcommands, and what they share: settings flags, streams, and one line for an error."""

import argparse
import contextlib
import os
import sys

from moviegraph.cli import (
    ask,
    check,
    ddl,
    demo,
    guard,
    health,
    journal,
    load,
    serve,
    token,
    version,
)
from moviegraph.cli.streams import complain
from moviegraph.errors import ContractError, MoviegraphError, SettingsError

COMMANDS = (serve, demo, ask, load, ddl, guard, check, health, journal, token, version)
USAGE = 2
FAILED = 1
INTERRUPTED = 130


def run(arguments: list[str]) -> int:
    """Parse and run. Errors that the operator can mend are one message, never a traceback."""
    parsed = _parser().parse_args(arguments)
    try:
        return parsed.run(parsed)
    except (SettingsError, ContractError) as error:
        return _failed(error, USAGE)
    except MoviegraphError as error:
        return _failed(error, FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader has gone, as `head` does
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def _failed(error: MoviegraphError, status: int) -> int:
    hint = f"\n{error.hint}" if error.hint else ""
    complain(f"moviegraph: {error.message}{hint}", event="ended")
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="moviegraph",
        description="Retrieval from a movie knowledge graph over the Model Context Protocol.",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(command.NAME, help=command.HELP, description=command.HELP)
        command.configure(sub)
        sub.set_defaults(run=command.run)
    return parser
