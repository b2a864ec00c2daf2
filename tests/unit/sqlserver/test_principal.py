from typing import Any

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.spoilable_server import SpoilableServer
from fakes.tds.script import Fail
from fakes.toy_graph import toy_contract

from moviegraph.engines.sqlserver import principal
from moviegraph.engines.sqlserver.principal import Principal, read_principal

DOWN = Fail(297, "The user does not have permission to perform this action.")
READ_ONLY = ("READ_ONLY", 3, "reader")
AZURE = ("READ_WRITE", 5, "reader")


@pytest.fixture
def live() -> SpoilableServer:
    return SpoilableServer.of(toy_contract(), HashedEmbedder().space)


def principal_of(live: SpoilableServer) -> Principal:
    return read_principal(live.read, toy_contract().schema_name)


def test_a_principal_that_may_only_read_the_tables_is_fine(live: SpoilableServer) -> None:
    verdict = principal_of(live)
    assert verdict == Principal("reader", ())
    assert verdict.is_read_only
    assert not verdict.needs_read_only_database


@pytest.mark.parametrize(
    ("query", "more", "expected_name"),
    [
        pytest.param(principal.SERVER_ROLES, ("sysadmin", 1), "member of sysadmin", id="sysadmin"),
        pytest.param(principal.ROLES, ("db_owner", 1), "member of db_owner", id="owner"),
        pytest.param(principal.ROLES, ("db_datawriter", 1), "db_datawriter", id="writer"),
        pytest.param(principal.ROLES, ("db_datareader", 1), "db_datareader", id="reader of all"),
        pytest.param(principal.DATABASE, ("SELECT",), "SELECT on the database", id="reads all"),
        pytest.param(principal.DATABASE, ("INSERT",), "INSERT on the database", id="inserts"),
        pytest.param(
            principal.DATABASE,
            ("EXECUTE ANY EXTERNAL ENDPOINT",),
            "EXECUTE ANY EXTERNAL ENDPOINT on the database",
            id="calls out",
        ),
        pytest.param(principal.DATABASE, ("FLY",), "FLY on the database", id="never heard of"),
        pytest.param(principal.DATABASE, (None,), "could not be read", id="no answer"),
        pytest.param(principal.SERVER, ("CONTROL SERVER",), "CONTROL SERVER", id="server"),
        pytest.param(
            principal.SCHEMAS, ("kitchen", "ALTER"), "ALTER on schema kitchen", id="schema"
        ),
        pytest.param(principal.SCHEMAS, ("hr", "SELECT"), "SELECT on schema hr", id="other schema"),
        pytest.param(
            principal.OBJECTS,
            ("kitchen", "Recipe", "UPDATE"),
            "UPDATE on object kitchen.Recipe",
            id="table",
        ),
        pytest.param(
            principal.OBJECTS,
            ("kitchen", "purge", "EXECUTE"),
            "EXECUTE on object kitchen.purge",
            id="procedure",
        ),
        pytest.param(
            principal.OTHER_GRANTS,
            ("external model", "EXECUTE"),
            "EXECUTE on securable external model",
            id="external model",
        ),
        pytest.param(
            principal.OTHER_GRANTS,
            ("role", "CONTROL"),
            "CONTROL on securable role",
            id="owner of a role",
        ),
        pytest.param(
            principal.OWNED,
            ("kitchen", "OWNERSHIP"),
            "OWNERSHIP on schema kitchen",
            id="owner of a schema",
        ),
        pytest.param(
            principal.USERS, ("dbo", "IMPERSONATE"), "IMPERSONATE on user dbo", id="acts as a user"
        ),
        pytest.param(
            principal.LOGINS, ("sa", "IMPERSONATE"), "IMPERSONATE on login sa", id="acts as a login"
        ),
    ],
)
def test_what_is_too_much_is_named(
    live: SpoilableServer, query: str, more: tuple[Any, ...], expected_name: str
) -> None:
    rows = live.answers[query]
    assert isinstance(rows, list)
    live.answers[query] = [*rows, more]
    verdict = principal_of(live)
    assert not verdict.is_read_only
    assert expected_name in verdict.summary()


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(principal.ROLES, id="database roles"),
        pytest.param(principal.SERVER_ROLES, id="server roles"),
        pytest.param(principal.DATABASE, id="database"),
        pytest.param(principal.SERVER, id="server"),
        pytest.param(principal.SCHEMAS, id="schemas"),
        pytest.param(principal.OBJECTS, id="objects"),
        pytest.param(principal.OTHER_GRANTS, id="other grants"),
        pytest.param(principal.OWNED, id="owned schemas"),
        pytest.param(principal.USERS, id="users"),
        pytest.param(principal.LOGINS, id="logins"),
    ],
)
def test_a_question_that_is_not_answered_counts_as_too_much(
    live: SpoilableServer, query: str
) -> None:
    live.answers[query] = DOWN
    verdict = principal_of(live)
    assert len(verdict.excess_privileges) == 1
    assert "could not be read, which counts as too much" in verdict.summary()


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(principal.DATABASE, id="database"),
        pytest.param(principal.ROLES, id="roles"),
        pytest.param(principal.OBJECTS, id="objects"),
    ],
)
def test_no_permission_at_all_proves_nothing(live: SpoilableServer, query: str) -> None:
    live.answers[query] = []
    assert "could not be read" in principal_of(live).summary()


def test_azure_sql_database_has_no_server_to_ask_about(live: SpoilableServer) -> None:
    live.answers[principal.STATE] = [AZURE]
    live.answers[principal.SERVER] = DOWN
    live.answers[principal.SERVER_ROLES] = DOWN
    live.answers[principal.LOGINS] = DOWN
    assert principal_of(live).is_read_only
    live.answers[principal.SERVER_ROLES] = [("sysadmin", 1)]
    assert not principal_of(live).is_read_only


def test_a_read_only_database_excuses_the_writing_of_rows(live: SpoilableServer) -> None:
    live.answers[principal.STATE] = [READ_ONLY]
    live.answers[principal.DATABASE] = [("CONNECT",), ("INSERT",), ("DELETE",)]
    live.answers[principal.ROLES] = [("db_datawriter", 1)]
    verdict = principal_of(live)
    assert verdict.is_read_only
    assert verdict.needs_read_only_database
    assert "INSERT on the database" in verdict.blocked
    assert "the database is read-only" in verdict.notes


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        pytest.param(principal.DATABASE, [("CONNECT",), ("EXECUTE",)], id="execute"),
        pytest.param(principal.DATABASE, [("CONNECT",), ("CONTROL",)], id="control"),
        pytest.param(principal.DATABASE, [("CONNECT",), ("SELECT",)], id="select"),
        pytest.param(principal.DATABASE, [("CONNECT",), ("ALTER",)], id="alter"),
        pytest.param(principal.ROLES, [("db_owner", 1)], id="owner"),
        pytest.param(principal.SERVER, [("ALTER ANY LOGIN",)], id="server"),
    ],
)
def test_a_read_only_database_excuses_nothing_else(
    live: SpoilableServer, query: str, rows: list[tuple[Any, ...]]
) -> None:
    live.answers[principal.STATE] = [READ_ONLY]
    live.answers[query] = list(rows)
    assert not principal_of(live).is_read_only


def test_a_database_of_unknown_state_is_not_read_only(live: SpoilableServer) -> None:
    live.answers[principal.STATE] = DOWN
    live.answers[principal.ROLES] = [("db_datawriter", 1)]
    assert principal_of(live).excess_privileges == ("member of db_datawriter",)


def test_reading_the_whole_schema_of_the_contract_is_noted(live: SpoilableServer) -> None:
    live.answers[principal.SCHEMAS] = [("kitchen", "SELECT")]
    verdict = principal_of(live)
    assert verdict.is_read_only
    assert "every table of schema kitchen" in verdict.notes[0]


def test_of_many_the_gravest_are_named_and_the_rest_counted(live: SpoilableServer) -> None:
    live.answers[principal.SERVER_ROLES] = [("sysadmin", 1)]
    live.answers[principal.OBJECTS] = [("kitchen", f"T{n}", "DELETE") for n in range(40)]
    summary = principal_of(live).summary()
    assert summary.startswith("member of sysadmin; DELETE on object kitchen.T0")
    assert summary.endswith("and 35 more")
