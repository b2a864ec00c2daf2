"""Drawing of docs/images/traversal.png: the view of a traversal, in headless Chromium.

Requires the extra `dev` and a browser; the test host of the view (tests/fakes) shows the page.
"""

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
from mcp import Client
from mcp.client import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from playwright.async_api import async_playwright

from moviegraph.server import create_server
from moviegraph.settings import read_settings

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from fakes.view_host import ViewHost, blank  # noqa: E402

TARGET = ROOT / "docs" / "images" / "traversal.png"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
MAX_BYTES = 150_000
WIDTH = 760
TRAVERSAL: dict[str, Any] = {
    "start": ["Blade Runner"],
    "path": ["INCLUDES_THEME", "INCLUDES_THEME"],
    "rank_by": "rarity",
    "exclude": ["Series:Blade Runner"],
    "top": 8,
}


async def draw(target: Path, journal: Path) -> None:
    """Call the tool, show its result in the view, and save a screenshot."""
    browser_path = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    apps = advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})
    server = create_server(read_settings({"journal": str(journal)}, {}))
    async with Client(server, extensions=[apps]) as client, async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = await blank(browser, WIDTH)
        host = ViewHost(page, client)
        await host.open({})
        await host.call("graph_traverse", TRAVERSAL)
        height = await page.locator("iframe").evaluate("frame => frame.offsetHeight")
        await page.set_viewport_size({"width": WIDTH, "height": int(height)})
        await page.screenshot(path=target)
        await browser.close()


def main() -> int:
    """Draw the picture; return 1 if it is too large for a README."""
    with TemporaryDirectory() as scratch:
        anyio.run(draw, TARGET, Path(scratch) / "journal.sqlite")
    size = TARGET.stat().st_size
    print(f"{TARGET.relative_to(ROOT).as_posix()}: {size:,} bytes")
    return 0 if size <= MAX_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
