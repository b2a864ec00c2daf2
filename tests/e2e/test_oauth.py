"""Access tokens of an issuer over real HTTP: acceptance, and rotation of keys."""

import logging
import re
from collections.abc import Generator, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fakes.http_clients import BOTH_REVISIONS, Callers, call, in_session, initialize, message, post
from fakes.http_server import http_server
from fakes.issuer import Issuer, SigningKey, issuing
from mcp.server import MCPServer

from moviegraph.http import authenticator
from moviegraph.http.application import HttpConfig, http_config_from
from moviegraph.http.authenticator import MAX_GUESSES
from moviegraph.http.scopes import READ
from moviegraph.http.token_file import TokenLine, digest_of
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

pytestmark = pytest.mark.slow("http")

SQL = {"sql": "SELECT COUNT(*) AS n FROM Recipe"}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
METADATA = "/.well-known/oauth-protected-resource"
ONE, OTHER, WEAK = SigningKey("one"), SigningKey("one"), SigningKey("one", bits=1024)
CURVED = SigningKey("curved", "ES256")


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing(Issuer(key=ONE)) as server_address:
        yield server_address


def door(issuer: Issuer, **more: Any) -> HttpConfig:
    return http_config_from(
        Settings(
            oauth_issuer=issuer.url, oauth_audience=issuer.audience, http_stateless=False, **more
        )
    )


@pytest.fixture
def address(server: MCPServer[Any], issuer: Issuer) -> Iterator[str]:
    with http_server(server, door=door(issuer)) as server_address:
        yield server_address


def test_a_good_token_is_accepted_and_a_request_without_learns_where_to_get_one(
    address: str, issuer: Issuer
) -> None:
    assert post(address, issuer.token()).status_code == 200
    refused = post(address)
    assert refused.status_code == 401
    place = f"https://movies.example{METADATA}/mcp"
    assert refused.headers["www-authenticate"] == (
        f'Bearer scope="moviegraph:read moviegraph:sql", resource_metadata="{place}"'
    )
    for path in (f"{METADATA}/mcp", METADATA):
        assert httpx2.get(address + path, timeout=120).json() == {
            "resource": "https://movies.example/mcp",
            "resource_name": "moviegraph",
            "authorization_servers": [issuer.url],
            "scopes_supported": ["moviegraph:read", "moviegraph:sql"],
            "bearer_methods_supported": ["header"],
        }


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"aud": ["other", "https://movies.example/mcp"]}, id="several audiences"),
        pytest.param({"scope": None, "scp": "moviegraph:read moviegraph:sql"}, id="scp words"),
        pytest.param({"scope": None, "scp": ["moviegraph:read"]}, id="scp list"),
        pytest.param({"client_id": None, "azp": "app"}, id="azp"),
        pytest.param({"client_id": None}, id="no client"),
        pytest.param({"exp": -5}, id="expired within the leeway"),
        pytest.param({"nbf": -60, "iat": -60}, id="begun"),
    ],
)
def test_what_issuers_write_differently_is_let_in(
    address: str, issuer: Issuer, changed: dict[str, Any]
) -> None:
    assert post(address, issuer.token(**changed)).status_code == 200


@dataclass(frozen=True)
class TokenSpec:
    """Parameters of a token, and whether the issuer signs it."""

    claims: dict[str, Any] = field(default_factory=dict[str, Any])
    header: dict[str, Any] = field(default_factory=dict[str, Any])
    key: SigningKey = ONE
    cut: int | None = None

    def token(self, issuer: Issuer) -> str:
        token = issuer.token(self.key, self.header, **self.claims)
        return token if self.cut is None else token[: -self.cut] + "A" * self.cut


@dataclass(frozen=True)
class Forged:
    """A token that no issuer made."""

    algorithm: str
    secret: bytes = b""

    def token(self, issuer: Issuer) -> str:
        return issuer.forged(self.algorithm, self.secret)


@dataclass(frozen=True)
class Text:
    text: str

    def token(self, issuer: Issuer) -> str:
        return self.text


@pytest.mark.parametrize(
    "token_spec",
    [
        pytest.param(TokenSpec({"exp": -300}), id="expired"),
        pytest.param(TokenSpec({"exp": None}), id="without an end"),
        pytest.param(TokenSpec({"nbf": 3600}), id="not yet"),
        pytest.param(TokenSpec({"iat": 3600}), id="issued in the future"),
        pytest.param(TokenSpec({"aud": "https://else.example/mcp"}), id="audience"),
        pytest.param(TokenSpec({"aud": "https://movies.example/mc"}), id="shorter audience"),
        pytest.param(TokenSpec({"aud": None}), id="no audience"),
        pytest.param(TokenSpec({"iss": "https://else.example"}), id="issuer"),
        pytest.param(TokenSpec({"iss": None}), id="no issuer"),
        pytest.param(TokenSpec({"sub": None}), id="no subject"),
        pytest.param(TokenSpec({"sub": ""}), id="empty subject"),
        pytest.param(TokenSpec({"sub": "x" * 256}), id="long subject"),
        pytest.param(TokenSpec({"cnf": {"jkt": "x"}}), id="bound to a key"),
        pytest.param(TokenSpec(header={"typ": "logout+jwt"}), id="JWT type"),
        pytest.param(TokenSpec(header={"crit": ["exp"]}), id="critical"),
        pytest.param(TokenSpec(header={"crit": ["b64"], "b64": True}), id="critical but known"),
        pytest.param(TokenSpec(header={"kid": "unknown"}), id="unknown key"),
        pytest.param(TokenSpec(key=OTHER), id="foreign key of a known name"),
        pytest.param(TokenSpec(cut=8), id="signature"),
        pytest.param(Forged("none"), id="unsigned"),
        pytest.param(Forged("HS256", ONE.pem), id="public key as a secret"),
        pytest.param(Forged("RS256", b"x"), id="no signature of RSA"),
        pytest.param(Text("a.b.c"), id="no JWT"),
        pytest.param(Text(".."), id="dots"),
        pytest.param(Text("opaque"), id="opaque"),
    ],
)
def test_any_other_token_is_refused_without_a_word_too_many(
    address: str, issuer: Issuer, token_spec: TokenSpec | Forged | Text
) -> None:
    answer = post(address, token_spec.token(issuer))
    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]
    assert re.search("has expired|is not valid here", answer.json()["error"]["message"])


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param([{"kty": "oct", "kid": "one", "k": "c2VjcmV0"}], id="secret"),
        pytest.param([ONE.public | {"use": "enc"}], id="for encryption"),
        pytest.param([ONE.public | {"alg": "RS512"}], id="for another algorithm"),
        pytest.param([ONE.public | {"d": "AQAB"}], id="private"),
        pytest.param([ONE.public | {"n": 7}], id="broken"),
        pytest.param([7, None], id="no keys"),
        pytest.param([], id="empty"),
    ],
)
def test_keys_that_are_not_fit_verify_nothing(
    address: str, issuer: Issuer, keys: list[Any]
) -> None:
    issuer.keys = keys
    assert post(address, issuer.token()).status_code == 401


@pytest.mark.filterwarnings("ignore:The RSA key")
def test_a_short_key_verifies_nothing(address: str, issuer: Issuer) -> None:
    issuer.keys = [WEAK.public]
    assert post(address, issuer.token(WEAK)).status_code == 401


def test_the_only_key_verifies_a_token_without_a_name_of_one(address: str, issuer: Issuer) -> None:
    issuer.keys = [CURVED.public | {"kid": None}]
    assert post(address, issuer.token(CURVED, {"kid": None})).status_code == 200


def test_a_new_key_of_the_issuer_is_fetched_once_however_many_ask(
    server: MCPServer[Any], issuer: Issuer
) -> None:
    clock = Clock()
    with clocked(server, issuer, clock) as address:
        assert post(address, issuer.token()).status_code == 200
        issuer.keys = [CURVED.public]
        early = post(address, issuer.token(CURVED))
        assert (early.status_code, early.headers["retry-after"]) == (503, "15")
        clock.now += 20
        assert [post(address, issuer.token(CURVED)).status_code for _ in range(3)] == [200] * 3
        assert post(address, issuer.token()).status_code == 503
        assert issuer.asked.count("/keys") == 2
        clock.now += 20
        assert post(address, issuer.token()).status_code == 401


def test_keys_outlast_an_issuer_that_is_down_for_an_hour_and_no_longer(
    server: MCPServer[Any], issuer: Issuer
) -> None:
    clock = Clock()
    with clocked(server, issuer, clock) as address:
        assert post(address, issuer.token()).status_code == 200
        issuer.status = 503
        clock.now += 3000
        assert post(address, issuer.token()).status_code == 200
        clock.now += 1000
        down = post(address, issuer.token())
        assert (down.status_code, down.headers["retry-after"]) == (503, "15")
        issuer.status = 200
        clock.now += 20
        assert post(address, issuer.token()).status_code == 200


def test_a_key_that_an_issuer_which_is_down_may_have_is_no_guess_and_counts_as_none(
    server: MCPServer[Any], issuer: Issuer
) -> None:
    clock = Clock()
    with clocked(server, issuer, clock) as address:
        assert post(address, issuer.token()).status_code == 200
        issuer.status, issuer.keys = 503, [ONE.public, CURVED.public]
        clock.now += 20
        down = [post(address, issuer.token(CURVED)) for _ in range(MAX_GUESSES + 1)]
        report = {(response.status_code, response.headers.get("retry-after")) for response in down}
        assert report == {(503, "15")}
        assert issuer.asked.count("/keys") == 1
        assert post(address, issuer.token(exp=900)).status_code == 200
        issuer.status = 200
        clock.now += 20
        assert post(address, issuer.token(CURVED)).status_code == 200
        clock.now += 20
        assert post(address, issuer.token(header={"kid": "unknown"})).status_code == 401


def test_after_the_keys_were_replaced_old_tokens_are_invalid_and_new_ones_valid(
    server: MCPServer[Any], issuer: Issuer
) -> None:
    old = [issuer.token(sub=f"p{n}", iat=-60) for n in range(20)]
    issuer.keys = [CURVED.public]  # and the server was restarted: its cache is empty
    with http_server(server, door=door(issuer)) as address:
        assert post(address, issuer.token(CURVED)).status_code == 200
        assert {post(address, token).status_code for token in old} == {401}
        new = [post(address, issuer.token(CURVED, sub=f"p{n}")).status_code for n in range(20)]
    assert new == [200] * 20
    assert issuer.asked.count("/keys") == 1


def test_a_hundred_clients_behind_one_address_refresh_their_tokens(
    address: str, issuer: Issuer
) -> None:
    for number in range(100):
        assert post(address).status_code == 401
        assert post(address, issuer.token(sub=f"p{number}", exp=-300)).status_code == 401
        assert post(address, issuer.token(sub=f"p{number}", aud="api://else")).status_code == 401
        assert post(address, issuer.token(sub=f"p{number}", scope="openid")).status_code == 403
        assert post(address, issuer.token(sub=f"p{number}")).status_code == 200


def test_what_may_be_a_guess_is_refused_before_long(
    server: MCPServer[Any], issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authenticator, "GUESSES_PER_MINUTE", 0.001)
    with http_server(server, door=door(issuer)) as address:
        assert post(address, issuer.token()).status_code == 200
        numbers = range(MAX_GUESSES + 1)
        guesses = [post(address, issuer.token(OTHER, sub=f"p{n}")).status_code for n in numbers]
    assert guesses == [401] * MAX_GUESSES + [429]


def test_forged_tokens_of_an_address_refuse_no_valid_one(address: str, issuer: Issuer) -> None:
    forged = [post(address, issuer.token(OTHER, sub=f"p{n}")).status_code for n in range(100)]
    assert {401, 429} == set(forged)
    fresh = [post(address, issuer.token(sub=f"fresh{n}")).status_code for n in range(60)]
    assert fresh == [200] * 60


def test_requests_without_a_good_token_are_bounded_and_good_ones_go_on(
    server: MCPServer[Any], issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authenticator, "MAX_REFUSALS", 4)
    monkeypatch.setattr(authenticator, "REFUSALS_PER_MINUTE", 0.01)
    with http_server(server, door=door(issuer)) as address:
        statuses = [post(address).status_code for _ in range(3)]
        statuses += [post(address, issuer.token(exp=-300)).status_code for _ in range(2)]
        assert statuses == [401, 401, 401, 401, 429]
        assert post(address).status_code == 429
        assert post(address, issuer.token()).status_code == 200


def test_requests_are_bounded_while_the_issuer_is_down(
    server: MCPServer[Any], issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authenticator, "MAX_REFUSALS", 2)
    monkeypatch.setattr(authenticator, "REFUSALS_PER_MINUTE", 0.01)
    issuer.status = 503
    with http_server(server, door=door(issuer)) as address:
        statuses = [post(address, issuer.token(OTHER)).status_code for _ in range(4)]
    assert statuses == [503, 503, 429, 429]


@pytest.mark.parametrize(
    ("claims", "expected_reason"),
    [
        pytest.param(
            {"aud": "api://else"},
            "its audience is 'api://else', but MOVIEGRAPH_OAUTH_AUDIENCE is "
            "'https://movies.example/mcp'",
            id="audience",
        ),
        pytest.param(
            {"iss": "https://else.example/\n"},
            "its issuer is 'https://else.example/\\n', but MOVIEGRAPH_OAUTH_ISSUER is 'http://",
            id="issuer",
        ),
        pytest.param({"aud": "x" * 5000}, "its audience is 'xxx", id="long"),
        pytest.param({"nbf": 90, "iat": 60}, "issued ", id="clock"),
        pytest.param({"jti": 7}, "its claim 'jti' is not a string", id="jti"),
        pytest.param({"aud": None}, "it has no claim 'aud'", id="no audience"),
    ],
)
def test_the_log_names_what_was_expected_and_what_came(
    address: str,
    issuer: Issuer,
    claims: dict[str, Any],
    expected_reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "moviegraph"):
        assert post(address, issuer.token(**claims)).status_code == 401
    (line,) = caplog.messages
    assert line.startswith(f"A token was rejected: {expected_reason}")
    assert len(line) < 500


def test_the_log_of_refused_tokens_is_bounded(
    address: str, issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "moviegraph"):
        for _ in range(60):
            post(address, issuer.token(exp=-300))
    assert len(caplog.messages) < 45


@pytest.mark.parametrize("algorithm", ["EdDSA", "Ed25519"])
def test_a_key_of_ed25519_verifies_under_both_of_its_names(
    address: str, issuer: Issuer, algorithm: str
) -> None:
    key = SigningKey("ed", algorithm)
    issuer.keys = [key.public]
    assert post(address, issuer.token(key)).status_code == 200


def test_scopes_and_audiences_are_those_of_the_issuer(
    server: MCPServer[Any], issuer: Issuer
) -> None:
    result = door(
        replace_audience(issuer),
        oauth_read_scope="api://films/films.read",
        oauth_sql_scope="api://films/films.sql",
        oauth_scope_claims=("roles",),
        http_url="https://movies.example/mcp",
    )
    run = call("run_readonly_sql", SQL)
    with http_server(server, door=result) as address:
        advertised = ["api://films/films.read", "api://films/films.sql"]
        metadata = httpx2.get(address + METADATA, timeout=120).json()
        assert metadata["scopes_supported"] == advertised
        assert f'scope="{" ".join(advertised)}"' in post(address).headers["www-authenticate"]
        accepted: list[dict[str, Any]] = [
            {"scope": None, "scp": "films.read films.sql"},
            {"scope": " ".join(advertised)},
            {"scope": None, "roles": ["films.read", "films.sql"]},
            {"scope": "openid", "roles": ["moviegraph:read", "moviegraph:sql"]},
            {"aud": "films", "scope": "films.read films.sql"},
        ]
        for claims in accepted:
            assert post(address, issuer.token(**claims), run).status_code == 200
        step_up = post(address, issuer.token(scope="films.read"), run)
        assert step_up.status_code == 403
        assert "lacks the required scope api://films/films.sql" in step_up.text
        none = issuer.token(scope=None, permissions=["films.read"])
        assert post(address, none).status_code == 403
        assert post(address, issuer.token(aud="api://films/x")).status_code == 401


def replace_audience(issuer: Issuer) -> Issuer:
    """Return the issuer with two audiences in the setting."""
    return replace(issuer, audience=f"films, {issuer.audience}")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def clocked(server: MCPServer[Any], issuer: Issuer, clock: Clock) -> Generator[str]:
    """Serve with keys whose age the test says."""
    result = door(issuer)
    assert result.access is not None
    assert result.access.issued is not None
    result.access.issued._keys._clock = clock
    with http_server(server, door=result) as address:
        yield address


@pytest.mark.parametrize(
    ("spoilt", "expected_reason"),
    [
        pytest.param({"status": 500}, "status 500", id="failing"),
        pytest.param({"status": 302, "to": "http://127.0.0.1:1/keys"}, "status 302", id="moved"),
        pytest.param({"filling": "x" * 300_000}, "more than 262,144 bytes", id="oversize"),
        pytest.param({"speaks_for": "https://else.example"}, "different issuer", id="impostor"),
        pytest.param({"keys": [{}] * 101}, "more than 100 keys", id="too many"),
    ],
)
def test_without_keys_no_client_is_accepted_and_the_log_says_why(
    address: str,
    issuer: Issuer,
    spoilt: dict[str, Any],
    expected_reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for name, value in spoilt.items():
        setattr(issuer, name, value)
    with caplog.at_level(logging.ERROR, "moviegraph"):
        answers = [post(address, issuer.token()) for _ in range(3)]
    assert {answer.status_code for answer in answers} == {503}
    assert "cannot be verified now" in answers[0].text
    (line,) = caplog.messages
    assert expected_reason in line
    assert issuer.url not in answers[0].text


def test_a_refused_token_learns_which_scopes_it_needs(address: str, issuer: Issuer) -> None:
    for scope in ("openid profile", "moviegraph:sql"):
        none = post(address, issuer.token(scope=scope))
        assert none.status_code == 403
        assert 'scope="moviegraph:read"' in none.headers["www-authenticate"]
    step_up = post(address, issuer.token(scope=READ), call("run_readonly_sql", SQL))
    assert step_up.status_code == 403
    challenge = step_up.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="moviegraph:read moviegraph:sql"' in challenge
    assert "resource_metadata=" in challenge


def test_a_session_is_of_the_subject_that_began_it(address: str, issuer: Issuer) -> None:
    session = in_session(address, issuer.token(), initialize()).headers["mcp-session-id"]
    assert in_session(address, issuer.token(exp=900), PING, session).status_code == 200
    assert in_session(address, issuer.token(sub="bob"), PING, session).status_code == 404
    assert in_session(address, issuer.token(exp=-300), PING, session).status_code == 401


@BOTH_REVISIONS
async def test_executions_are_of_issuer_and_subject_also_where_two_issuers_name_alike(
    session: Session, mode: str
) -> None:
    async with AsyncExitStack() as stack:
        addresses, issuers = stack.enter_context(two_issuers(session))
        callers = [Callers(f"{address}/mcp", mode, stack) for address in addresses]
        ann = await callers[0].caller(issuers[0].token())
        ran = await ann.call_tool("run_readonly_sql", SQL)
        execution_id = ran.structured_content["execution_id"]
        request = message("resources/read", {"uri": f"moviegraph://executions/{execution_id}"})
        for address, token in (
            (addresses[0], issuers[0].token(sub="bob")),
            (addresses[1], issuers[1].token()),
        ):
            foreign = post(address, token, request)
            unknown = "0" * len(execution_id)
            absent = post(
                address,
                token,
                message("resources/read", {"uri": f"moviegraph://executions/{unknown}"}),
            )
            assert foreign.status_code == absent.status_code
            assert (
                foreign.content.replace(execution_id.encode(), unknown.encode()) == absent.content
            )
        assert post(addresses[0], issuers[0].token(exp=900), request).status_code == 200
        assert isinstance(session.journal, SqliteJournal)
        (link,) = session.journal.entries()
        assert link.execution().owner == f"user {issuers[0].url} ann"


@contextmanager
def two_issuers(session: Session) -> Generator[tuple[list[str], list[Issuer]]]:
    """Two servers over one session, each with an issuer of its own."""
    with ExitStack() as stack:
        issuers = [stack.enter_context(issuing(Issuer(key=ONE))) for _ in range(2)]
        servers = [create_server(Settings(), session=session) for _ in issuers]
        addresses = [
            stack.enter_context(http_server(server, door=door(issuer)))
            for server, issuer in zip(servers, issuers, strict=True)
        ]
        yield addresses, issuers


def test_tokens_of_a_file_open_beside_those_of_an_issuer(
    server: MCPServer[Any], issuer: Issuer, tmp_path: Path
) -> None:
    file = tmp_path / "tokens"
    file.write_text(TokenLine("ann", digest_of("static"), (READ,)).written(), encoding="utf-8")
    with http_server(server, door=door(issuer, http_tokens=file)) as address:
        assert post(address, "static").status_code == 200
        assert post(address, issuer.token()).status_code == 200
        assert post(address, "else").status_code == 401
        assert post(address, issuer.token(OTHER)).status_code == 401


def test_keys_at_a_set_url_need_no_metadata(server: MCPServer[Any], issuer: Issuer) -> None:
    result = door(issuer, oauth_jwks_url=f"{issuer.url}/keys")
    with http_server(server, door=result) as address:
        assert post(address, issuer.token()).status_code == 200
    assert issuer.asked == ["/keys"]


@pytest.mark.parametrize("path", [pytest.param("", id="root"), pytest.param("/tenant", id="path")])
def test_an_issuer_of_openid_connect_alone_is_understood(server: MCPServer[Any], path: str) -> None:
    metadata_url = f"{path}/.well-known/openid-configuration"
    with (
        issuing(Issuer(key=ONE, path=path, well_known=metadata_url)) as issuer,
        http_server(server, door=door(issuer)) as address,
    ):
        assert post(address, issuer.token()).status_code == 200
