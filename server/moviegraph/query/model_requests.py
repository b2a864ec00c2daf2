"""Requests to language models on behalf of a call: within its time, and at its cost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import BaseModel

from moviegraph.errors import ModelError
from moviegraph.journal.execution_records import ModelCost
from moviegraph.llm.language_model import Meter
from moviegraph.observability import SpanKind, report, trace_span, with_trace_context

if TYPE_CHECKING:
    from moviegraph.llm.language_model import LanguageModel
    from moviegraph.observability import TraceSpan
    from moviegraph.query.session import Call, Session

Answer = TypeVar("Answer", bound=BaseModel)
Done = TypeVar("Done")
Purpose = Literal["repair", "rank"]
# The names of the semantic conventions for generative AI.
PROVIDERS = {"openai": "openai", "azure": "azure.ai.openai"}
RESERVED_SHARE = 0.1
"""The part of a call's time kept from models, to compare and record their results."""


def request_answer(
    session: Session,
    call: Call,
    *,
    about: str,
    purpose: Purpose,
    system: str,
    user: str,
    shape: type[Answer],
) -> Answer:
    """Return the model's answer; what it cost is charged to the execution of `about`.

    Raises:
        ModelError: There is none, it failed in any way, or did not answer in what is left of the
            call.
    """
    model = session.model
    if model is None:
        raise ModelError("No language model is configured.")
    late = ModelError(f"The language model {model.name} did not respond in time.")
    reserved = RESERVED_SHARE * session.limits.total_timeout
    meter = Meter(call.deadline(session.limits) - reserved - time.monotonic())
    if (meter.remaining or 0.0) <= 0:
        raise late
    with trace_span(f"chat {model.name.partition(':')[2]}", SpanKind.CLIENT) as span:
        try:
            future = _started(call, meter, partial(model.answer, system, user, shape, meter))
            if not future.done():
                raise late
            answer: object = future.result()
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001 - an adapter's error; only its stage fails
            report(error, f"The language model {model.name}")
            raise ModelError(f"The language model {model.name} failed unexpectedly.") from None
        finally:
            _trace_request(span, model, meter, purpose)
            call.ledger.add(about, _cost(model, meter, purpose))
        if not isinstance(answer, shape):
            raise ModelError(f"The language model {model.name} returned the wrong format.")
        return answer


def _started(call: Call, meter: Meter, work: Callable[[], Done]) -> Future[Done]:
    """Return work of a thread, done unless the call is out of time or cancelled before."""
    future: Future[Done] = Future()
    woken = threading.Event()
    future.add_done_callback(lambda _: woken.set())

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the call
            future.set_exception(error)

    remove = call.cancellation.on_cancel(woken.set)
    try:
        threading.Thread(target=with_trace_context(run), name="model", daemon=True).start()
        woken.wait(meter.remaining)
    finally:
        remove()
    return future


def _cost(model: LanguageModel, meter: Meter, purpose: Purpose) -> ModelCost:
    """Return the cost; a request without a response counts, though its tokens are unknown."""
    usage = meter.usage
    return ModelCost(
        by="provider",
        model=model.name,
        purpose=purpose,
        calls=max(1, usage.requests),
        prompt_tokens=usage.prompt,
        completion_tokens=usage.completion,
        untold=usage.silent if usage.requests else 1,
    )


def _trace_request(span: TraceSpan, model: LanguageModel, meter: Meter, purpose: Purpose) -> None:
    provider, _, name = model.name.partition(":")
    span.set_attributes(
        gen_ai__operation__name="chat",
        gen_ai__provider__name=PROVIDERS.get(provider, provider),
        gen_ai__request__model=name or provider,
        gen_ai__usage__input_tokens=meter.usage.prompt or None,
        gen_ai__usage__output_tokens=meter.usage.completion or None,
        moviegraph__purpose=purpose,
    )
