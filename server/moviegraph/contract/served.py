"""The contract that one server serves: where it is read from, and the operator's row limits."""

from pathlib import Path

from moviegraph.contract.load import SOURCE, load_contract
from moviegraph.contract.model import Contract
from moviegraph.errors import ContractError, SettingsError
from moviegraph.settings import Settings

CARRIED = "contract"


def read_contract(settings: Settings, carried: Contract | None = None) -> Contract:
    """Return the contract to serve, with the operator's row limits in it.

    It is the one that is set, else the one that the graph carries, else the one in the package.

    Args:
        settings: The values in force.
        carried: What a database carries; that of a graph folder is read here.

    Raises:
        ContractError: A file of it is missing or wrong.
        SettingsError: The limits contradict each other.
    """
    contract = _read(settings, carried)
    top = settings.top or contract.limits.top
    expanded = settings.top_expanded or max(contract.limits.top_expanded, top)
    if expanded < top:
        raise SettingsError(
            f"MOVIEGRAPH_TOP_EXPANDED is {expanded}, less than MOVIEGRAPH_TOP, {top}.",
            hint="Set it to at least MOVIEGRAPH_TOP.",
        )
    limits = contract.limits.model_copy(update={"top": top, "top_expanded": expanded})
    return contract.model_copy(update={"limits": limits})


def carried_contract(folder: Path) -> Contract | None:
    """Return the contract that a graph folder carries, or None: older graphs carry none.

    Raises:
        ContractError: It carries one that is damaged.
    """
    if not (folder / CARRIED / SOURCE).is_file():
        return None
    try:
        return load_contract(folder / CARRIED)
    except ContractError as error:
        raise ContractError(
            f"The contract in {folder / CARRIED} is damaged: {error.message}",
            hint="Name the contract with --contract FOLDER, or load the data again.",
        ) from error


def _read(settings: Settings, carried: Contract | None) -> Contract:
    if settings.contract is None and settings.engine == "embedded" and settings.graph is not None:
        carried = carried_contract(settings.graph)
    if settings.contract is None and carried is not None:
        return carried
    return load_contract(settings.contract)
