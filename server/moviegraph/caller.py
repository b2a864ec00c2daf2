"""Who calls: the owner of what a call leaves behind, and the program that sent it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import quote

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken, principal_components
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from starlette.requests import Request

from moviegraph.journal.execution_records import Client

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

LOCAL = "local"
LONGEST_NAME = 200
KNOWN_CLIENTS = 64
Transport = Literal["stdio", "http"]


def owner_of(ctx: ServerRequestContext[Any, Any]) -> str:
    """Return whose execution this is.

    Where the transport has authenticated somebody, whose token it is; else the one local user.
    """
    user = user_of(ctx.request)
    return LOCAL if user is None else owner_of_token(user.access_token)


def owner_of_token(token: AccessToken) -> str:
    """Return whose token it is: issuer and subject, or else its name, with any subject.

    The first word says which, and blanks within a part are escaped, so that no two callers have
    the same owner.
    """
    name, issuer, subject = principal_components(token)
    if issuer is not None and subject is not None:
        return _owner("user", issuer, subject)
    return _owner("token", *(part for part in (name, issuer, subject) if part is not None))


def line_of(ctx: ServerRequestContext[Any, Any]) -> str:
    """Return in whose line a call waits.

    The owner's, where somebody is authenticated. Otherwise clients are told apart as far as they
    show themselves: by session up to revision 2025-11-25, then by address and name.
    """
    request = http_request(ctx.request)
    owner = owner_of(ctx)
    if owner != LOCAL or request is None:
        return owner
    session = request.headers.get(MCP_SESSION_ID_HEADER)
    if session is not None:
        return _owner("session", session)
    known = ctx.session.client_params
    host = request.client.host if request.client else ""
    return _owner("client", host, _short(known.client_info.name) if known else "")


def client_of(ctx: ServerRequestContext[Any, Any]) -> Client:
    """Return what the client says of itself, and how it reached the server."""
    known = ctx.session.client_params
    client = (known.client_info.name, known.client_info.version) if known else (None, None)
    return _client(*client, transport_of(ctx), ctx.protocol_version)


@lru_cache(KNOWN_CLIENTS)
def _client(
    name: str | None, version: str | None, transport: Transport, protocol: str | None
) -> Client:
    short = [text if text is None else _short(text) for text in (name, version)]
    return Client(name=short[0], version=short[1], transport=transport, protocol=protocol)


def transport_of(ctx: ServerRequestContext[Any, Any]) -> Transport:
    """Return how the call reached the server."""
    return "stdio" if http_request(ctx.request) is None else "http"


def http_request(request: Any) -> Request | None:
    """Return what brought a call, if it is a request of HTTP."""
    # None first, as over stdio: a request is a Mapping, and to ask an abstract class is slow
    http = request is not None and isinstance(request, Request)
    return cast("Request", request) if http else None


def user_of(request: Any) -> AuthenticatedUser | None:
    """Return who sent this very request: a session may outlive the token that began it."""
    request_context = http_request(request)
    user = None if request_context is None else request_context.scope.get("user")
    return user if isinstance(user, AuthenticatedUser) else None


def _owner(kind: str, *parts: str) -> str:
    return " ".join((kind, *(quote(part, safe=":/@+~") for part in parts)))


def _short(text: str) -> str:
    return text[:LONGEST_NAME].encode("utf-8", "replace").decode()
