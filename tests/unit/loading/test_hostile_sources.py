"""Sources made to exhaust, confuse or escape: refused in one sentence, or read as data."""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from fakes.sessions import query_graph
from fakes.toy_graph import toy_contract

from moviegraph.contract.loader import contract_of
from moviegraph.errors import SourceError
from moviegraph.loading import source_files
from moviegraph.loading.folder_loader import load
from moviegraph.loading.preparation import Prepared, prepare_source
from moviegraph.loading.row_validation import Rejects

HOSTILE = [
    '"); DROP TABLE s0; --',
    "'); COPY s0 TO 'stolen.csv'; --",
    "<script>alert(1)</script>",
    "a]; DROP TABLE Films; --",
    "Title\r\n[nodes.Injected]",
    "§ || 1",
    "{0}",
    "pos",
    "c0",
    "file_row_number",
    "\u202eelit",
    "x" * 5000,
]


def prepare(path: Path, rejects: Rejects | None = None) -> Prepared:
    return prepare_source(path, None, rejects or Rejects())


def refusal(path: Path) -> str:
    with pytest.raises(SourceError) as refused:
        prepare(path)
    return refused.value.message


def write_csv(path: Path, columns: list[str]) -> None:
    row = ",".join(map(str, range(len(columns))))
    path.write_text("\n".join((",".join(columns), row, row)))


def write_json(path: Path, columns: list[str]) -> None:
    path.write_text(json.dumps([dict.fromkeys(columns, 1)] * 2))


def write_lines(path: Path, columns: list[str]) -> None:
    path.write_text(f"{json.dumps(dict.fromkeys(columns, 1))}\n" * 2)


def write_parquet(path: Path, columns: list[str]) -> None:
    members = ", ".join(f"'{name}': 1" for name in columns[:35])
    structs = ", ".join(f"{{{members}}} AS {name}" for name in columns[:40])
    duckdb.sql(f"COPY (SELECT {structs}) TO '{path}' (FORMAT parquet)")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.csv", write_csv),
        ("a.json", write_json),
        ("a.jsonl", write_lines),
        ("a.parquet", write_parquet),
    ],
)
def test_a_table_of_too_many_columns_is_refused_in_one_sentence(
    tmp_path: Path, name: str, write: Callable[[Path, list[str]], None]
) -> None:
    write(tmp_path / name, [f"c{number}" for number in range(30_000)])
    assert refusal(tmp_path / name) == f"{name} has more than 1,000 columns."


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("[", "]"), ('[{"id": 1, "a": ', "}]"), ('{"a": ', "}")],
    ids=["arrays", "both", "objects"],
)
def test_json_that_is_nested_too_deeply_is_refused(
    tmp_path: Path, opening: str, closing: str
) -> None:
    (tmp_path / "a.json").write_text(opening * 500_000 + "1" + closing * 500_000)
    assert "nested too deeply" in refusal(tmp_path / "a.json")


def test_a_line_that_is_nested_too_deeply_is_set_aside(tmp_path: Path) -> None:
    deep = '{"id": 3, "a": ' + "[" * 500_000 + "]" * 500_000 + "}"
    (tmp_path / "a.jsonl").write_text(f'{{"id": 1, "a": "Sea"}}\n{{"id": 2, "a": "Road"}}\n{deep}')
    rejects = Rejects()
    assert prepare(tmp_path / "a.jsonl", rejects).nodes[0].names.tolist() == ["Sea", "Road"]
    assert [(bad.line, bad.message) for bad in rejects.first] == [(3, "nested too deeply")]


def test_cells_that_are_nested_deeply_are_kept(tmp_path: Path) -> None:
    cell = "[" * 900 + "]" * 900
    (tmp_path / "a.csv").write_text(f"id,title,a\n1,Sea,{cell}\n2,Road,{cell}\n")
    node, *_ = prepare(tmp_path / "a.csv").nodes
    assert cell in [column[0] for column in node.extras.values()]


@pytest.mark.parametrize("name", ["a.csv.gz", "a.json.gz", "a.jsonl.gz", "a.txt.gz"])
def test_a_packed_file_out_of_proportion_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(source_files, "MUCH", 1 << 20)
    (tmp_path / name).write_bytes(gzip.compress(b"id,title\n1,Sea\n" + b" " * (8 << 20)))
    assert refusal(tmp_path / name) == f"{name} unpacks to more than 1 MB, 200 times its size."


def test_the_limit_of_a_packed_file_holds_for_lines_of_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_files, "MUCH", 1 << 20)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress((b" " * 999 + b"\n") * 8_000))
    with pytest.raises(SourceError, match="unpacks to more than"):
        load(tmp_path, tmp_path / "graph", toy_contract(), None)


def hostile_csv(path: Path) -> None:
    header = ",".join('"' + name.replace('"', '""') + '"' for name in ("id", "title", *HOSTILE))
    rows = [f"{n},Film {n}," + ",".join(f"v{n}.{at}" for at in range(len(HOSTILE))) for n in (1, 2)]
    path.write_text("\n".join((header, *rows)), encoding="utf-8")


def hostile_json(path: Path) -> None:
    rows = [
        {"id": n, "title": f"Film {n}"} | {h: f"v{n}.{at}" for at, h in enumerate(HOSTILE)}
        for n in (1, 2)
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")


def hostile_parquet(path: Path) -> None:
    names = ['"' + name.replace('"', '""') + '"' for name in HOSTILE]
    rows = [
        f"SELECT {n} AS id, 'Film {n}' AS title, "
        + ", ".join(f"'v{n}.{at}' AS {name}" for at, name in enumerate(names))
        for n in (1, 2)
    ]
    target = "'" + str(path).replace("'", "''") + "'"
    duckdb.sql(f"COPY ({' UNION ALL '.join(rows)}) TO {target} (FORMAT parquet)")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("x'); DROP TABLE s0; --.csv", hostile_csv),
        ("<script>alert(1)<script>.json", hostile_json),
        ("*'; COPY s0 TO 'stolen.csv'; --[a-z]{b}.parquet", hostile_parquet),
    ],
    ids=["CSV", "JSON", "Parquet"],
)
def test_names_of_files_and_columns_are_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, write: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / name)
    draft = load(tmp_path / name, tmp_path / "graph", None, None).prepared.draft
    assert draft is not None
    node = draft.contract.nodes[0]
    assert contract_of(dict(draft.contract.files)) == draft.contract
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9]*", column.name) for column in node.columns)
    columns = ", ".join(f"m.{column.name}" for column in node.columns if column.name != node.vector)
    sql = f"SELECT TOP 5 {columns} FROM {node.name} AS m ORDER BY m.Id"
    rows = query_graph(tmp_path / "graph", sql, draft.contract)
    assert len(rows) == 2
    for number, row in enumerate(rows, 1):
        assert {f"v{number}.{at}" for at in range(len(HOSTILE))} <= set(map(str, row))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted((name, "graph"))


def test_a_parquet_file_reads_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "a*.parquet").write_bytes(b"PAR1junk")
    hostile_parquet(tmp_path / "ab.parquet")
    assert "cannot be read as Parquet" in refusal(tmp_path / "a*.parquet")


def test_half_a_surrogate_costs_its_record_and_no_other() -> None:
    path = Path(__file__).parents[2] / "fixtures" / "own_data" / "k01_graph_surrogate.jsonl"
    rejects = Rejects()
    prepared = prepare(path, rejects)
    nodes = prepared.nodes[0]
    assert nodes.names.tolist() == ["Stone Road", "Glass Sea"]
    assert "\U0001f680" in nodes.contents[1]
    assert [(bad.line, bad.reason.value) for bad in rejects.first] == [(1, "lone surrogate")]
