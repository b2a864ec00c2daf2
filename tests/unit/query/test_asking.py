"""A configured model gets no more than the remaining time of the call, and its cost is recorded."""

import threading
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from typing import Any, cast

import pytest
from fakes.sessions import call, last_recorded
from pydantic import BaseModel

from moviegraph.errors import ModelError
from moviegraph.llm.language_model import LanguageModel, Meter
from moviegraph.query import repair_pipeline
from moviegraph.query.session import Session
from moviegraph.strategies import strategy_runner as strategies
from moviegraph.strategies.strategy_runner import Strategy

FOREIGN = "Movies | where Year > 1990 | project Name"
VALID_SQL = "SELECT TOP 3 m.Id, m.Name FROM Movie AS m ORDER BY m.Id"
PLAN = [Strategy("slow", "Kusto", None, FOREIGN), Strategy("fine", "By number", None, VALID_SQL)]


class ModelUsage:
    """Token counts of a response, as an endpoint reports them."""

    prompt_tokens = 70
    completion_tokens = 7


class Model:
    """Implements `LanguageModel`: says what it was given, at the cost of 77 tokens."""

    name = "openai:some"

    def __init__(self, arguments: Any) -> None:
        self.given = arguments
        self.meters: list[Meter | None] = []

    def answer(
        self, system: str, user: str, shape: type[BaseModel], meter: Meter | None = None
    ) -> Any:
        self.meters.append(meter)
        if meter is not None:
            meter.add(ModelUsage())
        if isinstance(self.given, Exception):
            raise copy(self.given)  # with a traceback of its own, which ends with its test
        return shape.model_validate(self.given)


class Silent(Model):
    """Never answers, until its test ends."""

    def __init__(self) -> None:
        super().__init__({})
        self.asked = threading.Event()
        self.ended = threading.Event()

    def answer(
        self, system: str, user: str, shape: type[BaseModel], meter: Meter | None = None
    ) -> Any:
        self.asked.set()
        self.ended.wait()
        raise ModelError("The test has ended.")


@pytest.fixture
def unresponsive() -> Iterator[Silent]:
    model = Silent()
    yield model
    model.ended.set()


def with_model(session: Session, model: Model, seconds: float | None = None) -> Session:
    limits = session.limits if seconds is None else replace(session.limits, total_timeout=seconds)
    return replace(session, model=cast("LanguageModel", model), limits=limits)


@pytest.mark.slow("time limit")
def test_a_model_that_does_not_respond_fails_only_its_own_strategy(
    films: Session, unresponsive: Silent
) -> None:
    answer = strategies.run(
        with_model(films, unresponsive, 2.0), call(), question="space", strategies=PLAN
    )

    assert unresponsive.asked.is_set()
    slow, fast_result = answer["executions"]
    assert (slow["status"], slow["attempts"][0]["code"]) == ("failed", "not_select")
    assert fast_result["status"] == "ok"
    assert fast_result["quality"]["similarity"] is not None, "no time was kept back for comparing"


def test_a_call_that_is_cancelled_waits_for_no_model(films: Session, unresponsive: Silent) -> None:
    created = call("fix_sql")

    def cancel() -> None:
        unresponsive.asked.wait()
        created.cancellation.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    fixed = repair_pipeline.fix(with_model(films, unresponsive, 3_000.0), created, sql=FOREIGN)
    canceller.join()

    assert fixed.status == "unfixable"
    (cost,) = last_recorded(films).models
    assert (cost.calls, cost.untold, cost.prompt_tokens) == (1, 1, 0)


def test_the_time_of_a_model_is_what_is_left_of_the_call(films: Session) -> None:
    model = Model({"sql": None, "reason": "No."})
    repair_pipeline.fix(with_model(films, model, 100.0), call(), sql=FOREIGN)

    (meter,) = model.meters
    assert meter is not None
    assert meter.remaining is not None
    assert 0 < meter.remaining <= 90


def test_without_time_left_no_model_is_asked(films: Session) -> None:
    model = Model({"sql": VALID_SQL, "reason": "It was Kusto."})
    fixed = repair_pipeline.fix(with_model(films, model, 0.0), call(), sql=FOREIGN)

    assert fixed.status == "unfixable"
    assert model.meters == []
    assert last_recorded(films).models == ()


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(
            {"sql": VALID_SQL, "reason": "another question"}, id="refused as another question"
        ),
        pytest.param({"sql": None, "reason": "No."}, id="no repair"),
        pytest.param(ModelError("It declined."), id="declined"),
    ],
)
def test_a_model_that_was_no_help_costs_all_the_same(films: Session, reply: Any) -> None:
    repair_pipeline.fix(with_model(films, Model(reply)), call(), sql=FOREIGN)

    (cost,) = last_recorded(films).models
    assert cost.model_dump() == {
        "by": "provider",
        "model": "openai:some",
        "purpose": "repair",
        "calls": 1,
        "prompt_tokens": 70,
        "completion_tokens": 7,
        "untold": 0,
    }


def test_ranking_is_charged_to_a_record_of_its_own(films: Session) -> None:
    ranker = replace(with_model(films, Model({"best_first": [1]})), rerank=True)
    created = call("run_strategies")
    strategies.run(ranker, created, question="space", strategies=PLAN[1:])

    ranked, ran = films.journal.recent("local", 2)
    assert [(model.purpose, model.calls) for model in ranked.models] == [("rank", 1)]
    assert (ranked.given, ranked.tool, ranked.sql) == ("space", "run_strategies", None)
    assert (ran.strategy_id, ran.models) == ("fine", ())
    assert created.ledger.total == ranked.models


@pytest.mark.parametrize(
    ("reply", "logged"),
    [
        pytest.param(KeyError("choices"), "KeyError: 'choices'", id="an error of its own"),
        pytest.param(RuntimeError("socket"), "RuntimeError: socket", id="an error of its library"),
    ],
)
def test_a_broken_adapter_fails_only_its_stage_and_the_operator_is_informed(
    films: Session, reply: Exception, logged: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = strategies.run(
        with_model(films, Model(reply)), call(), question="films in order", strategies=PLAN
    )

    assert [execution["status"] for execution in answer["executions"]] == ["failed", "ok"]
    assert "The language model openai:some failed unexpectedly" in caplog.text
    assert logged in caplog.text


def test_an_adapter_that_breaks_leaves_fix_sql_its_diagnosis(films: Session) -> None:
    fix = repair_pipeline.fix(with_model(films, Model(KeyError("choices"))), call(), sql=FOREIGN)

    assert (fix.status, fix.method) == ("unfixable", "none")
    assert fix.diagnosis is not None


def test_an_answer_of_another_shape_is_no_answer(films: Session) -> None:
    class Loose(Model):
        def answer(self, *_: Any, **__: Any) -> Any:
            return {"sql": VALID_SQL}

    fix = repair_pipeline.fix(with_model(films, Loose({})), call(), sql=FOREIGN)

    assert fix.status == "unfixable"
