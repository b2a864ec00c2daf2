"""`moviegraph explore` over HTTP: who may ask, what is answered, and what is recorded."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from fakes.explored import TOKEN, Explored, explored
from fakes.gated_engine import GatedEngine
from fakes.hashed_embedder import HashedEmbedder
from fakes.journals import MemoryJournal
from fakes.limits import limits
from fakes.toy_graph import toy_contract

from moviegraph.cli import main
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.explore.local_page import MAX_BODY_BYTES
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

pytestmark = pytest.mark.slow("http")
CSP = "content-security-policy"
PATIENCE = 120


@pytest.fixture(scope="module")
def session(graph_folder: Path) -> Iterator[Session]:
    contract = toy_contract()
    with closing(open_graph(graph_folder, contract)) as engine:
        yield Session(contract, engine, HashedEmbedder(), MemoryJournal(), limits(contract))


@pytest.fixture(scope="module")
def served(session: Session) -> Iterator[Explored]:
    with explored(create_server(Settings(), session=session)) as page:
        yield page


@pytest.mark.parametrize(
    ("path", "method", "headers", "status"),
    [
        pytest.param("/{token}/", "GET", {}, 200, id="the address"),
        pytest.param("/{token}/shape", "GET", {}, 200, id="the shape"),
        pytest.param("/{token}/", "GET", {"Host": "localhost:{port}"}, 200, id="its other name"),
        pytest.param("/{token}/", "GET", {"Host": "evil.example:{port}"}, 421, id="another host"),
        pytest.param("/{token}/", "GET", {"Host": "127.0.0.1"}, 421, id="host without its port"),
        pytest.param("/{token}/shape", "GET", {"Origin": "http://evil.example"}, 403,
                     id="another origin"),
        pytest.param("/{token}/shape", "GET",
                     {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403,
                     id="a script of another page"),
        pytest.param("/", "GET", {}, 404, id="no token"),
        pytest.param("/shape", "GET", {}, 404, id="no token before the shape"),
        pytest.param("/shape", "GET", {"Referer": "http://127.0.0.1:{port}/{token}/"}, 404,
                     id="token in a Referer"),
        pytest.param("/{token}x/", "GET", {}, 404, id="longer token"),
        pytest.param("/{token}/call", "GET", {}, 405, id="a call by GET"),
        pytest.param("/{token}/nowhere", "GET", {}, 404, id="no such page"),
        pytest.param("/{token}/", "PUT", {}, 405, id="put"),
    ],
)  # fmt: skip
def test_only_who_has_the_whole_address_reads(
    served: Explored, path: str, method: str, headers: dict[str, str], status: int
) -> None:
    filled = {name: text.format(port=served.port, token=TOKEN) for name, text in headers.items()}
    reply = served.ask(path.format(token=TOKEN), method, filled)
    assert reply.status == status
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert reply.headers[CSP].startswith("default-src 'none'; ")
    assert not {"access-control-allow-origin", "set-cookie", "server"} & set(reply.headers)
    assert TOKEN not in reply.body


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({}, 200, id="the page"),
        pytest.param({"Origin": "http://evil.example"}, 403, id="another origin"),
        pytest.param({"Origin": "null"}, 403, id="a sandboxed page"),
        pytest.param({"Origin": "http://127.0.0.1:1"}, 403, id="another port"),
        pytest.param({"Origin": "http://localhost:{port}"}, 403, id="origin is not the host"),
        pytest.param({"Origin": ""}, 403, id="no origin"),
        pytest.param({"Host": "evil.example:{port}", "Origin": "http://evil.example:{port}"}, 421,
                     id="DNS rebinding"),
        pytest.param({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}, 403,
                     id="another site"),
        pytest.param({"X-Moviegraph-Token": ""}, 403, id="no token"),
        pytest.param({"X-Moviegraph-Token": "wrong"}, 403, id="wrong token"),
        pytest.param({"X-Moviegraph-Token": "", "Referer": "http://127.0.0.1:{port}/{token}/"},
                     403, id="token in a Referer"),
        pytest.param({"X-Moviegraph-Token": "", "Cookie": "token={token}"}, 403,
                     id="token in a cookie"),
        pytest.param({"X-Moviegraph-Token": "", "Authorization": "Bearer {token}"}, 403,
                     id="token elsewhere"),
        pytest.param({"Content-Type": "text/plain"}, 415, id="what a form may send"),
        pytest.param({"Content-Type": "application/x-www-form-urlencoded"}, 415, id="a form"),
    ],
)  # fmt: skip
def test_only_the_page_itself_may_call(
    served: Explored, session: Session, headers: dict[str, str], status: int
) -> None:
    filled = {name: text.format(port=served.port, token=TOKEN) for name, text in headers.items()}
    before = session.journal.head()
    reply = served.call("get_records", filled, kind="Recipe", ids=[1])
    assert reply.status == status
    assert (session.journal.head() == before) is (status != 200)
    assert not {"access-control-allow-origin", "set-cookie"} & set(reply.headers)


def test_no_other_origin_gets_leave_to_send_the_header(served: Explored) -> None:
    headers = {
        "Origin": "http://evil.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "x-moviegraph-token, content-type",
    }
    reply = served.ask("/call", "OPTIONS", headers)
    assert reply.status == 403
    assert not [name for name in reply.headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param("{", 400, id="no JSON"),
        pytest.param("[]", 400, id="a list"),
        pytest.param('{"tool": "get_records"}', 400, id="no arguments"),
        pytest.param('{"tool": 1, "arguments": {}}', 400, id="tool"),
        pytest.param('{"tool": "get_records", "arguments": []}', 400, id="arguments"),
        pytest.param('{"tool": "\\ud800", "arguments": {}}', 400, id="half a character"),
        pytest.param("[" * 100_000, 400, id="deep"),
        pytest.param(b"\xff", 400, id="not UTF-8"),
        pytest.param("x" * (MAX_BODY_BYTES + 1), 413, id="long"),
        pytest.param(iter([b"{}"]), 413, id="without its length"),
    ],
)
def test_a_body_that_is_no_call_is_refused(served: Explored, body: object, status: int) -> None:
    origin = f"http://127.0.0.1:{served.port}"
    headers = {"Origin": origin, "Content-Type": "application/json", "X-Moviegraph-Token": TOKEN}
    assert served.ask("/call", "POST", headers, body).status == status


def test_the_page_runs_its_own_script_only_and_reaches_no_other_host(served: Explored) -> None:
    reply = served.ask(f"/{TOKEN}/")
    policy = dict(part.split(" ", 1) for part in reply.headers[CSP].split("; ") if " " in part)
    assert policy["default-src"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "connect-src")} == {"'self'"}
    assert policy["frame-ancestors"] == "'none'"
    scripts = re.findall(r"<script([^>]*)>([^<]*)", reply.body)
    assert [text.strip() for attributes, text in scripts if "json" not in attributes] == [""]
    assert "<style" not in reply.body
    texts = [reply.body, *(served.ask(f"/{TOKEN}/{name}").body for name in FILES)]
    assert [re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) for text in texts] == [[]] * 3


FILES = ("script.js", "style.css")


def test_calls_are_those_of_the_tools_and_recorded(served: Explored, session: Session) -> None:
    reply = served.call("get_records", kind="Recipe", ids=[1])
    result = json.loads(reply.body)
    execution = session.journal.find("local", result["structuredContent"]["execution_id"])
    assert execution and execution.client
    assert (execution.owner, execution.client.name) == ("local", "explore")
    refused = json.loads(served.call("run_readonly_sql", sql="DROP TABLE Recipe").body)
    assert refused["structuredContent"]["error"]["code"] == "not_select"
    assert json.loads(served.call("nothing").body)["isError"] is True


def test_a_call_whose_page_has_gone_is_cancelled() -> None:
    engine = GatedEngine("held")
    contract = toy_contract()
    session = Session(contract, engine, HashedEmbedder(), MemoryJournal(), limits(contract))
    body = json.dumps({"tool": "run_readonly_sql", "arguments": {"sql": "SELECT 1 AS held"}})
    with explored(create_server(Settings(), session=session)) as page:
        head = (
            f"POST /call HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n"
            f"Origin: http://127.0.0.1:{page.port}\r\nContent-Type: application/json\r\n"
            f"X-Moviegraph-Token: {TOKEN}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", page.port)) as connection:
            connection.sendall((head + body).encode())
            engine.arrived.get(timeout=PATIENCE)
        assert engine.cancelled.wait(PATIENCE)


def test_the_command_prints_its_address_and_ends_by_an_interrupt(
    graph_folder: Path, tmp_path: Path
) -> None:
    options = ["--no-open", "--graph", str(graph_folder), "--journal", str(tmp_path / "journal")]
    command = [sys.executable, "-m", "moviegraph", "explore", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)/([\w-]{32})/", line)
        assert match, line + process.stderr.read()
        assert Explored(int(match[1])).ask(f"/{match[2]}/").status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == ""


def test_a_graph_that_is_missing_is_reported_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explore", "--no-open", "--graph", str(tmp_path / "none")]) == 1
    assert "none" in capsys.readouterr().err
