"""The worked example of another domain: its files, and the commands of the guide to it."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from moviegraph.contract.loader import load_contract

pytestmark = pytest.mark.slow("process")

ROOT = Path(__file__).parents[2]
COOKBOOK = ROOT / "examples" / "cookbook"
CONTRACT = load_contract(COOKBOOK / "contract")
GUIDE = ROOT / "docs" / "guides" / "another_domain.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lines(pattern: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted((COOKBOOK / "data").glob(pattern))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def test_the_data_say_something_of_their_own_in_every_text() -> None:
    nodes = lines("nodes_*.jsonl")
    counts = Counter(node["kind"] for node in nodes)
    assert counts["Recipe"] >= 120
    assert counts["Ingredient"] >= 150
    assert counts["Region"] >= 25
    texts = Counter(node["content"].lower() for node in nodes)
    assert max(texts.values()) == 1
    words = [len(node["content"].split()) for node in nodes if node["kind"] == "Recipe"]
    assert min(words) >= 15


def test_diets_agree_with_what_goes_into_a_dish() -> None:
    families = {n["id"]: (n["family"], n["name"]) for n in lines("nodes_Ingredient.jsonl")}
    flesh, animal = {"meat", "fish"}, {"dairy", "egg"}
    hidden = {"Fish sauce", "Lard", "Gelatine"}
    into: dict[int, set[int]] = {}
    for edge in (*lines("edges_NEEDS.jsonl"), *lines("edges_FINISHED_WITH.jsonl")):
        into.setdefault(edge["from"], set()).add(edge["to"])
    for recipe in lines("nodes_Recipe.jsonl"):
        families_used = [families[ingredient_id] for ingredient_id in into[recipe["id"]]]
        meaty = any(family in flesh or name in hidden for family, name in families_used)
        assert recipe["vegetarian"] is not meaty, recipe["name"]
        if recipe["vegan"]:
            assert recipe["vegetarian"], recipe["name"]
            own = {"Butter", "Ghee", "Honey"}
            assert not any(family in animal or name in own for family, name in families_used), (
                recipe["name"]
            )


def test_aliases_are_of_nodes_of_the_data() -> None:
    names = {(node["kind"], node["name"]) for node in lines("nodes_*.jsonl")}
    aliased = {(row["kind"], row["name"]) for row in lines("aliases.jsonl")}
    assert aliased
    assert aliased <= names


def test_there_are_a_dozen_examples_of_different_kinds() -> None:
    assert len(CONTRACT.examples) >= 12
    shown_kinds = {shows for example in CONTRACT.examples for shows in example.shows}
    assert len(shown_kinds) >= 10


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source_path = tmp_path_factory.mktemp("fresh")
    shutil.copytree(COOKBOOK, source_path / "cookbook")
    return source_path


def steps() -> list[tuple[str, str]]:
    """Return each command of the guide with the output that it shows."""
    commands: list[tuple[str, str]] = []
    for language, text in BLOCK.findall(GUIDE.read_text(encoding="utf-8")):
        if language == "sh":
            commands += [(line, "") for line in text.splitlines()]
        elif language == "text" and commands and not commands[-1][1]:
            commands[-1] = (commands[-1][0], text)
    return [(line, output) for line, output in commands if " serve " not in line]


def test_the_commands_of_the_guide_run_in_turn_and_answer_what_it_shows(folder: Path) -> None:
    assert len(steps()) >= 3
    for line, expected_output in steps():
        program, *words = shlex.split(line)
        assert program == "moviegraph"
        text = None
        if "<" in words:
            text = (folder / words.pop()).read_text(encoding="utf-8")
            words.remove("<")
        command = [sys.executable, str(ROOT / "server" / "main.py"), *words]
        completed = subprocess.run(
            command, cwd=folder, input=text, capture_output=True, text=True, check=False,
            timeout=900, encoding="utf-8",
        )  # fmt: skip
        assert completed.returncode == 0, (line, completed.stderr)
        for output_line in expected_output.splitlines():
            assert output_line in completed.stdout, line
