"""A lock for a folder that is being built; the system lets it go when its process ends."""

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from moviegraph.errors import GraphError

PAUSE = 0.1

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def folder_lock(folder: Path, *, wait: bool = False) -> Generator[None]:
    """Hold the lock of a folder, by a file beside it that goes when the lock goes.

    Args:
        folder: What is to be built; it need not exist.
        wait: Wait for whoever holds the lock, rather than give up.

    Raises:
        GraphError: Another process, or another thread, builds the folder.
        OSError: The place cannot be written.
    """
    path = folder.absolute().with_name(f".{folder.absolute().name}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    while (descriptor := _acquired(path)) is None:
        if not wait:
            raise GraphError(
                f"{folder} is being built by another process.",
                hint="Wait until that process has finished, and try again.",
            )
        time.sleep(PAUSE)
    try:
        yield
    finally:
        _release(descriptor, path)


def _acquired(path: Path) -> int | None:
    """Return the locked file, or None where another holds it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        if not _try_lock(descriptor):
            os.close(descriptor)
            return None
        if _is_in_place(descriptor, path):
            return descriptor
        os.close(descriptor)  # its holder removed it between our opening and locking


def _is_in_place(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _release(descriptor: int, path: Path) -> None:
    if sys.platform == "win32":  # an open file cannot be removed there
        os.close(descriptor)
        with suppress(OSError):
            path.unlink()
    else:
        path.unlink(missing_ok=True)
        os.close(descriptor)
