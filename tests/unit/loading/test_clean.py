"""Boilerplate that is left out of texts."""

import json
from pathlib import Path

import pytest
from fakes.sources import film, source
from fakes.toy_graph import toy_contract

from moviegraph.contract.loader import load_contract
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.loading.folder_loader import load
from moviegraph.loading.preparation import (
    MIN_WORDS,
    Preparation,
    cleaning_recipe,
    prepare_source,
    remove_boilerplate,
)
from moviegraph.loading.row_validation import Rejects
from moviegraph.settings import content_folder

PLOT = "A tug's crew answers a call in the dark, and one by one they learn what made it."
LEAD = (
    "Alien is a 1979 science fiction horror film directed by Ridley Scott and starring John Hurt."
)
MEGABYTES = 2_000_000

LEFT_OUT = [
    pytest.param(LEAD, id="a lead of credits"),
    pytest.param(f"TITLE: Alien OVERVIEW: {LEAD}", id="a lead behind labels"),
    pytest.param(
        "Alien (also called Star Beast) is a 1979 horror film starring Tom Skerritt.",
        id="another title",
    ),
    pytest.param("It was directed by Cecil B. DeMille.", id="director"),
    pytest.param("The film stars Sigourney Weaver, John Hurt and Yaphet Kotto.", id="cast"),
    pytest.param("It stars Fred Gwynne Jr.", id="cast that ends in an abbreviation"),
    pytest.param("The screenplay was written by Dan O'Bannon.", id="writer"),
    pytest.param("It is based on the 1950 novel by A. E. van Vogt.", id="source"),
    pytest.param("The film was released on May 25, 1979, by 20th Century Fox.", id="release"),
    pytest.param("The film received mixed reviews from critics.", id="reception"),
    pytest.param("THE FILM STARS JOHN HURT.", id="capitals"),
]
KEPT = [
    pytest.param("He directed the school play.", id="a play at school"),
    pytest.param("She longs to be starring in her own life.", id="a life"),
    pytest.param(
        "A film directed by her late father turns up in the attic.", id="a film in a film"
    ),
    pytest.param(
        "The film was shot by nobody who came back, and was found in a well.", id="a found film"
    ),
    pytest.param(
        "An actor starring in a film directed by his rival loses his mind.", id="an actor"
    ),
    pytest.param("The story has the twins raised by wolves.", id="story"),
    pytest.param("It was written by a cook who never read a book.", id="a book in a film"),
    pytest.param("It was released in the wild by mistake.", id="an animal"),
    pytest.param("The town was based on a lie.", id="a lie"),
    pytest.param("Based on a true story, a clerk robs his own bank.", id="a true story"),
    pytest.param(
        "Alien is a 1979 film directed by Ridley Scott about a crew that wakes too soon.",
        id="lead with plot",
    ),
    pytest.param("It stars Sigourney Weaver as Ellen Ripley.", id="a character's name"),
    pytest.param("The film follows a crew and stars Tom Skerritt.", id="plot with cast"),
    pytest.param("Aliens is a 1986 film directed by James Cameron.", id="another film"),
]


def clean(text: str, name: str = "Alien") -> str:
    return remove_boilerplate([NodeRecord("Movie", 1, name, text)], load_contract())[0][0].content


@pytest.mark.parametrize("sentence", LEFT_OUT)
def test_credits_are_omitted_at_any_position(sentence: str) -> None:
    assert clean(f"{sentence} {PLOT}") == PLOT
    assert clean(f"{PLOT} {sentence}") == PLOT
    assert clean(f"{PLOT} {sentence} {PLOT}") == f"{PLOT} {PLOT}"


@pytest.mark.parametrize("sentence", KEPT)
def test_what_may_be_part_of_the_story_stays(sentence: str) -> None:
    assert clean(f"{sentence} {PLOT}") == f"{sentence} {PLOT}"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LEAD, id="nothing would be left"),
        pytest.param(f"{LEAD} {'word ' * (MIN_WORDS - 1)}.", id="too little would be left"),
        pytest.param(f"  {PLOT}\n\n {PLOT} ", id="nothing to leave out"),
        pytest.param("", id="no text"),
    ],
)
def test_a_text_stays_as_it_is_where(text: str) -> None:
    assert clean(text) == text


def test_the_last_line_of_names_stays_on_its_line() -> None:
    assert clean(f"{LEAD} {PLOT}\nTheme: Survival.") == f"{PLOT}\nTheme: Survival."


def test_no_text_of_the_graph_in_the_box_is_changed() -> None:
    nodes = prepare_source(
        content_folder("data"), load_contract(), Rejects(), Preparation(clean=False)
    ).nodes
    cleaned_nodes, changed = remove_boilerplate(nodes, load_contract())
    assert len(nodes) > 3000
    assert (cleaned_nodes, changed) == (nodes, {})


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("a", id="one word"),
        pytest.param("it was a film directed by ", id="a sentence without an end"),
        pytest.param("It was directed by A. ", id="initials"),
        pytest.param(".' ", id="stops and quotes"),
        pytest.param("!\"')", id="closing marks"),
        pytest.param(" ", id="blanks"),
        pytest.param("\n", id="lines"),
        pytest.param("Alien ", id="names"),
    ],
)
def test_a_huge_text_is_read_in_one_pass(unit: str) -> None:
    text = unit * (MEGABYTES // len(unit)) + PLOT
    assert clean(text).endswith(PLOT)


def test_another_domain_says_itself_what_is_boilerplate() -> None:
    contract = toy_contract()
    way = "Soak the beans overnight, then simmer them with cumin until they fall apart."
    stays = "Recipe by Mona because she knew."
    text = f"Ful is a dish from the kitchen of Mona. {way} Photograph by Ali. {stays}"
    cleaned_nodes, changed = remove_boilerplate([NodeRecord("Recipe", 1, "Ful", text)], contract)
    assert cleaned_nodes[0].content == f"{way} {stays}"
    assert changed == {"Recipe": 1}


def test_a_contract_without_patterns_changes_nothing() -> None:
    contract = load_contract()
    plain = tuple(node.model_copy(update={"clean": None}) for node in contract.nodes)
    nodes = [NodeRecord("Movie", 1, "Alien", f"{LEAD} {PLOT}")]
    without = contract.model_copy(update={"nodes": plain})
    assert cleaning_recipe(without) is None
    assert remove_boilerplate(nodes, without) == (nodes, {})


@pytest.mark.parametrize(("is_enabled", "expected"), [(True, PLOT), (False, f"{LEAD} {PLOT}")])
def test_a_load_cleans_by_default_and_says_so(
    tmp_path: Path, is_enabled: bool, expected: str
) -> None:
    contract, target = load_contract(), tmp_path / "graph"
    place = source(tmp_path / "in", [film(1, "Alien", f"{LEAD} {PLOT}")])
    how = Preparation(clean=is_enabled)
    assert prepare_source(place, contract, Rejects(), how).nodes[0].content == expected
    report = load(place, target, contract, None, how=how)
    assert report.cleaned == ({"Movie": 1} if is_enabled else {})
    recipe = json.loads((target / "manifest.json").read_text())["recipe"]
    assert recipe.get("cleaned") == (cleaning_recipe(contract) if is_enabled else None)
