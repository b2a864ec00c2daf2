import errno
import os
import socket
import threading
from typing import NoReturn

import pytest

from moviegraph.engines.sqlserver.connection import (
    address_of,
    require_reachable,
    require_tds8,
)
from moviegraph.engines.sqlserver.connection_string import (
    ConnectionString,
    parse_connection_string,
)
from moviegraph.errors import DatabaseError


@pytest.mark.parametrize(
    ("server", "address"),
    [
        pytest.param("tcp:db.example,1444", ("db.example", 1444), id="host and port"),
        pytest.param("db.example", ("db.example", 1433), id="host"),
        pytest.param("127.0.0.1, 1500", ("127.0.0.1", 1500), id="blank"),
        pytest.param("tcp:[::1],1500", ("::1", 1500), id="IPv6"),
        pytest.param("db.example;Port=1501", ("db.example", 1501), id="port of its own"),
        pytest.param("box\\SQLEXPRESS", None, id="named instance"),
        pytest.param("np:\\\\box\\pipe", None, id="named pipe"),
    ],
)
def test_the_address_is_read_from_the_string(server: str, address: tuple[str, int] | None) -> None:
    string = parse_connection_string(f"Server={server};Database=kb;UID=u;PWD=p;")
    assert address_of(string) == address


def test_who_listens_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        require_reachable(listener.getsockname()[:2], "MOVIEGRAPH_MSSQL")


@pytest.mark.parametrize(
    ("host", "says"),
    [
        pytest.param("127.0.0.1", "nothing listens on port", id="refused"),
        pytest.param("two..dots", "cannot resolve the name", id="unknown"),
    ],
)
def test_a_host_that_does_not_answer_is_reported_with_a_fix(host: str, says: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(DatabaseError) as raised:
        require_reachable((host, port), "MOVIEGRAPH_MSSQL")
    assert says in raised.value.message
    assert "MOVIEGRAPH_MSSQL" in (raised.value.hint or "")
    assert host not in f"{raised.value.message} {raised.value.hint}"


@pytest.mark.parametrize(
    ("error", "says"),
    [
        pytest.param(TimeoutError(errno.ETIMEDOUT, "Timed out"), "within 5 s", id="silence"),
        pytest.param(
            OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH)),
            "cannot be reached from this machine: Network is unreachable",
            id="no network",
        ),
    ],
)
def test_only_a_missing_response_is_reported_as_a_timeout(
    monkeypatch: pytest.MonkeyPatch, error: OSError, says: str
) -> None:
    def fail(*_: object) -> NoReturn:
        raise error

    monkeypatch.setattr(socket, "create_connection", fail)
    with pytest.raises(DatabaseError) as raised:
        require_reachable(("db.example", 1433), "MOVIEGRAPH_MSSQL")
    assert says in raised.value.message
    assert "Server= in MOVIEGRAPH_MSSQL" in (raised.value.hint or "")


def strict(listener: socket.socket, encrypt: str = "strict") -> ConnectionString:
    port = listener.getsockname()[1]
    server = f"Server=127.0.0.1,{port};Database=kb;UID=u;PWD=p;"
    return parse_connection_string(f"{server}Encrypt={encrypt};")


def test_a_server_that_is_silent_at_a_strict_login_is_left_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        require_tds8(strict(listener, "yes"), 0.05)
        with pytest.raises(DatabaseError, match="TDS 8") as raised:
            require_tds8(strict(listener), 0.05)
    assert "Encrypt=yes" in (raised.value.hint or "")


def test_a_server_that_answers_a_strict_login_in_another_protocol_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(bytes(64))

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(DatabaseError, match="TDS 8"):
            require_tds8(strict(listener), 5)
        thread.join()
