from collections.abc import Callable
from pathlib import Path

import pytest

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.repair.driver import Repaired, repair

Repair = Callable[[str], Repaired]


@pytest.fixture(scope="session")
def movies() -> Contract:
    return load_contract()


@pytest.fixture(scope="session")
def kitchen() -> Contract:
    return load_contract(Path(__file__).parents[2] / "toy" / "contract")


@pytest.fixture(scope="session")
def repair_sql(movies: Contract) -> Repair:
    """Repairs what failed in the guard or, where the guard accepts it, in the engine."""

    def run(sql: str) -> Repaired:
        return repair(sql, movies, error="the engine could not run it")

    return run


@pytest.fixture(scope="session")
def outcome(repair_sql: Repair) -> Callable[[str], tuple[str, list[str]]]:
    """Repairs, and tells the text with the names of the rules that took part."""

    def run(sql: str) -> tuple[str, list[str]]:
        repaired = repair_sql(sql)
        return repaired.sql, [change.rule for change in repaired.changes]

    return run
