"""Whether anybody answers at the address of a server: told at once, where a driver tries on."""

import ipaddress
import re
import socket

from moviegraph.engines.odbc.connection_string import ConnectionString
from moviegraph.errors import DatabaseError

SECONDS = 5.0
PORT = 1433
ADDRESS = re.compile(r"(?:tcp:)?(?P<host>\[[0-9a-f:.]+\]|[^,:\\\s]+)(?:,\s*(?P<port>\d+))?", re.I)


def address_of(string: ConnectionString) -> tuple[str, int] | None:
    """Return host and port, or None where the driver itself must find them (named instances)."""
    found = ADDRESS.fullmatch((string.get("Server") or "").strip())
    if found is None:
        return None
    port = found["port"] or string.get("Port") or PORT
    return found["host"].strip("[]"), int(port)


def is_this_machine(string: ConnectionString) -> bool:
    """Whether the server runs on the machine that asks."""
    address = address_of(string)
    if address is None:
        return False
    try:
        return address[0] == "localhost" or ipaddress.ip_address(address[0]).is_loopback
    except ValueError:
        return False


def require_reachable(address: tuple[str, int], name: str, seconds: float = SECONDS) -> None:
    """Connect to an address once, and leave again.

    Raises:
        DatabaseError: Nobody answers; the message says in which way, and not where.
    """
    try:
        socket.create_connection(address, seconds).close()
    except (socket.gaierror, UnicodeError) as error:
        raise DatabaseError(
            "The name of the server is not known to this machine.",
            hint=f"Correct Server= in {name}, or mend the name service.",
        ) from error
    except ConnectionRefusedError as error:
        raise DatabaseError(
            f"The machine of the server is there, and nothing listens at port {address[1]}.",
            hint=f"Start the server, or correct the port in {name} (Server=tcp:HOST,PORT).",
        ) from error
    except TimeoutError as error:
        raise DatabaseError(
            f"The server does not answer within {seconds:g} s.",
            hint=f"Check Server= in {name}, and the firewalls on the way.",
        ) from error
    except OSError as error:
        why = error.strerror or "no connection"
        raise DatabaseError(
            f"There is no way to the server from this machine: {why}.",
            hint=f"Check the network of this machine, and Server= in {name}.",
        ) from error
