import pytest
from hypothesis import given
from hypothesis import strategies as st

from moviegraph.retrieval.names import CLOSE_ENOUGH, closeness, exchanged, pieces


@given(st.text(min_size=4, max_size=80))
def test_pieces_make_up_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text
    assert all(pieces(text))


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        pytest.param("star wrs", "star wars", id="a letter missing"),
        pytest.param("terminatr", "terminator 2: judgment day", id="one word of several"),
        pytest.param("empire strkes", "the empire strikes back", id="two words of several"),
        pytest.param("amelie", "amélie", id="an accent"),
        pytest.param("godfahter", "the godfather", id="letters exchanged"),
    ],
)
def test_a_slip_is_close_enough(wanted: str, name: str) -> None:
    assert closeness(wanted, name) >= CLOSE_ENOUGH


def test_another_name_is_not_close() -> None:
    assert closeness("space opera", "the godfather") < CLOSE_ENOUGH


def test_the_whole_name_is_closer_than_a_part_of_one() -> None:
    assert closeness("star wars", "star wars") > closeness("star wars", "star wars: rogue one")


def test_each_two_neighbours_of_a_short_text_are_exchanged() -> None:
    assert exchanged("alein") == ["laein", "aelin", "alien", "aleni"]
    assert exchanged("a much longer name") == []
