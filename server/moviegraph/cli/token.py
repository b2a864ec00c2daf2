"""`moviegraph token`: a fresh bearer token for HTTP, and the line that lets it in."""

from __future__ import annotations

import argparse

from moviegraph.cli.streams import answer, complain
from moviegraph.http.scopes import ALL
from moviegraph.http.token_file import TokenLine, digest_of, fresh_token, name_of, scopes_of

NAME = "token"
HELP = "Create a bearer token for HTTP: its line for the token file, and the token, shown once."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "name", metavar="NAME", help="client that owns the token and its executions"
    )
    parser.add_argument(
        "--scopes",
        default=",".join(ALL),
        help="scopes, separated by commas (default: all)",
    )


def run(parsed: argparse.Namespace) -> int:
    """Write the line to standard output, and the token to standard error."""
    name = name_of(parsed.name, "NAME")
    scopes = scopes_of(parsed.scopes.replace(",", " ").split(), "--scopes")
    token = fresh_token()
    answer(TokenLine(name, digest_of(token), scopes).written())
    complain(f"The token of {name}. Give it only to its client; it is not shown again:\n{token}")
    return 0
