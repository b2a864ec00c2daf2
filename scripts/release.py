"""Builds what is released into dist/, tries each piece as its users get it, and writes SHA256SUMS.

It begins only from a clean tree whose generated files are current and whose changelog begins with
the version. --publish also demands what only the publisher can give: a date in the changelog, and
a namespace for the registry that is somebody's. Nothing is uploaded.

Run it as `python -m scripts.release`.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from scripts import bundle, manifests, trial

from moviegraph import __version__

ROOT = Path(__file__).resolve().parents[1]
HEADING = re.compile(r"^## (\S+) \(([^)]+)\)$", re.MULTILINE)
DATE = re.compile(r"\d{4}-\d\d-\d\d")
GENERATED = ("docs", "manifests", "icon", "requirements")
SUMS = "SHA256SUMS"
HADOLINT = Path(sys.executable).parent / ("hadolint.exe" if os.name == "nt" else "hadolint")


def problems(root: Path, *, publish: bool) -> list[str]:
    """Return why this tree is not released."""
    result = list[str]()
    git = subprocess.run(
        ["git", "status", "--porcelain"], cwd=root, check=True, capture_output=True, text=True
    )
    if git.stdout.strip():
        result.append(f"the tree is not clean: {git.stdout.splitlines()[0].strip()}")
    heading = HEADING.search((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if heading is None or heading[1] != __version__:
        said = heading[1] if heading else "no version"
        result.append(f"the changelog begins with {said}, the package is {__version__}")
    elif publish and not DATE.fullmatch(heading[2]):
        result.append(f"the changelog says {heading[2]!r} where the day of the release belongs")
    if publish and manifests.registry_name().startswith(manifests.NOBODY):
        result.append("pyproject.toml: tool.moviegraph.release: the namespace is nobody's")
    return result


def stale(root: Path) -> list[str]:
    """Return the scripts whose generated files are not current."""
    return [
        f"scripts.{name} --check fails"
        for name in GENERATED
        if subprocess.run(
            [sys.executable, "-m", f"scripts.{name}", "--check"], cwd=root, check=False
        ).returncode
    ]


def build(target: Path) -> tuple[Path, Path]:
    """Build the source archive, and the wheel from what that holds; return both."""
    _hatch(ROOT, "sdist", target)
    (sdist,) = target.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as place, tarfile.open(sdist) as archive:
        # Python 3.11.2, as in Debian 12, has no filters yet.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(place)
        (unpacked,) = Path(place).iterdir()
        _hatch(unpacked, "wheel", target)
    (wheel,) = target.glob("*.whl")
    names = [str(sdist), str(wheel)]
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *names], check=True)
    return sdist, wheel


def _hatch(folder: Path, kind: str, target: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    subprocess.run(command, cwd=folder, check=True, stdout=sys.stderr)


def try_wheel(wheel: Path) -> None:
    """Install the wheel the three ways of the README, each into a place of its own, and try it."""
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        fresh = work / "fresh" / "bin" / "moviegraph"
        _done([sys.executable, "-m", "venv", str(work / "fresh")])
        _done([str(fresh.with_name("python")), "-m", "pip", "install", "-q", str(wheel)])
        _say("pip", trial.try_command([str(fresh)]))
        uvx = [
            sys.executable,
            "-m",
            "uv",
            "tool",
            "run",
            "--python",
            sys.executable,
            "--from",
            str(wheel),
            "moviegraph",
        ]
        _say("uvx", trial.try_command(uvx))
        _say("pipx", trial.try_command([str(_by_pipx(wheel, work))]))


def _by_pipx(wheel: Path, work: Path) -> Path:
    """Let pipx install the wheel; return the command that it made."""
    home, commands = work / "pipx", work / "pipx-commands"
    env = os.environ | {"PIPX_HOME": str(home), "PIPX_BIN_DIR": str(commands)}
    command = [sys.executable, "-m", "pipx", "install", "-q", str(wheel)]
    subprocess.run(command, check=True, env=env)
    return commands / "moviegraph"


def _done(command: list[str]) -> None:
    subprocess.run(command, check=True)


def _say(way: str, lines: list[str]) -> None:
    for line in lines:
        print(f"{way}: {line}", flush=True)


def sums(target: Path) -> list[Path]:
    """Write the digests of everything in the folder; return the files."""
    paths = sorted(path for path in target.iterdir() if path.name != SUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths]
    (target / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")
    return paths


def main() -> int:
    """Build and try everything; 1 with the reasons if this tree is not released."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--publish", action="store_true", help="demand what publication needs")
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="an empty folder")
    options = parser.parse_args()
    target: Path = options.into.absolute()
    result = problems(ROOT, publish=options.publish)
    if not HADOLINT.is_file():
        result.append("the tools of a release are missing: pip install -e '.[dev,release]'")
    if target.is_dir() and any(target.iterdir()):
        result.append(f"{target.name} is not empty")
    result = result or stale(ROOT)
    if result:
        print("\n".join(f"not released: {each}" for each in result))
        return 1
    target.mkdir(parents=True, exist_ok=True)
    _done([str(HADOLINT), str(ROOT / "Containerfile")])
    _, wheel = build(target)
    try_wheel(wheel)
    bundle.pack(target)
    shutil.copyfile(manifests.SERVER, target / manifests.SERVER.name)
    for path in sums(target):
        print(f"{path.name}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
