"""Syntax that SQL Server does not read is refused, or changed with a note."""

import pytest

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.guard import judge


@pytest.fixture(scope="module")
def contract() -> Contract:
    return load_contract()


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT , m.Id FROM Movie AS m", id="before the first item"),
        pytest.param("SELECT m.Id,, m.Name FROM Movie AS m", id="doubled"),
        pytest.param("SELECT Name FROM Movie WHERE Id IN (1, 2,)", id="in a list"),
        pytest.param("SELECT COUNT(*) FROM Movie GROUP BY , ReleaseYear", id="after BY"),
        pytest.param("SELECT ReleaseYear FROM Movie GROUP BY 1", id="ordinal in GROUP BY"),
        pytest.param("SELECT RANK() OVER (ORDER BY 1) FROM Movie", id="ordinal in OVER"),
    ],
)
def test_what_other_dialects_read_is_refused_with_advice(contract: Contract, sql: str) -> None:
    decision = judge(sql, contract)
    assert isinstance(decision, Refused)
    assert decision.code == "syntax"
    assert any(word in decision.message for word in ("drop it", "name them", "write ORDER BY"))


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT Id, Name, FROM Movie", id="before FROM"),
        pytest.param("SELECT m.Id FROM Movie AS m, WHERE m.Id = 1", id="before WHERE"),
    ],
)
def test_a_trailing_comma_before_a_clause_is_dropped_with_a_note(
    contract: Contract, sql: str
) -> None:
    decision = judge(sql, contract)
    assert isinstance(decision, Allowed)
    assert "A trailing comma was dropped." in decision.notes
