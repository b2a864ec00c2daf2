"""The subcommands, and what they share: settings flags, streams, and one line for an error."""

import argparse
import contextlib
import os
import sys
from typing import Any, NoReturn

from moviegraph import __version__
from moviegraph.cli import (
    ask,
    check,
    ddl,
    demo,
    guard,
    health,
    init,
    journal,
    load,
    serve,
    token,
    version,
)
from moviegraph.cli.options import joined_booleans
from moviegraph.cli.streams import complain
from moviegraph.cli.telemetry import leave_out_unknown
from moviegraph.errors import ContractError, MoviegraphError, SettingsError

COMMANDS = (serve, demo, ask, init, load, ddl, guard, check, health, journal, token, version)
USAGE = 2
FAILED = 1
INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, without the usage of every option."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and where help is, and exit with status 2."""
        self.exit(USAGE, f"{self.prog}: {message}\nSee: {self.prog} --help\n")


class _Command(_Parser):
    """Takes a word that stands after options for the one that may come, as `show` its id."""

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        """Return what was read, and what is left over."""
        parsed, left = super().parse_known_args(args, namespace)
        for action in self._get_positional_actions():
            open_yet = action.nargs == argparse.OPTIONAL and getattr(parsed, action.dest) is None
            if open_yet and left and not left[0].startswith("-"):
                setattr(parsed, action.dest, left.pop(0))
        return parsed, left


def run(arguments: list[str]) -> int:
    """Parse and run. Errors that the operator can fix are one message, never a traceback."""
    try:
        status = _run(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader has gone, as `head` does
        return _end_quietly()
    except BaseExceptionGroup as group:
        if not _is_broken_pipe(group):
            raise
        return _end_quietly()


def _run(arguments: list[str]) -> int:
    try:
        parsed = _parser().parse_args(joined_booleans(arguments))
        if parsed.run is not serve.run:  # which does so once it knows the form of its log
            leave_out_unknown(os.environ)
        return parsed.run(parsed)
    except (SettingsError, ContractError) as error:
        return _failed(error, USAGE)
    except MoviegraphError as error:
        return _failed(error, FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit:  # help and version may be piped too
        sys.stdout.flush()
        raise


def _is_broken_pipe(error: BaseException) -> bool:
    """Return whether nothing but a closed pipe ended a command; rich exits where one is."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_broken_pipe, error.exceptions))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return isinstance(error, (BrokenPipeError, SystemExit))


def _end_quietly() -> int:
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED


def _failed(error: MoviegraphError, status: int) -> int:
    hint = f"\n{error.hint}" if error.hint else ""
    complain(f"moviegraph: {error.message}{hint}", event="ended")
    return status


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        allow_abbrev=False,
        prog="moviegraph",
        description="MCP server that gives language models access to a movie knowledge graph.",
    )
    parser.add_argument("--version", action="version", version=f"moviegraph {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Command)
    for command in COMMANDS:
        # Abbreviated, an option of a file for a password would take the password itself.
        sub = commands.add_parser(
            command.NAME, help=command.HELP, description=command.HELP, allow_abbrev=False
        )
        command.configure(sub)
        sub.usage = _usage(sub)
        sub.set_defaults(run=command.run)
    return parser


def _usage(parser: _Command) -> str:
    """Return the usage in one line: options stand below it."""
    names: list[str] = []
    for action in parser._get_positional_actions():  # pyright: ignore[reportPrivateUsage]
        name = str(action.metavar or action.dest)
        names.append(f"[{name}]" if action.nargs == argparse.OPTIONAL else name)
    return " ".join([parser.prog.replace("%", "%%"), *names, "[OPTIONS]"])
