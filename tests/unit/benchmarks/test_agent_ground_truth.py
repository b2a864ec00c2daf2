"""Ground truth of the benchmark questions, over a few films written for the test."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmarks.agent.answers import Answer, precision, recall
from benchmarks.agent.ground_truth import (
    Condition,
    Fact,
    Film,
    GroundTruth,
    commonest,
    counts_by_year,
    film_count,
    matching,
    newest,
    read_films,
    similar,
)
from benchmarks.agent.questions import KINDS, questions

from moviegraph.contract.loader import load_contract
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge


def film(key: int, year: int | None, **links: str) -> Film:
    kinds = ("Genre", "Character", "Theme", "Setting", "Series")
    linked = {kind: frozenset(links.get(kind, "").split(",")) - {""} for kind in kinds}
    return Film(key, f"film {key}", year, "", linked)


FILMS = [
    film(1, 1977, Series="star wars", Theme="war,hope", Genre="adventure", Setting="space"),
    film(2, 1980, Theme="war,hope", Genre="adventure", Setting="space"),
    film(3, 1981, Theme="war", Genre="drama", Setting="paris"),
    film(4, None, Theme="war", Genre="war film", Setting="old paris"),
    film(5, 1981, Theme="love", Genre="drama"),
]


def matching_ids(truth: GroundTruth) -> list[list[int]]:
    return [sorted(side) for side in truth.sides]


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        pytest.param(Condition((("Theme", "war"),)), [1, 2, 3, 4], id="one link"),
        pytest.param(Condition((("Setting", "paris"),)), [3, 4], id="whole words of a name"),
        pytest.param(
            Condition((("Theme", "war"),), (("Genre", "drama"),)), [1, 2, 4], id="one left out"
        ),
        pytest.param(Condition((("Theme", "war"),), since=1978), [2, 3], id="no year is not late"),
    ],
)
def test_a_condition_holds_for_the_films_with_its_links(
    condition: Condition, ids: Sequence[int]
) -> None:
    assert matching_ids(matching(FILMS, condition)) == [ids]


def test_a_name_that_no_film_has_makes_the_question_unusable() -> None:
    assert not matching(FILMS, Condition((("Theme", "whales"),))).is_usable


def test_films_of_the_series_itself_are_not_similar_to_it() -> None:
    assert matching_ids(similar(FILMS, "star wars")) == [[2]]


def test_films_that_tie_with_the_first_one_cut_off_are_left_out() -> None:
    assert matching_ids(newest(FILMS, Condition(), 1)) == [[]]
    assert matching_ids(newest(FILMS, Condition(), 2)) == [[3, 5]]


def test_facts_count_films_and_name_them() -> None:
    war = Condition((("Theme", "war"),))
    assert film_count(FILMS, war).facts == (Fact(("4",), frozenset({1, 2, 3, 4})),)
    assert [fact.words for fact in counts_by_year(FILMS, war, 10).facts] == [
        ("1970", "1"),
        ("1980", "2"),
    ]
    assert [fact.words for fact in commonest(FILMS, Condition(), "Theme", 1).facts] == [
        ("war", "4")
    ]


def test_recall_of_two_sides_is_the_mean_of_both() -> None:
    truth = GroundTruth((frozenset({1, 2}), frozenset({3})))
    answer = Answer((1, 3, 9), (), 10, 1)
    assert recall(answer, truth) == pytest.approx(0.75)
    assert precision(answer, truth) == pytest.approx(2 / 3)


def test_a_fact_is_shown_by_a_row_or_by_all_its_films() -> None:
    truth = GroundTruth(facts=(Fact(("war", "2"), frozenset({1, 2})),))
    assert recall(Answer((), (("war", "2"),), 1, 1), truth) == 1
    assert recall(Answer((1, 2, 7), (), 1, 1), truth) == 1
    assert recall(Answer((1,), (("war", "3"),), 1, 1), truth) == 0
    assert recall(Answer((1,), (("2", "war", "1979"),), 1, 1), truth) == 0


def test_source_records_are_read_plain_or_compressed(tmp_path: Path) -> None:
    (tmp_path / "nodes_Movie.jsonl").write_text(
        '{"kind":"Movie","id":1,"name":"Alien","content":"A crew.","year":1979}\n', "utf-8"
    )
    (tmp_path / "nodes_Genre.jsonl").write_text(
        '{"kind":"Genre","id":7,"name":"Horror"}\n', "utf-8"
    )
    (tmp_path / "edges_IN_GENRE.jsonl").write_text('{"kind":"IN_GENRE","from":1,"to":7}\n', "utf-8")
    [only] = read_films(tmp_path)
    assert (only.name, only.year, only.has("Genre", "horror")) == ("Alien", 1979, True)


@pytest.mark.slow("long")
def test_every_kind_has_questions_and_the_guard_accepts_every_command() -> None:
    question_set = questions()
    assert len(question_set) >= 40 and {question.kind for question in question_set} == set(KINDS)
    contract = load_contract()
    for question in question_set:
        for step in question.plan:
            assert isinstance(judge(step.command, contract), Allowed), step.command
