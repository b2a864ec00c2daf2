"""A journal of real calls over the toy graph, and the command that shows it as a page."""

import http.client
import re
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import limits
from fakes.toy_graph import TOY, toy_contract
from fakes.view_calls import PLAN, WALK
from mcp import Client

from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

HOSTILE = "<img src=x onerror=alert(1)>\u202e</script>"
CALLS = (
    ("run_strategies", PLAN),
    ("graph_traverse", WALK),
    ("run_readonly_sql", {"sql": f"DELETE FROM Recipe -- {HOSTILE}", "purpose": HOSTILE}),
)


async def record_calls(graph: Path, journal: Path) -> None:
    """Make the calls, and have them recorded with their rows."""
    contract = toy_contract()
    with closing(open_graph(graph, contract)) as engine, closing(SqliteJournal(journal)) as log:
        session = Session(
            contract, engine, HashedEmbedder(), log, limits(contract), journal_results=True
        )
        async with Client(create_server(Settings(), session=session)) as client:
            for tool, arguments in CALLS:
                await client.call_tool(tool, arguments)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer over HTTP; names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: str


@dataclass(slots=True)
class ServedJournal:
    """The running command, and where its page is."""

    url: str
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        """The port that it listens on."""
        result = urlsplit(self.url).port
        assert result is not None
        return result

    @property
    def token(self) -> str:
        """The secret part of the address."""
        return urlsplit(self.url).path.strip("/")

    def ask(
        self, path: str = "", method: str = "GET", headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Return the answer to one request."""
        full_path = path if path.startswith("/") else f"/{self.token}/{path}"
        arguments = {"Host": f"127.0.0.1:{self.port}", **(headers or {})}
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)) as connection:
            connection.request(method, full_path, headers=arguments)
            getresponse = connection.getresponse()
            return Reply(
                getresponse.status, dict(getresponse.getheaders()), getresponse.read().decode()
            )


@contextmanager
def served_journal(journal: Path, *options: str) -> Generator[ServedJournal]:
    """Run `moviegraph journal --web` until the end of the block, then interrupt it."""
    contract = str(TOY / "contract")
    command = ["journal", "--web", "--journal", str(journal), "--contract", contract, *options]
    with subprocess.Popen(
        [sys.executable, "-m", "moviegraph", *command], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        match = re.search(r"http://\S+", line)
        assert match, line + process.stderr.read()
        try:
            yield ServedJournal(match[0], process)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.wait(120)
