"""The journal in a real browser: chosen by filter, drawn like a result, and nothing but read."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.async_api", reason="playwright is not installed")

from fakes.journal_page import HOSTILE, ServedJournal, record_calls, served_journal
from fakes.view_calls import PLAN
from fakes.view_host import blank
from playwright.async_api import Page, expect

if TYPE_CHECKING:
    from playwright.async_api import Browser

REFUSED = "the server responded with a status of 400"  # what the browser itself says of a filter


@pytest.fixture(scope="module")
async def served(
    graph_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[ServedJournal]:
    path = tmp_path_factory.mktemp("journal") / "journal.sqlite"
    await record_calls(graph_folder, path)
    with served_journal(path) as journal_server:
        yield journal_server


@pytest.fixture
async def page(browser: "Browser", served: ServedJournal) -> AsyncGenerator[Page]:
    """The page, open; errors, dialogs and requests that lead elsewhere fail the test."""
    journal_view = await blank(browser, 1440)
    problems: list[str] = []
    journal_view.on("pageerror", lambda error: problems.append(str(error)))
    journal_view.on(
        "console",
        lambda message: None if REFUSED in message.text else problems.append(message.text),
    )
    journal_view.on("dialog", lambda dialog: problems.append(dialog.message))
    journal_view.on(
        "request",
        lambda request: (
            None if request.url.startswith(served.url) else problems.append(request.url)
        ),
    )
    await journal_view.goto(served.url)
    await journal_view.locator(".entry").first.wait_for()
    yield journal_view
    await journal_view.close()
    assert problems == []


async def test_a_strategy_is_one_entry_with_its_attempts(page: Page) -> None:
    strategies = page.get_by_role("button", name="What can I cook")
    await expect(strategies).to_have_count(3)
    await strategies.filter(has_text="edges").click()
    await expect(page.locator(".main h2")).to_have_text(str(PLAN["question"]))
    await expect(page.get_by_role("heading", name="Attempts and repairs")).to_be_visible()
    await expect(page.locator(".main")).to_contain_text("wrong_arrow, refused by the guard")
    await expect(page.locator(".main pre").first).to_contain_text("MATCH(i-(n)->r)")


async def test_a_walk_whose_rows_were_kept_is_drawn_again(page: Page) -> None:
    await page.get_by_role("button", name="graph_traverse").click()
    picture = page.get_by_role("group", name="Picture of the paths")
    nodes = picture.get_by_role("button")
    assert (await nodes.first.get_attribute("aria-label") or "").startswith("Ratatouille, Recipe")
    assert await picture.locator(".node.passed").count() > 0


async def test_what_was_refused_is_shown_as_text(page: Page) -> None:
    await page.get_by_role("button", name="<img src=x").click()
    await expect(page.locator(".main .state")).to_contain_text("refused")
    shown_text = HOSTILE.replace("\u202e", " ")
    await expect(page.locator(".main h2")).to_have_text(shown_text)
    assert await page.locator("img").count() == 0


async def test_filters_and_the_chain_are_reported(page: Page) -> None:
    await expect(page.locator("header")).to_contain_text("Chain verified: 5 records")
    await page.get_by_label("Status").select_option("refused")
    await expect(page.locator(".entry")).to_have_count(2)
    await page.get_by_label("Tool").select_option("run_readonly_sql")
    await page.get_by_label("Time").select_option("last hour")
    await expect(page.locator(".entry")).to_have_count(1)
    await page.get_by_role("button", name="Clear filters").click()
    await expect(page.locator(".entry")).to_have_count(5)
    await page.get_by_label("Search").fill("aubergine")
    await expect(page.locator(".entry")).to_have_count(3)


async def test_entries_are_walked_by_keys_and_back_leads_back(page: Page) -> None:
    await page.set_viewport_size({"width": 400, "height": 700})
    entries = page.locator(".entry")
    await entries.first.focus()
    await page.keyboard.press("ArrowDown")
    await expect(entries.nth(1)).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(entries.first).to_be_hidden()
    await page.get_by_role("button", name="Back").click()
    await expect(entries.first).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") <= 400
