"""Keys that seal what a client carries from one request to the next, shared by all workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moviegraph.errors import SettingsError

if TYPE_CHECKING:
    from mcp.server.request_state import RequestStateSecurity

    from moviegraph.settings import Settings

SHORTEST = 32
NAME = "MOVIEGRAPH_HTTP_STATE_KEY"
MAKE = "Make one with: openssl rand -hex 32"


def state_security(settings: Settings) -> RequestStateSecurity | None:
    """Return what seals the state; None leaves it to a key of this process alone.

    Raises:
        SettingsError: The keys cannot be read, or are too short.
    """
    keys = _keys(settings)
    if not keys:
        return None
    from mcp.server.request_state import RequestStateSecurity

    return RequestStateSecurity(keys=keys)


def _keys(settings: Settings) -> list[str]:
    """Return the keys: the first seals, all of them open."""
    if settings.http_state_key is not None and settings.http_state_key_file is not None:
        raise SettingsError(f"{NAME} and {NAME}_FILE are both set.", hint="Unset one of them.")
    text = settings.http_state_key or ""
    if settings.http_state_key_file is not None:
        try:
            text = settings.http_state_key_file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise SettingsError(
                f"{NAME}_FILE: {settings.http_state_key_file} cannot be read as text.",
                hint=f"A key a line, the one in force first. {MAKE}",
            ) from None
        if not text.strip():
            raise SettingsError(f"{NAME}_FILE holds no key.", hint=MAKE)
    keys = list(dict.fromkeys(text.split()))
    if any(len(key) < SHORTEST for key in keys):
        raise SettingsError(f"{NAME}: a key is shorter than {SHORTEST} characters.", hint=MAKE)
    return keys
