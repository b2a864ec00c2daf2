"""Every call leaves a record, and a call that cannot be recorded fails."""

import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from e2e.conftest import Scripted
from e2e.test_sampling import FOREIGN, REPAIRED, REPLY, Model
from fakes.fake_openai import FakeOpenAI
from fakes.scripted_engine import ScriptedEngine
from mcp import Client
from mcp.server import MCPServer
from mcp.types import TextResourceContents

from moviegraph.journal.execution_records import Execution, ModelCost
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.llm.openai_model import OpenAIModel
from moviegraph.openai_api.client import open_client
from moviegraph.openai_api.endpoint import Endpoint
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

SQL = "SELECT r.Number, r.Title FROM Recipe AS r"
MODELS = "moviegraph/models"
STRATEGY = {"id": "a", "message_to_user": "a", "command": SQL}


def recorded_executions(session: Session) -> list[Execution]:
    """Return the records in the local user's journal, oldest first."""
    return session.journal.recent("local")[::-1]


@pytest.mark.parametrize(
    ("tool", "arguments", "status", "code"),
    [
        pytest.param(
            "semantic_search",
            {"query": "soup", "limti": 1},
            "failed",
            "invalid_argument",
            id="unknown argument",
        ),
        pytest.param(
            "semantic_search",
            {"query": "soup", "top": 500},
            "failed",
            "invalid_argument",
            id="beyond the cap",
        ),
        pytest.param(
            "fulltext_search",
            {"query": "soup", "where": "Nowhere = 1"},
            "refused",
            "invalid_where",
            id="where",
        ),
        pytest.param(
            "run_readonly_sql", {"sql": "DROP TABLE Recipe"}, "refused", "not_select", id="guard"
        ),
        pytest.param(
            "run_readonly_sql",
            {"sql": f"{SQL} WHERE r.Title > 5"},
            "failed",
            "conversion_failed",
            id="engine",
        ),
        pytest.param("fix_sql", {"sql": FOREIGN}, "refused", "not_select", id="unfixable"),
        pytest.param(
            "run_strategies",
            {"question": "soups", "strategies": [STRATEGY, STRATEGY]},
            "failed",
            "invalid_argument",
            id="two strategies of one id",
        ),
        pytest.param(
            "run_strategies",
            {"question": "soups", "strategies": [STRATEGY | {"command": "DROP TABLE Recipe"}]},
            "refused",
            "not_select",
            id="failed strategy",
        ),
        pytest.param(
            "expand_strategy", {"execution_id": "0" * 32}, "failed", "not_found", id="expand"
        ),
        pytest.param("expand_strategy", {}, "failed", "invalid_argument", id="expand nothing"),
        pytest.param(
            "get_planning_context",
            {"question": "soup", "section": "rules"},
            "failed",
            "invalid_argument",
            id="plan both",
        ),
        pytest.param(
            "get_records", {"kind": "Recipe", "names": ["No"]}, "failed", "not_found", id="records"
        ),
    ],
)
async def test_a_call_that_comes_to_nothing_is_recorded(
    client: Client, session: Session, tool: str, arguments: dict[str, Any], status: str, code: str
) -> None:
    await client.call_tool(tool, arguments)

    (recorded,) = recorded_executions(session)
    assert (recorded.tool, recorded.status, recorded.code) == (tool, status, code)
    assert recorded.message
    assert recorded.given
    assert recorded.client is not None
    assert (recorded.client.name, recorded.client.transport) == ("mcp", "stdio")


@pytest.mark.parametrize("arguments", [{}, {"section": "rules"}])
async def test_a_context_without_a_question_is_recorded(
    client: Client, session: Session, arguments: dict[str, str]
) -> None:
    await client.call_tool("get_planning_context", arguments)
    (recorded,) = recorded_executions(session)
    assert (recorded.tool, recorded.status) == ("get_planning_context", "ok")


async def test_what_was_sent_is_recorded_of_a_call_that_never_began(
    client: Client, session: Session
) -> None:
    arguments = {"query": "soup", "limti": 1}
    await client.call_tool("semantic_search", arguments)
    (recorded,) = recorded_executions(session)
    assert json.loads(recorded.given or "") == arguments


async def test_what_was_decided_for_a_question_is_recorded(
    client: Client, session: Session
) -> None:
    question = "Which recipes are soups, by which chef?"
    await client.call_tool("get_planning_context", {"question": question})
    (recorded,) = recorded_executions(session)
    assert (recorded.tool, recorded.status, recorded.given) == (
        "get_planning_context",
        "ok",
        question,
    )
    assert recorded.notes[0].startswith("Entities: ")


@pytest.mark.parametrize(
    "cancelled",
    [
        pytest.param(False, id="out of time", marks=pytest.mark.slow("time limit")),
        pytest.param(True, id="cancelled"),
    ],
)
async def test_a_call_that_ends_too_early_is_recorded(
    scripted: Scripted, session: Session, mode: str, cancelled: bool
) -> None:
    engine = ScriptedEngine()
    total = 300.0 if cancelled else 3.0  # enough for the statement to begin
    async with Client(scripted(engine, total_timeout=total), mode=mode) as client:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "run_readonly_sql", {"sql": SQL})
            assert await anyio.to_thread.run_sync(engine.started.wait, 120)
            if cancelled:
                group.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(engine.cancelled.wait, 120)

    (recorded,) = recorded_executions(session)
    assert (recorded.tool, recorded.status) == ("run_readonly_sql", "failed")
    assert recorded.code in ("timeout", "cancelled")


@pytest.fixture
def locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteJournal]:
    """A journal that another program holds for longer than anybody waits."""
    monkeypatch.setattr("moviegraph.journal.journal_file.BUSY_SECONDS", 0.05)
    path = tmp_path / "journal.sqlite"
    with closing(SqliteJournal(path)) as journal, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield journal


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param("run_readonly_sql", {"sql": SQL}, id="rows"),
        pytest.param("run_readonly_sql", {"sql": "DROP TABLE Recipe"}, id="refusal"),
        pytest.param("run_strategies", {"question": "q", "strategies": [STRATEGY]}, id="plan"),
        pytest.param("fix_sql", {"sql": "SELECT Title FORM Recipe"}, id="repair"),
        pytest.param("semantic_search", {"query": "x", "limti": 1}, id="wrong argument"),
    ],
)
async def test_what_cannot_be_recorded_is_not_answered(
    session: Session,
    locked: SqliteJournal,
    caplog: pytest.LogCaptureFixture,
    tool: str,
    arguments: dict[str, Any],
) -> None:
    server = create_server(Settings(), session=replace(session, journal=locked))
    with caplog.at_level(logging.ERROR):
        async with Client(server) as client:
            result = await client.call_tool(tool, arguments)

    assert result.is_error
    assert result.structured_content["error"]["code"] == "internal_error"
    assert str(result).count("journal") == 0
    assert "database is locked" in caplog.text
    assert "MOVIEGRAPH_JOURNAL" in caplog.text


@pytest.fixture
def fake() -> FakeOpenAI:
    return FakeOpenAI(replies=[REPLY])


@pytest.fixture
def configured(session: Session, fake: FakeOpenAI) -> Iterator[MCPServer[Any]]:
    endpoint = Endpoint("openai", "cook", "http://models.example/v1", "test-key")
    client = open_client(endpoint, timeout=5, retries=0, transport=fake.transport())
    with closing(OpenAIModel(endpoint, client)) as model:
        yield create_server(Settings(), session=replace(session, model=model))


def reported_tokens(fake: FakeOpenAI) -> dict[str, int]:
    """Return the tokens of the last request, as the endpoint counts them."""
    reply = fake.respond(fake.requests[-1])
    assert isinstance(reply.body, dict)
    return reply.body["usage"]


async def test_what_the_servers_model_cost_is_recorded_and_reported(
    configured: MCPServer[Any], session: Session, fake: FakeOpenAI
) -> None:
    plan = [STRATEGY, {"id": "b", "message_to_user": "b", "command": FOREIGN}]
    async with Client(configured) as client:
        arguments = {"question": "soups", "strategies": plan}
        result = await client.call_tool("run_strategies", arguments)
    fake.replies = [REPLY]
    usage = reported_tokens(fake)

    (cost,) = (result.meta or {})[MODELS]
    assert cost == {
        "by": "provider",
        "model": "openai:cook",
        "purpose": "repair",
        "calls": 1,
        "prompt_tokens": usage["prompt_tokens"],
        "completion_tokens": usage["completion_tokens"],
        "untold": 0,
    }
    by_id = {execution.strategy_id: execution for execution in recorded_executions(session)}
    assert by_id["a"].models == ()
    assert by_id["b"].models == (ModelCost(**cost),)
    assert [(a.decision, a.method) for a in by_id["b"].attempts] == [
        ("refused", None),
        ("allowed", "provider"),
    ]


async def test_a_call_that_asks_no_model_reports_none(client: Client) -> None:
    result = await client.call_tool("run_readonly_sql", {"sql": SQL})
    assert MODELS not in (result.meta or {})


async def test_the_clients_model_is_a_cost_with_unknown_tokens(
    server: MCPServer[Any], session: Session, mode: str
) -> None:
    async with Client(server, mode=mode, sampling_callback=Model()) as client:
        result = await client.call_tool("fix_sql", {"sql": FOREIGN})

    assert result.structured_content["sql"] == REPAIRED
    first, last = recorded_executions(session)
    assert (first.status, first.models) == ("refused", ())
    (cost,) = last.models
    assert (cost.by, cost.model, cost.calls, cost.untold) == ("client", "theirs", 1, 1)
    assert [attempt.method for attempt in last.attempts] == [None, "client"]


async def test_both_models_are_charged_and_the_configured_one_is_asked_once(
    configured: MCPServer[Any], session: Session, fake: FakeOpenAI, mode: str
) -> None:
    fake.replies = [json.dumps({"sql": None, "reason": "No."})]
    async with Client(configured, mode=mode, sampling_callback=Model()) as client:
        result = await client.call_tool("fix_sql", {"sql": FOREIGN})

    assert result.structured_content["method"] == "client"
    assert len(fake.requests) == 1
    charged = [
        (execution.status, [cost.by for cost in execution.models])
        for execution in recorded_executions(session)
    ]
    assert charged == [("refused", ["provider"]), ("ok", ["client"])]


async def test_rows_are_kept_for_their_owner_alone_and_only_if_asked_for(
    session: Session,
) -> None:
    for keeps, rows in ((False, None), (True, [[1], [2]])):
        server = create_server(Settings(), session=replace(session, journal_results=keeps))
        async with Client(server) as client:
            sql = "SELECT TOP 2 r.Number FROM Recipe AS r ORDER BY r.Number"
            result = await client.call_tool("run_readonly_sql", {"sql": sql})
            uri = f"moviegraph://executions/{result.structured_content['execution_id']}"
            resource_result = await client.read_resource(uri)
        assert isinstance(resource_result.contents[0], TextResourceContents)
        assert json.loads(resource_result.contents[0].text)["rows"] == rows
    assert session.journal.find("eve", result.structured_content["execution_id"]) is None
    assert isinstance(session.journal, SqliteJournal)
    assert session.journal.verify().ok


async def test_drafts_of_both_models_that_ask_something_else_are_recorded(
    configured: MCPServer[Any], session: Session, fake: FakeOpenAI, mode: str
) -> None:
    fake.replies = [REPLY.replace("soup", "cake")]
    theirs = Model(REPLY.replace("soup", "stew"))
    async with Client(configured, mode=mode, sampling_callback=theirs) as client:
        result = await client.call_tool("fix_sql", {"sql": FOREIGN})

    assert result.structured_content["status"] == "unfixable"
    tried = [
        (a.method, a.code)
        for execution in recorded_executions(session)
        for a in execution.attempts
        if a.method
    ]
    assert tried == [("provider", "another_question"), ("client", "another_question")]
