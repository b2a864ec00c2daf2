"""Behavior common to all commands: version, help, errors, booleans, closed pipes, terminals."""

import errno
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from moviegraph import __version__
from moviegraph.cli import commands, main, serve
from moviegraph.cli.commands import COMMANDS
from moviegraph.cli.options import join_booleans, settings_of
from moviegraph.settings import FLAG, SETTINGS

MAIN = Path(__file__).parents[2] / "server" / "main.py"
BOOLEANS = [setting for setting in SETTINGS if setting.type is FLAG]


def ignore(*_: object) -> None:
    """Do nothing."""


def replace_run(monkeypatch: pytest.MonkeyPatch, name: str, run: Callable[[Any], int]) -> None:
    table = tuple(replace(row, run=run) if row.name == name else row for row in COMMANDS)
    monkeypatch.setattr(commands, "COMMANDS", table)


def run_command(
    capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int | str | None, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    captured = capsys.readouterr()
    return caught.value.code, captured.out, captured.err


def test_the_version_is_an_option_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(capsys, "--version") == (0, f"moviegraph {__version__}\n", "")


@pytest.mark.parametrize("arguments", [("serve", "--prot", "3"), ("load",), ("nothing",), ()])
def test_a_wrong_command_line_is_reported_in_two_lines(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    status, out, err = run_command(capsys, *arguments)
    assert (status, out) == (2, "")
    first, second = err.splitlines()
    assert first.startswith("moviegraph")
    assert second.startswith("See: moviegraph")
    assert second.endswith("--help")


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_help_begins_with_one_line_of_usage(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    status, out, _ = run_command(capsys, command, "--help")
    assert status == 0
    assert out.startswith(f"usage: moviegraph {command}")
    assert out.splitlines()[0].endswith("[OPTIONS]")


def test_help_groups_options_and_says_choices_and_defaults(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, out, _ = run_command(capsys, "serve", "--help")
    text = " ".join(out.split())
    for part in (
        "SQL Server (each also available as",
        "HTTP (each also available as",
        "one of: embedded, mssql; default: embedded",
        "a number of seconds from 0.1 to 3600; default: 15",
        "(default: 8765)",
        "also --no-rerank; default: no",
    ):
        assert part in text


@pytest.mark.parametrize("setting", BOOLEANS, ids=lambda setting: setting.name)
@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("--{}", True),
        ("--no-{}", False),
        ("--{} true", True),
        ("--{} false", False),
        ("--{}=0", False),
    ],
)
def test_a_boolean_is_a_flag_in_every_form(
    monkeypatch: pytest.MonkeyPatch, setting: object, form: str, value: bool
) -> None:
    name = setting.name  # type: ignore[attr-defined]
    arguments_seen = list[object]()

    def keep(parsed: object) -> int:
        arguments_seen.append(getattr(settings_of(parsed), name))  # type: ignore[arg-type]
        return 0

    replace_run(monkeypatch, "check", keep)
    assert main(["check", *form.format(name.replace("_", "-")).split()]) == 0
    assert arguments_seen == [value]


def test_a_boolean_takes_no_other_word_for_its_value() -> None:
    words = ["ask", "--rerank", "why?", "--", "--rerank"]
    assert join_booleans(words) == ["ask", "--rerank=true", "why?", "--", "--rerank"]


def test_a_pipe_that_is_closed_while_tasks_run_ends_a_command_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing_command(_: object) -> int:
        raise BaseExceptionGroup("tasks", [BaseExceptionGroup("more", [BrokenPipeError()])])

    replace_run(monkeypatch, "demo", failing_command)
    monkeypatch.setattr("moviegraph.cli.commands.os.dup2", ignore)
    assert main(["demo"]) == 1
    assert capsys.readouterr().err == ""


@pytest.mark.slow("process")
@pytest.mark.skipif(os.name == "nt", reason="descriptors are closed by a shell of POSIX")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
@pytest.mark.parametrize("command", ["version", "guard", "serve"])
def test_a_closed_stream_is_an_empty_one(command: str, closed: str) -> None:
    line = f'exec "$0" -m moviegraph {command} {closed}'
    completed = subprocess.run(
        ["sh", "-c", line, sys.executable], input="", capture_output=True, text=True, check=False
    )
    assert completed.returncode == (1 if command == "guard" else 0)
    assert completed.stderr == ""


def test_a_failure_of_the_system_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device", "/full/graph")

    replace_run(monkeypatch, "version", fail)
    assert main(["version"]) == 1
    assert capsys.readouterr().err == "moviegraph: No space left on device: /full/graph.\n"


def test_another_fault_of_a_task_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing_command(_: object) -> int:
        raise BaseExceptionGroup("tasks", [BrokenPipeError(), ValueError("other")])

    replace_run(monkeypatch, "demo", failing_command)
    with pytest.raises(BaseExceptionGroup):
        main(["demo"])


@pytest.mark.slow("process")
@pytest.mark.parametrize(
    "command",
    [
        ("demo",), ("serve", "--help"), ("--help",), ("--version",), ("ddl", "--engine", "mssql"),
        ("check",), ("journal",),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_command_piped_into_head_ends_quietly(tmp_path: Path, command: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, str(MAIN), *command],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"XDG_STATE_HOME": str(tmp_path)},
    )
    os.close(writing)
    os.close(reading)
    _, err = process.communicate(timeout=300)
    assert "Traceback" not in err
    assert "BrokenPipe" not in err
    assert "did not start" not in err


@pytest.mark.slow("process")
def test_serve_in_a_terminal_says_what_it_waits_for_and_how_to_stop_it() -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, str(MAIN), "serve"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    process.terminate()
    process.communicate()
    os.close(theirs)
    os.close(ours)
    assert "waiting for an MCP client on standard input" in line
    assert "Ctrl-C" in line


def test_serve_says_nothing_where_a_client_started_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("moviegraph.cli.serve.serve_stdio", ignore)
    monkeypatch.setattr(serve, "log_to_stderr", ignore)
    monkeypatch.setattr(serve.signal, "signal", ignore)
    assert main(["serve"]) == 0
    captured = capsys.readouterr()
    assert captured.out + captured.err == ""


def test_a_journal_that_has_not_begun_is_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = ("--journal", str(tmp_path / "none.sqlite"))
    assert main(["journal", *missing]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "The first tool call creates it" in captured.err


@pytest.mark.parametrize("action", [("verify",), ("show", "a1")], ids=" ".join)
def test_a_journal_that_is_missing_is_neither_verified_nor_shown(
    tmp_path: Path, action: tuple[str, ...]
) -> None:
    assert main(["journal", *action, "--journal", str(tmp_path / "none.sqlite")]) == 1
