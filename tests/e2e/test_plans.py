"""Whole plans by a client: slow or wrong models, timeouts, and expansion."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import anyio
import pytest
from fakes.http_clients import BOTH_REVISIONS
from fakes.scripted_engine import ScriptedEngine
from fakes.thread_exhaustion import no_threads
from mcp import Client
from mcp.types import CreateMessageResult, TextContent

from moviegraph.engines.base import Budget, ResultSet, Statement
from moviegraph.errors import ModelError
from moviegraph.llm.language_model import LanguageModel
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

QUESTION = "What can I cook with aubergine?"
ALL = "SELECT TOP 4 r.Number, r.Title FROM Recipe AS r ORDER BY r.Number"
HOPELESS = "SELECT r.Calories FROM Recipe AS r"


def plan(**commands: str) -> dict[str, Any]:
    strategies = [
        {"id": name, "message_to_user": f"Trying {name}", "command": command}
        for name, command in commands.items()
    ]
    return {"question": QUESTION, "strategies": strategies}


async def run(session: Session, arguments: dict[str, Any]) -> dict[str, Any]:
    async with Client(create_server(Settings(), session=session)) as client:
        result = await client.call_tool("run_strategies", arguments)
    assert not result.is_error, result.content
    return cast("dict[str, Any]", result.structured_content)


class Model:
    """Answers with what is given, or waits until the test ends."""

    name = "test:model"

    def __init__(self, by_key: dict[str, Any] | Exception | None) -> None:
        self.given = by_key
        self.ended = threading.Event()
        self.asked = 0

    def answer(self, system: str, user: str, shape: Any, meter: Any = None) -> Any:
        self.asked += 1
        if self.given is None:
            self.ended.wait()
            raise ModelError("The test has ended.")
        if isinstance(self.given, Exception):
            raise self.given
        return shape.model_validate(self.given)


@pytest.fixture
def unresponsive() -> Iterator[Model]:
    model = Model(None)
    yield model
    model.ended.set()


def modelled(session: Session, model: Model, total: float = 45.0, **changes: Any) -> Session:
    limits = replace(session.limits, total_timeout=total)
    return replace(session, model=cast("LanguageModel", model), limits=limits, **changes)


@pytest.mark.slow("time limit")
async def test_a_model_that_does_not_respond_leaves_the_fused_list_and_says_so(
    session: Session, unresponsive: Model
) -> None:
    result = await run(modelled(session, unresponsive, 3.0, rerank=True), plan(all=ALL))

    assert [row[1] for row in result["fused"]["rows"]] == [1, 2, 3, 4]
    assert "did not rank the fused list" in result["why"]
    assert result["executions"][0]["status"] == "ok"
    assert unresponsive.asked == 1


@pytest.mark.parametrize(
    ("model_reply", "ids", "says"),
    [
        pytest.param({"best_first": [3, 0]}, [4, 1, 2, 3], "model ranked", id="an order"),
        pytest.param({"best_first": [70, -2, 2]}, [3, 1, 2, 4], "model ranked", id="some invented"),
        pytest.param({"best_first": [70, 80]}, [1, 2, 3, 4], "did not rank", id="all invented"),
        pytest.param({"best_first": []}, [1, 2, 3, 4], "did not rank", id="an empty answer"),
        pytest.param(ModelError("It is down."), [1, 2, 3, 4], "did not rank", id="down"),
    ],
)
async def test_a_model_orders_the_list_or_leaves_it(
    session: Session, model_reply: dict[str, Any] | Exception, ids: list[int], says: str
) -> None:
    result = await run(modelled(session, Model(model_reply), rerank=True), plan(all=ALL))

    assert [row[1] for row in result["fused"]["rows"]] == ids
    assert says in result["why"]
    assert "It is down" not in json.dumps(result)


async def test_a_silent_model_is_not_asked_unless_the_operator_wants_it(
    session: Session, unresponsive: Model
) -> None:
    result = await run(modelled(session, unresponsive), plan(all=ALL))

    assert (unresponsive.asked, "rank" in result["why"]) == (0, False)


@pytest.mark.slow("time limit")
async def test_strategies_that_wait_for_a_model_hold_up_no_other(
    session: Session, unresponsive: Model
) -> None:
    broken = {f"bad{number}": f"{HOPELESS} WHERE r.Number > {number}" for number in range(9)}
    result = await run(modelled(session, unresponsive, 1.0), plan(**broken, good=ALL))

    *failed, good = result["executions"]
    assert (good["status"], good["row_count"]) == ("ok", 4)
    assert {execution["status"] for execution in failed} == {"failed"}
    assert {execution["attempts"][0]["code"] for execution in failed} == {"unknown_column"}
    assert result["best"] == good["execution_id"]


@pytest.mark.slow("time limit")
@BOTH_REVISIONS
async def test_a_silent_model_of_the_server_leaves_time_for_that_of_the_client(
    session: Session, unresponsive: Model, mode: str
) -> None:
    foreign = "Recipe | where Title contains 'soup' | project Number"
    repaired_sql = "SELECT r.Number FROM Recipe AS r WHERE r.Title LIKE '%soup%'"

    async def reply(context: Any, params: Any) -> CreateMessageResult:
        text = json.dumps({"sql": repaired_sql, "reason": "It was Kusto."})
        return CreateMessageResult(
            role="assistant", content=TextContent(type="text", text=text), model="theirs"
        )

    server = create_server(Settings(), session=modelled(session, unresponsive, 3.0))
    async with Client(server, mode=mode, sampling_callback=reply) as client:
        result = await facts(client, "run_strategies", plan(foreign=foreign, all=ALL))

    assert [execution["status"] for execution in result["executions"]] == ["ok", "ok"]
    assert result["executions"][0]["attempts"][-1]["rule"] == "client"


class HalfEngine(ScriptedEngine):
    """Answers what names no soup, and lets the rest wait: until it is cancelled, or longer."""

    def __init__(self, stubborn: threading.Event | None = None) -> None:
        super().__init__(None)
        self.stubborn = stubborn

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        if "soup" not in statement.allowed.sql:
            return ResultSet(("Number", "Title"), [(1, "Ratatouille")])
        if self.stubborn is not None:
            self.started.set()
            self.stubborn.wait()
        return super().execute(statement, budget)


@pytest.mark.slow("time limit")
async def test_what_is_finished_is_returned_when_another_one_does_not_end(
    session: Session,
) -> None:
    is_ended = threading.Event()
    slow = "SELECT r.Number FROM Recipe AS r WHERE r.Title = 'soup'"
    changed = replace(
        session, engine=HalfEngine(is_ended), limits=replace(session.limits, total_timeout=3)
    )
    try:
        result = await run(changed, plan(slow=slow, quick=ALL))
    finally:
        is_ended.set()

    late, quick = result["executions"]
    assert (late["status"], late["attempts"][-1]["code"]) == ("failed", "timeout")
    assert quick["status"] == "ok"
    assert [row[4] for row in result["fused"]["rows"]] == [["quick"]]
    record = session.journal.find("local", late["execution_id"])
    assert record is not None
    assert record.code == "timeout"


async def test_a_cancelled_plan_stops_its_statements(session: Session) -> None:
    engine = HalfEngine()
    slow = "SELECT r.Number FROM Recipe AS r WHERE r.Title = 'soup'"
    server = create_server(Settings(), session=replace(session, engine=engine))
    async with Client(server) as client, anyio.create_task_group() as group:
        group.start_soon(facts, client, "run_strategies", plan(slow=slow, quick=ALL))
        assert await anyio.to_thread.run_sync(engine.started.wait, 120)
        group.cancel_scope.cancel()
    assert engine.cancelled.wait(120)


async def test_progress_is_reported_after_each_strategy(client: Client) -> None:
    items: list[str | None] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        items.append(message)

    plan_arguments = plan(all=ALL, none=f"{ALL[: -len(' ORDER BY r.Number')]} WHERE r.Number = -1")
    await client.call_tool("run_strategies", plan_arguments, progress_callback=listen)

    counted = [message.split(" (") for message in items if message and " rows" in message]
    assert sorted(message for message, _ in counted) == ["all: 4 rows", "none: 0 rows"]
    assert [place for _, place in counted] == ["1 of 2)", "2 of 2)"]


async def test_expanding_keeps_what_was_known_and_says_why(client: Client) -> None:
    outcome = await facts(client, "run_strategies", plan(all=ALL, hopeless=HOPELESS))
    good, failed = outcome["executions"]
    more = await facts(client, "expand_strategy", {"execution_id": good["execution_id"]})

    assert [row[0] for row in more["rows"][:4]] == [1, 2, 3, 4]
    assert more["row_count"] == 4 + more["added"] == 8
    assert more["from_execution_id"] == good["execution_id"]
    assert "all, 4 rows, score" in more["chosen_because"]
    best = await facts(client, "expand_strategy", {"question": QUESTION})
    assert best["from_execution_id"] == good["execution_id"]
    assert "highest score" in best["chosen_because"]
    for wrong, code in ((failed["execution_id"], "invalid_argument"), ("f" * 32, "not_found")):
        result = await client.call_tool("expand_strategy", {"execution_id": wrong})
        assert result.structured_content["error"]["code"] == code


async def facts(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return cast("dict[str, Any]", result.structured_content)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("", id="empty"),
        pytest.param(" \n", id="blank"),
        pytest.param("--", id="a comment"),
        pytest.param("SELECT r.Number FROM Recipe AS r\0", id="NUL"),
        pytest.param("SELECT r.Number FROM Recipe AS r WHERE r.Title = '\ud800'", id="half a sign"),
        pytest.param("x" * 200_000, id="too long"),
    ],
)
async def test_a_command_that_is_no_text_fails_alone(session: Session, command: str) -> None:
    result = await run(session, plan(bad=command, good=ALL))

    bad, good = result["executions"]
    assert (bad["status"], good["status"], good["row_count"]) == ("failed", "ok", 4)
    assert bad["attempts"][-1]["message"]


async def test_a_blank_query_counts_as_left_out(session: Session) -> None:
    arguments = plan(good=ALL)
    arguments["strategies"][0]["query"] = " "

    (execution,) = (await run(session, arguments))["executions"]
    assert execution["status"] == "ok"


async def test_a_plan_for_which_there_are_no_threads_is_refused_as_busy(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    async with Client(create_server(Settings(), session=session)) as client:
        with no_threads("strategy"):
            refused = await client.call_tool("run_strategies", plan(all=ALL))
        plan_result = await client.call_tool("run_strategies", plan(all=ALL))
    error = cast("dict[str, Any]", refused.structured_content)["error"]
    assert (error["code"], "no more threads" in error["message"]) == ("busy", True)
    assert "No thread could be started for a strategy" in caplog.text
    assert not plan_result.is_error
