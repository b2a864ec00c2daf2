from datetime import date

import pytest

from moviegraph.contract.model import Contract
from moviegraph.retrieval.dates import periods, year_column
from moviegraph.retrieval.session import Session

TODAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("films from last year", "in 2025", id="last year"),
        pytest.param("released this year", "in 2026", id="this year"),
        pytest.param("in the nineties", "from 1990 to 1999", id="nineties"),
        pytest.param("of the 80s", "from 1980 to 1989", id="two digits"),
        pytest.param("the '70s", "from 1970 to 1979", id="apostrophe"),
        pytest.param("1950s classics", "from 1950 to 1959", id="four digits"),
        pytest.param("the twenties", "from 2020 to 2029", id="a decade that has begun"),
        pytest.param("the 30s", "from 1930 to 1939", id="a decade to come is the last one"),
        pytest.param("in the last 10 years", "since 2016", id="last years"),
        pytest.param("the past five years", "since 2021", id="years in words"),
        pytest.param("twenty years ago", "in 2006", id="years ago"),
        pytest.param("the last decade", "since 2016", id="last decade"),
        pytest.param("of this century", "since 2000", id="this century"),
        pytest.param("films not older than ten years", "since 2016", id="not older"),
        pytest.param("films no older than 20 years", "since 2006", id="no older"),
        pytest.param("not less than 30 years old", "up to 1996", id="not less"),
        pytest.param("at least ten years old", "up to 2016", id="at least"),
        pytest.param("at most ten years old", "since 2016", id="at most"),
        pytest.param("since the turn of the millennium", "since 2000", id="since a turn"),
        pytest.param("before the turn of the century", "up to 1999", id="before a turn"),
        pytest.param("the 20th century", "from 1900 to 1999", id="a century"),
    ],
)
def test_words_for_time_become_years(text: str, words: str) -> None:
    (period,) = periods(text, TODAY)

    assert period.words == words
    assert not period.vague


def test_recent_is_a_reading() -> None:
    (period,) = periods("something recent", TODAY)

    assert (period.vague, period.condition("m.Year")) == (True, "m.Year >= 2021")


def test_explicit_years_and_other_words_are_left() -> None:
    assert periods("from 1977 to 1983, a news story, 80 days", TODAY) == []


def test_the_column_of_years_is_the_contracts(films: Session, kitchen: Session) -> None:
    contracts: list[Contract] = [films.contract, kitchen.contract]

    assert [year_column(each) for each in contracts] == ["Movie.ReleaseYear", None]
