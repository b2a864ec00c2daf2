"""What log and metrics are told of each call of a tool: how it ended, and never its text."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, cast

import anyio
from mcp.types import CallToolResult, InputRequiredResult

from moviegraph.caller import owner_of, transport_of
from moviegraph.observability import correlated, measure_call

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

Answer = CallToolResult | InputRequiredResult
LOG = logging.getLogger("moviegraph")
SHOWN = 12
LONGEST_ID = 64


async def accounted(
    tool: str, ctx: ServerRequestContext[Any, Any], work: Callable[[], Awaitable[Answer]]
) -> Answer:
    """Do the work of one call, and tell how long it took and how it ended.

    All that is logged meanwhile says of which request it was.
    """
    began = time.perf_counter()
    ended: dict[str, Any] = {"status": "failed", "code": "cancelled"}
    with correlated(tool=tool, request_id=_short(ctx.request_id)):
        try:
            answer = await work()
            ended = _ending(answer)
            return answer
        except anyio.get_cancelled_exc_class():
            raise
        except BaseException:
            ended["code"] = "internal_error"
            raise
        finally:
            _tell(tool, ctx, time.perf_counter() - began, ended)


def _tell(
    tool: str, ctx: ServerRequestContext[Any, Any], seconds: float, ended: dict[str, Any]
) -> None:
    transport = transport_of(ctx)
    measure_call(tool, transport, seconds, ended.get("code"))
    if LOG.isEnabledFor(logging.INFO):
        told = {"event": "call", **ended, "elapsed_ms": round(1000 * seconds, 1)}
        told |= {"transport": transport, "owner": _owner(ctx)}
        LOG.info("call", extra={"facts": told})


def _short(identity: Any) -> Any:
    """Return the id of a request, cut where its client made a text of it that fills the log."""
    return identity[:LONGEST_ID] if isinstance(identity, str) else identity


def _owner(ctx: ServerRequestContext[Any, Any]) -> str:
    """Return the kind of the owner, and for others than the local one a digest of who it is."""
    owner = owner_of(ctx)
    kind, _, who = owner.partition(" ")
    return f"{kind}:{hashlib.sha256(owner.encode()).hexdigest()[:SHOWN]}" if who else kind


def _ending(answer: Answer) -> dict[str, Any]:
    """Return how a call ended, by its result."""
    if isinstance(answer, InputRequiredResult):
        return {"status": "asked"}
    facts = cast("dict[str, Any]", answer.structured_content or {})
    if answer.is_error:
        return {"status": "failed", "code": facts.get("error", {}).get("code", "error")}
    told = {"rows": facts.get("row_count"), "execution_id": facts.get("execution_id")}
    return {"status": "ok", **{name: value for name, value in told.items() if value is not None}}
