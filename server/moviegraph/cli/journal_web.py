"""`moviegraph journal --web`: the journal as a page that this machine alone can read."""

from __future__ import annotations

import argparse
import json
import secrets
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moviegraph.cli import journal_facts
from moviegraph.cli.journal_filter import STATUSES, filter_of
from moviegraph.cli.journal_gate import CLOSED, JournalGate
from moviegraph.cli.listening import listen
from moviegraph.cli.streams import complain
from moviegraph.errors import JournalError, MoviegraphError, SettingsError
from moviegraph.view.page import journal_page

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.journal.hash_chain import ChainRecord
    from moviegraph.journal.sqlite_journal import SqliteJournal
    from moviegraph.view.page import Page

HOST = "127.0.0.1"
FILTERS = ("tool", "status", "owner", "question", "since", "limit")
MOST_LISTED = 500
LONGEST_FILTER = 500


def serve(journal: SqliteJournal, contract: Contract | None, parsed: argparse.Namespace) -> None:
    """Serve until Ctrl-C; the address, with the token that opens it, goes to standard error."""
    given = {name: str(value) for name in FILTERS if (value := getattr(parsed, name)) is not None}
    token = secrets.token_urlsafe(24)
    with listen(HOST, parsed.port) as listener:
        port = listener.getsockname()[1]
        app = application(journal, contract, port, token, given)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            ws="none",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        complain(f"Serving the journal at http://{HOST}:{port}/{token}/ (press Ctrl-C to stop)")
        uvicorn.Server(config).run(sockets=[listener])


def application(
    journal: SqliteJournal,
    contract: Contract | None,
    port: int,
    token: str,
    filters: dict[str, str],
) -> Any:
    """Return the application, behind the gate that knows who may ask."""
    pages = _Pages(journal, contract, journal_page(contract, filters))
    routes = [
        Route("/", pages.page),
        Route("/data/executions", pages.executions),
        Route("/data/executions/{id}", pages.execution),
        Route("/data/plans/{id}", pages.plan),
        Route("/data/choices", pages.choices),
        Route("/data/verification", pages.verification),
    ]
    app = Starlette(routes=routes, exception_handlers={MoviegraphError: _told})
    names = (f"{HOST}:{port}", f"localhost:{port}")
    return JournalGate(app, names, token)


@dataclass(frozen=True, slots=True)
class _Pages:
    """What is behind the gate."""

    journal: SqliteJournal
    contract: Contract | None
    document: Page

    def page(self, _: Request) -> Response:
        """Return the page itself; it may ask here, and run no script but its own."""
        own = "; ".join(f"{name} {source}" for name, source in self.document.hashes.items())
        policy = f"{CLOSED}; {own}; connect-src 'self'"
        return Response(
            self.document.html,
            media_type="text/html",
            headers={"Content-Security-Policy": policy},
        )

    def executions(self, request: Request) -> Response:
        """Return the newest records that the query asks for, in short."""
        asked = {name: request.query_params.get(name) or None for name in FILTERS}
        wanted = filter_of(argparse.Namespace(**_checked(asked)))
        limit = _limit(asked["limit"])
        records = journal_facts.list_records(self.journal, wanted, limit, self.contract)
        return _json({"records": records})

    def choices(self, _: Request) -> Response:
        """Return the tools and owners to filter by."""
        return _json(journal_facts.list_choices(self.journal))

    def execution(self, request: Request) -> Response:
        """Return the whole record of an id."""
        link = self._link(request)
        record = journal_facts.show_record(self.journal, link, link.execution(), self.contract)
        return _json(record)

    def plan(self, request: Request) -> Response:
        """Return the plan that the execution of an id was a part of, or null."""
        execution = self._link(request).execution()
        return _json(journal_facts.plan(self.journal, execution, self.contract))

    def verification(self, _: Request) -> Response:
        """Verify the whole chain."""
        found = self.journal.verify()
        members = {name: value for name, value in asdict(found).items() if name != "link"}
        return _json({"ok": found.ok, **members})

    def _link(self, request: Request) -> ChainRecord:
        wanted = request.path_params["id"]
        found = [each for each in self.journal.beginning(wanted, 1) if each.id == wanted]
        if not found:
            raise JournalError("The journal has no such record.")
        return found[0]


def _checked(asked: dict[str, str | None]) -> dict[str, str | None]:
    if any(len(value or "") > LONGEST_FILTER for value in asked.values()):
        raise SettingsError(f"A filter can have at most {LONGEST_FILTER} characters.")
    if asked["status"] not in (None, *STATUSES):
        raise SettingsError(f"The status must be one of {', '.join(STATUSES)}.")
    return asked


def _limit(text: str | None) -> int:
    if text is None:
        return 100
    known = text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_LISTED))
    if not known or not 1 <= int(text) <= MOST_LISTED:
        raise SettingsError(f"The limit must be a number from 1 to {MOST_LISTED}.")
    return int(text)


async def _told(_: Request, error: Exception) -> Response:
    """Answer what the journal refuses with the sentence that says why."""
    assert isinstance(error, MoviegraphError)
    said = " ".join(part for part in (error.message, error.hint) if part)
    return _json({"error": said}, 400)


def _json(facts: Any, status: int = 200) -> Response:
    return Response(json.dumps(facts), status, media_type="application/json")
