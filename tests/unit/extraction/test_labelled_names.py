"""Pairs of names labelled by hand, before a model that merges whatever it is shown."""

from pathlib import Path

import pytest
from fakes.scripted_question_runner import ScriptedQuestionRunner, all_one

from moviegraph.contract.loader import load_contract
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.extraction.clusters import Mention
from moviegraph.extraction.entity_resolution import resolve_entities

MOVIES = load_contract()
PERSON, PLACE, IDEA, SERIES = "FEATURES_CHARACTER", "SET_IN", "INCLUDES_THEME", "PART_OF_SERIES"
FILMS = [NodeRecord("Movie", key, f"Film {key}", "A story.") for key in range(1, 4)]

# In one film, or in two of one series.
SAME = [
    (PERSON, "Marty", "Marty McFly"),
    (PERSON, "Sarah", "Sarah Connor"),
    (PERSON, "Doc Brown", "Emmett Brown"),
    (PERSON, "Corporal Hicks", "Hicks"),
    (PERSON, "Agent Smith", "Smith"),
    (PERSON, "Captain Louis Renault", "Renault"),
    (PERSON, "Professor Xavier", "Charles Xavier"),
    (PERSON, "The Oracle", "Oracle"),
    (PERSON, "Spider-Man", "Spiderman"),
    (PERSON, "Kikuchiyo", "Kikuchijo"),
    (PLACE, "New York", "New York City"),
    (PLACE, "Saint Bartholomew", "St Bartholomew"),
    (PLACE, "Nostromo", "USCSS Nostromo"),
    (PLACE, "Spaceship", "Spaceships"),
    (PLACE, "The Moon", "Moon"),
    (IDEA, "Robot", "Robots"),
    (IDEA, "Organised Crime", "Organized Crime"),
    (IDEA, "Coming of Age", "Coming-of-Age"),
    (SERIES, "Matrix", "The Matrix"),
    (SERIES, "Back to the Future", "Back to the Future Trilogy"),
]
DIFFERENT = [
    (PERSON, "Mr. Smith", "Mrs. Smith"),
    (PERSON, "Luke Skywalker", "Anakin Skywalker"),
    (PERSON, "Charles Kane", "Susan Kane"),
    (PERSON, "Juror 3", "Juror 8"),
    (PERSON, "Thelma", "Louise"),
    (PLACE, "Berlin", "East Berlin"),
    (PLACE, "York", "New York"),
    (PLACE, "Korea", "North Korea"),
    (PLACE, "Terminal 2", "Terminal 3"),
    (PLACE, "Town", "Old Town"),
    (IDEA, "Love", "Lost Love"),
    (IDEA, "Love", "First Love"),
    (IDEA, "Sacrifice", "Self-Sacrifice"),
    (IDEA, "War", "Cold War"),
    (IDEA, "Friendship", "Unlikely Friendship"),
    (SERIES, "Rocky II", "Rocky III"),
]
NAMESAKES = ["Andy", "Max", "Agent Smith", "Captain", "The Doctor"]


def resolved(edge: str, names: dict[int, list[str]], *series: int) -> int:
    """Return how many nodes the names become, by film; some films are of one series."""
    saga = NodeRecord("Series", 1, "Saga", "A saga.")
    mentions = [Mention(film, edge, name, name) for film in names for name in names[film]]
    links = [EdgeRecord(SERIES, film, 1) for film in series]
    runner = ScriptedQuestionRunner(all_one)
    entities = resolve_entities(mentions, [*FILMS, saga], links, MOVIES, runner=runner)
    return len(entities.nodes)


@pytest.mark.parametrize(("edge", "first", "second"), SAME)
def test_other_names_of_one_thing_are_shown_together(edge: str, first: str, second: str) -> None:
    assert resolved(edge, {1: [first, second]}) == 1
    if edge != SERIES and "Nostromo" not in first:
        assert resolved(edge, {1: [first], 2: [second]}, 1, 2) == 1


@pytest.mark.parametrize(("edge", "first", "second"), DIFFERENT)
def test_names_of_two_things_are_not(edge: str, first: str, second: str) -> None:
    assert resolved(edge, {1: [first, second]}) == 2
    assert resolved(edge, {1: [first], 2: [second]}) == 2


@pytest.mark.parametrize("name", NAMESAKES)
def test_a_name_that_two_films_share_by_chance_stays_two(name: str) -> None:
    assert resolved(PERSON, {1: [name], 2: [name]}) == 2


def test_namesakes_are_asked_about_where_more_than_the_name_speaks_for_it() -> None:
    assert resolved(PERSON, {1: ["Andy", "Woody"], 2: ["Andy", "Woody"]}) == 2
    assert resolved(PERSON, {1: ["Jack Sparrow"], 2: ["Jack Sparrow"]}) == 1
    assert resolved(PERSON, {1: ["Andy", "Woody"], 2: ["Andy"], 3: ["Woody"]}) == 4


def test_the_prompts_end_their_lines_only_at_the_end_of_a_paragraph() -> None:
    for path in (Path(__file__).parents[3] / "prompts" / "load").glob("*.md"):
        system = path.read_text(encoding="utf-8").partition("\n---\n")[0]
        assert all(
            line[:2] in ("- ", "{{") or line[0].isupper() for line in system.split("\n") if line
        )
