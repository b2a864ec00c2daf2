import pytest
from fakes.sessions import call, scripted_session

from moviegraph.query.query_pipeline import CallRecorder
from moviegraph.query.rows import Rows
from moviegraph.strategies.comparison import Outcome, Quality, StrategyNode, answer_of, measure


def outcome(rows: int, *ids: int) -> Outcome:
    recording = CallRecorder(scripted_session(None)[0], call(), "SELECT 1")
    output = Rows(("Id",), [(number,) for number in range(rows)])
    return Outcome(recording, output, keys=[("Movie", node_id) for node_id in ids])


def qualities(outcomes: list[Outcome], similarities: dict[int, float], top: int) -> list[Quality]:
    nodes = {("Movie", node_id): StrategyNode("", near) for node_id, near in similarities.items()}
    measure(outcomes, nodes, top)
    return [outcome.quality for outcome in outcomes if outcome.quality is not None]


def test_the_score_follows_its_formula() -> None:
    first, other = qualities([outcome(2, 1, 2), outcome(4, 2, 3)], {1: 0.5, 2: 0.3, 3: 0.9}, top=4)

    assert first.similarity == 0.4
    assert (first.agreement, first.novelty) == (0.5, 0.5)
    assert first.score == pytest.approx(0.60 * 0.4 + 0.25 * 0.5 + 0.15 * 0.5)
    assert other.score == pytest.approx(0.60 * 0.6 + 0.25 * 0.5 + 0.15 * 1.0)


def test_rows_that_are_no_nodes_count_by_their_number_only() -> None:
    (alone,) = qualities([outcome(20)], {}, top=20)

    assert (alone.nodes, alone.similarity, alone.agreement, alone.novelty) == (0, None, 0.0, 0.0)
    assert alone.score == 0.15


def test_nothing_found_has_no_quality() -> None:
    assert qualities([outcome(0)], {}, top=20) == []


def test_opposite_texts_do_not_count_below_nothing() -> None:
    (far,) = qualities([outcome(1, 1)], {1: -0.4}, top=1)

    assert far.similarity == 0.0


def test_strategies_with_nearly_the_same_nodes_do_not_support_each_other() -> None:
    one, again, other = qualities(
        [outcome(5, 1, 2, 3, 4, 5), outcome(4, 1, 2, 3, 4), outcome(2, 1, 9)], {}, top=5
    )

    assert (one.agreement, again.agreement) == (0.2, 0.25)  # only what `other` returned as well
    assert (one.novelty, again.novelty) == (0.2, 0.0)
    assert (other.agreement, other.novelty) == (0.5, 0.5)


def test_nearly_the_same_nodes_are_named_instead_of_no_agreement() -> None:
    outcomes = [outcome(5, 1, 2, 3, 4, 5), outcome(4, 1, 2, 3, 4)]
    qualities(outcomes, {}, top=5)
    named = [(name, "", found) for name, found in zip(("one", "again"), outcomes, strict=True)]
    why = answer_of("What?", named, {}, 5)["why"]
    assert "nearly the same nodes as again" in why
    assert "0%" not in why
