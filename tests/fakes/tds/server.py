"""A scripted TDS 7.4 server on loopback that genuine SQL Server drivers log into.

It says nothing about SQL: what it answers to which text is the test's own script.
"""

import contextlib
import socket
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from types import TracebackType

from fakes.tds.login import Login
from fakes.tds.packets import Wire
from fakes.tds.record import ConnectionClosed, Record
from fakes.tds.script import Answers, Call, LoginStep, Script, Step
from fakes.tds.session import Session

ESTABLISHED = 1


class TdsServer:
    """Listens on `port` until closed; `record` holds what came.

    Args:
        script: What to answer to a statement.
        logins: What happens to the first log-ins, in order; None accepts one.
        port: Where it listens; by default anywhere.
    """

    def __init__(
        self,
        script: Script | None = None,
        logins: Iterable[LoginStep | None] = (),
        port: int = 0,
    ) -> None:
        self.script: Script = script or Answers()
        self.logins = deque(logins)
        self.record = Record()
        self.most_open = 0
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._open: dict[int, socket.socket] = {}
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", port), backlog=200)
        self.port: int = self._listener.getsockname()[1]
        self._accepting = threading.Thread(target=self._accept, name="tds-server")
        self._accepting.start()

    @property
    def open(self) -> int:
        """Return the number of open connections."""
        with self._lock:
            return len(self._open)

    def drop_connections(self) -> None:
        """Close every connection, as a failover does; the client finds out when it next asks."""
        with self._lock:
            connections = list(self._open.values())
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.record.wait_for(lambda _: self.open == 0, "the end of all connections")

    def close(self) -> None:
        """Stop listening, close every connection and wait for the threads."""
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._accepting.join()
        self.drop_connections()
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> "TdsServer":
        """Return the running server."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the server."""
        self.close()

    def _accept(self) -> None:
        number = 0
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            number += 1
            with self._lock:
                self._open[number] = connection
                transaction_count = sum(map(_is_open, self._open.values()))
                self.most_open = max(self.most_open, transaction_count)
            thread = threading.Thread(target=self._serve, args=(number, connection))
            self._threads.append(thread)
            thread.start()

    def _serve(self, number: int, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        session = Session(
            number, Wire(connection), self.record, self._call, self._log_in, self._stopping
        )
        try:
            with contextlib.suppress(OSError):
                session.serve()
        finally:
            with self._lock:
                del self._open[number]
            connection.close()
            self.record.add(ConnectionClosed(number))

    def _call(self, call: Call) -> Sequence[Step]:
        return self.script(call)

    def _log_in(self, login: Login) -> LoginStep | None:
        with self._lock:
            return self.logins.popleft() if self.logins else None


def _is_open(connection: socket.socket) -> bool:
    """Return whether the client's end is open; the server may notice its closing later."""
    if not hasattr(socket, "TCP_INFO"):  # only Linux tells
        return True
    state = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
    return state == ESTABLISHED
