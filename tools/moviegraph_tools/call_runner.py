"""The runner of tool calls: from the event loop to work in a thread, and back to a result."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import math
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import anyio
import anyio.to_thread
from mcp.types import CallToolResult, InputRequiredResult
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from moviegraph.caller import client_of, http_request, line_of, owner_of, transport_of
from moviegraph.errors import ModelVisibleError, QueryTimeoutError, UnavailableError
from moviegraph.observability import bind_log_context, measure_call, report, with_trace_context
from moviegraph.query.session_opener import SessionOpener
from moviegraph.text import one_line
from moviegraph_tools.call_queue import AGAIN, CallLimits, CallQueue, CallSlot
from moviegraph_tools.sampling import Asks, AsksAgain, RepairRequest, answered, ask, offered
from moviegraph_tools.tool_results import error_result, facts_result, neutral_result, rows_result

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.context import ServerRequestContext
    from mcp.server.mcpserver import Context
    from mcp.server.session import ServerSession
    from starlette.requests import Request

    from moviegraph.query.session import Call, Progress, Rows, Session
    from moviegraph_tools.tool_definition import ToolDefinition

ToolAnswer = CallToolResult | InputRequiredResult
LOG = logging.getLogger("moviegraph")
SHOWN = 12
LONGEST_ID = 64


async def instrument_call(
    tool: str, ctx: ServerRequestContext[Any, Any], work: Callable[[], Awaitable[ToolAnswer]]
) -> ToolAnswer:
    """Do the work of one call, and tell how long it took and how it ended.

    All that is logged meanwhile says of which request it was.
    """
    began = time.perf_counter()
    ended: dict[str, Any] = {"status": "failed", "code": "cancelled"}
    with bind_log_context(tool=tool, request_id=_short(ctx.request_id)):
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
        event = {"event": "call", **ended, "elapsed_ms": round(1000 * seconds, 1)}
        event |= {"transport": transport, "owner": _owner(ctx)}
        LOG.info("call", extra={"facts": event})


def _short(identity: Any) -> Any:
    """Return the id of a request, cut where its client made a text of it that fills the log."""
    return identity[:LONGEST_ID] if isinstance(identity, str) else identity


def _owner(ctx: ServerRequestContext[Any, Any]) -> str:
    """Return the kind of the owner, and for others than the local one a digest of who it is."""
    owner = owner_of(ctx)
    kind, _, who = owner.partition(" ")
    return f"{kind}:{hashlib.sha256(owner.encode()).hexdigest()[:SHOWN]}" if who else kind


def _ending(answer: ToolAnswer) -> dict[str, Any]:
    """Return how a call ended, by its result."""
    if isinstance(answer, InputRequiredResult):
        return {"status": "asked"}
    facts = cast("dict[str, Any]", answer.structured_content or {})
    if answer.is_error:
        return {"status": "failed", "code": facts.get("error", {}).get("code", "error")}
    told = {"rows": facts.get("row_count"), "execution_id": facts.get("execution_id")}
    return {"status": "ok", **{name: value for name, value in told.items() if value is not None}}


PROGRESS_BUFFER = 32
ProgressStep = tuple[float, float | None, str]


class ProgressRelay:
    """Carries progress from the working thread to the client; the value only ever grows.

    A client that reads too slowly misses steps, and holds nobody up. Most calls take no step, so
    that the task which sends them, and the stream to it, begin with the first.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, client: ServerSession) -> None:
        self._loop = loop
        self._client = client
        self._variables = copy_context()
        self._ended = False
        self._sender: MemoryObjectSendStream[ProgressStep] | None = None
        self._receiver: MemoryObjectReceiveStream[ProgressStep] | None = None
        self._sending: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        if self._receiver is not None:
            self._receiver.close()
        if self._sending is not None:
            self._sending.cancel()

    def put(self, done: float, total: float | None, message: str) -> None:
        """Take a step, from any thread."""
        self.soon(lambda: self._put((done, total, message)))

    def soon(self, action: Callable[[], None]) -> None:
        """Run an action in the loop, unless that has ended; waiting for it could wait for ever."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(action)

    async def end(self) -> None:
        """Take no more steps; those taken are still sent."""
        self._close()
        if self._sending is not None:
            await self._sending

    def _close(self) -> None:
        self._ended = True
        if self._sender is not None:
            self._sender.close()

    def _put(self, step: ProgressStep) -> None:
        if self._ended:
            return
        sender = self._sender or self._begin()
        with suppress(anyio.WouldBlock, anyio.BrokenResourceError):
            sender.send_nowait(step)

    def _begin(self) -> MemoryObjectSendStream[ProgressStep]:
        self._sender, taken = anyio.create_memory_object_stream[ProgressStep](PROGRESS_BUFFER)
        self._receiver = taken
        self._sending = self._loop.create_task(self._send(taken), context=self._variables)
        return self._sender

    async def _send(self, taken: MemoryObjectReceiveStream[ProgressStep]) -> None:
        """Report each step until ended; every phase counts 1, however many steps it has."""
        reached, base, last = -1.0, 0.0, None
        async for step in taken:
            done, total, message = step
            if step == last:
                continue
            part = done / total if total else done
            if base + part <= reached:
                base = math.floor(reached) + 1.0
            reached, last = base + part, step
            with suppress(Exception):  # a client that cannot hear of it still gets the result
                if total:
                    message = f"{message} ({done:g} of {total:g})"
                total_steps = base + 1 if total else None
                await self._client.report_progress(reached, total_steps, one_line(message))


Done = TypeVar("Done")


class Threads:
    """As many threads as there are calls at work, started when they are needed."""

    def __init__(self, most: int) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="call")

    def begin(self, work: Callable[[], Done], future: Future[Done]) -> None:
        """Do work in a thread, and tell a future how it ended.

        Raises:
            UnavailableError: No thread can be started (code busy); the future is cancelled then.
        """
        try:
            self._pool.submit(_fulfil, work, future)
        except RuntimeError as error:
            # The pool queues work before it starts a thread: another one may be at it already.
            if future.cancel():
                LOG.error(
                    "No thread could be started for a call: %s.",
                    error,
                    extra={"facts": {"event": "thread_refused"}},
                )
                raise UnavailableError(
                    "The server is busy: the system provides no more threads. The call did "
                    "not run.",
                    code="busy",
                    hint=AGAIN,
                ) from error

    def close(self) -> None:
        """Take on no more work; nobody waits for that which runs."""
        self._pool.shutdown(wait=False)


def _fulfil(work: Callable[[], Done], future: Future[Done]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 (raised again by who waits for it)
        future.set_exception(error)
    finally:
        del future  # its error's trace leads here: a cycle, which would hold both


NO_RECALL = "moviegraph/recall"
PROGRESS_TOKEN = "progress_token"  # noqa: S105 - the protocol's word for it
MODELS = "moviegraph/models"
GRACE = 5.0


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds for a whole call, and seconds after that to hand over what is finished."""

    total: float = 45.0
    grace: float = GRACE


class Bridge:
    """Runs the work of tools for one server; created for one run of its loop.

    Args:
        opening: Gives the session, once it is open.
        limits: Time limits of a call.
        queue_limits: How many calls run and wait.
    """

    def __init__(
        self, opening: SessionOpener, limits: TimeLimits, queue_limits: CallLimits
    ) -> None:
        self._opening = opening
        self._limits = limits
        self._queue = CallQueue(queue_limits)
        self._threads = Threads(queue_limits.threads)
        self._call_type: type[Call] | None = None
        self._running: dict[Future[Any], Call] = {}

    def stop(self) -> None:
        """Cancel every call under way; each is answered with that."""
        for call in tuple(self._running.values()):
            call.cancellation.cancel()

    async def drain(self, seconds: float) -> None:
        """Take on no more calls, let those at work end, and after a time cancel them."""
        with anyio.move_on_after(seconds):
            await self._queue.close()
        self.stop()

    async def close(self) -> None:
        """Drop what waits, and let what runs end: it was cancelled with its call."""
        self._threads.close()
        for future in tuple(self._running):
            future.cancel()
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(wait, tuple(self._running), self._limits.grace)

    async def answer(
        self,
        tool: ToolDefinition,
        context: Context[Any, Any],
        ctx: ServerRequestContext[Any, Any],
        values: dict[str, Any],
        parse: Callable[[], Any],
    ) -> ToolAnswer:
        """Return the result of one call, whatever happens; only its cancellation is raised.

        `ctx` is what `context` says of its request: each time it is asked for takes its time.

        Where the client offers its model, what the tool `asks` of it is asked for before the work,
        and what it `asks_again` after it.
        """
        steps = partial(self._steps, context, ctx, tool)
        work = partial(self._answer, tool.name, ctx, values, parse, steps)
        return await instrument_call(tool.name, ctx, work)

    async def _answer(
        self,
        tool: str,
        ctx: ServerRequestContext[Any, Any],
        values: dict[str, Any],
        parse: Callable[[], Any],
        steps: Callable[[Any, Call, ProgressRelay], Awaitable[ToolAnswer]],
    ) -> ToolAnswer:
        call: Call | None = None
        try:
            calling = partial(self._call, tool, ctx, values)
            arguments = await self._parsed(parse, ctx, calling)
            relay = ProgressRelay(asyncio.get_running_loop(), ctx.session)
            call = await calling(relay.put if _listens(ctx) else _untold)
            return _charged(await self._attended(call, ctx, relay, partial(steps, arguments)), call)
        except ModelVisibleError as error:
            return _charged(error_result(error), call)
        except Exception as error:  # noqa: BLE001 - the boundary: nothing unexpected leaves here
            return _charged(neutral_result(report(error, tool)), call)

    async def _parsed(
        self,
        parse: Callable[[], Any],
        ctx: ServerRequestContext[Any, Any],
        calling: Callable[[Progress], Awaitable[Call]],
    ) -> Any:
        """Return the arguments; wrong ones are recorded, unless nothing is open yet to do that."""
        try:
            return parse()
        except ModelVisibleError as error:
            if self._opening.ready:
                with ProgressRelay(asyncio.get_running_loop(), ctx.session) as relay:
                    refused = partial(_refused, error)
                    await self._in_thread(ctx, await calling(_untold), refused, relay)
            raise

    async def _call(
        self,
        tool: str,
        ctx: ServerRequestContext[Any, Any],
        values: dict[str, Any],
        progress: Progress,
    ) -> Call:
        call_type = self._call_type or await self._load()
        return call_type(
            tool=tool,
            owner=owner_of(ctx),
            client=client_of(ctx),
            recall=_recalls(ctx),
            given=values,
            progress=progress,
        )

    async def _steps(
        self,
        context: Context[Any, Any],
        ctx: ServerRequestContext[Any, Any],
        tool: ToolDefinition,
        arguments: Any,
        call: Call,
        relay: ProgressRelay,
    ) -> ToolAnswer:
        asks, asks_again = (tool.asks, tool.asks_again) if offered(ctx) else (None, None)
        if asks is not None:
            wants = partial(_wants, asks, arguments, again=answered(context))
            wanted = await self._in_thread(ctx, call, wants, relay)
            lent = await self._borrow(context, wanted, call, relay)
            if isinstance(lent, InputRequiredResult):
                return lent
            call = lent
        done = partial(_done, arguments, tool.work, asks_again)
        answer, wanted = await self._in_thread(ctx, call, done, relay)
        if not wanted:
            return answer
        lent = await self._borrow(context, wanted, call, relay)
        if isinstance(lent, InputRequiredResult):
            return lent
        if not lent.drafts:
            return answer
        again = partial(_done, arguments, tool.work, None)
        answer, _ = await self._in_thread(ctx, lent, again, relay)
        return answer

    async def _borrow(
        self,
        context: Context[Any, Any],
        wanted: list[RepairRequest],
        call: Call,
        relay: ProgressRelay,
    ) -> Call | InputRequiredResult:
        """Return the call with the drafts of the client's model, or what asks the client for them.

        It may take half of the time that is left: the statements are still to be run.
        """
        drafts = await ask(context, wanted, self._left(call) / 2) if wanted else {}
        if isinstance(drafts, InputRequiredResult):
            record = partial(_record_asked, len(wanted))
            await self._in_thread(context.request_context, call, record, relay)
            return drafts
        for statement, draft in drafts.items():
            call.ledger.add(statement, draft.cost)
        return replace(call, drafts={statement: each.text for statement, each in drafts.items()})

    def _left(self, call: Call) -> float:
        """Return the seconds that are left of a call."""
        return max(0.0, call.began + self._limits.total - time.monotonic())

    async def _attended(
        self,
        call: Call,
        ctx: ServerRequestContext[Any, Any],
        relay: ProgressRelay,
        steps: Callable[[Call, ProgressRelay], Awaitable[ToolAnswer]],
    ) -> ToolAnswer:
        """Take the steps of a call while its progress is sent and its client is watched."""
        watching = _watching(ctx, call)
        try:
            with relay:
                try:
                    answer = await steps(call, relay)
                except Exception:
                    await relay.end()
                    raise
                await relay.end()
                return answer
        finally:
            if watching is not None:
                watching.cancel()

    async def _in_thread(
        self,
        ctx: ServerRequestContext[Any, Any],
        call: Call,
        work: Callable[[Session, Call], Done],
        relay: ProgressRelay,
    ) -> Done:
        slot = await self._acquire(ctx, call)

        def ended(future: Future[Done]) -> None:
            self._running.pop(future, None)
            relay.soon(partial(self._queue.release, slot))

        future: Future[Done] = Future()
        self._running[future] = call
        future.add_done_callback(ended)
        self._threads.begin(with_trace_context(_lent, self._opening, call, work), future)
        result = asyncio.wrap_future(future)
        try:
            await asyncio.wait((result,), timeout=self._left(call))
            if not result.done():  # late: stop the work, and return what it finishes in time
                call.cancellation.cancel(late=True)
                await asyncio.wait((result,), timeout=self._limits.grace)
            if result.done():
                return result.result()
        except anyio.get_cancelled_exc_class():
            call.cancellation.cancel()
            raise
        finally:
            result.add_done_callback(_ignore_failure)
        raise QueryTimeoutError(
            f"The call took longer than {self._limits.total:g} s.",
            hint="Narrow the call: filter earlier, use fewer hops, or request less at once.",
        )

    async def _acquire(self, ctx: ServerRequestContext[Any, Any], call: Call) -> CallSlot:
        """Return a free slot, or wait for the call's turn, at most for its time."""
        line = line_of(ctx)
        if (slot := self._queue.try_acquire(line)) is not None:
            return slot
        with anyio.move_on_after(self._left(call)):
            return await self._queue.acquire(line, partial(_waits, call))
        raise UnavailableError(
            f"The server is busy: the call waited {self._limits.total:g} s for a slot, and "
            "did not run.",
            code="busy",
            hint=AGAIN,
        )

    async def _load(self) -> type[Call]:
        """Import what a call is made of, off the loop: it brings numpy and the SQL parser."""
        module = await anyio.to_thread.run_sync(import_module, "moviegraph.query.session")
        self._call_type = cast("type[Call]", module.Call)
        return self._call_type


def _ignore_failure(result: asyncio.Future[Any]) -> None:
    """Retrieve the failure of work that no client waits for, which asyncio would log."""
    if not result.cancelled():
        result.exception()


def _watching(ctx: ServerRequestContext[Any, Any], call: Call) -> asyncio.Task[None] | None:
    """Begin to watch the client of a call that came over HTTP, where the SDK does not."""
    request = http_request(ctx.request)
    if request is None or ctx.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS:
        return None
    return asyncio.get_running_loop().create_task(_watch(request, call))


async def _watch(request: Request, call: Call) -> None:
    """Cancel the call when its HTTP client has gone.

    Up to revision 2025-11-25 the SDK lets such a call run on, for a client that resumes its
    stream; here no stream can be resumed, so nobody would read the answer.
    """
    while (await request.receive())["type"] != "http.disconnect":
        pass
    call.cancellation.cancel()


def _listens(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client may want to hear of progress: over HTTP it says so with a token."""
    return http_request(ctx.request) is None or PROGRESS_TOKEN in (ctx.meta or {})


def _wants(
    asks: Asks, arguments: Any, session: Session, call: Call, *, again: bool
) -> list[RepairRequest]:
    """Return what to ask of the client's model, where rules and the configured model do not help.

    When the client comes back with its answers, the configured model has had its say before.
    """
    return asks(replace(session, model=None) if again else session, call, arguments)


def _lent(opening: SessionOpener, call: Call, work: Callable[[Session, Call], Done]) -> Done:
    with opening.lent(call) as session:
        return _worked(session, call, work)


def _worked(
    session: Session,
    call: Call,
    work: Callable[[Session, Call], Done],
) -> Done:
    """Work; a failure of which the journal does not know yet is recorded."""
    try:
        call.cancellation.check()
        return work(session, call)
    except Exception as error:
        from moviegraph.query.recorder import record_failure

        record_failure(session, call, error)
        raise


def _untold(done: float, total: float | None, message: str) -> None:
    pass


def _waits(call: Call) -> None:
    call.progress(0, None, "waiting for a slot")


def _refused(error: ModelVisibleError, _session: Session, _call: Call) -> None:
    raise error


def _record_asked(statements: int, session: Session, call: Call) -> None:
    from moviegraph.query.recorder import record_asked

    record_asked(session, call, statements)


def _charged(answer: ToolAnswer, call: Call | None) -> ToolAnswer:
    """Say in the result's `_meta` what models cost the call: programs read it, no model pays."""
    costs = call.ledger.total if call is not None else ()
    if not costs or not isinstance(answer, CallToolResult):
        return answer
    models = {MODELS: [each.model_dump() for each in costs]}
    return answer.model_copy(update={"meta": {**(answer.meta or {}), **models}})


def _done(
    arguments: Any,
    work: Callable[[Session, Call, Any], Rows | dict[str, Any]],
    asks_again: AsksAgain | None,
    session: Session,
    call: Call,
) -> tuple[CallToolResult, list[RepairRequest]]:
    """Do the work; return its result, and what the client's model may mend of it."""
    outcome = work(session, call, arguments)
    wanted: list[RepairRequest] = []
    if asks_again is not None and not call.drafts and isinstance(outcome, dict):
        wanted = asks_again(session, call, arguments, outcome)
    return _result(outcome), wanted


def _result(outcome: Rows | dict[str, Any]) -> CallToolResult:
    return facts_result(outcome) if isinstance(outcome, dict) else rows_result(outcome)


def _recalls(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether earlier executions may be offered: `_meta` of a request may say false."""
    meta = cast("dict[str, Any]", ctx.meta or {})
    return meta.get(NO_RECALL) is not False


class Shutdown:
    """Ends the calls of the servers that it was given to."""

    def __init__(self) -> None:
        self._bridges: list[Bridge] = []
        self._has_started = False

    @property
    def has_started(self) -> bool:
        """Whether the server is ending."""
        return self._has_started

    def joined(self, bridge: Bridge) -> Callable[[], None]:
        """Take in the calls of one run of a server; returns its removal."""
        self._bridges.append(bridge)
        return lambda: self._bridges.remove(bridge)

    async def drain(self, seconds: float) -> None:
        """Turn away what comes and what waits, and wait for what is at work.

        Args:
            seconds: After that, what is still at work is cancelled, and answered with that.
        """
        self._has_started = True
        async with anyio.create_task_group() as group:
            for bridge in tuple(self._bridges):
                group.start_soon(bridge.drain, seconds)
