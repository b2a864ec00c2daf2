"""T-SQL statements over the bundled films, with the rows that another T-SQL engine returned.

`golden/tsql_cases.jsonl.gz` has 2,284 statements: one JSON object a line, with `sql` and `rows`,
which are "error" where SQL Server refuses. Rows are compared in any order; a decimal, date or
moment is `{"decimal": "1.50"}` and the like.
"""

import gzip
import json
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from moviegraph.contract.model import Contract
from moviegraph.engines.base import Budget, Engine, Statement
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.errors import MoviegraphError
from moviegraph.loading.folder_loader import load
from moviegraph.sql.decision import Refused
from moviegraph.sql.guard import RowLimits, judge

ROOT = Path(__file__).parents[2]
TABLE = gzip.decompress((ROOT / "tests/golden/tsql_cases.jsonl.gz").read_bytes()).decode()
CASES: list[dict[str, Any]] = [json.loads(line) for line in TABLE.splitlines()]
# A statement takes 25 to 50 ms: by default every tenth batch runs, and the last statements, which
# were once wrong.
ONCE_WRONG = 14
BATCHES = 114
DEFAULT_EVERY = 10
FORMS = {"decimal": Decimal, "date": date.fromisoformat, "datetime": datetime.fromisoformat}
BUDGET = Budget(rows=100_000, bytes=10**8, cell=10**6, seconds=120)
LIMITS = RowLimits(top=100_000, inner=1_000)


@pytest.fixture(scope="module")
def films(contract: Contract, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("films") / "graph"
    load(ROOT / "data", folder, contract, None)
    engine = open_graph(folder, contract)
    yield engine
    engine.close()


def batches() -> list[Any]:
    """Return batches of about 20 cases, each with cases of all kinds."""
    params = [pytest.param(CASES[-ONCE_WRONG:], id="once wrong")]
    for number in range(BATCHES):
        marks = [pytest.mark.slow("rate")] if number % DEFAULT_EVERY else []
        batch = CASES[:-ONCE_WRONG][number::BATCHES]
        params.append(pytest.param(batch, id=f"batch {number}", marks=marks))
    return params


@pytest.mark.parametrize("batch", batches())
def test_statements_return_the_rows_of_another_t_sql_engine(
    films: Engine, contract: Contract, batch: list[dict[str, Any]]
) -> None:
    differences: list[tuple[str, Any, Any]] = []
    for case in batch:
        expected = case["rows"] if case["rows"] == "error" else comparable(case["rows"])
        result = outcome(films, contract, case["sql"])
        if result != expected:
            differences.append((case["sql"], expected, result))
    assert differences == []


def outcome(engine: Engine, contract: Contract, sql: str) -> Any:
    try:
        decision = judge(sql, contract, LIMITS)
        if isinstance(decision, Refused):
            return "error"
        return comparable(engine.execute(Statement(decision, None), BUDGET).rows)
    except MoviegraphError:
        return "error"


def comparable(rows: Any) -> list[list[str]]:
    return sorted([_comparable(value) for value in row] for row in rows)


def _comparable(value: Any) -> str:
    if isinstance(value, dict):
        ((form, text),) = value.items()
        value = FORMS[form](text)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return repr(value)
    return f"{value:.12g}" if isinstance(value, float) else f"{Decimal(value).normalize():f}"
