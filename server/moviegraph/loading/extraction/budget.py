"""Whether questions may be asked at all: what they cost must be known, and below the ceiling."""

from moviegraph.errors import SettingsError
from moviegraph.loading.extraction.price import AS_OF, Estimate
from moviegraph.loading.extraction.spending import Spending

SET_PRICE = (
    "Set MOVIEGRAPH_LLM_PRICE to dollars per million input and output tokens, such as "
    "0.40/1.60, or 0/0 for your own server."
)


def require_budget(estimate: Estimate, spending: Spending, model: str) -> None:
    """Raise SettingsError unless the price is known and the estimate is below the ceiling."""
    if spending.price is None:
        raise SettingsError(
            f"The price of {model} is unknown (the package includes prices of {AS_OF}).",
            hint=SET_PRICE,
        )
    if spending.price.is_free:
        return
    if spending.ceiling is None:
        raise SettingsError(
            f"{model} charges for its responses, and no maximum cost is set.",
            hint="Set the maximum cost of this load in dollars with --max-cost.",
        )
    if (estimate.dollars or 0.0) > spending.ceiling:
        raise SettingsError(
            f"The estimate, ${estimate.dollars:,.2f}, is above --max-cost "
            f"{spending.ceiling:g}. No request was sent.",
            hint="Raise it, use a cheaper model, or load fewer records.",
        )
