"""Examines one framework over one transport, and prints its marks as JSON."""

import asyncio
import importlib
import json
import logging
import sys
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from clients.exam import Marks, examine

LONGEST = 240


async def main() -> Marks:
    """Connect, examine, and leave."""
    framework, transport, target = sys.argv[1:4]
    connected = importlib.import_module(f"clients.frameworks.{framework}").connected
    async with asyncio.timeout(LONGEST):
        async with connected(transport, json.loads(target)) as connection:
            return await examine(connection)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    marks = asyncio.run(main())
    sys.stdout.write("\nMARKS " + json.dumps(asdict(marks)) + "\n")
