from pathlib import Path
from typing import Any

import anyio
import pytest

from moviegraph.errors import SettingsError
from moviegraph.http import jwt_verifier
from moviegraph.http.application import (
    DEFAULT_RATE,
    config_warnings,
    http_config_from,
    require_guarded,
)
from moviegraph.http.jwt_verifier import FetchError
from moviegraph.http.scopes import READ
from moviegraph.http.token_file import TokenLine, digest_of
from moviegraph.settings import Settings

PROXIES = ("127.0.0.1",)
ISSUER: dict[str, Any] = {
    "oauth_issuer": "https://login.example",
    "oauth_audience": "https://m.example/mcp",
}
HOSTS: dict[str, Any] = {"allowed_hosts": ("m.example",)}
TOKENS: dict[str, Any] = {"http_tokens": Path("tokens")}


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    path = tmp_path / "tokens"
    path.write_text(TokenLine("ann", digest_of("a"), (READ,)).written(), encoding="utf-8")
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "m.example"])
@pytest.mark.parametrize(
    ("options", "missing"),
    [
        pytest.param({}, ("no authentication and no allowed host are", "TOKENS", "HOSTS"), id="-"),
        pytest.param(HOSTS, ("no authentication is", "HTTP_TOKENS", "OAUTH"), id="hosts"),
        pytest.param(TOKENS, ("no allowed host is", "ALLOWED_HOSTS"), id="tokens"),
        pytest.param(ISSUER, ("no allowed host is", "ALLOWED_HOSTS"), id="issuer"),
    ],
)
def test_what_others_can_reach_is_refused_unless_it_is_guarded(
    host: str, options: dict[str, Any], missing: tuple[str, ...]
) -> None:
    with pytest.raises(SettingsError) as caught:
        require_guarded(host, Settings(**options))
    for word in missing:
        assert word in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize("way", [pytest.param(TOKENS, id="t"), pytest.param(ISSUER, id="i")])
def test_what_is_guarded_may_be_reached(way: dict[str, Any]) -> None:
    require_guarded("0.0.0.0", Settings(**way, **HOSTS))


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.9.9.9"])
def test_this_machine_needs_no_guard(host: str) -> None:
    require_guarded(host, Settings())


def test_trusting_every_proxy_is_reported_as_unsafe() -> None:
    assert config_warnings(Settings(trusted_proxies=("127.0.0.1",))) == []
    (caution,) = config_warnings(Settings(trusted_proxies=("0.0.0.0/0",)))
    assert "MOVIEGRAPH_TRUSTED_PROXIES contains every address" in caution.message


@pytest.mark.parametrize(
    ("audience", "keys", "expected_message"),
    [
        pytest.param("https://login.example", "http://127.0.0.1:9/k", "plain http", id="over TLS"),
        pytest.param("http://127.0.0.1:9", "http://login.example/k", "not an https", id="here"),
        pytest.param("http://127.0.0.1:9", "", "not an https", id="none"),
    ],
)
async def test_keys_are_fetched_by_a_way_as_safe_as_the_issuers(
    audience: str, keys: str, expected_message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def metadata(_: str) -> dict[str, Any]:
        return {"issuer": audience, "jwks_uri": keys}

    monkeypatch.setattr(jwt_verifier, "fetch_json", metadata)
    with pytest.raises(FetchError, match=expected_message):
        await jwt_verifier.keys_url(audience)


def test_a_rate_is_usual_where_callers_are_known(tokens: Path) -> None:
    assert http_config_from(Settings()).rate() is None
    assert http_config_from(Settings(http_tokens=tokens)).a_minute == DEFAULT_RATE
    assert http_config_from(Settings(http_tokens=tokens, http_rate=0)).rate() is None
    assert http_config_from(Settings(http_rate=7)).a_minute == 7


@pytest.mark.parametrize(
    ("options", "expected_message"),
    [
        pytest.param({"oauth_issuer": "https://l.example"}, "OAUTH_AUDIENCE is not set", id="one"),
        pytest.param({"oauth_audience": "https://m.example"}, "OAUTH_ISSUER is not set", id="two"),
        pytest.param({"oauth_jwks_url": "https://m.example"}, "OAUTH_ISSUER", id="keys alone"),
        pytest.param({"http_url": "https://m.example"}, "OAUTH_ISSUER", id="url alone"),
        pytest.param(ISSUER | {"oauth_issuer": "http://l.example"}, "no https|not an", id="http"),
        pytest.param(ISSUER | {"oauth_issuer": "https://a:b@l.example"}, "not an", id="user"),
        pytest.param(ISSUER | {"oauth_issuer": "login"}, "not an https URL", id="name"),
        pytest.param(ISSUER | {"oauth_issuer": "https://[x"}, "not a URL", id="broken"),
        pytest.param(ISSUER | {"oauth_jwks_url": "file:///etc"}, "JWKS_URL is not", id="file"),
        pytest.param(ISSUER | {"oauth_audience": "api://x"}, "HTTP_URL is not set", id="api"),
    ],
)
def test_what_would_not_hold_is_refused(options: dict[str, Any], expected_message: str) -> None:
    with pytest.raises(SettingsError, match=expected_message):
        http_config_from(Settings(**options))


def test_an_audience_that_is_no_url_has_a_url_beside_it() -> None:
    options: dict[str, Any] = {
        "oauth_audience": "api://x",
        "http_url": "https://m.example/films/mcp",
    }
    access = http_config_from(Settings(**(ISSUER | options))).access
    assert access is not None
    assert access.metadata is not None
    place = "https://m.example/.well-known/oauth-protected-resource/films/mcp"
    assert access.metadata.url == place


@pytest.mark.parametrize(
    ("mode", "expected_words"),
    [
        pytest.param(0o600, [], id="own"),
        pytest.param(0o644, ["can read"], id="read"),
        pytest.param(0o622, ["can write"], id="write"),
    ],
)
def test_a_file_that_others_may_touch_is_reported(
    tokens: Path, mode: int, expected_words: list[str]
) -> None:
    tokens.chmod(mode)
    result = config_warnings(Settings(http_tokens=tokens))
    assert len(result) == len(expected_words)
    assert all(
        word in problem.message for word, problem in zip(expected_words, result, strict=True)
    )
    assert all(problem.hint == f"Run chmod 600 {tokens}." for problem in result)


def test_names_without_authentication_are_reported() -> None:
    (message,) = config_warnings(Settings(**HOSTS, trusted_proxies=PROXIES))
    assert "without authentication" in message.message
    assert "moviegraph token NAME" in message.hint


@pytest.mark.parametrize(
    ("hosts", "warned"),
    [
        pytest.param((), True, id="none"),
        pytest.param(("else.example",), True, id="other"),
        pytest.param(("m.example:8443",), True, id="other port"),
        pytest.param(("m.example",), False, id="name"),
    ],
)
def test_a_public_url_whose_host_is_not_allowed_is_reported(
    hosts: tuple[str, ...], warned: bool
) -> None:
    warnings = config_warnings(Settings(**ISSUER, allowed_hosts=hosts, trusted_proxies=PROXIES))
    assert ["m.example, the host of" in str(warning) for warning in warnings] == [True] * warned


def test_a_public_url_may_be_of_any_port() -> None:
    options: dict[str, Any] = {"http_url": "https://m.example:8443/mcp"}
    options |= {"allowed_hosts": ("m.example:*",), "trusted_proxies": PROXIES}
    assert config_warnings(Settings(**ISSUER, **options)) == []


@pytest.mark.parametrize(
    ("hosts", "host", "proxies", "warned"),
    [
        pytest.param(("m.example",), "127.0.0.1", (), True, id="behind an unknown proxy"),
        pytest.param(("localhost:1", "m.example:*"), "::1", (), True, id="any port"),
        pytest.param(("m.example",), "127.0.0.1", ("127.0.0.1",), False, id="behind a known one"),
        pytest.param(("m.example",), "0.0.0.0", (), False, id="without a proxy"),
        pytest.param(("localhost:9", "[::1]:9"), "127.0.0.1", (), False, id="no public host"),
    ],
)
def test_a_public_host_on_loopback_without_a_trusted_proxy_is_reported(
    tokens: Path, hosts: tuple[str, ...], host: str, proxies: tuple[str, ...], *, warned: bool
) -> None:
    options: dict[str, Any] = {"allowed_hosts": hosts, "trusted_proxies": proxies}
    warnings = config_warnings(Settings(http_tokens=tokens, **options), host)
    assert ["no proxy is trusted" in str(warning) for warning in warnings] == [True] * warned


def test_authenticated_http_has_no_sessions_unless_they_are_asked_for(tokens: Path) -> None:
    assert not http_config_from(Settings()).stateless
    assert http_config_from(Settings(http_tokens=tokens)).stateless
    assert http_config_from(Settings(**ISSUER)).stateless
    assert not http_config_from(Settings(http_tokens=tokens, http_stateless=False)).stateless
    assert http_config_from(Settings(http_stateless=True)).stateless


async def test_an_issuer_with_another_slash_is_shown_with_both_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def metadata(_: str) -> dict[str, Any]:
        return {"issuer": "https://login.example/"}

    monkeypatch.setattr(jwt_verifier, "fetch_json", metadata)
    message = "'https://login.example/', but MOVIEGRAPH_OAUTH_ISSUER is 'https://login.example'"
    with pytest.raises(FetchError, match=message):
        await jwt_verifier.keys_url("https://login.example")


async def test_an_issuer_that_hangs_has_one_bound_for_all_its_documents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def hanging(_: str) -> dict[str, Any]:
        await anyio.sleep(0.3)
        raise FetchError("no response")

    monkeypatch.setattr(jwt_verifier, "FETCH_SECONDS", 0.5)
    monkeypatch.setattr(jwt_verifier, "fetch_json", hanging)
    with pytest.raises(FetchError, match=r"did not respond within 0\.5 s"):
        await jwt_verifier.fetch_keys("https://login.example/tenant", None)
