"""Table of the subcommands, their parser, and exit statuses of errors."""

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from moviegraph import __version__
from moviegraph.cli import (
    call,
    check,
    client_commands,
    explore,
    init,
    journal,
    load,
    serve,
    standalone,
)
from moviegraph.cli.options import join_booleans
from moviegraph.cli.streams import print_error
from moviegraph.cli.telemetry import drop_missing_components
from moviegraph.errors import ContractError, MoviegraphError, OperatorError, SettingsError


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand: `configure` adds its options, `run` returns its exit status."""

    name: str
    help: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


COMMANDS = (
    Command("serve", "Serve MCP over stdio (default), or over HTTP.", serve.configure, serve.run),
    Command(
        "demo",
        "Run example calls on the built-in graph, or on the one of --graph; calls are recorded.",
        client_commands.configure_demo,
        client_commands.run_demo,
    ),
    Command(
        "ask",
        "Answer a question with a configured language model and the tools of the server; status "
        "3 if the graph has no answer.",
        client_commands.configure_ask,
        client_commands.run_ask,
    ),
    Command(
        "explore",
        "Explore the graph in a browser on this machine: search, records, SQL, schema.",
        explore.configure,
        explore.run,
    ),
    Command(
        "call",
        "Call one tool and print its result as a model would see it; status 1 if it is an error.",
        call.configure,
        call.run,
    ),
    Command(
        "eval",
        "Ask questions whose records are known, and print how well each tool finds them.",
        call.configure_eval,
        call.run_eval,
    ),
    Command(
        "init",
        "Draft a contract and a column map for your own file or database.",
        init.configure,
        init.run,
    ),
    Command(
        "load",
        "Load nodes and edges into a graph folder or SQL Server.",
        load.configure,
        load.run,
    ),
    Command(
        "ddl",
        "Print the T-SQL that creates the contract's tables, indexes and roles on SQL Server.",
        standalone.configure_ddl,
        standalone.run_ddl,
    ),
    Command(
        "guard",
        "Validate SQL from standard input; print the decision as JSON.",
        standalone.configure_guard,
        standalone.run_guard,
    ),
    Command(
        "check",
        "Check settings, contract, graph or database, model and journal; report how to fix "
        "failures.",
        check.configure,
        check.run,
    ),
    Command(
        "health",
        "Request a server's readiness over HTTP; status 0 if it is ready.",
        standalone.configure_health,
        standalone.run_health,
    ),
    Command(
        "journal",
        "List, show, verify or count the recorded calls; status 1 if the hash chain is broken.",
        journal.configure,
        journal.run,
    ),
    Command(
        "token",
        "Create a bearer token for HTTP: its line for the token file, and the token, shown once.",
        standalone.configure_token,
        standalone.run_token,
    ),
    Command("version", "Print the version.", lambda _: None, standalone.run_version),
)
USAGE = 2
FAILED = 1


class _Parser(argparse.ArgumentParser):
    """A parser with one-line errors, without the usage of every option."""

    def error(self, message: str) -> NoReturn:
        """Print the error and the command for help, and exit with status 2."""
        self.exit(USAGE, f"{self.prog}: {message}\nSee: {self.prog} --help\n")


class _CommandParser(_Parser):
    """A parser that also accepts an optional positional argument after options."""

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        """Return the parsed and the remaining arguments."""
        parsed, left = super().parse_known_args(args, namespace)
        for action in self._get_positional_actions():
            is_missing = action.nargs == argparse.OPTIONAL and getattr(parsed, action.dest) is None
            if is_missing and left and not left[0].startswith("-"):
                setattr(parsed, action.dest, left.pop(0))
        return parsed, left


def run(arguments: list[str]) -> int:
    """Parse and run. Errors that the operator can fix are a message, not a traceback."""
    status = FAILED
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except* BrokenPipeError:  # the reader, such as `head`, has exited
        status = FAILED
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def _run(arguments: list[str]) -> int:
    try:
        parsed = _parser().parse_args(join_booleans(arguments))
        if parsed.run is not serve.run:  # which does it once its log is configured
            drop_missing_components(os.environ)
        return parsed.run(parsed)
    except (SettingsError, ContractError) as error:
        return _failed(error, USAGE)
    except MoviegraphError as error:
        return _failed(error, FAILED)
    except BrokenPipeError:
        raise
    except OSError as error:  # of a path that no part of the program expected
        where = f": {error.filename}" if error.filename else ""
        return _failed(OperatorError(f"{error.strerror or error}{where}."), FAILED)
    except SystemExit:  # help and version may be piped too
        sys.stdout.flush()
        raise


def _failed(error: MoviegraphError, status: int) -> int:
    hint = f"\n{error.hint}" if error.hint else ""
    print_error(f"moviegraph: {error.message}{hint}", event="ended")
    return status


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        allow_abbrev=False,
        prog="moviegraph",
        description="MCP server that gives language models access to a movie knowledge graph.",
    )
    parser.add_argument("--version", action="version", version=f"moviegraph {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_CommandParser)
    for command in COMMANDS:
        # An abbreviated option for a password file would be taken for the password itself.
        sub = commands.add_parser(
            command.name, help=command.help, description=command.help, allow_abbrev=False
        )
        command.configure(sub)
        sub.usage = _usage(sub)
        sub.set_defaults(run=command.run)
    return parser


def _usage(parser: _CommandParser) -> str:
    """Return the usage in one line, without options."""
    names: list[str] = []
    for action in parser._get_positional_actions():  # pyright: ignore[reportPrivateUsage]
        name = str(action.metavar or action.dest)
        names.append(f"[{name}]" if action.nargs == argparse.OPTIONAL else name)
    return " ".join([parser.prog.replace("%", "%%"), *names, "[OPTIONS]"])
