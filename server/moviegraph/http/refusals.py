"""Refused HTTP requests: their responses, log lines and counts."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moviegraph.http.rate_limits import TokenBuckets
from moviegraph.http.scopes import ALL
from moviegraph.observability import count_refusal

if TYPE_CHECKING:
    from starlette.responses import Response

LOG = logging.getLogger("moviegraph")

JSONRPC_INVALID = -32600
JSONRPC_INTERNAL = -32603
BAD_REQUEST = 400
UNAUTHORIZED = 401
FORBIDDEN = 403
TOO_LARGE = 413
MISDIRECTED = 421
TOO_MANY = 429
INTERNAL_SERVER_ERROR = 500
UNAVAILABLE = 503
LOG_LINES_PER_MINUTE, MAX_LOG_LINES = 10, 30
MAX_VALUE_CHARS = 200


@dataclass(eq=False)
class HttpError(Exception):
    """A request that is refused.

    Attributes:
        status: HTTP status.
        message: The problem and the fix, for the operator of the client; it is sent.
        error: Error code of RFC 6750, where there is one.
        scopes: The scopes that the request needs.
        retry_after: Seconds after which the same request may succeed.
        event: Event of the log line; none is written without one.
        reason: Short name of the cause, the same for all such requests: a label of the metric.
        detail: For the log only.
        is_guess: Whether the token may have been guessed.
        closes: Whether the connection is closed after the response.
    """

    status: int
    message: str
    error: str | None = None
    scopes: tuple[str, ...] = ALL
    retry_after: float | None = None
    event: str | None = None
    reason: str = "request"
    detail: str | None = None
    is_guess: bool = False
    closes: bool = False

    def response(self, metadata_url: str | None = None) -> Response:
        """Return the HTTP response, with a body that MCP clients read as an error."""
        from starlette.responses import JSONResponse

        is_internal = self.status >= INTERNAL_SERVER_ERROR or self.retry_after is not None
        code = JSONRPC_INTERNAL if is_internal else JSONRPC_INVALID
        headers = {"Cache-Control": "no-store"}
        if self.status == UNAUTHORIZED or self.error:
            headers["WWW-Authenticate"] = self.challenge(metadata_url)
        if self.retry_after is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.retry_after)))
        if self.closes:
            headers["Connection"] = "close"
        return JSONResponse(json_rpc_error(None, code, self.message), self.status, headers)

    def challenge(self, metadata_url: str | None) -> str:
        """Return the value of WWW-Authenticate (RFC 6750)."""
        parts: dict[str, str] = {}
        if self.error:
            parts = {"error": self.error, "error_description": self.message}
        parts["scope"] = " ".join(self.scopes)
        if metadata_url:
            parts["resource_metadata"] = metadata_url
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items())


def invalid_token(
    reason: str, detail: str, message: str | None = None, *, is_guess: bool = True
) -> HttpError:
    """Return the refusal of a token."""
    return HttpError(
        UNAUTHORIZED,
        message or "The access token is not valid here: it is unknown, revoked or malformed.",
        error="invalid_token",
        event="token_rejected",
        reason=reason,
        detail=detail,
        is_guess=is_guess,
    )


class RefusalLog:
    """Counts refused requests, and logs them: of each reason, some per minute and address."""

    def __init__(self) -> None:
        self._lines = TokenBuckets(LOG_LINES_PER_MINUTE, MAX_LOG_LINES)

    def add(self, error: HttpError, address: str, owner: str | None = None) -> None:
        """Count a refusal, and write its line unless there were too many of them."""
        count_refusal(error.status, error.reason)
        if error.event is None or self._lines.take(f"{error.reason} {address}"):
            return
        # A client renews its token when it has expired: nothing for the operator to do.
        level = logging.INFO if error.reason == "expired" else logging.WARNING
        facts = {"event": error.event, "reason": error.reason, "status": error.status}
        facts |= {"address": address or None, "owner": owner}
        text = (error.detail or error.message).rstrip(".")
        refused = "A token was rejected" if error.event == "token_rejected" else "Request refused"
        LOG.log(level, "%s: %s.", refused, text, extra={"facts": facts})


def shorten(value: object) -> str:
    """Return a value that a client or issuer sent for the log: one line, bounded."""
    text = repr(value)
    return text if len(text) <= MAX_VALUE_CHARS else f"{text[:MAX_VALUE_CHARS]}..."


def json_rpc_error(request_id: object, code: object, message: str) -> dict[str, object]:
    """Return an error of the protocol."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}
