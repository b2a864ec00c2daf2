"""Fetching of an issuer's keys, and the calls that wait for it, with a fake clock."""

from typing import Any

import anyio
import pytest
from fakes.issuer import SigningKey

from moviegraph.http.jwt_verifier import (
    FRESH_SECONDS,
    LIFETIME_SECONDS,
    PAUSE_SECONDS,
    FetchError,
    JwksCache,
    Key,
)

ONE, OTHER = SigningKey("one", "ES256"), SigningKey("other", "ES256")
PATIENCE = 120


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class HangingIssuer:
    """An issuer that answers when it is let, and the time that passes meanwhile."""

    def __init__(self) -> None:
        self.now = 0.0
        self.requests = 0
        self.keys: list[dict[str, Any]] | None = [ONE.public]
        self.answers = anyio.Event()
        self.set = JwksCache(self._fetch, lambda: self.now)

    async def _fetch(self) -> dict[str, Any]:
        self.requests += 1
        await self.answers.wait()
        if self.keys is None:
            raise FetchError("no answer")
        return {"keys": self.keys}

    async def find(self, key: SigningKey) -> Key | None:
        with anyio.fail_after(PATIENCE):
            return await self.set.find(key.kid, key.algorithm)

    async def count_after_known_keys(self) -> int:
        """Have three requests find their key; return how often the issuer has been asked."""
        for _ in range(3):
            assert await self.find(ONE)
        await anyio.wait_all_tasks_blocked()
        return self.requests


@pytest.fixture
async def hanging() -> HangingIssuer:
    """Keys that were fetched ten minutes ago, of an issuer that now hangs."""
    issuer = HangingIssuer()
    issuer.answers.set()
    assert await issuer.find(ONE)
    issuer.answers = anyio.Event()
    issuer.now = FRESH_SECONDS + 1
    return issuer


async def test_no_call_waits_for_a_hanging_issuer_while_the_key_is_known(
    hanging: HangingIssuer,
) -> None:
    assert await hanging.count_after_known_keys() == 2
    for hanging.now in (FRESH_SECONDS + 2 * PAUSE_SECONDS, LIFETIME_SECONDS):
        assert await hanging.count_after_known_keys() == 2


async def test_the_pause_counts_from_the_end_of_an_attempt(
    hanging: HangingIssuer, caplog: pytest.LogCaptureFixture
) -> None:
    await hanging.count_after_known_keys()
    hanging.now += 2 * PAUSE_SECONDS
    hanging.keys = None
    hanging.answers.set()
    await anyio.wait_all_tasks_blocked()
    assert len(caplog.messages) == 1
    hanging.now += PAUSE_SECONDS - 1
    assert await hanging.count_after_known_keys() == 2
    hanging.now += 1
    assert await hanging.count_after_known_keys() == 3


async def test_after_an_hour_everybody_waits_for_the_one_answer(hanging: HangingIssuer) -> None:
    hanging.now = LIFETIME_SECONDS + 1
    keys: list[Key | None] = []

    async def ask(key: SigningKey) -> None:
        keys.append(await hanging.find(key))

    async with anyio.create_task_group() as group:
        for key in (ONE, OTHER, ONE):
            group.start_soon(ask, key)
        await anyio.wait_all_tasks_blocked()
        assert keys == []
        hanging.answers.set()
    assert [key.kid if key else None for key in keys] == ["one", None, "one"]
    assert hanging.requests == 2


async def test_after_an_hour_without_an_answer_there_are_no_keys(hanging: HangingIssuer) -> None:
    hanging.now, hanging.keys = LIFETIME_SECONDS + 1, None
    hanging.answers.set()
    for _ in range(2):
        with pytest.raises(FetchError):
            await hanging.find(ONE)
    assert hanging.requests == 2


async def test_who_gives_up_does_not_end_the_fetch_for_others(hanging: HangingIssuer) -> None:
    hanging.keys = [ONE.public, OTHER.public]
    async with anyio.create_task_group() as leaves:
        leaves.start_soon(hanging.find, OTHER)
        await anyio.wait_all_tasks_blocked()
        leaves.cancel_scope.cancel()
    hanging.answers.set()
    assert await hanging.find(OTHER)
    assert hanging.requests == 2


async def current(issuer: HangingIssuer) -> HangingIssuer:
    """Have the keys fetched, and let the pause pass."""
    issuer.answers.set()
    assert await issuer.find(ONE)
    issuer.now += PAUSE_SECONDS
    return issuer


async def test_an_id_that_a_fetch_did_not_contain_needs_no_other_fetch() -> None:
    issuer = await current(HangingIssuer())
    assert [await issuer.find(OTHER) for _ in range(3)] == [None] * 3
    issuer.now += PAUSE_SECONDS
    assert await issuer.find(OTHER) is None
    assert issuer.requests == 2


async def test_the_memory_of_absent_ids_is_bounded_and_ends_with_the_next_fetch() -> None:
    issuer = await current(HangingIssuer())
    assert await issuer.find(OTHER) is None
    issuer.keys = [ONE.public, OTHER.public]
    issuer.now += FRESH_SECONDS + 1
    assert await issuer.find(ONE)
    await anyio.wait_all_tasks_blocked()
    assert await issuer.find(OTHER)


async def test_an_unknown_id_waits_while_the_issuer_may_have_just_added_it() -> None:
    issuer = await current(HangingIssuer())
    assert await issuer.find(OTHER) is None
    third = SigningKey("third", "ES256")
    with pytest.raises(FetchError):
        await issuer.find(third)
    assert issuer.set.retry_after == PAUSE_SECONDS
    issuer.keys = [ONE.public, third.public]
    issuer.now += PAUSE_SECONDS
    assert await issuer.find(third)


async def test_an_empty_set_keeps_the_known_keys(caplog: pytest.LogCaptureFixture) -> None:
    issuer = await current(HangingIssuer())
    issuer.keys = []
    issuer.now += FRESH_SECONDS
    assert await issuer.find(ONE)
    await anyio.wait_all_tasks_blocked()
    assert await issuer.find(ONE)
    assert "no usable key" in caplog.text


async def test_a_key_that_does_not_verify_is_fetched_again_within_the_bound() -> None:
    issuer = await current(HangingIssuer())
    known = await issuer.find(ONE)
    replaced = SigningKey("one", "ES256")
    issuer.keys = [replaced.public]
    newer = await issuer.set.find("one", "ES256", known)
    assert newer is not known
    assert await issuer.set.find("one", "ES256", newer) is newer
    assert issuer.requests == 2
