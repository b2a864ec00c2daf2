"""The page of `moviegraph explore`, served in a thread, and requests to it."""

import http.client
import json
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from fakes.journal_page import Reply
from fakes.uvicorn_thread import running

from moviegraph.cli.client_commands import client_of
from moviegraph.cli.http_runner import listen
from moviegraph.explore.application import explore_application
from moviegraph.explore.local_page import HOST
from moviegraph.server import GraphServer

TOKEN = "the-token-of-this-test"


@dataclass(frozen=True, slots=True)
class Explored:
    """Where the page is."""

    port: int

    @property
    def url(self) -> str:
        """The address that opens the page."""
        return f"http://{HOST}:{self.port}/{TOKEN}/"

    def ask(
        self,
        path: str,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> Reply:
        """Return the answer to one request."""
        with closing(http.client.HTTPConnection(HOST, self.port, timeout=120)) as connection:
            connection.request(method, path, body, dict(headers or {}))
            reply = connection.getresponse()
            members = {name.lower(): value for name, value in reply.getheaders()}
            return Reply(reply.status, members, reply.read().decode())

    def call(self, tool: str, headers: Mapping[str, str] | None = None, **values: Any) -> Reply:
        """Return the answer to a call, as the page makes it, with other headers if given."""
        usual = {
            "Origin": f"http://{HOST}:{self.port}",
            "Content-Type": "application/json",
            "X-Moviegraph-Token": TOKEN,
        }
        sent = {name: text for name, text in {**usual, **(headers or {})}.items() if text}
        return self.ask("/call", "POST", sent, json.dumps({"tool": tool, "arguments": values}))


@contextmanager
def explored(server: GraphServer) -> Generator[Explored]:
    """Serve the page until the end of the block."""
    listener = listen(HOST, 0)
    port = listener.getsockname()[1]
    app = explore_application(partial(client_of, server, "explore"), port, TOKEN)
    with running(app, listener, ws="none", server_header=False):
        yield Explored(port)
