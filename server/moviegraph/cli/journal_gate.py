"""Who may read the page of the journal: this machine's own browser, by its secret address."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

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
