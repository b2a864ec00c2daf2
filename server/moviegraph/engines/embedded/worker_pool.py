"""The processes in which statements run: started on demand, killed where they do not stop."""

import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast
from uuid import uuid4

from moviegraph.engines.base import closed
from moviegraph.engines.embedded.graph_files import GraphFiles, State
from moviegraph.engines.embedded.interrupts import StopSignal
from moviegraph.engines.embedded.plan_runner import Request, Result
from moviegraph.engines.embedded.worker_messages import (
    read_frame,
    read_result,
    request_frame,
    to_plain,
    write_frame,
)
from moviegraph.errors import (
    ExecutionError,
    GraphError,
    GraphReplacedError,
    MoviegraphError,
    UnavailableError,
)

LOG = logging.getLogger("moviegraph")
MODULE = "moviegraph.engines.embedded.worker"
GRACE = 0.5  # seconds from the request to stop until the process is killed
ORPHANED = 1.0  # seconds beyond the time of a statement after which a worker ends itself
WAIT = 0.05
IDLE_SECONDS = 60.0
TRIES = 2  # of a statement that no process had begun, and to start one
KEPT = 2  # idle processes: one to run, and its spare
START_SECONDS = 30.0
# What a worker may know of the environment: no key, no token, no setting.
PASSED_ON = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "TZ", "LANG", "LD_LIBRARY_PATH")
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """How many processes run at most, and how many megabytes of private memory each may take."""

    processes: int = 8
    memory: int = 1_000


class WorkerDiedError(Exception):
    """A worker ended before it answered; `begun` is whether it had begun the statement."""

    def __init__(self, *, begun: bool) -> None:
        super().__init__()
        self.begun = begun


def spill_folder(temporary: Path | None) -> Path:
    """Return a new name of a folder for intermediate rows, which DuckDB makes when it needs one."""
    return Path(temporary or tempfile.gettempdir()) / f"moviegraph-{uuid4().hex}"


class WorkerProcess:
    """One process: it runs one request at a time."""

    def __init__(self, files: GraphFiles, memory: int, spill: Path) -> None:
        self._spill = spill
        self._process = subprocess.Popen(  # noqa: S603 - nothing of a caller is in it
            [sys.executable, "-P", "-m", MODULE, str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
        self._incoming = cast("BinaryIO", self._process.stdout)
        self._outgoing = cast("BinaryIO", self._process.stdin)
        self._started = {"files": to_plain(files), "memory": memory, "spill": str(spill)}
        self._writing = threading.Lock()
        self._number = 0
        self._stop_at: float | None = None
        self._is_last = False
        self.used = time.monotonic()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def usable(self) -> bool:
        """Whether its last answer lets it be given another request."""
        return not self._is_last

    def open(self) -> State | None:
        """Let it open the files; return their state, None where they changed meanwhile.

        Raises:
            GraphError: It cannot read them.
            WorkerDiedError: It ended.
        """
        timer = threading.Timer(START_SECONDS, self.kill)
        timer.daemon = True
        timer.start()
        try:
            self._write(self._started)
            message, content = read_frame(self._incoming)
        except (OSError, EOFError, ValueError) as error:
            raise WorkerDiedError(begun=False) from error
        finally:
            timer.cancel()
        read_result(message, content)
        state = message["state"]
        if state is None:
            return None
        return tuple(None if file is None else tuple(file) for file in state)

    def run(self, request: Request, stop: StopSignal) -> Result:
        """Run a request; asked to stop, the process ends within half a second if it does not.

        Raises:
            WorkerDiedError: The process ended before it answered.
            MoviegraphError: The statement failed, or was stopped.
        """
        self._number += 1
        self._stop_at = None
        begun = False
        unregister = stop.on_start(self._stop)
        try:
            seconds = max(0.0, stop.deadline - time.monotonic()) + GRACE + ORPHANED
            self._write(*request_frame(request, self._number, seconds))
            read_frame(self._incoming)
            begun = True
            message, content = read_frame(self._incoming)
        except (OSError, EOFError, ValueError) as error:
            self._is_last = True
            raise WorkerDiedError(begun=begun) from error
        except BaseException:
            self._is_last = True  # an answer may still come
            raise
        finally:
            unregister()
            self.used = time.monotonic()
        self._is_last = self._is_last or "last" in message
        for level, text, facts in message["logged"]:
            LOG.log(level, text, extra={"facts": facts})
        return read_result(message, content)

    def _write(self, message: Any, content: bytes = b"") -> None:
        with self._writing:
            write_frame(self._outgoing, message, content)

    def _stop(self) -> None:
        """Ask to stop at the first call, and kill at one half a second later."""
        now = time.monotonic()
        if self._stop_at is None:
            self._stop_at = now
            if self._writing.acquire(blocking=False):  # else the request is still being sent
                try:
                    with suppress(OSError, ValueError):
                        write_frame(self._outgoing, {"stop": self._number})
                finally:
                    self._writing.release()
        elif now - self._stop_at >= GRACE:
            self.kill()

    def kill(self) -> None:
        """Kill the process; who waits for its answer then sees the end of the pipe."""
        self._is_last = True
        with suppress(OSError):
            self._process.kill()

    def end(self) -> None:
        """Wait for a killed process, close its pipes, and remove what it spilled."""
        self._process.wait()
        for pipe in (self._incoming, self._outgoing):
            with suppress(OSError, ValueError):
                pipe.close()
        shutil.rmtree(self._spill, ignore_errors=True)


def _environment() -> dict[str, str]:
    """Return the environment of a worker; its modules are found where this process found them."""
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    paths = os.pathsep.join(path for path in sys.path if path)
    return {**kept, **ONE_THREAD, "PYTHONPATH": paths}


class WorkerPool:
    """Runs requests in processes that opened the files in one state; safe for threads.

    When the last idle process is taken, another is started, so that a statement beside a slow one
    need not wait; of idle ones two stay, others end a minute after their last request.
    """

    def __init__(
        self, files: GraphFiles, state: State, limits: WorkerLimits, temporary: Path | None = None
    ) -> None:
        self._files = files
        self._state = state
        self._limits = limits
        self._temporary = temporary
        self._changed = threading.Condition()
        self._idle: list[WorkerProcess] = []
        self._all: set[WorkerProcess] = set()
        self._starting = 0
        self._waiting = 0
        self._failure: Exception | None = None  # of the last start
        self._failures = 0
        self._timer: threading.Timer | None = None
        self._started = self._closed = False
        with self._changed:
            self._start()

    @property
    def ready(self) -> bool:
        """Whether a process was started."""
        return self._started

    def run(self, request: Request, stop: StopSignal) -> Result:
        """Run a request in a process; where that ended before it began, in another.

        Raises:
            ExecutionError: The statement failed, or its process ended (code too_complex).
            QueryTimeoutError: It was stopped.
            GraphReplacedError: A new process found other files than those that are served.
            UnavailableError: No process could be started.
        """
        died: WorkerDiedError | None = None
        for _ in range(TRIES + self._limits.processes):  # idle ones may have been killed
            worker = self._take(stop)
            try:
                result = worker.run(request, stop)
            except WorkerDiedError as error:
                stop.check()
                died = error
                if died.begun:
                    break
            except MoviegraphError:
                stop.check()  # stopped, it fails in some way or other
                raise
            else:
                return result
            finally:
                self._give_back(worker)
        assert died is not None
        if died.begun:
            raise ExecutionError(
                "The process of the statement ended: it needs more memory than it may have.",
                code="too_complex",
                hint="Filter or aggregate earlier.",
            ) from died
        raise _unavailable() from died

    def _take(self, stop: StopSignal) -> WorkerProcess:
        """Return an idle process, or wait for one."""
        with self._changed:
            failures = self._failures
            self._waiting += 1
            try:
                while True:
                    stop.check()
                    if self._closed:
                        raise closed()
                    if self._idle:
                        worker = self._idle.pop()
                        if not self._idle and not self._starting:
                            self._start()
                        return worker
                    if self._failure is not None and self._failures > failures:
                        is_final = isinstance(self._failure, GraphError)
                        if is_final or self._failures >= failures + TRIES:
                            raise self._failure
                    if self._starting < self._waiting:
                        self._start()
                    self._changed.wait(WAIT)
            finally:
                self._waiting -= 1

    def _give_back(self, worker: WorkerProcess) -> None:
        with self._changed:
            if worker.usable and not self._closed:
                self._idle.append(worker)
            else:
                self._forget(worker)
                if len(self._idle) + self._starting < KEPT:
                    self._start()
            self._changed.notify()
            self._drop_later()

    def _forget(self, worker: WorkerProcess) -> None:
        """Kill a process; waiting for its end is left to a thread."""
        worker.kill()
        self._all.discard(worker)
        threading.Thread(target=worker.end, name="worker-end").start()

    def _start(self) -> None:
        """Start a process in a thread, if there may be another."""
        if not self._closed and len(self._all) + self._starting < self._limits.processes:
            self._starting += 1
            threading.Thread(target=self._run_start, name="worker-start", daemon=True).start()

    def _run_start(self) -> None:
        worker: WorkerProcess | None = None
        failure: Exception | None = None
        try:
            worker = WorkerProcess(self._files, self._limits.memory, spill_folder(self._temporary))
            with self._changed:
                self._all.add(worker)
                if self._closed:
                    worker.kill()
            if worker.open() != self._state:
                raise GraphReplacedError("The graph was replaced.", hint="Repeat the call.")
        except (OSError, WorkerDiedError) as error:
            if not self._closed:  # else it was killed while it started
                LOG.error(
                    "A worker process could not be started.",
                    extra={"facts": {"event": "worker_failed"}},
                )
            failure = _unavailable()
            failure.__cause__ = error
        except Exception as error:  # noqa: BLE001 - the waiting call raises it
            failure = error
        with self._changed:
            self._starting -= 1
            if worker is not None and failure is None and not self._closed:
                self._started = True
                self._idle.append(worker)
            elif worker is not None:
                self._forget(worker)
            if failure is not None:
                self._failure = failure
                self._failures += 1
            self._changed.notify_all()

    def _drop_later(self) -> None:
        """Let a timer look for processes that are no longer needed."""
        if len(self._idle) > KEPT and self._timer is None and not self._closed:
            self._timer = threading.Timer(IDLE_SECONDS, self._drop)
            self._timer.daemon = True
            self._timer.start()

    def _drop(self) -> None:
        """End the processes that were idle for a minute, but for those used last."""
        with self._changed:
            self._timer = None
            before = time.monotonic() - IDLE_SECONDS
            dropped = [worker for worker in self._idle[:-KEPT] if worker.used <= before]
            self._idle = [worker for worker in self._idle if worker not in dropped]
            for worker in dropped:
                self._forget(worker)
            self._drop_later()

    def close(self) -> None:
        """Kill all processes at once, and wait for their end."""
        with self._changed:
            self._closed = True
            workers, self._all, self._idle = list(self._all), set(), []
            if self._timer is not None:
                self._timer.cancel()
            for worker in workers:
                worker.kill()
            self._changed.notify_all()
        for worker in workers:
            worker.end()


def _unavailable() -> UnavailableError:
    return UnavailableError(
        "No process could be started for the statement.", hint="Retry in a few seconds."
    )
