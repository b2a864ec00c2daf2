"""The journal under a running server: no space, held, removed, replaced, damaged, out of reach."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from fakes.served_process import KITCHEN, ServerProcess, running_server
from mcp import Client

from moviegraph.journal.sqlite_journal import SqliteJournal

SQL = {"sql": "SELECT COUNT(*) AS n FROM Recipe"}
BYTES = 1_000
NEUTRAL = "This call could not be recorded, so no result is returned"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="another process is limited there")
pytestmark = [pytest.mark.slow("process"), LINUX]


@pytest.fixture
def journal_path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal.sqlite"


def serve_arguments(graph_folder: Path, journal_path: Path) -> tuple[str, ...]:
    """Return the options of a server over a graph, with a journal and a log in JSON."""
    paths = ("--graph", str(graph_folder), "--journal", str(journal_path))
    return (*paths, "--log-format", "json", *KITCHEN)


@pytest.fixture
def running(graph_folder: Path, journal_path: Path, tmp_path: Path) -> Iterator[ServerProcess]:
    with running_server(
        tmp_path / "server", *serve_arguments(graph_folder, journal_path)
    ) as server_address:
        yield server_address


async def call(client: Client) -> dict[str, Any]:
    return (await client.call_tool("run_readonly_sql", SQL)).structured_content or {}


def logged_refusal(running: ServerProcess, answer: dict[str, Any]) -> str:
    """Return the log record of a refused call, whose result does not state the cause."""
    message: str = answer["error"]["message"]
    assert message.startswith(NEUTRAL)
    assert "journal" not in message
    reference = message.split("reference ")[1].rstrip(".")
    (record,) = [
        record for record in running.records("incident") if record["reference"] == reference
    ]
    return record["message"]


def verified(journal_path: Path, *ids: str) -> int:
    with closing(SqliteJournal(journal_path, writable=False)) as journal:
        assert all(journal.find("local", node_id) for node_id in ids)
        verdict = journal.verify()
    assert verdict.ok, verdict.faults
    return verdict.records


async def test_without_space_nothing_is_answered_until_there_is_some(
    running: ServerProcess, journal_path: Path
) -> None:
    import resource

    async with Client(running.url) as client:
        first = await call(client)
        limit = running.limited(resource.RLIMIT_FSIZE, BYTES)
        error = logged_refusal(running, await call(client))
        assert "Free disk space" in error
        running.limited(resource.RLIMIT_FSIZE, limit)
        after = await call(client)
    assert (first["rows"], after["rows"]) == ([[8]], [[8]])
    assert verified(journal_path, first["execution_id"], after["execution_id"]) == 2


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a megabyte."""
    journal_path = tmp_path / "disk"
    journal_path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(journal_path)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs a root that may")
    yield journal_path
    subprocess.run(["umount", "-l", str(journal_path)], check=True)


async def test_a_disk_that_is_really_full_is_the_same(
    graph_folder: Path, tmp_path: Path, disk: Path
) -> None:
    arguments = ("--graph", str(graph_folder), "--journal", str(disk / "journal.sqlite"))
    with running_server(
        tmp_path / "server", *arguments, "--log-format", "json", *KITCHEN
    ) as running:
        async with Client(running.url) as client:
            assert (await call(client))["rows"] == [[8]]
            fill(disk / "filler")
            error = logged_refusal(running, await fails(client))
            assert "Free disk space" in error
            (disk / "filler").unlink()
            assert (await call(client))["rows"] == [[8]]
        verified(disk / "journal.sqlite")


def fill(journal_path: Path) -> None:
    with journal_path.open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(b"x" * 512):
            continue


async def fails(client: Client) -> dict[str, Any]:
    """Call until a page is needed that the disk has no room for."""
    while True:
        answer = await call(client)
        if "error" in answer:
            return answer


async def test_one_that_another_process_holds_is_waited_for_and_no_longer(
    running: ServerProcess, journal_path: Path
) -> None:
    async with Client(running.url) as client:
        assert (await call(client))["rows"] == [[8]]
        with closing(sqlite3.connect(journal_path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            error = logged_refusal(running, await call(client))
            assert "database is locked" in error
            assert "Stop the other program that locks it" in error
            other.execute("ROLLBACK")
        assert (await call(client))["rows"] == [[8]]
    assert verified(journal_path) == 2


async def test_one_that_was_removed_starts_again_and_the_log_says_so(
    running: ServerProcess, journal_path: Path
) -> None:
    async with Client(running.url) as client:
        await call(client)
        for path in journal_path.parent.iterdir():
            path.unlink()
        after = await call(client)
    assert verified(journal_path, after["execution_id"]) == 1
    assert running.records("journal_removed")


async def test_a_folder_that_was_removed_is_made_again(
    running: ServerProcess, journal_path: Path
) -> None:
    async with Client(running.url) as client:
        await call(client)
        shutil.rmtree(journal_path.parent)
        after = await call(client)
    assert verified(journal_path, after["execution_id"]) == 1


async def test_a_copy_that_was_put_back_is_gone_on_with(
    running: ServerProcess, journal_path: Path
) -> None:
    async with Client(running.url) as client:
        first = await call(client)
        with closing(SqliteJournal(journal_path.with_name("copy.sqlite"))) as copy:
            copy.record(_only(journal_path))
        journal_path.with_name("copy.sqlite").replace(journal_path)
        after = await call(client)
    assert verified(journal_path, first["execution_id"], after["execution_id"]) == 2


def _only(journal_path: Path) -> Any:
    with closing(SqliteJournal(journal_path, writable=False)) as journal:
        return journal.entries(1)[0].execution()


def put(journal_path: Path, content: bytes) -> None:
    """Put a file in the place of the journal, which is kept beside it."""
    journal_path.rename(journal_path.with_name("kept"))
    journal_path.with_name("foreign").write_bytes(content)
    journal_path.with_name("foreign").replace(journal_path)


def remove_file(journal_path: Path) -> bytes:
    """Take a file away, and return what was in it."""
    content = journal_path.read_bytes()
    journal_path.unlink()
    return content


def overwrite(journal_path: Path) -> None:
    with closing(sqlite3.connect(journal_path)) as journal:
        journal.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    journal_path.write_bytes(b"\x00garbage" * (journal_path.stat().st_size // 8))


FOREIGN = [
    pytest.param(b"", "", id="empty"),
    pytest.param(b"no database " * 1000, "not a database", id="no database"),
]


@pytest.mark.parametrize(("content", "says"), FOREIGN)
async def test_a_foreign_file_in_its_place_is_reported_and_left_alone(
    running: ServerProcess, journal_path: Path, content: bytes, says: str
) -> None:
    async with Client(running.url) as client:
        await call(client)
        put(journal_path, content)
        answer = await call(client)
        if not says:  # an empty file is one that was begun
            assert answer["rows"] == [[8]]
            return
        assert says in (error := logged_refusal(running, answer))
        assert "Move that file" in error
        assert remove_file(journal_path) == content
        assert (await call(client))["rows"] == [[8]]


async def test_pages_overwritten_under_the_server_are_reported_until_the_file_is_moved_away(
    running: ServerProcess, journal_path: Path
) -> None:
    async with Client(running.url) as client:
        await call(client)
        overwrite(journal_path)
        error = logged_refusal(running, await call(client))
        assert "Move that file" in error
        for path in journal_path.parent.iterdir():
            path.unlink()
        assert (await call(client))["rows"] == [[8]]
    assert verified(journal_path) == 1


async def test_a_state_folder_that_cannot_be_made_is_reported_and_tried_again(
    graph_folder: Path, tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder is to be")
    journal_path = blocked / "journal.sqlite"
    with running_server(
        tmp_path / "server", *serve_arguments(graph_folder, journal_path)
    ) as running:
        async with Client(running.url) as client:
            error = logged_refusal(running, await call(client))
            assert "MOVIEGRAPH_JOURNAL" in error
            assert running.records("opening_failed")
            blocked.unlink()
            assert (await call(client))["rows"] == [[8]]
        running.process.send_signal(signal.SIGTERM)
        running.process.wait(120)
    assert verified(journal_path) == 1
