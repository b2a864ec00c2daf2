"""A page for this machine only: who may request it, its headers, and its server."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from socket import socket
from typing import Any

import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from moviegraph.view.page import Page

HOST = "127.0.0.1"
CALL_PATH = "/call"
TOKEN_HEADER = "x-moviegraph-token"  # noqa: S105 - a name
MAX_BODY_BYTES = 1_000_000
CLOSED = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
POLICY = f"{CLOSED}; script-src 'self'; style-src 'self'; connect-src 'self'"
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


def page_routes(page: Page) -> list[Route]:
    """Return the routes of a page, its script and its style, which request only their own data."""
    files = {
        "/": (page.html, "text/html"),
        "/script.js": (page.script, "text/javascript"),
        "/style.css": (page.style, "text/css"),
    }

    async def file(request: Request) -> Response:
        text, media_type = files[request.scope["path"]]
        return Response(text, media_type=media_type, headers={"Content-Security-Policy": POLICY})

    return [Route(path, file) for path in files]


def new_token() -> str:
    """Return the secret of one run of a page."""
    return secrets.token_urlsafe(24)


def serve(app: LocalPage, listener: socket) -> None:
    """Serve a page until Ctrl-C."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="on",
        ws="none",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(config).run(sockets=[listener])


@dataclass(frozen=True, slots=True)
class LocalPage:
    """Middleware that passes requests of this machine's browser only, from the page itself.

    A website whose name resolves to this machine sends its own Host; its forms and scripts send its
    Origin; and it does not know the token. That is in the path of every GET, whose response tells
    the browser to send no Referer, and in a header of the POST of a call, which a form cannot set
    and for which a script of another origin needs a permission that is never granted.
    """

    app: Any
    port: int
    token: str = field(repr=False)
    takes_calls: bool = False

    @property
    def url(self) -> str:
        """The address that opens the page."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    async def __call__(self, scope: Any, receive: Any, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        refusal = self._refusal(request)
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
            return
        if request.method == "GET":
            _, _, path = scope["path"].lstrip("/").partition("/")
            scope = {**scope, "path": f"/{path}", "root_path": ""}
        await self.app(scope, receive, _with_headers(send))

    def _refusal(self, request: Request) -> Response | None:
        headers = request.headers
        if headers.getlist("host") not in [[f"{name}:{self.port}"] for name in (HOST, "localhost")]:
            return PlainTextResponse("This host name is not served here.", 421)
        is_call = self.takes_calls and request.method == "POST"
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site", "none")
        mode = headers.get("sec-fetch-mode", "navigate")
        is_other_origin = (is_call or origin is not None) and origin != f"http://{headers['host']}"
        is_other_site = site not in ("none", "same-origin") and mode != "navigate"
        if is_other_origin or is_other_site:
            return PlainTextResponse("Requests from other pages are not allowed.", 403)
        if is_call:
            return self._call_refusal(request)
        if request.method != "GET":
            return PlainTextResponse("Only GET is allowed.", 405, {"Allow": "GET"})
        token, slash, _ = request.scope["path"].lstrip("/").partition("/")
        if not slash or not self._is_token(token):
            return PlainTextResponse("Not found.", 404)
        return None

    def _call_refusal(self, request: Request) -> Response | None:
        headers = request.headers
        if not self._is_token(headers.get(TOKEN_HEADER, "")):
            return PlainTextResponse(f"The header {TOKEN_HEADER} has no valid token.", 403)
        if request.scope["path"] != CALL_PATH:
            return PlainTextResponse("Not found.", 404)
        if headers.get("content-type") != "application/json":
            return PlainTextResponse("The body must be application/json.", 415)
        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdecimal() and int(length) <= MAX_BODY_BYTES):
            message = f"The body must state its length, at most {MAX_BODY_BYTES:,} bytes."
            return PlainTextResponse(message, 413)
        return None

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.token.encode())


def _with_headers(send: Send) -> Send:
    """Return a `send` that adds the headers of every response, except those that it has."""

    async def send_with_headers(message: Any) -> None:
        if message["type"] == "http.response.start":
            names = {name.lower() for name, _ in message["headers"]}
            missing = [header for header in HEADERS if header[0] not in names]
            message["headers"] = [*message["headers"], *missing]
        await send(message)

    return send_with_headers
