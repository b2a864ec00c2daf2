"""Prices, estimates and the maximum cost."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from moviegraph.errors import SettingsError
from moviegraph.extraction.question_runner import (
    CostTracker,
    Estimate,
    Price,
    price_of,
)
from moviegraph.llm.language_model import TokenUsage
from moviegraph.openai_api.endpoint import OPENAI_URL, Endpoint
from moviegraph.settings import read_settings


def openai(model: str, url: str = OPENAI_URL) -> Endpoint:
    return Endpoint("openai", model, url, "key")


@pytest.mark.parametrize(
    ("endpoint", "stated", "price"),
    [
        pytest.param(openai("some-model"), None, None, id="not stated"),
        pytest.param(openai("some-model"), (1.0, 2.0), Price(1.0, 2.0), id="stated"),
        pytest.param(openai("llama", "http://127.0.0.1:11434/v1"), None, Price(0, 0), id="here"),
        pytest.param(openai("llama", "http://localhost/v1"), (3.0, 4.0), Price(3, 4), id="billed"),
    ],
)
def test_the_price_of_a_model(
    endpoint: Endpoint, stated: tuple[float, float] | None, price: Price | None
) -> None:
    assert price_of(endpoint, stated) == price


def test_tokens_of_both_directions_are_paid() -> None:
    assert Price(2.0, 8.0).of(TokenUsage(3, 1_000_000, 500_000)) == 6.0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("0.40/1.60", (0.4, 1.6), id="price"),
        pytest.param("0/0", (0.0, 0.0), id="free"),
        pytest.param(" 1 / 2 ", (1.0, 2.0), id="blanks"),
    ],
)
def test_a_price_is_set_as_in_and_out(text: str, value: tuple[float, float]) -> None:
    assert read_settings({"llm_price": text}).llm_price == value


@pytest.mark.parametrize("text", ["0.4", "-1/2", "nan/1", "inf/1", "a/b", "1/2/3", "$1/$2"])
def test_what_is_no_price_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match=r"such as 0\.40/1\.60"):
        read_settings({"llm_price": text})


def estimate(dollars: float | None) -> Estimate:
    return Estimate(1_000, 20, TokenUsage(4_000, 500_000, 90_000), dollars)


@pytest.mark.parametrize(
    ("dollars", "says"),
    [
        pytest.param(1.234, "$1.23.", id="priced"),
        pytest.param(None, "an unknown price", id="unknown"),
        pytest.param(0.0, "no charge", id="free"),
    ],
)
def test_the_estimate_says_how_many_and_how_much(dollars: float | None, says: str) -> None:
    message = estimate(dollars).message("openai:m")
    assert "1,000 (20 already answered), and about 3,000 that follow" in message
    assert "500,000 tokens in and 90,000 out" in message
    assert says in message


@pytest.mark.parametrize(
    ("costs", "dollars", "says"),
    [
        pytest.param(CostTracker(None, 9.0), None, "is unknown", id="unknown"),
        pytest.param(CostTracker(Price(1, 1)), 0.5, "no maximum cost", id="no maximum cost"),
        pytest.param(CostTracker(Price(1, 1), 0.4), 0.5, "above --max-cost 0.4", id="too dear"),
    ],
)
def test_no_question_is_asked_beyond_what_was_allowed(
    costs: CostTracker, dollars: float | None, says: str
) -> None:
    with pytest.raises(SettingsError, match=says):
        costs.require_budget(estimate(dollars), "openai:m")


@pytest.mark.parametrize(
    ("costs", "dollars"),
    [
        pytest.param(CostTracker(Price(0, 0)), 0.0, id="free"),
        pytest.param(CostTracker(Price(0, 0), 0.0), 0.0, id="free, and a ceiling of nothing"),
        pytest.param(CostTracker(Price(1, 1), 0.5), 0.5, id="just enough"),
    ],
)
def test_what_is_allowed_is_asked(costs: CostTracker, dollars: float) -> None:
    costs.require_budget(estimate(dollars), "openai:m")
    assert costs.reserve(TokenUsage()) is True


def test_what_is_reserved_is_not_spent_twice() -> None:
    costs, usage = CostTracker(Price(1.0, 1.0), 2.5), TokenUsage(1, 500_000, 500_000)
    assert [costs.reserve(usage) for _ in range(2)] == [True, True]
    costs.record(usage, TokenUsage(1, 900_000, 100_000))
    costs.record(usage, TokenUsage(1, 900_000, 100_000))
    assert costs.reserve(usage) is False
    assert costs.dollars == pytest.approx(2.0)


def test_a_question_waits_for_those_on_their_way_before_it_is_refused() -> None:
    costs, usage = CostTracker(Price(1.0, 1.0), 2.5), TokenUsage(1, 500_000, 500_000)
    assert costs.reserve(usage)
    assert costs.reserve(usage)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(costs.reserve, usage)
        costs.record(usage, TokenUsage(1, 100_000, 100_000))
        assert waiting.result(timeout=120) is True
    assert costs.dollars == pytest.approx(0.2)


def test_what_is_reserved_follows_what_answers_really_take() -> None:
    costs = CostTracker(Price(1.0, 1.0), 1.0)
    costs.record(TokenUsage(), TokenUsage(2, 1_000, 90_000))
    assert costs.limit_of(TokenUsage(1, 500, 100)) == TokenUsage(2, 46_000, 90_000)
