"""Broken statements as models write them: what the rules make of each, beside what was meant."""

import re
from collections.abc import Iterator

import pytest
from golden.corpus import Case, cases, params
from golden.repairs import Bench, bench, rows

from moviegraph.repair.driver import RULES, repair
from moviegraph.repair.tokens import split
from moviegraph.sql.decision import Allowed, RefusalError
from moviegraph.sql.guard import judge

WANTED = 0.9
DECLARED = frozenset(rule.name for rule in RULES if rule.changes & {"tables", "literals"})
"""Rules that may take tables or literals of the statement away, or write them otherwise."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench(tmp_path_factory.mktemp("repairs")) as opened:
        yield opened


def kept(sql: str, desk: Bench) -> set[str]:
    """Return the tables and the words of the literals of a statement that can be read."""
    try:
        pieces = split(sql)
    except RefusalError:
        return set()
    tables = {name.lower() for name in desk.session.contract.table_names}
    named = {piece.name.lower() for piece in pieces if piece.is_name} & tables
    texts = [piece.name for piece in pieces if piece.kind in ("string", "number")]
    words = {word for text in texts for word in re.findall(r"\w+", text.lower())}
    return named | words - {"and", "or", "not", "1", "0"}


@pytest.mark.slow("rate")
@pytest.mark.parametrize("case", params("broken"))
def test_no_statement_is_repaired_into_another_question(case: Case, desk: Bench) -> None:
    assert desk.verdict(case) != "another question"


@pytest.mark.slow("rate")
def test_at_least_nine_in_ten_are_repaired_by_rules_alone(desk: Bench) -> None:
    fixable = [case for case in cases("broken") if not case.unfixable]
    repaired = [case for case in fixable if desk.verdict(case) == "repaired"]

    assert len(repaired) >= WANTED * len(fixable)


@pytest.mark.parametrize(
    ("joined", "meant"),
    [
        pytest.param(
            "Movie m LEFT JOIN Genre g ON m.GenreId = g.Id AND g.Name = 'Horror' "
            "WHERE g.Id IS NULL",
            "Movie m WHERE NOT EXISTS (SELECT 1 FROM IN_GENRE e, Genre g "
            "WHERE e.$from_id = m.$node_id AND e.$to_id = g.$node_id AND g.Name = 'Horror')",
            id="left",
        ),
        pytest.param(
            "Movie m RIGHT JOIN Genre g ON m.GenreId = g.Id AND m.ReleaseYear < 1980 "
            "WHERE m.Id IS NULL",
            "Genre g WHERE NOT EXISTS (SELECT 1 FROM IN_GENRE e, Movie m "
            "WHERE e.$from_id = m.$node_id AND e.$to_id = g.$node_id AND m.ReleaseYear < 1980)",
            id="right",
        ),
    ],
)
def test_a_foreign_key_in_an_outer_join_keeps_the_rows_that_meet_nothing(
    joined: str, meant: str, desk: Bench
) -> None:
    broken = f"SELECT COUNT(*) AS n FROM {joined}"
    found = Case("", "", broken, meant=f"SELECT COUNT(*) AS n FROM {meant}")

    assert desk.verdict(found) == "repaired"


@pytest.mark.slow("rate")
@pytest.mark.parametrize("case", params("broken"))
def test_tables_and_literals_survive_unless_the_rule_says_otherwise(
    case: Case, desk: Bench
) -> None:
    found = desk.repair(case.sql)
    rules = {change.rule for change in found.changes}

    assert all(change.why for change in found.changes)
    if found.method == "rules" and not rules & (DECLARED | {"t_sql_form"}):
        assert kept(case.sql, desk) <= kept(found.sql, desk)


@pytest.mark.slow("rate")
@pytest.mark.parametrize("corpus", ["honest", "originals"])
def test_an_honest_statement_is_returned_as_it_is(corpus: str, desk: Bench) -> None:
    contract = desk.session.contract
    for case in cases(corpus):
        assert repair(case.sql, contract).sql == case.sql


@pytest.mark.slow("rate")
def test_what_answers_decide_can_be_told_from_other_questions(desk: Bench) -> None:
    silent: list[str] = []
    for case in cases("broken"):
        decision = judge(case.meant, desk.session.contract) if case.meant else None
        if isinstance(decision, Allowed) and desk.is_told_by_rows(case):
            answers = [str(rows(each, decision, ordered=False)) for each in desk.engines]
            silent += [case.name] if set(answers) == {"[]"} else []

    assert silent == []


def test_every_case_has_a_name_of_its_own_and_a_meaning_or_none() -> None:
    found = cases("broken")

    assert len({case.name for case in found}) == len(found) >= 150
    assert [case.name for case in found if bool(case.meant) == bool(case.unfixable)] == []
