"""What the settings say of HTTP, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from moviegraph.http.caution import Caution
from moviegraph.http.exposure import GUARD
from moviegraph.http.rate import Buckets

if TYPE_CHECKING:
    from moviegraph.http.access import Access
    from moviegraph.settings import Settings

USUAL_RATE = 600
BURST = 6


@dataclass(frozen=True, slots=True)
class Door:
    """Who is let in, and how.

    Attributes:
        access: How callers authenticate; None lets everybody in.
        a_minute: Most requests a minute of one client; None is any number.
        origins: Origins of pages that may call, beside the server's own.
        stateless: Whether clients up to revision 2025-11-25 get no session.
    """

    access: Access | None = None
    a_minute: int | None = None
    origins: tuple[str, ...] = ()
    stateless: bool = False

    def rate(self) -> Buckets | None:
        """Return fresh buckets; a sixth of a minute's requests may come at once."""
        if self.a_minute is None:
            return None
        return Buckets(self.a_minute, max(10, self.a_minute / BURST))


def door_of(settings: Settings) -> Door:
    """Return what is set. Raises SettingsError."""
    from moviegraph.http.access import access_of

    access = access_of(settings)
    a_minute = settings.http_rate
    if a_minute is None and access is not None:
        a_minute = USUAL_RATE
    return Door(access, a_minute or None, settings.allowed_origins, settings.http_stateless)


def cautions(settings: Settings) -> list[Caution]:
    """Return what works, and lets in more than the operator may want."""
    from moviegraph.http.token_file import cautions_of

    found = cautions_of(settings.http_tokens) if settings.http_tokens else []
    if settings.allowed_hosts and settings.http_tokens is None and settings.oauth_issuer is None:
        found.append(
            Caution(
                "MOVIEGRAPH_ALLOWED_HOSTS is set without authentication: every client that "
                "can reach these host names is accepted, unless a proxy authenticates "
                "clients.",
                GUARD,
            )
        )
    if any(each.endswith("/0") for each in settings.trusted_proxies):
        found.append(
            Caution(
                "MOVIEGRAPH_TRUSTED_PROXIES contains every address: clients can forge their "
                "address, and get around the rate limit per address.",
                "List only the addresses of your proxies.",
            )
        )
    return found
