"""Writer of the first rows under each SQL statement of the guides; --check compares."""

import argparse
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
from mcp import Client
from scripts.docs import ROOT, stale, table

from moviegraph.server import create_server
from moviegraph.settings import Settings

GUIDES = [ROOT / "docs" / "guides" / name for name in ("write_sql.md", "advanced_sql.md")]
BLOCK = re.compile(r"^```sql\n(.*?)^```\n(?:\n\|.*?\n(?=\n))?", re.MULTILINE | re.DOTALL)
QUERY = re.compile(r"^-- query: (.+)$", re.MULTILINE)
MAX_ROWS = 3
MAX_CHARS = 60


def pages(settings: Settings) -> dict[Path, str]:
    """Return the guides with the first rows of each statement under it.

    A statement with @q begins with a comment, `-- query: TEXT`.
    """
    texts = {path: path.read_text(encoding="utf-8") for path in GUIDES}
    statements = [block[1] for text in texts.values() for block in BLOCK.finditer(text)]
    shown = anyio.run(_tables, settings, statements)
    return {
        path: BLOCK.sub(lambda block: f"```sql\n{block[1]}```\n\n{shown[block[1]]}\n", text)
        for path, text in texts.items()
    }


async def _tables(settings: Settings, statements: list[str]) -> dict[str, str]:
    """Return the first rows of each statement, as a server's tool returns them."""
    shown: dict[str, str] = {}
    async with Client(create_server(settings)) as client:
        for sql in statements:
            query = QUERY.search(sql)
            arguments = {"sql": sql, "query": query and query[1]}
            result = await client.call_tool("run_readonly_sql", arguments)
            facts: dict[str, Any] = result.structured_content or {}
            if result.is_error:
                raise SystemExit(f"{facts['error']['message']}\n{sql}")
            rows = ([_cell(value) for value in row] for row in facts["rows"][:MAX_ROWS])
            shown[sql] = table(facts["columns"], rows)
    return shown


def _cell(value: Any) -> str:
    text = "" if value is None else str(round(value, 4) if isinstance(value, float) else value)
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS].rstrip()}..."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="name stale pages; exit with 1 if any")
    with TemporaryDirectory() as folder:
        found = pages(Settings(journal=Path(folder) / "journal.sqlite"))
    paths = stale(found)
    if not parser.parse_args().check:
        for path in paths:
            path.write_text(found[path], encoding="utf-8", newline="\n")
    else:
        sys.exit(f"stale: {', '.join(path.name for path in paths)}" if paths else 0)
