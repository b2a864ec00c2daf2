"""Access tokens of an issuer: signed JWTs, judged by issuer, audience, time and scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from moviegraph.http.fetching import FetchError
from moviegraph.http.key_set import ALGORITHMS, KeySet
from moviegraph.http.refusal import Refusal, invalid_token
from moviegraph.text import paired

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

LEEWAY = 30
LONGEST_SUBJECT = 255
AGAIN = 15.0
TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
REQUIRED = ["exp", "iss", "aud", "sub"]
CLIENTS = ("client_id", "azp", "appid", "cid")  # RFC 9068, OpenID Connect, Entra, Okta


class AccessTokens:
    """Verifies the tokens of one issuer for one audience (RFC 8707, RFC 9068).

    Args:
        issuer: Must be equal to `iss`, character by character.
        audience: Must be among `aud`.
        keys: The issuer's keys.
    """

    def __init__(self, issuer: str, audience: str, keys: KeySet) -> None:
        self._issuer = issuer
        self._audience = audience
        self._keys = keys

    async def verify(self, token: str) -> AccessToken:
        """Return whose token this is, and what it is good for. Raises Refusal."""
        kid, algorithm = _header(token)
        try:
            key = await self._keys.find(kid, algorithm)
        except FetchError:
            raise Refusal(
                503,
                "Access tokens cannot be verified now. Retry the same request later.",
                again=AGAIN,
            ) from None
        if key is None:
            raise invalid_token("the issuer has no such key")
        return self._token(self._claims(token, key.material, algorithm))

    def _claims(self, token: str, material: Any, algorithm: str) -> dict[str, Any]:
        import jwt

        try:
            return jwt.decode(
                token,
                material,
                algorithms=[algorithm],
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY,
                options={"require": REQUIRED},
            )
        except jwt.ExpiredSignatureError:
            raise invalid_token("expired", "The access token has expired.") from None
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise invalid_token(type(error).__name__) from None

    def _token(self, claims: dict[str, Any]) -> AccessToken:
        from mcp.server.auth.provider import AccessToken

        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
            raise invalid_token("the subject is not a name")
        if paired(subject) != subject:  # half a surrogate pair can be written nowhere
            raise invalid_token("the subject is not a string")
        if "cnf" in claims:  # RFC 9449: a token bound to a key is worth nothing without its proof
            raise invalid_token("the token is bound to a key of its client")
        named = (claims.get(each) for each in CLIENTS)
        return AccessToken(
            token="",
            client_id=next((each for each in named if isinstance(each, str)), subject),
            scopes=_scopes(claims),
            expires_at=int(claims["exp"]),
            resource=self._audience,
            subject=subject,
            claims={"iss": self._issuer},
        )


def looks_signed(token: str) -> bool:
    """Whether a token has the form of a signed JWT."""
    return token.count(".") == 2


def _header(token: str) -> tuple[str | None, str]:
    """Return key name and algorithm of a token. Raises Refusal."""
    import jwt

    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise invalid_token("no JWT") from None
    algorithm, kid, kind = header.get("alg"), header.get("kid"), header.get("typ", "JWT")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise invalid_token("the algorithm is not accepted")
    if "crit" in header or str(kind).lower() not in TYPES:
        raise invalid_token("the JWT type is not accepted")
    if kid is not None and not isinstance(kid, str):
        raise invalid_token("the key has no ID")
    return kid, algorithm


def _scopes(claims: dict[str, Any]) -> list[str]:
    """Return the scopes: `scope` (RFC 9068), or `scp` (Entra: words, Okta: a list)."""
    found: Any = claims.get("scope", claims.get("scp", ""))
    words = found.split() if isinstance(found, str) else found
    if not isinstance(words, list):
        return []
    return [word for word in cast("list[Any]", words) if isinstance(word, str)]
