"""Lets client frameworks list and call everything over stdio and HTTP, each in an environment.

The environments go into .cache/. What each framework does stands in `clients/`. The exit status
is 1 when something did not hold, or nothing could be installed; what cannot be installed is named.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from served import OVER_HTTP, ROOT, SHIPPED, environment, serving

CACHE = ROOT / ".cache" / "compatibility"
EXAM = ROOT / "scripts" / "clients" / "run.py"
RESULTS = ROOT / "docs" / "reference" / "compatibility.json"
PAGE = ROOT / "docs" / "reference" / "compatibility.md"
TRANSPORTS = ("stdio", "http")
LONGEST_INSTALL = 1_200
LONGEST_EXAM = 300
LONGEST_OPENING = 120
MARKS = "MARKS "
VERSION = """
import sys
from importlib.metadata import version
print(*map(version, sys.argv[1:]))
"""
HEAD = """# Compatibility

<!-- Written by scripts/compatibility.py --write, from what it measured. -->

Each framework runs in a separate environment. It lists all tools, calls each with fixed arguments
(`scripts/clients/calls.py`), provokes two refusals, and lists and reads prompts and resources if it
supports them. A call passes if the model sees every expected word, and a refusal if the model also
sees that it is one. See [protocol](../concepts/protocol.md#client-frameworks)."""


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework, and the packages of an environment for it; the first one names its version."""

    name: str
    packages: tuple[str, ...]
    pinned: bool = True

    @property
    def module(self) -> str:
        """Its module in `clients/frameworks/`."""
        return self.name.replace("-", "_")

    @property
    def distribution(self) -> str:
        """The name of its package."""
        return self.packages[0].partition("==")[0].partition("[")[0]

    def newest(self) -> "Framework":
        """Return it with whatever version is newest."""
        packages = tuple(each.partition("==")[0] for each in self.packages)
        return Framework(self.name, packages, pinned=False)


FRAMEWORKS = (
    Framework("openai-agents", ("openai-agents==0.24.0",)),
    Framework("langchain", ("langchain-mcp-adapters==0.3.2",)),
    Framework("pydantic-ai", ("pydantic-ai-slim[mcp]==2.68.0",)),
    Framework("fastmcp", ("fastmcp==4.1.2",)),
    # Its MCP support imports tenacity and mcp, which it does not ask for.
    Framework("agent-framework", ("agent-framework-core==1.23.0", "mcp==2.3.0", "tenacity")),
    Framework("google-adk", ("google-adk[mcp]==2.13.0",)),
)


def installed(framework: Framework) -> Path | None:
    """Return the interpreter of its environment, made where it is not there yet, or None."""
    wanted = repr((framework.packages, sys.version_info[:2]))
    folder = CACHE / f"{framework.name}-{hashlib.sha256(wanted.encode()).hexdigest()[:10]}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = folder / ".ready"
    if framework.pinned and ready.exists():
        return python
    steps = (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "-q", *framework.packages],
    )
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, timeout=LONGEST_INSTALL)
        if done.returncode:
            print(f"{framework.name}: {' '.join(done.stderr.splitlines()[-1:])}", flush=True)
            return None
    ready.touch()
    return python


def versions(framework: Framework, python: Path) -> dict[str, str]:
    """Return the versions of a framework and of the SDK below it."""
    command = [str(python), "-c", VERSION, framework.distribution, "mcp"]
    own, sdk = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return {"version": own, "mcp": sdk}


def examine(
    framework: Framework, python: Path, transport: str, target: Any, home: Path
) -> dict[str, Any]:
    """Return the marks of a framework over one transport."""
    command = [str(python), str(EXAM), framework.module, transport, json.dumps(target)]
    quiet = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "FASTMCP_CHECK_FOR_UPDATES": "off"}
    try:
        done = subprocess.run(
            command,
            env=environment(home) | quiet,
            cwd=home,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=LONGEST_EXAM,
        )
    except subprocess.TimeoutExpired:
        return broken("it took too long")
    for line in done.stdout.splitlines():
        if line.startswith(MARKS):
            return json.loads(line.removeprefix(MARKS))
    return broken(" ".join(done.stderr.splitlines()[-1:]))


def broken(why: str) -> dict[str, Any]:
    """Return the marks of what came to no end."""
    return {"held": [], "failed": {"the whole": why}, "not_offered": [], "channels": {}}


def measured(framework: Framework, address: str, home: Path) -> dict[str, Any] | None:
    """Return what a framework did over both transports, or None where it cannot be installed."""
    python = installed(framework)
    if python is None:
        return None
    started = {"command": sys.executable, "args": list(SHIPPED), "env": environment(home)}
    targets = {"stdio": started, "http": address}
    marks = {
        transport: examine(framework, python, transport, targets[transport], home)
        for transport in TRANSPORTS
    }
    for transport, mark in marks.items():
        print(f"{framework.name} over {transport}: {tally(mark)}", flush=True)
        for name, why in mark["failed"].items():
            print(f"  {name}: {why}")
    return {**versions(framework, python), **marks}


def tally(mark: dict[str, Any]) -> str:
    """Return how many of the things it can do went as they should."""
    return f"{len(mark['held'])}/{len(mark['held']) + len(mark['failed'])}"


def page(results: dict[str, Any]) -> str:
    """Return the page of what was measured."""
    head = ("framework", "version", "SDK below", "stdio", "HTTP", "the model sees", "not offered")
    lines = [row(head), row(["---"] * len(head))]
    lines += [row(_cells(name, each)) for name, each in results["frameworks"].items()]
    server = f"moviegraph {results['moviegraph']}, Python {results['python']}, {results['date']}."
    return "\n\n".join([HEAD, "\n".join(lines), server]) + "\n"


def _cells(name: str, each: dict[str, Any] | None) -> list[str]:
    if each is None:
        return [name, "could not be installed", "", "", "", "", ""]
    marks = [each[transport] for transport in TRANSPORTS]
    shown = dict.fromkeys(channel for mark in marks for channel in mark["channels"].values())
    lacking = dict.fromkeys(_kind(thing) for mark in marks for thing in mark["not_offered"])
    tallies = [tally(mark) for mark in marks]
    sdk = f"mcp {each['mcp']}"
    return [name, each["version"], sdk, *tallies, ", ".join(shown), ", ".join(lacking)]


def _kind(thing: str) -> str:
    """Say what kind of thing a framework does not offer."""
    if "prompt" in thing:
        return "prompts"
    return "resource templates" if "tables/" in thing else "resources"


def row(cells: Sequence[str]) -> str:
    """Return a row of a table in markdown."""
    return f"| {' | '.join(cells)} |"


def wait_until_ready(address: str) -> None:
    """Wait until the graph is open, which is built in the scratch home first."""
    until = time.monotonic() + LONGEST_OPENING
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(address.removesuffix("/mcp") + "/readyz"):
                return
        except OSError:
            time.sleep(1)
    raise SystemExit("The server did not become ready.")


def main() -> int:
    """Measure, print, and with --write keep what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="FRAMEWORK", help="by default all of them")
    parser.add_argument("--newest", action="store_true", help="not the pinned versions")
    parser.add_argument("--write", action="store_true", help="keep the results, and their page")
    parsed = parser.parse_args()
    chosen = [each for each in FRAMEWORKS if not parsed.names or each.name in parsed.names]
    if parsed.newest:
        chosen = [each.newest() for each in chosen]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        with serving(OVER_HTTP, home) as address:
            wait_until_ready(address)
            result = {each.name: measured(each, address, home) for each in chosen}
    for name in (name for name, each in result.items() if each is None):
        print(f"SKIPPED: {name} cannot be installed here.")
    if parsed.write:
        write(result)
    ran = [each[transport] for each in result.values() if each for transport in TRANSPORTS]
    return 0 if ran and not any(mark["failed"] for mark in ran) else 1


def write(by_key: dict[str, Any]) -> None:
    """Keep the results, and their page."""
    from moviegraph import __version__

    results = {
        "date": datetime.now(UTC).date().isoformat(),
        "moviegraph": __version__,
        "python": ".".join(map(str, sys.version_info[:3])),
        "frameworks": by_key,
    }
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    PAGE.write_text(page(results), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
