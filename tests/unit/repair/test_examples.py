"""The example in the docstring of each rule is what the rule does."""

import inspect

import pytest

from moviegraph.contract.model import Contract
from moviegraph.repair.driver import RULES, Rule, repair
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge


def example(rule: Rule) -> tuple[str, str]:
    """Return the statement before and after a rule, as its docstring has them."""
    last = inspect.cleandoc(rule.apply.__doc__ or "").split("\n\n")[-1]
    text = " ".join(line.strip() for line in last.splitlines())
    before, arrow, after = text.encode().decode("unicode_escape").partition(" -> ")
    assert arrow, f"{rule.name} has no example `before -> after`"
    return before, after


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_does_what_its_example_says(rule: Rule, movies: Contract) -> None:
    before, after = example(rule)
    error = "the engine could not run it" if rule.engine else None
    repaired = repair(before, movies, error=error)

    assert repaired.sql.strip() == after
    assert rule.name in {change.rule for change in repaired.changes}
    assert isinstance(judge(repaired.sql, movies), Allowed)
