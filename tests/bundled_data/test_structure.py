"""Lines, ids, names and edges of the bundled graph are complete, and the checks notice faults."""

import json
import shutil
from pathlib import Path

import pytest
from bundled_data.graph import BundledGraph, Check, Edge, Node, lines_of, read_bundled_graph
from bundled_data.structure import (
    PER_FILM,
    dangling_edges,
    duplicate_edges,
    duplicate_ids,
    duplicate_names,
    films_out_of_bounds,
    films_without_year,
    misshapen_lines,
    untidy_names,
    unused_concepts,
)


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(films_without_year, id="every_film_has_its_year"),
        pytest.param(dangling_edges, id="every_edge_leads_from_a_film_to_a_node_that_exists"),
        pytest.param(duplicate_edges, id="no_edge_is_told_twice"),
        pytest.param(duplicate_ids, id="no_id_is_given_twice_within_a_kind"),
        pytest.param(duplicate_names, id="no_name_is_given_twice_whatever_its_case_or_accents"),
        pytest.param(untidy_names, id="no_name_is_empty_or_untidy"),
        pytest.param(unused_concepts, id="every_concept_and_character_belongs_to_a_film"),
    ],
)
def test_the_bundled_graph_is_complete(bundled_graph: BundledGraph, check: Check) -> None:
    assert not check(bundled_graph), check(bundled_graph)


def test_every_line_is_one_object_with_the_agreed_keys_in_order(data: Path) -> None:
    assert not misshapen_lines(data), misshapen_lines(data)


@pytest.mark.parametrize("kind", PER_FILM)
def test_every_film_has_as_many_of_each_as_the_rules_allow(
    bundled_graph: BundledGraph, kind: str
) -> None:
    offenders = films_out_of_bounds(kind)(bundled_graph)
    assert not offenders, offenders


@pytest.mark.parametrize(
    ("node", "check", "offender"),
    [
        pytest.param(Node("Setting", 9999, "PARÍS", "x"), duplicate_names, "Paris", id="name"),
        pytest.param(Node("Setting", 1, "Nowhere", "x"), duplicate_ids, "Nowhere", id="id"),
        pytest.param(Node("Setting", 9999, "Lull ", "x"), untidy_names, "Lull", id="blank"),
        pytest.param(Node("Setting", 9999, "", "x"), untidy_names, "9999", id="no_name"),
        pytest.param(Node("Setting", 9999, "Limbo", "x"), unused_concepts, "Limbo", id="unused"),
        pytest.param(Node("Movie", 9999, "Limbo", "x"), films_without_year, "Limbo", id="year"),
    ],
)
def test_a_bad_node_is_found(
    bundled_graph: BundledGraph, node: Node, check: Check, offender: str
) -> None:
    (problem,) = check(bundled_graph.with_more(node))
    assert offender in problem


@pytest.mark.parametrize(
    ("edge", "check"),
    [
        pytest.param(Edge("SET_IN", 1, 99999), dangling_edges, id="to_nowhere"),
        pytest.param(Edge("SET_IN", 99999, 1), dangling_edges, id="from_nowhere"),
        pytest.param(Edge("PART_OF_SERIES", 1, 1), duplicate_edges, id="told_twice"),
    ],
)
def test_a_bad_edge_is_found(bundled_graph: BundledGraph, edge: Edge, check: Check) -> None:
    (problem,) = check(bundled_graph.with_more(edges=[edge]))
    assert str(edge) in problem


@pytest.mark.parametrize("kind", ["IN_GENRE", "SET_IN", "INCLUDES_THEME", "FEATURES_CHARACTER"])
def test_a_film_that_loses_its_edges_is_found(bundled_graph: BundledGraph, kind: str) -> None:
    poorer = bundled_graph.without_edges(lambda edge: edge.kind == kind and edge.start == 1)
    assert films_out_of_bounds(kind)(poorer) == ["Star Wars: 0"]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("", id="blank_line"),
        pytest.param('{"kind": "Genre", "id": 99, "name": "Noir"', id="broken"),
        pytest.param('{"id": 99, "kind": "Genre", "name": "Noir", "content": "x"}', id="order"),
        pytest.param('{"kind": "Theme", "id": 99, "name": "Noir", "content": "x"}', id="kind"),
        pytest.param('{"kind": "Genre", "id": 99, "name": "Noir", "content": "x"}\r', id="cr"),
    ],
)
def test_a_misshapen_line_in_a_copy_is_found_by_file_and_line(
    data: Path, tmp_path: Path, line: str
) -> None:
    folder = shutil.copytree(data, tmp_path / "data", ignore=shutil.ignore_patterns("vectors"))
    path = folder / "nodes_Genre.jsonl"
    number = len(lines_of(path)) + 1
    with path.open("ab") as stream:
        stream.write(f"{line}\n".encode())
    assert misshapen_lines(folder) == [f"nodes_Genre.jsonl:{number}"]


def test_a_line_repeated_in_a_copy_is_read_and_found(data: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(data, tmp_path / "data", ignore=shutil.ignore_patterns("vectors"))
    path = folder / "nodes_Genre.jsonl"
    first = lines_of(path)[0]
    with path.open("a", encoding="utf-8") as stream:
        stream.write(first + "\n")
    name = json.loads(first)["name"]
    assert [name in node_id for node_id in duplicate_ids(read_bundled_graph(folder))] == [True]
