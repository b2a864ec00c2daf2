"""`moviegraph check`: one line per part: OK, WARN, SKIP, or FAIL with the fix."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from moviegraph import __version__
from moviegraph.cli.check_egress import sent_lines
from moviegraph.cli.check_graph import folder_lines, to_come
from moviegraph.cli.check_http import http_lines
from moviegraph.cli.check_result import CheckResult, fail, ok, skip, warn
from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import answer
from moviegraph.errors import MoviegraphError
from moviegraph.settings import unknown_variables
from moviegraph.text import plural

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.embeddings.embedder import Embedder
    from moviegraph.settings import Settings

NAME = "check"
HELP = "Check settings, contract, graph or database, model and journal; report how to fix failures."

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
            answer(line.as_line())
    if parsed.json:
        answer(json.dumps(_report(lines), indent=1))
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
    from moviegraph.app import served_contract

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
    from moviegraph.app import open_embedder

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
    from moviegraph.app import require_journal_apart
    from moviegraph.journal.sqlite_journal import SqliteJournal

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
            found = journal.verify()
    except MoviegraphError as error:
        yield fail("journal", error)
        return
    if found.ok:
        yield ok("journal", f"{path}: {plural(found.records, 'record')}, chain intact")
    else:
        text = f"{path}: broken at record {found.bad}: {found.reason}"
        yield CheckResult(
            "journal", False, text, hint="Run `moviegraph journal verify` for details."
        )


def _model(settings: Settings) -> Iterator[CheckResult]:
    from moviegraph.app import open_language_model

    try:
        model = open_language_model(settings)
    except MoviegraphError as error:
        yield fail("model", error)
        return
    if model is None:
        yield skip("model", "none configured; only rules repair SQL")
    else:
        yield ok("model", f"{model.name}, not contacted")
