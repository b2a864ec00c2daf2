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
