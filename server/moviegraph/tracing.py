"""Each step as an OpenTelemetry span; where no tracer provider is set there are none.

Attribute names follow the semantic conventions for database calls where those have one. Literals of
statements hold what people asked: they are written as `?` unless the operator asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from opentelemetry.trace import (
    INVALID_SPAN,
    ProxyTracerProvider,
    SpanKind,
    StatusCode,
    get_tracer_provider,
)

from moviegraph.errors import MoviegraphError

if TYPE_CHECKING:
    from opentelemetry.trace import Span, TracerProvider

TRACER = "moviegraph"
Given = ParamSpec("Given")
Value = str | bool | int | float
Result = TypeVar("Result")


class Step:
    """A step under way, to which facts are added as they become known."""

    def __init__(self, span: Span) -> None:
        self._span = span

    @property
    def heard(self) -> bool:
        """Whether anybody listens; else nothing need be worked out."""
        return self._span.is_recording()

    def tell(self, **facts: Value | None) -> None:
        """Add facts; two underlines stand for a dot, and what is None is left out."""
        if not self.heard:
            return
        for name, value in facts.items():
            if value is not None:
                self._span.set_attribute(name.replace("__", "."), value)

    def fail(self, code: str) -> None:
        """Say that the step failed, by the code of its error."""
        self.tell(error__type=code)
        self._span.set_status(StatusCode.ERROR)


UNHEARD = nullcontext(Step(INVALID_SPAN))


def step(
    name: str, kind: SpanKind = SpanKind.INTERNAL, *, told: bool = True
) -> AbstractContextManager[Step]:
    """Run a step within a span of its own, if it is to be `told`.

    An error leaves its code, and never its text. As long as no provider is set, the API has one
    that only stands for it.
    """
    return _span(get_tracer_provider(), name, kind) if told and traced() else UNHEARD


def traced() -> bool:
    """Whether a tracer provider is set."""
    return not isinstance(get_tracer_provider(), ProxyTracerProvider)


@contextmanager
def _span(provider: TracerProvider, name: str, kind: SpanKind) -> Generator[Step]:
    with provider.get_tracer(TRACER).start_as_current_span(
        name, kind=kind, record_exception=False, set_status_on_exception=False
    ) as span:
        taken = Step(span)
        try:
            yield taken
        except Exception as error:
            known = isinstance(error, MoviegraphError)
            taken.fail(error.code if known else type(error).__qualname__)
            raise


def carried(
    work: Callable[Given, Result], *given: Given.args, **named: Given.kwargs
) -> Callable[[], Result]:
    """Return work for another thread, whose steps belong to the span that is current here."""
    return partial(copy_context().run, partial(work, *given, **named))
