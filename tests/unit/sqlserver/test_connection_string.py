from collections.abc import Callable
from pathlib import Path

import pytest

from moviegraph.engines.sqlserver.connection_string import (
    ConnectionString,
    parse_connection_string,
    read_connection_string,
)
from moviegraph.errors import SettingsError

CONNECTION_STRING = "Server=tcp:db.example,1433;Database=films;UID=reader;PWD={p;a}}ss=word};"
SECRET = "p;a}ss=word"


def test_what_the_server_needs_is_added() -> None:
    string = parse_connection_string(CONNECTION_STRING)
    expected = {
        "LongAsMax": "yes",
        "ConnectRetryCount": "0",
        "Encrypt": "yes",
        "TrustServerCertificate": "no",
        "APP": "moviegraph",
        "ApplicationIntent": "ReadOnly",
    }
    assert {key: string.get(key) for key in expected} == expected


def test_a_load_asks_for_the_writable_database() -> None:
    assert (
        parse_connection_string(CONNECTION_STRING, read_only=False).get("ApplicationIntent")
        == "ReadWrite"
    )


def test_given_values_override_the_defaults() -> None:
    string = parse_connection_string(
        CONNECTION_STRING + "Encrypt=strict;APP=films;ApplicationIntent=ReadWrite"
    )
    assert (string.get("Encrypt"), string.get("APP")) == ("strict", "films")
    assert string.get("ApplicationIntent") == "ReadWrite"


def test_a_value_in_braces_may_hold_anything() -> None:
    assert parse_connection_string(CONNECTION_STRING).get("PWD") == SECRET


def test_what_is_written_reads_back_the_same() -> None:
    string = parse_connection_string(CONNECTION_STRING)
    assert parse_connection_string(string.text()) == string


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("SERVER=h;DATABASE=d;Uid=u;pwd=p", id="any case"),
        pytest.param("server = h ; database = d ;\n uid=u;pwd=p;;", id="blanks and breaks"),
        pytest.param("Server={h};Database={d};UID={u};PWD={p};", id="needless braces"),
    ],
)
def test_spelling_does_not_matter(text: str) -> None:
    string = parse_connection_string(text)
    values = [string.get(key) for key in ("Server", "Database", "UID", "PWD")]
    assert values == ["h", "d", "u", "p"]


@pytest.mark.parametrize(
    "represent",
    [
        pytest.param(repr, id="repr"),
        pytest.param(str, id="str"),
    ],
)
def test_no_form_that_is_shown_holds_the_password(
    represent: Callable[[ConnectionString], str],
) -> None:
    text = represent(parse_connection_string(CONNECTION_STRING))
    assert SECRET not in text
    assert "word" not in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("Server=h;Database=d;Bogus=1", "'Bogus'", id="unknown"),
        pytest.param("Server=h;Database=d;Encript=yes", "Encrypt", id="misspelt"),
        pytest.param("Data Source=h;Database=d", "Server", id="name of another library"),
        pytest.param("Server=h;Database=d;User ID=u", "UID", id="user of another library"),
        pytest.param("Server=h;Database=d;DSN=x", "data source", id="data source"),
        pytest.param("Server=h;Database=d;SaveFile=x", "writes a file", id="file"),
        pytest.param("Server=h;Server=i;Database=d", "twice", id="twice"),
        pytest.param("Server=h;Addr=i;Database=d", "Server", id="synonym"),
        pytest.param("Database=d", "Server is missing", id="no server"),
        pytest.param("Server=h", "Database is missing", id="no database"),
        pytest.param("Server=h;Database=", "Database is missing", id="empty"),
        pytest.param("Server=h;Database=d;Encrypt=maybe", "Encrypt is one of", id="choice"),
        pytest.param("Server=h;Database=d;LongAsMax=no", "LongAsMax must be yes", id="forced"),
        pytest.param("Server=h;Database=d;ConnectRetryCount=3", "must be 0", id="forced number"),
        pytest.param("Server=h;Database", "KEYWORD=value", id="no equals sign"),
        pytest.param("Server=h;=d", "keyword is missing", id="no keyword"),
        pytest.param("Server={h;Database=d", "not closed", id="open brace"),
        pytest.param("", "Server is missing", id="nothing"),
        pytest.param("Server=h;Database=d;PWD=x\0;Encrypt=yes", "contains a NUL", id="NUL"),
        pytest.param("Server=h;Database=d;PWD=\udcff", "not text", id="half a character"),
    ],
)
def test_a_bad_string_is_refused_with_a_fix(text: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_connection_string(text, "MOVIEGRAPH_MSSQL")
    assert "MOVIEGRAPH_MSSQL" in caught.value.message
    assert message in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Server=h;Database=d;UID=u;PWD=ab;hush=2", id="semicolon in the password"),
        pytest.param("Server=h;Database=d;UID=u;PWD=ab;hush", id="at the end"),
        pytest.param("Server=h;Database=d;UID=u;PWD={hush;", id="brace in the password"),
    ],
)
def test_no_message_repeats_a_part_of_a_password(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_connection_string(text)
    assert "hush" not in f"{caught.value.message} {caught.value.hint}"


def test_a_string_may_be_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "string"
    file.write_text(f"\ufeff{CONNECTION_STRING}\n", encoding="utf-8")
    assert read_connection_string(file) == parse_connection_string(CONNECTION_STRING)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="nowhere"):
        read_connection_string(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("value", "encrypted"), [("yes", True), ("strict", True), ("no", False), ("optional", False)]
)
def test_only_encryption_that_is_enforced_counts(value: str, *, encrypted: bool) -> None:
    assert parse_connection_string(f"{CONNECTION_STRING}Encrypt={value}").encrypted is encrypted
