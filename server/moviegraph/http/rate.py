"""Token buckets, one a client: so many requests at once, so many a minute after that."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable

MOST_CLIENTS = 10_000
PREFIX = 64


class Buckets:
    """Buckets that fill with time; those used longest ago are forgotten beyond a bound.

    Args:
        a_minute: What flows into a bucket in a minute.
        most: What it holds when it is full, as it is at first.
        clock: Seconds that only grow.
    """

    def __init__(
        self, a_minute: float, most: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._a_second = a_minute / 60
        self._most = most
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._levels)

    def wait(self, client: str) -> float:
        """Return the seconds until something can be taken; 0 when it can be now."""
        return max(0.0, (1 - self._level(client)) / self._a_second)

    def take(self, client: str) -> float:
        """Take one; return 0, or if nothing was there the seconds until there is."""
        level = self._level(client)
        taken = level >= 1
        self._levels[client] = (level - taken, self._clock())
        self._levels.move_to_end(client)
        if len(self._levels) > MOST_CLIENTS:
            self._levels.popitem(last=False)
        return 0.0 if taken else self.wait(client)

    def _level(self, client: str) -> float:
        level, then = self._levels.get(client, (self._most, self._clock()))
        return min(self._most, level + (self._clock() - then) * self._a_second)


def network_of(address: str) -> str:
    """Return what counts as one client: an IPv4 address, or the network of an IPv6 one."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    if found.ipv4_mapped is not None:  # else everybody who comes by IPv4 shares one network
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found), PREFIX), strict=False))
