"""Finds the bearer token of a request, in its Authorization header alone."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

from moviegraph.http.refusal import UNAUTHORIZED, Refusal, invalid_token

LONGEST = 16_384
SCHEME = "bearer"


def bearer_of(scope: Any) -> str:
    """Return the token of a request. Raises Refusal.

    A token in the URL is refused, whatever else there is: URLs are logged on their way.
    """
    if "access_token" in parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True):
        raise Refusal(
            400,
            "A token in the URL is not accepted. Send it as Authorization: Bearer TOKEN, "
            "and replace this token, because URLs are logged.",
            error="invalid_request",
        )
    values = [value for name, value in scope["headers"] if name == b"authorization"]
    if not values:
        raise Refusal(
            UNAUTHORIZED, "No access token was sent. Send it as Authorization: Bearer TOKEN."
        )
    scheme, _, token = values[0].decode("latin-1").partition(" ")
    token = token.strip()
    if len(values) > 1 or scheme.lower() != SCHEME or not 0 < len(token) <= LONGEST:
        raise invalid_token("no bearer token")
    return token
