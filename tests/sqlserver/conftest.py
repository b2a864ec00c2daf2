from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from fakes.odbc_drivers import Kind, Missing, OdbcDriver, find_driver
from fakes.odbc_harness import Harness
from fakes.tds.script import Answers
from fakes.tds.server import TdsServer

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Vector
from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine


@pytest.fixture(scope="session")
def contract() -> Contract:
    return load_contract()


KINDS: tuple[Kind, ...] = ("microsoft", "freetds")
PRESENT = [kind for kind in KINDS if not isinstance(find_driver(kind), Missing)]


@pytest.fixture(params=PRESENT or KINDS)
def driver(request: pytest.FixtureRequest) -> OdbcDriver:
    """Each driver that is installed; without any, tests are skipped and say what to install."""
    return find_or_skip(request.param)


@pytest.fixture
def microsoft() -> OdbcDriver:
    """The Microsoft driver, for what belongs to it alone."""
    return find_or_skip("microsoft")


def find_or_skip(kind: str) -> OdbcDriver:
    driver = find_driver("microsoft" if kind == "microsoft" else "freetds")
    if isinstance(driver, Missing):
        pytest.skip(driver.reason)
    return driver


@pytest.fixture
def answers() -> Answers:
    """The responses of the server; tests add to the table."""
    return Answers()


@pytest.fixture
def server(answers: Answers) -> Iterator[TdsServer]:
    with TdsServer(answers) as running:
        yield running


@pytest.fixture
def harness(
    contract: Contract, driver: OdbcDriver, server: TdsServer, answers: Answers
) -> Iterator[Harness]:
    with ThreadPoolExecutor(16) as threads:
        harness = Harness(contract, driver, server, answers, threads)
        yield harness
        server.close()
        harness.close()


@pytest.fixture
def engine(harness: Harness) -> MssqlEngine:
    return harness.engine()


@pytest.fixture(scope="session")
def vector() -> Vector:
    """A vector of 384 numbers in single precision, of length 1."""
    numbers = np.random.default_rng(7).standard_normal(384).astype(np.float32)
    return (numbers / np.linalg.norm(numbers)).astype(np.float32)
