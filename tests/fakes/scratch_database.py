"""A database of a real server that tests make, fill and take away again.

Two connection strings make it possible: MOVIEGRAPH_TEST_MSSQL_ADMIN of a principal that may create
databases (or, on Azure SQL, owns an empty one), and MOVIEGRAPH_TEST_MSSQL with the name and the
password of the reader that is made. The tables come from our own script, the rows through our own
load, and the reader is a member of our role alone.
"""

import re
import secrets
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from moviegraph.contract.ddl import (
    CATALOG,
    LOADED,
    LOADER,
    MANIFEST,
    OWN_SCHEMA,
    READER,
    bracketed,
    internal_table,
    script,
    table_name,
)
from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.sqlserver.authentication import LoginSource
from moviegraph.engines.sqlserver.connection import Connector
from moviegraph.engines.sqlserver.connection_string import ConnectionString
from moviegraph.engines.sqlserver.execution import Runner
from moviegraph.engines.sqlserver.metadata_connection import MetadataConnection
from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
from moviegraph.engines.sqlserver.odbc_driver import import_pyodbc, with_driver
from moviegraph.engines.sqlserver.startup import describe_database, inspect_database
from moviegraph.engines.sqlserver.writing import SESSION, Writer
from moviegraph.loading.database_loader import load_into_database
from moviegraph.loading.folder_loader import LoadReport
from moviegraph.loading.preparation import Preparation

if TYPE_CHECKING:
    import pyodbc

READER_VARIABLE = "MOVIEGRAPH_TEST_MSSQL"
ADMIN_VARIABLE = "MOVIEGRAPH_TEST_MSSQL_ADMIN"
AZURE_SQL = 5
EDITION = "SELECT CAST(SERVERPROPERTY('EngineEdition') AS INT) AS Edition"


class NotEmptyError(Exception):
    """The database that was given for the tests holds a table of the contract."""


@dataclass(frozen=True, slots=True)
class ScratchDatabase:
    """An existing database: the connection strings of its owner and of its reader."""

    contract: Contract
    embedder: Embedder
    admin: ConnectionString
    reader: ConnectionString

    def engine(self, *, approximate: bool = False) -> MssqlEngine:
        """Open it as the reader."""
        with closing(MetadataConnection(Connector(self.reader), READER_VARIABLE)) as asker:
            result = inspect_database(asker.read, self.contract, self.embedder.space)
            live_description = describe_database(
                result, self.contract, asker.read, approximate=approximate
            )
        return MssqlEngine(self.contract, Runner(Connector(self.reader).open), live_description)

    def connect(self, *, as_admin: bool = False) -> "pyodbc.Connection":
        """Connect without the engine, to see what the server itself does."""
        return connected(self.admin if as_admin else self.reader)

    def load(self, source_path: Path) -> LoadReport:
        """Load a source as the admin."""
        with closing(Writer(Connector(self.admin, session=(SESSION,)).open)) as writer:
            how = Preparation(enrich=False)
            return load_into_database(source_path, self.contract, self.embedder, writer, how=how)

    def make(self) -> None:
        """Run the script of `moviegraph ddl`."""
        ddl_script = script(self.contract, self.embedder.space.dimensions)
        run(self.admin, re.split(r"^GO$", ddl_script, flags=re.MULTILINE))


class Site(Protocol):
    """Where the database is made, and how its reader is."""

    def enter(self) -> ConnectionString:
        """Make the place, and return the string of its owner."""
        ...

    def user(self) -> str:
        """Return the statements that create the user of the reader."""
        ...

    def leave(self) -> None:
        """Take away whatever was made."""
        ...


@dataclass(slots=True)
class OwnDatabase:
    """A database of its own, on a server where the admin may create one."""

    admin: ConnectionString
    reader: ConnectionString
    name: str
    made_login: bool = False

    def enter(self) -> ConnectionString:
        run(self.admin, [f"CREATE DATABASE {self.name};"])
        name = quoted(self.reader.get("UID"))
        if not ask(self.admin, f"SELECT 1 FROM sys.server_principals WHERE name = N'{name}'"):
            login = bracketed(self.reader.get("UID") or "")
            password = quoted(self.reader.get("PWD"))
            run(self.admin, [f"CREATE LOGIN {login} WITH PASSWORD = N'{password}';"])
            self.made_login = True
        return self.admin.replaced(Database=self.name)

    def user(self) -> str:
        login = bracketed(self.reader.get("UID") or "")
        return f"CREATE USER {login} FOR LOGIN {login};"

    def leave(self) -> None:
        alone = f"ALTER DATABASE {self.name} SET SINGLE_USER WITH ROLLBACK IMMEDIATE;"
        run(self.admin, [alone, f"DROP DATABASE {self.name};"], careful=False)
        if self.made_login:
            run(self.admin, [f"DROP LOGIN {bracketed(self.reader.get('UID') or '')};"])


@dataclass(slots=True)
class GivenDatabase:
    """The admin's own database on Azure SQL, which must hold no table of the contract."""

    admin: ConnectionString
    reader: ConnectionString
    contract: Contract
    entered: bool = False

    def enter(self) -> ConnectionString:
        for table in self._tables():
            if ask(self.admin, f"SELECT 1 WHERE OBJECT_ID(N'{table}', N'U') IS NOT NULL"):
                raise NotEmptyError(f"the database of {ADMIN_VARIABLE} holds a table {table}")
        self.entered = True
        return self.admin

    def user(self) -> str:
        name, password = bracketed(self.reader.get("UID") or ""), quoted(self.reader.get("PWD"))
        return f"CREATE USER {name} WITH PASSWORD = N'{password}';"

    def leave(self) -> None:
        if not self.entered:
            return
        statements = [f"DROP TABLE IF EXISTS {table};" for table in self._tables()]
        statements.append(f"DROP FULLTEXT CATALOG {CATALOG};")
        statements.append(f"DROP USER IF EXISTS {bracketed(self.reader.get('UID') or '')};")
        statements += [f"DROP ROLE IF EXISTS {role};" for role in (READER, LOADER)]
        run(self.admin, [*statements, f"DROP SCHEMA IF EXISTS {OWN_SCHEMA};"], careful=False)

    def _tables(self) -> list[str]:
        """Return all tables that the script makes, edges before the nodes that they need."""
        names = [table.name for table in (*self.contract.edges, *self.contract.nodes)]
        own = [internal_table(MANIFEST), internal_table(LOADED)]
        return [*(table_name(self.contract, name) for name in names), *own]


@contextmanager
def scratch_database(
    contract: Contract, embedder: Embedder, source_path: Path, *, admin: str, reader: str
) -> Generator[ScratchDatabase]:
    """Make a database with the rows of a source and its reader; take both away afterwards."""
    owner = with_driver(LoginSource(ADMIN_VARIABLE, admin, read_only=False).string())
    reading = with_driver(LoginSource(READER_VARIABLE, reader, read_only=False).string())
    arguments = ask(owner, EDITION) == [(AZURE_SQL,)]
    name = f"moviegraph_test_{secrets.token_hex(4)}"
    site: Site = OwnDatabase(owner, reading, name)
    if arguments:
        site = GivenDatabase(owner, reading, contract)
    try:
        at = site.enter()
        reading = reading.replaced(Database=at.get("Database"))
        database = ScratchDatabase(contract, embedder, at, reading)
        database.make()
        member = f"ALTER ROLE {READER} ADD MEMBER {bracketed(reading.get('UID') or '')};"
        run(at, [site.user(), member])
        database.load(source_path)
        yield database
    finally:
        site.leave()


def connected(string: ConnectionString, *, autocommit: bool = False) -> "pyodbc.Connection":
    """Connect as plainly as the driver does."""
    return import_pyodbc().connect(string.text(), timeout=60, autocommit=autocommit)


def run(string: ConnectionString, statements: Sequence[str], *, careful: bool = True) -> None:
    """Run statements one by one, outside a transaction; unless careful, whatever their errors."""
    error = import_pyodbc().Error
    with closing(connected(string, autocommit=True)) as connection:
        for statement in filter(str.strip, statements):
            with suppress(*(() if careful else (error,))):
                cursor = connection.execute(statement)
                while cursor.nextset():
                    pass
                cursor.close()


def ask(string: ConnectionString, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with closing(connected(string, autocommit=True)) as connection:
        return [tuple(row) for row in connection.execute(query).fetchall()]


def quoted(text: str | None) -> str:
    """Return a text for within a literal."""
    return (text or "").replace("'", "''")
