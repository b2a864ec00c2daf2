"""Whether questions may be asked at all: what they cost must be known, and below the ceiling."""

from moviegraph.errors import SettingsError
from moviegraph.loading.extraction.price import AS_OF, Estimate
from moviegraph.loading.extraction.spending import Spending

SET_PRICE = (
    "Set MOVIEGRAPH_LLM_PRICE to dollars for a million tokens in and out, such as 0.40/1.60; "
    "0/0 for a server of your own."
)


def require_budget(estimate: Estimate, spending: Spending, model: str) -> None:
    """Raise SettingsError unless the price is known and the estimate is below the ceiling."""
    if spending.price is None:
        raise SettingsError(
            f"What {model} charges is not known (the package knows prices of {AS_OF}).",
            hint=SET_PRICE,
        )
    if spending.price.is_free:
        return
    if spending.ceiling is None:
        raise SettingsError(
            f"{model} charges for its answers, and no ceiling is given.",
            hint="Give the most dollars that this load may take with --max-cost.",
        )
    if (estimate.dollars or 0.0) > spending.ceiling:
        raise SettingsError(
            f"The estimate, ${estimate.dollars:,.2f}, is above --max-cost {spending.ceiling:g}. "
            "Nothing was asked.",
            hint="Raise it, take a cheaper model, or load fewer records.",
        )
