from collections.abc import Iterator

import pytest
from fakes.odbc import Missing, OdbcDriver, find_driver
from fakes.tds.script import Answers
from fakes.tds.server import TdsServer


@pytest.fixture(params=["microsoft", "freetds"])
def driver(request: pytest.FixtureRequest) -> OdbcDriver:
    """Each driver that is installed; a missing one is a skip that says what to install."""
    return found(request.param)


@pytest.fixture
def microsoft() -> OdbcDriver:
    """The Microsoft driver, for what belongs to it alone."""
    return found("microsoft")


def found(kind: str) -> OdbcDriver:
    driver = find_driver("microsoft" if kind == "microsoft" else "freetds")
    if isinstance(driver, Missing):
        pytest.skip(driver.reason)
    return driver


@pytest.fixture
def answers() -> Answers:
    """What the server answers; tests add to its table."""
    return Answers()


@pytest.fixture
def server(answers: Answers) -> Iterator[TdsServer]:
    with TdsServer(answers) as running:
        yield running
