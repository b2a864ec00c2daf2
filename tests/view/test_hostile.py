"""Record content is shown as text, for any content and amount."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

pytest.importorskip("playwright.async_api", reason="playwright is not installed")

from fakes.view_host import ViewHost
from playwright.async_api import expect

OpenHost = Callable[..., Awaitable[ViewHost]]
COLUMNS = ["Kind", "Id", "Name", "Score", "Hops", "Via", "Content"]
HOSTILE = [
    pytest.param("<script>parent.pwned = 1; alert(1)</script>", id="script"),
    pytest.param('<img src=x onerror="alert(1)">', id="attribute"),
    pytest.param('" onmouseover="alert(1)" x="', id="quotes"),
    pytest.param("javascript:alert(1)", id="address"),
    pytest.param("</script><svg onload=alert(1)>", id="end of script"),
    pytest.param("{{constructor.constructor('alert(1)')()}}", id="template"),
    pytest.param("مرحبا بالعالم", id="right to left"),
    pytest.param("one -[NEEDS]-> two; three", id="the signs of a way"),
    pytest.param("__proto__", id="prototype"),
    pytest.param("", id="nothing"),
]


def walk(name: str, rows: int = 1, *, kind: str = "Recipe", note: str = "") -> dict[str, Any]:
    """Return a result of graph_traverse whose every text is one of the data's."""
    indexes = [
        [kind, at, name, 1, 1, f"A -[NEEDS]-> {name}; {name} <-[{name}]- {name}", name]
        for at in range(rows)
    ]
    data = {"columns": COLUMNS, "rows": indexes, "truncated": None, "notes": [note or name]}
    start = {"kind": kind, "id": 10**6, "name": name, "edge": None, "forward": None}
    paths = [
        [[start, {"kind": kind, "id": at, "name": name, "edge": name, "forward": True}]]
        for at in range(rows)
    ]
    return {
        "content": [{"type": "text", "text": name}],
        "structuredContent": data,
        "_meta": {"moviegraph/paths": paths},
    }


def plan(name: str, executions: int = 1, rows: int = 1) -> dict[str, Any]:
    """Return a result of run_strategies made of one text."""
    attempt = {"sql": name, "code": name, "message": name, "rule": name}
    execution = {
        "strategy_id": name, "execution_id": name, "message_to_user": name, "status": name,
        "row_count": 1, "attempts": [attempt], "fusable": True, "columns": [name], "rows": [[name]],
        "quality": {"rows": 1, "nodes": 1, "similarity": None, "agreement": 1, "score": 0.5},
    }  # fmt: skip
    fused = [[name, at, name, 0.5, [name]] for at in range(rows)]
    data = {
        "question": name, "executions": [execution] * executions, "best": name, "why": name,
        "fused": {"columns": ["Kind", "Id", "Name", "Score", "FoundBy"], "rows": fused},
    }  # fmt: skip
    return {"content": [], "structuredContent": data}


async def harmless(host: ViewHost) -> None:
    """Assert that nothing ran and nothing was made of the data but text."""
    frame = host.page.frames[1]
    assert await host.page.evaluate("window.pwned") is None
    created = (
        "() => document.querySelectorAll('img, iframe, object, a, form, script:not(#shape)').length"
    )
    assert await frame.evaluate(created) == 1
    handlers = (
        "() => [...document.querySelectorAll('*')].flatMap(each => each.getAttributeNames())"
        ".filter(name => name.startsWith('on') || name === 'href' || name === 'src')"
    )
    assert await frame.evaluate(handlers) == []


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_text_of_a_walk_becomes_anything_else(host: OpenHost, text: str) -> None:
    view_host = await host()
    await view_host.show(walk(text))
    await expect(view_host.view.locator(".details h2 bdi")).to_have_text(text)
    await view_host.view.get_by_role("button", name="Table").click()
    await expect(view_host.view.get_by_role("rowheader")).to_have_text(text)
    await harmless(view_host)


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_text_of_a_plan_becomes_anything_else(host: OpenHost, text: str) -> None:
    view_host = await host()
    await view_host.show(plan(text))
    await view_host.view.locator(".strategy").click()
    await expect(view_host.view.locator("pre")).to_have_text(text)
    await view_host.view.locator(".matrix button").click()
    await harmless(view_host)


async def test_invisible_and_direction_changing_characters_are_omitted(host: OpenHost) -> None:
    view_host = await host()
    hidden = "\u202e\u2066\u200b\u200f\ufeff\x00\x1b\x07\x9b\U000e0041"
    await view_host.show(walk(f"a{hidden}b", note=f"c{hidden}d"))
    message = await view_host.page.frames[1].evaluate("() => document.body.textContent")
    assert not set(hidden) & set(message)
    await expect(view_host.view.locator(".notes li")).to_have_text("c" + " " * len(hidden) + "d")


@pytest.mark.parametrize("width", [320, 720])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x" * 20_000, id="without a space"),
        pytest.param("wide words " * 2_000, id="words"),
        pytest.param("Z\u0351\u0347" * 3_000, id="marks upon marks"),
    ],
)
async def test_long_texts_are_cut_and_do_not_widen_the_page(
    host: OpenHost, text: str, width: int
) -> None:
    view_host = await host(width=width)
    for result in (walk(text), plan(text)):
        await view_host.show(result)
        frame = view_host.page.frames[1]
        assert await frame.evaluate("() => document.documentElement.scrollWidth") <= width
        assert len(await frame.evaluate("() => document.body.innerText")) < 40_000


async def test_thousands_of_rows_are_bounded_and_that_is_reported(host: OpenHost) -> None:
    view_host = await host()
    await view_host.show(walk("many", 5_000))
    await expect(view_host.view.get_by_text("4,800 rows more")).to_be_visible()
    await view_host.view.get_by_role("button", name="Draw 28 more").click()
    assert await view_host.view.locator(".node.found").count() == 40
    await expect(view_host.view.get_by_text("the table lists all records")).to_be_visible()
    count = "() => document.querySelectorAll('*').length"
    assert await view_host.page.frames[1].evaluate(count) < 10_000
    await view_host.show(plan("many", 10, 5_000))
    assert await view_host.view.locator(".matrix tbody tr").count() == 60
    tall = "() => document.documentElement.scrollHeight - document.body.offsetHeight"
    assert await view_host.page.frames[1].evaluate(tall) <= 0


@pytest.mark.parametrize(
    "data",
    [
        pytest.param({"columns": COLUMNS, "rows": [[None] * 7, None, 3]}, id="rows that are none"),
        pytest.param(
            {"columns": COLUMNS, "rows": [["Odd", 1, "x", 1, 1, None, None]]}, id="no way"
        ),
        pytest.param({"executions": [{}], "why": None}, id="an empty execution"),
        pytest.param({"executions": [], "fused": {"rows": [[], None]}}, id="an empty plan"),
        pytest.param({"columns": "Via", "rows": {}}, id="other types"),
        pytest.param([1, 2], id="a list"),
    ],
)
async def test_a_strange_answer_does_not_stop_the_page(host: OpenHost, data: Any) -> None:
    view_host = await host()
    await view_host.show(
        {"content": [{"type": "text", "text": "the text"}], "structuredContent": data}
    )
    await view_host.show(walk("then another"))
    await expect(view_host.view.locator(".details h2 bdi")).to_have_text("then another")
