"""The page that hosts of MCP Apps show: declared, found, and made of nothing but itself."""

import re
from importlib.resources import files
from typing import Any

import pytest
from mcp import Client
from mcp.client import advertise
from mcp.server import MCPServer
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID

from moviegraph.view.page import URI

WEB = files("moviegraph.view") / "web"
FOLDERS = (WEB, WEB / "explore")
SOURCES = [
    path
    for folder in FOLDERS
    for path in folder.iterdir()
    if path.name.endswith((".js", ".css", ".html"))
]
VIEW_TOOLS = {"graph_traverse", "run_strategies"}
MAX_SCRIPT_BYTES = 40_000
FORBIDDEN = (
    r"innerHTML|outerHTML|insertAdjacent|document\.write|createContextualFragment|DOMParser|eval\(|"
    r"new Function|setTimeout\(\s*[\"'`]|https?://(?!www\.w3\.org/2000/svg)|import\(|@import|url\("
)


async def page(client: Client) -> str:
    text = (await client.read_resource(URI)).contents[0]
    return text.text  # type: ignore[union-attr]


async def test_no_tool_names_a_picture_that_is_not_there(client: Client) -> None:
    tools = (await client.list_tools()).tools
    view_uris = {tool.name: tool.meta["ui"]["resourceUri"] for tool in tools if tool.meta}
    assert set(view_uris) == VIEW_TOOLS
    for uri in view_uris.values():
        content = (await client.read_resource(uri)).contents[0]
        assert content.mime_type == APP_MIME_TYPE
        assert content.meta == {
            "ui": {
                "csp": {
                    "connectDomains": [],
                    "resourceDomains": [],
                    "frameDomains": [],
                    "baseUriDomains": [],
                },
                "prefersBorder": True,
            }
        }


async def test_the_server_says_that_it_has_pictures_where_a_revision_has_a_place_for_it(
    server: MCPServer[Any],
) -> None:
    async with Client(server, mode="auto") as client:
        capabilities = client.server_capabilities
    assert capabilities is not None
    assert EXTENSION_ID in (capabilities.extensions or {})


async def test_a_result_is_the_same_with_and_without_a_picture(server: MCPServer[Any]) -> None:
    extension = advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})
    arguments = {"start": ["Ratatouille"], "path": ["NEEDS", "NEEDS"]}
    items: list[dict[str, Any]] = []
    for extensions in ([extension], []):
        async with Client(server, extensions=extensions) as client:
            result = await client.call_tool("graph_traverse", arguments)
        facts = dict(result.structured_content or {})
        assert result.content[0].text.startswith("columns: ")  # type: ignore[union-attr]
        items.append({k: v for k, v in facts.items() if k not in ("execution_id", "elapsed_ms")})
    assert items[0] == items[1]


async def test_the_page_holds_all_that_it_needs(client: Client) -> None:
    text = await page(client)
    assert re.findall(r"<(?:link|img|iframe|object|embed|base|form)\b", text) == []
    assert re.findall(r"\s(?:src|href|action|on\w+)\s*=\s*[\"']", text.split("<script>")[0]) == []
    assert "default-src 'none'" in text
    assert "{{" not in text


async def test_kinds_and_edges_in_the_page_are_those_of_the_contract(client: Client) -> None:
    text = await page(client)
    for name in ("Recipe", "Ingredient", "Cuisine", "NEEDS", "COMES_FROM"):
        assert f'"{name}"' in text
    assert not re.search(r"movie(?!graph)|film", text, re.IGNORECASE)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_a_source_makes_no_markup_and_loads_nothing(source: Any) -> None:
    text = source.read_text(encoding="utf-8")
    assert re.findall(FORBIDDEN, text) == []
    assert [line for line in text.splitlines() if len(line) > 100] == []
    assert "\t" not in text
    assert [line for line in text.splitlines() if line.count("`") % 2] == []


async def test_the_script_is_small(client: Client) -> None:
    script = (await page(client)).rsplit("<script>", 1)[1]
    assert len(script.encode()) < MAX_SCRIPT_BYTES
