import struct
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from moviegraph.engines.sqlserver.authentication import ACCESS_TOKEN, Authentication, LoginSource
from moviegraph.errors import DatabaseError, SettingsError

SERVER = "Driver=libmsodbcsql-18.so;Server=tcp:db.example,1433;Database=kb;"
USER = f"{SERVER}UID=reader;"
WITH_PASSWORD = f"{USER}PWD=hunter2;"


class FakeToken(NamedTuple):
    token: str
    expires_on: int


class FakeCredential:
    """Gives one token after another, each ending an hour after it was asked for."""

    def __init__(self, clock: Callable[[], float], **options: Any) -> None:
        self.clock, self.options = clock, options
        self.asked: list[str] = []
        self.error: Exception | None = None

    def get_token(self, scope: str) -> FakeToken:
        if self.error is not None:
            raise self.error
        self.asked.append(scope)
        return FakeToken(f"token {len(self.asked)}", int(self.clock() + 3600))


class FakeIdentity:
    """Stands for azure-identity, and remembers the credentials that were made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000_000.0
        self.made: list[tuple[str, FakeCredential]] = []
        module = ModuleType("azure.identity")
        for name in ("DefaultAzureCredential", "ManagedIdentityCredential"):
            setattr(module, name, self._maker(name))
        monkeypatch.setitem(sys.modules, "azure", ModuleType("azure"))
        monkeypatch.setitem(sys.modules, "azure.identity", module)

    def _maker(self, name: str) -> Callable[..., FakeCredential]:
        def make(**options: Any) -> FakeCredential:
            credential = FakeCredential(lambda: self.now, **options)
            self.made.append((name, credential))
            return credential

        return make


@pytest.fixture
def identity(monkeypatch: pytest.MonkeyPatch) -> FakeIdentity:
    return FakeIdentity(monkeypatch)


def unpacked(data: bytes) -> str:
    (length,) = struct.unpack("<I", data[:4])
    assert len(data) == 4 + length
    return data[4:].decode("utf-16-le")


def test_a_login_of_the_server_needs_no_attributes() -> None:
    authentication = Authentication(LoginSource(text=WITH_PASSWORD))
    assert "PWD=hunter2;" in authentication.login().text()
    assert authentication.attributes() == {}


def test_nothing_of_a_login_is_shown() -> None:
    source = LoginSource(text=WITH_PASSWORD, password="swordfish")
    assert "hunter2" not in repr(source) + repr(Authentication(source))
    assert "swordfish" not in repr(source)
    assert "db.example" not in repr(source)


def test_a_password_in_a_file_is_read_again_for_each_connection(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("first\n")
    authentication = Authentication(LoginSource(text=USER, password_file=secret))
    assert "PWD=first;" in authentication.login().text()
    secret.write_text("second; {with} marks\r\n")
    assert "PWD={second; {with}} marks};" in authentication.login().text()


def test_a_string_in_a_file_is_read_again_for_each_connection(tmp_path: Path) -> None:
    source_path = tmp_path / "string"
    source_path.write_text(WITH_PASSWORD)
    authentication = Authentication(LoginSource(file=source_path))
    assert "PWD=hunter2;" in authentication.login().text()
    source_path.write_text(f"{USER}PWD=next;\n")
    assert "PWD=next;" in authentication.login().text()


@pytest.mark.parametrize(
    ("source", "says"),
    [
        pytest.param(LoginSource(), "MOVIEGRAPH_MSSQL is not set", id="nothing"),
        pytest.param(
            LoginSource(text=WITH_PASSWORD, file=Path("x")),
            "MOVIEGRAPH_MSSQL_FILE are both",
            id="two",
        ),
        pytest.param(
            LoginSource(text=USER, password="a", password_file=Path("x")),
            "MOVIEGRAPH_MSSQL_PASSWORD_FILE are both",
            id="two passwords",
        ),
        pytest.param(
            LoginSource(text=WITH_PASSWORD, password="a"), "has a PWD", id="password twice"
        ),
        pytest.param(LoginSource(text=SERVER, password="a"), "has no UID", id="whose password"),
        pytest.param(LoginSource(text=SERVER), "UID and PWD missing", id="nobody"),
        pytest.param(LoginSource(text=USER), "PWD missing", id="no password"),
        pytest.param(
            LoginSource(text=USER, password_file=Path("/nowhere")), "cannot be read", id="no file"
        ),
        pytest.param(
            LoginSource(text=WITH_PASSWORD, method="entra"),
            "MOVIEGRAPH_MSSQL also has UID",
            id="token too",
        ),
        pytest.param(
            LoginSource(text=f"{SERVER}Authentication=ActiveDirectoryMsi;", method="entra"),
            "also has Authentication",
            id="token and keyword",
        ),
        pytest.param(
            LoginSource(text=f"{SERVER}Authentication=ActiveDirectoryDefault;"),
            "the ODBC driver does not support it",
            id="not of this driver",
        ),
        pytest.param(
            LoginSource(text=f"{SERVER}Authentication=ActiveDirectoryInteractive;"),
            "prompts a person",
            id="window",
        ),
        pytest.param(
            LoginSource(text=f"{USER}Authentication=ActiveDirectoryServicePrincipal;"),
            "PWD missing",
            id="principal without secret",
        ),
    ],
)
def test_a_login_that_cannot_be_is_refused_in_a_sentence(source: LoginSource, says: str) -> None:
    with pytest.raises(SettingsError) as raised:
        Authentication(source).login().text()
    assert says in raised.value.message
    assert raised.value.hint
    for secret in ("hunter2", "db.example"):
        assert secret not in f"{raised.value.message} {raised.value.hint}"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{SERVER}Authentication=ActiveDirectoryMsi;", id="managed identity"),
        pytest.param(f"{USER}Authentication=ActiveDirectoryMsi;", id="user-assigned identity"),
        pytest.param(
            f"{WITH_PASSWORD}Authentication=ActiveDirectoryServicePrincipal;",
            id="service principal",
        ),
        pytest.param(f"{SERVER}Trusted_Connection=yes;", id="Kerberos"),
    ],
)
def test_what_the_driver_can_do_by_itself_is_left_to_it(text: str) -> None:
    authentication = Authentication(LoginSource(text=text))
    assert text.split("kb;")[1].rstrip(";") in authentication.login().text()
    assert authentication.attributes() == {}


def test_a_token_is_given_as_the_driver_takes_it(identity: FakeIdentity) -> None:
    authentication = Authentication(LoginSource(text=SERVER, method="entra"), lambda: identity.now)
    attributes = authentication.attributes()
    assert unpacked(attributes[ACCESS_TOKEN]) == "token 1"
    ((name, credential),) = identity.made
    assert name == "DefaultAzureCredential"
    assert credential.asked == ["https://database.windows.net/.default"]
    assert "UID" not in authentication.login().text()


def test_a_token_serves_until_shortly_before_its_end(identity: FakeIdentity) -> None:
    authentication = Authentication(LoginSource(text=SERVER, method="entra"), lambda: identity.now)

    def token() -> str:
        return unpacked(authentication.attributes()[ACCESS_TOKEN])

    assert [token(), token()] == ["token 1", "token 1"]
    identity.now += 3400
    assert token() == "token 2"
    assert len(identity.made) == 1


def test_a_managed_identity_is_asked_for_by_its_client_id(
    identity: FakeIdentity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_CLIENT_ID", "1234")
    Authentication(LoginSource(text=SERVER, method="managed_identity")).attributes()
    ((name, credential),) = identity.made
    assert name == "ManagedIdentityCredential"
    assert credential.options == {"client_id": "1234"}


def test_without_azure_identity_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "azure.identity", None)
    with pytest.raises(DatabaseError) as raised:
        Authentication(LoginSource(text=SERVER, method="entra")).attributes()
    assert "pip install azure-identity" in (raised.value.hint or "")


@pytest.mark.parametrize(
    ("method", "says"),
    [
        pytest.param("entra", "az login", id="any"),
        pytest.param("managed_identity", "client id", id="managed"),
    ],
)
def test_an_unavailable_token_is_reported_with_a_fix(
    identity: FakeIdentity, method: Any, says: str
) -> None:
    authentication = Authentication(LoginSource(text=SERVER, method=method), lambda: identity.now)
    authentication.attributes()
    identity.made[0][1].error = RuntimeError("AADSTS700016: secret detail")
    identity.now += 4000
    with pytest.raises(DatabaseError) as raised:
        authentication.attributes()
    assert says in (raised.value.hint or "")
    assert "secret detail" not in f"{raised.value.message} {raised.value.hint}"


@pytest.mark.parametrize(
    "later",
    [
        pytest.param(WITH_PASSWORD.replace("reader", "admin"), id="another user"),
        pytest.param(WITH_PASSWORD.replace("kb", "other"), id="another database"),
        pytest.param(WITH_PASSWORD.replace("db.example", "db.elsewhere"), id="another server"),
        pytest.param(f"{WITH_PASSWORD}Encrypt=no;", id="less safe"),
    ],
)
def test_a_file_may_change_the_password_and_not_who_logs_in_where(
    tmp_path: Path, later: str
) -> None:
    file = tmp_path / "string"
    file.write_text(WITH_PASSWORD, encoding="utf-8")
    authentication = Authentication(LoginSource(file=file))
    authentication.login().text()
    file.write_text(WITH_PASSWORD.replace("hunter2", "newer"), encoding="utf-8")
    assert "PWD=newer;" in authentication.login().text()
    file.write_text(later, encoding="utf-8")
    with pytest.raises(SettingsError, match="more than the password"):
        authentication.login().text()


def test_a_password_that_no_driver_can_be_given_is_refused() -> None:
    with pytest.raises(SettingsError, match="contains a NUL") as caught:
        LoginSource(text=USER, password="sword\0fish").string()
    assert "fish" not in caught.value.message
