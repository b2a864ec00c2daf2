"""`moviegraph check`: one line per part: OK, WARN, SKIP, or FAIL with the fix."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from moviegraph import __version__
from moviegraph.cli.check_graph import CheckResult, fail, folder_lines, ok, skip, to_come, warn
from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import print_result
from moviegraph.errors import MoviegraphError
from moviegraph.settings import unknown_variables
from moviegraph.text import plural

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.embeddings.embedder import Embedder
    from moviegraph.http.application import HttpConfig
    from moviegraph.settings import Settings

OBSOLETE = {
    "unavailable": "Describe what the graph lacks in one line: not_held = ..., above the tables.",
    "relatives": "Remove it. Clients exclude series with the argument exclude.",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of lines"
    )
    add_settings(parser)


def run(parsed: argparse.Namespace) -> int:
    """Check everything; the exit status is 1 if a part failed."""
    lines = list[CheckResult]()
    for line in _checked(settings_of(parsed)):
        lines.append(line)
        if not parsed.json:
            print_result(line.as_line())
    if parsed.json:
        print_result(json.dumps(_report(lines), indent=1))
    return 0 if _is_ok(lines) else 1


def _is_ok(lines: list[CheckResult]) -> bool:
    return all(line.is_ok for line in lines)


def _report(lines: list[CheckResult]) -> dict[str, Any]:
    """Return the report for programs: its members stay, and others may be added."""
    checks = [line.as_dict() for line in lines]
    return {"ok": _is_ok(lines), "version": __version__, "checks": checks}


def _checked(settings: Settings) -> Iterator[CheckResult]:
    yield from (CheckResult("settings", False, text) for text in unknown_variables(os.environ))
    contract = yield from _contract(settings)
    embedder = yield from _embedder(settings)
    if settings.engine == "mssql":
        from moviegraph.cli.check_database import database_lines

        yield from database_lines(settings, contract, embedder)
    elif contract is not None:
        yield from folder_lines(settings, contract, embedder)
    yield from _journal(settings)
    yield from _model(settings)
    yield from sent_lines(settings)
    yield from http_lines(settings)


def _contract(settings: Settings) -> Generator[CheckResult, None, Contract | None]:
    from moviegraph.server import served_contract

    try:
        contract = served_contract(settings)
    except MoviegraphError as error:
        yield fail("contract", error)
        return None
    tables = f"{len(contract.nodes)} node and {plural(len(contract.edges), 'edge table')}"
    yield ok("contract", f"{contract.name} {contract.version}, {tables}")
    for key in contract.glossary.obsolete:
        text = f"glossary.{key} of the contract no longer has an effect."
        yield warn("contract", text, OBSOLETE[key])
    return contract


def _embedder(settings: Settings) -> Generator[CheckResult, None, Embedder | None]:
    from moviegraph.server import open_embedder

    try:
        embedder = open_embedder(settings)
        embedder.load()
    except MoviegraphError as error:
        yield fail("embedder", error)
        return None
    space = embedder.space
    yield ok("embedder", f"{settings.embedder}: {space.model}, {space.dimensions} dimensions")
    return embedder


def _journal(settings: Settings) -> Iterator[CheckResult]:
    from moviegraph.journal.sqlite_journal import SqliteJournal
    from moviegraph.server import require_journal_apart

    path = settings.journal_file
    try:
        require_journal_apart(settings)
    except MoviegraphError as error:
        yield fail("journal", error)
        return
    if not path.exists():
        yield to_come("journal", path, f"will be created in {path}")
        return
    try:
        with closing(SqliteJournal(path)) as journal:
            verification = journal.verify()
    except MoviegraphError as error:
        yield fail("journal", error)
        return
    if verification.ok:
        yield ok("journal", f"{path}: {plural(verification.records, 'record')}, chain intact")
    else:
        text = f"{path}: broken at record {verification.bad}: {verification.reason}"
        yield CheckResult(
            "journal", False, text, hint="Run `moviegraph journal verify` for details."
        )


def _model(settings: Settings) -> Iterator[CheckResult]:
    from moviegraph.server import open_language_model

    try:
        model = open_language_model(settings)
    except MoviegraphError as error:
        yield fail("model", error)
        return
    if model is None:
        yield skip("model", "none configured; only rules repair SQL")
    else:
        yield ok("model", f"{model.name}, not contacted")


EMBEDDED = "receives the text of every semantic search and question, and all text of a load"
REPAIRED = "receives statements to repair with their errors, the contract and earlier statements"
RANKED = ", and the question with names and text of records to rank"
ASKED = "; `ask` and `load --extract` also send it records"


def sent_lines(settings: Settings) -> Iterator[CheckResult]:
    """Say for each hosted model by name which texts it gets, or that nothing is sent."""
    sent = list(_sent(settings))
    if not sent:
        yield ok("sent out", "nothing: embedding and SQL repair run on this machine")
    for text in sent:
        yield ok("sent out", text)


def _sent(settings: Settings) -> Iterator[str]:
    if not settings.embedder.strip().lower().startswith("local"):
        where = _where("MOVIEGRAPH_EMBEDDER_BASE_URL", settings.embedder_base_url)
        yield f"{settings.embedder}{where} {EMBEDDED}"
    if settings.llm is not None:
        where = _where("MOVIEGRAPH_LLM_BASE_URL", settings.llm_base_url)
        yield f"{settings.llm}{where} {REPAIRED}{RANKED if settings.rerank else ''}{ASKED}"


def _where(variable: str, address: str | None) -> str:
    """Return that an address of the operator's is asked; the address itself may hold secrets."""
    return f" (at {variable})" if address else ""


WHERE = (
    "Check that MOVIEGRAPH_OAUTH_ISSUER is exactly the issuer's URL, or set "
    "MOVIEGRAPH_OAUTH_JWKS_URL to the URL of its keys."
)
USABLE = (
    "Configure the issuer to sign with RSA keys of at least 2,048 bits, or with EC or "
    "Ed25519 keys, or set MOVIEGRAPH_OAUTH_JWKS_URL to the URL of such keys."
)


def http_lines(settings: Settings) -> Iterator[CheckResult]:
    """Return a line for HTTP as a whole, and one for each way to authenticate that is set."""
    from moviegraph.http.application import config_warnings, http_config_from

    try:
        door = http_config_from(settings)
    except MoviegraphError as error:
        yield fail("http", error)
        return
    yield ok("http", _summary(settings, door))
    if door.access is not None and door.access.tokens is not None:
        lines = door.access.tokens.lines
        names = len({line.name for line in lines})
        yield ok("tokens", f"{settings.http_tokens}: tokens: {len(lines)}, of names: {names}")
    if door.access is not None and door.access.issued is not None:
        yield _issuer(settings)
    yield from (warn("access", each.message, each.hint) for each in config_warnings(settings))


def _summary(settings: Settings, door: HttpConfig) -> str:
    if door.access is None:
        return "without authentication, on this machine only"
    ways = (("tokens of the token file", door.access.tokens), ("access tokens", door.access.issued))
    named = " or ".join(name for name, way in ways if way is not None)
    hosts = ", ".join(settings.allowed_hosts)
    where = f"also accepts {hosts}" if hosts else "on this machine only"
    rate = plural(door.a_minute, "request") if door.a_minute else "unlimited requests"
    return f"requires {named}; {where}; {rate} per minute"


def _issuer(settings: Settings) -> CheckResult:
    import anyio

    from moviegraph.http.jwt_verifier import FetchError, fetch_keys, read_keys

    try:
        keys = read_keys(
            anyio.run(fetch_keys, settings.oauth_issuer or "", settings.oauth_jwks_url)
        )
    except FetchError as error:
        text = f"{error}. No access token is accepted without keys."
        return CheckResult("issuer", False, text, hint=WHERE)
    if not keys:
        text = f"{settings.oauth_issuer} has no usable key."
        return CheckResult("issuer", False, text, hint=USABLE)
    return ok("issuer", f"{settings.oauth_issuer}: usable keys: {len(keys)}")
