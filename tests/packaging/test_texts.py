"""No file of the project says where or how it was made."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BINARY = frozenset({".onnx", ".npz", ".gz", ".png"})
# Character classes keep each pattern from matching its own text.
FORBIDDEN = {
    "the host of a package registry": r"pypi[.]org|pythonhosted[.]org|npmjs[.]|conda[.]anaconda|"
    r"index[-]url|rubygems[.]|crates[.]io",
    "the host of an image registry": r"docker[.]io|ghcr[.]io|quay[.]io|mcr[.]microsoft",
    "a path of one machine": r"(?<![\w.])/(?:work|root|Users)/[\w]|/home/(?!me\b)[\w]|"
    r"[A-Z]:[\\]Users",
    "how it was written": r"co[-]authored[-]by|generated (?:with|by) (?:an )?(?:AI|LLM)[\b ]|"
    r"as an AI [a-z]|AI (?:coding )?assistant[s ]|sub[-]?agent[s ]|coding agent[s ]|"
    r"(?:this|last|next|previous|earlier) sessio[n][ .]",
    "a document that is not here": r"design[.]md|INTERFACES[.]md|\bdesign [0-9]|issue [#]?[0-9]",
}


def project_files() -> list[Path]:
    """Return every text file that git holds, or would take up."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=600)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout, or no git")
    names = [name for name in done.stdout.decode().split("\0") if name]
    paths = [ROOT / name for name in sorted(set(names))]
    return [path for path in paths if path.is_file() and path.suffix not in BINARY]


@pytest.mark.parametrize(("what", "pattern"), list(FORBIDDEN.items()), ids=list(FORBIDDEN))
def test_no_file_names(what: str, pattern: str) -> None:
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{number}: {line.strip()[:120]}"
        for path in project_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line, re.IGNORECASE)
    ]
    assert found == [], what


def test_every_text_file_is_utf_8_with_unix_line_ends() -> None:
    found = [
        path.relative_to(ROOT).as_posix()
        for path in project_files()
        if b"\r" in path.read_bytes() or b"\0" in path.read_bytes()
    ]
    # One attack ends a comment with a bare carriage return.
    assert found == ["tests/golden/attacks.sql"]


def test_the_licence_is_mit() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert text.startswith("MIT License")
