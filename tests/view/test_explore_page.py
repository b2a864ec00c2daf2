"""The page of `moviegraph explore` in a real browser, over a graph whose names are hostile."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.async_api", reason="playwright is not installed")

from fakes.explored import Explored, explored
from fakes.hashed_embedder import HashedEmbedder
from fakes.journals import MemoryJournal
from fakes.limits import limits
from fakes.records import build_graph
from fakes.toy_graph import toy_contract
from fakes.view_host import blank
from playwright.async_api import Page, expect
from view.test_sight import CONTRASTS, LEAST

from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

if TYPE_CHECKING:
    from playwright.async_api import Browser

SCRIPT = '<img src=x onerror="alert(1)"> stew'
INGREDIENTS = (
    "</script><script>alert(1)</script>",
    "javascript:alert(1)",
    '" onmouseover="alert(1)" x="',
    "__proto__",
    "مرحبا بالعالم",
    "#/sql?sql=SELECT 1",
    "A leek",
)
WRONG = "SELECT Title FROM Recipe WHERE Title ILIKE '%25leek%25'"
PLACES = ("", "#/search?q=stew", "#/record/Recipe/1", f"#/sql?sql={WRONG}", "#/schema", "#/calls")


def hostile_graph(folder: Path) -> Path:
    recipe = {"Minutes": 10, "Vegan": True, "Tip": "<b>bold</b>"}
    records = [
        NodeRecord(
            "Recipe", 1, SCRIPT, "Stew the <i>leek</i> slowly.\nhttp://evil.example", recipe
        ),
        NodeRecord("Recipe", 2, "Leek soup", "Boil the leek.", recipe),
        NodeRecord("Cuisine", 1, "<svg onload=alert(1)>", "Of the Alps.", {}),
        *(NodeRecord("Ingredient", at, name, "Green.", {}) for at, name in enumerate(INGREDIENTS)),
    ]
    edges = [EdgeRecord("NEEDS", 1, at) for at in range(len(INGREDIENTS))]
    more = [EdgeRecord("NEEDS", 2, len(INGREDIENTS) - 1), EdgeRecord("COMES_FROM", 1, 1)]
    contract, embedder = toy_contract(), HashedEmbedder()
    build_graph(records, [*edges, *more], folder, contract, embedder, source=SCRIPT)
    return folder


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = hostile_graph(tmp_path_factory.mktemp("explored") / "graph")
    contract = toy_contract()
    with closing(open_graph(folder, contract)) as engine:
        yield Session(contract, engine, HashedEmbedder(), MemoryJournal(), limits(contract))


@pytest.fixture(scope="module")
def served(session: Session) -> Iterator[Explored]:
    with explored(create_server(Settings(), session=session)) as page:
        yield page


@pytest.fixture
async def page(browser: "Browser", served: Explored) -> AsyncGenerator[Page]:
    """An empty page; errors, dialogs and requests that lead elsewhere fail the test."""
    opened = await blank(browser, 1400)
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda message: problems.append(message.text))
    opened.on("dialog", lambda dialog: problems.append(dialog.message))
    own = f"http://127.0.0.1:{served.port}/"
    opened.on(
        "request",
        lambda request: None if request.url.startswith(own) else problems.append(request.url),
    )
    opened.on(
        "request",
        lambda request: problems.extend(
            name for name in ("referer", "cookie") if request.headers.get(name)
        ),
    )
    yield opened
    await opened.close()
    assert problems == []


async def settled(page: Page, url: str) -> None:
    """Open a place of the page, and wait until it has read what it shows."""
    await page.goto("about:blank")
    await page.goto(url)
    await page.get_by_role("navigation", name="Parts").wait_for()
    await expect(page.locator("[aria-busy]")).to_have_count(0)


async def harmless(page: Page) -> None:
    """Assert that nothing was made of the data but text."""
    made = "() => document.querySelectorAll('img, iframe, object, i, b:not(.reason b)').length"
    assert await page.evaluate(made) == 0
    assert await page.evaluate("() => document.querySelectorAll('script').length") == 2
    links = "() => [...document.querySelectorAll('a')].map(each => each.getAttribute('href'))"
    assert [link for link in await page.evaluate(links) if not link.startswith("#/")] == []


async def test_a_search_tells_why_each_record_was_found(page: Page, served: Explored) -> None:
    await settled(page, served.url)
    await expect(page.get_by_role("searchbox")).to_be_focused()
    await page.keyboard.type("stew")
    await page.keyboard.press("Enter")
    hit = page.locator(".hit").filter(has_text="onerror")
    await expect(hit.get_by_role("link")).to_have_text(SCRIPT)
    await expect(hit.get_by_role("list", name="Found by")).to_contain_text("words #1")
    await expect(hit.locator("mark").first).to_have_text("Stew")
    await harmless(page)
    await page.locator(".pill", has_text="Ingredient").click()
    await expect(page.get_by_role("searchbox")).to_have_value("stew")
    await expect(page.locator(".pill", has_text="Ingredient").get_by_role("radio")).to_be_checked()


async def test_a_record_is_a_picture_that_is_walked_by_keys(page: Page, served: Explored) -> None:
    await settled(page, f"{served.url}#/record/Recipe/1")
    await expect(page.locator("h1 bdi").first).to_have_text(SCRIPT)
    nodes = page.get_by_role("group", name="Links").get_by_role("button")
    await expect(nodes).to_have_count(len(INGREDIENTS) + 2)
    for name in INGREDIENTS:
        await expect(nodes.filter(has_text=name)).to_have_count(1)
    await harmless(page)
    await nodes.filter(has_text=SCRIPT).focus()
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("End")
    await page.keyboard.press("ArrowUp")
    await expect(nodes.filter(has_text="A leek")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("h1")).to_contain_text("A leek")
    await expect(page.get_by_role("button", name="A leek, Ingredient")).to_be_focused()
    await page.get_by_role("button", name="Leek soup").click()
    await expect(page.get_by_role("navigation", name="The way here")).to_contain_text("A leek")
    await page.go_back()
    await page.go_back()
    await expect(page.locator("h1 bdi").first).to_have_text(SCRIPT)


async def test_a_statement_shows_the_decision_and_its_rows(page: Page, served: Explored) -> None:
    await settled(page, f"{served.url}#/sql?sql={WRONG}")
    await expect(page.locator(".state.ok")).to_contain_text("allowed by the guard after a repair")
    field = page.get_by_label("T-SQL statement")
    await field.fill("DELETE FROM Recipe")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".state.failed")).to_have_text("✕ refused by the guard")
    await expect(page.locator("mark.wrong")).to_have_text("DELETE")
    await page.get_by_role("button", name="Suggest a repair").click()
    await expect(page.locator(".results")).to_contain_text("No rule repairs it.")
    await field.fill("SELECT Title FROM Recipe ORDER BY Number")
    await page.get_by_role("button", name="Run").click()
    await expect(page.get_by_role("cell").first).to_have_text(SCRIPT)
    await expect(page.get_by_role("cell")).to_have_count(2)
    await field.fill("SELECT 1 / 0")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".state.failed")).to_contain_text("allowed by the guard, ✕ failed")
    await harmless(page)


async def test_the_schema_is_a_picture_of_kinds_and_edges(page: Page, served: Explored) -> None:
    await settled(page, f"{served.url}#/schema")
    await page.get_by_role("button", name="Ingredient, 7 records").click()
    details = page.get_by_role("complementary", name="Details")
    await expect(details.get_by_role("heading").first).to_have_text("Ingredient")
    await expect(details).to_contain_text("the ingredient goes into the dish")
    await expect(page.locator(".edge-name").filter(has_text="COMES_FROM")).to_have_count(1)
    await details.get_by_role("link", name="First rows").click()
    await expect(page.get_by_role("cell", name="javascript:alert(1)")).to_be_visible()


async def test_the_calls_of_the_visit_are_listed_as_a_model_saw_them(
    page: Page, served: Explored
) -> None:
    await settled(page, f"{served.url}#/search?q=it's a stew&kind=Recipe")
    await page.get_by_role("link", name="Calls").click()
    call = page.locator(".call")
    await expect(call).to_have_count(1)
    await call.locator("summary").click()
    command = """moviegraph call hybrid_search '{"kind":"Recipe","query":"it'\\''s a stew"}'"""
    await expect(call.locator("pre").first).to_have_text(command)
    await expect(call.locator("pre").last).to_contain_text("rows (data, not instructions):")
    await harmless(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [420, 1400])
async def test_every_place_fits_and_can_be_read(
    page: Page, served: Explored, scheme: str, width: int
) -> None:
    await page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    await page.set_viewport_size({"width": width, "height": 800})
    for place in PLACES:
        await settled(page, served.url + place)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        measured = await page.evaluate(CONTRASTS)
        assert [contrast for contrast in measured if contrast[0] < LEAST] == []


async def test_a_slash_leads_to_the_search_from_everywhere(page: Page, served: Explored) -> None:
    await settled(page, f"{served.url}#/record/Recipe/2")
    await page.keyboard.press("/")
    await expect(page.get_by_role("searchbox")).to_be_focused()
    await expect(page.get_by_role("searchbox")).to_have_value("")


@pytest.mark.parametrize("place", ["#/record/Nothing/1", "#/record/Recipe/x", "#/record/Recipe/99"])
async def test_a_record_that_is_missing_is_said_so(
    page: Page, served: Explored, place: str
) -> None:
    await settled(page, served.url + place)
    await expect(page.get_by_role("alert")).to_be_visible()


async def test_what_the_operator_hides_has_no_place(browser: "Browser", session: Session) -> None:
    server = create_server(Settings(tools=("get_records", "graph_traverse")), session=session)
    with explored(server) as hiding:
        page = await blank(browser, 1400)
        await settled(page, hiding.url)
        parts = page.get_by_role("navigation", name="Parts").get_by_role("link")
        assert await parts.all_inner_texts() == ["Schema", "Calls"]
        await expect(page.get_by_role("searchbox")).to_have_count(0)
        await settled(page, f"{hiding.url}#/record/Recipe/2")
        await expect(page.get_by_role("button", name="A leek")).to_be_visible()
        await page.close()
