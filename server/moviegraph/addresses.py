"""Names of hosts, origins and networks as an operator writes them, in the form that is compared."""

import ipaddress
import re

LABEL = r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"
HOST = re.compile(rf"(?P<name>{LABEL}(?:\.{LABEL})*\.?|\[(?P<six>[0-9a-f:.]+)\])(?::(?P<port>.+))?")
ORIGIN = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<host>.+)")
USUAL = {"http": "80", "https": "443"}
MOST_PORT = 65_535


def read_host(text: str) -> str:
    """Return a host with its port, `*` for any, in small letters (RFC 3986, section 3.2.2).

    Raises:
        ValueError: No request can bear it; names of other scripts are sent as `xn--` ones.
    """
    found = HOST.fullmatch(text.lower())
    if found is None:
        raise ValueError(text)
    if found["six"]:
        ipaddress.IPv6Address(found["six"])
    port = found["port"]
    if port not in (None, "*") and not (
        re.fullmatch(r"[0-9]{1,5}", port) and 0 < int(port) <= MOST_PORT
    ):
        raise ValueError(text)
    return found[0]


def read_origin(text: str) -> str:
    """Return an origin as browsers send it: in small letters, without the port of its scheme.

    Raises:
        ValueError: It is none, or it is meant for any port.
    """
    found = ORIGIN.fullmatch(text.lower())
    if found is None:
        raise ValueError(text)
    host = read_host(found["host"])
    name, port = HOST.fullmatch(host).group("name", "port")  # type: ignore[union-attr]
    if port == "*":
        raise ValueError(text)
    return f"{found['scheme']}://{name if port == USUAL.get(found['scheme']) else host}"


def read_network(text: str) -> str:
    """Return an address, or a network without bits of a host. Raises ValueError."""
    if "/" in text:
        return str(ipaddress.ip_network(text, strict=False))
    return str(ipaddress.ip_address(text))
