"""The body of a request, read in the parts in which it comes."""

from typing import Any

import pytest

from moviegraph.http.middleware import MAX_BODY_BYTES, read_body


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(
    ("more", "bytes_read"), [(0, MAX_BODY_BYTES), (1, None)], ids=("just fits", "beyond")
)
async def test_a_body_is_read_up_to_the_largest_and_handed_on_as_it_came(
    more: int, bytes_read: int | None
) -> None:
    parts = [b"x" * (MAX_BODY_BYTES - 5), b"x" * (5 + more)]
    messages = [
        {"type": "http.request", "body": part, "more_body": part is parts[0]} for part in parts
    ]
    coming = iter(messages)

    async def receive() -> dict[str, Any]:
        return next(coming)

    body, again = await read_body(receive)
    assert (None if body is None else len(body)) == bytes_read
    assert [await again() for _ in messages] == messages
