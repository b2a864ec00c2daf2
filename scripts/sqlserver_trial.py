"""Tries moviegraph on a SQL Server: schema, principals, load, check, and calls over MCP.

MOVIEGRAPH_TEST_MSSQL_ADMIN is the connection string of a principal that may create databases and
logins. The trial makes a database with a reader and a loader, as docs/guides/sql_server.md does,
and removes all three afterwards. The exit status is 0 when every step is OK, and 1 otherwise.
"""

import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scratch_server import ROOT, environment
from smoke_test import SmokeTestError, check_server

from moviegraph.contract.ddl import LOADER, READER
from moviegraph.engines.sqlserver.authentication import LoginSource
from moviegraph.engines.sqlserver.connection_string import ConnectionString
from moviegraph.engines.sqlserver.odbc_driver import import_pyodbc, with_driver

ADMIN_VARIABLE = "MOVIEGRAPH_TEST_MSSQL_ADMIN"
COLLATION = "Latin1_General_CI_AS"
SERVE = (sys.executable, "-m", "moviegraph", "serve", "--engine", "mssql")
BATCH_END = re.compile(r"^GO$", re.MULTILINE)
START_SECONDS = 180.0
RETRY_SECONDS = 2.0
LOGIN_SECONDS = 10
COMMAND_SECONDS = 1800


class StepError(Exception):
    """A step did not show what it must; the text says what it showed."""


@dataclass(frozen=True, slots=True)
class Database:
    """A database of the trial, with the connection strings of its three principals."""

    name: str
    admin: ConnectionString
    loader: ConnectionString
    reader: ConnectionString

    @classmethod
    def on(cls, server: ConnectionString) -> "Database":
        """Return a database that does not exist yet, with random names and passwords."""
        name = f"moviegraph_trial_{secrets.token_hex(4)}"
        admin = server.replaced(Database=name)

        def login(role: str) -> ConnectionString:
            password = f"Aa1-{secrets.token_urlsafe(24)}"
            return admin.replaced(UID=f"{name}_{role}", PWD=password)

        return cls(name, admin, login("loader"), login("reader"))


def run(string: ConnectionString, batches: Sequence[str]) -> None:
    """Run batches one by one, each outside a transaction."""
    connection = import_pyodbc().connect(
        with_driver(string).text(), timeout=LOGIN_SECONDS, autocommit=True
    )
    with closing(connection) as opened:
        for batch in filter(str.strip, batches):
            cursor = opened.execute(batch)
            while cursor.nextset():
                pass
            cursor.close()


def wait_until_started(server: ConnectionString) -> str:
    """Wait until the server accepts logins. Raises StepError."""
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            run(server, ["SELECT 1"])
        except import_pyodbc().Error as error:
            if time.monotonic() > end:
                raise StepError(f"no login within {START_SECONDS:.0f} s: {error}") from None
            time.sleep(RETRY_SECONDS)
        else:
            return "it accepts logins"


@contextmanager
def created(server: ConnectionString) -> Generator[Database]:
    """Create the database; drop it and its logins at the end."""
    database = Database.on(server)
    run(server, [f"CREATE DATABASE [{database.name}] COLLATE {COLLATION}"])
    try:
        yield database
    finally:
        logins = (database.loader.get("UID"), database.reader.get("UID"))
        for statement in (
            f"ALTER DATABASE [{database.name}] SET SINGLE_USER WITH ROLLBACK IMMEDIATE",
            f"DROP DATABASE [{database.name}]",
            *(f"DROP LOGIN [{login}]" for login in logins),
        ):
            with suppress(import_pyodbc().Error):
                run(server, [statement])


def create_tables(database: Database, home: Path) -> str:
    """Run the script of `moviegraph ddl` twice: the second run must change nothing."""
    batches = BATCH_END.split(moviegraph(["ddl", "--engine", "mssql"], {}, home))
    run(database.admin, batches)
    run(database.admin, batches)
    return f"{len(batches)} batches, run twice"


def create_principals(database: Database, _: Path) -> str:
    """Create the two logins of the guide, and allow snapshots."""
    statements = ["ALTER DATABASE CURRENT SET ALLOW_SNAPSHOT_ISOLATION ON"]
    for string, role in ((database.reader, READER), (database.loader, LOADER)):
        user, password = string.get("UID"), string.get("PWD")
        statements += [
            f"CREATE LOGIN [{user}] WITH PASSWORD = N'{password}'",
            f"CREATE USER [{user}] FOR LOGIN [{user}]",
            f"ALTER ROLE {role} ADD MEMBER [{user}]",
        ]
    run(database.admin, statements)
    return f"members of {READER} and {LOADER}"


def load(database: Database, home: Path) -> str:
    """Load the built-in films as the loader."""
    variables = {"MOVIEGRAPH_MSSQL_LOAD": database.loader.text()}
    lines = moviegraph(["load", "data", "--into", "mssql"], variables, home).splitlines()
    return " ".join(line.strip() for line in lines)


def check(database: Database, home: Path) -> str:
    """Run `moviegraph check` as the reader. Raises StepError where a part fails."""
    variables = {"MOVIEGRAPH_MSSQL": database.reader.text()}
    command = ["check", "--engine", "mssql", "--json"]
    checks: list[dict[str, Any]] = json.loads(moviegraph(command, variables, home, (0, 1)))[
        "checks"
    ]
    for part in checks:
        print(f"     {part['status']:4} {part['name']}: {part['message']}", flush=True)
    if failed := [part["name"] for part in checks if part["status"] == "failed"]:
        raise StepError(f"these parts failed: {', '.join(failed)}")
    return f"{len(checks)} parts"


def call(database: Database, home: Path) -> str:
    """Serve as the reader, and call over MCP."""
    variables = environment(home) | {"MOVIEGRAPH_MSSQL": database.reader.text()}
    return "; ".join(check_server(SERVE, variables, home))


def moviegraph(
    arguments: Sequence[str],
    variables: dict[str, str],
    home: Path,
    statuses: Sequence[int] = (0,),
) -> str:
    """Return the output of a command. Raises StepError with its last lines where it fails."""
    completed = subprocess.run(
        [sys.executable, "-m", "moviegraph", *arguments],
        env=environment(home) | variables, cwd=ROOT, check=False, capture_output=True,
        text=True, encoding="utf-8", timeout=COMMAND_SECONDS,
    )  # fmt: skip
    if completed.returncode not in statuses:
        tail = "\n".join((completed.stdout + completed.stderr).splitlines()[-20:])
        raise StepError(f"`moviegraph {arguments[0]}` exited with {completed.returncode}:\n{tail}")
    return completed.stdout


STEPS = (
    ("tables", create_tables),
    ("principals", create_principals),
    ("load", load),
    ("check", check),
    ("calls over MCP", call),
)


def attempt(server: ConnectionString, home: Path) -> bool:
    """Try every step up to the first that fails; print a line for each."""
    name = "server"
    try:
        print(f"OK   {name}: {wait_until_started(server)}", flush=True)
        name = "database"
        with created(server) as database:
            print(f"OK   {name}: {database.name}", flush=True)
            for name, step in STEPS:
                print(f"OK   {name}: {step(database, home)}", flush=True)
    except (StepError, SmokeTestError, import_pyodbc().Error) as error:
        print(f"FAIL {name}: {error}", flush=True)
        return False
    return True


def main() -> int:
    """Run the trial; return the exit status."""
    string = os.environ.get(ADMIN_VARIABLE)
    if not string:
        print(f"Set {ADMIN_VARIABLE} to the connection string of an administrator.")
        return 1
    source = LoginSource(ADMIN_VARIABLE, string, read_only=False)
    with tempfile.TemporaryDirectory() as folder:
        return 0 if attempt(source.string(), Path(folder)) else 1


if __name__ == "__main__":
    sys.exit(main())
