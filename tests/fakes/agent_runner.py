"""One question to a server over MCP, with a scripted model behind a real socket."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from typing import Any

import pytest
from fakes.fake_openai import FakeOpenAI
from fakes.scripted_chat import ScriptedChat, choice, composition, plan, understanding
from mcp import Client
from mcp.server import MCPServer

from moviegraph.ask.agent import Agent
from moviegraph.ask.evidence import Answered
from moviegraph.ask.reasoner import Reasoner
from moviegraph.ask.step_printer import StepPrinter
from moviegraph.errors import ModelError
from moviegraph.llm.openai_model import open_model
from moviegraph.tool_client import ToolClient, ToolFailedError

QUESTION = "Something like ratatouille for a cold evening"
KEY = "test-key"
TWO = "SELECT TOP 2 r.Number, r.Title FROM Recipe AS r ORDER BY r.Number"
TWO_OF = "SELECT r.Number, r.Title FROM Recipe AS r"
NEAREST = (
    "SELECT TOP 3 r.Number, r.Title FROM Recipe AS r "
    "ORDER BY VECTOR_DISTANCE('cosine', r.Meaning, @q), r.Number"
)
MEANING = (NEAREST, "lentils that simmer")
WRONG_ARROW = (
    "SELECT TOP 5 i.Id, i.Name, COUNT(*) AS Dishes FROM Recipe AS r, NEEDS AS n, Ingredient AS i "
    "WHERE MATCH(i-(n)->r) GROUP BY i.Id, i.Name ORDER BY Dishes DESC, i.Id"
)
UNKNOWN_COLUMN = "SELECT r.Calories FROM Recipe AS r"
EMPTY = "SELECT r.Number, r.Title FROM Recipe AS r WHERE r.Title = 'No such dish'"
COUNT = "SELECT COUNT(*) AS Dishes FROM Recipe AS r"


class AgentRunner:
    """One question to a server, with a model at an address; `lines` is what was shown."""

    def __init__(self, server: MCPServer[Any], fake: FakeOpenAI, address: str) -> None:
        self.server = server
        self.fake = fake
        self.address = address
        self.lines: list[str] = []

    @asynccontextmanager
    async def agent(self, patience: float = 120) -> AsyncGenerator[Agent]:
        name = "openai:cook"
        model = open_model(name, base_url=self.address, api_key=KEY, timeout=patience)
        with closing(model):
            async with Client(self.server) as client:
                screen = StepPrinter(self.lines.append)
                tools = ToolClient(client, screen.note)
                yield Agent(tools, Reasoner(tools, model), screen)

    async def answer(self, question: str = QUESTION, **answers: Any) -> Answered:
        self.script(**answers)
        async with self.agent() as agent:
            return await agent.answer(question)

    async def raised(self, patience: float = 120, **answers: Any) -> str:
        if not self.fake.chat:
            self.script(**answers)
        async with self.agent(patience) as agent:
            with pytest.raises((ModelError, ToolFailedError)) as caught:
                await agent.answer(QUESTION)
        return caught.value.message

    def script(self, **answers: Any) -> None:
        """Answer by shape; what is left out is said as in a question that goes well."""
        usual: dict[str, Any] = {
            "understanding": [understanding("its taste", "what goes into it")],
            "plan": [plan(first=TWO, meaning=MEANING)],
            "choice": [choice("answer")],
            "composition": [composition("Cook [Recipe 1].", ("Recipe", 1))],
        }
        arguments = usual | answers
        self.chat = ScriptedChat({name.capitalize(): reply for name, reply in arguments.items()})
        self.fake.chat = self.chat

    @property
    def shown(self) -> str:
        return "\n".join(self.lines)
