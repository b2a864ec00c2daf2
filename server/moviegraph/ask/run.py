"""Starts the real server as a subprocess, and lets the agent answer through it."""

import asyncio
import os
import sys

from mcp import Client, MCPError, StdioServerParameters

from moviegraph.ask.agent import Agent
from moviegraph.ask.answer import Answered
from moviegraph.ask.reasoner import MeteredModel, Reasoner
from moviegraph.ask.screen import Screen
from moviegraph.errors import MoviegraphError
from moviegraph.tool_client import ConnectionLostError, ToolClient

LOGGED = "Read the server log above, and run `moviegraph check`."
LOST = "The server did not start, or stopped too early. Read its output above."


async def run(question: str, model: MeteredModel, options: list[str], screen: Screen) -> Answered:
    """Return the answer of a server with the given options, and end that server.

    Raises:
        MoviegraphError: The model or the server failed; the message says how.
    """
    outcome: Answered | MoviegraphError | None = None
    try:
        async with Client(_server(options)) as client:
            outcome = await _outcome(client, question, model, screen)
    except (MCPError, OSError, ExceptionGroup) as error:
        if outcome is None and not _is_interrupted():
            raise ConnectionLostError(LOST) from error
    if _is_interrupted():  # whatever else an interrupt broke on its way
        raise asyncio.CancelledError
    if not isinstance(outcome, Answered):
        raise outcome or ConnectionLostError(LOST)
    return outcome


def _is_interrupted() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _outcome(
    client: Client, question: str, model: MeteredModel, screen: Screen
) -> Answered | MoviegraphError:
    """Return the answer, or what failed: raised, it would leave the client within a group."""
    tools = ToolClient(client, screen.note)
    reasoner = Reasoner(tools, model)
    try:
        return await Agent(tools, reasoner, screen).answer(question)
    except MoviegraphError as error:
        if error.code == "internal_error":
            error.hint = LOGGED
        return error
    finally:
        screen.usage(reasoner.usage, of_server=reasoner.of_server.requests)


def _server(options: list[str]) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "moviegraph", "serve", "--transport", "stdio", *options],
        env=dict(os.environ),
    )
