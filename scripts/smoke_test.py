"""Smoke test of an installed server: version, guard, handshake and calls.

The server is known by its command only and has a separate home, so neither the checkout nor an
earlier run helps it.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import anyio
from mcp import Client, StdioServerParameters

from moviegraph import __version__
from moviegraph_tools import DEFINITIONS

SEARCH = {"query": "a crew far from home is hunted by something unseen", "top": 3}
REFUSED_SQL = "DELETE FROM Movie"
INHERITED = ("PATH", "LANG", "SSL_CERT_FILE", "SYSTEMROOT", "UV_CACHE_DIR", "UV_SYSTEM_CERTS")
MAX_SECONDS = 900


class SmokeTestError(Exception):
    """An installed server does not do what it should."""


def clean_environment(home: Path, variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an environment with a separate home and without the settings of this process."""
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    folders = {name: str(home) for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")}
    return inherited | folders | dict(variables or {})


def check_command(command: Sequence[str]) -> list[str]:
    """Check a command line that ends in `moviegraph`; return a report. Raises SmokeTestError."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        version = _run([*command, "version"], home)
        if version.strip() != f"moviegraph {__version__}":
            raise SmokeTestError(f"version prints {version!r}")
        verdict = json.loads(_run([*command, "guard"], home, stdin=REFUSED_SQL, status=1))
        if verdict.get("code") != "not_select":
            raise SmokeTestError(f"guard returns {verdict}")
        report = check_server([*command, "serve"], clean_environment(home), home)
    return [version.strip(), f"guard refuses {REFUSED_SQL}: {verdict['code']}", *report]


def _run(command: Sequence[str], home: Path, stdin: str = "", status: int = 0) -> str:
    completed = subprocess.run(
        command, cwd=home, env=clean_environment(home), input=stdin, capture_output=True,
        text=True, check=False, timeout=MAX_SECONDS, encoding="utf-8",
    )  # fmt: skip
    if completed.returncode != status:
        raise SmokeTestError(
            f"{' '.join(command)} exited with {completed.returncode}: {completed.stderr[-2000:]}"
        )
    return completed.stdout


def check_server(command: Sequence[str], variables: Mapping[str, str], folder: Path) -> list[str]:
    """Check a server over stdio; return a report. Raises SmokeTestError."""
    return anyio.run(_check_server, command, variables, folder)


async def _check_server(
    command: Sequence[str], variables: Mapping[str, str], folder: Path
) -> list[str]:
    program, *arguments = command
    server = StdioServerParameters(command=program, args=arguments, env=dict(variables), cwd=folder)
    with anyio.fail_after(MAX_SECONDS):
        async with Client(server, read_timeout_seconds=MAX_SECONDS) as client:
            info = client.server_info
            tools = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool("semantic_search", SEARCH)
            prompts = (await client.list_prompts()).prompts
    if info is None or info.version != __version__:
        raise SmokeTestError(f"the handshake reports {info}")
    if tools != [definition.name for definition in DEFINITIONS]:
        raise SmokeTestError(f"the tools are {tools}")
    content = cast("dict[str, Any]", result.structured_content or {})
    if result.is_error or content.get("row_count") != SEARCH["top"]:
        raise SmokeTestError(f"semantic_search returns {result}")
    films = ", ".join(str(row[1]) for row in content["rows"])
    return [f"{info.name} {info.version}: {len(tools)} tools, {len(prompts)} prompts",
            f"semantic_search finds {films}"]  # fmt: skip
