"""The trial that waits for a SQL Server, over a scripted one: its statements and its report."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes.odbc_drivers import OdbcDriver
from fakes.scripted_graph import ScriptedGraph
from fakes.spoilable_server import SpoilableServer
from fakes.tds.script import Call, Rows, Step
from fakes.tds.server import TdsServer
from fakes.tds.types import FLOAT, INT, NVARCHAR, NVARCHAR_MAX

from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.local_embedder import SPACE
from moviegraph.engines.sqlserver import metadata, principal
from moviegraph.engines.sqlserver.writing import plain_columns

pytestmark = pytest.mark.slow("driver")

SCRIPT = Path(__file__).parents[2] / "scripts" / "sqlserver_trial.py"
SECONDS = 900
METADATA = (metadata.COLUMNS, metadata.FULLTEXT, metadata.POPULATION)
FILM = [("Id", INT), ("Name", NVARCHAR), ("ReleaseYear", INT), ("Content", NVARCHAR_MAX)]


class Server:
    """A scripted server that keeps the graph of a load, and the statements of an administrator."""

    def __init__(self) -> None:
        contract = load_contract()
        self.graph = ScriptedGraph(contract, SPACE.dimensions)
        self.live = SpoilableServer.of(contract, SPACE)
        self.statements: list[str] = []

    def __call__(self, call: Call) -> Sequence[Step]:
        """Answer what a load and an opening send, a search for films, and anything else."""
        sql = call.sql.replace("@P1", "?")
        is_loaded = self.graph.states[-1:] == ["whole"]
        if sql in self.graph.known and not (is_loaded and sql in METADATA):
            return self.graph(call)
        if sql in self.live.answers:
            return self.live(call)
        films = self.graph.nodes["Movie"]
        if "SELECT TOP (@k)" in sql:
            nearest = [(key, 0.25) for key in sorted(films)[:4]]
            return [Rows([("Id", INT), ("Distance", FLOAT)], nearest)]
        if "FROM OPENJSON" in sql:
            ids = json.loads(str(call.parameters[0].value))
            return [Rows([("Key", INT), *FILM], [(key, *self._film(key)) for key in ids])]
        self.statements.append(call.sql.strip())
        return []

    def _film(self, key: int) -> tuple[Any, ...]:
        node = self.graph.contract.nodes[0]
        names = [column.name for column in plain_columns(node)]
        film = dict(zip(names, self.graph.nodes[node.name][key], strict=True))
        return film["Id"], film["Name"], int(film["ReleaseYear"]), film["Content"]

    def count(self, start: str) -> int:
        """Return how many statements begin with a text."""
        return sum(statement.startswith(start) for statement in self.statements)


def report(driver: OdbcDriver, script: Server) -> tuple[int, list[str]]:
    """Return the exit status of the trial, and its lines."""
    with TdsServer(script) as server:
        string = driver.string(server.port, user="sa")
        completed = subprocess.run(
            [sys.executable, str(SCRIPT)],
            env=os.environ | {"MOVIEGRAPH_TEST_MSSQL_ADMIN": string},
            capture_output=True, text=True, encoding="utf-8", timeout=SECONDS, check=False,
        )  # fmt: skip
    assert "PWD" not in completed.stdout + completed.stderr
    return completed.returncode, completed.stdout.splitlines()


def test_each_step_sends_its_statements_and_reports(driver: OdbcDriver) -> None:
    script = Server()
    status, lines = report(driver, script)

    assert status == 0, lines
    steps = [line.removeprefix("OK   ").partition(":")[0] for line in lines if line[0] == "O"]
    assert steps == [
        *("server", "database", "tables", "principals", "load", "check", "calls over MCP"),
    ]
    assert len(script.graph.nodes["Movie"]) > 700
    assert any(line.startswith("     ok   tables: all 11 tables") for line in lines)
    assert any(line.startswith("     warning sql: answered without a row") for line in lines)
    for start, count in {
        "CREATE DATABASE [moviegraph_trial_": 1,
        "IF OBJECT_ID(N'[dbo].[Movie]', N'U') IS NULL": 2,
        "CREATE LOGIN [moviegraph_trial_": 2,
        "ALTER ROLE moviegraph_reader ADD MEMBER": 1,
        "ALTER ROLE moviegraph_loader ADD MEMBER": 1,
        "DROP LOGIN [moviegraph_trial_": 2,
        "DROP DATABASE [moviegraph_trial_": 1,
    }.items():
        assert script.count(start) == count, start


def test_a_part_that_fails_ends_the_trial_and_everything_is_dropped(driver: OdbcDriver) -> None:
    script = Server()
    script.live.answers[principal.ROLES] = [("db_owner", 1)]
    status, lines = report(driver, script)

    assert status == 1
    assert lines[-1].startswith("FAIL check: these parts failed: principal")
    assert script.count("DROP DATABASE [moviegraph_trial_") == 1
