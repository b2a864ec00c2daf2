"""The pages that draw results: put together from their parts, loading nothing."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import Any

from moviegraph import __version__
from moviegraph.contract.model import Contract

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
PLACE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Page:
    """A page, and the hashes of its script and style, for a policy that admits no other."""

    html: str
    script: str
    style: str

    @property
    def hashes(self) -> dict[str, str]:
        """The sources of a Content-Security-Policy that stand for script and style."""
        return {"script-src": _source(self.script), "style-src": _source(self.style)}


def document(*own: str, title: str, waiting: str, shape: Mapping[str, Any], head: str = "") -> Page:
    """Return a page.

    Args:
        *own: Names of the scripts that are this page's own, after those that draw.
        title: What the page is called.
        waiting: What it says before there is anything to draw.
        shape: What the scripts are told, as JSON.
        head: Markup for the head of the page.
    """
    script = "\n".join(('"use strict";', *(_bare(name) for name in (*DRAWING, *own))))
    style = _bare("view.css")
    values = {
        "title": title,
        "waiting": waiting,
        "head": head,
        "style": style,
        "shape": _embedded(shape),
        "script": script,
    }
    html = PLACE.sub(lambda match: values[match[1]], _read("page.html"))
    return Page(html, f"\n{script}\n", f"\n{style}\n")


def _read(name: str) -> str:
    return (PARTS / name).read_text(encoding="utf-8")


def _bare(name: str) -> str:
    """Return a source without indentation, blank lines and lines of comment, which no page needs.

    No text in the sources goes over several lines, so that none of it is lost.
    """
    lines = (line.strip() for line in _read(name).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _embedded(value: Mapping[str, Any]) -> str:
    """Return JSON that cannot end the element it stands in."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


NOTHING: dict[str, Any] = {"kinds": [], "edges": {}}


def journal_page(contract: Contract | None, filters: Mapping[str, str]) -> Page:
    """Return the page.

    Args:
        contract: Tells the kinds of nodes in records that ran over it.
        filters: What is listed at first.
    """
    known = {**shape_of(contract), "hash": contract.hash} if contract else NOTHING
    return document(
        "records.js",
        "journal.js",
        title="moviegraph journal",
        waiting="Reading the journal",
        shape={**known, "filters": dict(filters)},
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
