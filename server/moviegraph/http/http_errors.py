"""Refusals of HTTP requests, and the middleware that keeps internals out of error responses."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from moviegraph.http.scopes import ALL
from moviegraph.observability import report

if TYPE_CHECKING:
    from starlette.responses import Response

JSONRPC_INVALID = -32600
JSONRPC_INTERNAL = -32603
BAD_REQUEST = 400
UNAUTHORIZED = 401
FORBIDDEN = 403
INTERNAL_SERVER_ERROR = 500
UNAVAILABLE = 503
RETRY_SECONDS = b"60"
MAX_ERROR_BYTES = 65_536
# Validators name their classes, paths and the input.
INTERNALS = re.compile(r'validation error|\[type=|input_value|pydantic|Traceback|File "|-packages')
INVALID = "Invalid request: unexpected message."
AMBIGUOUS = "A request must not have both Content-Length and Transfer-Encoding. Send only one."


@dataclass(frozen=True, slots=True)
class ConfigWarning:
    """A setting that works, and admits more than the operator may want, with the fix."""

    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.message} {self.hint}"


class HttpError(Exception):
    """A request that is refused.

    Args:
        status: HTTP status.
        message: The problem and the fix, for the operator of the client; it is sent.
        error: Error code of RFC 6750, where there is one.
        scopes: The scopes that the request needs.
        retry_after: Seconds after which the same request may succeed.
        reason: For the log only.
        is_guess: Whether the token may have been guessed.
        closes: Whether the connection is closed after the response.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        error: str | None = None,
        scopes: tuple[str, ...] = ALL,
        retry_after: float | None = None,
        reason: str | None = None,
        is_guess: bool = False,
        closes: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.error = error
        self.scopes = scopes
        self.retry_after = retry_after
        self.reason = reason
        self.is_guess = is_guess
        self.closes = closes

    def response(self, metadata_url: str | None = None) -> Response:
        """Return the HTTP response, with a body that MCP clients read as an error."""
        from starlette.responses import JSONResponse

        is_internal = self.status >= INTERNAL_SERVER_ERROR or self.retry_after is not None
        code = JSONRPC_INTERNAL if is_internal else JSONRPC_INVALID
        headers = {"Cache-Control": "no-store"}
        if self.status in (UNAUTHORIZED, FORBIDDEN) or self.error:
            headers["WWW-Authenticate"] = self.challenge(metadata_url)
        if self.retry_after is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.retry_after)))
        if self.closes:
            headers["Connection"] = "close"
        return JSONResponse(_error(None, code, self.message), self.status, headers)

    def challenge(self, metadata_url: str | None) -> str:
        """Return the value of WWW-Authenticate (RFC 6750)."""
        parts: dict[str, str] = {}
        if self.error:
            parts = {"error": self.error, "error_description": self.message}
        parts["scope"] = " ".join(self.scopes)
        if metadata_url:
            parts["resource_metadata"] = metadata_url
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items())


def invalid_token(reason: str, message: str | None = None, *, is_guess: bool = True) -> HttpError:
    """Return the refusal of a token."""
    return HttpError(
        UNAUTHORIZED,
        message or "The access token is not valid here: it is unknown, revoked or malformed.",
        error="invalid_token",
        reason=reason,
        is_guess=is_guess,
    )


class ErrorMiddleware:
    """Replaces responses that show internals, and turns exceptions into a neutral response.

    A request with two lengths is refused and its connection closed: a proxy before the server
    may see a different end of it (RFC 9112, section 6.3).
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        from starlette.requests import ClientDisconnect

        response = _CheckedResponse(send)
        names = {name for name, _ in scope["headers"]}
        if {b"content-length", b"transfer-encoding"} <= names:
            refusal = HttpError(BAD_REQUEST, AMBIGUOUS, closes=True)
            await refusal.response()(scope, receive, send)
            return
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
        if message["type"] == "http.response.start":
            message = _with_retry_after(message)
            if _is_json_error(message):
                self._start = message
                return
        if self._start is None:
            self.has_started = True
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if not message.get("more_body", False) or len(self._body) > MAX_ERROR_BYTES:
            await self._finish(self._start, more=message.get("more_body", False))

    async def _finish(self, start: dict[str, Any], *, more: bool) -> None:
        body = self._body
        self._start, self._body, self.has_started = None, b"", True
        if not more and INTERNALS.search(body.decode("utf-8", "replace")):
            body = _neutral(body)
            headers = [pair for pair in start["headers"] if pair[0].lower() != b"content-length"]
            length = (b"content-length", str(len(body)).encode())
            start = start | {"headers": [*headers, length]}
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body, "more_body": more})


def _with_retry_after(start: dict[str, Any]) -> dict[str, Any]:
    """Return the start of a response; one of status 503 has a Retry-After header."""
    headers = start["headers"]
    if start["status"] != UNAVAILABLE or any(name.lower() == b"retry-after" for name, _ in headers):
        return start
    return start | {"headers": [*headers, (b"retry-after", RETRY_SECONDS)]}


def _is_json_error(start: dict[str, Any]) -> bool:
    kinds = [value for name, value in start["headers"] if name.lower() == b"content-type"]
    return start["status"] >= BAD_REQUEST and any(b"json" in kind for kind in kinds)


def _neutral(body: bytes) -> bytes:
    """Return the error of a body without its text."""
    request_id, code = None, JSONRPC_INVALID
    try:
        content = cast("dict[str, Any]", json.loads(body))
        request_id, code = content.get("id"), content["error"]["code"]
    except (ValueError, AttributeError, KeyError, TypeError):
        pass
    return json.dumps(_error(request_id, code, INVALID)).encode()


def _error(request_id: Any, code: Any, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}
