"""Behavior documented by SQL Server, on every engine that is present: each case cites its page."""

import pkgutil
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import semantics
from semantics.case import Case

from moviegraph.engines.base import Engine, ResultSet
from moviegraph.errors import ExecutionError, MoviegraphError

Run = Callable[..., ResultSet]


def collected() -> list[Case]:
    names = sorted(module.name for module in pkgutil.iter_modules(semantics.__path__))
    tables = [
        import_module(f"semantics.{name}") for name in names if name not in ("case", "refused")
    ]
    return [case for table in tables for case in table.CASES]


CASES = collected()
# The cases that the embedded engine refuses by name.
REFUSED = set((Path(semantics.__path__[0]) / "refused.txt").read_text("utf-8").splitlines())


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_an_engine_answers_as_sql_server_documents(run: Run, engine: Engine, case: Case) -> None:
    name = engine.describe().engine
    reason = case.gaps.get(name) or (name == "embedded" and case.name in REFUSED)
    if reason:
        with pytest.raises(ExecutionError) as refused:
            run(case.sql, case.query)
        assert refused.value.code == "unsupported_by_engine", reason
    elif case.error:
        with pytest.raises(MoviegraphError) as failed:
            run(case.sql, case.query)
        assert failed.value.code == case.error
    else:
        result = run(case.sql, case.query).rows
        assert _comparable(case, result) == _comparable(case, case.rows)


def test_every_case_has_a_name_of_its_own_and_cites_a_page() -> None:
    assert [name for name, count in Counter(case.name for case in CASES).items() if count > 1] == []
    assert [case.name for case in CASES if not (case.rule and "/" in case.source)] == []


def test_every_refused_case_exists() -> None:
    assert {case.name for case in CASES} >= REFUSED


def _comparable(case: Case, rows: Any) -> Any:
    return list(rows) if _is_ordered(case.sql) else sorted(rows, key=repr)


def _is_ordered(sql: str) -> bool:
    """Return whether the last ORDER BY is outside all parentheses."""
    _, result, order_by = sql.upper().rpartition("ORDER BY")
    return bool(result) and order_by.count("(") == order_by.count(")")
