"""The recipes of the guide accept tokens of the shape that each vendor documents."""

import re
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm
from mcp.server.auth.provider import AccessToken

from moviegraph.http.authenticator import authenticator_from, public_url
from moviegraph.http.jwt_verifier import JwksCache, JwtVerifier
from moviegraph.http.refusals import HttpError
from moviegraph.http.scopes import READ, SQL
from moviegraph.settings import Settings, read_settings

PAGE = Path(__file__).parents[3] / "docs" / "guides" / "issuers.md"
SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
EXPORT = re.compile(r"^export (\w+)=(.+)$", re.MULTILINE)
RECIPES = {
    name: dict(EXPORT.findall(text)) for name, text in SECTION.findall(PAGE.read_text("utf-8"))
}
URL = "https://movies.example.org/mcp"
KEY = ec.generate_private_key(ec.SECP256R1())
CASES = [
    (
        "Entra ID",
        {
            "iss": "https://login.microsoftonline.com/TENANT_ID/v2.0",
            "aud": "CLIENT_ID",
            "azp": "app",
            "scp": "moviegraph.read moviegraph.sql",
            "ver": "2.0",
        },
        [READ, SQL],
    ),
    (
        "Entra ID",
        {
            "iss": "https://login.microsoftonline.com/TENANT_ID/v2.0",
            "aud": "CLIENT_ID",
            "roles": ["moviegraph.read"],
        },
        [READ],
    ),
    (
        "Auth0",
        {
            "iss": "https://TENANT.auth0.com/",
            "aud": [URL, "https://TENANT.auth0.com/userinfo"],
            "azp": "app",
            "scope": "openid profile moviegraph:read",
        },
        [READ],
    ),
    (
        "Keycloak",
        {
            "iss": "https://KEYCLOAK/realms/REALM",
            "aud": [URL, "account"],
            "azp": "app",
            "scope": "profile moviegraph:read moviegraph:sql email",
        },
        [READ, SQL],
    ),
    (
        "Cognito",
        {
            "iss": "https://cognito-idp.REGION.amazonaws.com/POOL_ID",
            "aud": URL,
            "client_id": "app",
            "token_use": "access",
            "scope": f"openid {URL}/moviegraph.read",
        },
        [READ],
    ),
    (
        "oidc-provider",
        {"iss": "https://ISSUER", "aud": URL, "client_id": "app", "scope": READ},
        [READ],
    ),
]


async def verify(settings: Settings, claims: dict[str, Any]) -> AccessToken:
    """Verify a token with claims, signed by the only key of the issuer."""
    public = {**ECAlgorithm.to_jwk(KEY.public_key(), as_dict=True), "kid": "1"}

    async def fetch() -> dict[str, Any]:
        return {"keys": [public]}

    authenticator = authenticator_from(settings)
    assert authenticator is not None
    assert settings.oauth_issuer is not None
    audiences = tuple((settings.oauth_audience or "").split(","))
    verifier = JwtVerifier(
        settings.oauth_issuer, audiences, JwksCache(fetch), authenticator.scope_names
    )
    times = {"exp": int(time.time()) + 600, "sub": "ann"}
    token = jwt.encode({**times, **claims}, KEY, "ES256", {"kid": "1"})
    return await verifier.verify(token)


@pytest.mark.parametrize(("name", "claims", "scopes"), CASES)
async def test_a_recipe_accepts_the_tokens_of_its_issuer(
    name: str, claims: dict[str, Any], scopes: list[str]
) -> None:
    settings = read_settings({}, RECIPES[name])
    token = await verify(settings, claims)
    assert token.scopes == scopes
    assert token.subject == "ann"
    assert public_url(settings) == URL


@pytest.mark.parametrize(("name", "claims", "scopes"), CASES)
async def test_a_recipe_refuses_the_tokens_for_others(
    name: str, claims: dict[str, Any], scopes: list[str]
) -> None:
    settings = read_settings({}, RECIPES[name])
    for change in ({"aud": "account"}, {"iss": claims["iss"] + "x"}):
        with pytest.raises(HttpError, match="not valid here"):
            await verify(settings, claims | change)


def test_every_recipe_is_tried() -> None:
    assert set(RECIPES) == {name for name, _, _ in CASES}
