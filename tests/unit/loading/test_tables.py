"""User tables: accepted CSV, JSON and Parquet, and the report of bad rows."""

import gzip
import json
from io import StringIO
from pathlib import Path
from typing import Any

import duckdb
import pytest
from fakes.records import SourceRecords, read_records
from fakes.toy_graph import toy_contract

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.errors import SourceError
from moviegraph.loading import readers, source_files
from moviegraph.loading.column_map import ColumnMap, read_column_map
from moviegraph.loading.folder_loader import load
from moviegraph.loading.row_validation import Reason, Rejects

HEADER = "id,name,content,year\n"
GOOD = "1,Alien,A crew meets it.,1979\n"
GENRES = {"genres": {"edge": "IN_GENRE", "split": "|"}}


@pytest.fixture(scope="module")
def contract() -> Contract:
    return load_contract()


def read_place(
    source_path: Path, contract: Contract, rejects: Rejects | None = None, **said: Any
) -> SourceRecords:
    columns = ColumnMap.model_validate(said) if said else None
    return read_records(source_path, contract, rejects or Rejects(), columns)


def write_file(source_path: Path, content: str | bytes) -> Path:
    source_path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return source_path


def names_of_kind(records: SourceRecords, kind: str) -> list[str]:
    return [node.name for node in records.nodes if node.kind == kind]


RECORDS = [
    {"id": 1, "name": "Alien", "content": "A crew meets it.", "year": 1979},
    {"id": 2, "name": "1917", "content": "Two runners.", "year": None},
]
LIST = json.dumps(RECORDS)
LINES = "".join(json.dumps(record) + "\n" for record in RECORDS)
CSV = HEADER + GOOD + "2,1917,Two runners.,\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("a.csv", CSV, id="CSV"),
        pytest.param("a.csv", "\ufeff" + CSV, id="CSV with a mark"),
        pytest.param("a.csv", CSV.replace("\n", "\r\n"), id="CSV of Windows"),
        pytest.param("a.csv", CSV.replace("\n", "\r"), id="CSV of old Macs"),
        pytest.param("a.csv", CSV.encode("utf-16"), id="UTF-16"),
        pytest.param("a.csv", CSV.encode("utf-16-le"), id="UTF-16 without a mark"),
        pytest.param("a.json", LIST.encode("utf-16-be"), id="JSON in UTF-16 without a mark"),
        pytest.param(
            "a.json",
            json.dumps(RECORDS[0], indent=1) + "\n" + json.dumps(RECORDS[1]),
            id="objects one after another",
        ),
        pytest.param("a.json", json.dumps({"page": 1, "films": RECORDS}), id="list in an object"),
        pytest.param("a.csv", CSV.replace(",", ";"), id="CSV with semicolons"),
        pytest.param("a.csv.gz", gzip.compress(CSV.encode()), id="zipped CSV"),
        pytest.param("A.TSV", CSV.replace(",", "\t"), id="TSV"),
        pytest.param("a.csv", CSV.replace("id,name", "ID,Name"), id="other case"),
        pytest.param("a.json", json.dumps(RECORDS), id="JSON array on one line"),
        pytest.param("a.json", "\ufeff" + json.dumps(RECORDS, indent=2), id="JSON array"),
        pytest.param("a.json", LINES, id="JSON of lines"),
        pytest.param("a.json.gz", gzip.compress(json.dumps(RECORDS).encode()), id="zipped JSON"),
    ],
)
def test_each_format_gives_the_same_nodes(
    contract: Contract, tmp_path: Path, name: str, content: str | bytes
) -> None:
    records = read_place(write_file(tmp_path / name, content), contract)
    assert [(node.id, node.name, node.values["ReleaseYear"]) for node in records.nodes] == [
        (1, "Alien", 1979),
        (2, "1917", None),
    ]


def test_parquet_gives_rows_lists_and_dates(contract: Contract, tmp_path: Path) -> None:
    source_path = tmp_path / "films [1]*.parquet"
    with duckdb.connect(":memory:") as connection:
        connection.execute(
            "COPY (SELECT 7::BIGINT AS id, 'Alien' AS name, 'A crew.' AS content, "
            "DATE '1979-05-25' AS year, [{'name': 'Horror'}, {'name': 'horror '}] AS genres) "
            f"TO '{source_path}' (FORMAT parquet)"
        )
    lists = {"genres": {"edge": "in_genre", "json": "name"}}
    records = read_place(source_path, contract, lists=lists)
    assert (records.nodes[0].id, records.nodes[0].values) == (7, {"ReleaseYear": 1979})
    assert names_of_kind(records, "Genre") == ["Horror"]
    assert len(records.edges) == 1


def test_gaps_and_decimals_of_parquet_are_read(tmp_path: Path) -> None:
    source_path = tmp_path / "a.parquet"
    with duckdb.connect(":memory:") as connection:
        connection.execute(
            "COPY (SELECT 1 AS id, 'Soup' AS name, 'Boil.' AS content, true AS vegan, "
            "'NaN'::DOUBLE AS minutes, 2.5::DECIMAL(4, 2) AS price, DATE '2021-07-14' AS added) "
            f"TO '{source_path}' (FORMAT parquet)"
        )
    values = read_place(source_path, toy_contract()).nodes[0].values
    assert (values["Minutes"], values["Price"], values["Added"]) == (None, 2.5, "2021-07-14")


def test_columns_and_lists_are_mapped(contract: Contract, tmp_path: Path) -> None:
    source_path = write_file(
        tmp_path / "a.csv",
        "imdb,title,overview,released,genres\n"
        "tt1,Alien,A crew meets it.,1979-05-25,Horror| Science  Fiction|horror\n"
        "tt2,Moon,A miner is alone.,,SCIENCE FICTION||\n",
    )
    options = {"id": "imdb", "name": "title", "content": "overview", "year": "released"}
    text = {"genres": {**GENRES["genres"], "text": "{name} is a genre."}}
    records = read_place(source_path, contract, columns=options, lists=text)
    films = [node for node in records.nodes if node.kind == "Movie"]
    genres = [node for node in records.nodes if node.kind == "Genre"]
    assert [film.values["ReleaseYear"] for film in films] == [1979, None]
    assert [(genre.name, genre.content) for genre in genres] == [
        ("Horror", "Horror is a genre."),
        ("Science Fiction", "Science Fiction is a genre."),
    ]
    horror, fiction = (genre.id for genre in genres)
    ends = {(edge.source, edge.target) for edge in records.edges}
    assert ends == {(films[0].id, horror), (films[0].id, fiction), (films[1].id, fiction)}


@pytest.mark.parametrize(
    ("cell", "how"),
    [
        pytest.param('["Horror", "Drama"]', {}, id="names"),
        pytest.param('[{"id": 1, "name": "Horror"}, {"name": "Drama"}]', {}, id="objects"),
        pytest.param("[{'id': 1, 'name': 'Horror'}, {'name': 'Drama'}]", {}, id="Python"),
        pytest.param('[{"t": "Horror"}, {"t": "Drama"}, {}]', {"json": "t"}, id="another key"),
        pytest.param("Horror, Drama", {"split": ","}, id="text"),
    ],
)
def test_a_list_without_a_text_makes_nodes_of_their_names(
    contract: Contract, tmp_path: Path, cell: str, how: dict[str, str]
) -> None:
    quoted = cell.replace('"', '""')
    source_path = write_file(tmp_path / "a.csv", f'id,name,content,g\n1,Alien,A crew.,"{quoted}"\n')
    records = read_place(source_path, contract, lists={"g": {"edge": "IN_GENRE", **how}})
    assert [(e.name, e.content) for e in records.nodes[1:]] == [("Horror",) * 2, ("Drama",) * 2]
    assert len(records.edges) == 2


@pytest.mark.parametrize(
    ("cell", "year"),
    [
        pytest.param("1979", 1979, id="year"),
        pytest.param("1979.0", 1979, id="year of a column with gaps"),
        pytest.param("1979-05-25", 1979, id="ISO date"),
        pytest.param("1979-05-25T10:00:00Z", 1979, id="ISO moment"),
        pytest.param("25/05/1979", 1979, id="slashes"),
        pytest.param("25 May 1979", 1979, id="day first"),
        pytest.param('"May 25, 1979"', 1979, id="month first"),
        pytest.param("05/25/1979", 1979, id="month and day"),
        pytest.param("1979-05", 1979, id="ISO month"),
        pytest.param("1979/5/25", 1979, id="year first"),
        pytest.param("May 1979", 1979, id="month"),
        pytest.param("\\N", None, id="absent"),
    ],
)
def test_dates_become_years(
    contract: Contract, tmp_path: Path, cell: str, year: int | None
) -> None:
    source_path = write_file(tmp_path / "a.csv", f"{HEADER}1,Alien,A crew.,{cell}\n")
    (film,) = read_place(source_path, contract, absent=["\\N"]).nodes
    assert film.values["ReleaseYear"] == year


@pytest.mark.parametrize("cell", ["1979.5", "1979/2", "1979-13", "1979-05-32", "32-05-1979"])
def test_what_is_no_date_has_no_year_and_is_counted(
    contract: Contract, tmp_path: Path, cell: str
) -> None:
    source_path = write_file(
        tmp_path / "a.csv", f"{HEADER}1,Alien,A crew.,{cell}\n2,Jaws,A shark.,1975\n"
    )
    rejects = Rejects()
    records = read_place(source_path, contract, rejects)
    years = {node.name: node.values["ReleaseYear"] for node in records.nodes}
    assert years == {"Alien": None, "Jaws": 1975}
    assert (rejects.counts, records.found.cells) == ({}, {"Movie": {"ReleaseYear": 1}})
    assert "1 cells are not INT" in records.found.notes[0]
    assert repr(cell) in records.found.notes[0]
    assert "first in line 2" in records.found.notes[0]


DIRT = [
    pytest.param(b"2,Moon,A,1,x\n", Reason.RAGGED, "5 cells", id="long"),
    pytest.param(b'2,"Moon"x,A,1\n', Reason.NOT_CSV, "expected after", id="more after a quote"),
    pytest.param(b"1,Moon,A,1\n", Reason.DUPLICATE_ID, "twice", id="duplicate id"),
    pytest.param(b",Moon,A,1\n", Reason.MISSING, "id", id="no id"),
    pytest.param(b'2,"Moon,A,1\n', Reason.NOT_CSV, "expected after", id="open quote"),
]


@pytest.mark.parametrize(("bad", "reason", "says"), DIRT)
def test_a_bad_record_is_reported_by_its_first_line_and_set_aside(
    contract: Contract, tmp_path: Path, bad: bytes, reason: Reason, says: str
) -> None:
    rejects_output = StringIO()
    rejects = Rejects(rejects_output)
    first = '1,Alien,"A crew\nmeets ""it"".",1979\n'
    last = b'9,"Heat",Two men.,1995\n'
    source_path = write_file(tmp_path / "a.csv", (HEADER + first).encode() + bad + last)
    records = read_place(source_path, contract, rejects)
    assert records.nodes[0].content == 'A crew\nmeets "it".'
    assert names_of_kind(records, "Movie") == ["Alien", "Heat"]
    (message,) = rejects.first
    assert (message.file, message.line, message.reason) == ("a.csv", 4, reason)
    assert says in message.message
    assert "Moon" in json.loads(rejects_output.getvalue())["row"]


@pytest.mark.parametrize(
    ("row", "name", "content", "says"),
    [
        pytest.param(b"2,Moon\n", "Moon", "Moon", "", id="short"),
        pytest.param(b"2,Moon,,1\n", "Moon", "Moon", "", id="no text"),
        pytest.param(b"2,,A.,1\n", "Movie 2", "A.", "", id="no name"),
        pytest.param(b"2,Mo\xf6n,A.,1\n", "Mo\u00f6n", "A.", "read as cp1252", id="cp1252"),
        pytest.param(b"2,Mo\0n,A.,1\n", "Mon", "A.", "NUL characters removed", id="NUL"),
    ],
)
def test_a_record_with_gaps_or_odd_bytes_is_kept(
    contract: Contract, tmp_path: Path, row: bytes, name: str, content: str, says: str
) -> None:
    rejects = Rejects()
    source_path = write_file(tmp_path / "a.csv", (HEADER + GOOD).encode() + row)
    records = read_place(source_path, contract, rejects)
    assert (records.nodes[1].name, records.nodes[1].content) == (name, content)
    assert rejects.counts == {}
    assert says in " ".join(records.found.notes)


def test_bytes_that_are_not_utf8_are_rejected_where_others_are(
    contract: Contract, tmp_path: Path
) -> None:
    rejects = Rejects()
    rows = "2,Amélie à Paris,Été.,2001\n".encode() + b"3,Mo\xf6n,A.,1\n"
    records = read_place(write_file(tmp_path / "a.csv", HEADER.encode() + rows), contract, rejects)
    assert [node.name for node in records.nodes] == ["Amélie à Paris"]
    assert rejects.first[0].line == 3
    assert 'encoding = "cp1252"' in rejects.first[0].message


ARRAY = """[
  {"id": 1, "name": "Alien", "content": "A crew.", "tags": [{"n": 1}, {"n": 2}]},
  %s
  {
    "id": 9, "name": "Heat", "content": "Two men."
  },
]
"""


def test_a_bad_record_of_an_array_is_rejected(contract: Contract, tmp_path: Path) -> None:
    rejects_output = StringIO()
    rejects = Rejects(rejects_output)
    bad = b'{"id": 2, "name": "Mo\\ud83dn"},'
    source_path = write_file(tmp_path / "a.json", ARRAY.encode().replace(b"%s", bad))
    records = read_place(source_path, contract, rejects)
    assert names_of_kind(records, "Movie") == ["Alien", "Heat"]
    (message,) = rejects.first
    assert (message.place, message.reason) == ("a.json, record 2", Reason.LONE_SURROGATE)
    aside = json.loads(rejects_output.getvalue())
    assert (aside["record"], json.loads(aside["row"])["id"]) == (2, 2)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        pytest.param('{"id": 2, "name" "Moon"},', "':' delimiter in line 3", id="colon"),
        pytest.param('{"id": 2, "tags": [{"n": 1}, }', "in line 3", id="open list"),
    ],
)
def test_an_array_that_is_no_json_ends_the_load_with_its_line(
    contract: Contract, tmp_path: Path, bad: str, says: str
) -> None:
    source_path = write_file(tmp_path / "a.json", ARRAY.replace("%s", bad))
    with pytest.raises(SourceError, match=says):
        read_place(source_path, contract)


def test_records_of_an_array_are_read_without_a_comma(contract: Contract, tmp_path: Path) -> None:
    first, second = (json.dumps(record) for record in RECORDS)
    source_path = write_file(tmp_path / "a.json", f"[\n{first}\n{second},\n]\n")
    assert names_of_kind(read_place(source_path, contract), "Movie") == ["Alien", "1917"]


def test_a_large_array_is_refused_and_lines_of_that_size_are_read(
    contract: Contract, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers, "SAMPLE_CHARS", 10)
    monkeypatch.setattr(readers, "MAX_TEXT", len(LIST) - 11)

    with pytest.raises(SourceError, match="is a JSON array of more than") as refused:
        read_place(write_file(tmp_path / "a.json", LIST), contract)

    assert "one object per line" in str(refused.value.hint)


def test_a_file_that_unpacks_to_far_more_than_its_size_is_refused(
    contract: Contract, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_files, "MUCH", 1 << 20)
    bomb = gzip.compress((HEADER + GOOD * 200_000).encode())
    with pytest.raises(SourceError, match=r"unpacks to more than .* 200 times its size"):
        read_place(write_file(tmp_path / "a.csv.gz", bomb), contract)


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        pytest.param("cp9", "unknown encoding: cp9", id="unknown"),
        pytest.param("base64", "not a text encoding", id="not of texts"),
        pytest.param("a\0", "null character", id="NUL"),
        pytest.param("utf-16", "is not utf-16", id="UTF-16 without a mark"),
    ],
)
def test_an_encoding_that_cannot_read_a_table_is_reported(
    contract: Contract, tmp_path: Path, encoding: str, message: str
) -> None:
    with pytest.raises(SourceError, match=message):
        read_place(write_file(tmp_path / "a.csv", CSV), contract, encoding=encoding)


def test_a_rejected_record_leaves_no_names_behind_and_a_long_name_is_cut(
    contract: Contract, tmp_path: Path
) -> None:
    rejects = Rejects()
    source_path = write_file(
        tmp_path / "a.csv", f"id,name,content,genres\n,A,a,Horror\n2,{'x' * 999},b,\n"
    )
    records = read_place(source_path, contract, rejects, lists=GENRES)
    assert [(node.id, len(node.name)) for node in records.nodes] == [(2, 200)]
    assert records.edges == []
    assert rejects.counts == {Reason.MISSING: 1}
    assert records.found.cells == {"Movie": {"Name": 1}}


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        pytest.param("a.csv", b"", "is empty", id="empty"),
        pytest.param("a.csv", b"\xef\xbb\xbf\n", "is empty", id="a mark alone"),
        pytest.param("a.csv", b"PK\x03\x04\x14\x00", "workbook", id="workbook"),
        pytest.param("a.csv", b",name,content\n1,a,b\n", "column1, name, content", id="no name"),
        pytest.param("a.json", b'{\n "films": [\n', "not JSON", id="list within an object"),
        pytest.param("a.csv", b"id,nmae,content\n1,a,b\n", "no column name.*nmae", id="column"),
        pytest.param("a.csv.gz", gzip.compress(CSV.encode())[:-9], "ends early", id="cut off"),
        pytest.param(
            "a.json", b'[{"id": 1},\n{"id": ', "Expecting value in line 2", id="cut array"
        ),
        pytest.param("a.json", b'[{"id": 1},\n{"id": "a', "Unterminated string", id="cut text"),
        pytest.param("a.json", b'[{"id": 1},\n', "the array is incomplete", id="array not closed"),
        pytest.param(
            "a.json", b'[{"id": 1}, {"id" 2}]', "in line 1, character 19", id="on one line"
        ),
        pytest.param(
            "a.json", b'[{"id": 1}] {"id": 2}', "more text after the array", id="after the end"
        ),
        pytest.param("a.jsonl", LINES.encode("utf-16-be"), "UTF-16", id="lines, no mark"),
        pytest.param("a.parquet", b"PAR1 no", "as Parquet", id="no Parquet"),
    ],
)
def test_a_table_that_cannot_be_read_ends_the_load(
    contract: Contract, tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    with pytest.raises(SourceError, match=says):
        read_place(write_file(tmp_path / name, content), contract)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "UTF-16-LE"])
def test_another_encoding_can_be_named(contract: Contract, tmp_path: Path, encoding: str) -> None:
    source_path = write_file(
        tmp_path / "a.csv", f"{HEADER}1,Amélie,A waitress.,2001\n".encode(encoding)
    )
    (film,) = read_place(source_path, contract, encoding=encoding).nodes
    assert film.name == "Amélie"


def test_a_cell_of_ten_megabytes_and_a_folder_of_files_are_read(
    contract: Contract, tmp_path: Path
) -> None:
    write_file(tmp_path / "a.csv", f'{HEADER}1,Long,"{"a b " * 2_500_000}",1979\n')
    write_file(
        tmp_path / "b.json", json.dumps([{"id": "1x", "name": "B", "content": "b " * 2**20}])
    )
    write_file(tmp_path / "notes.txt", "nothing")
    records = read_place(tmp_path, contract)
    assert names_of_kind(records, "Movie") == ["Long", "B"]
    assert [len(node.content) for node in records.nodes] == [9_999_999, 2**21 - 1]
    assert records.found.mapped == {"Movie": 1}


def test_quotes_may_mean_nothing_and_an_id_may_join_columns(
    contract: Contract, tmp_path: Path
) -> None:
    source_path = write_file(tmp_path / "a.tsv", 'name\tcontent\tyear\n"Heat\tTwo men.\t1995\n')
    joined = {"id": ["name", "year"]}
    (film,) = read_place(source_path, contract, columns=joined, quoted=False).nodes
    assert film.name == '"Heat'


def test_rejects_may_be_written_beside_a_single_table_but_not_over_it(
    contract: Contract, tmp_path: Path
) -> None:
    source_path = write_file(tmp_path / "a.csv", CSV + "3,Ragged,,,x\n")
    with pytest.raises(SourceError, match="part of the source"):
        load(source_path, tmp_path / "graph", contract, None, rejects=tmp_path / "." / "a.csv")
    assert source_path.read_text() == CSV + "3,Ragged,,,x\n"
    report = load(source_path, tmp_path / "graph", contract, None, rejects=tmp_path / "bad.jsonl")
    assert report.rejects.counts == {Reason.RAGGED: 1}


def test_another_domain_is_mapped_alike(tmp_path: Path) -> None:
    contract = toy_contract()
    source_path = write_file(
        tmp_path / "a.csv",
        "id,name,content,minutes,vegan,added,cost,needs\n"
        "1,Soup,Boil it.,30,Yes,2021-07-14,2.5,a|b\n",
    )
    lists = {"needs": {"edge": "NEEDS", "split": "|"}}
    cost = {"price": "cost"}
    records = read_place(source_path, contract, kind="recipe", columns=cost, lists=lists)
    soup = records.nodes[0].values
    assert (soup["Minutes"], soup["Vegan"], soup["Added"]) == (30, True, "2021-07-14")
    assert (soup["Price"], soup["Tip"]) == (2.5, None)
    assert names_of_kind(records, "Ingredient") == ["a", "b"]
    assert {edge.kind for edge in records.edges} == {"NEEDS"}


def test_the_other_end_of_an_edge_may_be_the_rows(tmp_path: Path) -> None:
    source_path = write_file(tmp_path / "a.csv", "id,name,content,dishes\n1,Thai,Hot.,Soup\n")
    contract = toy_contract()
    bare = contract.nodes[0].model_copy(
        update={"columns": tuple(c for c in contract.nodes[0].columns if c.name != "Vegan")}
    )
    contract = contract.model_copy(update={"nodes": (bare, *contract.nodes[1:])})
    lists = {"dishes": {"edge": "COMES_FROM", "split": "|"}}
    records = read_place(source_path, contract, kind="Cuisine", lists=lists)
    soup = next(node.id for node in records.nodes if node.kind == "Recipe")
    assert [(edge.source, edge.target) for edge in records.edges] == [(soup, 1)]


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        pytest.param("kind = ", ("is not TOML", "column_maps"), id="no TOML"),
        pytest.param(
            "knid = 'Movie'", ("line 1: knid: unknown key", "column_maps"), id="unknown key"
        ),
        pytest.param("columns = 1", ("line 1: columns", "column_maps"), id="no table"),
        pytest.param("kind = 'Moovie'", ("line 1: kind: ", "mean Movie"), id="kind"),
        pytest.param("columns = {nmae = 'a'}", ("no field nmae", "mean name"), id="field"),
        pytest.param(
            "\n[lists]\ng = {edge = 'IN_GNERE'}", ("line 3: lists.g: ", "IN_GENRE"), id="edge"
        ),
        pytest.param("encoding = 'cp9'", ("cp9", "cp1252"), id="encoding"),
        pytest.param("encoding = 'undefined'", ("undefined", "cp1252"), id="no encoding"),
        pytest.param('encoding = "a\\u0000"', ("null character", "cp1252"), id="NUL"),
        pytest.param("columns = 'id'", ("columns: expected a table",), id="columns"),
        pytest.param(
            "lists = {g = {edge = 'E', split = '|', json = 'n'}}", ("exclude",), id="both ways"
        ),
    ],
)
def test_a_wrong_column_map_is_reported(
    contract: Contract, tmp_path: Path, toml: str, says: tuple[str, ...]
) -> None:
    map_file = write_file(tmp_path / "map.toml", toml)
    source_path = write_file(tmp_path / "a.csv", CSV)
    with pytest.raises(SourceError) as caught:
        columns = read_column_map(map_file)
        read_records(source_path, contract, Rejects(), columns)
    for part in says:
        assert part in f"{caught.value.message} {caught.value.hint}"


WRONG = """\
kind = "Movie"
[columns]
nmae = "name"
yaer = "year"
[lists]
tags = { edge = "IN_GNERE" }
"""


def test_all_problems_of_a_column_map_are_reported_at_once_with_their_lines(
    contract: Contract, tmp_path: Path
) -> None:
    columns = read_column_map(write_file(tmp_path / "map.toml", WRONG))
    with pytest.raises(SourceError) as caught:
        read_records(write_file(tmp_path / "a.csv", CSV), contract, Rejects(), columns)
    for part in ("map.toml, line 3: columns.nmae", "line 4: columns.yaer", "line 6: lists.tags"):
        assert part in caught.value.message


def test_all_missing_columns_are_reported_at_once(contract: Contract, tmp_path: Path) -> None:
    source_path = write_file(tmp_path / "a.csv", CSV)
    with pytest.raises(SourceError) as caught:
        read_place(source_path, contract, columns={"name": "titel", "year": "jahr"})
    assert "no column titel for the field name" in caught.value.message
    assert "no column jahr for the field year" in caught.value.message


def test_columns_that_nothing_reads_are_reported(contract: Contract, tmp_path: Path) -> None:
    source_path = write_file(
        tmp_path / "a.csv", "id,name,content,poster,budget\n1,Moon,A miner.,x,5\n"
    )
    report = load(source_path, tmp_path / "graph", contract, None)
    assert report.notes == ("a.csv: columns not loaded: poster, budget.",)


EXAMPLES = sorted((Path(__file__).parents[3] / "docs" / "examples").glob("*.toml"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_of_the_docs_load_a_table_of_their_shape(
    contract: Contract, tmp_path: Path, example: Path
) -> None:
    columns = read_column_map(example)
    assert columns is not None
    cells = {"id": "tt1", "name": "Alien", "content": "A crew.", "year": "1979-05-25"}
    row: dict[str, str] = {}
    for field, column_source in columns.columns.items():
        row |= dict.fromkeys(
            [column_source] if isinstance(column_source, str) else column_source, cells[field]
        )
    row |= {
        name: list_spec.split.join(("A1", "B1"))
        if list_spec.split
        else "[{'name': 'A1'}, {'name': 'B1'}]"
        for name, list_spec in columns.lists.items()
    }
    source_path = write_file(tmp_path / "a.json", json.dumps([row]))
    rejects = Rejects()
    records = read_records(source_path, contract, rejects, columns)
    assert rejects.counts == {}
    assert len(records.edges) == 2 * len(columns.lists) > 0
