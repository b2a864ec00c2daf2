from collections.abc import Iterator

import pytest
from fakes.sessions import film_session, kitchen_session

from moviegraph.query.session import Session


@pytest.fixture(scope="session")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    session = film_session(tmp_path_factory.mktemp("films") / "graph")
    yield session
    session.engine.close()
    session.journal.close()


@pytest.fixture(scope="session")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    session = kitchen_session(tmp_path_factory.mktemp("kitchen") / "graph")
    yield session
    session.engine.close()
    session.journal.close()
