"""`moviegraph init` on the command line: its files load as printed, and name what they omit."""

import csv
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes.toy_graph import build_toy_graph

from moviegraph.cli import main
from moviegraph.contract.loader import load_contract
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

HEADER = (
    "Nummer", "Titel", "Kinostart", "Handlung", "Genres", "Besetzung", "Laufzeit", "Wertung",
    "Plakat", "Art",
)  # fmt: skip
GENRES = ("Drama", "Science Fiction", "Comedy", "Horror", "Crime")
PEOPLE = ("Ana Ková", "Björn Ek", "Chen Li", "Dana Roy", "Eli Stone")
UNITS = ("g", "ml")


def film(number: int) -> tuple[str, ...]:
    return (
        f"tt{number:05d}",
        f"Film number {number}",
        f"{1 + number % 28:02d}/{1 + number % 12:02d}/{1950 + number % 70}",
        f"A person in town {number} looks for what was lost, and nobody else believes in it.",
        " / ".join(sorted({GENRES[number % 5], GENRES[number % 3]})),
        repr([PEOPLE[number % 5], PEOPLE[(number + 2) % 5]]),
        f"{80 + number % 60} min",
        f"{number % 10}.5" if number % 7 else "N/A",
        f"https://images.example/{number}.jpg",
        "movie",
    )


def recipe(number: int) -> dict[str, Any]:
    names = ("salt", "onion", "garlic", "rice", "basil")
    steps = (
        f"Chop everything for dish {number} as small as you like.",
        "Then cook it very slowly.",
    )
    return {
        "id": f"r-{number}",
        "title": f"Dish {number}",
        "steps": [{"no": at, "text": text} for at, text in enumerate(steps)],
        "ingredients": [
            {"name": names[(number + at) % 5], "amount": f"{at} {UNITS[at % 2]}"} for at in range(3)
        ],
        "cuisine": {"name": ("Thai", "Indian")[number % 2], "code": "x"},
        "minutes": 5 + number,
        "vegan": number % 2 == 0,
        "nutrition": {"kcal": number, "fat": 3},
    }


@pytest.fixture
def films(tmp_path: Path) -> Path:
    """Return a table of an unusual shape: another language, separator, encoding and date form."""
    path = tmp_path / "meine filme.csv"
    with path.open("w", encoding="cp1252", newline="") as stored:
        csv.writer(stored, delimiter=";").writerows([HEADER, *map(film, range(200))])
    return path


@pytest.fixture
def recipes(tmp_path: Path) -> Path:
    path = tmp_path / "recipes.json"
    path.write_text(json.dumps([recipe(number) for number in range(40)], indent=1))
    return path


def drafted(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["init", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def command_of(lines: Sequence[str], name: str) -> list[str]:
    line = next(line for line in lines if line.startswith(f"  moviegraph {name}"))
    return shlex.split(line)[1:]


def test_a_table_of_films_is_drafted_and_loads_as_printed(
    films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = drafted(capsys, str(films), "--into", str(tmp_path / "setup"), "--kind", "Film")
    contract = load_contract(tmp_path / "setup")
    node = contract.nodes[0]
    assert [node.name for node in contract.nodes] == ["Film", "Genre", "Besetzung"]
    types = {column.name: column.type for column in node.extra}
    assert (types["Kinostart"], types["Wertung"]) == ("DATE", "FLOAT")
    assert (node.source_key, types["Nummer"]) == ("Nummer", "NVARCHAR(100)")
    assert {"Plakat", "Art", "Laufzeit"} <= types.keys(), "every column is kept"
    assert any("read as cp1252" in line and "(--encoding" in line for line in lines)
    assert main([*command_of(lines, "load"), "--no-embeddings"]) == 0
    loaded = capsys.readouterr()
    assert "210 nodes: 200 Film, 5 Genre, 5 Besetzung" in loaded.out
    graph = command_of(lines, "serve")[-1]
    main(["check", "--json", "--graph", graph])
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["contract"]["message"].startswith("film ")
    assert checks["graph"]["status"] == "ok"


def test_nested_recipes_are_drafted_and_load_as_printed(
    recipes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = drafted(capsys, str(recipes), "--into", str(tmp_path / "setup"))
    contract = load_contract(tmp_path / "setup")
    assert [node.name for node in contract.nodes] == ["Recipe", "Ingredient", "Cuisine"]
    assert any("text      steps" in line for line in lines)
    types = {column.name: column.type for column in contract.nodes[0].extra}
    assert (types["NutritionKcal"], types["Ingredients"]) == ("INT", "JSON")
    assert main([*command_of(lines, "load"), "--no-embeddings"]) == 0
    assert "47 nodes: 40 Recipe, 5 Ingredient, 2 Cuisine" in capsys.readouterr().out


@pytest.mark.slow("process")
def test_the_printed_command_runs_in_a_shell(recipes: Path, tmp_path: Path) -> None:
    program = f"{shlex.quote(sys.executable)} -m moviegraph"
    command = f"{program} init {shlex.quote(str(recipes))} --into setup"
    completed = subprocess.run(
        command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    line = next(
        line for line in completed.stdout.splitlines() if line.startswith("  moviegraph load")
    )
    loading = line.replace("moviegraph", program, 1)
    subprocess.run(loading, shell=True, cwd=tmp_path, capture_output=True, check=True)
    assert (tmp_path / "setup-graph" / "manifest.json").is_file()


def test_the_drafted_examples_are_allowed_by_the_guard(
    recipes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drafted(capsys, str(recipes), "--into", str(tmp_path / "setup"))
    contract = load_contract(tmp_path / "setup")
    assert len(contract.examples) == 8
    for example in contract.examples:
        assert isinstance(judge(example.sql, contract), Allowed), example.sql


def test_json_lines_and_parquet_are_drafted_alike(
    recipes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    duckdb = pytest.importorskip("duckdb")
    rows = json.loads(recipes.read_text())
    lines = tmp_path / "recipes.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    parquet = tmp_path / "recipes.parquet"
    duckdb.sql(f"COPY (FROM read_json('{recipes}')) TO '{parquet}' (FORMAT parquet)")
    hashes = set[str]()
    for number, path in enumerate((recipes, lines, parquet)):
        drafted(capsys, str(path), "--into", str(tmp_path / str(number)))
        hashes.add(load_contract(tmp_path / str(number)).hash)
    assert len(hashes) == 1


def test_without_a_key_the_rows_are_numbered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "films.tsv"
    rows = [
        f"{name}\t{year}\tHe came back to the town in {year}.\t{tags}"
        for name, year, tags in (
            ("Dune", 1984, "war|sand"),
            ("Dune", 2021, "sand|war"),
            ("Heat", 1995, "war"),
        )
    ]
    path.write_text("\n".join(["title\tyear\tplot\ttags", *rows]))
    lines = drafted(capsys, str(path), "--into", str(tmp_path / "setup"))
    assert "  key       number of the row" in lines
    assert any("rows are numbered" in line or "are numbered (--key" in line for line in lines)
    assert main([*command_of(lines, "load"), "--no-embeddings"]) == 0
    assert "5 nodes: 3 Film, 2 Tag" in capsys.readouterr().out


def test_an_unknown_encoding_is_reported(
    films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(films), "--into", str(tmp_path / "d"), "--encoding", "cp9"]) == 1
    assert "unknown encoding: cp9" in capsys.readouterr().err


def test_records_without_a_text_and_tables_without_links_are_drafted_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "films.csv"
    path.write_text(
        "id,title,plot\n1,Moon,A miner nears the end of three lonely years.\n"
        "2,Heat,\n3,Jaws,A shark comes to a small town in summer.\n"
    )
    lines = drafted(capsys, str(path), "--into", str(tmp_path / "setup"))
    assert main([*command_of(lines, "load"), "--no-embeddings"]) == 0
    assert "3 nodes: 3 Film" in capsys.readouterr().out


def test_nothing_is_overwritten(
    recipes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drafted(capsys, str(recipes), "--into", str(tmp_path / "setup"))
    assert main(["init", str(recipes), "--into", str(tmp_path / "setup")]) == 2
    assert "already has contract.toml, columns.toml" in capsys.readouterr().err


def test_a_folder_with_a_graph_is_refused(
    recipes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = build_toy_graph(tmp_path / "graph")
    before = sorted(path.name for path in graph.iterdir())
    assert main(["init", str(recipes), "--into", str(graph)]) == 1
    assert "contains a graph; nothing was changed" in capsys.readouterr().err
    assert sorted(path.name for path in graph.iterdir()) == before


def test_a_drafted_folder_is_no_place_for_a_graph(
    recipes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    setup = tmp_path / "setup"
    drafted(capsys, str(recipes), "--into", str(setup))
    command = ["load", str(recipes), "--contract", str(setup), "--into", str(setup)]
    assert main(command) == 1
    assert "is not a graph folder; nothing was changed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param((), "Name one source", id="no source"),
        pytest.param(("nowhere.csv",), "nothing at", id="no file"),
        pytest.param(("nowhere.csv", "--from", "mssql"), "Name one source", id="two sources"),
    ],
)
def test_a_wrong_source_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    assert main(["init", *arguments, "--into", str(tmp_path / "setup")]) != 0
    assert says in capsys.readouterr().err
    assert not (tmp_path / "setup").exists()


def test_a_name_is_a_text_with_words_even_where_dates_differ_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "filme.csv"
    header = ("Nr.", "Kinostart", "Originaltitel", "Genre(s)", "Reihe", "Beschreibung (kurz)")
    rows = [
        (
            f"F-{number:03d}",
            f"{1 + number % 28:02d}.{1 + number % 12:02d}.{1950 + number % 70}",
            f"Winter Road {number // 2}",
            GENRES[number % 5],
            "Winter Saga" if number < 9 else "",
            f"A widow in town {number} looks for what was lost and finds her brother.",
        )
        for number in range(60)
    ]
    with path.open("w", encoding="utf-8", newline="") as stored:
        csv.writer(stored, delimiter=";").writerows([header, *rows])
    lines = drafted(capsys, str(path), "--into", str(tmp_path / "drafted"))
    summary = {tuple(line.split()[:2]) for line in lines}
    assert {("key", "Nr."), ("name", "Originaltitel"), ("column", "Kinostart")} <= summary
    assert {("nodes", "Genre,"), ("column", "Reihe")} <= summary


def test_the_one_list_of_records_in_an_object_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = tmp_path / "recipes.json", tmp_path / "drafted"
    path.write_text(json.dumps({"version": 1, "recipes": [recipe(number) for number in range(40)]}))
    lines = drafted(capsys, str(path), "--into", str(folder))
    assert main([*command_of(lines, "load"), "--no-embeddings"]) == 0
    assert "40 Recipe" in capsys.readouterr().out


def test_several_lists_of_records_in_an_object_are_several_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "both.json"
    path.write_text(json.dumps({"recipes": [recipe(1)], "cooks": [{"name": "Ana"}]}, indent=1))
    drafted(capsys, str(path), "--into", str(tmp_path / "setup"))
    assert {"Recipe", "Cook"} <= {node.name for node in load_contract(tmp_path / "setup").nodes}


def test_a_list_of_sentences_makes_no_nodes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "recipes.json"
    tips = [[f"Stir pot {number}", f"Salt dish {number} late"] for number in range(40)]
    rows = [recipe(number) | {"tips": tips[number]} for number in range(40)]
    path.write_text(json.dumps(rows))
    lines = drafted(capsys, str(path), "--into", str(tmp_path / "setup"))
    contract = load_contract(tmp_path / "setup")
    assert [node.name for node in contract.nodes] == ["Recipe", "Ingredient", "Cuisine"]
    assert any(line.split()[:2] == ["column", "Tips"] for line in lines)


def test_a_list_of_names_that_records_do_not_share_stays_a_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "recipes.json"
    rows = [recipe(n) | {"codes": [f"A{n}", f"B{n}"]} for n in range(40)]
    path.write_text(json.dumps(rows))
    lines = drafted(capsys, str(path), "--into", str(tmp_path / "setup"))
    assert any(line.split()[:2] == ["column", "Codes"] for line in lines)


def test_a_table_loads_in_one_step_and_only_its_own_source_replaces_it(
    films: Path, recipes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = str(tmp_path / "graph")
    load = ["load", "--into", graph, "--no-embeddings"]
    assert main([*load, str(films)]) == 0
    printed = capsys.readouterr().out
    assert "200 MeineFilme" in printed
    assert f"The contract is in {graph}/contract/contract.toml" in printed
    assert main([*load, str(films), "--kind", "Film"]) == 0
    assert main([*load, str(recipes)]) == 1
    assert "--replace" in capsys.readouterr().err
    assert main([*load, str(recipes), "--replace"]) == 0
    assert "40 Recipe" in capsys.readouterr().out


def test_a_lost_record_ends_with_3_and_an_unreadable_cell_with_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "films.csv"
    rows = [f"{n},Film {n},{1950 + n % 60}" for n in range(250)]
    path.write_text("\n".join(["id,title,year", *rows, "999,Last,1999?"]))
    load = ["load", str(path), "--into", str(tmp_path / "graph"), "--no-embeddings"]
    assert main(load) == 0
    printed = capsys.readouterr()
    assert "year: 1 cells are not INT, such as '1999?'" in printed.err
    path.write_text(path.read_text() + "\n1000,Too,1999,many,cells\n")
    assert main(load) == 3
    assert "films.csv:253: 5 cells, but the header has 3" in capsys.readouterr().err
