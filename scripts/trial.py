"""Tries an installed server as a client meets it: its version, its guard, a handshake and calls.

It knows the server by its command alone, and gives it a home of its own, so that nothing of the
checkout and nothing that another run left behind helps.
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

QUESTION = {"query": "a crew far from home is hunted by something unseen", "top": 3}
REFUSED = "DELETE FROM Movie"
KEPT = ("PATH", "LANG", "SSL_CERT_FILE", "SYSTEMROOT", "UV_CACHE_DIR", "UV_SYSTEM_CERTS")
SECONDS = 900


class TrialError(Exception):
    """An installed server does not do what it should."""


def surroundings(home: Path, further: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables of a process that has a home of its own and no setting of this one."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    places = {name: str(home) for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")}
    return kept | places | dict(further or {})


def try_command(command: Sequence[str]) -> list[str]:
    """Try a command line that ends in `moviegraph`; return what was seen. Raises TrialError."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        version = _run([*command, "version"], home)
        if version.strip() != f"moviegraph {__version__}":
            raise TrialError(f"version says {version!r}")
        judged = json.loads(_run([*command, "guard"], home, stdin=REFUSED, status=1))
        if judged.get("code") != "not_select":
            raise TrialError(f"guard answers {judged}")
        seen = try_server([*command, "serve"], surroundings(home), home)
    return [version.strip(), f"guard refuses {REFUSED}: {judged['code']}", *seen]


def _run(command: Sequence[str], home: Path, stdin: str = "", status: int = 0) -> str:
    done = subprocess.run(
        command, cwd=home, env=surroundings(home), input=stdin, capture_output=True, text=True,
        check=False, timeout=SECONDS, encoding="utf-8",
    )  # fmt: skip
    if done.returncode != status:
        raise TrialError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def try_server(command: Sequence[str], variables: Mapping[str, str], folder: Path) -> list[str]:
    """Speak to a server over stdio; return what was seen. Raises TrialError."""
    return anyio.run(_try_server, command, variables, folder)


async def _try_server(
    command: Sequence[str], variables: Mapping[str, str], folder: Path
) -> list[str]:
    program, *arguments = command
    server = StdioServerParameters(command=program, args=arguments, env=dict(variables), cwd=folder)
    with anyio.fail_after(SECONDS):
        async with Client(server, read_timeout_seconds=SECONDS) as client:
            info = client.server_info
            named = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool("semantic_search", QUESTION)
            prompts = (await client.list_prompts()).prompts
    if info is None or info.version != __version__:
        raise TrialError(f"the handshake tells of {info}")
    if named != [each.name for each in DEFINITIONS]:
        raise TrialError(f"the tools are {named}")
    facts = cast("dict[str, Any]", result.structured_content or {})
    if result.is_error or facts.get("row_count") != QUESTION["top"]:
        raise TrialError(f"semantic_search answers {result}")
    names = ", ".join(str(row[1]) for row in facts["rows"])
    return [f"{info.name} {info.version}: {len(named)} tools, {len(prompts)} prompts",
            f"semantic_search finds {names}"]  # fmt: skip
