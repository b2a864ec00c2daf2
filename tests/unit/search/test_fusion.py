import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moviegraph.search.hybrid import reciprocal_rank

RANKED = st.lists(st.integers(0, 30), unique=True, max_size=20)
LISTS = st.lists(RANKED, min_size=1, max_size=4)


def test_a_key_scores_the_sum_of_its_reciprocal_ranks() -> None:
    fused = reciprocal_rank([["a", "b"], ["b", "c"]], k=20)
    assert [key for key, _ in fused] == ["b", "a", "c"]
    assert fused[0][1] == pytest.approx(1 / 22 + 1 / 21)


def test_a_key_that_a_list_names_twice_counts_at_its_better_rank() -> None:
    assert reciprocal_rank([["a", "b", "a"]], k=20)[0] == ("a", pytest.approx(1 / 21))


@given(LISTS, st.randoms(use_true_random=False))
def test_the_order_of_the_lists_does_not_matter(
    lists: list[list[int]], shuffled: random.Random
) -> None:
    other = list(lists)
    shuffled.shuffle(other)
    assert reciprocal_rank(lists) == reciprocal_rank(other)


@given(LISTS)
def test_the_result_holds_each_key_once_best_score_first(lists: list[list[int]]) -> None:
    fused = reciprocal_rank(lists)
    assert sorted(key for key, _ in fused) == sorted({key for ranking in lists for key in ranking})
    pairs = [(-score, key) for key, score in fused]
    assert pairs == sorted(pairs)


@given(LISTS, st.data())
def test_a_better_rank_never_lowers_a_place(lists: list[list[int]], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(lists) - 1))
    if len(lists[at]) < 2:
        return
    rank = data.draw(st.integers(1, len(lists[at]) - 1))
    key = lists[at][rank]
    better = [list(ranking) for ranking in lists]
    better[at][rank - 1], better[at][rank] = better[at][rank], better[at][rank - 1]
    before = [hit for hit, _ in reciprocal_rank(lists)].index(key)
    after = [hit for hit, _ in reciprocal_rank(better)].index(key)
    assert after <= before
