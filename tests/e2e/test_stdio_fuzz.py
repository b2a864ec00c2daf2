"""No standard input ends the server or makes it disclose internals."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest
from fakes.malformed_requests import BODIES, HELLO, INSIDE, ROUNDS, SEED, message, mutations
from fakes.served_process import KITCHEN, MAIN, PATIENCE

pytestmark = pytest.mark.slow("fuzzing")

LAST = "the last one"
SQL = {"name": "run_readonly_sql", "arguments": {"sql": "SELECT COUNT(*) AS n FROM Recipe"}}
SHAPES: dict[str, bytes] = {
    name: (body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body)
    for name, body in BODIES.items()
} | {
    "bytes": random.Random(SEED).randbytes(5_000),
    "no UTF-8": b"\xff\xfe\x80\n\xed\xa0\x80",
    "blank lines": b"\n\r\n \n\t\n" * 200,
    "NULs": b"\0" * 1_000,
    "a huge line": b'{"x":"' + b"y" * 3_000_000 + b'"}',
    "two messages on a line": json.dumps(message("ping")).encode() * 2,
    "a message on two lines": json.dumps(message("ping"), indent=1).encode(),
    "HTTP": b"POST /mcp HTTP/1.1\r\nHost: x\r\n\r\n{}",
    "an escape": b"\x1b[2J\x1b]0;x\x07",
}


@pytest.fixture
def process(graph_folder: Path, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, str(MAIN), "serve", "--graph", str(graph_folder), *KITCHEN]
    command += ["--journal", str(tmp_path / "journal.sqlite")]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere) as started:
        last_resort = Timer(3 * PATIENCE, started.kill)
        last_resort.start()
        yield started
        last_resort.cancel()
        started.kill()


def send_lines(process: subprocess.Popen[bytes], *lines: bytes) -> None:
    assert process.stdin is not None
    for line in lines:
        process.stdin.write(line + b"\n")
        process.stdin.flush()


def began(process: subprocess.Popen[bytes]) -> None:
    done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    hello = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO}
    send_lines(process, json.dumps(hello).encode(), json.dumps(done).encode())


def answers_until_last(process: subprocess.Popen[bytes]) -> list[str]:
    """Send a legitimate request, and return the output up to its response."""
    request = {"jsonrpc": "2.0", "id": LAST, "method": "tools/call", "params": SQL}
    send_lines(process, json.dumps(request).encode())
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") == LAST:
            assert answer["result"]["structuredContent"]["rows"] == [[8]]
            return lines
        lines.append(line.decode())
    raise AssertionError(f"the server ended after {lines[-3:]}")


def test_no_line_ends_the_server_or_shows_its_inside(process: subprocess.Popen[bytes]) -> None:
    began(process)
    for name, line in SHAPES.items():
        send_lines(process, line)
        for answer in answers_until_last(process):
            assert not INSIDE.search(answer), (name, answer[:500])


def test_mutated_lines_between_honest_ones(process: subprocess.Popen[bytes]) -> None:
    began(process)
    for number, line in enumerate(mutations(SEED + 2, ROUNDS)):
        send_lines(process, line.replace(b"\n", b" "))
        if number % 20 == 0:
            for answer in answers_until_last(process):
                assert not INSIDE.search(answer), answer[:500]
    answers_until_last(process)


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(b"", id="before anything"),
        pytest.param(b'{"jsonrpc":"2.0","id":1,"meth', id="within a message"),
        pytest.param(b"\xe2\x82", id="within a character"),
    ],
)
def test_the_end_of_input_ends_the_server(process: subprocess.Popen[bytes], end: bytes) -> None:
    began(process)
    assert process.stdin is not None
    process.stdin.write(end)
    process.stdin.close()
    assert process.wait(PATIENCE) == 0
