"""An installation contains exactly the files of the checkout."""

import configparser
import importlib
import re
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import moviegraph

ROOT = Path(__file__).parents[2]
INFO = f"moviegraph-{moviegraph.__version__}.dist-info"
CONTENT = ("schema_docs", "prompts", "data")
SOURCES = {
    "server/moviegraph": "moviegraph",
    "tools/moviegraph_tools": "moviegraph_tools",
    **{name: f"moviegraph/_content/{name}" for name in CONTENT},
}


def files_below(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file but compiled ones, by path below the folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def packed_below(wheel: zipfile.ZipFile, folder: str) -> dict[str, bytes]:
    """Return the bytes of every packed file below a folder, by path below it."""
    names = [name for name in wheel.namelist() if name.startswith(f"{folder}/")]
    inner = f"{folder}/_content/"
    return {
        name.removeprefix(f"{folder}/"): wheel.read(name)
        for name in names
        if not name.startswith(inner)
    }


@pytest.mark.slow("long")
def test_the_wheel_holds_two_packages_and_nothing_else_at_top_level(
    wheel: zipfile.ZipFile,
) -> None:
    tops = {name.split("/", 1)[0] for name in wheel.namelist()}
    assert tops == {"moviegraph", "moviegraph_tools", INFO}


@pytest.mark.slow("long")
@pytest.mark.parametrize(("source", "packed"), list(SOURCES.items()), ids=list(SOURCES))
def test_the_wheel_holds_exactly_the_files_of_the_checkout(
    wheel: zipfile.ZipFile, source: str, packed: str
) -> None:
    expected = files_below(ROOT / source)
    result = packed_below(wheel, packed)
    assert sorted(result) == sorted(expected)
    assert [name for name in expected if result[name] != expected[name]] == []


@pytest.mark.slow("long")
@pytest.mark.parametrize(
    "name",
    [
        "moviegraph/py.typed",
        "moviegraph_tools/py.typed",
        "moviegraph/contract/rules.md",
        "moviegraph/view/web/page.html",
        "moviegraph/view/web/view.css",
        "moviegraph/view/web/host.js",
        "moviegraph/view/web/journal.js",
        "moviegraph/embeddings/minilm/model.int8.onnx",
        "moviegraph/embeddings/minilm/vocab.txt",
        "moviegraph/embeddings/minilm/LICENSE.txt",
        "moviegraph/_content/schema_docs/contract.toml",
        "moviegraph/_content/prompts/instructions.md",
        "moviegraph/_content/data/nodes_Movie.jsonl",
        f"{INFO}/licenses/LICENSE",
        f"{INFO}/licenses/NOTICE",
        f"{INFO}/licenses/server/moviegraph/embeddings/minilm/LICENSE.txt",
    ],
)
def test_the_wheel_holds(wheel: zipfile.ZipFile, name: str) -> None:
    assert wheel.getinfo(name).file_size >= 0


@pytest.mark.slow("long")
def test_the_console_script_starts_the_command_line(wheel: zipfile.ZipFile) -> None:
    entries = configparser.ConfigParser()
    entries.read_string(wheel.read(f"{INFO}/entry_points.txt").decode())
    assert dict(entries["console_scripts"]) == {"moviegraph": "moviegraph.cli:main"}
    module, _, function = entries["console_scripts"]["moviegraph"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))


@pytest.mark.slow("long")
def test_the_metadata_names_the_licence_and_the_lowest_python(wheel: zipfile.ZipFile) -> None:
    metadata = message_from_bytes(wheel.read(f"{INFO}/METADATA"))
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Version"] == moviegraph.__version__


def test_the_changelog_begins_with_the_version_of_the_package() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = re.search(r"^## (\S+)", text, re.MULTILINE)
    assert heading is not None
    assert heading[1] == moviegraph.__version__


def test_the_notice_names_every_work_of_others_in_the_package() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    licences = [path.relative_to(ROOT).as_posix() for path in (ROOT / "server").rglob("LICENSE*")]
    assert licences
    assert [path for path in licences if path not in notice] == []
