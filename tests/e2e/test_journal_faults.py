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
from fakes.served_process import KITCHEN, Served, served
from mcp import Client

from moviegraph.journal.sqlite_journal import SqliteJournal

SQL = {"sql": "SELECT COUNT(*) AS n FROM Recipe"}
BYTES = 1_000
NEUTRAL = "This call could not be recorded, so no result is returned"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="another process is limited there")
pytestmark = [pytest.mark.slow("process"), LINUX]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal.sqlite"


@pytest.fixture
def running(graph_folder: Path, place: Path, tmp_path: Path) -> Iterator[Served]:
    arguments = ("--graph", str(graph_folder), "--journal", str(place), "--log-format", "json")
    with served(tmp_path / "server", *arguments, *KITCHEN) as server_address:
        yield server_address


async def call(client: Client) -> dict[str, Any]:
    return (await client.call_tool("run_readonly_sql", SQL)).structured_content or {}


def logged_refusal(running: Served, answer: dict[str, Any]) -> str:
    """Return what the log says of a refused call, whose answer says nothing of it."""
    message: str = answer["error"]["message"]
    assert message.startswith(NEUTRAL)
    assert "journal" not in message
    reference = message.split("reference ")[1].rstrip(".")
    (record,) = [
        record for record in running.records("incident") if record["reference"] == reference
    ]
    return record["message"]


def verified(place: Path, *ids: str) -> int:
    with closing(SqliteJournal(place, writable=False)) as journal:
        assert all(journal.find("local", node_id) for node_id in ids)
        verdict = journal.verify()
    assert verdict.ok, verdict.reason
    return verdict.records


async def test_without_space_nothing_is_answered_until_there_is_some(
    running: Served, place: Path
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
    assert verified(place, first["execution_id"], after["execution_id"]) == 2


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs a root that may")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


async def test_a_disk_that_is_really_full_is_the_same(
    graph_folder: Path, tmp_path: Path, disk: Path
) -> None:
    arguments = ("--graph", str(graph_folder), "--journal", str(disk / "journal.sqlite"))
    with served(tmp_path / "server", *arguments, "--log-format", "json", *KITCHEN) as running:
        async with Client(running.url) as client:
            assert (await call(client))["rows"] == [[8]]
            fill(disk / "filler")
            error = logged_refusal(running, await fails(client))
            assert "Free disk space" in error
            (disk / "filler").unlink()
            assert (await call(client))["rows"] == [[8]]
        verified(disk / "journal.sqlite")


def fill(place: Path) -> None:
    with place.open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(b"x" * 512):
            continue


async def fails(client: Client) -> dict[str, Any]:
    """Call until a page is needed that the disk has no room for."""
    while True:
        answer = await call(client)
        if "error" in answer:
            return answer


async def test_one_that_another_process_holds_is_waited_for_and_no_longer(
    running: Served, place: Path
) -> None:
    async with Client(running.url) as client:
        assert (await call(client))["rows"] == [[8]]
        with closing(sqlite3.connect(place, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            error = logged_refusal(running, await call(client))
            assert "database is locked" in error
            assert "Stop the other program that locks it" in error
            other.execute("ROLLBACK")
        assert (await call(client))["rows"] == [[8]]
    assert verified(place) == 2


async def test_one_that_was_removed_starts_again_and_the_log_says_so(
    running: Served, place: Path
) -> None:
    async with Client(running.url) as client:
        await call(client)
        for path in place.parent.iterdir():
            path.unlink()
        after = await call(client)
    assert verified(place, after["execution_id"]) == 1
    assert running.records("journal_removed")


async def test_a_folder_that_was_removed_is_made_again(running: Served, place: Path) -> None:
    async with Client(running.url) as client:
        await call(client)
        shutil.rmtree(place.parent)
        after = await call(client)
    assert verified(place, after["execution_id"]) == 1


async def test_a_copy_that_was_put_back_is_gone_on_with(running: Served, place: Path) -> None:
    async with Client(running.url) as client:
        first = await call(client)
        with closing(SqliteJournal(place.with_name("copy.sqlite"))) as copy:
            copy.record(_only(place))
        place.with_name("copy.sqlite").replace(place)
        after = await call(client)
    assert verified(place, first["execution_id"], after["execution_id"]) == 2


def _only(place: Path) -> Any:
    with closing(SqliteJournal(place, writable=False)) as journal:
        return journal.entries(1)[0].execution()


def put(place: Path, content: bytes) -> None:
    """Put a file in the place of the journal, which is kept beside it."""
    place.rename(place.with_name("kept"))
    place.with_name("foreign").write_bytes(content)
    place.with_name("foreign").replace(place)


def remove_file(place: Path) -> bytes:
    """Take a file away, and return what was in it."""
    content = place.read_bytes()
    place.unlink()
    return content


def overwrite(place: Path) -> None:
    with closing(sqlite3.connect(place)) as journal:
        journal.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    place.write_bytes(b"\x00garbage" * (place.stat().st_size // 8))


FOREIGN = [
    pytest.param(b"", "", id="empty"),
    pytest.param(b"no database " * 1000, "not a database", id="no database"),
]


@pytest.mark.parametrize(("content", "says"), FOREIGN)
async def test_a_foreign_file_in_its_place_is_reported_and_left_alone(
    running: Served, place: Path, content: bytes, says: str
) -> None:
    async with Client(running.url) as client:
        await call(client)
        put(place, content)
        answer = await call(client)
        if not says:  # an empty file is one that was begun
            assert answer["rows"] == [[8]]
            return
        assert says in (error := logged_refusal(running, answer))
        assert "Move that file" in error
        assert remove_file(place) == content
        assert (await call(client))["rows"] == [[8]]


async def test_pages_overwritten_under_the_server_are_reported_until_the_file_is_moved_away(
    running: Served, place: Path
) -> None:
    async with Client(running.url) as client:
        await call(client)
        overwrite(place)
        error = logged_refusal(running, await call(client))
        assert "Move that file" in error
        for path in place.parent.iterdir():
            path.unlink()
        assert (await call(client))["rows"] == [[8]]
    assert verified(place) == 1


async def test_a_state_folder_that_cannot_be_made_is_reported_and_tried_again(
    graph_folder: Path, tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder is to be")
    place = blocked / "journal.sqlite"
    arguments = ("--graph", str(graph_folder), "--journal", str(place), "--log-format", "json")
    with served(tmp_path / "server", *arguments, *KITCHEN) as running:
        async with Client(running.url) as client:
            error = logged_refusal(running, await call(client))
            assert "MOVIEGRAPH_JOURNAL" in error
            assert running.records("opening_failed")
            blocked.unlink()
            assert (await call(client))["rows"] == [[8]]
        running.process.send_signal(signal.SIGTERM)
        running.process.wait(120)
    assert verified(place) == 1
