"""Costs of a question: the agent's model and the server's model."""

import json
from contextlib import ExitStack, closing
from dataclasses import replace

import pytest
from fakes.fake_openai import FakeOpenAI
from fakes.scripted_chat import ScriptedChat, choice, composition, plan, understanding
from mcp import Client

from moviegraph.ask.agent import Agent
from moviegraph.ask.reasoner import Reasoner
from moviegraph.ask.step_printer import StepPrinter
from moviegraph.llm.language_model import TokenUsage
from moviegraph.llm.openai_model import open_model
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings
from moviegraph.tool_client import ToolClient

KUSTO = "Recipe | project Number, Title"
REWRITE = json.dumps({"sql": "SELECT r.Number, r.Title FROM Recipe AS r", "reason": "Kusto."})


@pytest.mark.anyio
async def test_what_the_server_asked_the_model_is_counted_too(session: Session) -> None:
    chat = ScriptedChat(
        {
            "Understanding": [understanding("its taste")],
            "Plan": [plan(first=KUSTO)],
            "Rewrite": [REWRITE],
            "Choice": [choice("answer")],
            "Composition": [composition("Cook [Recipe 1].", ("Recipe", 1))],
        }
    )
    fake = FakeOpenAI(api_key=None, chat=chat)
    with fake.loopback() as address, ExitStack() as stack:
        own, servers = (
            stack.enter_context(closing(open_model("openai:cook", base_url=f"{address}/v1")))
            for _ in range(2)
        )
        served = create_server(Settings(), session=replace(session, model=servers))
        async with Client(served) as client:
            tools, lines = ToolClient(client), list[str]()
            reasoner = Reasoner(tools, own)
            result = await Agent(tools, reasoner, StepPrinter(lines.append)).answer(
                "Something warm"
            )

    assert len(chat.prompts["Rewrite"]) == 1
    assert (result.usage.requests, reasoner.of_server.requests) == (5, 1)
    assert result.usage.tokens > reasoner.of_server.tokens > 0


def test_the_share_of_the_server_is_reported() -> None:
    lines: list[str] = []
    StepPrinter(lines.append).usage(TokenUsage(4, silent=4), of_server=1)
    assert lines == ["Model: 4 responses, 1 of them to the server; tokens not reported for 4"]
