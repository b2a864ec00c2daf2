"""The contract as one server serves it: the operator's row limits are in it."""

from moviegraph.contract.load import load_contract
from moviegraph.contract.model import Contract
from moviegraph.errors import SettingsError
from moviegraph.settings import Settings


def read_contract(settings: Settings) -> Contract:
    """Return the contract to serve, with the operator's row limits in it.

    Raises:
        ContractError: The folder is broken.
        SettingsError: The limits contradict each other.
    """
    contract = load_contract(settings.contract)
    top = settings.top or contract.limits.top
    expanded = settings.top_expanded or max(contract.limits.top_expanded, top)
    if expanded < top:
        raise SettingsError(
            f"MOVIEGRAPH_TOP_EXPANDED is {expanded}, less than MOVIEGRAPH_TOP, {top}.",
            hint="An expanded answer holds at least as many rows as a plain one.",
        )
    limits = contract.limits.model_copy(update={"top": top, "top_expanded": expanded})
    return contract.model_copy(update={"limits": limits})
