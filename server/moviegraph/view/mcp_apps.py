"""The page as an MCP App (SEP-1865): a resource that hosts show beside results of tools."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from moviegraph.contract.model import Contract
from moviegraph.view.page import document, shape_of

if TYPE_CHECKING:
    from mcp.server.apps import Apps

URI = "ui://moviegraph/view"
# In addition to the host's policy: whatever the page is made to do, it loads and sends nothing.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
)


def shown() -> dict[str, Any]:
    """Return the metadata of a tool whose results the page draws."""
    return {"ui": {"resourceUri": URI}}


def apps_of(contract: Contract) -> Apps:
    """Return the extension that declares the page for a contract."""
    from mcp.server.apps import Apps, ResourceCsp

    page = document(
        "host.js",
        title=escape(contract.title),
        waiting="Waiting for the result",
        shape=shape_of(contract),
        head=f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
    )
    apps = Apps()
    apps.add_html_resource(
        URI,
        page.html,
        name="view",
        title="Picture of a result",
        description="Draws the results of graph_traverse and run_strategies.",
        csp=ResourceCsp(
            connect_domains=[], resource_domains=[], frame_domains=[], base_uri_domains=[]
        ),
        prefers_border=True,
    )
    return apps
