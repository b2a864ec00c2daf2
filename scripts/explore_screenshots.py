"""Pictures of `moviegraph explore` in docs/images: films, the cookbook, and a file of one's own.

Requires the extra `dev` and a browser. Returns 1 if a picture is too large for a page.
"""

import shutil
import sys
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
from playwright.async_api import async_playwright, expect
from scripts.view_screenshot import BROWSERS, MAX_BYTES, ROOT

from moviegraph.cli import main as moviegraph
from moviegraph.cli.client_commands import open_server
from moviegraph.settings import read_settings

from fakes.explored import explored  # isort: skip - of the tests, whose folder the line above adds
from fakes.view_host import blank  # isort: skip

IMAGES = ROOT / "docs" / "images"
COOKBOOK = ROOT / "examples" / "cookbook"
SHOPS = """name,city,opened,rating,tags,notes
Blue Door Books,Lisbon,2011-04-02,4.6,books;coffee,"A reading room upstairs, and strong coffee."
Harbour Records,Porto,1998-09-12,4.2,music,"Vinyl; the owner plays what you pull from the shelf."
Green Shelf,Lisbon,2019-01-20,4.8,books;plants,"Gardening books between ferns and rubber plants."
Needle & Groove,Berlin,2005-06-30,4.1,music;coffee,"Jazz records, and an espresso bar at the back."
Paper Moon,Berlin,2014-11-11,4.4,books;cards,"Letterpress cards and novels in translation."
Old Clock,Porto,1987-03-03,3.9,antiques,"Clocks and compasses, most of them still working."
Fern & Frame,Lisbon,2020-08-08,4.5,plants;art,"House plants beside prints of local artists."
Quiet Corner,Vienna,2001-02-14,4.7,books;coffee,"Marble tables, and a library that guests fill."
"""
# Graph, place, width, height, colors, name of the file.
SHOTS = (
    ("films", "#/search?q=a heist gone wrong&kind=Movie", 1400, 640, "light", "explore_search"),
    ("films", "#/record/Movie/134", 1400, 690, "light", "explore_record"),
    ("films", "#/record/Theme/61", 420, 760, "dark", "explore_narrow"),
    ("cookbook", "#/schema?kind=Ingredient", 1400, 560, "dark", "explore_schema"),
    ("cookbook", "#/sql?sql=SELECT Titel FROM Recipe", 420, 760, "light", "explore_sql"),
    ("shops", "", 1400, 480, "light", "explore_own_data"),
    ("shops", "#/search?q=coffee and books", 420, 760, "light", "explore_own_search"),
)


def load_graphs(folder: Path) -> None:
    """Load the cookbook, and a file without a contract."""
    source = folder / "shops.csv"
    source.write_text(SHOPS, encoding="utf-8")
    contract = ("--contract", str(COOKBOOK / "contract"))
    for arguments in (
        ("load", str(COOKBOOK / "data"), *contract, "--into", str(folder / "cookbook")),
        ("load", str(source), "--into", str(folder / "shops")),
    ):
        with redirect_stderr(StringIO()) as log:
            if moviegraph(list(arguments)) != 0:
                raise SystemExit(log.getvalue())


async def draw(graph: str, folder: Path) -> None:
    """Save the pictures of one graph."""
    options = {"journal": str(folder / "journal.sqlite")}
    if graph != "films":
        options["graph"] = str(folder / graph)
    path = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    server = await anyio.to_thread.run_sync(open_server, read_settings(options, {}))
    with explored(server) as page:
        async with async_playwright() as driver:
            browser = await driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
            for _, place, width, height, scheme, name in (s for s in SHOTS if s[0] == graph):
                await _draw_one(browser, page.url + place, (width, height), scheme, name)
            await browser.close()


async def _draw_one(browser: Any, url: str, size: tuple[int, int], scheme: str, name: str) -> None:
    shown = await blank(browser, size[0], scheme)
    await shown.set_viewport_size({"width": size[0], "height": size[1]})
    await shown.goto(url)
    await shown.get_by_role("navigation", name="Parts").wait_for()
    await expect(shown.locator("[aria-busy]")).to_have_count(0)
    await shown.screenshot(path=IMAGES / f"{name}.png", caret="hide")
    await shown.close()


def main() -> int:
    """Draw the pictures; return 1 if one is too large."""
    with TemporaryDirectory() as scratch:
        load_graphs(Path(scratch))
        for graph in dict.fromkeys(shot[0] for shot in SHOTS):
            anyio.run(draw, graph, Path(scratch))
    sizes = {name: (IMAGES / f"{name}.png").stat().st_size for *_, name in SHOTS}
    for name, size in sizes.items():
        print(f"docs/images/{name}.png: {size:,} bytes")
    return 0 if max(sizes.values()) <= MAX_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
