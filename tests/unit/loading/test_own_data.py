"""Small files as people have them: what is in them comes into the graph, or the reason is told."""

import json
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fakes.records import nodes_of

from moviegraph.errors import GraphError, SourceError
from moviegraph.loading.column_map import ColumnMap, read_column_map
from moviegraph.loading.folder_loader import load
from moviegraph.loading.graph_draft import DraftChoices
from moviegraph.loading.preparation import Preparation, Prepared, prepare_source
from moviegraph.loading.row_validation import Rejects
from moviegraph.repair.driver import repair

FILES = Path(__file__).parents[2] / "fixtures" / "own_data"
WORDS = ("Amber", "Birch", "Cedar", "Delta", "Ember", "Fjord", "Grove")
TITLES = ["Harbor Lights", "Stone Road", "Glass Sea"]


def prepare(file: str, rejects: Rejects | None = None, **choices: Any) -> Prepared:
    how = Preparation(columns=ColumnMap(), choices=DraftChoices(**choices))
    return prepare_source(FILES / file, None, rejects or Rejects(), how)


def types_of(prepared: Prepared) -> dict[str, str]:
    return {column.name: column.type for column in prepared.contract.nodes[0].columns}


def values_of(prepared: Prepared, column: str) -> list[Any]:
    node = prepared.contract.nodes[0]
    rows = [row for row in nodes_of(prepared.nodes) if row.kind == node.name]
    usual = {node.key: "id", node.label: "name", "Content": "content"}
    if column in usual:
        return [getattr(row, usual[column]) for row in rows]
    return [row.values[column] for row in rows]


# Name of the file, types of some columns, values of some columns in the order of the rows.
WHOLE = [
    ("min_nested.json", {"InfoYear": "INT"}, {"InfoYear": [1980, 1981, 1982], "Name": TITLES}),
    ("j03_nested.json", {"TitleDe": "NVARCHAR(100)", "InfoYear": "INT", "Cast": "JSON"},
     {"InfoYear": [1980, 1981, 1982]}),
    ("j13_info_object.json", {"InfoYear": "INT"}, {"InfoYear": [1980, 1981, 1982, 1983]}),
    ("p01_types.parquet", {"Ts": "DATETIME2", "D": "DATE", "Rating": "FLOAT", "Ids": "JSON",
                           "Seen": "BIT", "Tm": "NVARCHAR(100)", "MoneyAmount": "FLOAT"},
     {"Tm": ["12:30:00", None, "23:59:59"], "Seen": [True, None, False]}),
    ("p14_misc.parquet", {"Uid": "NVARCHAR(100)", "Ok": "BIT"},
     {"Ok": [False, True, False, True]}),
    ("p15_uuidkey.parquet", {"Id": "BIGINT", "Id2": "NVARCHAR(100)"}, {}),
    ("p06_time.parquet", {"Starts": "NVARCHAR(100)"},
     {"Starts": ["12:30:00", "12:30:00", "12:30:00", None]}),
    ("p02_nan.parquet", {"Rating": "FLOAT"}, {"Rating": [None, None, 7.5, 7.5]}),
    ("min_decimal.csv", {"Rating": "FLOAT"}, {"Rating": [7.5, 8.25, 6.0]}),
    ("f36_dec.csv", {"Rating": "FLOAT"}, {}),
    ("f36b_dec.csv", {"Rating": "FLOAT"}, {}),
    ("f16_decimal.csv", {"Rating": "FLOAT", "Budget": "INT"},
     {"Rating": [7.5, 8.25, 6.0], "Budget": [1_200_000, 950_000, 12_500]}),
    ("f45b_thousands_all.csv", {"Votes": "INT"}, {}),
    ("f46_eu_ok.csv", {"Rating": "FLOAT", "Price": "FLOAT"}, {}),
    ("f22_money.csv", {"Budget": "INT", "Share": "FLOAT", "Seen": "BIT"},
     {"Budget": [1_200_000, 950_000, 12_500], "Share": [45.0, 7.5, 100.0]}),
    ("min_tconst.csv", {"Tconst": "NVARCHAR(100)"}, {"Tconst": ["tt01", "tt02", "tt03", "tt04"]}),
    ("f39_imdbid.csv", {"ImdbId": "NVARCHAR(100)"}, {}),
    ("f35_codekey.csv", {"Tconst": "NVARCHAR(100)"}, {}),
    ("f06_zeros.csv", {"Code": "NVARCHAR(100)"}, {"Code": ["00501", "02134", "501"]}),
    ("f06b_zip.csv", {"Zip": "NVARCHAR(100)"}, {"Zip": ["00501", "02134", "02134", "00501"]}),
    ("min_imdbid.csv", {"ImdbId": "NVARCHAR(100)"},
     {"ImdbId": ["tt0078748", "tt1182345", "tt0090605"]}),
    ("min_datetime.csv", {"Year": "INT", "LastWatched": "DATETIME2"},
     {"LastWatched": ["2024-03-01 10:30:00", "2024-07-15 21:00:00", "2024-11-30 08:15:00"]}),
    ("f40_twodates.csv", {"Released": "DATE", "Bought": "DATE"}, {}),
    ("f41_twodatetimes.csv", {"LastWatched": "DATETIME2"}, {}),
    ("f42_onedate.csv", {"LastWatched": "DATETIME2"}, {}),
    ("p09_ts.parquet", {"SeenAt": "DATETIME2"}, {}),
    ("f34_dmy.csv", {"Released": "DATE"}, {}),
    ("f21_dates.csv", {"Released": "DATE", "Added": "INT"},
     {"Released": ["1979-12-31", "1988-02-01", "1990-01-01"]}),
    ("f23_bigint.csv", {"Id2": "NVARCHAR(100)"},
     {"Id2": ["12345678901234567890", "12345678901234567891", "7"]}),
    ("f02_preamble.csv", {}, {"Name": TITLES}),
    ("f02b_preamble2.csv", {}, {"Name": TITLES}),
    ("f29_comment.csv", {}, {"Name": TITLES}),
    ("f11_sep.csv", {"Rating": "FLOAT"}, {"Rating": [7.5, 8.25, 6.0]}),
    ("f37_header_short.csv", {"Column4": "NVARCHAR(100)"}, {}),
    ("f30_noheader.csv", {"Column4": "INT"}, {"Name": TITLES, "Column4": [1979, 1988, 1990]}),
    ("j02_keyed.json", {"Year": "INT"}, {"Name": TITLES}),
    ("j11_columns.json", {"Year": "INT"}, {"Id": [1, 2, 3, 4]}),
    ("f07_utf16.csv", {}, {"Name": ["Étoile", "Straße", "Mer"]}),
    ("f07_utf16le_nobom.csv", {}, {"Name": ["Étoile", "Straße", "Mer"]}),
    ("f07_bom.csv", {}, {"Id": [1, 2, 3], "Name": ["Étoile", "Straße", "Mer"]}),
    ("f10_cp1252.csv", {}, {"Name": ["Café Noir", "Señor", "Año"]}),
    ("j08b_pretty.jsonl", {"Year": "INT"}, {"Id": [1, 2, 3, 4]}),
    ("j08c_pretty.json", {"Year": "INT"}, {"Id": [1, 2, 3, 4]}),
    ("f01_semis.csv", {}, {"Name": TITLES}),
    ("f05_escape.csv", {}, {}),
    ("f08_nul.csv", {}, {"Name": TITLES}),
    ("f12_dup.csv", {"Title2": "NVARCHAR(100)"},
     {"Name": TITLES, "Title2": ["Hafenlichter", "Steinweg", "Glasmeer"]}),
    ("f12b_blank.csv", {}, {"Id": [0, 1, 2], "Name": TITLES}),
    ("f14_cr.csv", {}, {"Name": TITLES}),
    ("f15_newline.csv", {}, {}),
    ("f18_reserved.csv", {"GroupValue": "NVARCHAR(100)"}, {}),
    ("f19_numeric.csv", {"B": "INT"}, {"B": [2, 5, 8]}),
    ("f20_dupid.csv", {"Id2": "INT"}, {"Id": [1, 2, 3], "Id2": [1, 1, 2]}),
    ("f25_inches.csv", {}, {"Name": ['Harbor 12" Lights', "Stone Road", "Glass Sea"]}),
    ("f28_space.csv", {}, {"Name": TITLES}),
    ("f32_imdb.csv", {"Tconst": "NVARCHAR(100)"}, {}),
    ("f44_runtime.csv", {"Runtime": "NVARCHAR(100)", "Starts": "NVARCHAR(100)"}, {}),
    ("f45_thousands.csv", {"Votes": "INT", "Coords": "NVARCHAR(100)"}, {}),
    ("j01_wrapper.json", {"Year": "INT"}, {"Name": TITLES}),
    ("j01b_wrapper2.json", {"Year": "INT"}, {"Name": TITLES}),
    ("j05_nan.json", {"Rating": "FLOAT"}, {"Rating": [None, 7.5, None]}),
    ("j06c_u2028.jsonl", {"Year": "INT"}, {"Id": [1, 2, 3, 4]}),
    ("j07_mixed.jsonl", {"Year": "INT"}, {}),
    ("j07a_scalar_or_list.jsonl", {}, {}),
    ("j07b_year_mixed.jsonl", {"Year": "INT"}, {}),
    ("j08_bom.json", {}, {"Id": [1, 2, 3, 4]}),
    ("j09_dupkeys.jsonl", {"Title2": "NVARCHAR(100)"}, {}),
    ("j12_title_object.json", {}, {}),
    ("j15_reviews.json", {"Reviews": "JSON"}, {}),
    ("j16_dims.json", {"MetaLength": "INT", "MetaFormat": "NVARCHAR(100)"}, {}),
    ("p03_liststruct.parquet", {"Genres": "JSON"}, {}),
    ("p07_blob.parquet", {}, {}),
    ("p10_dec.parquet", {"Amount": "FLOAT", "Big": "NVARCHAR(100)"}, {}),
    ("p12_enum.parquet", {"Level": "NVARCHAR(100)"}, {"Level": ["low", "low", "high", "high"]}),
    ("p13_hfimage.parquet", {"ImagePath": "NVARCHAR(100)"}, {}),
    ("p16_two.parquet", {"D1": "DATE", "SeenAt": "DATETIME2"}, {}),
    ("p17_yearts.parquet", {"Year": "INT", "SeenAt": "DATETIME2"}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "types", "values"), WHOLE, ids=[case[0] for case in WHOLE])
def test_a_file_comes_whole(
    name: str, types: Mapping[str, str], values: Mapping[str, list[Any]]
) -> None:
    rejects = Rejects()
    prepared = prepare(name, rejects)
    assert rejects.counts == {}
    found = types_of(prepared)
    assert {column: found.get(column) for column in types} == types
    assert {column: values_of(prepared, column) for column in values} == values


@pytest.mark.parametrize(
    ("name", "kept", "lines"),
    [
        ("f03_ragged.csv", 4, [3]),
        ("f04_badquote.csv", 3, [3]),
        ("f38_fewbad.csv", 32, [2, 7, 12, 17, 22]),
        ("j06_chars.jsonl", 3, [1]),
        ("j06a_surrogate.jsonl", 3, [1]),
        ("j06b_title_surrogate.jsonl", 3, [1]),
    ],
)
def test_an_unreadable_record_is_set_aside_with_its_line_and_the_rest_is_kept(
    name: str, kept: int, lines: list[int]
) -> None:
    rejects = Rejects()
    prepared = prepare(name, rejects)
    assert len(values_of(prepared, "Id")) == kept
    assert [bad.line for bad in rejects.first] == lines
    assert prepared.losses.records == rejects.counts


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("f09_empty.csv", "is empty"),
        ("f09_header.csv", "no readable record.*only a header: id, title, overview, genre"),
        ("f17_excel.csv", "workbook"),
        ("f17_excel.xlsx", "no readable workbook"),
        ("min_surrogate.jsonl", "min_surrogate.jsonl:1: the field title contains half"),
        ("p04_empty.parquet", "no readable record"),
        ("p05_truncated.parquet", "cannot be read as Parquet"),
    ],
)
def test_a_file_that_holds_nothing_readable_is_refused_with_the_reason(
    name: str, says: str
) -> None:
    with pytest.raises(SourceError) as refused:
        prepare(name)
    message = f"{refused.value.message} {refused.value.hint}"
    assert re.search(says, message), message


def test_what_is_left_out_or_unreadable_is_told() -> None:
    blob, nan = prepare("p07_blob.parquet"), prepare("p02_nan.parquet")
    assert blob.losses.columns == {"p07_blob.parquet": {"poster": "binary"}}
    assert nan.losses.cells == {"P02Nan": {"Rating": 1}}
    assert any("poster" in note for note in blob.notes)
    assert any("'inf'" in note for note in nan.notes)


def test_each_decision_says_what_changes_it() -> None:
    draft = prepare("f20_dupid.csv").draft
    assert draft is not None
    assert any("id does not identify the rows" in line for line in draft.decisions)
    assert all(line.endswith(")") for line in draft.decisions)
    named = prepare("f12_dup.csv", name=("title 2",), kinds=()).contract
    assert [node.name for node in named.nodes] == ["F12Dup"]


def test_a_name_with_a_comma_is_one_name_and_numbers_are_no_header(tmp_path: Path) -> None:
    rows = [f'{n},"{("Hong Kong, China", "China", "Peru", "Chad")[n % 4]}"' for n in range(80)]
    (tmp_path / "places.csv").write_text("\n".join(["no,country", *rows]))
    (tmp_path / "bare.csv").write_text("1 2.5\n3 4.5\n5 6.5\n")
    prepared = [
        prepare_source(tmp_path / name, None, Rejects()) for name in ("places.csv", "bare.csv")
    ]
    assert [node.kind for node in nodes_of(prepared[0].nodes)].count("Country") == 4
    assert len(prepared[1].nodes[0].ids) == 3


def test_columns_share_a_kind_only_where_their_headers_name_the_same_thing(tmp_path: Path) -> None:
    names = ["Lyon", "Turin", "Porto", "Basel"]
    rows = [
        f"{n},Report {n}," + ",".join(names[n // step % 4] for step in (1, 4, 7, 5))
        for n in range(40)
    ]
    header = "no,subject,home_team,Away Team,venue,Column5"
    (tmp_path / "matches.csv").write_text("\n".join([header, *rows]))
    contract = prepare_source(tmp_path / "matches.csv", None, Rejects()).contract
    ends = {edge.name: edge.pairs[0].to_table for edge in contract.edges}
    assert ends == {"HAS_HOME_TEAM": "Team", "HAS_AWAY_TEAM": "Team", "HAS_VENUE": "Venue"}


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(("One record", "One mountain"), id="description"),
        pytest.param(("[nodes", "# mine\n[nodes"), id="comment"),
        pytest.param(("[nodes", "nodes"), id="damaged"),
    ],
)
def test_a_contract_that_was_edited_is_not_drafted_over(
    tmp_path: Path, edit: tuple[str, str]
) -> None:
    source, graph = tmp_path / "peaks.csv", tmp_path / "graph"
    source.write_text("name,height\nA,1\nB,2\n", encoding="utf-8")
    load(source, graph, None, None)
    load(source, graph, None, None)  # an untouched draft is replaced
    contract = graph / "contract" / "contract.toml"
    edited = contract.read_text(encoding="utf-8").replace(*edit)
    contract.write_text(edited, encoding="utf-8")
    with pytest.raises(GraphError, match="is no draft of a load"):
        load(source, graph, None, None)
    assert contract.read_text(encoding="utf-8") == edited
    load(source, graph, None, None, replace=True)
    assert "One record" in contract.read_text(encoding="utf-8")


WRITTEN: Mapping[str, Callable[[int], str]] = {
    "INT": str,
    "FLOAT": lambda number: f"${number}.25",
    "DATE": lambda number: f"{number % 12 + 1:02d}/28/2020",
    "BIT": lambda number: ("yes", "no")[number % 2],
    "NVARCHAR(100)": lambda number: f"A{number % 9}-{number % 7}",
}


@pytest.mark.parametrize(("width", "rows"), [(60, 12), (5, 1_500)])
def test_each_of_many_columns_or_rows_has_the_type_of_its_own_values(
    width: int, rows: int, tmp_path: Path
) -> None:
    forms = [list(WRITTEN.items())[at % len(WRITTEN)] for at in range(width)]
    lines = [["Key", *(f"Field{at}" for at in range(width))]]
    lines += [[f"K-{row}", *(write(row + 1) for _, write in forms)] for row in range(rows)]
    for odd in range(rows // 500):  # of many rows, a few may be unreadable
        lines[-1 - odd][1:] = ["odd"] * width
    path = tmp_path / "many.tsv"
    path.write_text("\n".join("\t".join(line) for line in lines), encoding="utf-8")
    types = types_of(prepare_source(path, None, Rejects()))
    expected = [(f"Field{at}", sql_type) for at, (sql_type, _) in enumerate(forms)]
    assert [(name, types.get(name, "NVARCHAR(100)")) for name, _ in expected] == expected


def test_an_empty_cell_is_no_value_of_its_column(tmp_path: Path) -> None:
    countries = [("Peru", "PER"), ("Chile", "CHL"), ("Kenya", "KEN"), ("", "")]
    rows = [f"{n},{WORDS[n % 7]} {n},{','.join(countries[n % 4])},{'' if n % 5 else 'spare'}"
            for n in range(40)]  # fmt: skip
    path = tmp_path / "harbors.csv"
    path.write_text("\n".join(["id,name,country,symbol,remark", *rows]), encoding="utf-8")
    contract = prepare_source(path, None, Rejects()).contract
    described = {column.name: column.description for column in contract.nodes[0].columns}
    assert [node.name for node in contract.nodes] == ["Harbor", "Country"]
    assert described["Remark"] == "remark, such as spare."


@pytest.mark.parametrize(
    ("name", "text", "column", "values"),
    [
        pytest.param(
            "a.csv", "day\n01.02.2024\n03.04.2024\n", "Day", ["2024-02-01", "2024-04-03"],
            id="points between day and month",
        ),
        pytest.param(
            "a.csv", "day\n01.02.2024\n03.24.2024\n", "Day", ["2024-01-02", "2024-03-24"],
            id="points, where only the month can be first",
        ),
        pytest.param(
            "a.csv", "lent,back\n1/2/2024,13/2/2024\n3/2/2024,9/2/2024\n", "Lent",
            ["2024-02-01", "2024-02-03"], id="dates of one table begin alike",
        ),
        pytest.param(
            "a.csv", "day;sum\n1/2/2024;1,5\n3/2/2024;2,25\n", "Day",
            ["2024-02-01", "2024-02-03"], id="a decimal comma is not American",
        ),
        pytest.param(
            "a.csv", "object id,on\n1948.1,ja\n1948.10,nein\n", "ObjectId", ["1948.1", "1948.10"],
            id="identifiers with points",
        ),
        pytest.param(
            "a.csv", "object id,on\n1948.1,ja\n1948.10,nein\n", "OnValue",
            ["true", "false"], id="ja and nein",
        ),
        pytest.param(
            "a.txt", "# of: Hill\nday      low   high\n1-2-2024 -1.5   3\n2-2-2024  0.5   4\n",
            "Low", [-1.5, 0.5], id="columns of blanks below a comment",
        ),
        pytest.param(
            "a.json",
            json.dumps({"type": "FeatureCollection", "features": [
                {"type": "Feature", "id": f"T-{at}", "properties": {"girth": at}, "geometry": None}
                for at in (1, 2)
            ]}),
            "Id2", ["T-1", "T-2"], id="the id of a feature",
        ),
        pytest.param(
            "a.json",
            json.dumps({"type": "FeatureCollection", "features": [
                {"type": "Feature", "id": f"T-{at}", "geometry": None, "properties": {
                    "species": "Oak", **({"id": at, "geometry": "round"} if at > 1 else {}),
                }} for at in (1, 2, 3)
            ]}),
            "Id2", ["T-1", "T-2", "T-3"], id="the id of a feature that has another one",
        ),
        pytest.param(
            "a.csv", "#,Name,Type\n1,Elm,Tree\n2,Ivy,Vine\n3,Oak,Tree\n", "Type",
            ["Tree", "Vine", "Tree"], id="a number sign is a header",
        ),
        pytest.param(
            "a.csv", "# time,low,high\n1,2.5,3\n2,3.5,4\n", "High", [3, 4],
            id="names in a comment",
        ),
        pytest.param(
            "a.csv", "no,release\n1,1.13.10\n2,1.14.11\n3,1.15.12\n", "Release",
            ["1.13.10", "1.14.11", "1.15.12"], id="versions are no dates",
        ),
        pytest.param(
            "a.csv", "no,release\n1,1.13.3\n2,1.14.2\n3,1.15.10\n", "Release",
            ["1.13.3", "1.14.2", "1.15.10"], id="versions of one digit are no dates",
        ),
        pytest.param(
            "a.csv", "day\n01.02.24\n03.24.24\n", "Day", ["2024-01-02", "2024-03-24"],
            id="points, month first, year of two digits",
        ),
        pytest.param(
            "a.csv", "day\n01.02.2024 11:30\n03.24.2024 12:00\n", "Day",
            ["2024-01-02 11:30:00", "2024-03-24 12:00:00"], id="points, month first, time",
        ),
        pytest.param(
            "a.csv", 'made,due,lot\n1/2/2024,2/13/2024,"3,5"\n1/3/2024,2/14/2024,"4,5"\n',
            "Made", ["2024-01-02", "2024-01-03"], id="a date decides before a decimal comma",
        ),
    ],
)  # fmt: skip
def test_a_value_keeps_its_meaning(
    tmp_path: Path, name: str, text: str, column: str, values: list[object]
) -> None:
    source = tmp_path / name
    source.write_text(text)
    (nodes, *_) = prepare_source(source, None, Rejects()).nodes
    found = {name.lower(): [*map(str, cells)] for name, cells in nodes.extras.items()}
    assert found[column.lower()] == [*map(str, values)]


@pytest.mark.parametrize(("field", "column"), [("species", "Name"), ("remarks", "Content")])
def test_a_column_of_the_file_is_known_by_its_name(tmp_path: Path, field: str, column: str) -> None:
    source = tmp_path / "birds.csv"
    source.write_text(
        "ring,species,remarks\nB7,Robin,Seen near the pond in the first hours of the day\n"
        "B8,Wren,Heard among the brambles behind the mill at night\n"
    )
    contract = prepare_source(source, None, Rejects()).contract
    repaired = repair(f"SELECT b.{field} FROM Bird AS b", contract)
    assert repaired.sql == f"SELECT b.{column} FROM Bird AS b"


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["id   low   high", "1    2     3", "2          5"], id="empty cell"),
        pytest.param(["name", "Ann  Lee", "Bob  Ray", "Cy   Poe"], id="names"),
        pytest.param(["name      age", "Ann  Lee   3", "Bob  Ray   4"], id="names and ages"),
        pytest.param(["name here", "Ann  Lee", "Bob  Ray"], id="two words over names"),
        pytest.param(["street no", "12  Elm Way", "14  Oak Row"], id="addresses"),
        pytest.param(["street no", "12  Elm", "14  Oak"], id="addresses of two words"),
        pytest.param(["bird          n     site", "Great Tit     3     Pond",
                      "Robin         4     Mill", "Wren          5     Mill"], id="one blank"),
    ],
)  # fmt: skip
def test_lines_that_are_no_certain_table_stay_whole(tmp_path: Path, lines: list[str]) -> None:
    source, rejects = tmp_path / "a.txt", Rejects()
    source.write_text("\n".join(lines) + "\n")
    (nodes, *_) = prepare_source(source, None, rejects).nodes
    columns = (nodes.names, *nodes.extras.values())
    kept = {" ".join(str(cell).split()) for cells in columns for cell in cells}
    assert {" ".join(line.split()) for line in lines[1:]} <= kept
    assert not rejects.counts


def test_a_short_row_of_a_table_in_columns_of_blanks_is_set_aside(tmp_path: Path) -> None:
    source, rejects = tmp_path / "a.txt", Rejects()
    whole = [f"{n:<8}{n + 1:<8}{n + 2}" for n in range(20_000)]
    source.write_text("\n".join(["id      low     high", *whole, "7               9"]) + "\n")
    (nodes, *_) = prepare_source(source, None, rejects).nodes
    assert (len(nodes.ids), rejects.counts) == (20_000, {"ragged row": 1})


@pytest.mark.parametrize("source", ["visits", "visits/visits.db", "visits/sites.csv"])
def test_a_drafted_map_reads_dates_as_the_draft_did(tmp_path: Path, source: str) -> None:
    folder = tmp_path / "visits"
    folder.mkdir()
    visits = [("13/2/2024", "1/2/2024", 1), ("14/2/2024", "3/2/2024", 2)]
    with closing(sqlite3.connect(folder / "visits.db")) as connection, connection:
        connection.execute("CREATE TABLE visit (day TEXT PRIMARY KEY, made TEXT, n INT)")
        connection.executemany("INSERT INTO visit VALUES (?, ?, ?)", visits)
    (folder / "sites.csv").write_text("day,made\n13/2/2024,1/2/2024\n14/2/2024,3/2/2024\n")
    drafted = prepare_source(tmp_path / source, None, Rejects())
    assert drafted.draft
    path = tmp_path / "columns.toml"
    path.write_text(drafted.draft.map_toml)
    how = Preparation(columns=read_column_map(path))
    mapped = prepare_source(tmp_path / source, drafted.contract, Rejects(), how)
    made = [
        [[*map(str, nodes.extras["Made"])] for nodes in prepared.nodes if "Made" in nodes.extras]
        for prepared in (drafted, mapped)
    ]
    assert made[0][0] == ["2024-02-01", "2024-02-03"]
    assert made[0] == made[1]
