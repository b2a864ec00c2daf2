from typing import Any

import numpy as np
import pytest
from fakes.sessions import call, column, recorded

from moviegraph.engines.graph_records import embedded_text
from moviegraph.errors import ArgumentError, RefusedError, VectorSpaceError
from moviegraph.query import readonly_sql
from moviegraph.query.session import Session
from moviegraph.search import records, semantic


def test_the_nearest_come_first_with_their_similarity(films: Session) -> None:
    rows = semantic.search(films, call(), query="rebels on a desert planet", top=3)
    assert rows.columns == ("Id", "Name", "ReleaseYear", "Similarity", "Content")
    assert {1, 3} == set(column(rows, "Id")[:2])
    values = column(rows, "Similarity")
    assert values == sorted(values, reverse=True)
    assert all(value == round(value, 4) for value in values)
    assert rows.truncated == "rows"


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


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, id="plain"),
        pytest.param({"where": "ReleaseYear > 1978 OR Name LIKE '%a%'"}, id="where"),
        pytest.param({"exclude": ["Star Wars", "Horror"]}, id="exclude"),
        pytest.param({"where": "Name <> 'O''Brien'", "exclude": [3], "top": 2}, id="both"),
        pytest.param({"kind": "Theme", "top": 2}, id="another kind"),
    ],
)
def test_the_statement_shown_returns_the_same_rows(films: Session, more: dict[str, Any]) -> None:
    query = "desert planet"
    rows = semantic.search(films, call(), query=query, detail="full", **more)
    assert rows.sql is not None
    again = readonly_sql.run(films, call(), sql=rows.sql, query=query)
    assert (again.columns, again.rows) == (rows.columns, rows.rows)
    assert again.changes == ()


def test_no_statement_is_shown_for_what_is_like_nodes(films: Session) -> None:
    assert semantic.search(films, call(), like=["Dune"]).sql is None


def test_nodes_like_others_are_found_without_them(films: Session) -> None:
    rows = semantic.search(films, call(), like=["Star Wars"], top=3)
    assert 1 not in column(rows, "Id")
    assert column(rows, "Similarity") == sorted(column(rows, "Similarity"), reverse=True)


def test_the_vector_is_the_mean_of_the_examples_plus_one_and_a_half_of_the_query(
    films: Session,
) -> None:
    rows = semantic.search(films, call(), query="in deep space", like=["Dune", 2], detail="full")
    texts = {row[0]: embedded_text(row[1], row[4]) for row in rows.rows}
    named_rows = records.fetch(films, call(), ids=[3, 2]).rows
    examples = films.embedder.embed([embedded_text(row[1], row[3]) for row in named_rows]).mean(
        axis=0
    )
    expected_vector = (
        examples / np.linalg.norm(examples) + 1.5 * films.embedder.embed(["in deep space"])[0]
    )
    expected_vector /= np.linalg.norm(expected_vector)
    for node_id, similarity in zip(column(rows, "Id"), column(rows, "Similarity"), strict=True):
        stored = films.embedder.embed([texts[node_id]])[0]
        assert similarity == pytest.approx(float(np.dot(expected_vector, stored)), abs=2e-3)


def test_a_call_without_text_and_nodes_is_an_argument_error(films: Session) -> None:
    with pytest.raises(ArgumentError, match="`query` and `like`"):
        semantic.search(films, call())


def test_the_same_call_is_answered_the_same_and_recorded_again(films: Session) -> None:
    first = semantic.search(films, call(), query="a swamp", exclude=["Star Wars"])
    second = semantic.search(films, call(), query="a swamp", exclude=["Star Wars"])
    assert (first.rows, first.notes) == (second.rows, second.notes)
    assert first.execution_id != second.execution_id
    assert recorded(films, second).keys == recorded(films, first).keys


def test_the_records_of_one_call_have_its_id(films: Session) -> None:
    created = call("semantic_search")
    rows = semantic.search(films, created, query="a swamp")
    assert recorded(films, rows).call_id == created.id
    assert any(step.startswith("nearest(Movie") for step in recorded(films, rows).statements)


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
