"""Check of one framework over one transport; prints the outcomes as JSON."""

import asyncio
import importlib
import json
import logging
import sys
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from clients.connection_checks import Outcomes, examine

MAX_SECONDS = 240


async def main() -> Outcomes:
    """Connect and run the checks."""
    framework, transport, target = sys.argv[1:4]
    connected = importlib.import_module(f"clients.frameworks.{framework}").connected
    async with asyncio.timeout(MAX_SECONDS):
        async with connected(transport, json.loads(target)) as connection:
            return await examine(connection)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    outcomes = asyncio.run(main())
    sys.stdout.write("\nOUTCOMES " + json.dumps(asdict(outcomes)) + "\n")
