"""Steps as spans, heard by a tracer of the API alone: the SDK is no dependency."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import pytest
from fakes.sessions import call
from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, SpanContext

from moviegraph.errors import ModelError, RefusedError
from moviegraph.llm.language_model import LanguageModel, Meter
from moviegraph.query import readonly_sql, repair_pipeline
from moviegraph.query.session import Session
from moviegraph.strategies import strategy_runner as strategies
from moviegraph.strategies.strategy_runner import Strategy

SECRET = "SELECT m.Id FROM Movie AS m WHERE m.Name = 'my secret' AND m.ReleaseYear > 1990"
REDACTED = (
    "SELECT TOP ? [m] . [Id] FROM [dbo] . [Movie] AS [m] "
    "WHERE [m] . [Name] = ? AND [m] . [ReleaseYear] > ?"
)


class RecordingSpan(NonRecordingSpan):
    """A span that records its attributes."""

    def __init__(self, name: str, parent: str | None) -> None:
        super().__init__(SpanContext(1, 1, is_remote=False))
        self.name = name
        self.parent = parent
        self.attributes: dict[str, Any] = {}
        self.status: Any = None

    def is_recording(self) -> bool:
        return True

    def set_attribute(self, key: str, value: Any) -> None:
        self.attributes[key] = value

    def set_status(self, status: Any, description: str | None = None) -> None:
        assert description is None
        self.status = status


class Listener:
    """A tracer that keeps its spans, and who provides it."""

    def __init__(self) -> None:
        self.spans: list[RecordingSpan] = []

    def get_tracer(self, _: str) -> "Listener":
        return self

    @contextmanager
    def start_as_current_span(self, name: str, **_: Any) -> Generator[RecordingSpan]:
        current = trace.get_current_span()
        span = RecordingSpan(name, current.name if isinstance(current, RecordingSpan) else None)
        self.spans.append(span)
        with trace.use_span(span, record_exception=False, set_status_on_exception=False):
            yield span

    def named(self, name: str) -> list[RecordingSpan]:
        return [span for span in self.spans if span.name == name]


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Listener:
    listener = Listener()
    monkeypatch.setattr("moviegraph.observability.get_tracer_provider", lambda: listener)
    return listener


def test_a_provider_that_is_set_later_hears_the_steps_from_then_on(
    films: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = Listener()
    provider: Any = trace.ProxyTracerProvider()
    monkeypatch.setattr("moviegraph.observability.get_tracer_provider", lambda: provider)
    readonly_sql.run(films, call(), sql="SELECT 1 AS One")
    assert not listener.spans
    provider = listener
    readonly_sql.run(films, call(), sql="SELECT 2 AS Two")
    assert {span.name for span in listener.spans} >= {"judge", "execute", "record"}


def test_a_statement_is_judged_executed_and_recorded(films: Session, listener: Listener) -> None:
    rows = readonly_sql.run(films, call("run_readonly_sql"), sql="SELECT TOP 2 m.Id FROM Movie m")

    assert {"judge", "execute", "record"} <= {span.name for span in listener.spans}
    executed = listener.named("execute")[0].attributes
    assert executed["db.system.name"] == "duckdb"
    assert executed["db.operation.name"] == "SELECT"
    assert executed["db.response.returned_rows"] == 2
    recorded = listener.named("record")[0].attributes
    assert recorded["moviegraph.execution_id"] == rows.execution_id
    assert recorded["moviegraph.status"] == "ok"


def test_literals_stay_out_unless_asked_for(films: Session, listener: Listener) -> None:
    readonly_sql.run(films, call(), sql=SECRET)
    spans = [str(span.attributes) for span in listener.spans]
    assert listener.named("execute")[0].attributes["db.query.text"] == REDACTED
    assert "db.query.text" not in listener.named("judge")[0].attributes
    assert not any("secret" in span or "1990" in span for span in spans)

    readonly_sql.run(replace(films, trace_sql=True), call(), sql=SECRET)
    assert listener.named("judge")[-1].attributes["db.query.text"] == SECRET


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT m.Id FROM Movie m WHERE m.Name = 'my secret", id="open string"),
        pytest.param('SELECT "my secret" FROM Movie m', id="quoted name"),
        pytest.param("SELECT m.Nowhere FROM Movie m -- my secret", id="comment"),
    ],
)
def test_a_refusal_leaves_its_code_and_never_its_text(
    films: Session, listener: Listener, sql: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        readonly_sql.run(films, call(), sql=sql, repair=False)

    judged = listener.named("judge")[0]
    assert judged.attributes["error.type"] == caught.value.code
    assert judged.attributes["moviegraph.allowed"] is False
    assert not any("my secret" in str(span.attributes) for span in listener.spans)


def test_the_steps_of_each_strategy_belong_to_it(films: Session, listener: Listener) -> None:
    plan = [
        Strategy("a", "Typo", None, "SELECT m.Title FROM Movies AS m"),
        Strategy("b", "Fine", None, "SELECT m.Name FROM Movie AS m"),
    ]
    strategies.run(films, call(), question="anything", strategies=plan)

    ran = listener.named("strategy")
    assert {span.attributes["moviegraph.strategy_id"] for span in ran} == {"a", "b"}
    (repair,) = listener.named("repair")
    assert repair.parent == "strategy"
    assert repair.attributes["moviegraph.method"] == "rules"
    assert repair.attributes["moviegraph.refusal"] == "unknown_table"


def test_a_record_has_its_origin_and_its_quality(films: Session, listener: Listener) -> None:
    plan = [
        Strategy("a", "Typo", None, "SELECT m.Id, m.Title FROM Movies AS m"),
        Strategy("b", "Bad", None, "DROP TABLE Movie"),
    ]
    answer = strategies.run(films, call("run_strategies"), question="space", strategies=plan)

    good, bad = (span.attributes for span in listener.named("record"))
    assert good["moviegraph.strategy_id"] == "a"
    assert good["moviegraph.attempts"] == 2
    assert good["moviegraph.rules"] == "unknown_tables, unknown_column"
    assert good["moviegraph.rows"] == answer["executions"][0]["row_count"]
    assert good["moviegraph.quality.score"] == answer["executions"][0]["quality"]["score"]
    assert (bad["moviegraph.status"], bad["error.type"]) == ("refused", "not_select")
    (compared,) = listener.named("compare")
    assert compared.attributes["moviegraph.best"] == answer["best"]
    assert compared.attributes["moviegraph.strategies"] == 2
    assert compared.attributes["moviegraph.fused_rows"] == len(answer["fused"]["rows"])


class ModelUsage:
    prompt_tokens = 70
    completion_tokens = 7


@pytest.mark.parametrize("fails", [False, True], ids=["answers", "fails"])
def test_a_question_to_a_model_is_a_span_of_its_own(
    films: Session, listener: Listener, fails: bool
) -> None:
    class Model:
        name = "azure:deployed"

        def answer(self, system: str, user: str, shape: Any, meter: Meter) -> Any:
            meter.add(ModelUsage())
            if fails:
                raise ModelError("my secret")
            return shape(sql=None, reason="my secret")

    served = replace(films, model=cast("LanguageModel", Model()))
    repair_pipeline.fix(served, call("fix_sql"), sql="Movies | where Name == 'my secret'")

    (chat,) = [span for span in listener.spans if span.name.startswith("chat")]
    assert (chat.name, chat.parent) == ("chat deployed", "repair")
    assert chat.attributes["gen_ai.operation.name"] == "chat"
    assert chat.attributes["gen_ai.provider.name"] == "azure.ai.openai"
    assert chat.attributes["gen_ai.request.model"] == "deployed"
    assert chat.attributes["gen_ai.usage.input_tokens"] == 70
    assert chat.attributes["gen_ai.usage.output_tokens"] == 7
    assert chat.attributes.get("error.type") == ("language_model" if fails else None)
    (recorded,) = listener.named("record")
    assert recorded.attributes["moviegraph.models.calls"] == 1
    assert recorded.attributes["moviegraph.models.input_tokens"] == 70
    assert not any("my secret" in str(span.attributes) for span in listener.spans)
