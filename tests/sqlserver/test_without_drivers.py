"""Skipping of these tests on a machine without drivers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.odbc_drivers import NO_LIBRARY, Missing, find_driver

ROOT = Path(__file__).parents[2]
# A module that stands as None in sys.modules cannot be imported, as if it were not installed.
RUN = """
import sys
for name in sys.argv[1].split(","):
    sys.modules[name] = None
import pytest
options = ["-q", "-rs", "-m", "slow", "-p", "no:cacheprovider"]
sys.exit(pytest.main([*options, "tests/sqlserver", "--deselect", sys.argv[2]]))
"""
ITSELF = "tests/sqlserver/test_without_drivers.py"


@pytest.mark.parametrize(
    ("hidden", "reasons"),
    [
        pytest.param("pyodbc", ["install unixodbc"], id="no libodbc"),
        pytest.param(
            "mssql_python_odbc", ["set MSSQL_ODBC_DRIVER", "install tdsodbc"], id="no driver"
        ),
    ],
)
def test_without_them_the_tests_are_skipped_and_say_what_to_install(
    tmp_path: Path, hidden: str, reasons: list[str]
) -> None:
    if hidden != "pyodbc" and find_driver("freetds") == Missing(NO_LIBRARY):
        pytest.skip(NO_LIBRARY)
    environment = {**os.environ, "ODBCSYSINI": str(tmp_path), "ODBCINSTINI": "none.ini"}
    environment.pop("MSSQL_ODBC_DRIVER", None)
    process = subprocess.run(
        [sys.executable, "-c", RUN, hidden, ITSELF],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout
    assert " skipped" in process.stdout.splitlines()[-1]
    for reason in reasons:
        assert reason in process.stdout
