"""The view and its host speak as SEP-1865 says, from the handshake to the end."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

pytest.importorskip("playwright.async_api", reason="playwright is not installed")

from fakes.view_calls import PLAN, WALK
from fakes.view_host import PROTOCOL, ViewHost
from playwright.async_api import expect

OpenHost = Callable[..., Awaitable[ViewHost]]
SCHEME = "() => getComputedStyle(document.documentElement).colorScheme"
BACK = "() => getComputedStyle(document.body).backgroundColor"


async def evaluated(host: ViewHost, script: str) -> Any:
    return await host.page.frames[1].evaluate(script)


async def test_the_handshake_comes_first_and_in_order(host: OpenHost) -> None:
    view_host = await host()
    initialize_request = await view_host.wait_for_message("ui/initialize")
    assert initialize_request["params"]["protocolVersion"] == PROTOCOL
    assert initialize_request["params"]["appInfo"]["name"] == "moviegraph"
    assert initialize_request["params"]["appCapabilities"]["availableDisplayModes"] == [
        "inline",
        "fullscreen",
    ]
    methods = await view_host.page.evaluate("heard.map(each => each.method)")
    assert methods[:2] == ["ui/initialize", "ui/notifications/initialized"]
    await expect(view_host.view.get_by_text("Waiting for the result")).to_be_visible()


@pytest.mark.parametrize(
    ("tool", "arguments"), [("graph_traverse", WALK), ("run_strategies", PLAN)]
)
async def test_the_host_receives_each_size_and_nothing_is_cut_off(
    host: OpenHost, tool: str, arguments: dict[str, Any]
) -> None:
    view_host = await host()
    await view_host.call(tool, arguments)
    await view_host.page.wait_for_function("() => heard.at(-1).params?.height > 300")
    first = (await view_host.wait_for_message("ui/notifications/size-changed"))["params"]["height"]
    assert await evaluated(view_host, "() => document.documentElement.scrollHeight") <= first
    await view_host.page.set_viewport_size({"width": 330, "height": 700})
    await view_host.page.wait_for_function(f"() => heard.at(-1).params?.height > {first}")
    assert await evaluated(view_host, "() => document.documentElement.scrollWidth") <= 330


async def test_the_picture_fits_the_room_that_the_host_has(host: OpenHost) -> None:
    view_host = await host({"containerDimensions": {"maxHeight": 460}})
    await view_host.call("graph_traverse", WALK)
    box = await view_host.view.locator(".pane").bounding_box()
    assert box is not None
    assert box["height"] <= 200


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_the_hosts_theme_wins_over_the_systems(host: OpenHost, theme: str) -> None:
    view_host = await host({"theme": theme}, scheme="dark" if theme == "light" else "light")
    assert await evaluated(view_host, SCHEME) == theme


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_without_a_theme_the_system_decides(host: OpenHost, scheme: str) -> None:
    view_host = await host(scheme=scheme)
    back = {"light": "rgb(255, 255, 255)", "dark": "rgb(29, 30, 32)"}[scheme]
    assert await evaluated(view_host, BACK) == back


async def test_a_change_of_context_is_followed(host: OpenHost) -> None:
    view_host = await host({"theme": "light"})
    changed = {
        "theme": "dark",
        "styles": {
            "variables": {
                "--color-background-primary": "rgb(1, 2, 3)",
                "--font-sans": "url(https://example.org/x)",
                "background": "red",
            }
        },
    }
    await view_host.tell("ui/notifications/host-context-changed", changed)
    await view_host.page.frames[1].wait_for_function(
        "() => getComputedStyle(document.body).backgroundColor === 'rgb(1, 2, 3)'"
    )
    assert await evaluated(view_host, SCHEME) == "dark"
    style = await evaluated(view_host, "() => document.documentElement.style.cssText")
    assert "url(" not in style
    assert "red" not in style


async def test_a_cancelled_call_is_reported(host: OpenHost) -> None:
    view_host = await host()
    await view_host.tell("ui/notifications/tool-cancelled", {"reason": "by <b>you</b>"})
    await expect(view_host.view.locator(".view")).to_contain_text("cancelled. by <b>you</b>")


async def test_requests_of_the_host_are_answered_until_the_end(host: OpenHost) -> None:
    view_host = await host()
    await view_host.call("graph_traverse", WALK)
    await view_host.tell("ping", {}, id="one")
    assert "result" in await view_host.wait_for_message(id="one")
    await view_host.tell("tools/list", {}, id="two")
    assert (await view_host.wait_for_message(id="two"))["error"]["code"] == -32601
    await view_host.tell("ui/resource-teardown", {"reason": "closed"}, id="three")
    assert (await view_host.wait_for_message(id="three"))["result"] == {}
    await view_host.tell("ping", {}, id="four")
    await view_host.page.evaluate("remove()")
    assert await view_host.page.evaluate("heard.filter(each => each.id === 'four')") == []


async def test_messages_that_are_not_the_hosts_are_ignored(host: OpenHost) -> None:
    view_host = await host()
    forged = "dispatchEvent(new MessageEvent('message', { source: window, data: message }))"
    result = {"content": [{"type": "text", "text": "forged"}]}
    message = {"jsonrpc": "2.0", "method": "ui/notifications/tool-result", "params": result}
    await view_host.page.frames[1].evaluate(f"message => {forged}", message)
    await expect(view_host.view.get_by_text("forged")).to_have_count(0)
    for strange in (None, 7, "text", [], {"jsonrpc": "2.0"}, {"method": "ping"}):
        await view_host.page.evaluate(
            "message => document.querySelector('iframe').contentWindow.postMessage(message, '*')",
            strange,
        )
    await view_host.call("graph_traverse", WALK)
