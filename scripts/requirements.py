"""Writer of requirements/*.txt: every installed package, pinned, with its hashes.

uv (extra `release`) resolves them; the files name no host. --check needs neither network nor uv: it
reports whether each dependency of pyproject.toml is pinned within its range, with hashes.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "requirements"
BUILD = "build-system"
FILES = {
    "core.txt": (),
    "otel.txt": ("otel",),
    "azure.txt": ("azure",),
    "excel.txt": ("excel",),
    "languages.txt": ("languages",),
    "dev.txt": ("dev",),
    "build.txt": (BUILD,),
}
PIN = re.compile(r"([A-Za-z0-9._-]+)==([^\s;]+)(.*)")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}(?!\S)")
HEAD = (
    "# Written by scripts/requirements.py; `pip install --require-hashes -r` installs only these.\n"
)
HOST = re.compile(r"://|--(?:extra-)?index|--find-links")


def declared_requirements(extras: tuple[str, ...]) -> list[Requirement]:
    """Return the requirements of pyproject.toml."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    if extras == (BUILD,):
        lines: list[str] = settings[BUILD]["requires"]
    else:
        optional = project["optional-dependencies"]
        lines = [*project["dependencies"], *(line for extra in extras for line in optional[extra])]
    return [Requirement(line) for line in lines]


def find_problems(text: str, extras: tuple[str, ...]) -> list[str]:
    """Return the problems of a file."""
    pins: dict[str, list[str]] = {}
    problems: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        match = PIN.match(line)
        if match is None:
            problems += [f"{line[:80]!r} is no pin"] if line and not line.startswith("#") else []
            continue
        pins.setdefault(canonicalize_name(match[1]), []).append(match[2])
        if not HASH.search(match[3]):
            problems.append(f"{match[1]} has no hash")
    if HOST.search(text):
        problems.append("names a host")
    for requirement in declared_requirements(extras):
        versions = pins.get(canonicalize_name(requirement.name), [])
        if not any(
            requirement.specifier.contains(version, prereleases=True) for version in versions
        ):
            problems.append(f"{requirement} is not pinned")
    return problems


def write(name: str, extras: tuple[str, ...]) -> None:
    """Resolve again; pins that still fit are unchanged."""
    path = FOLDER / name
    command = [
        *(
            sys.executable,
            "-m",
            "uv",
            "pip",
            "compile",
            "-",
            "--universal",
            "--python-version",
            "3.11",
        ),
        *("--generate-hashes", "--no-header"),
        *("--no-annotate", "--quiet", "--output-file", str(path)),
    ]
    if name not in ("core.txt", "build.txt"):  # an extra is installed over the core
        command += ["--constraint", str(FOLDER / "core.txt")]
    requirements = "\n".join(map(str, declared_requirements(extras)))
    subprocess.run(command, cwd=ROOT, check=True, input=requirements, text=True)
    path.write_text(HEAD + path.read_text(encoding="utf-8"), encoding="utf-8", newline="\n")


def main() -> int:
    """Write the files, or with --check only validate them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit with 1 if one is not current")
    check: bool = parser.parse_args().check
    FOLDER.mkdir(exist_ok=True)
    failed = False
    for name, extras in FILES.items():
        if not check:
            write(name, extras)
        path = FOLDER / name
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for problem in find_problems(text, extras):
            failed = True
            print(f"requirements/{name}: {problem}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
