"""Client configurations in the documentation match the command line, and run."""

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from scripts import smoke_test

from moviegraph.settings import SETTINGS, read_settings, unknown_variables

pytestmark = pytest.mark.slow("process")

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / "docs" / "guides" / "clients.md"
PAGES = (CLIENTS, ROOT / "docs" / "guides" / "install.md", ROOT / "README.md")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = "/path/to/moviegraph"
GRAPH = "/path/to/graph"
# What stands for a value that only its reader has.
LEFT_OPEN = re.compile(r"\$\{(?:input|env):[A-Za-z_-]+\}|\.\.\.")


def entries() -> dict[str, dict[str, Any]]:
    """Return every server that a page configures, by page and place."""
    by_key: dict[str, dict[str, Any]] = {}
    for path in PAGES:
        for language, text in BLOCK.findall(path.read_text(encoding="utf-8")):
            if language == "json":
                servers = json.loads(text)
                for name, entry in (servers.get("mcpServers") or servers["servers"]).items():
                    by_key[f"{path.stem}-{len(by_key)}-{name}"] = entry
    return by_key


ENTRIES = entries()
STARTED = {place: entry for place, entry in ENTRIES.items() if entry.get("command") == COMMAND}
OVER_HTTP = {place: entry for place, entry in ENTRIES.items() if "url" in entry}


def test_every_client_has_a_section() -> None:
    sections = set(re.findall(r"^## (.+)$", CLIENTS.read_text(encoding="utf-8"), re.MULTILINE))
    assert {"Claude Desktop", "Claude Code", "Cursor", "VS Code", "ChatGPT"} <= sections
    assert {"stdio", "http"} <= {entry.get("type") for entry in ENTRIES.values()}


@pytest.mark.parametrize("place", list(ENTRIES))
def test_a_server_is_started_or_called(place: str) -> None:
    entry = ENTRIES[place]
    known_members = {"type", "command", "args", "env", "url", "headers"}
    assert set(entry) <= known_members
    assert ("command" in entry) != ("url" in entry)
    assert entry.get("type", "stdio" if "command" in entry else "http") in ("stdio", "http")


@pytest.mark.parametrize("place", list(STARTED))
def test_settings_in_a_configuration_are_settings(place: str) -> None:
    arguments = {
        name: LEFT_OPEN.sub("left-open", value)
        for name, value in STARTED[place].get("env", {}).items()
    }
    assert unknown_variables(arguments) == []
    assert read_settings({}, arguments)
    secret = {setting.variable for setting in SETTINGS if setting.name.endswith("api_key")}
    assert all(name not in secret or arguments[name] == "left-open" for name in arguments)


def local_command(words: list[str], graph: Path) -> list[str]:
    """Return a command of a page for this environment."""
    command = [sys.executable, "-m", "moviegraph"]
    return command + [str(graph) if word == GRAPH else word for word in words]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from moviegraph.contract.loader import load_contract
    from moviegraph.embeddings.opening import open_embedder
    from moviegraph.loading.folder_loader import ensure_builtin_graph

    folder = tmp_path_factory.mktemp("graph") / "box"
    return ensure_builtin_graph(folder, load_contract(), open_embedder("local"))


def commands() -> dict[tuple[str, ...], list[str]]:
    """Return the commands of stdio configurations, each once, with where they stand."""
    by_key: dict[tuple[str, ...], list[str]] = {}
    for place, entry in STARTED.items():
        if "--engine" not in entry["args"]:  # a database is not there
            by_key.setdefault(tuple(entry["args"]), []).append(place)
    for line in re.findall(r"^claude mcp add .*$", CLIENTS.read_text(encoding="utf-8"), re.M):
        words = shlex.split(line)
        assert words[words.index("--") + 1] == COMMAND
        by_key.setdefault(tuple(words[words.index("--") + 2 :]), []).append(line)
    return by_key


@pytest.mark.parametrize("words", list(commands()), ids=lambda words: " ".join(words))
def test_what_a_configuration_starts_answers_a_client(
    words: tuple[str, ...], graph: Path, tmp_path: Path
) -> None:
    variables = smoke_test.clean_environment(tmp_path, {"MOVIEGRAPH_GRAPH": str(graph)})
    server_report = smoke_test.check_server(local_command(list(words), graph), variables, tmp_path)
    assert "10 tools" in server_report[0]


@pytest.mark.parametrize("place", list(OVER_HTTP))
def test_a_remote_server_is_called_at_the_path_that_is_served_with_a_token(place: str) -> None:
    entry = OVER_HTTP[place]
    assert re.fullmatch(r"https://[a-z.]+\.example\.org/mcp", entry["url"])
    assert re.fullmatch(r"Bearer \$\{(?:input:|env:)?\w+\}", entry["headers"]["Authorization"])


def test_inputs_that_a_configuration_names_are_asked_for() -> None:
    text = CLIENTS.read_text(encoding="utf-8")
    asked = set[str]()
    for language, block in BLOCK.findall(text):
        if language == "json":
            input_ids = {input_entry["id"] for input_entry in json.loads(block).get("inputs", [])}
            assert set(re.findall(r"\$\{input:([\w-]+)\}", block)) == input_ids
            asked |= input_ids
    assert asked
