import builtins
from typing import Any

import pytest

from moviegraph.engines.sqlserver import odbc_driver
from moviegraph.engines.sqlserver.connection_string import parse_connection_string
from moviegraph.engines.sqlserver.odbc_driver import find_driver, import_pyodbc, with_driver
from moviegraph.errors import DatabaseError, SettingsError

STRING = parse_connection_string("Server=h;Database=d")


def test_the_strings_own_driver_comes_first() -> None:
    string = with_driver(STRING.replaced(Driver="Mine"), {"MSSQL_ODBC_DRIVER": "/other.so"})
    assert string.get("Driver") == "Mine"


def test_the_variable_comes_before_what_is_installed() -> None:
    assert find_driver({"MSSQL_ODBC_DRIVER": "/driver.so"}) == "/driver.so"


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        pytest.param(["FreeTDS", "ODBC Driver 18 for SQL Server"], 18, id="eighteen"),
        pytest.param(
            ["ODBC Driver 19 for SQL Server", "ODBC Driver 18 for SQL Server"], 19, id="newest"
        ),
    ],
)
def test_an_installed_driver_is_found(
    monkeypatch: pytest.MonkeyPatch, installed: list[str], expected: int
) -> None:
    _install(monkeypatch, installed)
    assert find_driver({}) == f"ODBC Driver {expected} for SQL Server"


def test_without_any_driver_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _install(monkeypatch, [])
    with pytest.raises(DatabaseError) as caught:
        find_driver({})
    assert "msodbcsql18" in (caught.value.hint or "")


def test_an_old_driver_is_refused() -> None:
    with pytest.raises(DatabaseError, match="too old"):
        with_driver(STRING.replaced(Driver="ODBC Driver 17 for SQL Server"))


@pytest.mark.parametrize(
    ("driver_value", "refused"),
    [
        pytest.param("FreeTDS", True, id="FreeTDS"),
        pytest.param("/opt/lib/libtdsodbc.so", True, id="its library"),
        pytest.param("ODBC Driver 18 for SQL Server", False, id="Microsoft"),
        pytest.param("/opt/lib64/libmsodbcsql-18.6.so.2.1", False, id="Microsoft's library"),
    ],
)
def test_a_brace_goes_only_to_the_driver_that_can_read_it(
    driver_value: str, *, refused: bool
) -> None:
    string = STRING.replaced(Driver=driver_value, UID="reader", PWD="};UID=sa;")
    if refused:
        with pytest.raises(SettingsError, match="PWD contains a closing brace") as caught:
            with_driver(string)
        assert "UID=sa" not in f"{caught.value.message} {caught.value.hint}"
    else:
        assert with_driver(string).text().endswith("PWD={}};UID=sa;};")


@pytest.mark.parametrize(
    ("written", "expected"),
    [("yes", "require"), ("mandatory", "require"), ("optional", "request"), ("no", "off")],
)
def test_freetds_is_told_to_encrypt_by_the_keyword_that_it_knows(
    written: str, expected: str
) -> None:
    string = with_driver(STRING.replaced(Driver="FreeTDS", Encrypt=written))
    assert string.get("Encryption") == expected
    assert string.get("Encrypt") is None
    microsoft = with_driver(STRING.replaced(Driver="ODBC Driver 18 for SQL Server"))
    assert (microsoft.get("Encrypt"), microsoft.get("Encryption")) == ("yes", None)


def test_strict_encryption_is_refused_where_no_certificate_is_checked() -> None:
    with pytest.raises(SettingsError, match="FreeTDS does not check certificates"):
        with_driver(STRING.replaced(Driver="/lib/libtdsodbc.so", Encrypt="strict"))


def test_without_the_odbc_library_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    imported = builtins.__import__

    def without(name: str, *arguments: Any) -> Any:
        if name == "pyodbc":
            raise ImportError("libodbc.so.2: cannot open shared object file")
        return imported(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DatabaseError) as caught:
        import_pyodbc()
    assert "apt-get install unixodbc" in (caught.value.hint or "")


def _install(monkeypatch: pytest.MonkeyPatch, names: list[str]) -> None:
    """Let the machine have these drivers."""

    class Installed:
        @staticmethod
        def drivers() -> list[str]:
            return names

    monkeypatch.setattr(odbc_driver, "import_pyodbc", Installed)
