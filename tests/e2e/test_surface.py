"""What a client receives before its first call."""

import json
from pathlib import Path
from typing import Any

import pytest
from fakes.http_clients import BOTH_REVISIONS
from fakes.toy_graph import TOY
from mcp import Client
from mcp.server import MCPServer

from moviegraph import __version__
from moviegraph.contract.loader import load_contract
from moviegraph.server import create_server
from moviegraph.settings import Settings
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

TEN = {
    "semantic_search",
    "fulltext_search",
    "hybrid_search",
    "graph_traverse",
    "run_readonly_sql",
    "fix_sql",
    "run_strategies",
    "expand_strategy",
    "get_planning_context",
    "get_records",
}
MOST_BYTES = 12_288
LONGEST_INSTRUCTIONS = 2_000


@pytest.fixture
def shipped() -> MCPServer[Any]:
    """The server of the contract in the package; nothing is opened by listing."""
    return create_server(Settings(graph=Path("nowhere")))


async def test_there_are_ten_tools_in_a_fixed_order(client: Client) -> None:
    names = [tool.name for tool in (await client.list_tools()).tools]
    assert set(names) == TEN
    assert len(names) == len(TEN)
    assert names[0] == "get_planning_context"


@BOTH_REVISIONS
async def test_the_list_of_tools_is_at_most_12288_bytes(shipped: MCPServer[Any], mode: str) -> None:
    async with Client(shipped, mode=mode) as client:
        tools_result = await client.list_tools()
    answer = {
        "jsonrpc": "2.0",
        "id": 1,
        "result": tools_result.model_dump(mode="json", by_alias=True, exclude_none=True),
    }
    assert len(json.dumps(answer, separators=(",", ":")).encode()) <= MOST_BYTES


@pytest.mark.parametrize("folder", ["schema_docs", "examples/cookbook/contract"])
async def test_the_guard_accepts_the_statement_of_a_description(folder: str) -> None:
    path = Path(__file__).parents[2] / folder
    async with Client(create_server(Settings(graph=Path("nowhere"), contract=path))) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    example = (tools["run_readonly_sql"].description or "").partition("Example: ")[2]
    assert isinstance(judge(json.loads(example)["sql"], load_contract(path)), Allowed)


async def test_every_tool_has_title_description_example_and_the_hints_that_matter(
    client: Client,
) -> None:
    tools = (await client.list_tools()).tools
    assert tools
    for tool in tools:
        assert tool.title
        assert "Example: " in (tool.description or "")
        assert "Not" in (tool.description or "") or "not" in (tool.description or "")
        assert tool.annotations is not None
        hints = tool.annotations.model_dump(exclude={"title"})
        assert hints == {
            "read_only_hint": True,
            "destructive_hint": False,
            "idempotent_hint": None,
            "open_world_hint": False,
        }


async def test_schemas_are_strict_and_plain(client: Client) -> None:
    tools = (await client.list_tools()).tools
    assert tools
    for tool in tools:
        schema = tool.input_schema
        assert schema["additionalProperties"] is False
        text = json.dumps(schema)
        assert '"$ref"' not in text
        assert '"null"' not in text
        assert '"title": "' not in text.replace('"title": {', "")


async def test_kinds_and_edges_come_from_the_contract(client: Client) -> None:
    tools = {
        tool.name: tool.input_schema["properties"] for tool in (await client.list_tools()).tools
    }
    kinds = ["Recipe", "Ingredient", "Cuisine"]
    for tool, argument in (
        ("semantic_search", "kind"),
        ("fulltext_search", "kind"),
        ("hybrid_search", "kind"),
        ("graph_traverse", "start_kind"),
        ("get_records", "kind"),
    ):
        assert tools[tool][argument]["enum"] == kinds  # the first is the default
    assert tools["graph_traverse"]["path"]["items"]["enum"] == ["NEEDS", "COMES_FROM"]
    assert tools["semantic_search"]["top"]["maximum"] == 10


async def test_another_contract_leaves_no_word_of_the_shipped_one() -> None:
    server = create_server(Settings(contract=TOY / "contract", graph=Path("nowhere")))
    async with Client(server) as client:
        schemas = [
            str(client.server_info),
            client.instructions or "",
            (await client.list_tools()).model_dump_json(),
            (await client.list_prompts()).model_dump_json(),
            (await client.list_resources()).model_dump_json(),
        ]
    for text in schemas:
        lowered = text.lower().replace("moviegraph", "")
        assert "movie" not in lowered
        assert "film" not in lowered


async def test_the_operators_caps_are_in_the_schema() -> None:
    server = create_server(Settings(top=7, top_expanded=9, graph=Path("nowhere")))
    async with Client(server) as client:
        tools = {t.name: t for t in (await client.list_tools()).tools}
    assert tools["semantic_search"].input_schema["properties"]["top"]["maximum"] == 7
    assert tools["expand_strategy"].input_schema["properties"]["top"]["maximum"] == 9


@BOTH_REVISIONS
async def test_instructions_are_short_and_filled(shipped: MCPServer[Any], mode: str) -> None:
    async with Client(shipped, mode=mode) as client:
        instructions = client.instructions
        info = client.server_info
    assert instructions is not None
    assert 200 < len(instructions) <= LONGEST_INSTRUCTIONS
    assert "{{" not in instructions
    assert info is not None
    assert (info.name, info.version) == ("moviegraph", __version__)


async def test_ten_servers_live_in_one_process() -> None:
    servers = [create_server(Settings(top=n, graph=Path("nowhere"))) for n in range(1, 11)]
    maxima: list[int] = []
    for server in servers:
        async with Client(server) as client:
            tools = {t.name: t for t in (await client.list_tools()).tools}
            maxima.append(tools["hybrid_search"].input_schema["properties"]["top"]["maximum"])
    assert maxima == list(range(1, 11))
