"""Caller of a request: the owner of its executions, and the client program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken, principal_components
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from starlette.requests import Request

from moviegraph.journal.execution_records import Client

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

LOCAL = "local"
MAX_NAME_CHARS = 200


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends a request.

    Attributes:
        owner: Owner of its executions.
        client: Name and version of its program, and how it reached the server.
        turn: Key by which waiting calls take turns: the owner, if authenticated.
    """

    owner: str
    client: Client
    turn: str


def caller_of(ctx: ServerRequestContext[Any, Any]) -> Caller:
    """Return who sends a request."""
    request = None if ctx.request is None else http_request(ctx.request)
    owner = LOCAL if request is None else owner_of(ctx)
    params = ctx.session.client_params
    info = params.client_info if params else None
    name = info and _short(info.name)
    client = Client(
        name=name,
        version=info and _short(info.version),
        transport="stdio" if request is None else "http",
        protocol=ctx.protocol_version,
    )
    if request is None or owner != LOCAL:
        return Caller(owner, client, owner)
    return Caller(owner, client, _turn_of(request, name))


def owner_of(ctx: ServerRequestContext[Any, Any]) -> str:
    """Return the owner of an execution: that of the token, or the local user without one."""
    user = user_of(ctx.request)
    return LOCAL if user is None else owner_of_token(user.access_token)


def owner_of_token(token: AccessToken) -> str:
    """Return the owner of a token: issuer and subject, or else its name with any subject.

    The first word states which, and spaces within a part are escaped, so that owners are unique.
    """
    name, issuer, subject = principal_components(token)
    if issuer is not None and subject is not None:
        return _owner("user", issuer, subject)
    return _owner("token", *(part for part in (name, issuer, subject) if part is not None))


def _turn_of(request: Request, name: str | None) -> str:
    """Return the turn of an unauthenticated caller.

    Clients are distinguished by session up to revision 2025-11-25, and by address and name since
    then.
    """
    session = request.headers.get(MCP_SESSION_ID_HEADER)
    if session is not None:
        return _owner("session", session)
    return _owner("client", request.client.host if request.client else "", name or "")


def http_request(request: Any) -> Request | None:
    """Return the HTTP request of a call, or None over stdio."""
    # None first: isinstance of an abstract class such as Mapping is slow
    is_http = request is not None and isinstance(request, Request)
    return cast("Request", request) if is_http else None


def user_of(request: Any) -> AuthenticatedUser | None:
    """Return the user of this request: a session may outlive the token that started it."""
    request_context = http_request(request)
    user = None if request_context is None else request_context.scope.get("user")
    return user if isinstance(user, AuthenticatedUser) else None


def _owner(kind: str, *parts: str) -> str:
    return " ".join((kind, *(quote(part, safe=":/@+~") for part in parts)))


def _short(text: str) -> str:
    return text[:MAX_NAME_CHARS].encode("utf-8", "replace").decode()
