"""Messages of the container script where it cannot build."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILDAH_ERROR = "Error: creating build container: initializing source: connection refused"
pytestmark = [
    pytest.mark.slow("process"),
    pytest.mark.skipif(sys.platform != "linux", reason="buildah runs there"),
]


def containers(folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run the script where only that folder holds commands."""
    command = [sys.executable, "-m", "scripts.container"]
    surroundings = {"PATH": str(folder)}
    return subprocess.run(
        command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False
    )


def test_a_base_image_that_cannot_be_fetched_is_one_message(tmp_path: Path) -> None:
    buildah = tmp_path / "buildah"
    buildah.write_text(f"#!/bin/sh\necho '{BUILDAH_ERROR}' >&2\nexit 125\n")
    buildah.chmod(0o755)
    completed = containers(tmp_path)
    assert completed.returncode == 1
    output_line, errors = completed.stderr.splitlines()
    assert output_line == BUILDAH_ERROR
    assert errors.startswith(
        "container: `buildah build` exited with 125. If the base image could not"
    )


def test_without_buildah_the_message_names_what_to_install(tmp_path: Path) -> None:
    completed = containers(tmp_path)
    assert completed.returncode == 1
    assert completed.stderr.startswith("container: buildah cannot be run: ")
    assert completed.stderr.endswith("Install it.\n")
