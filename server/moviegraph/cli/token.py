"""`moviegraph token`: a fresh bearer token for HTTP, and the line that lets it in."""

from __future__ import annotations

import argparse

from moviegraph.cli.streams import answer, complain
from moviegraph.http.scopes import ALL
from moviegraph.http.token_line import TokenLine, digest_of, fresh_token, name_of, scopes_of

NAME = "token"
HELP = "Make a bearer token for HTTP: its line for the file of tokens, and the token, shown once."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("name", metavar="NAME", help="whose it is; executions belong to the name")
    parser.add_argument(
        "--scopes",
        default=",".join(ALL),
        help="what it is good for, separated by commas (default: everything)",
    )


def run(parsed: argparse.Namespace) -> int:
    """Write the line to standard output, and the token to standard error."""
    name = name_of(parsed.name, "NAME")
    scopes = scopes_of(parsed.scopes.replace(",", " ").split(), "--scopes")
    token = fresh_token()
    answer(TokenLine(name, digest_of(token), scopes).written())
    complain(f"The token of {name}, for its client alone; it is shown this once:\n{token}")
    return 0
