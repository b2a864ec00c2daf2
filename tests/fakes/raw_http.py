"""HTTP as bytes over a socket: requests that no client library sends, and their responses."""

import contextlib
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import monotonic
from urllib.parse import urlsplit

LONGEST = 5_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: status 0 where the server closed the connection without one."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    timed_out: bool = False

    @property
    def text(self) -> str:
        """Headers and body, to look for what must not be there."""
        join = "\n".join(f"{name}: {value}" for name, value in self.headers.items())
        return f"{join}\n{self.body.decode('utf-8', 'replace')}"


def head(
    address: str, *, method: str = "POST", path: str = "/mcp", headers: Iterable[tuple[str, str]]
) -> bytes:
    """Return the head of a request, exactly as given; a Host is added unless one is there."""
    arguments = list(headers)
    if not any(name.lower() == "host" for name, _ in arguments):
        arguments.insert(0, ("Host", urlsplit(address).netloc))
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in arguments)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")


def exchange(
    address: str, *pieces: bytes, seconds: float = 120.0, half_closed: bool = False
) -> Answer:
    """Send bytes, and return the first answer, once it is whole."""
    parts = urlsplit(address)
    assert parts.hostname is not None
    with socket.create_connection((parts.hostname, parts.port or 80), seconds) as connection:
        with contextlib.suppress(OSError):  # the server may answer and close before all is sent
            for piece in pieces:
                connection.sendall(piece)
            if half_closed:
                connection.shutdown(socket.SHUT_WR)
        return read_answer(connection, seconds)


def read_answer(connection: socket.socket, seconds: float) -> Answer:
    """Read one answer; a stream of events ends where the server ends it, or with the time."""
    data, until = b"", monotonic() + seconds
    while (response := _answer(data, closed=False)) is None:
        connection.settimeout(max(0.01, until - monotonic()))
        try:
            piece = connection.recv(65_536)
        except TimeoutError:
            cut = _answer(data, closed=True) or Answer()
            return Answer(cut.status, cut.headers, cut.body, timed_out=True)
        except OSError:
            piece = b""
        data += piece
        if not piece or len(data) > LONGEST:
            return _answer(data, closed=True) or Answer()
    return response


def _answer(data: bytes, *, closed: bool) -> Answer | None:
    top, blank, body = data.partition(b"\r\n\r\n")
    if not blank:
        return None
    first, *lines = top.decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    status = int(first.split()[1])
    if closed:
        return Answer(status, headers, body)
    if headers.get("transfer-encoding") == "chunked":
        return Answer(status, headers, body) if body.endswith(b"0\r\n\r\n") else None
    length = int(headers.get("content-length", "0" if status in (202, 204, 304) else "-1"))
    return Answer(status, headers, body) if 0 <= length <= len(body) else None
