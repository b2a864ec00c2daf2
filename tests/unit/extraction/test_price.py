"""Prices, estimates and the maximum cost."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from moviegraph.errors import SettingsError
from moviegraph.extraction.costs import CostTracker, Estimate, Price
from moviegraph.llm.language_model import TokenUsage
from moviegraph.settings import read_settings


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


def estimate(dollars: float | None = None) -> Estimate:
    return Estimate("Reading", 1_000, 20, TokenUsage(1_000, 400_000, 100_000), dollars)


@pytest.mark.parametrize(
    ("dollars", "ends"),
    [
        pytest.param(1.234, "out, $1.2340.", id="priced"),
        pytest.param(None, "100,000 out.", id="unknown"),
        pytest.param(0.0, "out, $0.0000.", id="free"),
    ],
)
def test_the_estimate_says_how_many_and_how_much(dollars: float | None, ends: str) -> None:
    message = estimate(dollars).message("openai:m")
    assert "Reading: 1,000 requests to openai:m (20 already answered)" in message
    assert "400,000 tokens in and 100,000 out" in message
    assert message.endswith(ends)


@pytest.mark.parametrize(
    ("costs", "says", "hint"),
    [
        pytest.param(
            CostTracker(may_charge=True),
            "no maximum cost",
            "in tokens with --max-cost; or set",
            id="no maximum of tokens",
        ),
        pytest.param(
            CostTracker(Price(1, 1)),
            "no maximum cost",
            "in dollars with --max-cost.",
            id="no maximum of dollars",
        ),
        pytest.param(
            CostTracker(Price(1, 1), 0.4),
            r"\$0\.5000, is above --max-cost \$0\.4000",
            "Raise it",
            id="too dear",
        ),
        pytest.param(
            CostTracker(None, 5),
            "500,000 tokens, is above --max-cost 5 tokens",
            "set MOVIEGRAPH_LLM_PRICE to dollars",
            id="too many tokens",
        ),
    ],
)
def test_no_question_is_asked_beyond_what_was_allowed(
    costs: CostTracker, says: str, hint: str
) -> None:
    with pytest.raises(SettingsError, match=says) as raised:
        costs.require_budget(estimate(), "openai:m")
    assert hint in (raised.value.hint or "")


@pytest.mark.parametrize(
    "costs",
    [
        pytest.param(CostTracker(Price(0, 0), may_charge=True), id="free"),
        pytest.param(CostTracker(Price(0, 0), 0.0), id="free, and a ceiling of nothing"),
        pytest.param(CostTracker(), id="on this machine"),
        pytest.param(CostTracker(Price(1, 1), 0.5), id="just enough"),
        pytest.param(CostTracker(None, 500_000, may_charge=True), id="just enough tokens"),
    ],
)
def test_what_is_allowed_is_asked(costs: CostTracker) -> None:
    costs.require_budget(estimate(), "openai:m")
    assert costs.reserve(TokenUsage()) is True


def test_without_a_price_the_ceiling_counts_tokens() -> None:
    costs, usage = CostTracker(None, 1_500), TokenUsage(1, 800, 200)
    assert costs.reserve(usage) is True
    costs.record(usage, usage)
    assert costs.reserve(usage) is False
    assert "--max-cost 1,500 tokens: 1,000 tokens is used" in costs.exhausted()


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
