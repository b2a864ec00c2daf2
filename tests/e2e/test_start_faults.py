"""Starting and running short of resources: space for the built-in graph, files, a port."""

import json
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from fakes.served_process import KITCHEN, MAIN, PATIENCE, ServerProcess, running_server, until
from mcp import Client

from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

pytestmark = [
    pytest.mark.slow("process"),
    pytest.mark.skipif(sys.platform != "linux", reason="limits of others are Linux's"),
]
FILMS = {"sql": "SELECT COUNT(*) AS n FROM Movie"}
RECIPES = {"sql": "SELECT COUNT(*) AS n FROM Recipe"}
SMALL = 500_000
JSON = ("--log-format", "json")


def cache(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(tmp_path / "cache"), "MOVIEGRAPH_TOTAL_TIMEOUT": "120"}


def cache_entries(tmp_path: Path) -> list[str]:
    """Return the entries of the folder in which the built-in graph is built."""
    return sorted(path.name for path in (tmp_path / "cache" / "moviegraph").iterdir())


async def answer(running: ServerProcess, call: dict[str, Any]) -> dict[str, Any]:
    async with Client(running.url, read_timeout_seconds=PATIENCE) as client:
        return (await client.call_tool("run_readonly_sql", call)).structured_content or {}


async def test_without_space_for_the_built_in_graph_nothing_is_left_and_the_next_call_builds_it(
    tmp_path: Path,
) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, before[1]))
    try:
        with running_server(tmp_path / "server", *JSON, environment=cache(tmp_path)) as running:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            failed = await answer(running, FILMS)
            assert (
                "The graph, or a part of it, is temporarily unavailable"
                in failed["error"]["message"]
            )
            record = running.records("opening_failed")[0]["message"]
            assert "cannot be written" in record
            assert not [
                name for name in cache_entries(tmp_path) if "building" in name or name == "box"
            ]
            running.limited(resource.RLIMIT_FSIZE, resource.RLIM_INFINITY)
            assert (await answer(running, FILMS))["rows"][0][0] > 700
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_a_signal_during_the_first_build_ends_the_server_and_the_next_one_builds_it(
    tmp_path: Path,
) -> None:
    place = tmp_path / "cache" / "moviegraph"

    def building() -> bool:
        return place.is_dir() and any("building" in path.name for path in place.iterdir())

    with running_server(tmp_path / "first", environment=cache(tmp_path)) as running:
        until(building, "the building to begin")
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(PATIENCE) == -signal.SIGTERM
    with running_server(tmp_path / "second", environment=cache(tmp_path)) as running:
        assert (await answer(running, FILMS))["rows"][0][0] > 700
    assert not [name for name in cache_entries(tmp_path) if "building" in name]


async def test_a_server_out_of_file_descriptors_answers_again_when_it_has_some(
    graph_folder: Path, tmp_path: Path
) -> None:
    with running_server(
        tmp_path / "server", "--graph", str(graph_folder), *JSON, *KITCHEN
    ) as running:
        assert (await answer(running, RECIPES))["rows"] == [[8]]
        host, port = running.address.removeprefix("http://").split(":")
        limit = running.limited(resource.RLIMIT_NOFILE, 4)
        with closing(socket.create_connection((host, int(port)), PATIENCE)):
            until(lambda: "out of system resource" in running.log, "the fault to show")
        running.limited(resource.RLIMIT_NOFILE, limit)
        assert (await answer(running, RECIPES))["rows"] == [[8]]
        assert psutil.Process(running.process.pid).num_fds() < limit


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_busy_port_is_reported_with_a_fix(graph_folder: Path, form: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy_port:
        port = str(busy_port.getsockname()[1])
        place = ("--transport", "http", "--port", port, "--graph", str(graph_folder))
        command = [sys.executable, str(MAIN), "serve", *place, *KITCHEN, "--log-format", form]
        completed = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=600
        )
    assert completed.returncode == 2
    errors = completed.stderr
    if form == "json":
        (line,) = [json.loads(line) for line in errors.splitlines()]
        assert (line["event"], line["level"]) == ("ended", "error")
        errors = line["message"]
    assert errors.startswith(f"moviegraph: Cannot listen on 127.0.0.1, port {port}")
    assert "--port 0" in errors
    assert "Traceback" not in errors


async def test_a_clock_that_jumps_neither_breaks_the_chain_nor_its_order(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=days) for days in (9, 0, 4000)]

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return moments.pop(0)

    monkeypatch.setattr("moviegraph.query.query_pipeline.datetime", Clock)
    path = tmp_path / "journal.sqlite"
    with closing(SqliteJournal(path)) as journal:
        served_now = create_server(Settings(), session=replace(session, journal=journal))
        ids: list[str] = []
        async with Client(served_now) as client:
            for _ in range(3):
                result: Any = (
                    await client.call_tool("run_readonly_sql", RECIPES)
                ).structured_content
                assert result["elapsed_ms"] >= 0
                ids.append(result["execution_id"])
        assert journal.verify().ok
        assert [execution.id for execution in journal.recent("local")] == ids[::-1]
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT count(*) FROM records").fetchone() == (3,)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_a_graph_that_may_not_be_read_is_reported_at_start(graph_folder: Path) -> None:
    manifest = graph_folder / "manifest.json"
    mode = manifest.stat().st_mode
    manifest.chmod(0)
    command = [sys.executable, str(MAIN), "serve", "--graph", str(graph_folder), *KITCHEN]
    try:
        completed = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=600
        )
    finally:
        manifest.chmod(mode)
    assert completed.returncode == 1
    assert "cannot be read" in completed.stderr
