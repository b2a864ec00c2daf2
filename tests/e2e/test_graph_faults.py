"""The graph under a running server: replaced, removed, damaged, and restored."""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import psutil
import pytest
from fakes.served_process import KITCHEN, MAIN, ServerProcess, running_server
from mcp import Client

from moviegraph.cli import main

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="open files can be replaced there")
pytestmark = [pytest.mark.slow("process"), LINUX]

CAKE = "A dark chocolate cake, sweet and rich, baked for birthdays."
SOUP = "A thin broth of lentils and onion, simmered with salt."
SWEET = {"query": "a sweet chocolate dessert", "kind": "Recipe", "top": 1}
COUNT = {"sql": "SELECT COUNT(*) AS n FROM Recipe"}
WORDS = {"query": "chocolate", "kind": "Recipe"}


def recipe(number: int, name: str, content: str) -> str:
    line = {"kind": "Recipe", "id": number, "name": name, "content": content}
    return json.dumps(line | {"minutes": 10, "vegan": True})


def source(place: Path, version: str) -> Path:
    """Write two recipes; in the second version each has the number of the other."""
    place.mkdir()
    cake, soup = (1, 2) if version == "A" else (2, 1)
    lines = (recipe(cake, f"Cake {version}", CAKE), recipe(soup, f"Soup {version}", SOUP))
    (place / "nodes.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("sources")
    return {version: source(folder / version, version) for version in "AB"}


@pytest.fixture(scope="module")
def loaded_folder(versions: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    graph = tmp_path_factory.mktemp("loaded") / "graph"
    assert main(["load", str(versions["A"]), "--into", str(graph), *KITCHEN]) == 0
    return graph


@pytest.fixture
def graph(loaded_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(loaded_folder, tmp_path / "graph"))


@pytest.fixture
def running(graph: Path, tmp_path: Path) -> Iterator[ServerProcess]:
    arguments = ("--graph", str(graph), "--log-format", "json", *KITCHEN)
    with running_server(tmp_path / "server", *arguments) as server_address:
        yield server_address


def load(place: Path, graph: Path) -> None:
    command = [sys.executable, str(MAIN), "load", str(place), "--into", str(graph), *KITCHEN]
    subprocess.run(command, check=True, capture_output=True, timeout=600)


def content_hash(graph: Path) -> str:
    return json.loads((graph / "manifest.json").read_text())["content_hash"]


def recorded(running: ServerProcess) -> dict[str, str]:
    """Return the graph that the journal names for each execution."""
    with closing(sqlite3.connect(running.log_file.with_name("journal.sqlite"))) as journal:
        bodies = [json.loads(body) for (body,) in journal.execute("SELECT body FROM bodies")]
    return {body["id"]: body["content_hash"] for body in bodies}


async def tool_content(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return (await client.call_tool(tool, arguments)).structured_content or {}


async def test_a_reloaded_graph_is_served_and_no_answer_mixes_the_two(
    running: ServerProcess, graph: Path, versions: dict[str, Path]
) -> None:
    before = content_hash(graph)
    answers: list[dict[str, Any]] = []
    async with Client(running.url) as client, anyio.create_task_group() as group:
        answers.append(await tool_content(client, "semantic_search", SWEET))
        group.start_soon(anyio.to_thread.run_sync, load, versions["B"], graph)
        with anyio.fail_after(300):
            while answers[-1]["rows"][0][1] != "Cake B":
                answers.append(await tool_content(client, "semantic_search", SWEET))
        assert (await tool_content(client, "run_readonly_sql", COUNT))["rows"] == [[2]]
        answers.append(await tool_content(client, "fulltext_search", WORDS))

    hashes = {"Cake A": (1, before), "Cake B": (2, content_hash(graph))}
    message = recorded(running)
    for answer in answers:
        key, name = answer["rows"][0][:2]
        assert (key, message[answer["execution_id"]]) == hashes[name]
    (reopened,) = running.records("graph_reopened")
    assert reopened["content_hash"] == content_hash(graph)
    process = psutil.Process(running.process.pid)
    open_paths = [open_file.path for open_file in (*process.open_files(), *process.memory_maps())]
    assert not [path for path in open_paths if str(graph) in path and "deleted" in path]


async def test_a_graph_that_does_not_fit_is_not_served_in_place_of_one_that_does(
    running: ServerProcess, graph: Path, versions: dict[str, Path]
) -> None:
    async with Client(running.url) as client:
        assert (await tool_content(client, "run_readonly_sql", COUNT))["rows"] == [[2]]
        manifest = json.loads((graph / "manifest.json").read_text())
        (graph / "manifest.json").write_text(json.dumps(manifest | {"contract_hash": "other"}))
        for _ in range(2):
            assert (await tool_content(client, "semantic_search", SWEET))["rows"][0][1] == "Cake A"
        (event,) = running.records("graph_kept")
        assert "another contract" in event["message"]
        await anyio.to_thread.run_sync(load, versions["B"], graph)
        assert (await tool_content(client, "semantic_search", SWEET))["rows"][0][1] == "Cake B"


async def test_a_removed_graph_is_served_until_another_replaces_it(
    running: ServerProcess, graph: Path, versions: dict[str, Path]
) -> None:
    async with Client(running.url) as client:
        assert (await tool_content(client, "semantic_search", SWEET))["rows"][0][1] == "Cake A"
        shutil.rmtree(graph)
        assert (await tool_content(client, "semantic_search", SWEET))["rows"][0][1] == "Cake A"
        assert "no graph folder" in running.records("graph_kept")[0]["message"]
        await anyio.to_thread.run_sync(load, versions["B"], graph)
        assert (await tool_content(client, "semantic_search", SWEET))["rows"][0][1] == "Cake B"


TITLES = {"sql": "SELECT r.Id, r.Title, r.Method FROM Recipe AS r"}


@pytest.mark.parametrize(
    ("file", "tool", "arguments", "says"),
    [
        pytest.param("graph.duckdb", "run_readonly_sql", TITLES, "tables", id="tables"),
        pytest.param("fulltext.sqlite", "fulltext_search", WORDS, "index", id="full text"),
        pytest.param("vectors/Recipe.npy", "semantic_search", SWEET, "vectors", id="vectors"),
    ],
)
async def test_a_truncated_file_is_reported_and_recovered_without_a_restart(
    running: ServerProcess,
    graph: Path,
    loaded_folder: Path,
    file: str,
    tool: str,
    arguments: dict[str, Any],
    says: str,
) -> None:
    async with Client(running.url) as client:
        assert (await tool_content(client, "run_readonly_sql", COUNT))["rows"] == [[2]]
        with (graph / file).open("r+b") as damaged:
            damaged.truncate(200)
        failed = (await tool_content(client, tool, arguments))["error"]
        assert "The graph, or a part of it, is temporarily unavailable" in failed["message"]
        reference = failed["message"].split("reference ")[1].rstrip(".")
        (incident,) = [
            record for record in running.records("incident") if record["reference"] == reference
        ]
        assert says in incident["message"]
        assert "Load the data again" in incident["message"]
        assert running.records("graph_kept")
        (graph / file).write_bytes((loaded_folder / file).read_bytes())
        repaired_result = await tool_content(client, tool, arguments)
        assert len(repaired_result["rows"]) > 0


SOME_TITLES = {"sql": f"{TITLES['sql']} WHERE r.Id < 3"}
THIN = {"query": "a thin soup", "kind": "Recipe", "top": 1}


@pytest.mark.parametrize(
    ("file", "tool", "first", "later"),
    [
        pytest.param("graph.duckdb", "run_readonly_sql", TITLES, SOME_TITLES, id="tables"),
        pytest.param("vectors/Recipe.npy", "semantic_search", SWEET, THIN, id="vectors"),
    ],
)
async def test_a_file_overwritten_after_it_was_read_is_served_on_from_memory(
    running: ServerProcess,
    graph: Path,
    file: str,
    tool: str,
    first: dict[str, Any],
    later: dict[str, Any],
) -> None:
    async with Client(running.url) as client:
        assert (await tool_content(client, tool, first))["rows"]
        file_bytes = (graph / file).read_bytes()
        (graph / file).write_bytes(b"x" * len(file_bytes))
        served_on = (await tool_content(client, tool, later))["rows"]
        assert len(served_on) > 0
        (event,) = running.records("graph_kept")
        assert "Load the data again" in event["message"]
        (graph / file).write_bytes(file_bytes)
        assert (await tool_content(client, tool, later))["rows"] == served_on
        assert running.records("graph_reopened")
        assert not running.records("incident")
