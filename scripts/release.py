"""Release build into dist/, with a smoke test of each artifact, and SHA256SUMS.

It requires a clean tree with current generated files and a changelog that starts with the version.
--publish also requires what only the publisher has: a date in the changelog, and a namespace of the
registry. Nothing is uploaded.

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

from scripts import bundle, manifests, smoke_test

from moviegraph import __version__

ROOT = Path(__file__).resolve().parents[1]
HEADING = re.compile(r"^## (\S+) \(([^)]+)\)$", re.MULTILINE)
DATE = re.compile(r"\d{4}-\d\d-\d\d")
GENERATED = ("docs", "manifests", "icon", "requirements")
SUMS = "SHA256SUMS"
HADOLINT = Path(sys.executable).parent / ("hadolint.exe" if os.name == "nt" else "hadolint")


def problems(root: Path, *, publish: bool) -> list[str]:
    """Return the reasons against a release of this tree."""
    reasons = list[str]()
    git = subprocess.run(
        ["git", "status", "--porcelain"], cwd=root, check=True, capture_output=True, text=True
    )
    if git.stdout.strip():
        reasons.append(f"the tree is not clean: {git.stdout.splitlines()[0].strip()}")
    heading = HEADING.search((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if heading is None or heading[1] != __version__:
        version = heading[1] if heading else "no version"
        reasons.append(f"the changelog starts with {version}, the package is {__version__}")
    elif publish and not DATE.fullmatch(heading[2]):
        reasons.append(f"the changelog has {heading[2]!r} instead of the release date")
    if publish and manifests.registry_name().startswith(manifests.PLACEHOLDER_NAMESPACE):
        reasons.append("pyproject.toml: tool.moviegraph.release: set a namespace that you own")
    return reasons


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
    """Build the source archive, and the wheel from its content; return both."""
    _hatch(ROOT, "sdist", target)
    (sdist,) = target.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as scratch, tarfile.open(sdist) as archive:
        # Python 3.11.2, as in Debian 12, has no filters yet.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(scratch)
        (unpacked,) = Path(scratch).iterdir()
        _hatch(unpacked, "wheel", target)
    (wheel,) = target.glob("*.whl")
    names = [str(sdist), str(wheel)]
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *names], check=True)
    return sdist, wheel


def _hatch(folder: Path, kind: str, target: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    subprocess.run(command, cwd=folder, check=True, stdout=sys.stderr)


def check_wheel(wheel: Path) -> None:
    """Install the wheel with pip, uvx and pipx, each in a separate folder, and smoke-test it."""
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        fresh = work / "fresh" / "bin" / "moviegraph"
        _run([sys.executable, "-m", "venv", str(work / "fresh")])
        _run([str(fresh.with_name("python")), "-m", "pip", "install", "-q", str(wheel)])
        _print_report("pip", smoke_test.check_command([str(fresh)]))
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
        _print_report("uvx", smoke_test.check_command(uvx))
        _print_report("pipx", smoke_test.check_command([str(_install_with_pipx(wheel, work))]))


def _install_with_pipx(wheel: Path, work: Path) -> Path:
    """Install the wheel with pipx; return its command."""
    home, commands = work / "pipx", work / "pipx-commands"
    env = os.environ | {"PIPX_HOME": str(home), "PIPX_BIN_DIR": str(commands)}
    command = [sys.executable, "-m", "pipx", "install", "-q", str(wheel)]
    subprocess.run(command, check=True, env=env)
    return commands / "moviegraph"


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True)


def _print_report(name: str, lines: list[str]) -> None:
    for line in lines:
        print(f"{name}: {line}", flush=True)


def write_sums(target: Path) -> list[Path]:
    """Write the digests of all files in the folder; return the files."""
    paths = sorted(path for path in target.iterdir() if path.name != SUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths]
    (target / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")
    return paths


def main() -> int:
    """Build and check everything; return 1 and print the reasons if this tree is not ready."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--publish", action="store_true", help="check the requirements of publication"
    )
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="an empty folder")
    options = parser.parse_args()
    target: Path = options.into.absolute()
    reasons = problems(ROOT, publish=options.publish)
    if not HADOLINT.is_file():
        reasons.append("the release tools are missing. Run: pip install -e '.[dev,release]'")
    if target.is_dir() and any(target.iterdir()):
        reasons.append(f"{target.name} is not empty")
    reasons = reasons or stale(ROOT)
    if reasons:
        print("\n".join(f"not released: {reason}" for reason in reasons))
        return 1
    target.mkdir(parents=True, exist_ok=True)
    _run([str(HADOLINT), str(ROOT / "Containerfile")])
    _, wheel = build(target)
    check_wheel(wheel)
    bundle.pack(target)
    shutil.copyfile(manifests.SERVER, target / manifests.SERVER.name)
    for path in write_sums(target):
        print(f"{path.name}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
