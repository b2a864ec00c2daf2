"""The scripted server in a process of its own, so that its work does not count as the client's."""

import multiprocessing
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection

from fakes.tds.script import Script
from fakes.tds.server import TdsServer


@dataclass(frozen=True, slots=True)
class RemoteServer:
    """A server elsewhere."""

    port: int


@contextmanager
def server_process(script: Callable[[], Script]) -> Generator[RemoteServer]:
    """Run a server in another process; `script` is a function of a module and makes the script."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(script, theirs))
    process.start()
    try:
        yield RemoteServer(ours.recv())
    finally:
        ours.send("close")
        process.join()
        ours.close()


def _serve(script: Callable[[], Script], pipe: Connection) -> None:
    with TdsServer(script()) as server:
        pipe.send(server.port)
        pipe.recv()
