"""Repairs that once changed the question, and the changes that a rule may make."""

from collections.abc import Callable

import pytest

from moviegraph.contract.model import Contract
from moviegraph.repair import driver
from moviegraph.repair.comparison import FactKind, changed_facts
from moviegraph.repair.context import Correction, Edit, RefusedStatement
from moviegraph.repair.driver import Repaired, Rule, repair
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.guard import judge

Repair = Callable[[str], Repaired]


@pytest.mark.parametrize(
    ("sql", "cure"),
    [
        pytest.param(
            "SELECT Name FROM Movie WHERE Name SIMILAR TO 'Alien|Aliens'", "LIKE", id="SIMILAR TO"
        ),
        pytest.param("SELECT TOP 10 Id Name Content FROM Movie", "commas", id="two commas missing"),
        pytest.param(
            "SELECT SUBSTR(Name, -3) AS s FROM Movie", "SUBSTRING", id="counted from the end"
        ),
        pytest.param("SELECT 7.5 DIV 2 AS d FROM Movie", "/", id="whole division of a fraction"),
        pytest.param("SELECT 5 # 3 AS x", "#", id="an operator that begins a comment elsewhere"),
        pytest.param(
            "SELECT STRING_AGG(DISTINCT g.Name, ', ') AS n FROM Genre g",
            "STRING_AGG",
            id="a list without doubles",
        ),
        pytest.param(
            "SELECT Name FROM Movie WHERE Content CONTAINS 'robot'", "LIKE", id="a word or a part"
        ),
        pytest.param(
            "SELECT Name FROM Movie WHERE CONTAINS(Content, 'war, peace')",
            "AND, OR",
            id="all of the words or any",
        ),
        pytest.param("SELECT 0x AS b", "binary", id="an empty binary constant"),
    ],
)
def test_an_ambiguous_statement_is_left_with_a_fix(sql: str, cure: str, movies: Contract) -> None:
    repaired = repair(sql, movies)

    assert (repaired.sql, repaired.changes) == (sql, ())
    assert repaired.rest is not None
    assert cure in repaired.rest.message


def test_a_text_made_of_a_column_is_never_cut(repair_sql: Repair) -> None:
    assert "NVARCHAR(MAX)" in repair_sql("SELECT TO_CHAR(plot) AS c FROM Movie").sql


def test_a_number_without_digits_is_cast_as_the_guard_advises(
    repair_sql: Repair, movies: Contract
) -> None:
    refused = judge("SELECT CAST(ReleaseYear AS NUMBER) AS n FROM Movie", movies)
    assert isinstance(refused, Refused)
    assert "DECIMAL(18, 4)" in refused.message

    assert "(18, 4)" in repair_sql("SELECT ReleaseYear::number AS n FROM Movie").sql


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        pytest.param("SELECT Name FROM Films", "SELECT Name FROM Movie", {"tables"}, id="table"),
        pytest.param("SELECT Title FROM Movie", "SELECT Name FROM Movie", {"columns"}, id="column"),
        pytest.param(
            "SELECT Name FROM Movie WHERE Id > 3",
            "SELECT Name FROM Movie WHERE Id >= 3",
            {"operators"},
            id="operator",
        ),
        pytest.param(
            "SELECT Name FROM Movie WHERE Name = 'Alien'",
            "SELECT Name FROM Movie WHERE Name = 'Aliens'",
            {"literals", "operators"},
            id="literal",
        ),
        pytest.param(
            "SELECT Name FROM Movie", "SELECT DISTINCT Name FROM Movie", {"measures"}, id="measure"
        ),
        pytest.param(
            "SELECT  name FROM Movie m", "SELECT m.Name FROM Movie AS m", set(), id="none"
        ),
    ],
)
def test_each_kind_of_change_is_reported(
    before: str, after: str, changed: set[str], movies: Contract
) -> None:
    found = changed_facts(RefusedStatement(before, movies), RefusedStatement(after, movies))
    assert found == changed


def test_a_rewrite_that_changes_more_than_its_rule_declares_is_not_applied(
    movies: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT Name FROM Movie WHERE Id = 3 AND"

    def careless(statement: RefusedStatement) -> Correction:
        return Correction((Edit(0, len(statement.sql), "SELECT Name FROM Movie"),), "It is short.")

    monkeypatch.setattr(driver, "ALWAYS", ())
    monkeypatch.setattr(driver, "RULES", (Rule("careless", "clauses", careless),))
    assert repair(sql, movies).changes == ()

    declared = frozenset[FactKind](("columns", "literals", "operators"))
    monkeypatch.setattr(driver, "RULES", (Rule("careless", "clauses", careless, changes=declared),))
    assert isinstance(judge(repair(sql, movies).sql, movies), Allowed)


def test_a_failure_of_the_guard_itself_is_not_repaired(movies: Contract) -> None:
    failed = Refused("internal_error", "The statement could not be judged.")

    assert repair("SELECT Title FROM Movies", movies, failed).changes == ()


def test_a_failure_of_a_rule_is_no_repair(
    movies: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_statement: RefusedStatement) -> Correction:
        raise LookupError("a fault of a rule")

    monkeypatch.setattr(driver, "RULES", (Rule("failing", "clauses", failing),))
    with pytest.raises(LookupError, match="a fault of a rule"):
        repair("SELECT Title FROM Movies", movies)
