"""`moviegraph load` on the command line: output and exit status."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.sources import FILMS, edge, film, source
from fakes.toy_graph import TOY, toy_contract

from moviegraph.cli import main
from moviegraph.cli.streams import PAUSE, ProgressLines
from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.embedder import MAX_EMBEDDED_CHARS
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.loading.folder_loader import folder_lock

MAIN = Path(__file__).parents[2] / "server" / "main.py"
NO_EMBEDDINGS = "--no-embeddings"


def test_a_clean_source_ends_with_0_and_says_what_was_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = source(tmp_path / "in", [*FILMS, film("tt3", imdb=1)])
    assert main(["load", str(place), "--into", str(tmp_path / "graph")]) == 0
    captured = capsys.readouterr()
    assert "6 nodes: 3 Movie, 0 Character, 0 Setting, 2 Theme" in captured.out
    assert "4 edges" in captured.out
    assert "6 vectors" in captured.out
    assert "mapped to integers: 1 Movie" in captured.out
    assert "columns not loaded: imdb" in captured.err
    assert "Embedding" in captured.err
    assert "\x1b" not in captured.err + captured.out, "plain when nobody looks on"
    engine = open_graph(tmp_path / "graph", load_contract())
    assert engine.describe().counts["Movie"] == 3
    engine.close()


def test_rejects_end_with_3_and_are_reported_and_set_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = source(tmp_path / "in", [*FILMS, "{", edge("IN_GENRE", 1, 99), *["[]"] * 7])
    aside = tmp_path / "bad.jsonl"
    graph = str(tmp_path / "graph")
    assert main(["load", str(place), "--into", graph, NO_EMBEDDINGS, "--rejects", str(aside)]) == 3
    captured = capsys.readouterr()
    assert "5 nodes" in captured.out
    assert "Rejected 9 rows" in captured.err
    assert "all.jsonl:10: " in captured.err
    assert "all.jsonl:11: the field to is 99, which is not a loaded Genre" in captured.err
    assert "and 2 more" in captured.err
    assert str(aside) in captured.err
    assert len(aside.read_text().splitlines()) == 9


def test_rejects_in_the_graph_folder_would_be_lost_with_it_and_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = source(tmp_path / "in", [*FILMS, "{"])
    graph, aside = tmp_path / "graph", tmp_path / "graph" / "bad.jsonl"
    assert (
        main(["load", str(place), "--into", str(graph), NO_EMBEDDINGS, "--rejects", str(aside)])
        == 2
    )
    assert f"--rejects {aside} is in the graph folder" in capsys.readouterr().err
    assert not graph.exists()


@pytest.mark.parametrize(
    ("content", "more", "expected_output"),
    [
        pytest.param("graph/f.csv", (), "SOURCE {}/graph/f.csv", id="source"),
        pytest.param("graph", (), "SOURCE {}/graph", id="graph as its own source"),
        pytest.param("in", ("--map", "{}/graph/f.csv"), "--map {}/graph/f.csv", id="map"),
    ],
)
def test_what_is_read_in_the_graph_folder_would_be_lost_with_it_and_is_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: str,
    more: tuple[str, ...],
    expected_output: str,
) -> None:
    source(tmp_path / "in")
    inside = tmp_path / "graph" / "f.csv"
    inside.parent.mkdir()
    inside.write_text("id,name,content\n1,Alien,A crew.\n")
    mapped = [option.format(tmp_path) for option in more]
    command = [
        "load",
        str(tmp_path / content),
        "--into",
        str(tmp_path / "graph"),
        NO_EMBEDDINGS,
        *mapped,
    ]
    assert main(command) == 2
    assert f"{expected_output.format(tmp_path)} is in the graph folder" in capsys.readouterr().err
    assert inside.read_text().startswith("id,")


@pytest.mark.parametrize(
    "name", ["journal.sqlite", "films.csv", "mine/read.me", "vectors/notes.txt"]
)
def test_a_graph_folder_that_holds_other_files_is_not_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    graph = tmp_path / "graph"
    command = ["load", str(source(tmp_path / "in")), "--into", str(graph), NO_EMBEDDINGS]
    assert main(command) == 0
    other = graph / name
    other.parent.mkdir(exist_ok=True)
    other.write_text("mine")
    capsys.readouterr()
    assert main(command) == 1
    errors = capsys.readouterr().err
    assert f"that are not part of a graph: {name}; nothing was changed" in errors
    assert "Move them out of the folder" in errors
    assert other.read_text() == "mine"
    other.unlink()
    assert main(command) == 0


def test_what_a_graph_or_a_system_left_in_its_folder_goes_with_the_old_graph(
    tmp_path: Path,
) -> None:
    graph = tmp_path / "graph"
    command = ["load", str(source(tmp_path / "in")), "--into", str(graph), NO_EMBEDDINGS]
    assert main(command) == 0
    leftovers = ("vectors/Former.npy", "graph.duckdb.wal", "fulltext.sqlite-journal", ".DS_Store")
    for name in leftovers:
        (graph / name).write_bytes(b"")
    assert main(command) == 0
    assert not any((graph / name).exists() for name in leftovers)


@pytest.mark.parametrize(
    ("rows", "more", "status", "says"),
    [
        pytest.param(FILMS, ("--into", "mssql"), 2, "MOVIEGRAPH_MSSQL_LOAD", id="no database"),
        pytest.param(FILMS, ("--into", "{}/g", "--contract", "/no"), 2, "contract", id="contract"),
        pytest.param(FILMS, ("--into", "{}/g", "--embedder", "x"), 2, "embedder", id="embedder"),
        pytest.param(["{"], ("--into", "{}/g"), 1, "contains no node", id="nothing to load"),
    ],
)
def test_what_cannot_be_done_is_one_message(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    rows: list[str],
    more: tuple[str, ...],
    status: int,
    says: str,
) -> None:
    place = source(tmp_path / "in", rows)
    assert (
        main(["load", str(place), NO_EMBEDDINGS, *[option.format(tmp_path) for option in more]])
        == status
    )
    captured = capsys.readouterr()
    assert says in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


@pytest.mark.slow("process")
def test_a_second_load_of_another_process_is_refused(tmp_path: Path) -> None:
    place, graph = source(tmp_path / "in"), tmp_path / "graph"
    command = [sys.executable, str(MAIN), "load", str(place), "--into", str(graph), NO_EMBEDDINGS]
    with folder_lock(graph):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "being built by another process" in done.stderr
    assert not graph.exists()


def test_a_graph_of_another_domain_loads_and_serves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kitchen = ("--contract", str(TOY / "contract"))
    graph = tmp_path / "graph"
    assert main(["load", str(TOY / "data"), "--into", str(graph), NO_EMBEDDINGS, *kitchen]) == 0
    assert "8 Recipe" in capsys.readouterr().out
    engine = open_graph(graph, toy_contract())
    assert engine.describe().counts["Recipe"] == 8
    engine.close()


def test_enriching_can_be_left_out(tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    place = str(source(tmp_path / "in"))
    assert main(["load", place, "--into", str(graph), NO_EMBEDDINGS, "--no-enrich"]) == 0
    assert "enriched" not in json.loads((graph / "manifest.json").read_text())["recipe"]


def test_progress_without_a_terminal_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 0.0
    lines = ProgressLines(lambda: now)
    for done in range(1000):
        lines.show("Embedding", done, 1000)
    now += PAUSE
    lines.show("Embedding", 500, 1000)
    lines.show("Indexing", 0, 0)
    assert capsys.readouterr().err == (
        "Embedding: 1,000\nEmbedding: 50 %, 500 of 1,000, 50 per second, 10 s left\nIndexing\n"
    )


def test_a_csv_becomes_a_graph_with_its_columns_mapped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, graph, aside = tmp_path / "f.csv", tmp_path / "graph", tmp_path / "bad.txt"
    table.write_text(
        "no,title,overview,released,genres,themes\n"
        '1,Amélie,A waitress.,2001-04-25,Comedy|Drama,"[{""name"": ""Love""}]"\n'
        "2,Moon,A miner is alone.,12/06/2009,drama,[]\n"
        "3,Ragged,,,,,x\n",
        encoding="cp1252",
    )
    map_file = tmp_path / "map.toml"
    map_file.write_text(
        'encoding = "cp1252"\n[columns]\n'
        'id = "no"\nname = "title"\ncontent = "overview"\nyear = "released"\n[lists]\n'
        'genres = { edge = "IN_GENRE", split = "|" }\nthemes = { edge = "INCLUDES_THEME" }\n'
    )
    command = ["load", str(table), "--into", str(graph), NO_EMBEDDINGS, "--rejects", str(aside)]
    assert main([*command, "--map", str(map_file)]) == 3
    captured = capsys.readouterr()
    assert "5 nodes: 2 Movie" in captured.out
    assert "4 edges" in captured.out
    assert "f.csv:4: 7 cells, but the header has 6" in captured.err
    assert json.loads(aside.read_text())["row"].startswith("3,Ragged")
    engine = open_graph(graph, load_contract())
    assert engine.describe().counts["IN_GENRE"] == 3
    engine.close()


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        pytest.param('[columns]\nname = "titel"\n', "Nearest: title", id="nearest names"),
        pytest.param("", "cannot be read", id="no file"),
    ],
)
def test_a_map_that_does_not_fit_builds_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], columns: str, says: str
) -> None:
    map_file = tmp_path / "map.toml"
    if columns:
        map_file.write_text(columns)
    table, graph = tmp_path / "f.csv", tmp_path / "graph"
    table.write_text("id,title,content\n1,Alien,A crew.\n")
    mapped = ("--map", str(map_file))
    assert main(["load", str(table), "--into", str(graph), NO_EMBEDDINGS, *mapped]) == 1
    assert says in capsys.readouterr().err
    assert not graph.exists()


def test_texts_embedded_in_part_are_reported_and_named_in_the_recipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    length = MAX_EMBEDDED_CHARS - len("Endless. ")
    rows = [film(3, "Endless", "x" * length), film(4, "Endless", "y" * (length + 1))]
    place, graph = str(source(tmp_path / "in", [*FILMS, *rows])), tmp_path / "graph"
    assert main(["load", place, "--into", str(graph), "--no-enrich"]) == 0
    assert "truncated to the first 64,000 characters: 1 Movie" in capsys.readouterr().out
    recipe = json.loads((graph / "manifest.json").read_text())["recipe"]
    assert "its first 64,000 characters" in recipe["chunks"]
