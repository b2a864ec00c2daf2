"""Random tables, written as people write them: every value is found again in the graph."""

import csv
import json
import tomllib
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest
from fakes.sessions import query_graph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.folder_loader import load

Table = dict[str, list[Any]]
TEXT = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Co", "Cn")), min_size=1, max_size=30
).filter(lambda text: text.strip() == text)
VALUES = {
    "Word": TEXT,
    "Quoted": st.sampled_from(['say "a"', "a, b; c|d", "O'Brien", "line\nbreak", "=1+1"]),
    "Whole": st.integers(-(2**62), 2**62),
    "Real": st.floats(allow_nan=False, allow_infinity=False, width=32),
    "Day": st.dates(date(1000, 1, 1), date(2400, 1, 1)),
    "Code": st.from_regex(r"0[0-9]{4}", fullmatch=True),
}


@st.composite
def tables(draw: st.DrawFn) -> Table:
    rows = draw(st.integers(1, 12))
    return {
        name: draw(st.lists(st.one_of(st.none(), values), min_size=rows, max_size=rows))
        for name, values in VALUES.items()
    }


def written(table: Table) -> list[dict[str, Any]]:
    names = list(table)
    return [dict(zip(names, row, strict=True)) for row in zip(*table.values(), strict=True)]


def write_csv(delimiter: str, encoding: str, table: Table, path: Path) -> None:
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
        writer.writerow(["No", *table])
        for number, row in enumerate(zip(*table.values(), strict=True), 1):
            writer.writerow([number, *("" if value is None else value for value in row)])


def write_json(table: Table, path: Path) -> None:
    rows = [{"No": number, **row} for number, row in enumerate(written(table), 1)]
    path.write_text(json.dumps(rows, default=str), encoding="utf-8")


def write_parquet(table: Table, path: Path) -> None:
    with duckdb.connect() as connection:
        texts = "Word VARCHAR, Quoted VARCHAR, Whole BIGINT, Real DOUBLE, Day DATE, Code VARCHAR"
        connection.execute(f"CREATE TABLE t (No INT, {texts})")
        for number, row in enumerate(zip(*table.values(), strict=True), 1):
            connection.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", [number, *row])
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")


def write_lines(table: Table, path: Path) -> None:
    rows = [{"No": number, **row} for number, row in enumerate(written(table), 1)]
    path.write_text("\n".join(json.dumps(row, default=str) for row in rows), encoding="utf-8")


@pytest.mark.slow("fuzzing")
@pytest.mark.parametrize(
    ("name", "write"),
    [
        pytest.param("a.csv", partial(write_csv, ",", "utf-8"), id="CSV"),
        pytest.param("b.csv", partial(write_csv, ";", "utf-16"), id="CSV in UTF-16"),
        pytest.param("c.tsv", partial(write_csv, "\t", "utf-8-sig"), id="TSV"),
        pytest.param("d.json", write_json, id="JSON"),
        pytest.param("e.jsonl", write_lines, id="JSON Lines"),
        pytest.param("f.parquet", write_parquet, id="Parquet"),
    ],
)
@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(table=tables())
def test_every_value_is_found_again(
    tmp_path: Path, name: str, write: Callable[[Table, Path], None], table: Table
) -> None:
    path, graph = tmp_path / name, tmp_path / f"{name}.graph"
    write(table, path)
    report = load(path, graph, None, None)
    assert not report.rejects.counts
    assert not report.manifest.losses.cells
    draft = report.prepared.draft
    assert draft is not None
    node = draft.contract.nodes[0]
    usual = {"name": node.label, "content": "Content"}
    mapped = ColumnMap.model_validate(tomllib.loads(draft.map_toml))
    fields = {header: field for field, header in mapped.columns.items()}
    columns = {
        header: usual.get(field) or next(c.name for c in node.columns if c.source_field == field)
        for header, field in fields.items()
        if header in table
    }
    assert all(value is None for name in table.keys() - columns for value in table[name])
    selected = ", ".join(("m.Id", *(f"m.{column}" for column in columns.values())))
    sql = f"SELECT TOP 20 {selected} FROM {node.name} AS m ORDER BY m.Id"
    for row, back in zip(written(table), query_graph(graph, sql, draft.contract), strict=True):
        for (header, column), cell in zip(columns.items(), back[1:], strict=True):
            is_made = row[header] is None and column in usual.values()
            assert is_made or is_same(cell, row[header]), (header, row[header], cell)


def is_same(back: object, value: object) -> bool:
    """Return whether a value is the one that was written, as number or as text."""
    if str(back) == str(value):
        return True
    return isinstance(value, (int, float)) and back is not None and float(str(back)) == value
