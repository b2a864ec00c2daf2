"""The document that says which issuer's tokens open this server (RFC 9728)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from moviegraph.http.scopes import ALL

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

WELL_KNOWN = "/.well-known/oauth-protected-resource"


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a client needs to get a token.

    Attributes:
        resource: Public URL of the server's MCP endpoint.
        issuer: Who issues the tokens.
    """

    resource: str
    issuer: str

    @property
    def url(self) -> str:
        """Where clients find it: the well-known part goes between host and path."""
        parts = urlsplit(self.resource)
        return f"{parts.scheme}://{parts.netloc}{WELL_KNOWN}{parts.path.rstrip('/')}"

    def paths(self, served: str) -> tuple[str, ...]:
        """Return the paths to serve it at: below the public path, the served one, and the root."""
        own = urlsplit(self.url).path
        return tuple(dict.fromkeys((own, f"{WELL_KNOWN}{served}", WELL_KNOWN)))

    def as_dict(self) -> dict[str, Any]:
        """Return the document."""
        return {
            "resource": self.resource,
            "resource_name": "moviegraph",
            "authorization_servers": [self.issuer],
            "scopes_supported": list(ALL),
            "bearer_methods_supported": ["header"],
        }

    async def answer(self, _: Request) -> Response:
        """Answer a request for it; pages of any origin may read it."""
        from starlette.responses import JSONResponse

        headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=3600"}
        return JSONResponse(self.as_dict(), headers=headers)
