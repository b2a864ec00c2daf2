"""Token buckets per client, and the networks that count as one client."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable

MAX_CLIENTS = 10_000
IPV6_PREFIX = 64


class TokenBuckets:
    """Token buckets, one per client; the least recently used are dropped beyond a bound.

    Args:
        per_minute: Tokens that a bucket gains in a minute.
        capacity: Tokens in a full bucket, as each is at first.
        clock: Monotonic seconds.
    """

    def __init__(
        self, per_minute: float, capacity: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second = per_minute / 60
        self._capacity = capacity
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._levels)

    def wait(self, client: str) -> float:
        """Return the seconds until a token is available, 0 if one is."""
        return max(0.0, (1 - self._level(client)) / self._per_second)

    def take(self, client: str) -> float:
        """Take a token and return 0, or return the seconds until one is available."""
        level = self._level(client)
        is_available = level >= 1
        self._levels[client] = (level - is_available, self._clock())
        self._levels.move_to_end(client)
        if len(self._levels) > MAX_CLIENTS:
            self._levels.popitem(last=False)
        return 0.0 if is_available else self.wait(client)

    def _level(self, client: str) -> float:
        level, since = self._levels.get(client, (self._capacity, self._clock()))
        return min(self._capacity, level + (self._clock() - since) * self._per_second)


def network_of(address: str) -> str:
    """Return the network that counts as one client: an IPv4 address, or the /64 of an IPv6 one."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if ip.version == 4:
        return address
    if ip.ipv4_mapped is not None:  # otherwise all IPv4 clients would share one network
        return str(ip.ipv4_mapped)
    return str(ipaddress.ip_network((int(ip), IPV6_PREFIX), strict=False))
