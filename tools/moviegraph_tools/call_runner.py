"""The runner of tool calls: a bounded queue, a thread, a time limit, cancellation and progress."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Generator, Set
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

import anyio
import anyio.to_thread
from mcp.types import CallToolResult, InputRequiredResult
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from moviegraph.caller import Caller, caller_of, http_request
from moviegraph.errors import (
    GraphReplacedError,
    ModelVisibleError,
    QueryTimeoutError,
    UnavailableError,
)
from moviegraph.journal.execution_records import short_owner
from moviegraph.observability import (
    bind_log_context,
    count_running,
    count_waiting,
    measure_call,
    report,
)
from moviegraph.query.session import Call, Progress, Session
from moviegraph.query.session_opener import SessionOpener
from moviegraph.text import one_line, plural
from moviegraph_tools.sampling import (
    RepairRequest,
    drafts_from,
    is_sampling_offered,
    request_drafts,
    with_drafts,
)
from moviegraph_tools.tool_results import (
    NO_NAMES,
    error_result,
    facts_result,
    neutral_result,
    rows_result,
)

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.mcpserver import Context
    from mcp.server.session import ServerSession

    from moviegraph_tools.tool_definition import ToolDefinition

ToolAnswer = CallToolResult | InputRequiredResult
Output = TypeVar("Output")
LOG = logging.getLogger("moviegraph")
RETRY_HINT = "Retry the same call in a few seconds, and send fewer calls at once."
MAX_ID_CHARS = 64
GRACE = 5.0  # seconds, after the time of a call, to return what is finished
PROGRESS_BUFFER = 32
NO_RECALL = "moviegraph/recall"
MODELS = "moviegraph/models"


@dataclass(slots=True, eq=False)
class CallSlot:
    """The slot of one call; `granted` is done when it may run."""

    client: str
    call: Call
    granted: asyncio.Future[None]


class CallQueue:
    """Grants slots to the calls of one event loop; never used from another thread.

    One client has at most one slot fewer than there are, so that it never blocks the others.
    Clients that wait take turns, so that the many calls of one do not starve the one of another;
    when too many wait, the newest call of the client with the most waiting calls is refused.

    Args:
        running: Maximum running calls.
        waiting: Maximum calls that wait for a slot.
    """

    def __init__(self, running: int, waiting: int) -> None:
        self._max_running = running
        self._max_waiting = waiting
        self._running: set[CallSlot] = set()
        self._waiting: list[CallSlot] = []
        self._is_closed = False
        self._idle = asyncio.Event()
        self._idle.set()

    async def acquire(self, client: str, call: Call) -> CallSlot:
        """Return a slot, at once if one is free for the client, otherwise in turn.

        Raises:
            UnavailableError: Too many calls wait already, or the server is ending (code busy).
        """
        if self._is_closed:
            raise _shutting_down()
        slot = CallSlot(client, call, asyncio.get_running_loop().create_future())
        if self._is_free(client):
            self._grant(slot)
            return slot
        if len(self._waiting) >= self._max_waiting:
            self._make_room(client)
        self._waiting.append(slot)
        call.progress(0, None, "waiting for a slot")
        count_waiting(1)
        try:
            await slot.granted
        except asyncio.CancelledError:
            self.release(slot)  # it may have been granted in the same moment
            raise
        finally:
            count_waiting(-1)
        return slot

    def release(self, slot: CallSlot) -> None:
        """Release a slot that is granted or awaited; one that was released before is ignored."""
        if slot in self._waiting:
            self._waiting.remove(slot)
        if slot not in self._running:
            return
        self._running.remove(slot)
        count_running(-1)
        if self._waiting:
            self._grant_free()
        if not self._running:
            self._idle.set()

    async def close(self) -> None:
        """Refuse waiting and new calls, and wait until no call is running."""
        self._is_closed = True
        for slot in tuple(self._waiting):
            self._refuse(slot, _shutting_down())
        await self._idle.wait()

    def cancel(self) -> None:
        """Cancel the calls that run."""
        for slot in tuple(self._running):
            slot.call.cancellation.cancel()

    def _is_free(self, client: str) -> bool:
        used = sum(slot.client == client for slot in self._running)
        return len(self._running) < self._max_running and used < max(1, self._max_running - 1)

    def _grant(self, slot: CallSlot) -> None:
        self._running.add(slot)
        self._idle.clear()
        count_running(1)
        slot.granted.set_result(None)

    def _grant_free(self) -> None:
        """Grant free slots; the other calls of a client then wait behind those of others."""
        for slot in tuple(self._waiting):
            if not slot.granted.done() and self._is_free(slot.client):
                self._waiting.remove(slot)
                self._grant(slot)
                self._waiting.sort(key=lambda other: other.client == slot.client)
                self._grant_free()
                return

    def _make_room(self, client: str) -> None:
        """Refuse the newest call of the client with the most waiting, if not that of the caller."""
        refusal = UnavailableError(
            f"The server is busy: {plural(len(self._running), 'call')} running and "
            f"{self._max_waiting} waiting, its maximum. This call did not run.",
            code="busy",
            hint=RETRY_HINT,
        )
        counts = Counter(slot.client for slot in self._waiting)
        ((most, count),) = counts.most_common(1) or [(client, 0)]
        if count <= counts[client] + 1:
            raise refusal
        self._refuse(next(s for s in reversed(self._waiting) if s.client == most), refusal)

    def _refuse(self, slot: CallSlot, refusal: UnavailableError) -> None:
        self._waiting.remove(slot)
        if not slot.granted.done():
            slot.granted.set_exception(refusal)


def _shutting_down() -> UnavailableError:
    return UnavailableError(
        "The server is shutting down and accepts no more calls. This call did not run.",
        code="busy",
        hint="Retry the call when the server is running again.",
    )


class CallRunner:
    """Runs the work of tools for one server; created for one run of its loop.

    Args:
        opener: Opens the session and lends it to calls.
        queue: Grants the slots.
        seconds: For a whole call.
        hidden: Names of tools that no result may contain.
    """

    def __init__(
        self,
        opener: SessionOpener,
        queue: CallQueue,
        seconds: float,
        hidden: Set[str] = NO_NAMES,
    ) -> None:
        self._hidden = hidden
        self._opener = opener
        self._queue = queue
        self._seconds = seconds
        self._thread_limiter = anyio.CapacityLimiter(math.inf)  # the queue bounds them

    async def drain(self, seconds: float) -> None:
        """Accept no more calls, let those that run end, and cancel them after some seconds."""
        with anyio.move_on_after(seconds):
            await self._queue.close()
        self._queue.cancel()

    async def close(self) -> None:
        """Cancel the calls that still run, and wait for their threads."""
        self._queue.cancel()
        with anyio.move_on_after(GRACE, shield=True):
            await self._queue.close()

    async def run(
        self,
        tool: ToolDefinition,
        context: Context[Any, Any],
        values: dict[str, Any],
        parse: Callable[[], Any],
    ) -> ToolAnswer:
        """Return the result of one call, whatever happens; only its cancellation is raised.

        The log says of which request everything is that is logged meanwhile, how long it took, and
        how it ended.
        """
        ctx = context.request_context
        caller = caller_of(ctx)
        call = Call(
            tool=tool.name,
            owner=caller.owner,
            client=caller.client,
            recall=cast("dict[str, Any]", ctx.meta or {}).get(NO_RECALL) is not False,
            arguments=values,
        )
        outcome: dict[str, Any] = {"status": "failed", "code": "cancelled"}
        request_id = ctx.request_id
        if isinstance(request_id, str):  # a client may make it a text that fills the log
            request_id = request_id[:MAX_ID_CHARS]
        with bind_log_context(tool=tool.name, request_id=request_id):
            try:
                async with progress_relay(ctx.session) as progress:
                    with _disconnect_watcher(ctx, call):
                        call = replace(call, progress=progress)
                        result = await self._answer(tool, context, caller, call, parse)
                outcome = _outcome(result)
                return result
            finally:
                _report_call(call, caller, outcome)

    async def _answer(
        self,
        tool: ToolDefinition,
        context: Context[Any, Any],
        caller: Caller,
        call: Call,
        parse: Callable[[], Any],
    ) -> ToolAnswer:
        """Do the work, once more where the client's own model repairs what failed.

        That may take half of the time that is left: the statements are still to be run. What models
        cost the call is in `_meta`, which no model reads.
        """
        asks = tool.unrepaired is not None and is_sampling_offered(context.request_context)
        responses = context.input_responses if asks else None
        work = partial(_work, tool, parse, asks, responses, self._hidden)
        result: ToolAnswer
        try:
            result, requests = await self._in_thread(caller, call, work)
            if requests:
                drafts = await request_drafts(context, requests, self._left(call) / 2)
                if isinstance(drafts, InputRequiredResult):
                    result = drafts
                elif drafts:
                    work = partial(_work, tool, parse, False, None, self._hidden)
                    result, _ = await self._in_thread(caller, with_drafts(call, drafts), work)
        except ModelVisibleError as error:
            result = error_result(error, self._hidden)
        except Exception as error:  # noqa: BLE001 - the boundary: nothing unexpected leaves here
            result = neutral_result(report(error, tool.name))
        if call.ledger.costs and isinstance(result, CallToolResult):
            models = {MODELS: [cost.model_dump() for cost in call.ledger.total]}
            return result.model_copy(update={"meta": {**(result.meta or {}), **models}})
        return result

    def _left(self, call: Call) -> float:
        """Return the seconds that are left of a call."""
        return max(0.0, call.began + self._seconds - time.monotonic())

    def _lend(
        self,
        call: Call,
        work: Callable[[Session, Call], Output],
        ignored: type[Exception] | tuple[()] = (),
    ) -> Output:
        """Do the work of a call with the session lent to it; its failure is recorded."""
        with self._opener.lent(call) as session:
            try:
                call.cancellation.check()
                return work(session, call)
            except ignored:
                raise
            except Exception as error:
                from moviegraph.query.query_pipeline import record_failure

                record_failure(session, call, error)
                raise

    async def _in_thread(
        self,
        caller: Caller,
        call: Call,
        work: Callable[[Session, Call], Output],
    ) -> Output:
        """Return what work in a thread returns; its slot is released when the thread has ended.

        A failure that the journal does not contain yet is recorded.

        Raises:
            QueryTimeoutError: The work was cancelled at the call's time limit, and did not end.
            UnavailableError: There was no slot or no thread (code busy).
        """
        loop, slot, has_started = asyncio.get_running_loop(), None, False
        with anyio.move_on_after(self._left(call)):
            slot = await self._queue.acquire(caller.turn, call)
        if slot is None:
            raise UnavailableError(
                f"The server is busy: the call waited {self._seconds:g} s for a slot, and "
                "did not run.",
                code="busy",
                hint=RETRY_HINT,
            )

        def run() -> Output:
            nonlocal has_started
            has_started = True
            try:
                with suppress(GraphReplacedError):
                    return self._lend(call, work, ignored=GraphReplacedError)
                return self._lend(call, work)  # on the graph that replaced the first one
            finally:
                with suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(self._queue.release, slot)

        left = self._left(call)
        late = loop.call_later(left, partial(call.cancellation.cancel, late=True))
        try:
            with anyio.move_on_after(left + GRACE):
                return await anyio.to_thread.run_sync(
                    run, abandon_on_cancel=True, limiter=self._thread_limiter
                )
        except asyncio.CancelledError:
            call.cancellation.cancel()
            raise
        except RuntimeError as error:
            if has_started:
                raise
            facts = {"facts": {"event": "thread_refused"}}
            LOG.error("No thread could be started for a call: %s.", error, extra=facts)
            raise UnavailableError(
                "The server is busy: the system provides no more threads. The call did not run.",
                code="busy",
                hint=RETRY_HINT,
            ) from error
        finally:
            late.cancel()
            if not has_started:
                self._queue.release(slot)
        raise QueryTimeoutError(
            f"The call took longer than {self._seconds:g} s.",
            hint="Narrow the call: filter earlier, use fewer hops, or request less at once.",
        )


def _work(
    tool: ToolDefinition,
    parse: Callable[[], Any],
    asks: bool,
    responses: dict[str, Any] | None,
    hidden: Set[str],
    session: Session,
    call: Call,
) -> tuple[CallToolResult, list[RepairRequest]]:
    """Return the result of the work, and what the client's model may repair in it.

    Args:
        tool: The tool.
        parse: Returns the checked arguments.
        asks: Whether the client's model may be asked.
        responses: What it has responded, where the client sent the call again with that.
        hidden: Names of tools that the result may not contain.
        session: The graph served.
        call: The call.
    """
    arguments = parse()
    if responses is not None and tool.statements is not None:
        call = with_drafts(call, drafts_from(responses, tool.statements(arguments)))
    output = tool.work(session, call, arguments)
    if not isinstance(output, dict):
        return rows_result(output, hidden), []
    requests: list[RepairRequest] = []
    if asks and responses is None and tool.unrepaired is not None:
        requests = tool.unrepaired(session, arguments, output)
    return facts_result(output, hidden), requests


@contextmanager
def _disconnect_watcher(ctx: ServerRequestContext[Any, Any], call: Call) -> Generator[None]:
    """Cancel the call when its HTTP client has gone, where the SDK does not.

    Up to revision 2025-11-25 the SDK lets such a call continue, for a client that resumes its
    stream; no stream can be resumed here, so the result would never be read.
    """
    request = http_request(ctx.request)
    if request is None or ctx.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS:
        yield
        return

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        call.cancellation.cancel()

    watching = asyncio.get_running_loop().create_task(watch())
    try:
        yield
    finally:
        watching.cancel()


def _outcome(result: ToolAnswer) -> dict[str, Any]:
    """Return how a call ended, by its result."""
    if isinstance(result, InputRequiredResult):
        return {"status": "asked"}
    facts = cast("dict[str, Any]", result.structured_content or {})
    if result.is_error:
        return {"status": "failed", "code": facts.get("error", {}).get("code", "error")}
    counts = {"rows": facts.get("row_count"), "execution_id": facts.get("execution_id")}
    return {"status": "ok", **{name: value for name, value in counts.items() if value is not None}}


def _report_call(call: Call, caller: Caller, outcome: dict[str, Any]) -> None:
    """Measure a call, and log it; of its owner the log has the kind, and a digest of who it is."""
    seconds, transport = time.monotonic() - call.began, caller.client.transport
    measure_call(call.tool, transport, seconds, outcome.get("code"))
    if LOG.isEnabledFor(logging.INFO):
        event = {"event": "call", **outcome, "elapsed_ms": round(1000 * seconds, 1)}
        event |= {"transport": transport, "owner": short_owner(call.owner)}
        LOG.info("call", extra={"facts": event})


ProgressStep = tuple[float, float | None, str]


@asynccontextmanager
async def progress_relay(client: ServerSession) -> AsyncGenerator[Progress]:
    """Yield a function that sends progress from any thread to the client.

    A client that reads too slowly misses steps, and does not hold up the call. What was taken is
    sent before the block ends, unless the call was cancelled.
    """
    loop = asyncio.get_running_loop()
    steps: asyncio.Queue[ProgressStep | None] = asyncio.Queue(PROGRESS_BUFFER)
    sender: asyncio.Task[None] | None = None

    def enqueue(step: ProgressStep) -> None:
        nonlocal sender
        if sender is None:  # most calls have no step
            sender = loop.create_task(_send_progress(client, steps))
        with suppress(asyncio.QueueFull):
            steps.put_nowait(step)

    def put(done: float, total: float | None, message: str) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(enqueue, (done, total, message))

    try:
        yield put
        if sender is not None:
            await steps.put(None)
            await sender
    finally:
        if sender is not None:
            sender.cancel()


async def _send_progress(client: ServerSession, steps: asyncio.Queue[ProgressStep | None]) -> None:
    """Send each step until None; the value only grows, and each phase counts 1."""
    reached, base, last = -1.0, 0.0, None
    while (step := await steps.get()) is not None:
        done, total, message = step
        if step == last:
            continue
        part = done / total if total else done
        if base + part <= reached:
            base = math.floor(reached) + 1.0
        reached, last = base + part, step
        with suppress(Exception):  # a client that cannot receive it still gets the result
            if total:
                message = f"{message} ({done:g} of {total:g})"
            await client.report_progress(reached, base + 1 if total else None, one_line(message))


class Shutdown:
    """Ends the calls of the servers that were added to it."""

    def __init__(self) -> None:
        self._runners: list[CallRunner] = []
        self.has_started = False

    def add(self, runner: CallRunner) -> Callable[[], None]:
        """Add the calls of one run of a server; returns their removal."""
        self._runners.append(runner)
        return lambda: self._runners.remove(runner)

    async def drain(self, seconds: float) -> None:
        """Refuse new and waiting calls, and wait for those that run.

        Args:
            seconds: After that, what still runs is cancelled, and returns that.
        """
        self.has_started = True
        async with anyio.create_task_group() as group:
            for runner in tuple(self._runners):
                group.start_soon(runner.drain, seconds)
