"""The process in which statements that hold a caller's text run: it can be killed at any moment.

The server starts it, tells it by its standard input what to open and what to run, and reads the
results from its standard output. It ends when its input ends, whatever runs.
"""

import logging
import os
import shutil
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

MEGABYTE = 1_000_000
PAGE_SIZE = 4096
DUCKDB_SHARE = 0.6  # of the memory: the rest is for values, which DuckDB does not count
GROWN_SHARE = 0.5  # of the memory: a worker that still takes more after a statement is replaced
WARM_UP = "SELECT tsql_len('x')"
MEMORY_SPENT = [
    "ExecutionError",
    "The statement needs more memory than it may have.",
    "too_complex",
    "Filter or aggregate earlier.",
]
FAILED = ["ExecutionError", "The statement failed while it ran.", "execution_failed", None]


def limit_memory(megabytes: int) -> None:
    """Bound the private memory of this process, where the system can (Linux)."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        limit = megabytes * MEGABYTE
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    with suppress(OSError):  # where memory runs out, Linux ends a worker rather than the server
        Path("/proc/self/oom_score_adj").write_text("500")


def private_memory() -> int:
    """Return the bytes that RLIMIT_DATA counts; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[5]) * PAGE_SIZE
    except (OSError, ValueError):
        return 0


class Inbox:
    """Reads what the server sends, in a thread: a stop must be seen while a plan runs."""

    def __init__(self, pipe: BinaryIO, end: Callable[[], None]) -> None:
        self._pipe = pipe
        self._end = end
        self._lock = threading.Lock()
        self._stops: dict[int, Callable[[], None]] = {}
        self._stopped = 0
        self.requests: SimpleQueue[tuple[dict[str, Any], bytes]] = SimpleQueue()

    def start(self) -> None:
        """Begin to read."""
        threading.Thread(target=self._run, name="inbox", daemon=True).start()

    def _run(self) -> None:
        from moviegraph.engines.embedded.worker_messages import read_frame

        try:
            while True:
                message, content = read_frame(self._pipe)
                if "stop" in message:
                    self._stop(message["stop"])
                else:
                    self.requests.put((message, content))
        finally:  # the server has closed its end, or is gone
            self._end()

    def _stop(self, number: int) -> None:
        with self._lock:
            self._stopped = number
            stop = self._stops.pop(number, None)
        if stop is not None:
            stop()

    def on_stop(self, number: int, stop: Callable[[], None]) -> None:
        """Call `stop` when the server stops a request; at once if it did so already."""
        with self._lock:
            if self._stopped != number:
                self._stops = {number: stop}
                return
        stop()


class RecordList(logging.Handler):
    """Keeps what is logged here, such as a full disk: the server writes it into its own log."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._records: list[Any] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        facts = getattr(record, "facts", {})
        self._records.append([record.levelno, record.getMessage(), facts])

    def take(self) -> list[Any]:
        """Return level, message and facts of each record since the last time."""
        records, self._records = self._records, []
        return records


class Worker:
    """Runs one request after the other."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._logged = RecordList()
        logging.getLogger("moviegraph").addHandler(self._logged)

    def run(self) -> None:
        """Open the files that the first message names, and run requests until the input ends."""
        from moviegraph.engines.embedded.worker_messages import read_frame

        started, _ = read_frame(self._incoming)
        spill = Path(started["spill"])

        def end() -> None:
            shutil.rmtree(spill, ignore_errors=True)
            os._exit(0)

        inbox = Inbox(self._incoming, end)
        inbox.start()
        self._open(started, spill)
        while True:
            self._answer(inbox, *inbox.requests.get())

    def _open(self, started: dict[str, Any], spill: Path) -> None:
        """Open the files and report their state, or why that failed."""
        from moviegraph.engines.embedded.graph_files import folder_state
        from moviegraph.engines.embedded.plan_runner import OpenedFiles, PlanRunner
        from moviegraph.engines.embedded.worker_messages import (
            error_frame,
            from_plain,
            write_frame,
        )
        from moviegraph.errors import GraphError, MoviegraphError

        files = from_plain(started["files"])
        try:
            before = folder_state(files.paths)
            opened = OpenedFiles(files, memory=int(started["memory"] * DUCKDB_SHARE), spill=spill)
            opened.database.warm_up(WARM_UP)
            state = folder_state(files.paths)
        except MoviegraphError as error:
            return write_frame(self._outgoing, error_frame(error))
        except (OSError, ValueError, KeyError, sqlite3.Error):
            error = GraphError("The files of the graph cannot be read.")
            return write_frame(self._outgoing, error_frame(error))
        self._runner = PlanRunner(opened)
        self._grown = started["memory"] * MEGABYTE * GROWN_SHARE
        write_frame(self._outgoing, {"state": state if state == before else None})

    def _answer(self, inbox: Inbox, message: dict[str, Any], content: bytes) -> None:
        from moviegraph.engines.embedded.worker_messages import result_frame, write_frame

        write_frame(self._outgoing, {})  # acknowledged: from here on it is never run again
        signals_alarm(message["seconds"])
        answer: dict[str, Any]
        last = False
        try:
            answer, sent = result_frame(self._result(inbox, message, content))
        except MemoryError:
            answer, sent, last = {"error": MEMORY_SPENT}, b"", True
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is told and not raised
            answer, sent, last = _told(error)
        signals_alarm(0)
        if last or private_memory() > self._grown:
            answer["last"] = True
        answer["logged"] = self._logged.take()
        write_frame(self._outgoing, answer, sent)

    def _result(self, inbox: Inbox, message: dict[str, Any], content: bytes) -> Any:
        from moviegraph.engines.base import Budget, Cancellation
        from moviegraph.engines.embedded.interrupts import watched
        from moviegraph.engines.embedded.worker_messages import read_request

        cancellation = Cancellation()
        inbox.on_stop(message["run"], cancellation.cancel)
        budget = Budget(0, 0, 0, message["seconds"], cancellation)  # its rows are in the request
        with watched(budget) as stop:
            return self._runner.run(read_request(message, content), stop)


def signals_alarm(seconds: float) -> None:
    """End this process after some seconds, whatever it does then; 0 for never.

    That is for a worker whose server is gone while a step holds the interpreter.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _told(error: BaseException) -> tuple[dict[str, Any], bytes, bool]:
    """Return the frame of an error, and whether this process must not be used again."""
    import duckdb

    from moviegraph.engines.embedded.worker_messages import error_frame
    from moviegraph.errors import MoviegraphError

    if isinstance(error, MoviegraphError):
        spoiled = duckdb.InternalException, duckdb.FatalException, duckdb.OutOfMemoryException
        return error_frame(error), b"", isinstance(error.__cause__, spoiled)
    return {"error": FAILED}, b"", True


def main() -> None:
    """Run a worker over the standard streams, which nothing else in this process may use."""
    for name in ("SIGINT", "SIGTERM"):  # the server ends it, also when both get the signal
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    os.umask(0o077)
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    limit_memory(int(sys.argv[1]))
    with suppress(EOFError, OSError):
        Worker(incoming, outgoing).run()


if __name__ == "__main__":
    main()
