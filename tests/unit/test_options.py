import argparse

import pytest

from moviegraph.cli.commands import COMMANDS
from moviegraph.cli.options import settings_of

ROWS = {row.name: row for row in COMMANDS}


def parsed(command: str, *arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    ROWS[command].configure(parser)
    return parser.parse_args(arguments)


@pytest.mark.parametrize(
    ("command", "arguments", "reads"),
    [
        pytest.param("serve", (), False),
        pytest.param("check", (), False),
        pytest.param("demo", (), False),
        pytest.param("ask", ("why?",), False),
        pytest.param("load", ("data", "--into", "mssql"), True),
    ],
)
def test_only_load_reads_the_principal_that_may_write(
    monkeypatch: pytest.MonkeyPatch, command: str, arguments: tuple[str, ...], reads: bool
) -> None:
    monkeypatch.setenv("MOVIEGRAPH_MSSQL_LOAD", "Server=a;Database=b;UID=writer;PWD=hunter2;")
    monkeypatch.setenv("MOVIEGRAPH_MSSQL_LOAD_PASSWORD_FILE", "secret")
    settings = settings_of(parsed(command, *arguments))
    assert (settings.mssql_load is not None) is reads
    assert (settings.mssql_load_password_file is not None) is reads


@pytest.mark.parametrize("command", ["serve", "check", "demo", "ask"])
@pytest.mark.parametrize("option", ["--llm-price=1/2", "--llm-concurrency=2"])
def test_what_is_of_use_to_load_alone_is_no_option_of_others(command: str, option: str) -> None:
    with pytest.raises(SystemExit):
        parsed(command, *(("why?",) if command == "ask" else ()), option)
    assert parsed("load", "data", "--into", "graph", option)
