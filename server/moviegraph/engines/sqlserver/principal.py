"""Privileges of a connection's principal beyond reading; unknown ones count as too much.

The queries read effective permissions, as the principal itself:
https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-my-permissions-transact-sql
"""

from collections.abc import Iterator, Mapping
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
OTHER_GRANTS = """SELECT LOWER(REPLACE(p.class_desc, N'_', N' ')), p.permission_name
FROM sys.database_permissions AS p
WHERE p.state IN ('G', 'W') AND p.class NOT IN (0, 1, 3)
  AND (p.grantee_principal_id = DATABASE_PRINCIPAL_ID()
    OR IS_ROLEMEMBER(USER_NAME(p.grantee_principal_id)) = 1
    OR IS_MEMBER(USER_NAME(p.grantee_principal_id)) = 1)
UNION ALL SELECT N'role', N'CONTROL' FROM sys.database_principals AS r
WHERE r.type = 'R' AND (r.owning_principal_id = DATABASE_PRINCIPAL_ID()
    OR IS_ROLEMEMBER(USER_NAME(r.owning_principal_id)) = 1)"""
OWNED = """SELECT s.name, N'OWNERSHIP' AS permission_name FROM sys.schemas AS s
WHERE s.principal_id = DATABASE_PRINCIPAL_ID()
  OR IS_ROLEMEMBER(USER_NAME(s.principal_id)) = 1"""
# A permission on one user or login is in no list of the database or the server.
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


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split(", "))


# None of them changes anything or shows a row of a table: they let plans, states and definitions be
# seen. The two of column keys are everybody's by default:
# https://learn.microsoft.com/sql/relational-databases/security/encryption/overview-of-key-management-for-always-encrypted
OF_DATABASE = _names(
    "CONNECT, SHOWPLAN, VIEW ANY COLUMN ENCRYPTION KEY DEFINITION, "
    "VIEW ANY COLUMN MASTER KEY DEFINITION, VIEW ANY SENSITIVITY CLASSIFICATION, "
    "VIEW DATABASE PERFORMANCE STATE, VIEW DATABASE SECURITY STATE, VIEW DATABASE STATE, "
    "VIEW DEFINITION, VIEW PERFORMANCE DEFINITION, VIEW SECURITY DEFINITION"
)
OF_SERVER = _names(
    "CONNECT SQL, VIEW ANY DATABASE, VIEW ANY DEFINITION, VIEW ANY ERROR LOG, "
    "VIEW ANY PERFORMANCE DEFINITION, VIEW ANY SECURITY DEFINITION, "
    "VIEW SERVER PERFORMANCE STATE, VIEW SERVER SECURITY STATE, VIEW SERVER STATE"
)
LOOKING = frozenset({"VIEW DEFINITION", "VIEW CHANGE TRACKING", "VIEW PERFORMANCE DEFINITION"})
OF_OBJECT = LOOKING | {"SELECT"}
READ_ONLY = "READ_ONLY"
WRITING = frozenset({"INSERT", "UPDATE", "DELETE"})  # all that a read-only database excuses
WRITING_ROLE = "db_datawriter"
CLOUD = frozenset({5, 6, 11, 12})  # engine editions without a server of the customer's own
SHOWN = 6


Facts = Mapping[str, "list[Row] | None"]  # the rows of each query, or None where it failed
QUERIES = (
    *(STATE, ROLES, SERVER_ROLES, DATABASE, SERVER, SCHEMAS, OBJECTS),
    *(OTHER_GRANTS, OWNED, USERS, LOGINS),
)


@dataclass(frozen=True, slots=True)
class Principal:
    """A connection's principal, and its privileges beyond reading the contract's tables.

    Attributes:
        user: Its name in the database.
        excess_privileges: Privileges that it should not have, the gravest first.
        blocked: Privileges that the read-only database makes ineffective.
        notes: Remarks that are no problem.
    """

    user: str
    excess_privileges: tuple[str, ...]
    blocked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_read_only(self) -> bool:
        """Return whether it can do nothing but read."""
        return not self.excess_privileges

    @property
    def needs_read_only_database(self) -> bool:
        """Return whether only the state of the database prevents writes."""
        return self.is_read_only and bool(self.blocked)

    def summary(self) -> str:
        """Return the excess privileges as one phrase."""
        more = len(self.excess_privileges) - SHOWN
        phrase = "; ".join(self.excess_privileges[:SHOWN])
        return phrase + (f"; and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class ExcessPrivilege:
    """One excess privilege, and whether a read-only database makes it harmless."""

    text: str
    blocked: bool = False


def read_principal(read: Read, schema: str) -> Principal:
    """Return the principal and its privileges; `schema` is the contract's.

    A right to read all of a database is too much as well: a table of tomorrow, or one that the
    contract does not list, must not depend on the guard only. So is EXECUTE: a procedure's own
    rights are its owner's.
    """
    facts = {query: rows_or_none(read, query) for query in QUERIES}
    updateability, edition, user = (facts[STATE] or [(None, None, None)])[0]
    is_read_only, schema = updateability == READ_ONLY, schema.lower()
    excess: list[str] = []
    blocked: list[str] = []
    for privilege in _excesses(facts, edition, schema):
        (blocked if is_read_only and privilege.blocked else excess).append(privilege.text)
    notes = ["the database is read-only"] if is_read_only else []
    if any(name.lower() == schema and right == "SELECT" for name, right in facts[SCHEMAS] or ()):
        notes.append(f"it may read every table of schema {schema}, also later ones")
    return Principal(str(user or "unknown"), tuple(excess), tuple(blocked), tuple(notes))


def _excesses(facts: Facts, edition: int | None, schema: str) -> Iterator[ExcessPrivilege]:
    has_server = edition not in CLOUD
    if has_server or facts[SERVER_ROLES]:
        yield from _memberships(facts[SERVER_ROLES], "server")
    yield from _memberships(facts[ROLES], "database")
    yield from _grants(facts[DATABASE], "the database", OF_DATABASE, proof=True)
    if has_server:
        yield from _grants(facts[SERVER], "the server", OF_SERVER)
        yield from _grants(facts[LOGINS], "login", LOOKING)
    yield from _grants(facts[USERS], "user", LOOKING)
    yield from _grants(facts[OWNED], "schema", LOOKING)
    yield from _grants(_but_select(facts[SCHEMAS], schema), "schema", LOOKING)
    yield from _grants(facts[OBJECTS], "object", OF_OBJECT, proof=True)
    yield from _grants(facts[OTHER_GRANTS], "securable", LOOKING)


def _memberships(rows: list[Row] | None, where: str) -> Iterator[ExcessPrivilege]:
    """Yield the roles; NULL is a role that is not visible, whose rights show as permissions."""
    if not rows:
        yield _unknown(f"membership in {where} roles")
    for role, member in rows or ():
        if member not in (0, None):
            yield ExcessPrivilege(f"member of {role}", blocked=role == WRITING_ROLE)


def _grants(
    rows: list[Row] | None, kind: str, allowed: frozenset[str], *, proof: bool = False
) -> Iterator[ExcessPrivilege]:
    """Yield the permissions that are not allowed; rows of a kind name its member first.

    With `proof`, no row at all counts as unknown.
    """
    if rows is None or (proof and not rows):
        yield _unknown(f"the permissions on {kind if kind.startswith('the') else f'each {kind}'}")
    for *names, permission in rows or ():
        name = f"{kind} {'.'.join(names)}" if names else kind
        if permission is None:
            yield _unknown(f"a permission on {name}")
        elif permission not in allowed:
            yield ExcessPrivilege(f"{permission} on {name}", blocked=permission in WRITING)


def _but_select(rows: list[Row] | None, schema: str) -> list[Row] | None:
    """Return the permissions on schemas without that of reading the contract's own one."""
    own = (schema, "SELECT")
    return rows and [row for row in rows if (row[0].lower(), row[1]) != own]


def _unknown(subject: str) -> ExcessPrivilege:
    return ExcessPrivilege(f"{subject} could not be read, which counts as too much")
