"""`moviegraph journal --web`: access, content and shutdown."""

import json
import re
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from fakes.journal_page import HOSTILE, ServedJournal, record_calls, served_journal

from moviegraph.cli import main

pytestmark = pytest.mark.slow("process")
CSP = "content-security-policy"


@pytest.fixture(scope="module")
def recorded(graph_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("journal") / "journal.sqlite"
    anyio.run(record_calls, graph_folder, path)
    return path


@pytest.fixture(scope="module")
def served(recorded: Path) -> Iterator[ServedJournal]:
    with served_journal(recorded) as journal_server:
        yield journal_server


def fetch_json(served: ServedJournal, path: str, status: int = 200) -> Any:
    reply = served.ask(path)
    assert reply.status == status, reply.body
    assert reply.headers["content-type"] == "application/json"
    return json.loads(reply.body)


def test_its_address_has_a_random_token(served: ServedJournal) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", served.url)


@pytest.mark.parametrize(
    ("path", "method", "headers", "status"),
    [
        pytest.param("", "GET", {}, 200, id="the address"),
        pytest.param("", "GET", {"Host": "localhost:{port}"}, 200, id="by its other name"),
        pytest.param("", "GET", {"Origin": "http://127.0.0.1:{port}"}, 200, id="own origin"),
        pytest.param("", "GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
                     200, id="a link in a terminal on the web"),
        pytest.param("", "GET", {"Host": "evil.example:{port}"}, 421, id="another host"),
        pytest.param("", "GET", {"Host": "127.0.0.1"}, 421, id="host without its port"),
        pytest.param("", "GET", {"Host": "127.0.0.1:1"}, 421, id="another port"),
        pytest.param("", "GET", {"Host": "127.0.0.1:{port}.evil.example"}, 421, id="longer host"),
        pytest.param("", "GET", {"Origin": "http://evil.example"}, 403, id="another origin"),
        pytest.param("", "GET", {"Origin": "null"}, 403, id="a sandboxed page"),
        pytest.param("", "GET", {"Origin": "https://127.0.0.1:{port}"}, 403, id="another scheme"),
        pytest.param("data/executions", "GET",
                     {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
                     403, id="a script of another page"),
        pytest.param("", "POST", {}, 405, id="post"),
        pytest.param("", "PUT", {}, 405, id="put"),
        pytest.param("", "DELETE", {}, 405, id="delete"),
        pytest.param("", "OPTIONS", {"Origin": "http://evil.example"}, 403, id="preflight"),
        pytest.param("", "HEAD", {}, 405, id="head"),
        pytest.param("/", "GET", {}, 404, id="no token"),
        pytest.param("/data/executions", "GET", {}, 404, id="no token before the data"),
        pytest.param("/{wrong}/", "GET", {}, 404, id="wrong token"),
        pytest.param("/{token}", "GET", {}, 404, id="no end of the token"),
        pytest.param("/{token}x/", "GET", {}, 404, id="longer token"),
        pytest.param("/%C3%A4/", "GET", {}, 404, id="token of other letters"),
        pytest.param("../", "GET", {}, 404, id="up"),
        pytest.param("nowhere", "GET", {}, 404, id="no such page"),
        pytest.param("data/executions/" + "0" * 32, "GET", {}, 400, id="no such record"),
    ],
)  # fmt: skip
def test_only_who_has_the_whole_address_reads(
    served: ServedJournal, path: str, method: str, headers: dict[str, str], status: int
) -> None:
    filled = {name: value.replace("{port}", str(served.port)) for name, value in headers.items()}
    path = path.replace("{token}", served.token).replace("{wrong}", "a" * len(served.token))
    reply = served.ask(path, method, filled)
    assert reply.status == status
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert reply.headers[CSP].startswith("default-src 'none'; ")
    assert not {"access-control-allow-origin", "server"} & set(reply.headers)
    if status != 200:
        assert served.token not in reply.body


def test_the_page_may_run_its_own_script_and_contact_no_other_host(served: ServedJournal) -> None:
    reply = served.ask()
    policy = dict(part.split(" ", 1) for part in reply.headers[CSP].split("; ") if " " in part)
    assert {policy[name] for name in ("script-src", "style-src", "connect-src")} == {"'self'"}
    assert policy["frame-ancestors"] == "'none'"
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", reply.body) == []
    assert served.token not in reply.body


def test_records_are_listed_as_the_command_lists_them(
    served: ServedJournal, recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for query, options in (
        ("", ()),
        ("?tool=run_strategies", ("--tool", "run_strategies")),
        ("?status=refused&question=onerror", ("--status", "refused", "--question", "onerror")),
        ("?limit=2", ("--limit", "2")),
        ("?since=2h&owner=local", ("--since", "2h", "--owner", "local")),
        ("?owner=nobody", ("--owner", "nobody")),
    ):
        assert main(["journal", "--json", *options, "--journal", str(recorded)]) == 0
        lines = [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()]
        result = fetch_json(served, f"data/executions{query}")["records"]
        assert [execution["id"] for execution in result] == lines


@pytest.mark.parametrize(
    ("query", "says"),
    [
        pytest.param("since=soon", "30m, 2h, 7d", id="since"),
        pytest.param("status=fine", "refused", id="status"),
        pytest.param("limit=many", "from 1 to 500", id="limit"),
        pytest.param("limit=0", "from 1 to 500", id="too low"),
        pytest.param("limit=99999999999", "from 1 to 500", id="too high"),
        pytest.param("limit=000001" + "9" * 300, "from 1 to 500", id="too high after zeros"),
        pytest.param("question=" + "x" * 600, "500 characters", id="long"),
    ],
)
def test_a_filter_that_is_none_is_reported(served: ServedJournal, query: str, says: str) -> None:
    assert says in fetch_json(served, f"data/executions?{query}", 400)["error"]


def test_a_record_is_shown_as_stored(served: ServedJournal) -> None:
    (refused,) = fetch_json(served, "data/executions?status=refused&tool=run_readonly_sql")[
        "records"
    ]
    record = fetch_json(served, f"data/executions/{refused['id']}")
    assert record["purpose"] == HOSTILE
    assert record["attempts"][0]["code"] == "not_select"
    assert re.fullmatch("[0-9a-f]{64}", record["hash"])


def test_the_chain_is_verified(graph_folder: Path, served: ServedJournal, tmp_path: Path) -> None:
    assert fetch_json(served, "data/verification")["ok"] is True
    path = tmp_path / "changed.sqlite"
    anyio.run(record_calls, graph_folder, path)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("DROP TRIGGER no_body_update")
        file.execute("UPDATE bodies SET body = '{' WHERE number = 2")
    with served_journal(path) as changed:
        result = fetch_json(changed, "data/verification")
        assert (result["ok"], result["faults"][1]["record"]) == (False, 2)
        records = fetch_json(changed, "data/executions")["records"]
        assert [record["status"] for record in records if record["number"] == 2] == ["damaged"]


def test_an_interrupt_ends_it_without_a_complaint(recorded: Path) -> None:
    before = recorded.read_bytes()
    with served_journal(recorded) as served:
        fetch_json(served, "data/verification")
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(120) == 0
        assert served.process.stderr is not None
        assert served.process.stderr.read() == ""
    assert recorded.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(("verify", "--web"), "full journal", id="another action"),
        pytest.param(("show", "abc", "--web"), "full journal", id="an id"),
        pytest.param(("--web", "--port", "70000"), "Port 70000", id="port"),
    ],
)
def test_wrong_usage_is_reported(
    recorded: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    assert main(["journal", *arguments, "--journal", str(recorded)]) == 2
    assert says in capsys.readouterr().err


def test_without_a_journal_there_is_no_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["journal", "--web", "--journal", str(tmp_path / "none.sqlite")]) == 1
    assert "There is no journal" in capsys.readouterr().err
