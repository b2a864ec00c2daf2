from dataclasses import replace
from typing import Any, cast

import pytest
from fakes.sessions import call

from moviegraph.errors import ModelError
from moviegraph.llm.language_model import LanguageModel
from moviegraph.query.session import Session
from moviegraph.strategies import strategy_runner as strategies
from moviegraph.strategies.strategy_runner import Strategy

PLAN = [Strategy("a", "By number", None, "SELECT TOP 3 m.Id, m.Name FROM Movie AS m ORDER BY m.Id")]


class Ranker:
    name = "test:ranker"

    def __init__(self, answer: list[int] | Exception) -> None:
        self.given = answer
        self.asked: list[str] = []

    def answer(self, system: str, user: str, shape: Any, _: Any = None) -> Any:
        self.asked.append(user)
        if isinstance(self.given, Exception):
            raise self.given
        return shape(best_first=self.given)


def fused(session: Session, ranker: Ranker, **changes: Any) -> tuple[list[int], str]:
    changed = replace(session, model=cast("LanguageModel", ranker), **changes)
    answer = strategies.run(changed, call(), question="space", strategies=PLAN)
    return [row[1] for row in answer["fused"]["rows"]], answer["why"]


@pytest.mark.parametrize(
    ("answer", "ids"),
    [
        pytest.param([2, 0, 1], [3, 1, 2], id="an order"),
        pytest.param([1], [2, 1, 3], id="some forgotten"),
        pytest.param([9, -1, 1, 1], [2, 1, 3], id="some invented"),
    ],
)
def test_the_model_orders_the_list_and_nothing_else(
    films: Session, answer: list[int], ids: list[int]
) -> None:
    fused_rows, why = fused(films, Ranker(answer), rerank=True)

    assert fused_rows == ids
    assert "The language model ranked" in why


def test_it_is_off_unless_asked_for(films: Session) -> None:
    ranker = Ranker([2, 1, 0])

    fused_rows, why = fused(films, ranker)

    assert (fused_rows, ranker.asked) == ([1, 2, 3], [])
    assert "ranked" not in why


def test_a_model_that_fails_leaves_the_fusion(films: Session) -> None:
    assert fused(films, Ranker(ModelError("no")), rerank=True)[0] == [1, 2, 3]
