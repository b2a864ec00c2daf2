"""The sandbox stops even SQL that should never reach it."""

from pathlib import Path

import pytest
from fakes.limits import budget

from moviegraph.engines.duckdb.plan import StatementPlan
from moviegraph.engines.embedded.duckdb_database import Database
from moviegraph.engines.embedded.interrupts import watched
from moviegraph.errors import ExecutionError

ESCAPES = [
    "COPY (SELECT 1) TO '{place}/out.csv'",
    "SELECT * FROM read_csv('{place}/secret.csv')",
    "SELECT * FROM glob('{place}/*')",
    "SELECT * FROM '{place}/secret.csv'",
    "ATTACH '{place}/other.duckdb'",
    "EXPORT DATABASE '{place}/all'",
    "INSTALL httpfs",
    "LOAD icu_missing",
    "SET GLOBAL enable_external_access = true",
    "SET GLOBAL memory_limit = '100GB'",
    "RESET GLOBAL lock_configuration",
    'DELETE FROM graph.main."Movie"',
    "CREATE TABLE graph.main.x (a INT)",
    'DROP TABLE graph.main."Movie"',
    "SELECT * FROM secret",
]


@pytest.mark.parametrize("sql", ESCAPES)
def test_neither_files_nor_settings_nor_tables_can_be_touched(
    folder: Path, tmp_path: Path, sql: str
) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    secret = [1]
    spill = tmp_path / "spill"
    database = Database(folder / "graph.duckdb", rows=1, memory=1_000, spill=spill)
    try:
        with watched(budget()) as stop, pytest.raises(ExecutionError):
            database.run(
                StatementPlan(sql.format(place=tmp_path), (), vector=False), {}, {}, stop, 1
            )
    finally:
        database.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret.csv"]
    assert secret == [1]


def test_what_was_spilled_is_removed(folder: Path, tmp_path: Path) -> None:
    spill = tmp_path / "spill"
    database = Database(folder / "graph.duckdb", rows=1, memory=1_000, spill=spill)
    spill.mkdir()
    (spill / "rows").write_text("of a statement that was interrupted")
    database.close()
    assert list(tmp_path.iterdir()) == []
