"""`moviegraph health`, and the entry point that bundles start."""

import os
import socket
import subprocess
import sys
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from fakes.http_server import http_server
from mcp.server import MCPServer

from moviegraph.cli import main
from moviegraph.server import create_server
from moviegraph.settings import Settings

MAIN = Path(__file__).parents[2] / "server" / "main.py"


def run_health(url: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = main(["health", "--url", url])
    output, _, problem = capsys.readouterr().out.strip().partition(": ")
    assert problem == url
    return status, output


def test_a_server_that_is_ready_is_healthy(
    server: MCPServer[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with http_server(server) as address:
        assert run_health(f"{address}/readyz", capsys) == (0, "ready")
        assert run_health(f"{address}/healthz", capsys) == (0, "ok")


def test_one_that_is_still_opening_lives_and_is_not_ready(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with http_server(create_server(Settings(graph=Path("nowhere")))) as address:
        assert run_health(f"{address}/healthz", capsys) == (0, "ok")
        assert run_health(f"{address}/readyz", capsys) == (1, "opening")


def test_another_server_or_none_is_not_healthy(
    server: MCPServer[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with http_server(server) as address:
        assert run_health(f"{address}/elsewhere", capsys) == (
            1,
            "the response is not from a moviegraph server",
        )
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}/readyz"
    assert run_health(url, capsys) == (1, "no response")


class _Stranger(BaseHTTPRequestHandler):
    """Responds to /endless without an end, to /nested with nested JSON, else with an escape."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        with suppress(ConnectionError):
            self.wfile.write(b"[" * 100_000 if self.path != "/" else b'{"status": "\\u001b[2Jok"}')
            while self.path == "/endless":
                self.wfile.write(b"[" * 100_000)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.mark.parametrize(
    ("path", "output"),
    [
        ("/nested", (1, "the response is not from a moviegraph server")),
        ("/endless", (1, "the response is not from a moviegraph server")),
        ("/", (0, "ok")),
    ],
)
def test_a_response_of_any_form_is_one_bounded_line(
    path: str, output: tuple[int, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Stranger) as stranger:
        Thread(target=stranger.serve_forever, daemon=True).start()
        assert run_health(f"http://127.0.0.1:{stranger.server_port}{path}", capsys) == output
        stranger.shutdown()


def test_no_file_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["health", "--url", MAIN.as_uri()]) == 2
    assert "not a server URL" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("--seconds", value) for value in ("nan", "-1", "0", "inf", "soon")),
        ("--url", "http://[::1/readyz"),
        ("--url", "http://127.0.0.1:abc/readyz"),
        ("--url", "http:///readyz"),
    ],
)
def test_what_cannot_be_asked_is_wrong_usage_in_a_sentence(
    capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    assert main(["health", option, value]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"moviegraph: {option}")
    assert len(captured.err.splitlines()) <= 2


def test_no_proxy_is_asked_about_this_machine(
    server: MCPServer[Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with http_server(server) as address:
        assert run_health(f"{address}/readyz", capsys) == (0, "ready")


@pytest.mark.slow("process")
def test_a_field_of_a_bundle_that_was_left_empty_is_no_setting(tmp_path: Path) -> None:
    left_empty = {
        "MOVIEGRAPH_ENGINE": "${user_config.engine}",
        "MOVIEGRAPH_GRAPH": "${user_config.graph}",
        "MOVIEGRAPH_MSSQL": "",
        "XDG_CACHE_HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path),
    }
    completed = subprocess.run(
        [sys.executable, str(MAIN), "check"], env=os.environ | left_empty, capture_output=True,
        text=True, check=False, timeout=600, encoding="utf-8",
    )  # fmt: skip
    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert "engine     OK: embedded" in completed.stdout
