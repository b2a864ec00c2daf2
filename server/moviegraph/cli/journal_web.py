"""`moviegraph journal --web`: the journal as a page that this machine alone can read."""

from __future__ import annotations

import argparse
import hmac
import json
import secrets
import socket
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from moviegraph.cli import journal_facts
from moviegraph.cli.journal_filter import STATUSES, filter_of
from moviegraph.cli.streams import complain
from moviegraph.errors import JournalError, MoviegraphError, SettingsError
from moviegraph.view.journal_page import journal_page

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.journal.chain import Link
    from moviegraph.journal.sqlite_journal import SqliteJournal
    from moviegraph.view.document import Document

HOST = "127.0.0.1"
HIGHEST_PORT = 65_535
FILTERS = ("tool", "status", "owner", "question", "since", "limit")
MOST_LISTED = 500
LONGEST_FILTER = 500
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
CLOSED = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
Send = Callable[[Any], Awaitable[None]]


def serve(journal: SqliteJournal, contract: Contract | None, parsed: argparse.Namespace) -> None:
    """Serve until Ctrl-C; the address, with the token that opens it, goes to standard error."""
    given = {name: str(value) for name in FILTERS if (value := getattr(parsed, name)) is not None}
    token = secrets.token_urlsafe(24)
    with _listen(parsed.port) as listener:
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
        complain(f"The journal is at http://{HOST}:{port}/{token}/ until Ctrl-C.")
        uvicorn.Server(config).run(sockets=[listener])


def _listen(port: int) -> socket.socket:
    hint = "Choose another with --port, or leave it out for a free one."
    if not 0 <= port <= HIGHEST_PORT:
        raise SettingsError(f"There is no port {port}.", hint=hint)
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        message = f"Cannot listen on {HOST}, port {port}: {error.strerror}."
        raise SettingsError(message, hint=hint) from None


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
        Route("/data/verification", pages.verification),
    ]
    app = Starlette(routes=routes, exception_handlers={MoviegraphError: _told})
    names = (f"{HOST}:{port}", f"localhost:{port}")
    return _Gate(app, names, token)


class _Gate:
    """Lets through what this machine's own browser asks by the whole address, and only reading.

    A page elsewhere that had its name point here would send its own Host; a form or script of
    another page, its own Origin; and neither knows the token.
    """

    def __init__(self, app: Any, names: tuple[str, ...], token: str) -> None:
        self._app = app
        self._names = names
        self._token = token.encode()

    async def __call__(self, scope: Any, receive: Any, send: Send) -> None:
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
            return PlainTextResponse("This address is not served here.", 421)
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{headers['host']}":
            return PlainTextResponse("Another page may not ask here.", 403)
        site, mode = (
            headers.get("sec-fetch-site", "none"),
            headers.get("sec-fetch-mode", "navigate"),
        )
        if site not in ("none", "same-origin") and mode != "navigate":
            return PlainTextResponse("Another page may not ask here.", 403)
        if request.method != "GET":
            return PlainTextResponse("Only GET is answered.", 405, {"Allow": "GET"})
        token, slash, _ = request.scope["path"].lstrip("/").partition("/")
        if not slash or not hmac.compare_digest(token.encode(), self._token):
            return PlainTextResponse("There is nothing here.", 404)
        return None


def _headed(send: Send) -> Send:
    """Add the headers that every answer carries; a page brings its own policy."""

    async def headed(message: Any) -> None:
        if message["type"] == "http.response.start":
            named = {name.lower() for name, _ in message["headers"]}
            more = {**HEADERS, "Content-Security-Policy": CLOSED}
            message["headers"] = [
                *message["headers"],
                *(
                    (name.lower().encode(), value.encode())
                    for name, value in more.items()
                    if name.lower().encode() not in named
                ),
            ]
        await send(message)

    return headed


@dataclass(frozen=True, slots=True)
class _Pages:
    """What is behind the gate."""

    journal: SqliteJournal
    contract: Contract | None
    document: Document

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
        return _json({"records": journal_facts.in_short(self.journal, wanted, limit)})

    def execution(self, request: Request) -> Response:
        """Return the whole record of an id."""
        link = self._link(request)
        return _json(journal_facts.whole(link, link.execution()))

    def plan(self, request: Request) -> Response:
        """Return the plan that the execution of an id was a part of, or null."""
        execution = self._link(request).execution()
        return _json(journal_facts.plan(self.journal, execution, self.contract))

    def verification(self, _: Request) -> Response:
        """Verify the whole chain."""
        found = self.journal.verify()
        members = {name: value for name, value in asdict(found).items() if name != "link"}
        return _json({"ok": found.ok, **members})

    def _link(self, request: Request) -> Link:
        wanted = request.path_params["id"]
        found = [each for each in self.journal.beginning(wanted, 1) if each.id == wanted]
        if not found:
            raise JournalError("The journal holds no such record.")
        return found[0]


def _checked(asked: dict[str, str | None]) -> dict[str, str | None]:
    if any(len(value or "") > LONGEST_FILTER for value in asked.values()):
        raise SettingsError(f"A filter holds at most {LONGEST_FILTER} characters.")
    if asked["status"] not in (None, *STATUSES):
        raise SettingsError(f"A status is one of {', '.join(STATUSES)}.")
    return asked


def _limit(text: str | None) -> int:
    if text is None:
        return 100
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:6]) <= MOST_LISTED):
        raise SettingsError(f"A limit is a number from 1 to {MOST_LISTED}.")
    return int(text)


async def _told(_: Request, error: Exception) -> Response:
    """Answer what the journal refuses with the sentence that says why."""
    assert isinstance(error, MoviegraphError)
    said = " ".join(part for part in (error.message, error.hint) if part)
    return _json({"error": said}, 400)


def _json(facts: Any, status: int = 200) -> Response:
    return Response(json.dumps(facts), status, media_type="application/json")
