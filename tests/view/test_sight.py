"""The view can be read: contrast in both themes, names for a screen reader, no motion unasked."""

import re
from collections.abc import Awaitable, Callable

import pytest

pytest.importorskip("playwright.async_api", reason="playwright is not installed")

from fakes.view_calls import PLAN, WALK
from fakes.view_host import ViewHost

OpenHost = Callable[..., Awaitable[ViewHost]]
LEAST = 4.5
# Contrast by WCAG 2.2 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio) of every text in sight.
CONTRASTS = """() => {
  const parts = color => color.match(/[\\d.]+/g).map(Number);
  const light = color => {
    const [r, g, b] = parts(color).map(value => value / 255)
      .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (let each = element; each; each = each.parentElement) {
      const color = getComputedStyle(each).backgroundColor;
      if ((parts(color)[3] ?? 1) === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !element.checkVisibility()) continue;
    if (element.closest("script, style, noscript, .unseen")) continue;
    const [one, other] = [getComputedStyle(element).color, behind(element)].map(light);
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    found.push([ratio, texts.currentNode.data.trim().slice(0, 40), element.className]);
  }
  return found;
}"""
GLYPHS = (
    """() => [...document.querySelectorAll(".glyph")].map(each => getComputedStyle(each).fill)"""
)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("tool", "arguments"), [("graph_traverse", WALK), ("run_strategies", PLAN)]
)
async def test_every_text_has_enough_contrast_with_its_background(
    host: OpenHost, theme: str, tool: str, arguments: dict[str, object]
) -> None:
    view_host = await host({"theme": theme})
    await view_host.call(tool, arguments)
    await view_host.view.locator("button.node, button.strategy").last.click()
    measured = await view_host.page.frames[1].evaluate(CONTRASTS)
    assert len(measured) > 20
    assert [contrast for contrast in measured if contrast[0] < LEAST] == []


async def test_kinds_differ_in_form_and_not_in_colour_alone(host: OpenHost) -> None:
    view_host = await host()
    await view_host.call("graph_traverse", WALK)
    forms = {
        kind: await view_host.view.get_by_role("button", name=f", {kind}, ")
        .first.locator("path")
        .get_attribute("d")
        for kind in ("Recipe", "Ingredient")
    }
    assert forms["Recipe"] != forms["Ingredient"]
    assert len(set(await view_host.page.frames[1].evaluate(GLYPHS))) == 2


@pytest.mark.parametrize(
    ("tool", "arguments"), [("graph_traverse", WALK), ("run_strategies", PLAN)]
)
async def test_a_screen_reader_finds_a_name_on_everything(
    host: OpenHost, tool: str, arguments: dict[str, object]
) -> None:
    view_host = await host(serverTools={})
    await view_host.call(tool, arguments)
    await view_host.view.locator("button.node, button.strategy").last.click()
    tree = await view_host.view.locator("body").aria_snapshot()
    roles = re.findall(r'^\s*- (button|region|table|group|row|main|list) ?(".*?")?', tree, re.M)
    assert {role for role, _ in roles} >= {"button", "region", "main"}
    assert [
        role for role, name in roles if role in ("button", "region", "table") and not name
    ] == []
    assert 'main "' in tree
    assert "status: " in tree


async def test_nothing_moves_for_who_wants_it_still(host: OpenHost) -> None:
    view_host = await host()
    await view_host.call("graph_traverse", WALK)
    moving = (
        "() => [...document.querySelectorAll('*')].map(each => getComputedStyle(each))"
        ".filter(style => parseFloat(style.transitionDuration) || style.animationName !== 'none')"
        ".length"
    )
    assert await view_host.page.frames[1].evaluate(moving) == 0
