"""TDS packets over a socket: whole requests in, an answer in pieces out ([MS-TDS] 2.2.3)."""

import select
import socket
import struct

BATCH, RPC, ANSWER, ATTENTION, TRANSACTION, LOGIN, PRELOGIN = 1, 3, 4, 6, 14, 16, 18
HEADER = 8
PACKET = 4096
END_OF_MESSAGE = 1


class Wire:
    """One side of a connection: reads messages, and sends an answer packet by packet."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._waiting = bytearray()
        self._number = 0

    def read(self) -> tuple[int, bytes]:
        """Return the kind and content of the next message; ConnectionError when it is over."""
        payload = b""
        while True:
            kind, status, size = struct.unpack(">BBH4x", self._receive(HEADER))
            payload += self._receive(size - HEADER)
            if status & END_OF_MESSAGE:
                return kind, payload

    def readable(self, seconds: float = 0.0) -> bool:
        """Return whether the client sent something, or disconnected."""
        return bool(select.select([self._connection], [], [], seconds)[0])

    def write(self, data: bytes) -> None:
        """Add to the answer; whole packets leave at once."""
        self._waiting += data
        while len(self._waiting) > PACKET - HEADER:
            self._send(bytes(self._waiting[: PACKET - HEADER]), status=0)
            del self._waiting[: PACKET - HEADER]

    def flush(self) -> None:
        """Send what is waiting; the answer goes on."""
        if self._waiting:
            self._send(bytes(self._waiting), status=0)
            self._waiting.clear()

    def end(self) -> None:
        """Send what is waiting; the answer is complete."""
        self._send(bytes(self._waiting), status=END_OF_MESSAGE)
        self._waiting.clear()
        self._number = 0

    def _send(self, content: bytes, status: int) -> None:
        self._number = (self._number + 1) & 0xFF
        size = len(content) + HEADER
        header = struct.pack(">BBHHBB", ANSWER, status, size, 51, self._number, 0)
        self._connection.sendall(header + content)

    def _receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            chunk = self._connection.recv(size - len(data))
            if not chunk:
                raise ConnectionError
            data += chunk
        return data
