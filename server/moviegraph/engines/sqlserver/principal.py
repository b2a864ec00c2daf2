"""What the principal of a connection may do beyond reading; what is not known counts as too much.

The queries ask for effective permissions, in the principal's own name:
https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-my-permissions-transact-sql
"""

from collections.abc import Iterator
from dataclasses import dataclass

from moviegraph.engines.sqlserver.metadata_connection import Read, Row, rows_or_none

ROLES = """SELECT r.Name, IS_ROLEMEMBER(r.Name) AS Member
FROM (VALUES (N'db_owner'), (N'db_datareader'), (N'db_datawriter'), (N'db_ddladmin'),
  (N'db_securityadmin'), (N'db_accessadmin'), (N'db_backupoperator')) AS r (Name)"""
SERVER_ROLES = """SELECT r.Name, IS_SRVROLEMEMBER(r.Name) AS Member
FROM (VALUES (N'sysadmin'), (N'serveradmin'), (N'securityadmin'), (N'setupadmin'),
  (N'processadmin'), (N'diskadmin'), (N'dbcreator'), (N'bulkadmin')) AS r (Name)"""
DATABASE = "SELECT p.permission_name FROM sys.fn_my_permissions(NULL, N'DATABASE') AS p"
SERVER = "SELECT p.permission_name FROM sys.fn_my_permissions(NULL, N'SERVER') AS p"
SCHEMAS = """SELECT s.name, p.permission_name
FROM sys.schemas AS s CROSS APPLY sys.fn_my_permissions(QUOTENAME(s.name), N'SCHEMA') AS p
WHERE s.name NOT IN (N'sys', N'INFORMATION_SCHEMA')"""
OBJECTS = """SELECT DISTINCT s.name, o.name, p.permission_name
FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id
CROSS APPLY sys.fn_my_permissions(QUOTENAME(s.name) + N'.' + QUOTENAME(o.name), N'OBJECT') AS p
WHERE o.type IN ('U', 'V', 'ET', 'SN', 'SO', 'SQ', 'P', 'PC', 'X', 'RF', 'FN', 'FS', 'IF', 'TF',
  'FT', 'AF')"""
OTHER_GRANTS = """SELECT p.class_desc, p.permission_name
FROM sys.database_permissions AS p
WHERE p.state IN ('G', 'W') AND p.class NOT IN (0, 1, 3)
  AND (p.grantee_principal_id = DATABASE_PRINCIPAL_ID()
    OR IS_ROLEMEMBER(USER_NAME(p.grantee_principal_id)) = 1
    OR IS_MEMBER(USER_NAME(p.grantee_principal_id)) = 1)
UNION ALL SELECT N'ROLE', N'CONTROL' FROM sys.database_principals AS r
WHERE r.type = 'R' AND (r.owning_principal_id = DATABASE_PRINCIPAL_ID()
    OR IS_ROLEMEMBER(USER_NAME(r.owning_principal_id)) = 1)"""
OWNED = """SELECT s.name, N'OWNERSHIP' AS permission_name FROM sys.schemas AS s
WHERE s.principal_id = DATABASE_PRINCIPAL_ID()
  OR IS_ROLEMEMBER(USER_NAME(s.principal_id)) = 1"""
# A permission on one user or login stands in no list of the database's or the server's own.
USERS = """SELECT u.name, p.permission_name
FROM sys.database_principals AS u
CROSS APPLY sys.fn_my_permissions(QUOTENAME(u.name), N'USER') AS p
WHERE u.type IN ('S', 'U', 'E') AND u.principal_id <> DATABASE_PRINCIPAL_ID()"""
LOGINS = """SELECT l.name, p.permission_name
FROM sys.server_principals AS l
CROSS APPLY sys.fn_my_permissions(QUOTENAME(l.name), N'LOGIN') AS p
WHERE l.type IN ('S', 'U', 'E') AND l.sid <> ISNULL(SUSER_SID(), 0x)"""
STATE = """SELECT CAST(DATABASEPROPERTYEX(DB_NAME(), 'Updateability') AS NVARCHAR(60)),
  CAST(SERVERPROPERTY('EngineEdition') AS INT), CAST(USER_NAME() AS NVARCHAR(128))"""

# None of them changes anything or shows a row of a table: they let plans, states and definitions be
# seen. The two of column keys are everybody's by default:
# https://learn.microsoft.com/sql/relational-databases/security/encryption/overview-of-key-management-for-always-encrypted
OF_DATABASE = frozenset(
    {
        "CONNECT",
        "SHOWPLAN",
        "VIEW ANY COLUMN ENCRYPTION KEY DEFINITION",
        "VIEW ANY COLUMN MASTER KEY DEFINITION",
        "VIEW ANY SENSITIVITY CLASSIFICATION",
        "VIEW DATABASE PERFORMANCE STATE",
        "VIEW DATABASE SECURITY STATE",
        "VIEW DATABASE STATE",
        "VIEW DEFINITION",
        "VIEW PERFORMANCE DEFINITION",
        "VIEW SECURITY DEFINITION",
    }
)
OF_SERVER = frozenset(
    {
        "CONNECT SQL",
        "VIEW ANY DATABASE",
        "VIEW ANY DEFINITION",
        "VIEW ANY ERROR LOG",
        "VIEW ANY PERFORMANCE DEFINITION",
        "VIEW ANY SECURITY DEFINITION",
        "VIEW SERVER PERFORMANCE STATE",
        "VIEW SERVER SECURITY STATE",
        "VIEW SERVER STATE",
    }
)
LOOKING = frozenset({"VIEW DEFINITION", "VIEW CHANGE TRACKING", "VIEW PERFORMANCE DEFINITION"})
OF_OBJECT = LOOKING | {"SELECT"}
READ_ONLY = "READ_ONLY"
WRITING = frozenset({"INSERT", "UPDATE", "DELETE"})  # all that a read-only database excuses
WRITING_ROLE = "db_datawriter"
CLOUD = frozenset({5, 6, 11, 12})  # engine editions without a server of the customer's own
SHOWN = 6


@dataclass(frozen=True, slots=True)
class Principal:
    """What a connection's principal is, and what it may do beyond reading the contract's tables.

    Attributes:
        user: Its name in the database.
        too_much: What it may do and should not, the gravest first.
        blocked: What it was granted and the read-only database keeps it from doing.
        notes: What is in order, and worth a word.
    """

    user: str
    too_much: tuple[str, ...]
    blocked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def fine(self) -> bool:
        """Whether it can do nothing but read."""
        return not self.too_much

    @property
    def needs_read_only_database(self) -> bool:
        """Whether only the state of the database keeps it from writing."""
        return self.fine and bool(self.blocked)

    def told(self) -> str:
        """Return what is too much as one phrase."""
        more = len(self.too_much) - SHOWN
        return "; ".join(self.too_much[:SHOWN]) + (f"; and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class Facts:
    """The rows of each query, or None where it failed."""

    state: list[Row] | None
    roles: list[Row] | None
    server_roles: list[Row] | None
    database: list[Row] | None
    server: list[Row] | None
    schemas: list[Row] | None
    objects: list[Row] | None
    other: list[Row] | None
    owned: list[Row] | None
    users: list[Row] | None
    logins: list[Row] | None

    @property
    def updateability(self) -> str | None:
        """READ_ONLY, READ_WRITE, or None where it is not known."""
        return str(self.state[0][0]) if self.state and self.state[0][0] is not None else None

    @property
    def edition(self) -> int | None:
        """The engine edition, or None where it is not known."""
        return self.state[0][1] if self.state else None

    @property
    def user(self) -> str:
        """The name of the principal in the database."""
        return str(self.state[0][2]) if self.state and self.state[0][2] else "unknown"


@dataclass(frozen=True, slots=True)
class Excess:
    """One thing too many, and whether a read-only database makes it harmless."""

    text: str
    blocked: bool = False


def read_principal(read: Read, schema: str) -> Principal:
    """Ask the server what the principal may do, and judge it."""
    return judge_principal(read_facts(read), schema)


def read_facts(read: Read) -> Facts:
    """Ask every question, each on its own."""
    return Facts(
        state=rows_or_none(read, STATE),
        roles=rows_or_none(read, ROLES),
        server_roles=rows_or_none(read, SERVER_ROLES),
        database=rows_or_none(read, DATABASE),
        server=rows_or_none(read, SERVER),
        schemas=rows_or_none(read, SCHEMAS),
        objects=rows_or_none(read, OBJECTS),
        other=rows_or_none(read, OTHER_GRANTS),
        owned=rows_or_none(read, OWNED),
        users=rows_or_none(read, USERS),
        logins=rows_or_none(read, LOGINS),
    )


def judge_principal(facts: Facts, schema: str) -> Principal:
    """Judge what the queries gave; `schema` is the contract's.

    A right to read all of a database is too much as well: a table of tomorrow, or one that the
    contract does not know, must not hang on the guard alone. So is EXECUTE: a procedure's own
    rights are its owner's.
    """
    found = list(_excesses(facts, schema.lower()))
    read_only = facts.updateability == READ_ONLY
    too_much = [each.text for each in found if not (read_only and each.blocked)]
    blocked = [each.text for each in found if read_only and each.blocked]
    return Principal(
        facts.user, tuple(too_much), tuple(blocked), tuple(_notes(facts, schema.lower()))
    )


def _excesses(facts: Facts, schema: str) -> Iterator[Excess]:
    if facts.edition not in CLOUD or facts.server_roles:
        yield from _memberships(facts.server_roles, "server")
    yield from _memberships(facts.roles, "database")
    yield from _permissions(facts.database, OF_DATABASE, "the database", proof=True)
    if facts.edition not in CLOUD:
        yield from _permissions(facts.server, OF_SERVER, "the server", proof=False)
        yield from _on_named(facts.logins, "login")
    yield from _on_named(facts.users, "user")
    yield from _on_named(facts.owned, "schema")
    yield from _on_schemas(facts.schemas, schema)
    yield from _on_objects(facts.objects)
    yield from _other(facts.other)


def _unknown(what: str) -> Excess:
    return Excess(f"{what} could not be read, which counts as too much")


def _memberships(rows: list[Row] | None, where: str) -> Iterator[Excess]:
    """Yield the roles; NULL is a role that is not visible, whose rights show as permissions."""
    if not rows:
        yield _unknown(f"membership in {where} roles")
        return
    for role, member in rows:
        if member not in (0, None):
            yield Excess(f"member of {role}", blocked=role == WRITING_ROLE)


def _permissions(
    rows: list[Row] | None, allowed: frozenset[str], on: str, *, proof: bool
) -> Iterator[Excess]:
    """Yield what is not allowed; with `proof`, no row at all proves nothing."""
    if rows is None or (proof and not rows):
        yield _unknown(f"the permissions on {on}")
        return
    for (permission,) in rows:
        if permission not in allowed:
            yield _excess(permission, on)


def _excess(permission: str | None, on: str) -> Excess:
    if permission is None:
        return _unknown(f"a permission on {on}")
    return Excess(f"{permission} on {on}", blocked=permission in WRITING)


def _on_schemas(rows: list[Row] | None, schema: str) -> Iterator[Excess]:
    if rows is None:
        yield _unknown("the permissions on schemas")
        return
    for name, permission in rows:
        harmless = permission in LOOKING or (permission == "SELECT" and name.lower() == schema)
        if not harmless:
            yield _excess(permission, f"schema {name}")


def _on_objects(rows: list[Row] | None) -> Iterator[Excess]:
    if not rows:
        yield _unknown("the permissions on tables")
        return
    for schema, name, permission in rows:
        if permission not in OF_OBJECT:
            yield _excess(permission, f"{schema}.{name}")


def _on_named(rows: list[Row] | None, kind: str) -> Iterator[Excess]:
    """Yield acting in the names of others, and what is owned."""
    if rows is None:
        yield _unknown(f"what it may do to each {kind}")
        return
    for name, permission in rows:
        if permission not in LOOKING:
            yield _excess(permission, f"{kind} {name}")


def _other(rows: list[Row] | None) -> Iterator[Excess]:
    if rows is None:
        yield _unknown("grants on other things than tables")
        return
    for kind, permission in rows:
        if permission not in LOOKING:
            thing = str(kind).lower().replace("_", " ")
            yield Excess(f"{permission} ({thing})")


def _notes(facts: Facts, schema: str) -> Iterator[str]:
    if facts.updateability == READ_ONLY:
        yield "the database is read-only here"
    if any(name.lower() == schema and right == "SELECT" for name, right in facts.schemas or ()):
        yield f"it may read every table of schema {schema}, also later ones"
