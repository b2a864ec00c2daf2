"""Every rule over the statements of `golden/mended.sql`: its repairs, and what it leaves."""

from collections.abc import Callable

import pytest
from golden.corpus import Case, cases

from moviegraph.repair.driver import Repaired

CASES = cases("mended")


def _params(*, is_unfixable: bool) -> list[object]:
    selected_cases = [case for case in CASES if bool(case.unfixable) is is_unfixable]
    return [pytest.param(case, id=f"{case.group}: {case.name}") for case in selected_cases]


@pytest.mark.parametrize("case", _params(is_unfixable=False))
def test_a_broken_statement_is_repaired_by_its_rules(
    case: Case, outcome: Callable[[str], tuple[str, list[str]]]
) -> None:
    repaired_sql, rules = outcome(case.sql)

    assert (repaired_sql.strip(), rules) == (case.meant.strip(), case.rules.split())


@pytest.mark.parametrize("case", _params(is_unfixable=True))
def test_what_could_mean_something_else_is_left(
    case: Case, repair_sql: Callable[[str], Repaired]
) -> None:
    assert repair_sql(case.sql).changes == ()
