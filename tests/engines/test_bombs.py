"""Statements made to exhaust the engine end, and leave it whole."""

from collections.abc import Iterator

import pytest
from fakes.limits import budget
from golden.corpus import Case, params

from moviegraph.contract.model import Contract
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.base import Engine, Statement
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.embedded.worker_pool import WorkerLimits
from moviegraph.errors import ModelVisibleError
from moviegraph.loading.folder_loader import ensure_builtin_graph
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

pytestmark = pytest.mark.slow("memory")

SECONDS = 0.3
REFUSED = {"too_large", "cartesian_product", "unsupported", "unknown_function"}
ENDS = {"timeout", "too_complex", "result_too_large", "conversion_failed", "unsupported_by_engine"}


@pytest.fixture(scope="module")
def builtin_engine(
    contract: Contract, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    folder = ensure_builtin_graph(
        tmp_path_factory.mktemp("bombs") / "box", contract, LocalEmbedder()
    )
    engine = open_graph(folder, contract, workers=WorkerLimits())
    yield engine
    engine.close()


@pytest.mark.parametrize("case", params("bombs"))
def test_a_statement_that_would_not_end_is_ended(
    builtin_engine: Engine, contract: Contract, case: Case
) -> None:
    decision = judge(case.sql, contract)
    if isinstance(decision, Allowed):
        try:
            assert builtin_engine.execute(Statement(decision, None), budget(seconds=SECONDS)).rows
        except ModelVisibleError as error:
            assert error.code in ENDS
    else:
        assert decision.code in REFUSED
    count = judge("SELECT COUNT(*) AS n FROM Genre AS g", contract)
    assert isinstance(count, Allowed)
    assert builtin_engine.execute(Statement(count, None), budget()).rows == [(20,)]
