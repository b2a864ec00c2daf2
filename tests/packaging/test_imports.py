"""Import costs of starting the command line."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow("process")

HEAVY = (
    "openai", "duckdb", "numpy", "onnxruntime", "sqlglot", "pyodbc", "mcp", "pydantic", "uvicorn",
)  # fmt: skip


def loaded_by(statement: str) -> set[str]:
    """Return the top-level modules in a fresh interpreter after a statement."""
    code = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    completed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600
    )
    modules: list[str] = json.loads(completed.stdout.splitlines()[-1])
    return {name.partition(".")[0] for name in modules}


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("import moviegraph.cli", id="the command line"),
        pytest.param("import moviegraph.cli.commands", id="every subcommand"),
        pytest.param("import moviegraph.settings, moviegraph.errors", id="settings and errors"),
    ],
)
def test_it_imports_no_library_that_it_may_not_need(statement: str) -> None:
    assert loaded_by(statement) & set(HEAVY) == set()


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param("", id="embedded"),
        pytest.param("engine='mssql', mssql='Server=a;Database=b;UID=c;PWD=d;'", id="SQL Server"),
    ],
)
def test_a_server_is_created_without_drivers_and_models(settings: str) -> None:
    statement = (
        "from moviegraph.server import create_server\n"
        "from moviegraph.settings import Settings\n"
        f"create_server(Settings({settings}))"
    )
    lazy = {"openai", "duckdb", "numpy", "onnxruntime", "pyodbc"}
    assert loaded_by(statement) & lazy == set()
