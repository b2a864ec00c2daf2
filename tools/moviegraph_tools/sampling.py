"""Repair drafts of the client's own model, where the client offers it.

On revision 2026-07-28 the result of a call requests input, and the client sends the call again with
the drafts; before that the server requests them within the call. Either way a draft is compared,
validated and compiled like any other.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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

    from moviegraph.errors import ModelVisibleError
    from moviegraph.query.session import Call, Session

LOG = logging.getLogger("moviegraph")
INPUT_REQUIRED = "2026-07-28"  # the first revision without requests of the server
MAX_TOKENS = 2_000


@dataclass(frozen=True, slots=True)
class RepairRequest:
    """A statement that the client's model is to repair, and the prompt."""

    statement: str
    system: str
    text: str


def repair_request(
    session: Session, statement: str, error: ModelVisibleError, query: str | None
) -> RepairRequest:
    """Return the request to repair a statement that failed."""
    from moviegraph.query import repair_pipeline

    text = repair_pipeline.question(session, statement, error, query)
    return RepairRequest(statement, repair_pipeline.SYSTEM, text)


def is_sampling_offered(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Return whether the client offers its model."""
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and capabilities.sampling is not None


@dataclass(frozen=True, slots=True)
class ClientDraft:
    """What the client's model replied to one request, and which model that is."""

    text: str
    model: str

    @property
    def cost(self) -> ModelCost:
        """Return the cost of one call; clients do not report tokens."""
        return ModelCost(by="client", model=self.model[:200], purpose="repair", calls=1, untold=1)


async def request_drafts(
    context: Context[Any, Any], requests: Sequence[RepairRequest], seconds: float
) -> dict[str, ClientDraft] | InputRequiredResult:
    """Return the client's drafts by statement, or the result that requests them."""
    if (context.protocol_version or "") < INPUT_REQUIRED:
        return await _request_within_call(context, requests, seconds)
    messages = {_key(request.statement): _message(request) for request in requests}
    return InputRequiredResult(input_requests={**messages})


def drafts_from(responses: Mapping[str, Any], statements: Sequence[str]) -> dict[str, ClientDraft]:
    """Return the client's drafts by statement, from a call that the client sent again."""
    drafts = {statement: _draft(responses.get(_key(statement))) for statement in statements}
    return {statement: draft for statement, draft in drafts.items() if draft}


def with_drafts(call: Call, drafts: Mapping[str, ClientDraft]) -> Call:
    """Return the call with drafts, each charged to the record of its statement."""
    for statement, draft in drafts.items():
        call.ledger.add(statement, draft.cost)
    return replace(call, drafts={sql: draft.text for sql, draft in drafts.items()})


async def _request_within_call(
    context: Context[Any, Any], requests: Sequence[RepairRequest], seconds: float
) -> dict[str, ClientDraft]:
    """Return drafts; a client that declines or fails leaves the statement as it is."""
    drafts: dict[str, ClientDraft] = {}
    with anyio.move_on_after(seconds):
        for request in requests:
            try:
                response = await context.session.send_request(
                    _message(request),
                    CreateMessageResult,
                    metadata=ServerMessageMetadata(related_request_id=context.request_id),
                )
            except Exception as error:  # noqa: BLE001 - a diagnosis is always possible
                LOG.info("The client's model was unavailable: %s", type(error).__name__)
                continue
            if draft := _draft(response):
                drafts[request.statement] = draft
    return drafts


def _key(statement: str) -> str:
    """Return the name of the request about a statement, the same in every round."""
    return f"repair-{hashlib.sha256(statement.encode()).hexdigest()[:16]}"


def _message(request: RepairRequest) -> CreateMessageRequest:
    content = TextContent(type="text", text=request.text)
    return CreateMessageRequest(
        params=CreateMessageRequestParams(
            messages=[SamplingMessage(role="user", content=content)],
            system_prompt=request.system,
            max_tokens=MAX_TOKENS,
        )
    )


def _draft(response: object) -> ClientDraft | None:
    if not isinstance(response, CreateMessageResult):
        return None
    content = response.content
    text = content.text if isinstance(content, TextContent) else ""
    return ClientDraft(text, response.model) if text else None
