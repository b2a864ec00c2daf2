"""Runner of the demo: the real server as a subprocess, and a tour through it."""

import os
import sys

from mcp import Client, StdioServerParameters

from moviegraph.content import content_folder
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.demo.demo_printer import DemoPrinter
from moviegraph.demo.scenario import GraphTour, Scenario, ScenarioRunner, load_scenario
from moviegraph.errors import MoviegraphError
from moviegraph.tool_client import ToolClient, ToolFailedError


def walkthrough() -> Scenario:
    """Return the walkthrough that ships with the package."""
    return load_scenario(content_folder("schema_docs") / "walkthroughs" / "star_wars.toml")


async def run(options: list[str], contract: Contract, screen: DemoPrinter) -> bool:
    """Start the server with these options and tour its graph; return whether rows were found.

    Raises:
        MoviegraphError: The server failed; the message says how.
    """
    async with Client(_server(options)) as client:
        outcome = await _run_tour(client, contract, screen)
    if isinstance(outcome, MoviegraphError):
        raise outcome
    screen.next_steps()
    return outcome


async def _run_tour(
    client: Client, contract: Contract, screen: DemoPrinter
) -> bool | MoviegraphError:
    """Return whether rows were found, or the failure: raised, it would become part of a group."""
    try:
        plan = walkthrough()
        if await _holds(client, contract, plan):
            screen.question(plan.question)
            films = await ScenarioRunner(client, plan, screen.step).walk()
            screen.films(films)
            return bool(films)
        tour = GraphTour(client, contract, screen.step)
        screen.question(tour.question)
        return await tour.run()
    except MoviegraphError as error:
        if error.code == "internal_error":
            error.hint = "Read the server log above, and run `moviegraph check`."
        return error


async def _holds(client: Client, contract: Contract, plan: Scenario) -> bool:
    """Return whether the graph is one of films that holds what the walkthrough starts from."""
    if contract.hash != load_contract().hash:
        return False
    try:
        await ToolClient(client).call("get_records", kind=plan.seen_kind, names=[plan.seen])
    except ToolFailedError as error:
        if error.code == "not_found":
            return False
        raise
    return True


def _server(options: list[str]) -> StdioServerParameters:
    """Return the command of the real server; it records calls where every server does."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "moviegraph", "serve", *options, "--transport", "stdio"],
        env=dict(os.environ),
    )
