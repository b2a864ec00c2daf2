"""Takes a port of this machine, or says what to do where it cannot be had."""

import socket

from moviegraph.errors import SettingsError

HIGHEST_PORT = 65_535
HINT = "Choose a different port with --port, or use --port 0 for a free one."


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one. Raises SettingsError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if not 0 <= port <= HIGHEST_PORT:
        raise SettingsError(f"Port {port} does not exist.", hint=HINT)
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        message = f"Cannot listen on {host}, port {port}: {error.strerror}."
        raise SettingsError(message, hint=HINT) from None
