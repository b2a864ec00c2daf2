import numpy as np
import pytest
from fakes.sessions import call, column, recorded

from moviegraph.engines.records import embedded_text
from moviegraph.errors import RefusedError, VectorSpaceError
from moviegraph.retrieval import semantic
from moviegraph.retrieval.session import Session


def test_the_nearest_come_first_with_their_similarity(films: Session) -> None:
    rows = semantic.search(films, call(), query="rebels on a desert planet", top=3)
    assert rows.columns == ("Id", "Name", "ReleaseYear", "Similarity", "Content")
    assert {1, 3} == set(column(rows, "Id")[:2])
    values = column(rows, "Similarity")
    assert values == sorted(values, reverse=True)
    assert all(value == round(value, 4) for value in values)
    assert rows.truncated is None


def test_the_similarity_is_one_minus_the_cosine_distance(films: Session) -> None:
    row = semantic.search(films, call(), query="a ship in deep space", top=1).rows[0]
    texts = ["a ship in deep space", embedded_text(row[1], row[4])]
    query, stored = films.embedder.embed(texts)
    assert row[3] == pytest.approx(float(np.dot(query, stored)), abs=2e-3)


def test_where_is_a_condition_over_the_columns(films: Session) -> None:
    condition = "ReleaseYear >= 1990 AND Name NOT LIKE '%Dune%'"
    rows = semantic.search(films, call(), query="desert planet", where=condition)
    assert set(column(rows, "Id")) == {5, 7, 8}


@pytest.mark.parametrize(
    "where",
    [
        pytest.param("Title = 'x'", id="unknown column"),
        pytest.param("Id IN (SELECT Id FROM Movie)", id="subquery"),
        pytest.param("1 = 1; DELETE FROM Movie", id="second statement"),
        pytest.param("1 = 1) OR (1 = 1", id="parenthesis closed"),
    ],
)
def test_a_bad_where_is_refused_by_its_own_code(films: Session, where: str) -> None:
    with pytest.raises(RefusedError) as refused:
        semantic.search(films, call(), query="desert", where=where)
    assert refused.value.code == "invalid_where"


def test_the_statement_runs_again_and_gives_the_same_nodes(films: Session) -> None:
    from moviegraph.retrieval import readonly_sql

    rows = semantic.search(films, call(), query="desert planet", top=4)
    again = readonly_sql.run(films, call(), sql=rows.sql, query="desert planet")
    assert set(column(again, "Id")) == set(column(rows, "Id"))


def test_the_journal_knows_query_keys_and_lineage(films: Session) -> None:
    rows = semantic.search(films, call("semantic_search"), query="desert planet", top=2)
    execution = recorded(films, rows)
    assert execution.tool == "semantic_search"
    assert execution.query == "desert planet"
    assert execution.keys == tuple(("Movie", key) for key in column(rows, "Id"))
    assert execution.lineage[0] == ("Movie", "Id", "n")
    assert execution.lineage[3] is None
    assert execution.status == "ok"
    assert execution.sql == rows.sql


def test_vectors_of_another_space_are_refused(films: Session) -> None:
    from dataclasses import replace

    from fakes.hashed_embedder import HashedEmbedder

    other = replace(films, embedder=HashedEmbedder(32))
    with pytest.raises(VectorSpaceError, match="dimensions: stored 64, query 32"):
        semantic.search(other, call(), query="desert")


def test_another_contract_is_searched_by_its_own_names(kitchen: Session) -> None:
    rows = semantic.search(
        kitchen,
        call(),
        query="char the smoky aubergine over an open flame",
        where="Vegan = 1",
        top=2,
    )
    assert rows.columns == (
        *("Number", "Title", "Minutes", "Vegan", "Added", "Price", "Tip"),
        *("Similarity", "Method"),
    )
    assert column(rows, "Title")[0] == "Moutabal"


def test_a_condition_that_leaves_nothing_is_named(films: Session) -> None:
    rows = semantic.search(films, call(), query="rebels", where="ReleaseYear > 3000")
    assert (rows.rows, rows.notes) == ([], ("No Movie satisfies `where`.",))
