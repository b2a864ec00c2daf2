"""The movie graph in the box keeps its own rules, and the rules notice what breaks them."""

import json
import shutil
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[2] / "data"
CONCEPTS = {
    "IN_GENRE": "Genre",
    "SET_IN": "Setting",
    "INCLUDES_THEME": "Theme",
    "FEATURES_CHARACTER": "Character",
    "PART_OF_SERIES": "Series",
}
KINDS = ("Movie", *CONCEPTS.values())
PER_FILM = {
    "IN_GENRE": (1, 4),
    "SET_IN": (1, 6),
    "INCLUDES_THEME": (2, 8),
    "FEATURES_CHARACTER": (2, 6),
    "PART_OF_SERIES": (0, 1),
}


@dataclass(frozen=True, slots=True)
class Node:
    """One record of a node file."""

    kind: str
    id: int
    name: str
    content: str
    year: int | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.id} {self.name!r}"


@dataclass(frozen=True, slots=True)
class Edge:
    """One record of an edge file."""

    kind: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.kind} {self.start} -> {self.end}"


@dataclass(frozen=True, slots=True)
class Box:
    """All records of a data folder."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def of(self, kind: str) -> list[Node]:
        return [node for node in self.nodes if node.kind == kind]

    def along(self, kind: str) -> list[Edge]:
        return [edge for edge in self.edges if edge.kind == kind]


Check = Callable[[Box], list[str]]


def read_box(folder: Path) -> Box:
    nodes = [Node(**record) for kind in KINDS for record in records(folder / f"nodes_{kind}.jsonl")]
    edges = [
        Edge(record["kind"], record["from"], record["to"])
        for kind in CONCEPTS
        for record in records(folder / f"edges_{kind}.jsonl")
    ]
    return Box(tuple(nodes), tuple(edges))


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines_of(path)]


def folded(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold())
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())


def repeated(described: Iterable[tuple[object, object]]) -> list[str]:
    """What shares its key with an earlier thing, as text."""
    groups: dict[object, list[str]] = {}
    for key, thing in described:
        groups.setdefault(key, []).append(str(thing))
    return [" = ".join(group) for group in groups.values() if len(group) > 1]


def dangling_edges(box: Box) -> list[str]:
    known = {(node.kind, node.id) for node in box.nodes}
    return [
        str(edge)
        for edge in box.edges
        if ("Movie", edge.start) not in known or (CONCEPTS[edge.kind], edge.end) not in known
    ]


def duplicate_edges(box: Box) -> list[str]:
    return repeated((edge, edge) for edge in box.edges)


def duplicate_ids(box: Box) -> list[str]:
    return repeated(((node.kind, node.id), node) for node in box.nodes)


def duplicate_names(box: Box) -> list[str]:
    return repeated(((node.kind, folded(node.name)), node) for node in box.nodes)


def shared_texts(box: Box) -> list[str]:
    return repeated((folded(node.content), node) for node in box.nodes)


def untidy_texts(box: Box) -> list[str]:
    """Nodes whose name or text is empty, has blanks at an end, or is too long for its column."""
    return [
        str(node)
        for node in box.nodes
        if not node.name
        or not node.content
        or node.name != node.name.strip()
        or node.content != node.content.strip()
        or len(node.name) > 200
    ]


def films_out_of_bounds(kind: str) -> Check:
    fewest, most = PER_FILM[kind]

    def check(box: Box) -> list[str]:
        counts = Counter(edge.start for edge in box.along(kind))
        return [
            f"{film.name}: {counts[film.id]}"
            for film in box.of("Movie")
            if not fewest <= counts[film.id] <= most
        ]

    return check


def plots_out_of_bounds(box: Box) -> list[str]:
    lengths = [(film.name, len(film.content.split())) for film in box.of("Movie")]
    return [f"{name}: {words} words" for name, words in lengths if not 60 <= words <= 100]


def films_without_year(box: Box) -> list[str]:
    return [str(film) for film in box.of("Movie") if film.year is None]


def unused_concepts(box: Box) -> list[str]:
    used = {(CONCEPTS[edge.kind], edge.end) for edge in box.edges}
    return [
        str(node) for node in box.nodes if node.kind != "Movie" and (node.kind, node.id) not in used
    ]


def missing_decades(box: Box) -> list[str]:
    present = {film.year // 10 * 10 for film in box.of("Movie") if film.year is not None}
    return [f"{decade}s" for decade in range(1930, 2030, 10) if decade not in present]


def films_of_series(box: Box, name: str) -> list[str]:
    series = {node.id for node in box.of("Series") if node.name == name}
    films = {edge.start for edge in box.along("PART_OF_SERIES") if edge.end in series}
    return [film.name for film in box.of("Movie") if film.id in films]


def lonely_settings(box: Box) -> list[str]:
    counts = Counter(edge.end for edge in box.along("SET_IN"))
    return [node.name for node in box.of("Setting") if counts[node.id] == 1]


def misshapen_lines(folder: Path) -> list[str]:
    """Lines that are not one object, as `json` writes it, with the agreed keys in order."""
    node, edge = ["kind", "id", "name", "content"], ["kind", "from", "to"]
    files = {f"nodes_{kind}.jsonl": (kind, node) for kind in KINDS}
    files |= {f"edges_{kind}.jsonl": (kind, edge) for kind in CONCEPTS}
    files["nodes_Movie.jsonl"] = ("Movie", [*node, "year"])
    return [
        f"{file}:{number}"
        for file, (kind, keys) in files.items()
        for number, line in enumerate(lines_of(folder / file), start=1)
        if not well_shaped(line, kind, keys)
    ]


def lines_of(path: Path) -> list[str]:
    """Lines as LF alone parts them."""
    return path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")


def well_shaped(line: str, kind: str, keys: list[str]) -> bool:
    try:
        record = json.loads(line)
    except json.JSONDecodeError:
        return False
    plain = isinstance(record, dict) and json.dumps(record, ensure_ascii=False) == line
    return plain and list(record) == keys and record["kind"] == kind


@pytest.fixture(scope="module")
def box() -> Box:
    return read_box(DATA)


def test_the_box_holds_at_least_150_films(box: Box) -> None:
    assert len(box.of("Movie")) >= 150


def test_every_decade_from_the_1930s_to_the_2020s_has_a_film(box: Box) -> None:
    assert not missing_decades(box), missing_decades(box)


def test_every_film_has_its_year(box: Box) -> None:
    assert not films_without_year(box), films_without_year(box)


def test_every_line_is_one_object_with_the_agreed_keys_in_order() -> None:
    assert not misshapen_lines(DATA), misshapen_lines(DATA)


def test_every_edge_leads_from_a_film_to_a_node_that_exists(box: Box) -> None:
    assert not dangling_edges(box), dangling_edges(box)


def test_no_edge_is_told_twice(box: Box) -> None:
    assert not duplicate_edges(box), duplicate_edges(box)


def test_no_id_is_given_twice_within_a_kind(box: Box) -> None:
    assert not duplicate_ids(box), duplicate_ids(box)


def test_no_name_is_given_twice_within_a_kind_whatever_its_case_or_accents(box: Box) -> None:
    assert not duplicate_names(box), duplicate_names(box)


def test_no_name_or_text_is_empty_or_untidy(box: Box) -> None:
    assert not untidy_texts(box), untidy_texts(box)


def test_no_two_records_share_a_text(box: Box) -> None:
    assert not shared_texts(box), shared_texts(box)


@pytest.mark.parametrize("kind", PER_FILM)
def test_every_film_has_as_many_of_each_as_the_rules_allow(box: Box, kind: str) -> None:
    offenders = films_out_of_bounds(kind)(box)
    assert not offenders, offenders


def test_every_plot_has_60_to_100_words(box: Box) -> None:
    assert not plots_out_of_bounds(box), plots_out_of_bounds(box)


def test_every_concept_and_character_belongs_to_a_film(box: Box) -> None:
    assert not unused_concepts(box), unused_concepts(box)


def test_the_star_wars_series_has_its_eleven_films(box: Box) -> None:
    films = films_of_series(box, "Star Wars")
    assert len(films) >= 11, films


def test_fewer_than_a_third_of_the_settings_have_one_film_only(box: Box) -> None:
    lonely = lonely_settings(box)
    assert len(lonely) * 3 < len(box.of("Setting")), lonely


NEW_EDGE = '{"kind": "SET_IN", "from": 1, "to": 99999}'
NEW_SETTING = '{"kind": "Setting", "id": 99998, "name": "%s", "content": "%s"}'


@pytest.mark.parametrize(
    ("file", "line", "check", "offender"),
    [
        pytest.param("edges_SET_IN", NEW_EDGE, dangling_edges, "99999", id="dangling"),
        pytest.param(
            "edges_SET_IN",
            '{"kind": "SET_IN", "from": 99999, "to": 1}',
            dangling_edges,
            "99999",
            id="from_nowhere",
        ),
        pytest.param(
            "nodes_Setting", NEW_SETTING % ("PARÍS", "x"), duplicate_names, "Paris", id="same_name"
        ),
        pytest.param(
            "nodes_Setting", NEW_SETTING % ("Nowhere", ""), untidy_texts, "Nowhere", id="no_text"
        ),
        pytest.param(
            "nodes_Setting", NEW_SETTING % ("Lull ", "x"), untidy_texts, "Lull", id="trailing_blank"
        ),
        pytest.param(
            "nodes_Setting", NEW_SETTING % ("Limbo", "x"), unused_concepts, "Limbo", id="unused"
        ),
    ],
)
def test_a_bad_line_in_a_copy_is_found(
    tmp_path: Path, file: str, line: str, check: Check, offender: str
) -> None:
    folder = shutil.copytree(DATA, tmp_path / "data")
    with (folder / f"{file}.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(line + "\n")
    found = check(read_box(folder))
    assert len(found) == 1
    assert offender in found[0]


@pytest.mark.parametrize(
    ("file", "check"),
    [
        pytest.param("edges_PART_OF_SERIES", duplicate_edges, id="edge"),
        pytest.param("nodes_Genre", duplicate_ids, id="id"),
        pytest.param("nodes_Genre", shared_texts, id="text"),
    ],
)
def test_a_line_repeated_in_a_copy_is_found(tmp_path: Path, file: str, check: Check) -> None:
    folder = shutil.copytree(DATA, tmp_path / "data")
    path = folder / f"{file}.jsonl"
    first = lines_of(path)[0]
    with path.open("a", encoding="utf-8") as stream:
        stream.write(first + "\n")
    assert len(check(read_box(folder))) == 1


@pytest.mark.parametrize("kind", ["IN_GENRE", "SET_IN", "INCLUDES_THEME", "FEATURES_CHARACTER"])
def test_a_film_that_loses_its_edges_in_a_copy_is_found(tmp_path: Path, kind: str) -> None:
    folder = shutil.copytree(DATA, tmp_path / "data")
    path = folder / f"edges_{kind}.jsonl"
    kept = [line for line in lines_of(path) if json.loads(line)["from"] != 1]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    assert films_out_of_bounds(kind)(read_box(folder)) == ["Star Wars: 0"]


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
def test_a_misshapen_line_in_a_copy_is_found_by_file_and_line(tmp_path: Path, line: str) -> None:
    folder = shutil.copytree(DATA, tmp_path / "data")
    path = folder / "nodes_Genre.jsonl"
    number = len(lines_of(path)) + 1
    with path.open("ab") as stream:
        stream.write(f"{line}\n".encode())
    assert misshapen_lines(folder) == [f"nodes_Genre.jsonl:{number}"]


def test_a_short_plot_in_a_copy_is_found(tmp_path: Path) -> None:
    folder = shutil.copytree(DATA, tmp_path / "data")
    path = folder / "nodes_Movie.jsonl"
    first, *others = lines_of(path)
    short = json.dumps(json.loads(first) | {"content": "A farm boy leaves home."})
    path.write_text("\n".join([short, *others]) + "\n", encoding="utf-8")
    assert plots_out_of_bounds(read_box(folder)) == ["Star Wars: 5 words"]
