"""Self-contained pages that draw results, and the MCP App that hosts show beside results."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from moviegraph import __version__
from moviegraph.contract.model import Contract

if TYPE_CHECKING:
    from mcp.server.apps import Apps

PARTS = files("moviegraph.view") / "web"
DRAWING = (
    "elements.js",
    "graph.js",
    "layout.js",
    "picture.js",
    "details.js",
    "traversal.js",
    "plan.js",
    "result.js",
)
STYLE_LINK = '<link rel="stylesheet" href="style.css">'
SCRIPT_LINK = '<script src="script.js"></script>'
PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
URI = "ui://moviegraph/view"
# In addition to the host's policy: whatever the page is made to do, it loads and sends nothing.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page with its script and style."""

    html: str
    script: str
    style: str


def document(
    *scripts: str,
    title: str,
    waiting: str,
    shape: Mapping[str, Any],
    head: str = "",
    styles: Sequence[str] = ("view.css",),
    linked: bool = False,
) -> Page:
    """Return a page.

    Args:
        *scripts: Names of additional scripts, after those that draw.
        title: Title of the page.
        waiting: Text before there is anything to draw.
        shape: Data of the scripts, as JSON.
        head: Markup for the head of the page.
        styles: Names of the style sheets.
        linked: Leave script and style out of the page, which loads them from `script.js` and
            `style.css` beside it.
    """
    script = "\n".join(('"use strict";', *(_minify(name) for name in (*DRAWING, *scripts))))
    style = "\n".join(map(_minify, styles))
    values = {
        "title": title,
        "waiting": waiting,
        "head": head,
        "style": STYLE_LINK if linked else f"<style>\n{style}\n</style>",
        "shape": _embedded(shape),
        "script": SCRIPT_LINK if linked else f"<script>\n{script}\n</script>",
    }
    html = PLACEHOLDER.sub(lambda match: values[match[1]], _read("page.html"))
    return Page(html, script, style)


def _read(name: str) -> str:
    return (PARTS / name).read_text(encoding="utf-8")


def _minify(name: str) -> str:
    """Return a source without indentation, empty lines and comment lines.

    No text literal in the sources spans multiple lines.
    """
    lines = (line.strip() for line in _read(name).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _embedded(value: Mapping[str, Any]) -> str:
    """Return JSON that cannot end its HTML element."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


NOTHING: dict[str, Any] = {"kinds": [], "edges": {}}


def journal_page(contract: Contract | None, filters: Mapping[str, str]) -> Page:
    """Return the page.

    Args:
        contract: Contract of the records whose nodes are drawn by kind.
        filters: Initial filters.
    """
    shape = {**shape_of(contract), "hash": contract.hash} if contract else NOTHING
    return document(
        "records.js",
        "journal.js",
        title="moviegraph journal",
        waiting="Reading the journal",
        shape={**shape, "filters": dict(filters)},
        linked=True,
    )


def explore_page() -> Page:
    """Return the page that explores a graph; what it shows of that, it requests."""
    return document(
        *(f"explore/{name}.js" for name in ("search", "record", "sql", "schema", "explore")),
        title="moviegraph explore",
        waiting="Opening the graph",
        shape={},
        styles=("view.css", "explore/explore.css"),
        linked=True,
    )


def shape_of(contract: Contract) -> dict[str, Any]:
    """Return the kinds of nodes, and the pairs of kinds that each edge table connects."""
    return {
        "version": __version__,
        "kinds": [node.name for node in contract.nodes],
        "edges": {
            edge.name: [[pair.from_table, pair.to_table] for pair in edge.pairs]
            for edge in contract.edges
        },
    }


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
        description="Draws paths, and the results of strategies.",
        csp=ResourceCsp(
            connect_domains=[], resource_domains=[], frame_domains=[], base_uri_domains=[]
        ),
        prefers_border=True,
    )
    return apps
