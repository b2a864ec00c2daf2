"""`moviegraph journal --web`: the journal as a page for this machine only."""

from __future__ import annotations

import argparse
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
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
from moviegraph.view.page import journal_page

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.journal.chain import ChainRecord
    from moviegraph.journal.sqlite_journal import SqliteJournal
    from moviegraph.view.page import Page

HOST = "127.0.0.1"
FILTERS = ("tool", "status", "owner", "question", "since", "limit")
MAX_LISTED = 500
MAX_FILTER_CHARS = 500


def serve(journal: SqliteJournal, contract: Contract | None, parsed: argparse.Namespace) -> None:
    """Serve until Ctrl-C; the address, with the token that opens it, goes to standard error."""
    filters = {name: str(value) for name in FILTERS if (value := getattr(parsed, name)) is not None}
    token = secrets.token_urlsafe(24)
    with listen(HOST, parsed.port) as listener:
        port = listener.getsockname()[1]
        app = journal_application(journal, contract, port, token, filters)
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
        print_error(f"Serving the journal at http://{HOST}:{port}/{token}/ (press Ctrl-C to stop)")
        uvicorn.Server(config).run(sockets=[listener])


def journal_application(
    journal: SqliteJournal,
    contract: Contract | None,
    port: int,
    token: str,
    filters: dict[str, str],
) -> Any:
    """Return the application, which only requests with host, port and token reach."""
    pages = _Pages(journal, journal_page(contract, filters))
    routes = [
        Route("/", pages.page),
        Route("/data/executions", pages.executions),
        Route("/data/executions/{id}", pages.execution),
        Route("/data/choices", pages.choices),
        Route("/data/verification", pages.verification),
    ]
    app = Starlette(routes=routes, exception_handlers={MoviegraphError: _error_response})
    return JournalAuth(app, (f"{HOST}:{port}", f"localhost:{port}"), token)


@dataclass(frozen=True, slots=True)
class _Pages:
    """The page and its data."""

    journal: SqliteJournal
    document: Page

    def page(self, _: Request) -> Response:
        """Return the page, which may request its data and run only its own script."""
        sources = "; ".join(f"{name} {source}" for name, source in self.document.hashes.items())
        policy = f"{CLOSED}; {sources}; connect-src 'self'"
        headers = {"Content-Security-Policy": policy}
        return Response(self.document.html, media_type="text/html", headers=headers)

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


CLOSED = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = (
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"content-security-policy", CLOSED.encode()),
)
Send = Callable[[Any], Awaitable[None]]


class JournalAuth:
    """Middleware that passes GET requests of this machine's browser with the full address only.

    A website whose name resolves to this machine sends its own Host; its forms and scripts send its
    Origin; and it does not know the token.
    """

    def __init__(self, app: Any, hosts: tuple[str, ...], token: str) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token.encode()

    async def __call__(self, scope: Any, receive: Any, send: Send) -> None:
        """Pass a request on, or refuse it."""
        refusal = self._refusal(Request(scope))
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
            return
        _, _, path = scope["path"].lstrip("/").partition("/")
        scope = {**scope, "path": f"/{path}", "root_path": ""}
        await self._app(scope, receive, _with_headers(send))

    def _refusal(self, request: Request) -> Response | None:
        headers = request.headers
        if headers.getlist("host") not in [[host] for host in self._hosts]:
            return PlainTextResponse("This host name is not served here.", 421)
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site", "none")
        mode = headers.get("sec-fetch-mode", "navigate")
        is_other_origin = origin is not None and origin != f"http://{headers['host']}"
        is_other_site = site not in ("none", "same-origin") and mode != "navigate"
        if is_other_origin or is_other_site:
            return PlainTextResponse("Requests from other pages are not allowed.", 403)
        if request.method != "GET":
            return PlainTextResponse("Only GET is allowed.", 405, {"Allow": "GET"})
        token, slash, _ = request.scope["path"].lstrip("/").partition("/")
        if not slash or not hmac.compare_digest(token.encode(), self._token):
            return PlainTextResponse("Not found.", 404)
        return None


def _with_headers(send: Send) -> Send:
    """Return a `send` that adds the headers of every response, except those that it has."""

    async def send_with_headers(message: Any) -> None:
        if message["type"] == "http.response.start":
            names = {name.lower() for name, _ in message["headers"]}
            missing = [header for header in HEADERS if header[0] not in names]
            message["headers"] = [*message["headers"], *missing]
        await send(message)

    return send_with_headers
