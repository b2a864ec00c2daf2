from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fakes.journals import MemoryJournal
from fakes.sessions import call

from moviegraph.cache import Cache
from moviegraph.embeddings.base import Progress, Vectors
from moviegraph.errors import ArgumentError, EmbeddingError
from moviegraph.retrieval import planning, readonly_sql, strategies
from moviegraph.retrieval.session import Session
from moviegraph.retrieval.strategies import Strategy

SEEN = "I have seen all Star Wars movies and would like tips for something similar"


def context(session: Session, question: str) -> dict[str, Any]:
    dated = replace(session, today="2026-03-01")
    return planning.context(dated, call("get_planning_context"), question=question)


def tables(found: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each["why"] for each in found["tables"]}


def test_the_context_has_every_member(films: Session) -> None:
    found = context(films, SEEN)

    assert list(found) == [
        *("question", "normalised", "interpretations", "route", "tables", "exclusions"),
        *("unavailable", "examples", "rules"),
    ]
    assert found["question"] == SEEN
    assert all(isinstance(rule, str) and "{{" not in rule for rule in found["rules"])


def test_abbreviations_aliases_and_dates_are_read(films: Session) -> None:
    found = context(films, "sci-fi  with Vader from the nineties, or recent")

    assert found["normalised"] == "science fiction with Vader from 1990 to 1999, or recent"
    meanings = {each["text"]: each["meaning"] for each in found["interpretations"]}
    assert meanings["from the nineties"].endswith("(Movie.ReleaseYear BETWEEN 1990 AND 1999)")
    assert meanings["Vader"] == "Character 'Darth Vader'"
    assert meanings["recent"].startswith("ambiguous; read as since 2021")


def test_an_abbreviation_in_capitals_is_meant_in_capitals_only(films: Session) -> None:
    assert context(films, "La La Land")["normalised"] == "La La Land"
    assert context(films, "crime in LA")["normalised"] == "crime in Los Angeles"


@pytest.mark.parametrize(
    ("question", "route"),
    [
        pytest.param("How many horror films are there?", "precise", id="count"),
        pytest.param("Movies released after 1990", "precise", id="year"),
        pytest.param(SEEN.replace("all ", ""), "semantic", id="likeness"),
        pytest.param("a lonely robot story", "semantic", id="mood"),
        pytest.param("something like Alien from before 1985", "mixed", id="both"),
        pytest.param("Alien", "mixed", id="neither"),
    ],
)
def test_the_route_follows_the_words(films: Session, question: str, route: str) -> None:
    assert context(films, question)["route"] == route


def test_a_keyword_always_brings_its_table_and_edges_follow(films: Session) -> None:
    found = tables(context(films, "Which franchise has the most villains?"))

    assert found["Series"] == "says 'franchise'"
    assert found["PART_OF_SERIES"] == "Movie to Series"
    assert "Movie" in found


def test_what_was_seen_is_left_out_by_the_group_that_bears_the_name(films: Session) -> None:
    (excluded,) = context(films, SEEN)["exclusions"]

    assert excluded["what"] == "Star Wars"
    assert excluded["kinds"] == ("Movie", "Series")
    rows = readonly_sql.run(
        films, call(), sql=f"SELECT m.Id FROM Movie AS m WHERE {excluded['where']} ORDER BY m.Id"
    )
    assert [row[0] for row in rows.rows] == [3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize(
    ("question", "what"),
    [
        pytest.param("desert films other than Dune", "Dune", id="other than"),
        pytest.param("space films except for Alien, please", "Alien", id="except"),
        pytest.param("robots but not The Matrix", "The Matrix", id="but not"),
        pytest.param("drama that is not in the series Star Wars", "Star Wars", id="not in"),
        pytest.param("comedies without romance", "romance", id="a word of the glossary"),
        pytest.param("I have seen every O'Hara film", "O'Hara", id="quote in a name"),
    ],
)
def test_exclusions_are_read(films: Session, question: str, what: str) -> None:
    (excluded,) = context(films, question)["exclusions"]

    assert excluded["what"] == what
    sql = f"SELECT m.Id FROM Movie AS m WHERE {excluded['where']}"
    assert readonly_sql.run(films, call(), sql=sql).rows is not None


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("movies like Alien that I have not seen", id="not seen"),
        pytest.param("I have had a bad day and am not in the mood for horror", id="moods"),
        pytest.param("I have heard people talk of robots", id="no name of the graph"),
    ],
)
def test_a_question_without_exclusions_has_none(films: Session, question: str) -> None:
    assert context(films, question)["exclusions"] == []


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("films directed by Ridley Scott", id="directed by"),
        pytest.param("Who directed Alien?", id="who directed"),
    ],
)
def test_what_the_graph_does_not_hold_is_said(films: Session, question: str) -> None:
    (gap,) = context(films, question)["unavailable"]

    assert "crew" in gap["message"]


def test_at_most_two_examples_come_nearest_first(films: Session) -> None:
    examples = context(films, "How many films are there from each decade?")["examples"]

    assert 1 <= len(examples) <= 2
    assert examples[0]["question"] == "How many films are there from each decade?"
    assert {each["source"] for each in examples} == {"contract"}


class BrokenEmbedder:
    """Implements `Embedder`, and fails."""

    def __init__(self, session: Session) -> None:
        self.space = session.embedder.space

    def load(self) -> None:
        raise EmbeddingError("no model")

    def embed(self, texts: Any, progress: Progress | None = None) -> Vectors:
        raise EmbeddingError("no model")


def test_without_an_embedder_shared_words_decide(films: Session) -> None:
    deaf = replace(films, embedder=BrokenEmbedder(films))
    examples = context(deaf, "How many films are there from each decade?")["examples"]

    assert examples[0]["question"] == "How many films are there from each decade?"


def test_an_earlier_winner_of_the_same_question_comes_first(films: Session) -> None:
    question = "films with rebels of last year"
    command = "SELECT m.Id FROM Movie AS m WHERE m.ReleaseYear = 1977"
    strategies.run(
        replace(films, today="2026-03-01"),
        call(),
        question=question,
        strategies=[Strategy("year", "", None, command)],
    )
    first, *others = context(films, "films with rebels in 2025")["examples"]

    assert (first["source"], first["question"]) == ("journal", question)
    assert "[ReleaseYear] = 1977" in first["sql"]
    assert [each["source"] for each in others] == ["contract"]


@pytest.mark.parametrize("section", ["tables", "edges", "examples", "rules", "glossary"])
def test_a_section_is_returned_alone(films: Session, section: str) -> None:
    found = planning.context(films, call(), section=section)

    assert found["section"] == section
    assert found["text"]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"question": "a", "section": "rules"}, id="both"),
        pytest.param({"section": "table"}, id="no such section"),
        pytest.param({"question": "  "}, id="no question"),
    ],
)
def test_wrong_arguments_are_refused(films: Session, arguments: dict[str, str]) -> None:
    with pytest.raises(ArgumentError):
        planning.context(films, call(), **arguments)


def test_another_contract_plans_in_its_own_words(kitchen: Session) -> None:
    found = context(kitchen, "veg dishes made with eggplant, except Hummus, and their calories")

    assert "vegetable" in found["normalised"]
    assert {"text": "eggplant", "meaning": "Ingredient 'Aubergine'"} in found["interpretations"]
    assert {"Recipe", "Ingredient", "NEEDS"} <= tables(found).keys()
    assert found["exclusions"][0]["where"] == "m.Title <> N'Hummus'"
    assert found["unavailable"][0]["word"] == "calories"
    assert found["examples"]


def test_vectors_of_the_contract_are_computed_once(films: Session) -> None:
    counted: list[int] = []

    class Counting(BrokenEmbedder):
        def embed(self, texts: Any, progress: Progress | None = None) -> Vectors:
            counted.append(len(texts))
            return np.ones((len(texts), self.space.dimensions), np.float32)

    empty = MemoryJournal()
    session = replace(films, embedder=Counting(films), cache=Cache(), journal=empty)
    context(session, "a")
    before = sum(counted)
    context(session, "b")

    assert sum(counted) - before == 2


@pytest.mark.parametrize(
    ("question", "normalised"),
    [
        pytest.param("films of the past decade", "films since 2016", id="past decade"),
        pytest.param("movies before the 1980s", "movies up to 1979", id="before a decade"),
        pytest.param("movies since the nineties", "movies since 1990", id="since a decade"),
        pytest.param("movies after the 90s", "movies since 2000", id="after a decade"),
        pytest.param("films of the mid-1990s", "films from 1994 to 1996", id="middle"),
        pytest.param("movies from the early 2000s", "movies from 2000 to 2003", id="early"),
        pytest.param("late seventies horror", "from 1977 to 1979 horror", id="late"),
        pytest.param("movies older than 50 years", "movies up to 1976", id="older than"),
        pytest.param("this year's films", "in 2026 films", id="this year's"),
        pytest.param("whodunits and romcoms", "murder mystery and romantic comedy", id="plurals"),
        pytest.param("films set in New York", "films set in New York", id="a name with New"),
    ],
)
def test_relative_times_and_plurals_are_written_out(
    films: Session, question: str, normalised: str
) -> None:
    found = context(films, question)

    assert found["normalised"] == normalised
    assert not any(each["text"] == "New" for each in found["interpretations"])
