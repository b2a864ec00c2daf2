"""`moviegraph journal --web`: the journal as a page for this machine only."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moviegraph.cli.http_runner import listen
from moviegraph.cli.journal_listing import (
    STATUSES,
    filter_of,
    list_choices,
    list_records,
    page_json,
    summary_json,
    verification_json,
)
from moviegraph.cli.streams import print_error
from moviegraph.errors import JournalError, MoviegraphError, SettingsError
from moviegraph.explore.local_page import HOST, LocalPage, new_token, page_routes
from moviegraph.explore.local_page import serve as serve_page
from moviegraph.view.page import journal_page

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.journal.chain import ChainRecord
    from moviegraph.journal.sqlite_journal import SqliteJournal

FILTERS = ("tool", "status", "owner", "question", "since", "limit")
MAX_LISTED = 500
MAX_FILTER_CHARS = 500


def serve(journal: SqliteJournal, contract: Contract | None, parsed: argparse.Namespace) -> None:
    """Serve until Ctrl-C; the address, with the token that opens it, goes to standard error."""
    filters = {name: str(value) for name in FILTERS if (value := getattr(parsed, name)) is not None}
    with listen(HOST, parsed.port) as listener:
        port = listener.getsockname()[1]
        app = journal_application(journal, contract, port, new_token(), filters)
        print_error(f"Serving the journal at {app.url} (press Ctrl-C to stop)")
        serve_page(app, listener)


def journal_application(
    journal: SqliteJournal,
    contract: Contract | None,
    port: int,
    token: str,
    filters: dict[str, str],
) -> LocalPage:
    """Return the application, which only requests with host, port and token reach."""
    pages = _Pages(journal)
    routes = [
        *page_routes(journal_page(contract, filters)),
        Route("/data/executions", pages.executions),
        Route("/data/executions/{id}", pages.execution),
        Route("/data/choices", pages.choices),
        Route("/data/verification", pages.verification),
    ]
    app = Starlette(routes=routes, exception_handlers={MoviegraphError: _error_response})
    return LocalPage(app, port, token)


@dataclass(frozen=True, slots=True)
class _Pages:
    """The data of the page."""

    journal: SqliteJournal

    def executions(self, request: Request) -> Response:
        """Return summaries of the newest records that match the query."""
        values = {name: request.query_params.get(name) or None for name in FILTERS}
        if any(len(value or "") > MAX_FILTER_CHARS for value in values.values()):
            raise SettingsError(f"A filter can have at most {MAX_FILTER_CHARS} characters.")
        if values["status"] not in (None, *STATUSES):
            raise SettingsError(f"The status must be one of {', '.join(STATUSES)}.")
        condition = filter_of(argparse.Namespace(**values))
        records = list_records(self.journal, condition, _limit(values["limit"]))
        summaries = [summary_json(record, execution) for record, execution in records]
        return _json({"records": summaries})

    def choices(self, _: Request) -> Response:
        """Return the tools and owners to filter by."""
        return _json(list_choices(self.journal))

    def execution(self, request: Request) -> Response:
        """Return the record of an ID."""
        return _json(page_json(self._record(request)))

    def verification(self, _: Request) -> Response:
        """Verify the whole chain."""
        return _json(verification_json(self.journal.verify()))

    def _record(self, request: Request) -> ChainRecord:
        requested = request.path_params["id"]
        records = self.journal.with_id_prefix(requested, 1)
        if not records or records[0].id != requested:
            raise JournalError("The journal has no such record.")
        return records[0]


def _limit(text: str | None) -> int:
    if text is None:
        return 100
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_LISTED))
    if not is_number or not 1 <= int(text) <= MAX_LISTED:
        raise SettingsError(f"The limit must be a number from 1 to {MAX_LISTED}.")
    return int(text)


async def _error_response(_: Request, error: Exception) -> Response:
    assert isinstance(error, MoviegraphError)
    message = " ".join(part for part in (error.message, error.hint) if part)
    return _json({"error": message}, 400)


def _json(value: Any, status: int = 200) -> Response:
    return Response(json.dumps(value), status, media_type="application/json")
