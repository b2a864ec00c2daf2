"""Release files are generated from the code, and wrong ones are refused."""

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from scripts import bundle, icon, manifests, release, requirements
from scripts.docs import stale

from moviegraph import __version__
from moviegraph.prompts import prompt_files
from moviegraph.settings import SETTINGS
from moviegraph_tools import DEFINITIONS

ROOT = Path(__file__).parents[2]
MANIFEST: dict[str, Any] = json.loads(manifests.MANIFEST.read_text(encoding="utf-8"))
ENTRY: dict[str, Any] = json.loads(manifests.SERVER.read_text(encoding="utf-8"))


def test_generated_files_are_current() -> None:
    assert [path.name for path in stale(manifests.generated_files())] == []
    assert icon.is_current()


def test_the_version_is_in_one_place_and_everything_else_agrees() -> None:
    message = {MANIFEST["version"], ENTRY["version"], ENTRY["packages"][0]["version"]}
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        text = path.read_text(encoding="utf-8")
        message.update(re.findall(r"moviegraph-(\d+\.\d+\.\d+)(?=[-.])", text))
    assert message == {__version__}
    assert "version" in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dynamic"]


def test_the_manifest_lists_the_tools_and_prompts_that_are_served() -> None:
    assert [tool["name"] for tool in MANIFEST["tools"]] == [
        definition.name for definition in DEFINITIONS
    ]
    assert [prompt["name"] for prompt in MANIFEST["prompts"]] == [f.name for f in prompt_files()]
    for prompt in MANIFEST["prompts"]:
        assert "{{" not in prompt["text"]
        assert set(re.findall(r"\$\{arguments\.(\w+)\}", prompt["text"])) == set(
            prompt["arguments"]
        )


def test_every_field_of_the_bundle_reaches_a_setting_and_secrets_are_masked() -> None:
    settings = {setting.name: setting for setting in SETTINGS}
    env = MANIFEST["server"]["mcp_config"]["env"]
    for name, option in MANIFEST["user_config"].items():
        assert env[settings[name].variable] == f"${{user_config.{name}}}"
        assert option.get("sensitive", False) == settings[name].secret
        # Without a default, the host that was read leaves the placeholder in the variable.
        assert option["default"] == (settings[name].default or "")
    assert len(env) == len(MANIFEST["user_config"])
    assert {"mssql", "embedder_api_key", "llm_api_key", "graph"} <= set(MANIFEST["user_config"])


def test_the_bundle_pins_what_the_requirements_pin() -> None:
    project = tomllib.loads(bundle.pinned_project())
    pins = project["tool"]["uv"]["constraint-dependencies"]
    core = (ROOT / "requirements" / "core.txt").read_text(encoding="utf-8")
    assert len(pins) == len(re.findall(r"^\S+==", core, re.MULTILINE))
    assert project["project"]["dependencies"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"name": "moviegraph"}, "NAMESPACE", id="no namespace"),
        pytest.param({"description": "x" * 101}, "100", id="description too long"),
        pytest.param({"title": ""}, "title", id="no title"),
        pytest.param({"version": "1.0.x"}, "exact", id="a range"),
        pytest.param({"version": "9.9.9"}, "exact", id="another version than the package's"),
        pytest.param({"packages": [{"version": __version__}]}, "transport", id="no transport"),
    ],
)
def test_what_the_registry_refuses_is_named(change: dict[str, Any], message: str) -> None:
    assert manifests.find_problems(ENTRY) == []
    assert message in " ".join(manifests.find_problems(ENTRY | change))


@pytest.mark.parametrize(
    ("pattern", "put", "message"),
    [
        pytest.param(r"(?m)^mcp==\S+", "mcp==1.0", "mcp<3,>=2.3 is not pinned", id="out of range"),
        pytest.param(r"(?m)^duckdb==[^#]*?(?=^\w)", "", "duckdb<3,>=2 is not pinned", id="missing"),
        pytest.param(r"(?m)^(anyio==\S+)[^#]*?(?=^\w)", r"\1\n", "anyio has no hash", id="no hash"),
        pytest.param(r"\A", "--extra-index https://a.example\n", "names a host", id="a host"),
    ],
)
def test_requirements_that_are_not_current_are_named(pattern: str, put: str, message: str) -> None:
    core = (ROOT / "requirements" / "core.txt").read_text(encoding="utf-8")
    assert requirements.find_problems(core, ()) == []
    assert message in requirements.find_problems(re.sub(pattern, put, core, count=1), ())


def test_every_requirements_file_is_current() -> None:
    for name, extras in requirements.FILES.items():
        text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
        assert requirements.find_problems(text, extras) == []


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


def test_a_tree_that_is_not_clean_is_not_released(tree: Path) -> None:
    (tree / "CHANGELOG.md").write_text(f"## {__version__} (unreleased)\n", encoding="utf-8")
    problems = release.problems(tree, publish=False)
    assert problems == ["the tree is not clean: ?? CHANGELOG.md"]


def test_a_changelog_without_the_version_is_not_released(tree: Path) -> None:
    (tree / "CHANGELOG.md").write_text("## 0.0.9 (2026-01-01)\n", encoding="utf-8")
    assert any("0.0.9" in problem for problem in release.problems(tree, publish=False))


def test_publication_requires_a_date_and_an_owned_namespace(tree: Path) -> None:
    (tree / "CHANGELOG.md").write_text(f"## {__version__} (unreleased)\n", encoding="utf-8")
    join = " ".join(release.problems(tree, publish=True))
    assert "'unreleased'" in join
    assert ("that you own" in join) == manifests.registry_name().startswith("invalid.")


def test_the_digests_are_those_of_every_file(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"abc")
    (tmp_path / "server.json").write_bytes(b"{}")
    assert [path.name for path in release.write_sums(tmp_path)] == ["a.whl", "server.json"]
    lines = (tmp_path / release.SUMS).read_text(encoding="utf-8").splitlines()
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert lines[0] == f"{digest}  a.whl"
    assert len(lines) == 2


def test_the_container_file_copies_what_exists_and_nothing_runs_as_root() -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    copied = [word for line in re.findall(r"^COPY (?!--)(.+)$", text, re.MULTILINE)
              for word in line.split()[:-1] if not word.startswith("$")]  # fmt: skip
    assert [name for name in copied if not (ROOT / name).exists()] == []
    ignored_patterns = set((ROOT / ".containerignore").read_text(encoding="utf-8").splitlines())
    assert {f"!{name.split('/')[0]}" for name in copied} <= ignored_patterns
    assert re.findall(r"^USER (.+)$", text, re.MULTILINE)[-1] == "10001:10001"
    assert "--require-hashes" in text
