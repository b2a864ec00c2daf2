"""Writer of results into the documentation: rows under SQL, and one of each tool."""

import argparse
import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
from mcp import Client
from mcp.types import TextContent
from scripts.clients.calls import CALLS
from scripts.docs import REFERENCE, ROOT, page, table

from moviegraph.server import create_server
from moviegraph.settings import Settings

GUIDES = [ROOT / "docs" / "guides" / name for name in ("write_sql.md", "advanced_sql.md")]
BLOCK = re.compile(r"^```sql\n(.*?)^```\n(?:\n\|.*?\n(?=\n|\Z))?", re.MULTILINE | re.DOTALL)
RESULTS = REFERENCE / "results.md"
QUERY = re.compile(r"^-- query: (.+)$", re.MULTILINE)
DECIMAL = re.compile(r"\d+\.\d+")  # similarities differ in the last digits by processor
MAX_ROWS = 3
MAX_CHARS = 60
MAX_LINE_CHARS = 110
MAX_LINES = 20
VOLATILE = re.compile(r"((?:execution_id|elapsed_ms|best|today)\"?:? ?\"?)[\w.-]{3,}")


async def pages(settings: Settings) -> dict[Path, str]:
    """Return the guides with the first rows of each statement under it, and the page of results.

    A statement with @q begins with a comment, `-- query: TEXT`.
    """
    async with Client(create_server(settings)) as client:
        written = {RESULTS: await _results_page(client)}
        for path in GUIDES:
            text = path.read_text(encoding="utf-8")
            shown = {block[1]: await _table(client, block[1]) for block in BLOCK.finditer(text)}
            written[path] = BLOCK.sub(
                lambda block: f"```sql\n{block[1]}```\n\n{shown[block[1]]}\n",  # noqa: B023
                text,
            )
    return written


async def _table(client: Client, sql: str) -> str:
    """Return the first rows of a statement, as a server's tool returns them."""
    query = QUERY.search(sql)
    arguments = {"sql": sql, "query": query and query[1]}
    result = await client.call_tool("run_readonly_sql", arguments)
    facts: dict[str, Any] = result.structured_content or {}
    if result.is_error:
        raise SystemExit(f"{facts['error']['message']}\n{sql}")
    rows = ([_cell(value) for value in row] for row in facts["rows"][:MAX_ROWS])
    return table(facts["columns"], rows)


async def _results_page(client: Client) -> str:
    """Return the page with the text of one result of each tool, and of two errors."""
    parts: list[str] = []
    for call in CALLS:
        result = await client.call_tool(call.tool, call.arguments)
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        lines = [_shortened(line) for line in VOLATILE.sub(r"\1...", text).splitlines()]
        request = _shortened(json.dumps(call.arguments))
        error = ": an error" if call.fails else ""
        more = ["..."] if len(lines) > MAX_LINES else []
        body = "\n".join([*lines[:MAX_LINES], *more])
        parts.append(f"## {call.tool}{error}\n\n```text\n{call.tool} {request}\n\n{body}\n```")
    intro = (
        "One call of each tool on the built-in graph, with the text that a model receives; "
        "`structuredContent` has the same facts. Long lines and texts are cut here. "
        "[Tools](tools.md), [formats](contract.md#results)."
    )
    return page("Results", intro, *parts).replace(
        "scripts/docs.py from the code", "scripts/results.py"
    )


def _written(path: Path) -> str:
    return DECIMAL.sub("", path.read_text(encoding="utf-8")) if path.exists() else ""


def _shortened(line: str) -> str:
    return line if len(line) <= MAX_LINE_CHARS else f"{line[:MAX_LINE_CHARS].rstrip()} ..."


def _cell(value: Any) -> str:
    text = "" if value is None else str(round(value, 4) if isinstance(value, float) else value)
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS].rstrip()}..."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="name stale pages; exit with 1 if any")
    with TemporaryDirectory() as folder:
        found = anyio.run(pages, Settings(journal=Path(folder) / "journal.sqlite"))
    paths = [path for path, text in found.items() if DECIMAL.sub("", text) != _written(path)]
    if not parser.parse_args().check:
        for path in paths:
            path.write_text(found[path], encoding="utf-8", newline="\n")
    else:
        sys.exit(f"stale: {', '.join(path.name for path in paths)}" if paths else 0)
