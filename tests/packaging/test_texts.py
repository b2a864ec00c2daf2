"""No file of the project names where or how it was made."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES_AS_PEOPLE_HAVE_THEM = "tests/fixtures/own_data/"  # any encoding and line end
BINARY = frozenset({".onnx", ".npz", ".gz", ".png", ".zip"})
# In lower case, as the texts are compared; character classes keep a pattern from matching itself.
FORBIDDEN = {
    "the host of a package registry": r"pypi[.]org|pythonhosted[.]org|npmjs[.]|conda[.]anaconda|"
    r"index[-]url|rubygems[.]|crates[.]io",
    "the host of an image registry": r"docker[.]io|ghcr[.]io|quay[.]io|mcr[.]microsoft",
    "a path of one machine": r"(?<![\w.])/(?:work|root|users)/[\w]|/home/(?!me\b)[\w]|"
    r"[a-z]:[\\]users",
    "how it was written": r"co[-]authored[-]by|generated (?:with|by) (?:an )?(?:ai|llm)[\b ]|"
    r"as an ai [a-z]|ai (?:coding )?assistant[s ]|sub[-]?agent[s ]|coding agent[s ]|"
    r"(?:this|last|next|previous|earlier) sessio[n][ .]",
    "a document that is not here": r"design[.]md|interfaces[.]md|\bdesign [0-9]|issue [#]?[0-9]",
}


@pytest.fixture(scope="module")
def texts() -> dict[str, bytes]:
    """Return every text file that git holds, or would take up, by its name."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"]
    try:
        completed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=600)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout, or no git")
    names = [name for name in completed.stdout.decode().split("\0") if name]
    paths = [(name, ROOT / name) for name in sorted(set(names))]
    return {
        name: path.read_bytes()
        for name, path in paths
        if path.is_file() and path.suffix not in BINARY
        if not name.startswith(FILES_AS_PEOPLE_HAVE_THEM)
    }


@pytest.mark.parametrize(("description", "pattern"), list(FORBIDDEN.items()), ids=list(FORBIDDEN))
def test_no_file_names(texts: dict[str, bytes], description: str, pattern: str) -> None:
    matches = [
        f"{name}: {match[0]}"
        for name, content in texts.items()
        for match in re.finditer(pattern, content.decode("utf-8").lower())
    ]
    assert matches == [], description


def test_every_text_file_has_unix_line_ends(texts: dict[str, bytes]) -> None:
    names = [name for name, content in texts.items() if b"\r" in content or b"\0" in content]
    # One attack ends a comment with a bare carriage return.
    assert names == ["tests/golden/attacks.sql"]


def test_the_licence_is_mit() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert text.startswith("MIT License")
