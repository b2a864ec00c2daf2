"""Scopes: which claims of a token grant them, and which tools need which."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

READ = "moviegraph:read"
SQL = "moviegraph:sql"
ALL = (READ, SQL)


@dataclass(frozen=True, slots=True)
class ScopeNames:
    """How an issuer names the scopes.

    Attributes:
        read: Advertised name of the scope READ.
        sql: Advertised name of the scope SQL.
        claims: Claims that grant scopes, in addition to `scope` or `scp`.
    """

    read: str = READ
    sql: str = SQL
    claims: tuple[str, ...] = ()

    def advertised(self, scopes: Collection[str] = ALL) -> tuple[str, ...]:
        """Return the issuer's names of scopes, each once."""
        names = {READ: self.read, SQL: self.sql}
        return tuple(dict.fromkeys(names[scope] for scope in scopes))

    def granted(self, claims: Mapping[str, Any]) -> list[str]:
        """Return the scopes that a token grants, by any of their names.

        They are in `scope` (RFC 9068) or `scp` (Entra: words, Okta: a list). Entra advertises
        `api://APP/films.read` and writes `films.read`.
        """
        words = _words(claims.get("scope", claims.get("scp")))
        for claim in self.claims:
            words |= _words(claims.get(claim))
        accepted = {READ: self.read, SQL: self.sql}
        return [
            scope
            for scope, name in accepted.items()
            if words & {scope, name, name.rstrip("/").rpartition("/")[2]}
        ]


def _words(value: Any) -> set[str]:
    if isinstance(value, str):
        return set(value.split())
    if not isinstance(value, list):
        return set()
    return {word for word in cast("list[Any]", value) if isinstance(word, str)}


def needed(method: Any, params: Any, read_tools: Collection[str]) -> tuple[str, ...]:
    """Return the scopes of one message: READ, and SQL for each tool that is not one of these."""
    if method != "tools/call":
        return (READ,)
    name = cast("Any", params).get("name") if isinstance(params, Mapping) else None
    return (READ,) if isinstance(name, str) and name in read_tools else ALL


def needed_for(body: bytes, read_tools: Collection[str]) -> tuple[str, ...]:
    """Return the scopes of a posted body; invalid JSON is refused later."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return (READ,)
    messages = cast("list[Any]", content if isinstance(content, list) else [content])
    members = (cast("dict[str, Any]", item) for item in messages if isinstance(item, dict))
    needs = {
        needed(message.get("method"), message.get("params"), read_tools) for message in members
    }
    return ALL if ALL in needs else (READ,)


def missing_scope(needs: Collection[str], granted: Collection[str]) -> str | None:
    """Return the first scope that is needed and not granted."""
    return next((scope for scope in needs if scope not in granted), None)


def scope_message(name: str) -> str:
    """Return the message about a missing scope."""
    return f"The access token lacks the required scope {name}."


def require_scopes(ctx: ServerRequestContext[Any, Any], read_tools: Collection[str]) -> None:
    """Raise MCPError for a message that the caller's token does not allow.

    HTTP has checked the body before, to respond with status 403. Two parsers may read one body
    differently, so this check, of the message as the protocol has read it, is the one that counts.
    """
    from moviegraph.caller import user_of

    if ctx.request is None:  # over stdio there are no tokens
        return
    user = user_of(ctx.request)
    needs = needed(ctx.method, ctx.params, read_tools)
    missing = missing_scope(needs, user.scopes) if user else None
    if missing:
        from mcp import MCPError
        from mcp.types import INVALID_REQUEST

        raise MCPError(INVALID_REQUEST, scope_message(missing))
