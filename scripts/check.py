"""All checks of a change: format, lint, layers, types, secrets, docs.

Run it with the interpreter of the project's environment; `--fix` formats, fixes and regenerates.
"""

import argparse
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent


def tool(name: str) -> str:
    """Return the tool of this environment, or the one on the path."""
    for candidate in (BIN / name, BIN / f"{name}.exe"):
        if candidate.exists():
            return str(candidate)
    return name


def steps(*, fix: bool) -> list[tuple[str, list[str]]]:
    """Return the name and command of each step, in order."""
    ruff = tool("ruff")
    return [
        ("format", [ruff, "format", *([] if fix else ["--check"]), "."]),
        ("lint", [ruff, "check", *(["--fix"] if fix else []), "."]),
        ("layers", [tool("lint-imports")]),
        ("types", [tool("pyright"), "--pythonpath", sys.executable]),
        ("secrets", [sys.executable, "scripts/secret_scan.py"]),
        ("docs", [sys.executable, "scripts/docs.py", *([] if fix else ["--check"])]),
        ("results", [sys.executable, "-m", "scripts.results", *([] if fix else ["--check"])]),
        ("manifests", [sys.executable, "-m", "scripts.manifests", *([] if fix else ["--check"])]),
        ("icon", [sys.executable, "scripts/icon.py", *([] if fix else ["--check"])]),
        ("requirements", [sys.executable, "scripts/requirements.py", "--check"]),
        (
            "benchmarks page",
            [sys.executable, "-m", "scripts.benchmarks_page", *([] if fix else ["--check"])],
        ),
    ]


def compiled_steps() -> list[tuple[str, list[str]]]:
    """Return the steps that run the tests of guard and engine on sqlglot's compiled build."""
    folder = ROOT / ".venv-compiled"
    python = str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    install = [
        python,
        "-m",
        "pip",
        "install",
        "-q",
        "-e",
        ".[dev]",
        f"sqlglotc=={version('sqlglot')}",
    ]
    return [
        ("environment", [sys.executable, "-m", "venv", str(folder)]),
        ("compiled sqlglot", install),
        ("tests", [python, "-m", "pytest", "-q", "-m", "", "tests/unit/sql", "tests/engines"]),
    ]


def main() -> int:
    """Run every step, even after a failed one, and return 1 if any failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="format, fix and regenerate")
    parser.add_argument("--compiled", action="store_true", help="test compiled sqlglot instead")
    options = parser.parse_args()
    failed: list[str] = []
    for name, command in compiled_steps() if options.compiled else steps(fix=options.fix):
        print(f"== {name}", flush=True)
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
