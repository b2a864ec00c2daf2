"""Mean characters of the answers of searches, over thirty queries on the built-in graph.

Before concise texts were made around what was searched: hybrid_search 9,468, semantic_search 8,965,
fulltext_search 8,958, at equal rows.
"""

import random
import tempfile
from pathlib import Path
from statistics import mean
from typing import Any

import anyio
from mcp import Client
from mcp.types import TextContent

from benchmarks import report
from benchmarks.retrieval.queries import read_queries
from moviegraph.server import create_server
from moviegraph.settings import Settings

KINDS = ("plot", "theme", "setting", "archetype")
QUERIES, SEED = 30, 5
TOOLS: dict[str, dict[str, Any]] = {
    "hybrid_search": {},
    "semantic_search": {},
    "fulltext_search": {"mode": "freetext"},
}


async def measure(journal: Path) -> dict[str, float]:
    """Return the mean characters of the text of an answer, by tool."""
    texts = [query.text for query in read_queries() if query.kind in KINDS]
    queries = random.Random(SEED).sample(texts, QUERIES)
    lengths: dict[str, float] = {}
    async with Client(create_server(Settings(journal=journal))) as client:
        for tool, arguments in TOOLS.items():
            answers = [await client.call_tool(tool, {"query": q, **arguments}) for q in queries]
            blocks = [answer.content[0] for answer in answers]
            lengths[tool] = mean(len(b.text) for b in blocks if isinstance(b, TextContent))
    return lengths


def main() -> None:
    """Measure, print and store the values."""
    with tempfile.TemporaryDirectory() as folder:
        lengths = anyio.run(measure, Path(folder) / "journal.sqlite")
    rows = [(tool, f"{length:,.0f}") for tool, length in lengths.items()]
    report.table("Characters of an answer", ("tool", "mean"), rows)
    report.write("answer_length", lengths)


if __name__ == "__main__":
    main()
