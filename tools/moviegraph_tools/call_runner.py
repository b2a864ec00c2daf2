"""The runner of tool calls: a bounded queue, a thread, a time limit, cancellation and progress."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import anyio
import anyio.to_thread
from mcp.types import CallToolResult, InputRequiredResult
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from moviegraph.caller import client_of, http_request, owner_of, queue_key, transport_of
from moviegraph.errors import ModelVisibleError, QueryTimeoutError, UnavailableError
from moviegraph.observability import (
    bind_log_context,
    count_running,
    count_waiting,
    measure_call,
    report,
)
from moviegraph.query.session import SessionOpener
from moviegraph.text import one_line, plural
from moviegraph_tools.sampling import RepairRequest, offered, request_drafts
from moviegraph_tools.tool_results import error_result, facts_result, neutral_result, rows_result

RETRY_HINT = "Retry the same call in a few seconds, and send fewer calls at once."


@dataclass(frozen=True, slots=True)
class CallLimits:
    """How many calls a server accepts.

    Attributes:
        running: Maximum running calls; one client may have one fewer, so that it never blocks
            the others.
        waiting: Maximum calls that wait for a slot.
        slow_after: Seconds after which a running call counts as slow. It then gives its slot to
            another call, as long as there are slots for slow calls.
    """

    running: int = 8
    waiting: int = 64
    slow_after: float = 1.0

    @property
    def slow_slots(self) -> int:
        """Additional slots for slow calls."""
        return max(1, self.running // 2)

    @property
    def per_client(self) -> int:
        """Maximum running calls of one client."""
        return max(1, self.running - 1)

    @property
    def threads(self) -> int:
        """Maximum running calls, slow ones included."""
        return self.running + self.slow_slots


@dataclass(slots=True, eq=False)
class CallSlot:
    """The slot of one running call; `timer` marks it as slow."""

    client: str
    timer: asyncio.TimerHandle | None = None
    is_slow: bool = False


class CallQueue:
    """Grants slots to the calls of one event loop; never used from another thread.

    Clients that wait take turns, so that the many calls of one do not starve the one of another;
    when too many wait, the newest call of the client with the most waiting calls is refused.
    """

    def __init__(self, limits: CallLimits) -> None:
        self._limits = limits
        self._running: set[CallSlot] = set()
        self._waiting: OrderedDict[str, deque[asyncio.Future[CallSlot]]] = OrderedDict()
        self._is_closed = False
        self._idle = asyncio.Event()
        self._idle.set()

    async def acquire(self, client: str, waits: Callable[[], None]) -> CallSlot:
        """Return a slot, at once if one is free for the client, otherwise in turn.

        Args:
            client: The client that calls.
            waits: Called when the call starts to wait.

        Raises:
            UnavailableError: Too many calls wait already, or the server is ending (code busy).
        """
        if self._is_closed:
            raise _shutting_down()
        if self._is_free(client):
            return self._grant(client)
        turn = asyncio.get_running_loop().create_future()
        self._enqueue(client, turn)
        waits()
        count_waiting(1)
        try:
            return await turn
        except asyncio.CancelledError:
            if not turn.cancelled() and turn.exception() is None:  # granted in the same moment
                self.release(turn.result())
            raise
        finally:
            count_waiting(-1)
            self._remove(client, turn)

    def release(self, slot: CallSlot) -> None:
        """Release a slot whose work has ended; a slot that was released before is ignored."""
        if slot not in self._running:
            return
        self._running.remove(slot)
        count_running(-1)
        if slot.timer is not None:
            slot.timer.cancel()
        self._grant_free()
        if not self._running:
            self._idle.set()

    async def close(self) -> None:
        """Refuse waiting and new calls, and wait until no call is running."""
        self._is_closed = True
        for queue in self._waiting.values():
            for turn in queue:
                _refuse(turn, _shutting_down())
        self._waiting.clear()
        await self._idle.wait()

    def _is_free(self, client: str) -> bool:
        slow = min(sum(slot.is_slow for slot in self._running), self._limits.slow_slots)
        used = sum(slot.client == client for slot in self._running)
        has_room = len(self._running) - slow < self._limits.running
        return has_room and used < self._limits.per_client

    def _grant(self, client: str) -> CallSlot:
        slot = CallSlot(client)
        loop = asyncio.get_running_loop()
        slot.timer = loop.call_later(self._limits.slow_after, self._mark_slow, slot)
        self._running.add(slot)
        self._idle.clear()
        count_running(1)
        return slot

    def _mark_slow(self, slot: CallSlot) -> None:
        slot.is_slow = True
        self._grant_free()

    def _grant_free(self) -> None:
        """Grant free slots; a client whose call is granted goes to the end of the queue."""
        while (client := next(filter(self._is_free, self._waiting), None)) is not None:
            queue = self._waiting.pop(client)
            turn = queue.popleft()
            if queue:
                self._waiting[client] = queue
            if not turn.done():
                turn.set_result(self._grant(client))

    def _enqueue(self, client: str, turn: asyncio.Future[CallSlot]) -> None:
        if sum(map(len, self._waiting.values())) >= self._limits.waiting:
            self._make_room(len(self._waiting.get(client, ())))
        self._waiting.setdefault(client, deque()).append(turn)

    def _make_room(self, waiting_of_caller: int) -> None:
        """Refuse the newest call of the client with the most waiting, if not that of the caller."""
        refusal = UnavailableError(
            f"The server is busy: {plural(len(self._running), 'call')} running and "
            f"{self._limits.waiting} waiting, its maximum. This call did not run.",
            code="busy",
            hint=RETRY_HINT,
        )
        queue = max(self._waiting.values(), key=len, default=None)
        if queue is None or len(queue) <= waiting_of_caller + 1:
            raise refusal
        _refuse(queue.pop(), refusal)

    def _remove(self, client: str, turn: asyncio.Future[CallSlot]) -> None:
        queue = self._waiting.get(client)
        if queue is not None and turn in queue:
            queue.remove(turn)
            if not queue:
                del self._waiting[client]


def _refuse(turn: asyncio.Future[CallSlot], refusal: UnavailableError) -> None:
    if not turn.done():
        turn.set_exception(refusal)


def _shutting_down() -> UnavailableError:
    return UnavailableError(
        "The server is shutting down and accepts no more calls. This call did not run.",
        code="busy",
        hint="Retry the call when the server is running again.",
    )


if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.mcpserver import Context
    from mcp.server.session import ServerSession

    from moviegraph.query.session import Call, Progress, Session
    from moviegraph_tools.tool_definition import ToolDefinition

ToolAnswer = CallToolResult | InputRequiredResult
Output = TypeVar("Output")
LOG = logging.getLogger("moviegraph")
DIGEST_CHARS = 12
MAX_ID_CHARS = 64
PROGRESS_BUFFER = 32
NO_RECALL = "moviegraph/recall"
MODELS = "moviegraph/models"


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds for a whole call, and seconds after that to return what is finished."""

    total: float = 45.0
    grace: float = 5.0


class InputRequired(Exception):
    """Ends a call with a request to the client, which sends the call again with the response."""

    def __init__(self, result: InputRequiredResult) -> None:
        super().__init__()
        self.result = result


class CallRunner:
    """Runs the work of tools for one server; created for one run of its loop.

    Args:
        opener: Opens the session and lends it to calls.
        limits: Time limits of a call.
        queue_limits: How many calls run and wait.
    """

    def __init__(self, opener: SessionOpener, limits: TimeLimits, queue_limits: CallLimits) -> None:
        self._opener = opener
        self._limits = limits
        self._queue = CallQueue(queue_limits)
        self._thread_limiter = anyio.CapacityLimiter(queue_limits.threads)
        self._running: dict[CallSlot, Call] = {}
        self._is_imported = False

    async def drain(self, seconds: float) -> None:
        """Accept no more calls, let those that run end, and cancel them after some seconds."""
        with anyio.move_on_after(seconds):
            await self._queue.close()
        self._cancel_all()

    async def close(self) -> None:
        """Cancel the calls that still run, and wait for their threads."""
        self._cancel_all()
        with anyio.move_on_after(self._limits.grace, shield=True):
            await self._queue.close()

    def _cancel_all(self) -> None:
        for call in tuple(self._running.values()):
            call.cancellation.cancel()

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
        started = time.perf_counter()
        outcome: dict[str, Any] = {"status": "failed", "code": "cancelled"}
        request_id = ctx.request_id
        if isinstance(request_id, str):  # a client may make it a text that fills the log
            request_id = request_id[:MAX_ID_CHARS]
        with bind_log_context(tool=tool.name, request_id=request_id):
            try:
                result = await self._result(tool, context, ctx, values, parse)
                outcome = _outcome(result)
                return result
            finally:
                _report_call(tool.name, ctx, time.perf_counter() - started, outcome)

    async def _result(
        self,
        tool: ToolDefinition,
        context: Context[Any, Any],
        ctx: ServerRequestContext[Any, Any],
        values: dict[str, Any],
        parse: Callable[[], Any],
    ) -> ToolAnswer:
        call: Call | None = None
        try:
            async with ProgressRelay(ctx.session) as relay:
                call = await self._new_call(tool, ctx, values, relay.put)
                with _disconnect_watcher(ctx, call):
                    arguments = await self._arguments(ctx, call, parse)
                    result = await self._steps(tool, context, arguments, call)
        except InputRequired as required:
            return required.result
        except ModelVisibleError as error:
            result = error_result(error)
        except Exception as error:  # noqa: BLE001 - the boundary: nothing unexpected leaves here
            result = neutral_result(report(error, tool.name))
        return _with_costs(result, call)

    async def _new_call(
        self,
        tool: ToolDefinition,
        ctx: ServerRequestContext[Any, Any],
        values: dict[str, Any],
        progress: Progress,
    ) -> Call:
        if not self._is_imported:  # off the loop: it brings numpy and the SQL parser
            await anyio.to_thread.run_sync(import_module, "moviegraph.query.session")
            self._is_imported = True
        from moviegraph.query.session import Call

        return Call(
            tool=tool.name,
            owner=owner_of(ctx),
            client=client_of(ctx),
            recall=cast("dict[str, Any]", ctx.meta or {}).get(NO_RECALL) is not False,
            given=values,
            progress=progress,
        )

    async def _arguments(
        self, ctx: ServerRequestContext[Any, Any], call: Call, parse: Callable[[], Any]
    ) -> Any:
        """Return the arguments; wrong ones are recorded, unless nothing is open yet to do that."""
        try:
            return parse()
        except ModelVisibleError as error:
            if self._opener.ready:
                await self._in_thread(ctx, call, partial(_fail, error))
            raise

    async def _steps(
        self, tool: ToolDefinition, context: Context[Any, Any], arguments: Any, call: Call
    ) -> CallToolResult:
        """Do the work; a client's own model, where it is offered, repairs before and after it."""
        ctx = context.request_context
        is_offered = offered(ctx)
        if tool.asks is not None and is_offered:
            has_returned = context.input_responses is not None
            requests = await self._in_thread(
                ctx, call, partial(_repair_requests, tool, arguments, has_returned=has_returned)
            )
            call = await self._with_drafts(context, requests, call)
        work = partial(_work, tool, arguments, asks_again=is_offered and not call.drafts)
        result, requests = await self._in_thread(ctx, call, work)
        if requests:
            call = await self._with_drafts(context, requests, call)
            if call.drafts:
                work = partial(_work, tool, arguments, asks_again=False)
                result, _ = await self._in_thread(ctx, call, work)
        return result

    async def _with_drafts(
        self, context: Context[Any, Any], requests: list[RepairRequest], call: Call
    ) -> Call:
        """Return the call with the drafts of the client's model.

        It may take half of the time that is left: the statements are still to be run.

        Raises:
            InputRequired: The client is to send the call again, with the drafts.
        """
        drafts = await request_drafts(context, requests, self._left(call) / 2) if requests else {}
        if isinstance(drafts, InputRequiredResult):
            record = partial(_record_asked, len(requests))
            await self._in_thread(context.request_context, call, record)
            raise InputRequired(drafts)
        for statement, draft in drafts.items():
            call.ledger.add(statement, draft.cost)
        return replace(call, drafts={sql: draft.text for sql, draft in drafts.items()})

    def _left(self, call: Call) -> float:
        """Return the seconds that are left of a call."""
        return max(0.0, call.began + self._limits.total - time.monotonic())

    async def _in_thread(
        self,
        ctx: ServerRequestContext[Any, Any],
        call: Call,
        work: Callable[[Session, Call], Output],
    ) -> Output:
        """Return what work in a thread returns; its slot is released when the thread has ended.

        Raises:
            QueryTimeoutError: The work was cancelled at the call's time limit, and did not end.
            UnavailableError: There was no slot or no thread (code busy).
        """
        slot = await self._acquire(ctx, call)
        loop, has_started = asyncio.get_running_loop(), False

        def run() -> Output:
            nonlocal has_started
            has_started = True
            try:
                with self._opener.lent(call) as session:
                    return _recorded(session, call, work)
            finally:
                with suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(self._release, slot)

        self._running[slot] = call
        left = self._left(call)
        late = loop.call_later(left, partial(call.cancellation.cancel, late=True))
        try:
            with anyio.move_on_after(left + self._limits.grace):
                return await anyio.to_thread.run_sync(
                    run, abandon_on_cancel=True, limiter=self._thread_limiter
                )
        except asyncio.CancelledError:
            call.cancellation.cancel()
            raise
        except RuntimeError as error:
            if has_started:
                raise
            raise _no_thread(error) from error
        finally:
            late.cancel()
            if not has_started:
                self._release(slot)
        raise QueryTimeoutError(
            f"The call took longer than {self._limits.total:g} s.",
            hint="Narrow the call: filter earlier, use fewer hops, or request less at once.",
        )

    def _release(self, slot: CallSlot) -> None:
        self._running.pop(slot, None)
        self._queue.release(slot)

    async def _acquire(self, ctx: ServerRequestContext[Any, Any], call: Call) -> CallSlot:
        """Return a free slot, or wait for the call's turn, at most for its time."""
        with anyio.move_on_after(self._left(call)):
            waits = partial(call.progress, 0, None, "waiting for a slot")
            return await self._queue.acquire(queue_key(ctx), waits)
        raise UnavailableError(
            f"The server is busy: the call waited {self._limits.total:g} s for a slot, and "
            "did not run.",
            code="busy",
            hint=RETRY_HINT,
        )


def _recorded(session: Session, call: Call, work: Callable[[Session, Call], Output]) -> Output:
    """Do the work; a failure that the journal does not contain yet is recorded."""
    try:
        call.cancellation.check()
        return work(session, call)
    except Exception as error:
        from moviegraph.query.query_pipeline import record_failure

        record_failure(session, call, error)
        raise


def _work(
    tool: ToolDefinition, arguments: Any, session: Session, call: Call, *, asks_again: bool
) -> tuple[CallToolResult, list[RepairRequest]]:
    """Return the result of the work, and what the client's model may repair in it."""
    output = tool.work(session, call, arguments)
    if not isinstance(output, dict):
        return rows_result(output), []
    requests: list[RepairRequest] = []
    if asks_again and tool.asks_again is not None:
        requests = tool.asks_again(session, call, arguments, output)
    return facts_result(output), requests


def _repair_requests(
    tool: ToolDefinition, arguments: Any, session: Session, call: Call, *, has_returned: bool
) -> list[RepairRequest]:
    """Return what to ask of the client's model: what rules and the configured model do not repair.

    When the client returns with its responses, the configured model was asked before.
    """
    assert tool.asks is not None
    return tool.asks(replace(session, model=None) if has_returned else session, call, arguments)


def _record_asked(statements: int, session: Session, call: Call) -> None:
    from moviegraph.query.query_pipeline import record_asked

    record_asked(session, call, statements)


def _fail(error: Exception, _session: Session, _call: Call) -> None:
    raise error


def _no_thread(error: RuntimeError) -> UnavailableError:
    facts = {"facts": {"event": "thread_refused"}}
    LOG.error("No thread could be started for a call: %s.", error, extra=facts)
    return UnavailableError(
        "The server is busy: the system provides no more threads. The call did not run.",
        code="busy",
        hint=RETRY_HINT,
    )


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


def _with_costs(result: CallToolResult, call: Call | None) -> CallToolResult:
    """Add to the result's `_meta` what models cost the call: for programs, no model pays."""
    costs = call.ledger.total if call is not None else ()
    if not costs:
        return result
    models = {MODELS: [cost.model_dump() for cost in costs]}
    return result.model_copy(update={"meta": {**(result.meta or {}), **models}})


def _outcome(result: ToolAnswer) -> dict[str, Any]:
    """Return how a call ended, by its result."""
    if isinstance(result, InputRequiredResult):
        return {"status": "asked"}
    facts = cast("dict[str, Any]", result.structured_content or {})
    if result.is_error:
        return {"status": "failed", "code": facts.get("error", {}).get("code", "error")}
    counts = {"rows": facts.get("row_count"), "execution_id": facts.get("execution_id")}
    return {"status": "ok", **{name: value for name, value in counts.items() if value is not None}}


def _report_call(
    tool: str, ctx: ServerRequestContext[Any, Any], seconds: float, outcome: dict[str, Any]
) -> None:
    transport = transport_of(ctx)
    measure_call(tool, transport, seconds, outcome.get("code"))
    if LOG.isEnabledFor(logging.INFO):
        event = {"event": "call", **outcome, "elapsed_ms": round(1000 * seconds, 1)}
        event |= {"transport": transport, "owner": _masked_owner(ctx)}
        LOG.info("call", extra={"facts": event})


def _masked_owner(ctx: ServerRequestContext[Any, Any]) -> str:
    """Return the kind of the owner, and for others than the local one a digest of who it is."""
    owner = owner_of(ctx)
    kind, _, identity = owner.partition(" ")
    digest = hashlib.sha256(owner.encode()).hexdigest()[:DIGEST_CHARS]
    return f"{kind}:{digest}" if identity else kind


ProgressStep = tuple[float, float | None, str]


class ProgressRelay:
    """Sends progress from any thread to the client; the value only ever grows.

    A client that reads too slowly misses steps, and does not hold up the call. Most calls take no
    step, so the task that sends them starts with the first. What was taken is sent before the
    block ends, unless the call was cancelled.
    """

    def __init__(self, client: ServerSession) -> None:
        self._client = client
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        self._steps: asyncio.Queue[ProgressStep | None] = asyncio.Queue(PROGRESS_BUFFER)
        self._sender: asyncio.Task[None] | None = None
        self._has_ended = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._has_ended = True
        if self._sender is None:
            return
        try:
            if error is None or isinstance(error, Exception):
                await self._steps.put(None)
                await self._sender
        finally:
            self._sender.cancel()

    def put(self, done: float, total: float | None, message: str) -> None:
        """Take a step, from any thread; it is dropped where the loop has ended."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._put, (done, total, message))

    def _put(self, step: ProgressStep) -> None:
        if self._has_ended:
            return
        if self._sender is None:
            self._sender = self._loop.create_task(self._send(), context=self._context)
        with suppress(asyncio.QueueFull):
            self._steps.put_nowait(step)

    async def _send(self) -> None:
        """Report each step until None; every phase counts 1, however many steps it has."""
        reached, base, last = -1.0, 0.0, None
        while (step := await self._steps.get()) is not None:
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
                total_steps = base + 1 if total else None
                await self._client.report_progress(reached, total_steps, one_line(message))


class Shutdown:
    """Ends the calls of the servers that were added to it."""

    def __init__(self) -> None:
        self._runners: list[CallRunner] = []
        self._has_started = False

    @property
    def has_started(self) -> bool:
        """Whether the server is ending."""
        return self._has_started

    def add(self, runner: CallRunner) -> Callable[[], None]:
        """Add the calls of one run of a server; returns their removal."""
        self._runners.append(runner)
        return lambda: self._runners.remove(runner)

    async def drain(self, seconds: float) -> None:
        """Refuse new and waiting calls, and wait for those that run.

        Args:
            seconds: After that, what still runs is cancelled, and returns that.
        """
        self._has_started = True
        async with anyio.create_task_group() as group:
            for runner in tuple(self._runners):
                group.start_soon(runner.drain, seconds)
