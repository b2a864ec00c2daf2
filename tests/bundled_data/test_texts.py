"""Texts of the bundled graph follow the writing rules, and the checks notice violations."""

import pytest
from bundled_data.graph import BundledGraph, Check, Node
from bundled_data.texts import (
    anyones_sentences,
    anyones_texts,
    counts_in_texts,
    credits_in_texts,
    formulas,
    lengths_out_of_bounds,
    plots_without_characters,
    shared_openings,
    shared_runs,
    shared_texts,
    untidy_texts,
)

CHECKS = {
    "no_text_is_empty_or_untidy": untidy_texts,
    "every_text_is_as_long_as_its_kind_should_be": lengths_out_of_bounds,
    "no_two_records_share_a_text": shared_texts,
    "no_two_records_share_six_words_in_a_row": shared_runs,
    "no_text_speaks_in_formulas": formulas,
    "no_text_names_credits": credits_in_texts,
    "no_text_counts_films": counts_in_texts,
    "few_texts_open_alike": shared_openings,
    "no_sentence_of_a_plot_could_be_anyone_elses": anyones_sentences,
    "no_other_text_could_be_anyone_elses": anyones_texts,
    "every_plot_names_a_character_of_the_film": plots_without_characters,
}
FARM_BOY = "Out on Tatooine a farm boy, Luke Skywalker, buys two droids from jawas. "
EMPTY = "He has to find the truth about the past and save all those whom he loves. "
LONG = "Saloon doors swing behind a stranger " * 20


@pytest.mark.parametrize("check", [pytest.param(check, id=name) for name, check in CHECKS.items()])
def test_the_bundled_graph_follows_the_rule(bundled_graph: BundledGraph, check: Check) -> None:
    assert not check(bundled_graph), check(bundled_graph)


@pytest.mark.parametrize(
    ("text", "check", "offender"),
    [
        pytest.param("", untidy_texts, "Star Wars", id="empty"),
        pytest.param("He leaves. ", untidy_texts, "Star Wars", id="trailing_blank"),
        pytest.param("He leaves", untidy_texts, "Star Wars", id="no_full_stop"),
        pytest.param("A farm boy leaves home.", lengths_out_of_bounds, "5 words", id="short"),
        pytest.param(LONG, lengths_out_of_bounds, "120 words", id="long"),
        pytest.param(
            "Luke must confront his father.", formulas, "must confront", id="formula_must"
        ),
        pytest.param(
            "Luke embarks on a journey of discovery.", formulas, "embarks", id="formula_journey"
        ),
        pytest.param("Against all odds Luke wins.", formulas, "Against all odds", id="odds"),
        pytest.param("A sequel with Luke.", credits_in_texts, "sequel", id="credit"),
        pytest.param(FARM_BOY + EMPTY, anyones_sentences, EMPTY.strip(), id="anyones_sentence"),
        pytest.param("A farm boy leaves home.", plots_without_characters, "Star Wars", id="nobody"),
    ],
)
def test_a_bad_plot_is_found(
    bundled_graph: BundledGraph, text: str, check: Check, offender: str
) -> None:
    result = [
        problem
        for problem in check(bundled_graph.with_text("Movie", 1, text))
        if "Star Wars" in problem
    ]
    assert len(result) == 1
    assert offender in result[0]


def test_a_repeated_text_is_found(bundled_graph: BundledGraph) -> None:
    first = next(node for node in bundled_graph.of("Genre"))
    again = Node("Genre", 9999, "Copy", first.content.upper())
    assert shared_texts(bundled_graph.with_more(again)) == [f"{first} = {again}"]


@pytest.mark.slow("long")
def test_six_words_of_another_record_are_found_and_five_are_not(
    bundled_graph: BundledGraph,
) -> None:
    (film,) = [node for node in bundled_graph.of("Movie") if node.id == 713]
    opening = film.content.split()
    five, six = (Node("Theme", 9999, "Copy", " ".join(opening[:length])) for length in (5, 6))
    assert not shared_runs(bundled_graph.with_more(five))
    assert len(shared_runs(bundled_graph.with_more(six))) == 1


def test_a_long_name_may_be_in_two_texts(bundled_graph: BundledGraph) -> None:
    name = "Uncle Boonmee Who Can Recall His Past Lives"
    twice = [Node("Theme", id, f"Copy {id}", f"{name}.") for id in (9998, 9999)]
    assert not shared_runs(bundled_graph.with_more(*twice))


@pytest.mark.parametrize(
    ("node", "check"),
    [
        pytest.param(
            Node("Theme", 9999, "Hope", "People want what is good for those whom they love."),
            anyones_texts,
            id="theme",
        ),
        pytest.param(
            Node("Character", 9999, "Someone", "A man who wants to find the truth."),
            anyones_texts,
            id="character",
        ),
        pytest.param(
            Node("Series", 9999, "Saga", "Five films about a hero."), counts_in_texts, id="count"
        ),
    ],
)
def test_a_text_without_content_is_found(
    bundled_graph: BundledGraph, node: Node, check: Check
) -> None:
    (problem,) = check(bundled_graph.with_more(node))
    assert str(node) in problem


def test_a_fourth_text_that_opens_like_three_is_found(bundled_graph: BundledGraph) -> None:
    alike = [Node("Theme", 9990 + n, f"Copy {n}", f"Night falls slowly, {n}.") for n in range(4)]
    (problem,) = shared_openings(bundled_graph.with_more(*alike))
    assert "night falls slowly" in problem
    assert not shared_openings(bundled_graph.with_more(*alike[:3]))
