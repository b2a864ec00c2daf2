"""Number of accepted connections, and their keep-alive time."""

import resource

import httpx2
import pytest

from moviegraph.cli.http_runner import MAX_CONNECTIONS, OTHER_FILES, HttpRunner, max_connections
from moviegraph_tools.call_runner import Shutdown

UNBOUNDED = resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("limits", "raised", "limit"),
    [
        pytest.param((1024, 524_288), 2256, MAX_CONNECTIONS, id="raised"),
        pytest.param((1024, UNBOUNDED), 2256, MAX_CONNECTIONS, id="raised from without a bound"),
        pytest.param((256, 1024), 1024, 1024 - OTHER_FILES, id="raised as far as it may be"),
        pytest.param((1024, 1024), 1024, 1024 - OTHER_FILES, id="fewer"),
        pytest.param((100, 100), 100, 64, id="hardly any"),
        pytest.param((65_536, 65_536), None, MAX_CONNECTIONS, id="enough"),
        pytest.param((UNBOUNDED, UNBOUNDED), None, MAX_CONNECTIONS, id="any number"),
    ],
)
def test_connections_leave_files_for_the_graph(
    limits: tuple[int, int], raised: int | None, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    items: list[tuple[int, int]] = []

    def get(_: int) -> tuple[int, int]:
        return limits

    def put(_: int, new: tuple[int, int]) -> None:
        items.append(new)

    monkeypatch.setattr(resource, "getrlimit", get)
    monkeypatch.setattr(resource, "setrlimit", put)
    assert max_connections() == limit
    assert items == ([] if raised is None else [(raised, limits[1])])


def test_a_connection_is_kept_longer_than_the_client_of_the_sdk_keeps_it() -> None:
    keepalive_seconds = httpx2.Limits().keepalive_expiry
    assert keepalive_seconds is not None
    assert HttpRunner(object(), Shutdown()).config.timeout_keep_alive > keepalive_seconds
