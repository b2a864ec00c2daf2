"""`moviegraph ddl` as it is typed."""

from pathlib import Path

import pytest
from fakes.toy_graph import TOY

from moviegraph.cli import main

GOLDEN = Path(__file__).parents[1] / "golden"
LARGE = ("--embedder", "openai:text-embedding-3-large")


def test_the_script_is_the_answer_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ddl", "--engine", "mssql", "--vector-index"]) == 0
    captured = capsys.readouterr()
    assert captured.out == (GOLDEN / "ddl_movies.sql").read_text(encoding="utf-8")
    assert captured.err == ""


def test_any_contract_and_embedder_will_do(capsys: pytest.CaptureFixture[str]) -> None:
    kitchen = ("--contract", str(TOY / "contract"))
    arguments = ["ddl", "--engine", "mssql", *kitchen, *LARGE, "--embedder-dimensions", "1024"]
    assert main(arguments) == 0
    output = capsys.readouterr().out
    assert "CREATE TABLE [kitchen].[Recipe]" in output
    assert output.count("VECTOR(1024)") == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param([], "--engine mssql", id="the embedded engine"),
        pytest.param(["--engine", "mssql", *LARGE], "_API_KEY", id="width unknown without a key"),
    ],
)
def test_what_cannot_be_written_is_one_message(
    capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert main(["ddl", *arguments]) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert captured.out == ""
