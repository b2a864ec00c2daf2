"""The wheel in an environment of its own, which sees no checkout."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from scripts import smoke_test

pytestmark = pytest.mark.slow("process")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the command; the packages of others are those of this environment, as a path entry.

    Such an entry is searched after the wheel, and leads nowhere else: not to the checkout.
    """
    pytest.importorskip("pip", reason="an environment of uv has no pip to install with")
    fresh = tmp_path_factory.mktemp("fresh") / "environment"
    venv.create(fresh, symlinks=os.name != "nt")
    places = sysconfig.get_paths(vars={"base": str(fresh), "platbase": str(fresh)})
    python = Path(places["scripts"]) / Path(sys.executable).name
    assert wheel.filename is not None
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps"]
    subprocess.run([*install, "--no-index", wheel.filename], check=True, timeout=600)
    others = Path(places["purelib"]) / "others.pth"
    others.write_text(sysconfig.get_paths()["purelib"], encoding="utf-8")
    return Path(places["scripts"]) / "moviegraph"


def test_nothing_of_it_comes_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    code = "import moviegraph, moviegraph_tools, sys; print(moviegraph.__file__, *sys.path)"
    python = installed.with_name(Path(sys.executable).name)
    completed = subprocess.run(
        [str(python), "-c", code], cwd=tmp_path, env=smoke_test.clean_environment(tmp_path),
        check=True, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    file, *path = completed.stdout.split()
    assert Path(file).is_relative_to(installed.parents[1])
    assert {str(ROOT / "server"), str(ROOT / "tools")} & set(path) == set()


def test_it_prints_its_version_validates_and_answers_a_client(installed: Path) -> None:
    command_report = smoke_test.check_command([str(installed)])
    assert len(command_report) == 4
    assert "10 tools, 2 prompts" in command_report[2]
