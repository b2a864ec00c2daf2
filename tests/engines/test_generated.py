from collections.abc import Callable
from random import Random

import pytest
from fakes.limits import budget
from golden.dialect import Writer

from moviegraph.contract.model import Contract
from moviegraph.engines.base import Engine, Statement
from moviegraph.errors import ExecutionError, RefusedError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge


@pytest.mark.parametrize("block", range(16))
def test_what_the_guard_allows_runs_or_is_refused_with_a_reason(
    engine: Engine, contract: Contract, statement: Callable[..., Statement], block: int
) -> None:
    ran = 0
    for seed in range(block * 10, block * 10 + 10):
        sql = Writer(Random(seed), contract, fuel=12).statement()
        decision = judge(sql, contract)
        if not isinstance(decision, Allowed):
            continue
        ran += 1
        try:
            rows = engine.execute(statement(sql), budget()).rows
        except (ExecutionError, RefusedError) as error:
            assert error.code != "internal", sql
            assert len(str(error)) > 15, sql
        else:
            assert len(rows) <= decision.cap, sql
    assert ran, "the guard allows some of any ten statements"
