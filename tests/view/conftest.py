"""A browser, if installed, and a server over the toy graph behind a view host."""

import os
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import limits
from fakes.toy_graph import toy_contract
from mcp import Client
from mcp.client import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID

from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

if TYPE_CHECKING:
    from fakes.view_host import ViewHost
    from playwright.async_api import Browser


BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
NO_BROWSER = f"no browser to look at the view with: none of {', '.join(BROWSERS)} is on the path"


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")  # its loop would hold up tests elsewhere that run one of their own
async def browser() -> "AsyncGenerator[Browser]":
    playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
    path = next((executable for name in BROWSERS if (executable := shutil.which(name))), None)
    if path is None:
        pytest.skip(NO_BROWSER)
    playwright.expect.set_options(timeout=120_000)
    root = hasattr(os, "geteuid") and os.geteuid() == 0  # Chromium's sandbox refuses root
    async with playwright.async_playwright() as driver:
        browser_instance = await driver.chromium.launch(
            executable_path=path, args=["--no-sandbox"] if root else []
        )
        yield browser_instance
        await browser_instance.close()


@pytest.fixture
async def client(graph_folder: Path) -> AsyncGenerator[Client]:
    contract = toy_contract()
    with closing(open_graph(graph_folder, contract)) as engine, closing(SqliteJournal(None)) as log:
        session = Session(contract, engine, HashedEmbedder(), log, limits(contract))
        apps = advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})
        async with Client(create_server(Settings(), session=session), extensions=[apps]) as client:
            yield client


@pytest.fixture
async def host(
    browser: "Browser", client: Client
) -> "AsyncGenerator[Callable[..., Awaitable[ViewHost]]]":
    """Open a view in a page of its own; what goes wrong in it fails the test."""
    from fakes.view_host import ViewHost, blank

    view_hosts: list[ViewHost] = []
    async with AsyncExitStack() as pages:

        async def open_host(
            context: dict[str, Any] | None = None,
            *,
            width: int = 720,
            scheme: str = "light",
            **capabilities: Any,
        ) -> ViewHost:
            page = await blank(browser, width, scheme)
            pages.push_async_callback(page.close)
            viewhost = ViewHost(page, client)
            view_hosts.append(viewhost)
            await viewhost.open(context, **capabilities)
            return viewhost

        yield open_host
        assert [view_host.problems for view_host in view_hosts if view_host.problems] == []
        assert [view_host.requests for view_host in view_hosts if view_host.requests] == []
