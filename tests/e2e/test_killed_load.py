"""A load that is killed by the system, wherever it was, and then run again."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from fakes.sources import MANY, edge, node, source

from moviegraph.cli import main, streams
from moviegraph.contract.loader import load_contract
from moviegraph.engines.embedded.embedded_engine import open_graph

FAKES = Path(__file__).parents[1]
COUNT, BATCH = 150, 64
LINES = [*MANY[:COUNT], node("Theme", 1, "Loss"), *(edge("INCLUDES_THEME", n, 1) for n in (1, 2))]
MAP = """
[tables."films.csv"]
lists = { themes = { edge = "INCLUDES_THEME", split = "|" } }
[tables."genres.csv"]
kind = "Genre"
[tables."film_genres.csv"]
edge = "IN_GENRE"
"""

pytestmark = [
    pytest.mark.slow("process"),
    pytest.mark.skipif(os.name == "nt", reason="a killed process is the same there"),
]


def tables(place: Path) -> list[str]:
    place.mkdir()
    rows = "".join(f"{n},Film {n},The story of number {n}.,Loss|Hope\n" for n in range(COUNT))
    (place / "films.csv").write_text(f"id,name,content,themes\n{rows}")
    (place / "genres.csv").write_text("id,name,content\n1,Drama,Serious.\n")
    (place / "film_genres.csv").write_text("from,to\n1,1\n2,1\n9999,1\n")
    map_file = place.parent / "map.toml"
    map_file.write_text(MAP)
    return ["--map", str(map_file)]


def lines(place: Path) -> list[str]:
    source(place, LINES)
    return []


def killed(step: str, place: Path, graph: Path, *more: str) -> None:
    """Load, and kill the process where it tells of a step."""
    command = [sys.executable, "-m", "fakes.stopped_load", step, str(place), "--into", str(graph)]
    process = subprocess.Popen(
        [*command, *more], cwd=FAKES, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), step
    process.kill()
    assert process.wait() == -signal.SIGKILL


def complete_load(
    capsys: pytest.CaptureFixture[str], place: Path, graph: Path, *more: str
) -> list[str]:
    """Load to the end, and return the printed steps of embedding."""
    capsys.readouterr()
    assert main(["load", str(place), "--into", str(graph), *more]) in (0, 3)
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith("Embedding")]


def content(graph: Path) -> object:
    """Return all that a graph folder holds."""
    with duckdb.connect(str(graph / "graph.duckdb"), read_only=True) as database:
        names = [
            str(name)
            for (name,) in database.sql("SELECT table_name FROM duckdb_tables()").fetchall()
        ]
        graph_bytes = {
            name: database.sql(f'SELECT * FROM "{name}" ORDER BY ALL').fetchall() for name in names
        }
    return (
        json.loads((graph / "manifest.json").read_text()),
        repr(graph_bytes),
        {path.name: path.read_bytes() for path in (graph / "vectors").iterdir()},
        (graph / "fulltext.sqlite").read_bytes(),
    )


def stored_vector_count(graph: Path) -> int:
    """Return how many vectors a killed load left for the next."""
    result = list(graph.parent.glob(f".{graph.name}.embeddings-*[0-9a-f]"))
    if not result:
        return 0
    with closing(sqlite3.connect(result[0])) as store:
        if not store.execute("SELECT 1 FROM sqlite_master").fetchone():
            return 0
        return int(store.execute("SELECT COUNT(*) FROM vectors").fetchone()[0])


@pytest.fixture(autouse=True)
def _every_step_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PAUSE", 0.0)


STEPS = ("Reading nodes", "Sorting", "Embedding: 4", "Writing tables", "Indexing text")


@pytest.mark.parametrize(
    ("write", "steps"),
    [
        pytest.param(lines, STEPS, id="JSON Lines"),
        pytest.param(tables, STEPS[2:4], id="mapped tables"),
    ],
)
def test_a_load_killed_anywhere_ends_as_one_that_was_not(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    write: Callable[[Path], list[str]],
    steps: tuple[str, ...],
) -> None:
    place, graph, other = tmp_path / "in", tmp_path / "graphs" / "graph", tmp_path / "graph"
    more = write(place)
    complete_load(capsys, source(tmp_path / "old", MANY[:2]), graph)
    complete_load(capsys, place, other, *more)
    stored = 0
    for step in steps:
        killed(step, place, graph, *more)
        engine = open_graph(graph, load_contract())
        assert engine.describe().counts["Movie"] == 2, "the old graph serves"
        engine.close()
        assert stored_vector_count(graph) >= stored, "nothing that was computed is lost"
        stored = stored_vector_count(graph)
    assert complete_load(capsys, place, graph, *more) == ["Embedding"], "nothing is left to embed"
    assert content(graph) == content(other)
    assert [path.name for path in graph.parent.iterdir()] == ["graph"]


def test_only_what_was_not_kept_is_embedded_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, graph = source(tmp_path / "in", MANY[:COUNT]), tmp_path / "graphs" / "graph"
    killed("Embedding: 42 %", place, graph)
    stored = stored_vector_count(graph)
    assert stored == BATCH
    assert len(complete_load(capsys, place, graph)) - 1 == -((stored - COUNT) // BATCH)
    assert [path.name for path in graph.parent.iterdir()] == ["graph"]
