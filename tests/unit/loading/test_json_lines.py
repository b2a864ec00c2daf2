"""Reading JSON Lines: accepted rows, and the report of each kind of bad row."""

import gzip
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from fakes.records import SourceRecords, read_records
from fakes.sources import FILMS, edge, film, node, packed, source
from fakes.toy_graph import TOY, toy_contract

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.errors import SourceError
from moviegraph.loading import source_files as source_module
from moviegraph.loading.row_validation import Reason, Rejects

FIRST = [film(1), node("Genre", 1, "Horror")]
RAW = packed(FILMS)
LONE = '{"kind": "Movie", "id": 5, "name": "a\\ud800", "content": "b"}'


@pytest.fixture(scope="module")
def contract() -> Contract:
    return load_contract()


def read_place(
    source_path: Path, contract: Contract, rejects: Rejects | None = None
) -> SourceRecords:
    return read_records(source_path, contract, rejects or Rejects())


DIRT = [
    pytest.param("{", Reason.NOT_JSON, "character 2", id="broken JSON"),
    pytest.param('{"kind": "Movie"} x', Reason.NOT_JSON, "character 19", id="more after it"),
    pytest.param(f'{{"id": {"1" * 5000}}}', Reason.NOT_JSON, "digits", id="endless number"),
    pytest.param("[" * 100_000, Reason.NOT_JSON, "nested", id="endless nesting"),
    pytest.param(
        '{"kind": "Movie", "id": 5, "name": NaN}', Reason.NOT_JSON, "NaN", id="not a number"
    ),
    pytest.param(b'{"kind": "Mo\xe9"}', Reason.NOT_UTF8, "byte 13", id="Latin-1"),
    pytest.param("[1, 2]", Reason.NOT_AN_OBJECT, "list", id="list"),
    pytest.param({"id": 5}, Reason.MISSING, "kind", id="no kind"),
    pytest.param({"kind": ""}, Reason.EMPTY, "kind", id="empty kind"),
    pytest.param({"kind": 7}, Reason.WRONG_TYPE, "kind", id="kind of another type"),
    pytest.param({"kind": "Moovie"}, Reason.UNKNOWN_KIND, "did you mean Movie?", id="kind"),
    pytest.param({"kind": "x" * 10_000}, Reason.UNKNOWN_KIND, "no kind", id="endless kind"),
    pytest.param(film(None), Reason.MISSING, "id", id="no id"),
    pytest.param(film(" "), Reason.EMPTY, "id", id="blank id"),
    pytest.param(film(True), Reason.WRONG_TYPE, "id", id="boolean id"),
    pytest.param(film(5.0), Reason.WRONG_TYPE, "id", id="float id"),
    pytest.param(film(-1), Reason.OUT_OF_RANGE, "as text", id="negative id"),
    pytest.param(film(2**31), Reason.OUT_OF_RANGE, "2^31", id="id beyond INT"),
    pytest.param(film(1), Reason.DUPLICATE_ID, "twice", id="duplicate id"),
    pytest.param(film("1"), Reason.DUPLICATE_ID, "twice", id="duplicate id as text"),
    pytest.param(film(5, None), Reason.MISSING, "name", id="no name"),
    pytest.param(film(5, " \t"), Reason.EMPTY, "name", id="blank name"),
    pytest.param(film(5, "\ufeff\u200b"), Reason.EMPTY, "name", id="name that nobody sees"),
    pytest.param(film("\u200b"), Reason.EMPTY, "id", id="id that nobody sees"),
    pytest.param(film(5, ["a"]), Reason.WRONG_TYPE, "name is ['a'], not text", id="name as list"),
    pytest.param(film(5, "a" * 201), Reason.TEXT_TOO_LONG, "201", id="name too long"),
    pytest.param(film(5, "😀" * 101), Reason.TEXT_TOO_LONG, "202", id="counted as SQL Server"),
    pytest.param(film(5, "a\0b"), Reason.NUL, "name", id="NUL"),
    pytest.param(film("a\0b"), Reason.NUL, "id", id="NUL in an id"),
    pytest.param(LONE, Reason.LONE_SURROGATE, "name", id="lone surrogate"),
    pytest.param(film(5, "a", None), Reason.MISSING, "content", id="no text"),
    pytest.param(film(5, "a", ""), Reason.EMPTY, "content", id="empty text"),
    pytest.param(film(5, "a", 3), Reason.WRONG_TYPE, "content", id="text as number"),
    pytest.param(film(5, year="1979"), Reason.WRONG_TYPE, "whole number", id="year as text"),
    pytest.param(film(5, year=1979.5), Reason.WRONG_TYPE, "1979.5", id="year with a half"),
    pytest.param(film(5, year=True), Reason.WRONG_TYPE, "year", id="boolean year"),
    pytest.param(film(5, year=10**12), Reason.OUT_OF_RANGE, "year", id="year beyond INT"),
    pytest.param(edge("IN_GENRE", 1, None), Reason.MISSING, "to", id="edge without end"),
    pytest.param(edge("IN_GENRE", [1], 1), Reason.WRONG_TYPE, "from", id="edge from a list"),
    pytest.param(
        edge("IN_GENRE", 9, 1), Reason.NO_SUCH_NODE, "not a loaded Movie", id="edge from nowhere"
    ),
    pytest.param(
        edge("IN_GENRE", 1, "x"), Reason.NO_SUCH_NODE, "not a loaded Genre", id="dangling edge"
    ),
    pytest.param(
        edge("SET_IN", 1, 1), Reason.NO_SUCH_NODE, "not a loaded Setting", id="end of other kind"
    ),
]


@pytest.mark.parametrize(("bad", "reason", "says"), DIRT)
def test_a_bad_row_is_reported_by_file_line_and_reason_and_set_aside(
    contract: Contract, tmp_path: Path, bad: Any, reason: Reason, says: str
) -> None:
    rejects_output = StringIO()
    rejects = Rejects(rejects_output)
    rows = [*FIRST, bad, edge("IN_GENRE", 1, 1)]
    records = read_place(source(tmp_path, rows, "some.jsonl"), contract, rejects)
    assert [(node.kind, node.id) for node in records.nodes] == [("Movie", 1), ("Genre", 1)]
    assert len(records.edges) == 1
    assert rejects.counts == {reason: 1}
    (first,) = rejects.first
    assert (first.file, first.line, first.reason) == ("some.jsonl", 3, reason)
    assert says in first.message
    assert len(first.message) < 150
    (line,) = rejects_output.getvalue().splitlines()
    aside = json.loads(line)
    assert (aside["file"], aside["line"], aside["reason"]) == ("some.jsonl", 3, reason)
    if isinstance(bad, dict):
        assert json.loads(aside["row"]) == bad


def test_a_duplicate_edge_is_reported_and_loaded_once(contract: Contract, tmp_path: Path) -> None:
    rejects = Rejects()
    twice = [*FIRST, edge("IN_GENRE", 1, 1), edge("IN_GENRE", "1", 1)]
    records = read_place(source(tmp_path, twice), contract, rejects)
    assert len(records.edges) == 1
    assert rejects.counts == {Reason.DUPLICATE_EDGE: 1}
    assert rejects.first[0].line == 4


def test_the_edges_of_a_bad_node_are_reported_too(contract: Contract, tmp_path: Path) -> None:
    rejects = Rejects()
    rows = [*FIRST, film(2, ""), edge("IN_GENRE", 2, 1)]
    read_place(source(tmp_path, rows), contract, rejects)
    assert rejects.counts == {Reason.EMPTY: 1, Reason.NO_SUCH_NODE: 1}


def test_all_bad_rows_are_counted_and_the_first_few_are_shown(
    contract: Contract, tmp_path: Path
) -> None:
    rejects = Rejects()
    read_place(source(tmp_path, [*FIRST, *["{"] * 100, *["[]"] * 3]), contract, rejects)
    assert rejects.counts == {Reason.NOT_JSON: 100, Reason.NOT_AN_OBJECT: 3}
    assert [reject.line for reject in rejects.first] == [3, 4, 5, 6, 7, 103, 104, 105]


def test_kinds_come_from_the_rows_and_edges_may_be_first(
    contract: Contract, tmp_path: Path
) -> None:
    source(tmp_path, [edge("in_genre", 1, 1), film(1)], "a.jsonl")
    source(tmp_path, [node("GENRE", 1, "Horror")], "nodes_Movie.jsonl")
    rejects = Rejects()
    records = read_place(tmp_path, contract, rejects)
    assert [node.kind for node in records.nodes] == ["Movie", "Genre"]
    assert [edge.kind for edge in records.edges] == ["IN_GENRE"]
    assert not rejects.counts


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(RAW, id="plain"),
        pytest.param(b"\xef\xbb\xbf" + RAW, id="byte-order mark"),
        pytest.param(RAW.replace(b"\n", b"\r\n"), id="Windows line ends"),
        pytest.param(RAW.replace(b"\n", b"\n\n  \n"), id="blank lines"),
        pytest.param(RAW.removesuffix(b"\n"), id="no last line end"),
        pytest.param(gzip.compress(RAW), id="gzip"),
        pytest.param(gzip.compress(RAW[:50]) + gzip.compress(RAW[50:]), id="joined gzips"),
    ],
)
def test_harmless_differences_between_files_do_no_harm(
    contract: Contract, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "all.jsonl.gz").write_bytes(content)
    rejects = Rejects()
    records = read_place(tmp_path, contract, rejects)
    assert (len(records.nodes), len(records.edges)) == (5, 4)
    assert not rejects.counts


def test_other_files_and_empty_files_are_left_alone(contract: Contract, tmp_path: Path) -> None:
    source(tmp_path)
    (tmp_path / "stats.json").write_text("{")
    (tmp_path / "more").mkdir()
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "empty.jsonl.gz").write_bytes(gzip.compress(b""))
    (tmp_path / "nothing.jsonl.gz").write_bytes(b"")
    rejects = Rejects()
    assert len(read_place(tmp_path, contract, rejects).nodes) == 5
    assert not rejects.counts


def test_one_file_is_a_source_too(contract: Contract, tmp_path: Path) -> None:
    source(tmp_path, FIRST, "other.jsonl")
    assert len(read_place(source(tmp_path) / "all.jsonl", contract).nodes) == 5


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        pytest.param("a.jsonl.gz", gzip.compress(RAW)[:-20], "ends early", id="cut gzip"),
        pytest.param(
            "a.jsonl.gz", gzip.compress(b"x" * 9999)[:20] + b"junk" * 9, "damaged", id="bad gzip"
        ),
        pytest.param("a.jsonl", RAW.decode().encode("utf-16"), "UTF-16", id="UTF-16"),
        pytest.param("a.txt", b"id,name", "contains no supported file", id="no file of the format"),
    ],
)
def test_a_file_that_cannot_be_read_ends_the_load(
    contract: Contract, tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=says) as caught:
        read_place(tmp_path, contract)
    assert caught.value.hint


@pytest.mark.parametrize("name", ["nowhere", "films.txt"])
def test_a_source_must_be_a_folder_or_a_file_of_the_format(
    contract: Contract, tmp_path: Path, name: str
) -> None:
    (tmp_path / "films.txt").write_text("id,name")
    with pytest.raises(SourceError):
        read_place(tmp_path / name, contract)


def test_large_cells_are_read_whole(contract: Contract, tmp_path: Path) -> None:
    large = film(1, content="words" * 2_000_000)
    (loaded,) = read_place(source(tmp_path, [large]), contract).nodes
    assert len(loaded.content) == 10_000_000


def test_a_line_without_end_is_reported_and_passed_over(
    contract: Contract, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_module, "MAX_BYTES", 1000)
    rejects = Rejects()
    records = read_place(
        source(tmp_path, [film(2, content="x" * 5000), film(1)]), contract, rejects
    )
    assert [node.id for node in records.nodes] == [1]
    assert rejects.counts == {Reason.TOO_LONG: 1}
    assert rejects.first[0].line == 1


def test_ids_that_are_no_integers_are_mapped_alike_in_nodes_and_edges(
    contract: Contract, tmp_path: Path
) -> None:
    rows = [film("tt0078748"), node("Genre", "7", "Horror"), edge("IN_GENRE", "tt0078748", 7)]
    records = read_place(source(tmp_path, rows), contract)
    movie, genre = records.nodes
    assert genre.id == 7
    assert 0 <= movie.id < 2**31
    assert (records.edges[0].source, records.edges[0].target) == (movie.id, 7)
    assert records.found.mapped == {"Movie": 1}
    again = read_place(source(tmp_path, [film("another"), *rows]), contract)
    assert movie.id in [node.id for node in again.nodes]


def test_fields_without_a_column_are_reported(contract: Contract, tmp_path: Path) -> None:
    rows = [film(1, imdb="tt1", yaer=1979), film(2, imdb="tt2")]
    assert read_place(source(tmp_path, rows), contract).found.unused == {
        "all.jsonl": ["imdb", "yaer"]
    }


def test_a_year_with_a_point_zero_is_a_year(contract: Contract, tmp_path: Path) -> None:
    (loaded,) = read_place(source(tmp_path, [film(1, year=1979.0)]), contract).nodes
    assert loaded.values == {"ReleaseYear": 1979}


def recipe(**changed: Any) -> dict[str, Any]:
    row = {"kind": "Recipe", "id": 1, "name": "Toast", "content": "Toast it.", "vegan": True}
    return {**row, **changed}


def test_another_domain_is_read_by_its_own_contract(tmp_path: Path) -> None:
    rejects = Rejects()
    records = read_place(TOY / "data", toy_contract(), rejects)
    assert not rejects.counts
    ratatouille = records.nodes[0]
    assert ratatouille.values == {
        "Minutes": 60,
        "Vegan": True,
        "Added": "2021-07-14",
        "Price": 2.4,
        "Tip": "Better on the second day.",
    }


@pytest.mark.parametrize(
    ("row", "reason", "says"),
    [
        pytest.param(recipe(vegan=None), Reason.MISSING, "vegan", id="a column that must be"),
        pytest.param(recipe(vegan="yes"), Reason.WRONG_TYPE, "true or false", id="BIT"),
        pytest.param(recipe(added="soon"), Reason.WRONG_TYPE, "ISO date", id="DATE"),
        pytest.param(recipe(added=20210714), Reason.WRONG_TYPE, "ISO date", id="DATE as number"),
        pytest.param(recipe(price="2"), Reason.WRONG_TYPE, "a number", id="FLOAT"),
        pytest.param(recipe(price=10**400), Reason.OUT_OF_RANGE, "price", id="FLOAT too large"),
        pytest.param(recipe(advice=3), Reason.WRONG_TYPE, "advice", id="renamed field"),
        pytest.param(
            recipe(advice="x" * 301), Reason.TEXT_TOO_LONG, "the maximum is 300", id="text"
        ),
        pytest.param(recipe(minutes="60"), Reason.WRONG_TYPE, "minutes", id="INT"),
        pytest.param(film(), Reason.UNKNOWN_KIND, "'Movie'", id="a kind of another contract"),
    ],
)
def test_every_type_of_column_is_checked(
    tmp_path: Path, row: dict[str, Any], reason: Reason, says: str
) -> None:
    rejects = Rejects()
    read_place(source(tmp_path, [row]), toy_contract(), rejects)
    assert rejects.counts == {reason: 1}
    assert says in rejects.first[0].message
