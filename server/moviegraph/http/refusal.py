"""An HTTP answer instead of the one that was asked for, with the challenge of RFC 6750."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from moviegraph.http.scopes import ALL

if TYPE_CHECKING:
    from starlette.responses import Response

INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603
UNAUTHORIZED = 401
FORBIDDEN = 403


class Refusal(Exception):
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


def invalid_token(reason: str, text: str | None = None) -> Refusal:
    """Return the refusal of a token that is not accepted."""
    return Refusal(
        UNAUTHORIZED,
        text or "The access token is not valid here: it is unknown, revoked or malformed.",
        error="invalid_token",
        reason=reason,
    )
