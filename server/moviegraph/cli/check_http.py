"""What `moviegraph check` says of HTTP: who would be let in, and whether keys can be had."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from moviegraph.cli.check_result import CheckResult, fail, ok, warn
from moviegraph.errors import MoviegraphError
from moviegraph.text import plural

if TYPE_CHECKING:
    from moviegraph.http.application import HttpConfig
    from moviegraph.settings import Settings

WHERE = (
    "Check that MOVIEGRAPH_OAUTH_ISSUER is exactly the issuer's URL, or set "
    "MOVIEGRAPH_OAUTH_JWKS_URL to the URL of its keys."
)
USABLE = (
    "Configure the issuer to sign with RSA keys of at least 2,048 bits, or with EC or "
    "Ed25519 keys, or set MOVIEGRAPH_OAUTH_JWKS_URL to the URL of such keys."
)


def http_lines(settings: Settings) -> Iterator[CheckResult]:
    """Return a line for HTTP as a whole, and one for each way to authenticate that is set."""
    from moviegraph.http.application import config_warnings, http_config_from

    try:
        door = http_config_from(settings)
    except MoviegraphError as error:
        yield fail("http", error)
        return
    yield ok("http", _summary(settings, door))
    if door.access is not None and door.access.tokens is not None:
        lines = door.access.tokens.lines
        names = len({line.name for line in lines})
        yield ok("tokens", f"{settings.http_tokens}: tokens: {len(lines)}, of names: {names}")
    if door.access is not None and door.access.issued is not None:
        yield _issuer(settings)
    yield from (warn("access", each.message, each.hint) for each in config_warnings(settings))


def _summary(settings: Settings, door: HttpConfig) -> str:
    if door.access is None:
        return "without authentication, on this machine only"
    ways = (("tokens of the token file", door.access.tokens), ("access tokens", door.access.issued))
    named = " or ".join(name for name, way in ways if way is not None)
    hosts = ", ".join(settings.allowed_hosts)
    where = f"also accepts {hosts}" if hosts else "on this machine only"
    rate = plural(door.a_minute, "request") if door.a_minute else "unlimited requests"
    return f"requires {named}; {where}; {rate} per minute"


def _issuer(settings: Settings) -> CheckResult:
    import anyio

    from moviegraph.http.authenticator import issuer_keys
    from moviegraph.http.jwt_verifier import FetchError, read_keys

    try:
        keys = read_keys(anyio.run(issuer_keys, settings))
    except FetchError as error:
        text = f"{error}. No access token is accepted without keys."
        return CheckResult("issuer", False, text, hint=WHERE)
    if not keys:
        text = f"{settings.oauth_issuer} has no usable key."
        return CheckResult("issuer", False, text, hint=USABLE)
    return ok("issuer", f"{settings.oauth_issuer}: usable keys: {len(keys)}")
