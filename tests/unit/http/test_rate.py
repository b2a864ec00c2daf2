import pytest

from moviegraph.http import rate_limits
from moviegraph.http.rate_limits import TokenBuckets, network_of


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_gives_what_it_holds_then_what_flows_in() -> None:
    clock = Clock()
    buckets = TokenBuckets(60, 3, clock)
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 1]
    assert buckets.take("b") == 0
    clock.now += 0.5
    assert buckets.take("a") == pytest.approx(0.5)
    clock.now += 0.5
    assert buckets.take("a") == 0
    clock.now += 3600
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 1]


def test_looking_takes_nothing() -> None:
    buckets = TokenBuckets(60, 1, Clock())
    assert [buckets.wait("a") for _ in range(3)] == [0, 0, 0]
    assert len(buckets) == 0
    buckets.take("a")
    assert [buckets.wait("a") for _ in range(3)] == [1, 1, 1]


def test_no_more_clients_are_remembered_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "MAX_CLIENTS", 3)
    buckets = TokenBuckets(60, 1, Clock())
    for client in "abcadefa":
        buckets.take(client)
    assert len(buckets) == 3
    assert buckets.wait("a") > 0


@pytest.mark.parametrize(
    ("address", "network"),
    [
        pytest.param("203.0.113.9", "203.0.113.9", id="IPv4"),
        pytest.param("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", id="IPv6"),
        pytest.param("::ffff:203.0.113.9", "203.0.113.9", id="IPv4 within IPv6"),
        pytest.param("", "", id="none"),
        pytest.param("testclient", "testclient", id="name"),
    ],
)
def test_a_client_is_an_address_or_a_network_of_version_6(address: str, network: str) -> None:
    assert network_of(address) == network
