"""Stable integers for ids that are texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moviegraph.engines.graph_records import Key, stable_ids
from moviegraph.loading.row_validation import checked_key

TEXTS = st.text(min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("raw_key", "key"),
    [
        pytest.param(7, 7, id="integer"),
        pytest.param(0, 0, id="zero"),
        pytest.param("7", 7, id="digits"),
        pytest.param(" 7 ", 7, id="blanks around"),
        pytest.param("007", "007", id="leading zeros are a text"),
        pytest.param("\u0667", "\u0667", id="other digits are a text"),
        pytest.param(str(2**31), str(2**31), id="too many digits are a text"),
        pytest.param("9" * 900, "9" * 900, id="very many digits are a text"),
        pytest.param("tt0078748", "tt0078748", id="text"),
    ],
)
def test_a_key_is_a_number_where_it_can_be(raw_key: Key, key: Key) -> None:
    assert checked_key("id", raw_key, 31) == key


def test_the_number_of_a_text_does_not_change_between_versions() -> None:
    assert stable_ids(["tt0078748"], 31) == {"tt0078748": 1143379181}


@given(st.lists(TEXTS | st.integers(0, 15), unique=True, max_size=16))
def test_numbers_never_collide_even_when_all_are_needed(keys: list[Key]) -> None:
    mapped = stable_ids(keys, 4)
    numbers = [key if isinstance(key, int) else mapped[key] for key in keys]
    assert len(set(numbers)) == len(keys)
    assert all(0 <= number < 16 for number in numbers)


@given(st.lists(TEXTS, unique=True, max_size=30))
def test_the_order_of_the_source_does_not_matter(keys: list[str]) -> None:
    assert stable_ids(keys, 31) == stable_ids(keys[::-1], 31)
