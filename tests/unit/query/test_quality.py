import pytest

from moviegraph.strategies.comparison import measure


def nodes(*ids: int) -> frozenset[tuple[str, int]]:
    return frozenset(("Movie", node_id) for node_id in ids)


def test_the_score_follows_its_formula() -> None:
    similarities = {("Movie", 1): 0.5, ("Movie", 2): 0.3, ("Movie", 3): 0.9}
    first, other = measure([2, 4], [nodes(1, 2), nodes(2, 3)], similarities, top=4)

    assert first.similarity == 0.4
    assert (first.agreement, first.novelty) == (0.5, 0.5)
    assert first.score == pytest.approx(0.60 * 0.4 + 0.25 * 0.5 + 0.15 * 0.5)
    assert other.score == pytest.approx(0.60 * 0.6 + 0.25 * 0.5 + 0.15 * 1.0)


def test_rows_that_are_no_nodes_count_by_their_number_only() -> None:
    (alone,) = measure([20], [nodes()], {}, top=20)

    assert (alone.nodes, alone.similarity, alone.agreement, alone.novelty) == (0, None, 0.0, 0.0)
    assert alone.score == 0.15


def test_nothing_found_scores_nothing() -> None:
    (empty,) = measure([0], [nodes()], {}, top=20)

    assert empty.score == 0.0


def test_opposite_texts_do_not_count_below_nothing() -> None:
    (far,) = measure([1], [nodes(1)], {("Movie", 1): -0.4}, top=1)

    assert far.similarity == 0.0
