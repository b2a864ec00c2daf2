"""Serving on other interfaces than loopback, and the result of `check` for that."""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from fakes.http_clients import initialize, post
from fakes.issuer import Issuer, issuing
from fakes.served_process import KITCHEN, running_server

from moviegraph.cli import main
from moviegraph.http.scopes import ALL
from moviegraph.http.token_file import TokenLine, digest_of

pytestmark = pytest.mark.slow("process")


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    path = tmp_path / "tokens"
    path.write_text(TokenLine("ann", digest_of("ann"), ALL).written(), encoding="utf-8")
    path.chmod(0o600)
    return path


@contextmanager
def serving(graph: Path, folder: Path, *more: str) -> Generator[tuple[str, list[str]]]:
    """Run the command; yield its address on this machine, and what it said before."""
    with running_server(folder / "server", "--graph", str(graph), *KITCHEN, *more) as running:
        *messages, last = running.log.splitlines()
        assert "moviegraph is serving at" in last
        yield running.address, messages


@pytest.fixture
def outside(graph_folder: Path, tmp_path: Path, tokens: Path) -> Iterator[str]:
    guard = ("--http-tokens", str(tokens), "--allowed-hosts", "films.example,films.example:8443")
    with serving(graph_folder, tmp_path, "--host", "0.0.0.0", *guard) as (address, log_lines):
        assert log_lines == []
        yield address


def test_it_serves_beyond_this_machine_to_those_who_have_a_token(outside: str) -> None:
    for host, status in (
        (None, 200),
        ("films.example", 200),
        ("Films.Example", 200),
        ("films.example:8443", 200),
        ("films.example:1", 421),
        ("0.0.0.0", 421),
        ("evil.example", 421),
    ):
        more = {"Host": host} if host else {}
        assert post(outside, "ann", more=more).status_code == status
        assert post(outside, more=more).status_code == (401 if status == 200 else status)
    assert (
        httpx2.get(f"{outside}/healthz", headers={"Host": "films.example"}, timeout=120).status_code
        == 200
    )


def test_it_says_what_is_unwise_before_it_serves(
    graph_folder: Path, tmp_path: Path, tokens: Path
) -> None:
    tokens.chmod(0o644)
    with serving(graph_folder, tmp_path, "--http-tokens", str(tokens)) as (_, log_lines):
        (line,) = log_lines
    assert "every user of this machine can read" in line


@pytest.mark.parametrize(
    ("trusted", "statuses"),
    [
        pytest.param((), [429, 429], id="by default"),
        pytest.param(("--trusted-proxies", "127.0.0.1"), [200, 429], id="trusted"),
    ],
)
def test_who_a_proxy_says_calls_is_believed_only_if_it_is_trusted(
    graph_folder: Path, tmp_path: Path, trusted: tuple[str, ...], statuses: list[int]
) -> None:
    with serving(graph_folder, tmp_path, "--http-rate", "1", *trusted) as (address, _):
        first, other = ({"X-Forwarded-For": f"203.0.113.{n}"} for n in (1, 2))
        assert [post(address, more=first).status_code for _ in range(11)] == [200] * 10 + [429]
        assert [post(address, more=header).status_code for header in (other, first)] == statuses


def test_check_says_who_would_be_let_in(
    tokens: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with issuing(Issuer()) as issuer:
        for name, value in {
            "HTTP_TOKENS": str(tokens),
            "OAUTH_ISSUER": issuer.url,
            "OAUTH_AUDIENCE": issuer.audience,
            "ALLOWED_HOSTS": "films.example",
        }.items():
            monkeypatch.setenv(f"MOVIEGRAPH_{name}", value)
        parts = http_part(capsys)
        is_ok, text = parts["http"]
        assert is_ok
        assert text.startswith(
            "requires tokens of the token file or access tokens; also accepts films.ex"
        )
        assert text.endswith("600 requests per minute")
        assert parts["tokens"] == (True, f"{tokens}: tokens: 1, of names: 1")
        assert parts["issuer"] == (True, f"{issuer.url}: usable keys: 1")
        issuer.keys = []
        is_ok, text = http_part(capsys)["issuer"]
        assert not is_ok
        assert text.startswith(f"{issuer.url} has no usable key. Configure the issuer to sign with")
        issuer.status = 404
        is_ok, text = http_part(capsys)["issuer"]
        assert not is_ok
        assert "returned status 404" in text
        assert text.endswith("or set MOVIEGRAPH_OAUTH_JWKS_URL to the URL of its keys.")
    assert digest_of("ann") not in str(parts)


def test_check_says_how_to_fix_what_would_not_be_served(
    tokens: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert http_part(capsys)["http"] == (True, "without authentication, on this machine only")
    tokens.write_text("ann", encoding="utf-8")
    monkeypatch.setenv("MOVIEGRAPH_HTTP_TOKENS", str(tokens))
    is_ok, text = http_part(capsys)["http"]
    assert not is_ok
    assert "line 1: the second field is not a SHA-256 digest" in text


def test_check_notes_what_lets_in_more_than_it_may_seem(
    tokens: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokens.chmod(0o644)
    command = ["check", "--http-tokens", str(tokens)]
    assert main(command) == main(["check"])
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("access")]
    assert "WARN: MOVIEGRAPH_HTTP_TOKENS: every user of this machine can read" in line
    assert line.endswith(f"Run chmod 600 {tokens}.")
    main([*command, "--json"])
    (result,) = [
        check
        for check in json.loads(capsys.readouterr().out)["checks"]
        if check["name"] == "access"
    ]
    assert (result["status"], result["hint"]) == ("warning", f"Run chmod 600 {tokens}.")


def http_part(capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[bool, str]]:
    main(["check", "--json"])
    lines = json.loads(capsys.readouterr().out)["checks"]
    message = {line["name"]: f"{line['message']} {line['hint'] or ''}".strip() for line in lines}
    return {line["name"]: (line["status"] != "failed", message[line["name"]]) for line in lines}


@pytest.mark.parametrize(
    ("arguments", "expected_message"),
    [
        pytest.param(["a b"], "1 to 64 letters", id="name"),
        pytest.param(["ann", "--scopes", "all"], "'all' is not a scope", id="scope"),
        pytest.param(["ann", "--scopes", ""], "the scope is missing", id="none"),
    ],
)
def test_a_token_that_no_file_could_hold_is_not_made(
    arguments: list[str], expected_message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["token", *arguments]) == 2
    captured = capsys.readouterr()
    assert expected_message in captured.err
    assert captured.out == ""


def test_a_session_of_an_older_client_is_begun_with_a_token_too(outside: str) -> None:
    assert httpx2.post(f"{outside}/mcp", json=initialize(), timeout=120).status_code == 401
