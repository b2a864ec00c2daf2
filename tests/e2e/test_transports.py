"""The command, as hosts start it: over stdio and over HTTP."""

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes.http_clients import BOTH_REVISIONS
from fakes.toy_graph import TOY
from mcp import Client, StdioServerParameters

pytestmark = pytest.mark.slow("process")

MAIN = Path(__file__).parents[2] / "server" / "main.py"
PATIENCE = 120
LEGACY = "2025-11-25"
SQL = {"sql": "SELECT COUNT(*) AS n FROM Recipe"}


def command(graph: Path, folder: Path, *more: str) -> list[str]:
    settings = ("--graph", str(graph), "--contract", str(TOY / "contract"))
    return [str(MAIN), "serve", *settings, "--journal", str(folder / "journal.sqlite"), *more]


async def drive(client: Client) -> None:
    assert len((await client.list_tools()).tools) == 10
    result = await client.call_tool("run_readonly_sql", SQL)
    assert not result.is_error
    assert result.structured_content["rows"] == [[8]]
    foreign = await client.call_tool("semantic_search", {"query": "soup"})
    assert foreign.structured_content["error"]["code"] == "internal_error"


@BOTH_REVISIONS
async def test_stdio_serves_both_revisions(graph_folder: Path, tmp_path: Path, mode: str) -> None:
    arguments = command(graph_folder, tmp_path)
    parameters = StdioServerParameters(command=sys.executable, args=arguments)
    async with Client(parameters, mode=mode) as client:
        await drive(client)


@pytest.fixture
def address(graph_folder: Path, tmp_path: Path) -> Iterator[str]:
    arguments = command(graph_folder, tmp_path, "--transport", "http", "--port", "0")
    process = subprocess.Popen(
        [sys.executable, *arguments], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert process.stdout is not None
    line = process.stderr.readline()
    yield line.split()[-1].removesuffix("/mcp")
    process.terminate()
    assert process.stdout.read() == ""
    assert process.wait(PATIENCE) == -signal.SIGTERM
    process.stdout.close()
    process.stderr.close()


async def test_http_serves_both_revisions_and_says_when_it_is_ready(address: str) -> None:
    assert status(f"{address}/healthz") == 200
    for mode in ("auto", "legacy"):
        async with Client(f"{address}/mcp", mode=mode) as client:
            await drive(client)
    assert status(f"{address}/readyz") == 200
    assert status(f"{address}/mcp", {"Host": "evil.example"}) == 421
    assert status(f"{address}/mcp", {"Origin": "http://evil.example"}) == 403


def test_a_body_beyond_the_limit_is_refused_by_its_status(address: str) -> None:
    large = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "y" * 10**6}})
    assert status(f"{address}/mcp", {}, large.encode()) == 413


def status(url: str, headers: dict[str, str] | None = None, posted: bytes | None = None) -> int:
    posted = posted or (b"{}" if headers else None)
    kind = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(url, data=posted, headers=kind | (headers or {}))
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


HALVES = [
    r'"name":"semantic_search","arguments":{"query":"a\ud800b"}',
    r'"name":"run_readonly_sql","arguments":{"sql":"SELECT 1 AS a","purpose":"\uDFFF"}',
]


def test_a_message_with_half_a_character_is_answered(graph_folder: Path, tmp_path: Path) -> None:
    hello = {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ]
    for number, half in enumerate(HALVES, 1):
        lines.append(f'{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":{{{half}}}}}')
    process = subprocess.Popen(
        [sys.executable, *command(graph_folder, tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write("".join(line + "\n" for line in lines).encode())
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(len(HALVES) + 1)]
        process.stdin.close()
    texts = [answer["result"]["content"][0]["text"] for answer in answers if answer["id"]]
    assert len(texts) == len(HALVES)
    assert all("lone surrogate" in text for text in texts)
