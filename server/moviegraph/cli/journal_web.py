"""`moviegraph journal --web`: the journal as a page that this machine alone can read."""

from __future__ import annotations

import argparse
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from moviegraph.cli import journal_render
from moviegraph.cli.http_runner import listen
from moviegraph.cli.journal import STATUSES, filter_of
from moviegraph.cli.streams import print_error
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
    filters = {name: str(value) for name in FILTERS if (value := getattr(parsed, name)) is not None}
    token = secrets.token_urlsafe(24)
    with listen(HOST, parsed.port) as listener:
        port = listener.getsockname()[1]
        app = application(journal, contract, port, token, filters)
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
        records = journal_render.list_records(self.journal, wanted, limit, self.contract)
        return _json({"records": records})

    def choices(self, _: Request) -> Response:
        """Return the tools and owners to filter by."""
        return _json(journal_render.list_choices(self.journal))

    def execution(self, request: Request) -> Response:
        """Return the whole record of an id."""
        link = self._link(request)
        record = journal_render.show_record(self.journal, link, link.execution(), self.contract)
        return _json(record)

    def plan(self, request: Request) -> Response:
        """Return the plan that the execution of an id was a part of, or null."""
        execution = self._link(request).execution()
        return _json(journal_render.plan(self.journal, execution, self.contract))

    def verification(self, _: Request) -> Response:
        """Verify the whole chain."""
        verification = self.journal.verify()
        members = {
            name: value for name, value in asdict(verification).items() if name != "bad_record"
        }
        return _json({"ok": verification.ok, **members})

    def _link(self, request: Request) -> ChainRecord:
        wanted = request.path_params["id"]
        links = [each for each in self.journal.with_id_prefix(wanted, 1) if each.id == wanted]
        if not links:
            raise JournalError("The journal has no such record.")
        return links[0]


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


class JournalGate:
    """Lets through what this machine's own browser asks by the whole address, and only reading.

    A page elsewhere that had its name point here would send its own Host; a form or script of
    another page, its own Origin; and neither knows the token.
    """

    def __init__(self, app: Any, names: tuple[str, ...], token: str) -> None:
        self._app = app
        self._names = names
        self._token = token.encode()

    async def __call__(self, scope: Any, receive: Any, send: Send) -> None:
        """Answer a request, or have it answered."""
        request = Request(scope)
        refused = self._refusal(request)
        if refused is not None:
            await refused(scope, receive, _headed(send))
            return
        _, _, rest = scope["path"].lstrip("/").partition("/")
        await self._app({**scope, "path": f"/{rest}", "root_path": ""}, receive, _headed(send))

    def _refusal(self, request: Request) -> Response | None:
        headers = request.headers
        if headers.getlist("host") not in [[name] for name in self._names]:
            return PlainTextResponse("This host name is not served here.", 421)
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{headers['host']}":
            return PlainTextResponse("Requests from other pages are not allowed.", 403)
        site = headers.get("sec-fetch-site", "none")
        mode = headers.get("sec-fetch-mode", "navigate")
        if site not in ("none", "same-origin") and mode != "navigate":
            return PlainTextResponse("Requests from other pages are not allowed.", 403)
        if request.method != "GET":
            return PlainTextResponse("Only GET is allowed.", 405, {"Allow": "GET"})
        token, slash, _ = request.scope["path"].lstrip("/").partition("/")
        if not slash or not hmac.compare_digest(token.encode(), self._token):
            return PlainTextResponse("Not found.", 404)
        return None


def _headed(send: Send) -> Send:
    """Add the headers that every answer carries; a page brings its own policy."""

    async def headed(message: Any) -> None:
        if message["type"] == "http.response.start":
            named = {name.lower() for name, _ in message["headers"]}
            more = [pair for pair in HEADERS if pair[0] not in named]
            message["headers"] = [*message["headers"], *more]
        await send(message)

    return headed
