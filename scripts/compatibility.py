"""Check of client frameworks: each lists and calls everything over stdio and HTTP.

Each has a separate environment in .cache/; `clients/` contains their calls. The exit status is 1 if
a check fails or nothing can be installed; frameworks that cannot be installed are listed.
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

from scratch_server import ROOT, SERVE, SERVE_HTTP, environment, serving

CACHE = ROOT / ".cache" / "compatibility"
CHECK_SCRIPT = ROOT / "scripts" / "clients" / "run.py"
RESULTS = ROOT / "docs" / "reference" / "compatibility.json"
PAGE = ROOT / "docs" / "reference" / "compatibility.md"
TRANSPORTS = ("stdio", "http")
MAX_INSTALL_SECONDS = 1_200
MAX_CHECK_SECONDS = 300
MAX_OPENING_SECONDS = 120
OUTCOMES = "OUTCOMES "
VERSION = """
import sys
from importlib.metadata import version
print(*map(version, sys.argv[1:]))
"""
HEAD = """# Compatibility

<!-- Written by scripts/compatibility.py --write, from its results. -->

Each framework lists all tools, calls each (`scripts/clients/calls.py`), provokes two refusals, and
reads prompts and resources if it supports them. A call passes if the model sees every expected
word. See [protocol](../concepts/protocol.md#client-frameworks)."""


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework and its packages; the first one determines its version."""

    name: str
    packages: tuple[str, ...]
    pinned: bool = True

    @property
    def module(self) -> str:
        """The module in `clients/frameworks/`."""
        return self.name.replace("-", "_")

    @property
    def distribution(self) -> str:
        """The name of the package."""
        return self.packages[0].partition("==")[0].partition("[")[0]

    def newest(self) -> "Framework":
        """Return the framework without a pinned version."""
        packages = tuple(package.partition("==")[0] for package in self.packages)
        return Framework(self.name, packages, pinned=False)


FRAMEWORKS = (
    Framework("openai-agents", ("openai-agents==0.24.0",)),
    Framework("langchain", ("langchain-mcp-adapters==0.3.2",)),
    Framework("pydantic-ai", ("pydantic-ai-slim[mcp]==2.68.0",)),
    Framework("fastmcp", ("fastmcp==4.2.3",)),
    # Its MCP support imports tenacity and mcp, which it does not require.
    Framework("agent-framework", ("agent-framework-core==1.23.0", "mcp==2.3.0", "tenacity")),
    Framework("google-adk", ("google-adk[mcp]==2.13.0",)),
)


def install(framework: Framework) -> Path | None:
    """Return the interpreter of the framework's environment, or None if it cannot be created."""
    key = repr((framework.packages, sys.version_info[:2]))
    folder = CACHE / f"{framework.name}-{hashlib.sha256(key.encode()).hexdigest()[:10]}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = folder / ".ready"
    if framework.pinned and ready.exists():
        return python
    steps = (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "-q", *framework.packages],
    )
    for step in steps:
        completed = subprocess.run(
            step, capture_output=True, text=True, timeout=MAX_INSTALL_SECONDS
        )
        if completed.returncode:
            print(f"{framework.name}: {' '.join(completed.stderr.splitlines()[-1:])}", flush=True)
            return None
    ready.touch()
    return python


def versions(framework: Framework, python: Path) -> dict[str, str]:
    """Return the versions of a framework and of the MCP SDK that it uses."""
    command = [str(python), "-c", VERSION, framework.distribution, "mcp"]
    version, sdk = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.split()
    return {"version": version, "mcp": sdk}


def check_transport(
    framework: Framework, python: Path, transport: str, target: Any, home: Path
) -> dict[str, Any]:
    """Return the outcomes of a framework over one transport."""
    command = [str(python), str(CHECK_SCRIPT), framework.module, transport, json.dumps(target)]
    quiet = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "FASTMCP_CHECK_FOR_UPDATES": "off"}
    try:
        completed = subprocess.run(
            command,
            env=environment(home) | quiet,
            cwd=home,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=MAX_CHECK_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return failure("timeout")
    for line in completed.stdout.splitlines():
        if line.startswith(OUTCOMES):
            return json.loads(line.removeprefix(OUTCOMES))
    return failure(" ".join(completed.stderr.splitlines()[-1:]))


def failure(reason: str) -> dict[str, Any]:
    """Return the outcomes of a run that did not finish."""
    return {"passed": [], "failed": {"run": reason}, "not_offered": [], "channels": {}}


def run_framework(framework: Framework, address: str, home: Path) -> dict[str, Any] | None:
    """Return the outcomes over both transports, or None if the framework cannot be installed."""
    python = install(framework)
    if python is None:
        return None
    command = {"command": sys.executable, "args": list(SERVE), "env": environment(home)}
    targets = {"stdio": command, "http": address}
    outcomes = {
        transport: check_transport(framework, python, transport, targets[transport], home)
        for transport in TRANSPORTS
    }
    for transport, outcome in outcomes.items():
        print(f"{framework.name} over {transport}: {passed_share(outcome)}", flush=True)
        for name, reason in outcome["failed"].items():
            print(f"  {name}: {reason}")
    return {**versions(framework, python), **outcomes}


def passed_share(outcome: dict[str, Any]) -> str:
    """Return the number of passed checks out of those that the framework supports."""
    return f"{len(outcome['passed'])}/{len(outcome['passed']) + len(outcome['failed'])}"


def page(results: dict[str, Any]) -> str:
    """Return the page of the results."""
    head = ("framework", "version", "SDK below", "stdio", "HTTP", "the model sees", "not offered")
    lines = [row(head), row(["---"] * len(head))]
    lines += [row(_cells(name, result)) for name, result in results["frameworks"].items()]
    server = f"moviegraph {results['moviegraph']}, Python {results['python']}, {results['date']}."
    return "\n\n".join([HEAD, "\n".join(lines), server]) + "\n"


def _cells(name: str, result: dict[str, Any] | None) -> list[str]:
    if result is None:
        return [name, "could not be installed", "", "", "", "", ""]
    outcomes = [result[transport] for transport in TRANSPORTS]
    channels = dict.fromkeys(part for item in outcomes for part in item["channels"].values())
    missing = dict.fromkeys(_kind(check) for item in outcomes for check in item["not_offered"])
    shares = map(passed_share, outcomes)
    sdk = f"mcp {result['mcp']}"
    return [name, result["version"], sdk, *shares, ", ".join(channels), ", ".join(missing)]


def _kind(check: str) -> str:
    """Return the kind of content that a framework does not support."""
    if "prompt" in check:
        return "prompts"
    return "resource templates" if "tables/" in check else "resources"


def row(cells: Sequence[str]) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def wait_until_ready(address: str) -> None:
    """Wait until the graph is built in the scratch home and open."""
    deadline = time.monotonic() + MAX_OPENING_SECONDS
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address.removesuffix("/mcp") + "/readyz"):
                return
        except OSError:
            time.sleep(1)
    raise SystemExit("The server did not become ready.")


def main() -> int:
    """Run the checks, print and optionally store the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="FRAMEWORK", help="default: all")
    parser.add_argument(
        "--newest", action="store_true", help="the newest versions instead of the pinned ones"
    )
    parser.add_argument("--write", action="store_true", help="store the results and their page")
    options = parser.parse_args()
    frameworks = [f for f in FRAMEWORKS if not options.names or f.name in options.names]
    if options.newest:
        frameworks = [framework.newest() for framework in frameworks]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        with serving(SERVE_HTTP, home) as address:
            wait_until_ready(address)
            results = {f.name: run_framework(f, address, home) for f in frameworks}
    for name, result in results.items():
        if result is None:
            print(f"SKIPPED: {name} cannot be installed here.")
    if options.write:
        write(results)
    outcomes = [result[t] for result in results.values() if result for t in TRANSPORTS]
    return 0 if outcomes and not any(outcome["failed"] for outcome in outcomes) else 1


def write(frameworks: dict[str, Any]) -> None:
    """Store the results and their page."""
    from moviegraph import __version__

    results = {
        "date": datetime.now(UTC).date().isoformat(),
        "moviegraph": __version__,
        "python": ".".join(map(str, sys.version_info[:3])),
        "frameworks": frameworks,
    }
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    PAGE.write_text(page(results), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
