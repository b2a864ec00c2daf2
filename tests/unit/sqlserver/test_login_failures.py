import pytest

from moviegraph.engines.sqlserver.error_translation import LOGIN_HINTS, login_failure

MICROSOFT = "[Microsoft][ODBC Driver 18 for SQL Server]"
NAME = "MOVIEGRAPH_MSSQL"


def of_server(number: int, text: str, state: str = "42000") -> Exception:
    message = f"[{state}] {MICROSOFT}[SQL Server]{text} ({number}) (SQLDriverConnect)"
    return Exception(state, message)


def of_driver(state: str, text: str, number: int = 0) -> Exception:
    return Exception(state, f"[{state}] {MICROSOFT}{text} ({number}) (SQLDriverConnect)")


@pytest.mark.parametrize(
    "number", [pytest.param(hint, id=str(hint)) for hint in LOGIN_HINTS if isinstance(hint, int)]
)
def test_every_number_has_a_message_and_a_fix_without_the_servers_text(number: int) -> None:
    error = login_failure(of_server(number, "Secret 'host' and 'login'."), NAME)
    assert error.message.endswith(".")
    assert error.hint
    assert "{" not in error.hint
    assert "Secret" not in f"{error.message} {error.hint}"


@pytest.mark.parametrize(
    ("raised", "wrong", "cure"),
    [
        pytest.param(
            of_server(18456, "Login failed for user '<token-identified principal>'.", "28000"),
            "no user for its identity",
            "CREATE USER",
            id="token",
        ),
        pytest.param(
            of_server(18456, "Login failed for user 'x'. Token is expired.", "28000"),
            "token has expired",
            "az login",
            id="expired token",
        ),
        pytest.param(
            of_server(18456, "Login failed for user 'reader'.", "28000"),
            "password is wrong",
            "UID and PWD in MOVIEGRAPH_MSSQL",
            id="password",
        ),
        pytest.param(
            of_driver(
                "08001",
                "SSL Provider: [error:0A000086:SSL routines::certificate verify "
                "failed:self-signed certificate]",
                -1,
            ),
            "does not trust",
            "TrustServerCertificate=yes",
            id="certificate",
        ),
        pytest.param(
            of_driver("08001", "SSL Provider: [error:0A000102:SSL routines::unsupported protocol]"),
            "agree on encryption",
            "Encrypt=no",
            id="protocol",
        ),
        pytest.param(
            of_driver("08001", "Encryption not supported on SQL Server.", 20),
            "agree on encryption",
            "Encrypt=no",
            id="no encryption",
        ),
        pytest.param(
            of_driver("HYT00", "Login timeout expired"),
            "No server responds",
            "Server=",
            id="nobody",
        ),
        pytest.param(
            of_driver("08001", "Unable to connect to the server ssl-certificate.example"),
            "No server responds",
            "Server=",
            id="words of encryption in a name",
        ),
        pytest.param(
            of_driver(
                "08001", "SSL Provider: The target principal name is incorrect.", -2146893022
            ),
            "does not trust",
            "TrustServerCertificate=yes",
            id="another name in the certificate",
        ),
        pytest.param(
            of_driver("08S01", "TCP Provider: Error code 0x2746", 10054),
            "ended the connection",
            "Try again",
            id="lost",
        ),
        pytest.param(
            Exception(
                "IM002",
                "[IM002] [Microsoft][ODBC Driver Manager] Data source name not found and no "
                "default driver specified (0) (SQLDriverConnect)",
            ),
            "cannot be loaded",
            "msodbcsql18",
            id="no driver on Windows",
        ),
        pytest.param(
            of_server(31999, "Something new about 'host'."),
            "(error 31999): Something new about",
            "list of",
            id="new",
        ),
    ],
)
def test_a_failed_connection_is_reported_with_a_fix(
    raised: Exception, wrong: str, cure: str
) -> None:
    error = login_failure(raised, NAME)
    assert wrong in error.message
    assert cure in (error.hint or "")
    assert "host" not in error.message
