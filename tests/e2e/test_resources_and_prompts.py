"""Resources, completion and prompts, as a client sees them."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import pytest
from fakes.http_clients import BOTH_REVISIONS
from fakes.scripted_engine import ScriptedEngine
from mcp import Client, MCPError
from mcp.server import MCPServer
from mcp.types import INVALID_PARAMS, ResourceTemplateReference, TextContent, TextResourceContents

from moviegraph.contract.loader import load_contract
from moviegraph.contract.markdown import placeholders
from moviegraph.engines.load_facts import Losses
from moviegraph.prompts import prompt_files, render_prompt

PROMPTS = ["research", "similar_to"]
FILES = prompt_files()
RESOURCE_NOT_FOUND = -32002


async def read_text(client: Client, uri: str) -> str:
    content = (await client.read_resource(uri)).contents[0]
    assert isinstance(content, TextResourceContents)
    return content.text


async def test_every_resource_is_listed_with_title_and_type(client: Client) -> None:
    resources = {
        str(resource.uri): resource for resource in (await client.list_resources()).resources
    }
    assert set(resources) == {
        "moviegraph://contract",
        "moviegraph://contract.json",
        "moviegraph://examples",
        "moviegraph://rules",
        "moviegraph://stats",
        "ui://moviegraph/view",
    }
    templates = (await client.list_resource_templates()).resource_templates
    assert {template.uri_template for template in templates} == {
        "moviegraph://tables/{table}",
        "moviegraph://executions/{execution_id}",
    }
    assert all(
        resource.title and resource.description for resource in (*resources.values(), *templates)
    )


@pytest.mark.parametrize(
    ("uri", "holds"),
    [
        pytest.param("moviegraph://contract", "Recipe graph", id="contract"),
        pytest.param("moviegraph://examples", "```sql", id="examples"),
        pytest.param("moviegraph://rules", "VECTOR_DISTANCE", id="rules"),
        pytest.param("moviegraph://tables/Recipe", "# Recipe", id="node table"),
        pytest.param("moviegraph://tables/needs", "# NEEDS", id="edge table in other case"),
    ],
)
async def test_markdown_resources_render_the_contract(client: Client, uri: str, holds: str) -> None:
    text = await read_text(client, uri)
    assert holds in text
    assert "{{" not in text


async def test_the_contract_as_json_has_its_hash(client: Client) -> None:
    contract = json.loads(await read_text(client, "moviegraph://contract.json"))
    assert contract["name"] == "kitchen"
    assert len(contract["hash"]) == 16


async def test_statistics_count_every_table(client: Client) -> None:
    stats = json.loads(await read_text(client, "moviegraph://stats"))
    assert stats["counts"]["Recipe"] == 8
    assert stats["embeddings"]["dimensions"] == 64
    assert stats["content_hash"]


async def test_statistics_state_what_the_load_lost(
    scripted: Callable[..., MCPServer[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = Losses({"not JSON": 2}, {"Recipe": {"Year": 1}}, {"a.csv": {"photo": "binary"}})
    engine = ScriptedEngine(None)
    description = replace(engine.describe(), losses=losses)
    monkeypatch.setattr(engine, "describe", lambda: description)
    async with Client(scripted(engine)) as client:
        stats = json.loads(await read_text(client, "moviegraph://stats"))
    assert stats["losses"] == asdict(losses)


async def test_an_execution_can_be_read_by_its_owner_only_under_its_id(client: Client) -> None:
    run = await client.call_tool("run_readonly_sql", {"sql": "SELECT Title FROM Recipe"})
    execution_id = run.structured_content["execution_id"]
    loads = json.loads(await read_text(client, f"moviegraph://executions/{execution_id}"))
    assert loads["tool"] == "run_readonly_sql"
    assert "owner" not in loads


@BOTH_REVISIONS
@pytest.mark.parametrize(
    "uri",
    [
        "moviegraph://tables/Nothing",
        "moviegraph://tables/..%2F..%2Fetc",
        "moviegraph://executions/0123456789abcdef",
        "moviegraph://nothing",
    ],
)
async def test_what_does_not_exist_has_the_code_of_the_revision(
    client: Client, mode: str, uri: str
) -> None:
    with pytest.raises(MCPError) as raised:
        await client.read_resource(uri)
    assert raised.value.error.code == (RESOURCE_NOT_FOUND if mode == "legacy" else INVALID_PARAMS)
    assert raised.value.error.data == {"uri": uri}


@pytest.mark.parametrize(
    ("prefix", "completed"),
    [
        pytest.param("", ["Recipe", "Ingredient", "Cuisine", "NEEDS", "COMES_FROM"], id="all"),
        pytest.param("c", ["Cuisine", "COMES_FROM"], id="some"),
        pytest.param("zzz", [], id="none"),
    ],
)
async def test_table_names_are_completed(client: Client, prefix: str, completed: list[str]) -> None:
    reference = ResourceTemplateReference(type="ref/resource", uri="moviegraph://tables/{table}")
    result = await client.complete(reference, {"name": "table", "value": prefix})
    assert result.completion.values == completed


async def test_every_prompt_is_listed_with_its_arguments(client: Client) -> None:
    prompts = (await client.list_prompts()).prompts
    assert [prompt.name for prompt in prompts] == PROMPTS
    for prompt in prompts:
        assert prompt.title
        assert prompt.description
        assert prompt.arguments
        assert all(argument.description for argument in prompt.arguments)


async def test_every_prompt_renders_with_its_arguments(client: Client) -> None:
    prompts = (await client.list_prompts()).prompts
    assert prompts
    for prompt in prompts:
        arguments = {
            argument.name: f"[{argument.name} {{{{x}}}}]" for argument in prompt.arguments or ()
        }
        result = await client.get_prompt(prompt.name, arguments)
        content = result.messages[0].content
        assert isinstance(content, TextContent)
        assert all(value in content.text for value in arguments.values())
        assert "{{" not in content.text.replace("{{x}}", "")


async def test_an_optional_argument_may_be_left_out(client: Client) -> None:
    result = await client.get_prompt("similar_to", {"record": "Goulash"})
    content = result.messages[0].content
    assert isinstance(content, TextContent)
    assert "(none)" in content.text


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        pytest.param("nothing", {}, id="unknown prompt"),
        pytest.param("research", {}, id="missing argument"),
        pytest.param("research", {"question": "x", "topic": "y"}, id="unknown argument"),
        pytest.param("research", {"question": "x" * 200_001}, id="too long"),
    ],
)
async def test_a_wrong_prompt_request_is_an_invalid_parameter(
    client: Client, name: str, arguments: dict[str, str]
) -> None:
    with pytest.raises(MCPError) as raised:
        await client.get_prompt(name, arguments)
    assert raised.value.error.code == INVALID_PARAMS


@pytest.mark.parametrize("file", [pytest.param(file, id=file.name) for file in FILES])
def test_a_prompt_file_uses_every_argument_and_names_nothing_else(file: Any) -> None:
    contract = load_contract()
    own = {argument.name for argument in file.arguments}
    assert own <= file.placeholders, "an argument that the text does not use"
    assert file.placeholders <= own | set(placeholders(contract)) | {"today"}
    text = render_prompt(file, contract, dict.fromkeys(own, "given"), "2026-07-28")
    assert "{{" not in text
