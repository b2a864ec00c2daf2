"""A damaged built-in model: only semantic search fails, and works again once it is fixed."""

import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from fakes.toy_graph import TOY
from mcp import Client

from moviegraph.cli import main
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.server import create_server
from moviegraph.settings import Settings

MODEL = Path(str(files("moviegraph.embeddings"))) / "minilm"
SEARCH = ("semantic_search", {"query": "a golden soup", "kind": "Recipe"})
NEUTRAL = "Semantic search is temporarily unavailable"
WORKING = [
    pytest.param("fulltext_search", {"query": "chickpeas", "kind": "Recipe"}, id="words"),
    pytest.param("run_readonly_sql", {"sql": "SELECT r.Title FROM Recipe r"}, id="SQL"),
    pytest.param(
        "graph_traverse",
        {"start_kind": "Recipe", "start": ["Dal"], "path": ["NEEDS"]},
        id="a walk",
    ),
    pytest.param("get_records", {"kind": "Recipe", "names": ["Dal"]}, id="records"),
    pytest.param("get_planning_context", {"question": "What is vegan?"}, id="planning"),
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    graph = tmp_path_factory.mktemp("loaded") / "graph"
    place = ("--contract", str(TOY / "contract"))
    assert main(["load", str(TOY / "data"), "--into", str(graph), *place]) == 0
    return graph


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the model that the server reads."""
    folder = Path(shutil.copytree(MODEL, tmp_path / "minilm"))

    def open_embedder(_: Settings) -> LocalEmbedder:
        return LocalEmbedder(folder)

    monkeypatch.setattr("moviegraph.query.opening.configured_embedder", open_embedder)
    yield folder


def settings(graph: Path, tmp_path: Path) -> Settings:
    return Settings(
        graph=graph, contract=TOY / "contract", journal=tmp_path / "state" / "journal.sqlite"
    )


def cut_short(folder: Path) -> None:
    with (folder / "model.int8.onnx").open("r+b") as file:
        file.truncate(1000)


def one_bit(folder: Path) -> None:
    path = folder / "model.int8.onnx"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def no_vocabulary(folder: Path) -> None:
    (folder / "vocab.txt").unlink()


FAULTS = [
    pytest.param(cut_short, "expected digest", id="cut short"),
    pytest.param(one_bit, "expected digest", id="one bit"),
    pytest.param(no_vocabulary, "vocab.txt", id="no vocabulary"),
]


@pytest.mark.parametrize(("damage", "says"), FAULTS)
async def test_a_damaged_model_is_reported_and_used_once_it_is_fixed(
    graph: Path, model: Path, tmp_path: Path, damage: Any, says: str, caplog: Any
) -> None:
    damage(model)
    async with Client(create_server(settings(graph, tmp_path))) as client:
        failed: Any = (await client.call_tool(*SEARCH)).structured_content
        message = failed["error"]["message"]
        assert message.startswith(NEUTRAL)
        reference = message.split("reference ")[1].rstrip(".")
        records = [
            record.getMessage() for record in caplog.records if reference in record.getMessage()
        ]
        assert says in records[0]
        assert "Reinstall moviegraph" in records[0]
        assert "Semantic search is unavailable" in caplog.text
        shutil.copytree(MODEL, model, dirs_exist_ok=True)
        repaired_result: Any = (await client.call_tool(*SEARCH)).structured_content
    assert len(repaired_result["rows"]) > 5
    at = repaired_result["columns"].index("Similarity")
    assert repaired_result["rows"][0][at] > repaired_result["rows"][-1][at]


@pytest.mark.parametrize(("tool", "arguments"), WORKING)
async def test_what_needs_no_model_works_without_it(
    graph: Path, model: Path, tmp_path: Path, tool: str, arguments: dict[str, Any]
) -> None:
    no_vocabulary(model)
    async with Client(create_server(settings(graph, tmp_path))) as client:
        result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content


async def test_a_strategy_that_needs_the_model_fails_alone(
    graph: Path, model: Path, tmp_path: Path
) -> None:
    no_vocabulary(model)
    nearest = (
        "SELECT TOP 3 r.Number, r.Title, VECTOR_DISTANCE('cosine', r.Meaning, @q) AS Distance "
        "FROM Recipe AS r ORDER BY Distance"
    )
    plan = [
        {"id": "a", "message_to_user": "x", "query": "soup", "command": nearest},
        {"id": "b", "message_to_user": "y", "command": "SELECT r.Number, r.Title FROM Recipe AS r"},
    ]
    async with Client(create_server(settings(graph, tmp_path))) as client:
        call = {"question": "Which soups?", "strategies": plan}
        result: Any = (await client.call_tool("run_strategies", call)).structured_content
    meaning, plain = result["executions"]
    assert (meaning["status"], plain["status"]) == ("failed", "ok")
    assert meaning["attempts"][-1]["message"].startswith(NEUTRAL)
