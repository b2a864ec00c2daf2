"""Commands that need no graph: `ddl`, `guard`, `token`, `health` and `version`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from moviegraph import __version__
from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import print_error, print_result
from moviegraph.errors import SettingsError
from moviegraph.http.scopes import ALL
from moviegraph.http.token_file import TokenLine, digest_of, fresh_token, name_of, scopes_of
from moviegraph.settings import seconds
from moviegraph.text import one_line

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.settings import Settings
    from moviegraph.sql.guard import RowLimits

DDL_SETTINGS = ("engine", "contract", "embedder", "embedder_model", "embedder_dimensions")


def configure_ddl(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--vector-index",
        action="store_true",
        help="add a vector index to each node table, for approximate search (in preview)",
    )
    add_settings(parser, *DDL_SETTINGS)


def run_ddl(parsed: argparse.Namespace) -> int:
    """Print the script, without a connection."""
    settings = settings_of(parsed)
    if settings.engine != "mssql":
        raise SettingsError(
            "The embedded engine creates its own tables when a graph is loaded.",
            hint="For the SQL Server script, run: moviegraph ddl --engine mssql.",
        )
    from moviegraph.contract.ddl import script
    from moviegraph.contract.loader import read_contract

    contract = read_contract(settings)
    print_result(
        script(contract, _dimensions(settings), vector_index=parsed.vector_index).rstrip("\n")
    )
    return 0


def _dimensions(settings: Settings) -> int:
    """Return the dimensions of the embedder; if they are configured, it needs no key."""
    if settings.embedder != "local" and settings.embedder_dimensions is not None:
        return settings.embedder_dimensions
    from moviegraph.query.opening import configured_embedder

    return configured_embedder(settings).space.dimensions


MAX_LINE_BYTES = 1_000_000


def configure_guard(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--jsonl", action="store_true", help='read one {"sql": ...} object per line'
    )
    parser.add_argument(
        "--expanded", action="store_true", help="apply the row limit of expanded results"
    )
    add_settings(parser, "contract", "top", "top_expanded")


def run_guard(parsed: argparse.Namespace) -> int:
    """Print the decisions; the status is 1 if a single statement is refused."""
    from moviegraph.contract.loader import read_contract
    from moviegraph.sql.guard import contract_limits

    contract = read_contract(settings_of(parsed))
    rows = contract_limits(contract, expanded=parsed.expanded)
    if parsed.jsonl:
        for line in sys.stdin.buffer:
            if line.strip():
                print_result(json.dumps(_judge_line(line, contract, rows)))
        return 0
    decision = _judge_bytes(sys.stdin.buffer.read(), contract, rows)
    print_result(json.dumps(decision))
    return 0 if decision["allowed"] else 1


def _judge_bytes(statement: bytes, contract: Contract, limits: RowLimits) -> dict[str, Any]:
    try:
        sql = statement.decode("utf-8")
    except UnicodeDecodeError as error:
        return _bad_input(f"The statement is not UTF-8 (byte {error.start}).")
    return _judge(sql, contract, limits)


def _judge_line(line: bytes, contract: Contract, limits: RowLimits) -> dict[str, Any]:
    if len(line) > MAX_LINE_BYTES:
        return _bad_input(f"The line is longer than {MAX_LINE_BYTES:,} bytes.")
    try:
        message: Any = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return _bad_input("The line is not JSON in UTF-8.")
    if not isinstance(message, dict):
        return _bad_input('The line is not an object such as {"sql": "SELECT ..."}.')
    sql = cast("dict[str, Any]", message).get("sql")
    if not isinstance(sql, str):
        return _bad_input('The object has no string "sql".')
    return _judge(sql, contract, limits)


def _bad_input(message: str) -> dict[str, Any]:
    return _refusal("bad_input", message, None, ())


def _judge(sql: str, contract: Contract, limits: RowLimits) -> dict[str, Any]:
    from moviegraph.observability import report
    from moviegraph.sql.decision import Allowed
    from moviegraph.sql.guard import judge

    decision = judge(sql, contract, limits)
    if isinstance(decision, Allowed):
        return {"allowed": True, "sql": decision.sql, "notes": list(decision.notes)}
    message = report(decision.fault, "guard") if decision.fault else decision.message
    return _refusal(decision.code, message, decision.span, decision.suggestions)


def _refusal(
    code: str, message: str, span: tuple[int, int] | None, suggestions: tuple[str, ...]
) -> dict[str, Any]:
    return {
        "allowed": False,
        "code": code,
        "message": message,
        "span": list(span) if span else None,
        "suggestions": list(suggestions),
    }


def configure_token(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "name", metavar="NAME", help="client that owns the token and its executions"
    )
    parser.add_argument(
        "--scopes",
        default=",".join(ALL),
        help="scopes, separated by commas (default: all)",
    )


def run_token(parsed: argparse.Namespace) -> int:
    """Print the line to standard output, and the token to standard error."""
    name = name_of(parsed.name, "NAME")
    scopes = scopes_of(parsed.scopes.replace(",", " ").split(), "--scopes")
    token = fresh_token()
    print_result(TokenLine(name, digest_of(token), scopes).written())
    print_error(f"The token of {name}. Give it only to its client; it is not shown again:\n{token}")
    return 0


URL = "http://127.0.0.1:8765/readyz"
DEFAULT_SECONDS = 5.0
TIMEOUT = seconds(0.1, 3600)
MAX_RESPONSE_BYTES = 1_000


def configure_health(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--url", default=URL, help=f"/readyz for readiness, /healthz for liveness (default: {URL})"
    )
    parser.add_argument(
        "--seconds",
        default=f"{DEFAULT_SECONDS:g}",
        help=f"maximum time to wait, in seconds (default: {DEFAULT_SECONDS:g})",
    )


def run_health(parsed: argparse.Namespace) -> int:
    """Request the URL once, without a proxy; the status is 1 unless the server is ready."""
    try:
        timeout = TIMEOUT.read(parsed.seconds)
    except ValueError:
        message = f"--seconds: {parsed.seconds!r} is not {TIMEOUT.words}."
        raise SettingsError(message) from None
    status = _request_status(parsed.url, timeout)
    url: str = parsed.url
    parts = urlsplit(url)
    shown = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
    print_result(f"{status}: {shown}")
    return 0 if status in ("ready", "ok") else 1


def _request_status(url: str, timeout: float) -> str:
    import httpx2

    try:
        with httpx2.stream("GET", url, timeout=timeout, trust_env=False) as response:
            body = next(response.iter_bytes(MAX_RESPONSE_BYTES), b"")
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol):
        message = f"--url {url} is not a server URL."
        raise SettingsError(message, hint=f"Use a URL such as {URL}.") from None
    except (httpx2.HTTPError, ValueError):  # ValueError: a host that no name can be
        return "no response"
    try:
        return one_line(str(json.loads(body)["status"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return "the response is not from a moviegraph server"


def run_version(_: argparse.Namespace) -> int:
    """Print the version."""
    print_result(f"moviegraph {__version__}")
    return 0
