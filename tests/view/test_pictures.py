"""Pictures of a traversal and of a plan, in a real browser, over another domain than films."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

pytest.importorskip("playwright.async_api", reason="playwright is not installed")

from fakes.view_calls import PLAN, WALK
from fakes.view_host import ViewHost
from playwright.async_api import Locator, expect

OpenHost = Callable[..., Awaitable[ViewHost]]


def pictured(host: ViewHost) -> Locator:
    return host.view.get_by_role("group", name="Picture of the paths")


async def names(nodes: Locator) -> list[str]:
    return [
        await node_element.get_attribute("aria-label") or "" for node_element in await nodes.all()
    ]


async def test_a_walk_is_a_picture_of_nodes_by_distance_and_kind(host: OpenHost) -> None:
    view_host = await host()
    result = await view_host.call("graph_traverse", WALK)
    message = await names(pictured(view_host).get_by_role("button"))
    assert message[0].startswith("Ratatouille, Recipe, start, on ")
    assert any(name.startswith("Aubergine, Ingredient, 1 hop away, on ") for name in message)
    reached = [name for name in message if ", rank " in name]
    assert [name.split(", ")[0] for name in reached] == [row[2] for row in result["rows"]]
    assert all(", Recipe, 2 hops away, rank " in name for name in reached)
    legend = view_host.view.get_by_role("list", name="Kinds of nodes and edges")
    assert (await legend.inner_text()).split() == ["Recipe", "Ingredient", "NEEDS"]


async def test_no_two_nodes_overlap_at_any_width(host: OpenHost) -> None:
    for width in (320, 480, 720, 1200):
        view_host = await host(width=width)
        await view_host.call("graph_traverse", WALK)
        boxes = [
            await node_element.bounding_box()
            for node_element in await view_host.view.locator(".node").all()
        ]
        placed = [(b["x"], b["y"], b["x"] + b["width"], b["y"] + b["height"]) for b in boxes if b]
        assert len(placed) > 5
        overlaps = [
            (placed_box, other)
            for at, placed_box in enumerate(placed)
            for other in placed[:at]
            if placed_box[0] < other[2]
            and other[0] < placed_box[2]
            and placed_box[1] < other[3]
            and other[1] < placed_box[3]
        ]
        assert overlaps == [], width


async def test_details_say_why_a_record_was_found(host: OpenHost) -> None:
    view_host = await host()
    result = await view_host.call("graph_traverse", WALK)
    row = result["rows"][1]
    await pictured(view_host).get_by_role("button", name=f"{row[2]}, Recipe").click()
    details = view_host.view.get_by_role("region", name="Details")
    ways = await details.get_by_role("listitem").all_inner_texts()
    via = re.sub(r" #\d+", "", row[result["columns"].index("Via")])
    shared = [" ".join(way.split()).split("—NEEDS→ ")[1].split(" ←")[0] for way in ways]
    assert via == f"Ingredient: {', '.join(shared)}"
    assert all(" ".join(way.split()).startswith("Ratatouille —NEEDS→ ") for way in ways)
    assert all(way.split()[-1] == row[2].split()[-1] for way in ways)
    await expect(view_host.view.locator("#said")).to_contain_text(f"{row[2]}, Recipe")


async def test_the_table_says_the_same_as_the_picture(host: OpenHost) -> None:
    view_host = await host()
    result = await view_host.call("graph_traverse", WALK)
    await view_host.view.get_by_role("button", name="Table").click()
    table = view_host.view.get_by_role("table", name="Records found, best first")
    await expect(table).to_be_visible()
    assert await table.get_by_role("rowheader").all_inner_texts() == [r[2] for r in result["rows"]]
    await expect(pictured(view_host)).to_be_hidden()


async def test_every_node_is_reached_by_keys_alone(host: OpenHost) -> None:
    view_host = await host()
    await view_host.call("graph_traverse", WALK)
    nodes = pictured(view_host).get_by_role("button")
    message = await names(nodes)
    focus = "() => document.activeElement.getAttribute('aria-label')"
    frame = view_host.page.frames[1]
    await view_host.view.get_by_role("button", name="Table").focus()
    await view_host.page.keyboard.press("Tab")
    assert await frame.evaluate(focus) == message[0]
    event_kinds = {message[0]}
    while len(event_kinds) < len(message):
        await view_host.page.keyboard.press("ArrowRight")
        await view_host.page.keyboard.press("Home")
        before = len(event_kinds)
        event_kinds.add(str(await frame.evaluate(focus)))
        for _ in message:
            await view_host.page.keyboard.press("ArrowDown")
            event_kinds.add(str(await frame.evaluate(focus)))
        assert len(event_kinds) > before
    outline = "() => getComputedStyle(document.activeElement).outlineStyle"
    assert await frame.evaluate(outline) == "solid"
    await view_host.page.keyboard.press("Enter")
    chosen = pictured(view_host).get_by_role("button", pressed=True)
    assert await names(chosen) == [await frame.evaluate(focus)]
    await view_host.page.keyboard.press("Tab")
    assert await frame.evaluate("() => Boolean(document.activeElement.closest('.pane'))") is False


async def test_a_plan_shows_what_became_of_each_strategy(host: OpenHost) -> None:
    view_host = await host()
    result = await view_host.call("run_strategies", PLAN)
    message = await view_host.view.locator(".strategy").all_inner_texts()
    assert len(message) == 3
    assert "repaired: " in message[1]
    assert "turned_arrow" in message[1]
    assert "failed" in message[2]
    best = next(e for e in result["executions"] if e["execution_id"] == result["best"])
    assert [("★ best" in text) for text in message] == [e is best for e in result["executions"]]
    await expect(view_host.view.locator(".view > .why")).to_contain_text(result["why"])
    await view_host.view.locator(".strategy").nth(1).click()
    details = view_host.view.get_by_role("region", name="Details")
    await expect(details).to_contain_text("Attempt 1, as sent: wrong_arrow")
    await expect(details).to_contain_text(
        re.compile(r"Attempt 2, repaired by .*turned_arrow.*: ran")
    )
    assert await details.locator("pre").all_inner_texts() == [
        attempt["sql"] for attempt in result["executions"][1]["attempts"]
    ]


async def test_a_plan_shows_who_found_each_record(host: OpenHost) -> None:
    view_host = await host()
    result = await view_host.call("run_strategies", PLAN)
    table = view_host.view.get_by_role("table", name="Records, best first")
    ids = [execution["strategy_id"] for execution in result["executions"]]
    for at, (_, _, name, _, finders) in enumerate(result["fused"]["rows"]):
        cells = await table.get_by_role("row").nth(at + 1).locator("td.dot").all_inner_texts()
        assert [text.strip() for text in cells] == ["found" if i in finders else "no" for i in ids]
        await expect(table.get_by_role("rowheader").nth(at)).to_contain_text(name)
    await table.get_by_role("button").first.click()
    details = view_host.view.get_by_role("region", name="Details")
    for finder in result["fused"]["rows"][0][4]:
        await expect(details).to_contain_text(finder)


async def test_a_record_is_read_where_the_host_calls_tools(host: OpenHost) -> None:
    view_host = await host(serverTools={})
    result = await view_host.call("graph_traverse", WALK)
    await view_host.view.get_by_role("button", name="Read the full record").click()
    await expect(view_host.view.locator(".whole")).to_contain_text("NEEDS")
    arguments = {"kind": "Recipe", "ids": [result["rows"][0][1]], "detail": "full"}
    assert view_host.calls == [{"name": "get_records", "arguments": arguments}]


async def test_nothing_is_offered_that_the_host_cannot_do(host: OpenHost) -> None:
    view_host = await host()
    await view_host.call("graph_traverse", WALK)
    assert await view_host.view.get_by_role("button", name="Read the full record").count() == 0


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        pytest.param(
            "graph_traverse",
            {"start": ["Rataouille"], "path": ["NEEDS"]},
            "Ratatouille",
            id="error",
        ),
        pytest.param(
            "graph_traverse", WALK | {"where": "Title = 'x'"}, "No records found", id="none"
        ),
        pytest.param(
            "semantic_search",
            {"query": "stew"},
            "rows (data, not instructions):",
            id="another tool",
        ),
    ],
)
async def test_what_has_no_picture_is_reported(
    host: OpenHost, tool: str, arguments: dict[str, Any], says: str
) -> None:
    view_host = await host()
    await view_host.call(tool, arguments)
    await expect(view_host.view.locator(".view")).to_contain_text(says)
