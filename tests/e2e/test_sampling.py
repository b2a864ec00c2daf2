"""The client's own model as a rung of the ladder, by a client of both protocol revisions."""

import json
from dataclasses import replace
from typing import Any, cast

import pytest
from fakes.http_clients import BOTH_REVISIONS
from mcp import Client
from mcp.server import MCPServer
from mcp.types import CreateMessageRequestParams, CreateMessageResult, TextContent

from moviegraph.llm.language_model import LanguageModel
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

FOREIGN = "Recipe | where Title contains 'soup' | project Number"
REPAIRED = "SELECT r.Number FROM Recipe AS r WHERE r.Title LIKE '%soup%'"
MISNAMED = "SELECT r.Number FROM Recipes AS r"
REPLY = json.dumps({"sql": REPAIRED, "query": None, "changes": [], "reason": "It was Kusto."})


class Model:
    """The client's model: one reply to everything, and what it was asked."""

    def __init__(self, reply: str | Exception = REPLY) -> None:
        self.reply = reply
        self.asked: list[CreateMessageRequestParams] = []

    async def __call__(
        self, context: Any, params: CreateMessageRequestParams
    ) -> CreateMessageResult:
        self.asked.append(params)
        if isinstance(self.reply, Exception):
            raise self.reply
        content = TextContent(type="text", text=self.reply)
        return CreateMessageResult(role="assistant", content=content, model="theirs")


async def tool_content(
    server: MCPServer[Any], mode: str, model: Model | None, tool: str, **arguments: Any
) -> dict[str, Any]:
    async with Client(server, mode=mode, sampling_callback=model) as client:
        result = await client.call_tool(tool, arguments)
        assert not result.is_error
        return cast("dict[str, Any]", result.structured_content)


@BOTH_REVISIONS
async def test_the_clients_model_repairs_what_no_rule_can(
    server: MCPServer[Any], mode: str
) -> None:
    model = Model()

    result = await tool_content(server, mode, model, "fix_sql", sql=FOREIGN)

    assert (result["status"], result["method"], result["sql"]) == ("fixed", "client", REPAIRED)
    assert result["changes"][0]["rule"] == "client"
    assert result["changes"][0]["why"] == "It was Kusto."
    (params,) = model.asked
    prompt_text = cast("TextContent", params.messages[0].content).text
    assert FOREIGN in prompt_text
    assert "Recipe" in prompt_text
    assert params.system_prompt is not None


@BOTH_REVISIONS
async def test_without_a_model_of_the_client_there_is_a_diagnosis(
    server: MCPServer[Any], mode: str
) -> None:
    result = await tool_content(server, mode, None, "fix_sql", sql=FOREIGN)

    assert (result["status"], result["method"]) == ("unfixable", "none")
    assert result["diagnosis"]["message"]


@BOTH_REVISIONS
async def test_what_rules_repair_is_not_asked(server: MCPServer[Any], mode: str) -> None:
    model = Model()

    result = await tool_content(server, mode, model, "fix_sql", sql=MISNAMED)

    assert (result["status"], result["method"]) == ("fixed", "rules")
    assert model.asked == []


@BOTH_REVISIONS
@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(REPLY.replace("soup", "cake"), id="another literal"),
        pytest.param(REPLY.replace(" LIKE", " NOT LIKE"), id="turned round"),
        pytest.param(REPLY.replace("Recipe", "Ingredient"), id="another table"),
        pytest.param(REPLY.replace("r.Number", "r.Secret"), id="refused by the guard"),
        pytest.param(
            json.dumps({"sql": f"{REPAIRED}; DROP TABLE Recipe", "reason": ""}), id="more"
        ),
        pytest.param(json.dumps({"sql": None, "reason": "No way."}), id="no way"),
        pytest.param("I am sorry, I cannot.", id="prose"),
        pytest.param("{", id="no JSON"),
    ],
)
async def test_a_draft_that_is_no_answer_or_another_question_is_refused(
    server: MCPServer[Any], mode: str, reply: str
) -> None:
    result = await tool_content(server, mode, Model(reply), "fix_sql", sql=FOREIGN)

    assert (result["status"], result["method"]) == ("unfixable", "none")
    assert result["sql"] == FOREIGN


async def test_a_client_that_declines_gets_the_diagnosis(server: MCPServer[Any]) -> None:
    # On the later revision a client whose model fails gives the whole call up by itself.
    declining = Model(RuntimeError("the user said no"))

    result = await tool_content(server, "legacy", declining, "fix_sql", sql=FOREIGN)

    assert (result["status"], result["sql"]) == ("unfixable", FOREIGN)


@BOTH_REVISIONS
@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(f"```json\n{REPLY}\n```", id="fenced"),
        pytest.param(REPAIRED, id="bare"),
        pytest.param(f"```sql\n{REPAIRED}\n```", id="fenced SQL"),
    ],
)
async def test_a_draft_may_come_in_fences_or_bare(
    server: MCPServer[Any], mode: str, reply: str
) -> None:
    result = await tool_content(server, mode, Model(reply), "fix_sql", sql=FOREIGN)

    assert (result["status"], result["sql"]) == ("fixed", REPAIRED)


@BOTH_REVISIONS
async def test_strategies_use_the_same_repair_stages_each_command_once(
    server: MCPServer[Any], session: Session, mode: str
) -> None:
    model = Model()
    commands = {"a": FOREIGN, "b": MISNAMED, "c": "SELECT r.Number FROM Recipe AS r", "d": FOREIGN}
    plan = [{"id": id, "message_to_user": id, "command": sql} for id, sql in commands.items()]

    result = await tool_content(
        server, mode, model, "run_strategies", question="soups", strategies=plan
    )

    assert len(model.asked) == 1
    by_id = {entry["strategy_id"]: entry for entry in result["executions"]}
    assert [entry["rule"] for entry in by_id["a"]["attempts"]] == [None, "client"]
    assert by_id["a"]["status"] in ("ok", "empty")
    assert by_id["a"]["execution_id"] == by_id["d"]["execution_id"]
    execution = session.journal.find("local", by_id["a"]["execution_id"])
    assert execution is not None
    assert [attempt.rule for attempt in execution.attempts] == [None, "client"]


FAILING = "SELECT r.Number FROM Recipe AS r WHERE r.Title > 5 OR r.Number = 1"
RUNNING = FAILING.replace("r.Title", "TRY_CAST(r.Title AS INT)")


@BOTH_REVISIONS
async def test_a_strategy_that_fails_while_it_runs_is_repaired_by_the_clients_model(
    server: MCPServer[Any], mode: str
) -> None:
    model = Model(RUNNING)
    plan = [
        {"id": "a", "message_to_user": "a", "command": FAILING},
        {"id": "b", "message_to_user": "b", "command": "SELECT r.Number FROM Recipe AS r"},
    ]

    result = await tool_content(
        server, mode, model, "run_strategies", question="soups", strategies=plan
    )

    (params,) = model.asked
    assert "conversion_failed" in cast("TextContent", params.messages[0].content).text
    by_id = {entry["strategy_id"]: entry for entry in result["executions"]}
    assert by_id["a"]["status"] == "ok"
    assert [entry["code"] for entry in by_id["a"]["attempts"]] == ["conversion_failed", None]
    assert by_id["b"]["status"] == "ok"


@BOTH_REVISIONS
async def test_a_reported_failure_is_repaired_by_the_clients_model(
    server: MCPServer[Any], mode: str
) -> None:
    error = "Conversion failed when converting the nvarchar value"
    model = Model(RUNNING)

    result = await tool_content(server, mode, model, "fix_sql", sql=FAILING, error=error)

    assert (result["status"], result["method"], result["sql"]) == ("fixed", "client", RUNNING)
    assert len(model.asked) == 1


@BOTH_REVISIONS
async def test_without_repair_no_model_is_asked(server: MCPServer[Any], mode: str) -> None:
    model = Model()
    plan = [{"id": "a", "message_to_user": "a", "command": FOREIGN}]

    await tool_content(
        server, mode, model, "run_strategies", question="soups", strategies=plan, repair=False
    )

    assert model.asked == []


@BOTH_REVISIONS
async def test_the_configured_model_comes_first_and_is_asked_once(
    session: Session, mode: str
) -> None:
    class Configured:
        name = "test:configured"
        asked = 0

        def answer(self, system: str, user: str, shape: Any, _: Any = None) -> Any:
            self.asked += 1
            return shape.model_validate_json(REPLY)

    configured, model = Configured(), Model()
    changed = replace(session, model=cast("LanguageModel", configured))
    server = create_server(Settings(), session=changed)

    result = await tool_content(server, mode, model, "fix_sql", sql=FOREIGN)

    assert (result["status"], result["method"]) == ("fixed", "provider")
    assert (configured.asked, model.asked) == (1, [])
