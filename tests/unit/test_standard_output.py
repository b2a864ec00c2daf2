"""What the protocol writes arrives whole and in order, and holds up nothing else."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from moviegraph.cli.stdio import StdoutWriter

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the SDK's writer serves there")
LARGE = "Amélie, " * 200_000
PRINTING = """
import anyio
from moviegraph.cli.stdio import claim_stdout
wire = claim_stdout()
print("stray", wire is None)
if wire is not None:
    anyio.run(wire.write, "message")
"""


@pytest.fixture(params=["pipe", "socket"])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[int, int]]:
    """What the client reads from, and what the server writes to; a test closes the latter."""
    if request.param == "pipe":
        reading, writing = os.pipe()
    else:
        reading, writing = (each.detach() for each in socket.socketpair())
    yield reading, writing
    with suppress(OSError):  # the client may have gone
        os.close(reading)


def read(descriptor: int, count: int) -> bytes:
    result = b""
    while len(result) < count:
        result += os.read(descriptor, count - len(result))
    return result


async def no_thread(*_: object) -> None:
    raise AssertionError("a thread was asked")


async def test_what_fits_is_written_without_a_thread(
    ends: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = ends
    monkeypatch.setattr(anyio.to_thread, "run_sync", no_thread)
    with closing(StdoutWriter(writing)) as wire:
        for text in ("first\n", "é" * 5_000, "last\n"):
            await wire.write(text)
            await wire.flush()
    wanted = ("first\n" + "é" * 5_000 + "last\n").encode()
    assert read(reading, len(wanted)) == wanted


@pytest.mark.parametrize("blocking", [True, False])
async def test_what_does_not_fit_arrives_whole_and_holds_up_nothing(
    ends: tuple[int, int], blocking: bool
) -> None:
    reading, writing = ends
    os.set_blocking(writing, blocking)
    ended = anyio.Event()

    async def write() -> None:
        with closing(StdoutWriter(writing)) as wire:
            await wire.write(LARGE)
            await wire.write("last\n")
        ended.set()

    async with anyio.create_task_group() as group:
        group.start_soon(write)
        for _ in range(100):  # the loop goes on, though nobody reads
            await anyio.lowlevel.checkpoint()
        assert not ended.is_set()
        wanted = (LARGE + "last\n").encode()
        assert await anyio.to_thread.run_sync(read, reading, len(wanted)) == wanted
    assert ended.is_set()


@pytest.mark.parametrize("text", ["short", LARGE])
async def test_a_reader_that_has_gone_is_an_error(ends: tuple[int, int], text: str) -> None:
    reading, writing = ends
    os.close(reading)
    with closing(StdoutWriter(writing)) as wire, pytest.raises(OSError):
        await wire.write(text)


@pytest.mark.slow("process")
def test_what_else_is_printed_goes_to_standard_error() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINTING], capture_output=True, text=True, check=True
    )
    assert done.stdout == "message"
    assert done.stderr == "stray False\n"


@pytest.mark.slow("process")
def test_a_file_is_left_to_the_sdk(tmp_path: Path) -> None:
    place = tmp_path / "out"
    with place.open("wb") as file:
        subprocess.run([sys.executable, "-c", PRINTING], stdout=file, check=True)
    assert place.read_text() == "stray True\n"
