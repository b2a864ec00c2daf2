"""Refusals of HTTP requests, and the middleware that keeps internals out of error responses."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from starlette.requests import ClientDisconnect

from moviegraph.http.scopes import ALL
from moviegraph.observability import report


@dataclass(frozen=True, slots=True)
class ConfigWarning:
    """What is unwise, and what to do about it."""

    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.message} {self.hint}"


if TYPE_CHECKING:
    from starlette.responses import Response

INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603
UNAUTHORIZED = 401
FORBIDDEN = 403


class HttpError(Exception):
    """A request that is not taken on.

    Args:
        status: HTTP status.
        text: What was wrong and what to do, for who runs the client; it is sent.
        error: Error code of RFC 6750, where there is one.
        scopes: The scopes that the request needs.
        again: Seconds after which the same request may be taken on.
        reason: What the log says; it is not sent.
    """

    def __init__(
        self,
        status: int,
        text: str,
        *,
        error: str | None = None,
        scopes: tuple[str, ...] = ALL,
        again: float | None = None,
        reason: str | None = None,
    ) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.error = error
        self.scopes = scopes
        self.again = again
        self.reason = reason

    def response(self, metadata_url: str | None) -> Response:
        """Return it as an HTTP response whose body MCP clients read as an error."""
        from starlette.responses import JSONResponse

        code = INTERNAL_ERROR if self.again is not None else INVALID_REQUEST
        error = {"code": code, "message": self.text}
        headers = {"Cache-Control": "no-store"}
        if self.status in (UNAUTHORIZED, FORBIDDEN) or self.error:
            headers["WWW-Authenticate"] = self.challenge(metadata_url)
        if self.again is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.again)))
        body = {"jsonrpc": "2.0", "id": None, "error": error}
        return JSONResponse(body, status_code=self.status, headers=headers)

    def challenge(self, metadata_url: str | None) -> str:
        """Return the value of WWW-Authenticate."""
        parts: dict[str, str] = {}
        if self.error:
            parts = {"error": self.error, "error_description": self.text}
        parts["scope"] = " ".join(self.scopes)
        if metadata_url:
            parts["resource_metadata"] = metadata_url
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items())


def invalid_token(reason: str, text: str | None = None) -> HttpError:
    """Return the refusal of a token that is not accepted."""
    return HttpError(
        UNAUTHORIZED,
        text or "The access token is not valid here: it is unknown, revoked or malformed.",
        error="invalid_token",
        reason=reason,
    )


# Validators tell of their classes, of paths and of what they were given.
INSIDE = re.compile(r'validation error|\[type=|input_value|pydantic|Traceback|File "|-packages')
INVALID = "Invalid request: unexpected message."
AMBIGUOUS = "A request must not have both Content-Length and Transfer-Encoding. Send only one."
JSONRPC_INTERNAL = -32603
JSONRPC_INVALID = -32600
SERVER_ERROR = 500
BAD_REQUEST = 400
MAX_ERROR_BYTES = 65_536


class ErrorMiddleware:
    """Answers errors neutrally, whatever the application behind it says or raises.

    A request whose length is told twice is refused and its connection closed: a proxy before the
    server may see another end of it (RFC 9112, section 6.3).
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _CheckedResponse(send)
        names = {name for name, _ in scope["headers"]}
        if {b"content-length", b"transfer-encoding"} <= names:
            await answer.refuse(BAD_REQUEST, JSONRPC_INVALID, AMBIGUOUS)
            return
        try:
            await self._app(scope, receive, answer)
        except ClientDisconnect:
            return  # it hung up within its own request: nothing failed here, and nobody listens
        except Exception as error:  # noqa: BLE001 - the boundary: nothing unexpected leaves here
            sentence = report(error, "http")
            if not answer.begun:
                await answer.refuse(SERVER_ERROR, JSONRPC_INTERNAL, sentence)


class _CheckedResponse:
    """Passes an answer on; one that tells of an error is held until it is whole, and read."""

    def __init__(self, send: Any) -> None:
        self._send = send
        self._start: dict[str, Any] | None = None
        self._body = b""
        self.begun = False

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start" and _may_tell(message):
            self._start = message
            return
        if self._start is None:
            self.begun = True
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if not message.get("more_body", False) or len(self._body) > MAX_ERROR_BYTES:
            await self._finish(more=message.get("more_body", False))

    async def _finish(self, *, more: bool) -> None:
        assert self._start is not None
        start, body = self._start, self._body
        self._start, self._body, self.begun = None, b"", True
        said = None if more else _neutral(body)
        if said is not None:
            kept = [pair for pair in start["headers"] if pair[0].lower() != b"content-length"]
            start = start | {"headers": [*kept, (b"content-length", str(len(said)).encode())]}
        await self._send(start)
        await self._send({"type": "http.response.body", "body": said or body, "more_body": more})

    async def refuse(self, status: int, code: int, text: str) -> None:
        """Answer instead of the application, and close the connection."""
        error = {"code": code, "message": text}
        body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


def _may_tell(start: Mapping[str, Any]) -> bool:
    kinds = [value for name, value in start["headers"] if name.lower() == b"content-type"]
    return start["status"] >= BAD_REQUEST and any(b"json" in kind for kind in kinds)


def _neutral(body: bytes) -> bytes | None:
    """Return what to say in place of a body that tells of the inside, or None if it does not."""
    text = body.decode("utf-8", "replace")
    if not INSIDE.search(text):
        return None
    identity, code = None, JSONRPC_INVALID
    try:
        given = cast("dict[str, Any]", json.loads(text))
        identity, code = given.get("id"), given["error"]["code"]
    except (ValueError, AttributeError, KeyError, TypeError):
        pass
    error = {"code": code, "message": INVALID}
    return json.dumps({"jsonrpc": "2.0", "id": identity, "error": error}).encode()
