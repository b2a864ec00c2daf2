"""Borrows the client's own model, where the client offers it.

On revision 2026-07-28 a call answers that it needs input, and the client sends the call again with
what its model said; before that the server asks in the middle of the call. Either way what comes
back is one more draft: it is compared, judged and compiled like any other.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.mcpserver import Context
from mcp.shared.message import ServerMessageMetadata
from mcp.types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
)

from moviegraph.journal.execution_records import ModelCost

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from moviegraph.query.session import Call, Session

LOG = logging.getLogger("moviegraph")
INPUT_REQUIRED = "2026-07-28"  # the first revision that knows no requests of the server
MOST_TOKENS = 2_000


@dataclass(frozen=True, slots=True)
class RepairRequest:
    """A statement that the client's model is asked to mend, and the words that ask for it.

    They depend on the arguments alone, because a client may send the same call again.
    """

    statement: str
    system: str
    text: str


Asks = Callable[["Session", "Call", Any], list[RepairRequest]]
AsksAgain = Callable[["Session", "Call", Any, dict[str, Any]], list[RepairRequest]]


def offered(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client declares that its model may be asked."""
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and capabilities.sampling is not None


@dataclass(frozen=True, slots=True)
class ClientDraft:
    """What the client's model replied to one asking, and which model that is."""

    text: str
    model: str

    @property
    def cost(self) -> ModelCost:
        """One call; no client tells tokens."""
        return ModelCost(by="client", model=self.model[:200], purpose="repair", calls=1, untold=1)


def answered(context: Context[Any, Any]) -> bool:
    """Whether the client comes back with what it was asked for."""
    return context.input_responses is not None


async def ask(
    context: Context[Any, Any], askings: Sequence[RepairRequest], seconds: float
) -> dict[str, ClientDraft] | InputRequiredResult:
    """Return what the client's model makes of each statement, or what asks the client for it."""
    requests = {_key(each): _request(each) for each in askings}
    if (context.protocol_version or "") < INPUT_REQUIRED:
        return await _within_call(context, askings, seconds)
    if context.input_responses is None:
        return InputRequiredResult(input_requests={**requests})
    responses = context.input_responses
    drafts = {each.statement: _draft(responses.get(_key(each))) for each in askings}
    return {statement: draft for statement, draft in drafts.items() if draft}


async def _within_call(
    context: Context[Any, Any], askings: Sequence[RepairRequest], seconds: float
) -> dict[str, ClientDraft]:
    drafts: dict[str, ClientDraft] = {}
    with anyio.move_on_after(seconds):
        for each in askings:
            if draft := await _asked(context, _request(each)):
                drafts[each.statement] = draft
    return drafts


def _key(asking: RepairRequest) -> str:
    """Return the name of a request, the same in every round."""
    return f"mend-{hashlib.sha256(asking.text.encode()).hexdigest()[:16]}"


async def _asked(context: Context[Any, Any], request: CreateMessageRequest) -> ClientDraft | None:
    """Ask within the call; a client that declines or fails leaves the statement as it is."""
    try:
        response = await context.session.send_request(
            request,
            CreateMessageResult,
            metadata=ServerMessageMetadata(related_request_id=context.request_id),
        )
    except Exception as error:  # noqa: BLE001 - this rung is optional, the next one always there
        LOG.info("The client's model was unavailable: %s", type(error).__name__)
        return None
    return _draft(response)


def _request(asking: RepairRequest) -> CreateMessageRequest:
    content = TextContent(type="text", text=asking.text)
    return CreateMessageRequest(
        params=CreateMessageRequestParams(
            messages=[SamplingMessage(role="user", content=content)],
            system_prompt=asking.system,
            max_tokens=MOST_TOKENS,
        )
    )


def _draft(response: object) -> ClientDraft | None:
    if not isinstance(response, CreateMessageResult):
        return None
    content = response.content
    text = content.text if isinstance(content, TextContent) else ""
    return ClientDraft(text, response.model) if text else None
