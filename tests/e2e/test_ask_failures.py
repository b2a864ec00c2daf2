"""Questions whose model fails, refuses, or returns something else."""

from collections.abc import Callable
from typing import Any

import pytest
from fakes.agent_runner import KEY, TWO, AgentRunner
from fakes.fake_openai import Hang, Reply, failure
from fakes.scripted_chat import choice, composition, plan

from moviegraph.ask.step_printer import StepPrinter

pytestmark = pytest.mark.anyio


async def test_malformed_json_is_repaired_once(agent_runner: AgentRunner) -> None:
    reply = await agent_runner.answer(plan=['{"strategies": [', plan(first=TWO)])
    assert reply.answered


@pytest.mark.parametrize(
    ("shape", "reply", "says"),
    [
        pytest.param("plan", '{"strategies": [', "twice returned the wrong format", id="broken"),
        pytest.param("understanding", {"refusal": "no"}, "declined to respond", id="refusal"),
        pytest.param(
            "composition", {"content": "{", "finish_reason": "length"}, "truncated", id="truncated"
        ),
        pytest.param("choice", {"finish_reason": "content_filter"}, "content filter", id="filter"),
    ],
)
async def test_what_the_model_does_not_say_is_a_sentence(
    agent_runner: AgentRunner, shape: str, reply: Any, says: str
) -> None:
    agent_runner.script(**{shape: [reply]})
    message = await agent_runner.raised()
    assert says in message
    assert KEY not in message


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        pytest.param(lambda: failure(401), "Check MOVIEGRAPH_LLM_API_KEY", id="key"),
        pytest.param(lambda: failure(404), "does not exist there", id="no such model"),
        pytest.param(lambda: failure(429), "limiting the rate of requests (429)", id="rate"),
        pytest.param(
            lambda: failure(429, code="insufficient_quota"), "has no quota left", id="quota"
        ),
        pytest.param(lambda: failure(500), "failed (500)", id="server"),
        pytest.param(lambda: Reply(200, "<html>"), "did not return a completion", id="html"),
        pytest.param(
            Hang,
            "did not respond in time",
            id="time-out",
            marks=pytest.mark.slow("time limit"),
        ),
    ],
)
async def test_an_endpoint_that_fails_is_a_sentence(
    agent_runner: AgentRunner, fault: Callable[[], Any], says: str
) -> None:
    agent_runner.fake.faults = [fault() for _ in range(6)]
    message = await agent_runner.raised(patience=0.3)
    assert says in message
    assert KEY not in message
    assert agent_runner.address not in message


async def test_a_rate_limit_that_passes_is_waited_for(agent_runner: AgentRunner) -> None:
    agent_runner.fake.faults = [failure(429), failure(429), None]
    assert (await agent_runner.answer()).answered


async def test_an_endpoint_without_schemas_does(agent_runner: AgentRunner) -> None:
    agent_runner.fake.refuses_formats = ("json_schema", "json_object")
    assert (await agent_runner.answer()).answered


async def test_tokens_are_counted_where_the_endpoint_reports_them(
    agent_runner: AgentRunner,
) -> None:
    reply = await agent_runner.answer()
    assert reply.usage.requests == 4
    assert reply.usage.prompt > 1_000
    assert reply.usage.completion > 10
    assert reply.usage.silent == 0


async def test_an_endpoint_without_token_counts_is_reported(agent_runner: AgentRunner) -> None:
    agent_runner.fake.tells_usage = False
    reply = await agent_runner.answer()
    assert (reply.usage.tokens, reply.usage.silent) == (0, 4)
    screen = StepPrinter(agent_runner.lines.append)
    screen.usage(reply.usage)
    assert agent_runner.lines[-1] == "Model: 4 responses; tokens not reported for 4"


async def test_a_limit_that_lasts_an_hour_is_not_waited_out(agent_runner: AgentRunner) -> None:
    agent_runner.fake.faults = [failure(429, headers={"retry-after": "3600"}) for _ in range(3)]
    message = await agent_runner.raised()
    assert "limiting the rate of requests (429)" in message


@pytest.mark.parametrize(
    ("shape", "reply", "says"),
    [
        pytest.param("plan", "", "wrong format", id="nothing"),
        pytest.param("plan", " \n", "wrong format", id="blank"),
        pytest.param("plan", {"content": None}, "wrong format", id="null"),
        pytest.param("plan", "{}", "strategies: Field required", id="an empty object"),
        pytest.param("plan", "[]", "wrong format", id="a list"),
        pytest.param("plan", "I cannot do that.", "wrong format", id="prose"),
        pytest.param("plan", "[" * 50_000, "wrong format", id="brackets"),
        pytest.param("choice", '{"next": "dance", "why": ""}', "next: Input", id="no such step"),
        pytest.param("composition", '{"answered": "perhaps"}', "answered: Input", id="a doubt"),
    ],
)
async def test_an_answer_in_the_wrong_shape_is_one_line(
    agent_runner: AgentRunner, shape: str, reply: Any, says: str
) -> None:
    agent_runner.script(**{shape: [reply]})
    message = await agent_runner.raised()
    assert says in message
    assert "\n" not in message
    assert len(message) < 600


async def test_an_answer_without_text_is_no_answer(agent_runner: AgentRunner) -> None:
    reply = await agent_runner.answer(composition=[composition("  ")])
    assert not reply.answered
    assert reply.text.strip()


async def test_a_model_that_wants_ever_more_rounds_gets_three(agent_runner: AgentRunner) -> None:
    reply = await agent_runner.answer(choice=[choice("plan", missing="more of the same")])
    assert reply.rounds == 3
    assert len(agent_runner.chat.prompts["Plan"]) == 3
    assert len(agent_runner.chat.prompts["Composition"]) == 1


@pytest.mark.parametrize(
    "records",
    [
        pytest.param([("Recipe", 10**30)], id="beyond every integer"),
        pytest.param([("Recipe", -1)], id="negative"),
        pytest.param([("", 1)], id="no kind"),
        pytest.param([("Recipe'; DROP TABLE Recipe --", 1)], id="SQL for a kind"),
        pytest.param([("Recipe", number) for number in range(100, 400)], id="three hundred"),
    ],
)
async def test_invented_ids_of_any_form_are_withheld(
    agent_runner: AgentRunner, records: list[tuple[str, int]]
) -> None:
    reply = await agent_runner.answer(composition=[composition("Cook it.", *records)])
    assert (reply.answered, reply.records) == (False, ())
    assert reply.dropped


async def test_a_model_that_fails_in_the_second_round_ends_with_its_line(
    agent_runner: AgentRunner,
) -> None:
    agent_runner.script(
        plan=[plan(first=TWO), {"refusal": "I have said enough."}],
        choice=[choice("plan", missing="more")],
    )
    assert "declined to respond" in await agent_runner.raised()
