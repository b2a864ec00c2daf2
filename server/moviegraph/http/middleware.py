"""ASGI middleware around the protocol's application, and the bounded reading of bodies."""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, cast

from moviegraph.http.rate_limits import network_of
from moviegraph.http.refusals import (
    BAD_REQUEST,
    FORBIDDEN,
    INTERNAL_SERVER_ERROR,
    JSONRPC_INVALID,
    MISDIRECTED,
    TOO_LARGE,
    UNAVAILABLE,
    HttpError,
    RefusalLog,
    json_rpc_error,
    shorten,
)
from moviegraph.observability import report

Receive = Callable[[], Awaitable[Any]]
PATH = "/mcp"
PROBES = frozenset({"/healthz", "/readyz"})
WELL_KNOWN = "/.well-known/"
SESSION_ID = b"mcp-session-id"
MAX_BODY_BYTES = 1_000_000
BODY_SECONDS = 20.0
DRAIN_RETRY_SECONDS = 1.0
BOTH_TYPES = (b"accept", b"application/json, text/event-stream")

# Validators name their classes, paths and the input.
INTERNALS = re.compile(r'validation error|\[type=|input_value|pydantic|Traceback|File "|-packages')
INVALID = "Invalid request: unexpected message."
AMBIGUOUS = "A request must not have both Content-Length and Transfer-Encoding. Send only one."


class EntryMiddleware:
    """Refuses what no part behind it can serve, and writes headers as the SDK compares them.

    A request with two lengths is refused and its connection closed: a proxy before the server may
    see a different end of it (RFC 9112, section 6.3). Other Host headers are refused against DNS
    rebinding, other Origins against pages of other sites; the SDK refuses them too, but logs each
    one whole. While the server drains, a request outside of a session gets status 503, which a
    proxy can pass to the next worker; one of a session may carry what a running call waits for.

    Args:
        app: The application behind it.
        allows_host: Whether a Host header, in lowercase, is served.
        origins: Origins of pages that may call.
        is_draining: Whether the server finishes its running calls.
        log: Where refusals are counted.
    """

    def __init__(
        self,
        app: Any,
        allows_host: Callable[[str], bool],
        origins: frozenset[str],
        is_draining: Callable[[], bool],
        log: RefusalLog,
    ) -> None:
        self._app = app
        self._allows_host = allows_host
        self._origins = origins
        self._is_draining = is_draining
        self._log = log

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        """Serve one request."""
        if scope["type"] != "http" or is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        # The case of a Host header does not count (RFC 3986, section 3.2.2).
        headers = [
            (name, value.lower() if name == b"host" else value) for name, value in scope["headers"]
        ]
        path = PATH if scope["path"] == f"{PATH}/" else scope["path"]
        if scope["method"] == "POST":
            headers = _complete_accept(headers)
        scope = {**scope, "path": path, "headers": headers}
        error = self._refusal(scope)
        if error is None:
            await self._app(scope, receive, send)
            return
        self._log.add(error, network_of(client_address(scope)))
        await error.response()(scope, receive, send)

    def _refusal(self, scope: Any) -> HttpError | None:
        length = _header(scope, b"content-length")
        if length is not None and _header(scope, b"transfer-encoding") is not None:
            return HttpError(BAD_REQUEST, AMBIGUOUS, closes=True)
        if length is not None and length.isdigit() and int(length[:20]) > MAX_BODY_BYTES:
            text = f"The request body has more than {MAX_BODY_BYTES:,} bytes."
            return HttpError(TOO_LARGE, text, reason="body", closes=True)
        host, origin = _header(scope, b"host"), _header(scope, b"origin")
        if host is not None and not self._allows_host(host.decode("latin-1")):
            return HttpError(
                MISDIRECTED,
                "This host name is not served here.",
                event="host_rejected",
                reason="host",
                detail=f"the Host header {shorten(host.decode('latin-1'))} is not one of the "
                "server's or in MOVIEGRAPH_ALLOWED_HOSTS",
            )
        if origin is not None and origin.decode("latin-1") not in self._origins:
            return HttpError(
                FORBIDDEN,
                "Requests from pages of this origin are not allowed.",
                event="origin_rejected",
                reason="origin",
                detail=f"the Origin header {shorten(origin.decode('latin-1'))} is not one of the "
                "server's or in MOVIEGRAPH_ALLOWED_ORIGINS",
            )
        if self._is_draining() and _header(scope, SESSION_ID) is None:
            text = "The server is shutting down. Repeat the request."
            return HttpError(
                UNAVAILABLE, text, reason="draining", retry_after=DRAIN_RETRY_SECONDS, closes=True
            )
        return None


def _complete_accept(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Add what the SDK demands of a POST to an Accept that admits an event stream, or to none.

    The result is an event stream, which a client that accepts only JSON cannot read.
    """
    accept = b",".join(value for name, value in headers if name == b"accept").lower()
    if accept.strip() and b"text/event-stream" not in accept:
        return headers
    return [pair for pair in headers if pair[0] != b"accept"] + [BOTH_TYPES]


def is_open(path: str) -> bool:
    """Return whether everybody may read a path: probes, and the metadata of OAuth."""
    return path in PROBES or path.startswith(WELL_KNOWN)


def client_address(scope: Any) -> str:
    """Return the address of the client, or "" if it is unknown."""
    return scope["client"][0] if scope.get("client") else ""


class ErrorMiddleware:
    """Replaces responses that show internals, and turns exceptions into a neutral response."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        from starlette.requests import ClientDisconnect

        response = _CheckedResponse(send)
        try:
            await self._app(scope, receive, response)
        except ClientDisconnect:
            return  # within its own request: nothing failed, and no client reads a response
        except Exception as error:  # noqa: BLE001 - the boundary: nothing unexpected leaves here
            message = report(error, "http")
            if not response.has_started:
                refusal = HttpError(INTERNAL_SERVER_ERROR, message, closes=True)
                await refusal.response()(scope, receive, send)


class _CheckedResponse:
    """Forwards a response; an error in JSON is held until it is complete, and checked."""

    def __init__(self, send: Any) -> None:
        self._send = send
        self._start: dict[str, Any] | None = None
        self._body = b""
        self.has_started = False

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start" and _is_json_error(message):
            self._start = message
            return
        if self._start is not None:
            self._body += message.get("body", b"")
            if message.get("more_body", False):
                return
            message = await self._checked(self._start)
        self.has_started = True
        await self._send(message)

    async def _checked(self, start: dict[str, Any]) -> dict[str, Any]:
        """Send the start of the response, and return its body."""
        body = self._body
        self._start, self.has_started = None, True
        if INTERNALS.search(body.decode("utf-8", "replace")):
            body = _neutral(body)
            headers = [pair for pair in start["headers"] if pair[0].lower() != b"content-length"]
            length = (b"content-length", str(len(body)).encode())
            start = start | {"headers": [*headers, length]}
        await self._send(start)
        return {"type": "http.response.body", "body": body}


def _is_json_error(start: dict[str, Any]) -> bool:
    kind = _header(start, b"content-type") or b""
    return start["status"] >= BAD_REQUEST and b"json" in kind


def _neutral(body: bytes) -> bytes:
    """Return the error of a body without its text."""
    request_id, code = None, JSONRPC_INVALID
    try:
        content = cast("dict[str, Any]", json.loads(body))
        request_id, code = content.get("id"), content["error"]["code"]
    except (ValueError, AttributeError, KeyError, TypeError):
        pass
    return json.dumps(json_rpc_error(request_id, code, INVALID)).encode()


def _header(message: Any, name: bytes) -> bytes | None:
    return next((value for key, value in message["headers"] if key.lower() == name), None)


async def read_body(
    receive: Receive, seconds: float = BODY_SECONDS
) -> tuple[bytes | None, Receive]:
    """Return the body, or None if it is too large, and a callable to replay it.

    Raises:
        ClientDisconnect: The client hung up.
        HttpError: It did not arrive in time.
    """
    messages: deque[Any] = deque()
    try:
        async with asyncio.timeout(seconds):
            body = await _read(receive, messages)
    except TimeoutError:
        text = f"The request did not arrive within {seconds:g} s."
        # the rest of the body would be read as a request
        raise HttpError(408, text, retry_after=1.0, closes=True) from None

    async def replay() -> Any:
        return messages.popleft() if messages else await receive()

    return body, replay


async def _read(receive: Receive, messages: deque[Any]) -> bytes | None:
    from starlette.requests import ClientDisconnect

    size = 0
    while True:
        message = await receive()
        messages.append(message)
        if message["type"] != "http.request":
            raise ClientDisconnect
        size += len(message.get("body", b""))
        if size > MAX_BODY_BYTES:
            return None
        if not message.get("more_body", False):
            return b"".join(part.get("body", b"") for part in messages)
