"""The comparison of a source with its graph tells what is missing."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from benchmarks.own_data.found import Relation, find, links_found, read_graph
from benchmarks.own_data.questions import Question, questions, shop_tables
from benchmarks.own_data.reading import read_source
from benchmarks.own_data.shapes import SHAPES, courses, posts
from benchmarks.own_data.tables import write_duckdb, write_lines

from moviegraph.loading.folder_loader import load


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> list[Relation]:
    folder = tmp_path_factory.mktemp("courses")
    write_duckdb(folder / "courses.duckdb", courses(20))
    load(folder / "courses.duckdb", folder / "graph", None, None)
    return read_graph(folder / "graph")


def test_a_whole_graph_has_all_rows_values_types_and_links(graph: list[Relation]) -> None:
    tables = courses(20)

    for table in tables:
        found = find(table, graph)
        assert found.rows == (len(table.rows),) * 2
        for expected, counted in (found.values, found.distinct, found.types):
            assert expected == counted
        assert all(most == pairs for pairs, most in links_found(table, tables, graph).values())


def test_a_lost_value_a_wrong_type_and_a_lost_link_are_counted(graph: list[Relation]) -> None:
    tables = {table.name: table for table in courses(20)}
    kind = next(relation for relation in graph if relation.name == "Student")
    born = kind.columns["Born"]
    lost = replace(kind, columns=kind.columns | {"Born": [None, *born[1:]]})
    as_text = replace(kind, columns=kind.columns | {"Born": list(map(str, born))})
    edges = next(relation for relation in graph if relation.name.startswith("ENROLMENTS"))
    cut = replace(edges, columns={name: values[1:] for name, values in edges.columns.items()})

    found = find(tables["students"], [lost])
    links = links_found(tables["enrolments"], list(tables.values()), [cut])

    assert (found.rows, found.missing) == ((len(born), len(born) - 1), {"born": 1})
    assert find(tables["students"], [as_text]).types == (2, 1)
    pairs = len(tables["enrolments"].rows)
    assert links == {"student_id and course_code": (pairs, pairs - 1)}


def test_what_duckdb_reads_of_a_file_is_what_was_written(tmp_path: Path) -> None:
    [written] = posts(20)
    write_lines(tmp_path / "posts.jsonl", [written])

    [read] = read_source(tmp_path / "posts.jsonl")

    assert read.columns == written.columns
    assert read.values("tags") == written.values("tags")


def test_shapes_are_the_same_in_each_run() -> None:
    for shape in SHAPES:
        assert shape.tables(20) == shape.tables(20)


def test_an_answer_is_right_with_whole_names_and_numbers_to_half_a_cent() -> None:
    question = Question("", ("Kaka Elmibe", "000417", Decimal("12.30")), (), ())

    assert question.is_answered('["Kaka Elmibe", "000417", 12.299999]')
    assert not question.is_answered('["Kaka Elmibes", "000417", 12.30]')
    assert not question.is_answered('["Kaka Elmibe", 417, 12.30]')
    assert not question.is_answered('["Kaka Elmibe", "000417", 12.31]')


def test_each_question_has_an_answer() -> None:
    for question in questions(shop_tables()):
        assert question.expected
        assert not question.is_answered("")
