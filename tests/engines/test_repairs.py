"""Broken statements as models write them: each repair compared with the intended statement."""

import re
from collections.abc import Iterator

import pytest
from golden.corpus import Case, cases, params
from golden.repairs import Bench, bench, rows

from moviegraph.contract.loader import load_contract
from moviegraph.repair.driver import RULES, repair
from moviegraph.repair.tokens import split
from moviegraph.sql.decision import Allowed, RefusalError, Refused
from moviegraph.sql.guard import judge

WITHOUT_CURE = (
    "the dialect is T-SQL.",
    "Ask for the rows you want to see.",
    "leave it out.",
    "cannot be called.",
    "is not known.",
)
"""Ends of messages that say what is wrong, and not what to write."""
DECLARED = frozenset(rule.name for rule in RULES if rule.changes & {"tables", "literals"})
"""Rules that may take tables or literals of the statement away, or write them otherwise."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench(tmp_path_factory.mktemp("repairs")) as repair_bench:
        yield repair_bench


def tables_and_literals(sql: str, desk: Bench) -> set[str]:
    """Return the tables and the words of the literals of a statement that can be read."""
    try:
        pieces = split(sql)
    except RefusalError:
        return set()
    tables = {name.lower() for name in desk.session.contract.table_names}
    table_names = {piece.name.lower() for piece in pieces if piece.is_name} & tables
    texts = [piece.name for piece in pieces if piece.kind in ("string", "number")]
    words = {word for text in texts for word in re.findall(r"\w+", text.lower())}
    return table_names | words - {"and", "or", "not", "1", "0"}


@pytest.mark.slow("rate")
@pytest.mark.parametrize("case", params("broken"))
def test_no_statement_is_repaired_into_another_question(case: Case, desk: Bench) -> None:
    assert desk.verdict(case) != "another question"


@pytest.mark.slow("rate")
@pytest.mark.parametrize("case", params("broken"))
def test_tables_and_literals_survive_unless_the_rule_says_otherwise(
    case: Case, desk: Bench
) -> None:
    result = desk.repair(case.sql)
    rules = {change.rule for change in result.changes}

    assert all(change.why for change in result.changes)
    if result.method == "rules" and not rules & (DECLARED | {"t_sql_form"}):
        assert tables_and_literals(case.sql, desk) <= tables_and_literals(result.sql, desk)


@pytest.mark.slow("rate")
def test_what_is_not_repaired_is_reported_with_a_fix() -> None:
    contract = load_contract()
    open_cases = [
        case
        for case in cases("broken")
        if not case.unfixable and repair(case.sql, contract).rest is not None
    ]
    decisions = {case.name: judge(case.sql, contract) for case in open_cases}

    messages = {
        n: decision.message for n, decision in decisions.items() if isinstance(decision, Refused)
    }
    assert len(messages) == len(open_cases)
    assert {name: text for name, text in messages.items() if text.endswith(WITHOUT_CURE)} == {}


@pytest.mark.slow("rate")
@pytest.mark.parametrize("corpus", ["honest", "originals"])
def test_an_honest_statement_is_returned_as_it_is(corpus: str, desk: Bench) -> None:
    contract = desk.session.contract
    for case in cases(corpus):
        assert repair(case.sql, contract).sql == case.sql


@pytest.mark.slow("rate")
def test_what_answers_decide_can_be_distinguished_from_other_questions(desk: Bench) -> None:
    silent: list[str] = []
    for case in cases("broken"):
        decision = judge(case.meant, desk.session.contract) if case.meant else None
        if isinstance(decision, Allowed) and desk.is_told_by_rows(case):
            answers = [str(rows(engine, decision, ordered=False)) for engine in desk.engines]
            silent += [case.name] if set(answers) == {"[]"} else []

    assert silent == []


def test_every_case_has_a_name_of_its_own_and_a_meaning_or_none() -> None:
    result = cases("broken")

    assert len({case.name for case in result}) == len(result) >= 150
    assert [case.name for case in result if bool(case.meant) == bool(case.unfixable)] == []
