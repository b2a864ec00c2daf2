import pytest
from fakes.sessions import call, column

from moviegraph.retrieval import fulltext, hybrid, semantic
from moviegraph.retrieval.fusion import reciprocal_rank
from moviegraph.retrieval.session import Session

QUERY = "rebels flee across a desert planet"


def test_the_statement_fuses_as_the_pure_function_does(films: Session) -> None:
    meaning = column(semantic.search(films, call(), query=QUERY), "Id")
    words = column(fulltext.search(films, call(), query=QUERY, mode="freetext"), "Id")
    rows = hybrid.search(films, call(), query=QUERY)
    expected = [
        (each.key, round(each.score, 6), *each.ranks) for each in reciprocal_rank([meaning, words])
    ]
    names = ("Id", "Score", "SemanticRank", "FulltextRank")
    found = list(zip(*(column(rows, name) for name in names), strict=True))
    assert found == expected
    assert None in column(rows, "FulltextRank")


def test_keywords_feed_the_second_list_and_where_both(films: Session) -> None:
    rows = hybrid.search(
        films, call(), query="desert planet", keywords="waitress", where="ReleaseYear > 1990"
    )
    places = dict(zip(column(rows, "Id"), column(rows, "FulltextRank"), strict=True))
    assert set(places) == {3, 5, 7, 8}
    assert places[5] == 1
    assert places[3] is None


def test_another_contract_is_searched_by_its_own_names(kitchen: Session) -> None:
    rows = hybrid.search(kitchen, call(), query="lentils with turmeric", where="Minutes < 60")
    assert "Dal" in column(rows, "Title")[:2]
    assert rows.columns[-4:] == ("Score", "SemanticRank", "FulltextRank", "Method")


def test_words_that_are_found_nowhere_are_noted_with_the_nearest_names(films: Session) -> None:
    (note,) = hybrid.search(films, call(), query="in deep space", keywords="Amelei").notes
    assert "Amélie" in note
    assert hybrid.search(films, call(), query="rebels").notes == ()


def test_a_condition_that_leaves_nothing_is_named(films: Session) -> None:
    rows = hybrid.search(films, call(), query="rebels", where="ReleaseYear > 3000")
    assert (rows.rows, rows.notes) == ([], ("No Movie satisfies `where`.",))


@pytest.mark.parametrize(
    ("query", "name"),
    [
        pytest.param("amélie", "Amélie", id="exact, in another case"),
        pytest.param("Amelei", "Amélie", id="nearly"),
    ],
)
def test_what_a_query_names_comes_first(films: Session, query: str, name: str) -> None:
    rows = hybrid.search(films, call(), query=query)
    assert column(rows, "Name")[0] == name
    scores = column(rows, "Score")
    assert scores == sorted(scores, reverse=True)


def test_a_guessed_name_is_noted_and_where_holds_for_it(films: Session) -> None:
    (note,) = hybrid.search(films, call(), query="Amelei").notes
    assert "Amélie" in note
    rows = hybrid.search(films, call(), query="Amélie", where="ReleaseYear < 1990")
    assert "Amélie" not in column(rows, "Name")


def test_a_named_example_stands_for_its_text_and_is_left_out(films: Session) -> None:
    text = column(
        fulltext.search(films, call(), query="Amélie", detail="full", mode="auto"), "Content"
    )[0]
    rows = hybrid.search(films, call(), query="films like Amélie")
    by_text = column(hybrid.search(films, call(), query=text), "Name")
    assert column(rows, "Name") == [name for name in by_text if name != "Amélie"]
    assert "'Amélie'" in rows.notes[0]


def test_what_a_query_leaves_out_by_name_is_left_out(films: Session) -> None:
    rows = hybrid.search(films, call(), query="a waitress in Paris, but not Amélie")
    assert rows.rows
    assert "Amélie" not in column(rows, "Name")
    assert "'Amélie'" in rows.notes[0]


def test_words_that_are_no_names_leave_nothing_out(films: Session) -> None:
    assert hybrid.search(films, call(), query="like a waitress, not a rebel").notes == ()
