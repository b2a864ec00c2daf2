"""Runs of the official conformance suite and the Inspector's schema lint against the server.

tests/conformance/package.json pins the npm packages; they are installed into .cache/. The exit
status is 0 if everything is as expected, 1 if not, and 3 if nothing could run: npm is missing or,
outside of CI, the packages cannot be installed.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scratch_server import ROOT, SERVE, SERVE_HTTP, environment, serving

FIXTURES = ROOT / "tests" / "conformance"
CACHE = ROOT / ".cache" / "conformance"
REVISIONS = ("2025-11-25", "2026-07-28")
SERVERS = {
    "shipped": SERVE_HTTP,
    "fixtures": ("-m", "conformance.server"),
}
SUITE = Path("node_modules/@modelcontextprotocol/conformance/dist/index.js")
INSPECTOR = Path("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")
NODE = Path("node_modules/node/bin") / ("node.exe" if os.name == "nt" else "node")
FAILED = ("FAILURE", "WARNING")
SCORED = ("SUCCESS", *FAILED)
UNSCORED = re.compile(r"^ +- (\S+) \[server\]$", re.MULTILINE)
NOT_RUN = 3
MAX_INSTALL_SECONDS = 600
MAX_RUN_SECONDS = 600


class UnavailableError(Exception):
    """The packages cannot be installed here; the message states the reason."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of one scenario, with its status from the suite."""

    scenario: str
    id: str
    status: str
    message: str

    @property
    def entries(self) -> tuple[str, str]:
        """The baseline entries that allow its failure."""
        return self.scenario, f"{self.scenario}:{self.id}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of a run of one requirement set, compared with its baseline."""

    server: str
    revision: str
    scenarios: int
    counted: list[Check]
    unscored: frozenset[str]
    expected: list[Check]
    unexpected: list[Check]
    stale: list[str]
    vacuous: dict[str, str]
    agreed: bool  # the suite has the same result with the same baseline

    @property
    def passed(self) -> str:
        """The number of passed checks."""
        return _share(self.counted)

    @property
    def scored(self) -> str:
        """The number of passed checks among those that count for the revision."""
        return _share([check for check in self.counted if check.scenario not in self.unscored])

    @property
    def is_as_expected(self) -> bool:
        """Whether the result equals the baseline."""
        return bool(self.counted) and self.agreed and not self.unexpected and not self.stale


def _share(checks: list[Check]) -> str:
    return f"{sum(check.status == 'SUCCESS' for check in checks)}/{len(checks)}"


def install() -> None:
    """Install the pinned packages into the cache folder. Raises UnavailableError."""
    npm = shutil.which("npm")
    if npm is None:
        raise UnavailableError("npm is not on the path")
    CACHE.mkdir(parents=True, exist_ok=True)
    pinned, installed = FIXTURES / "package.json", CACHE / "package.json"
    ready = CACHE / ".ready"
    if ready.exists() and installed.read_bytes() == pinned.read_bytes():
        return
    ready.unlink(missing_ok=True)
    shutil.copyfile(pinned, installed)
    done = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"],
        cwd=CACHE,
        timeout=MAX_INSTALL_SECONDS,
    )
    if done.returncode or not all((CACHE / path).exists() for path in (NODE, SUITE, INSPECTOR)):
        raise UnavailableError("npm could not install the packages")
    ready.touch()


def run_node(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the cache folder with the Node installed there."""
    return subprocess.run(
        [str(CACHE / NODE), *arguments],
        cwd=home,
        env=environment(home, CACHE / NODE.parent),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=MAX_RUN_SECONDS,
    )


def run_requirements(home: Path, server: str, revision: str, address: str) -> Verdict:
    """Run one requirement set and compare it with the baseline."""
    baseline = tomllib.loads((FIXTURES / "baseline.toml").read_text(encoding="utf-8"))
    excused: dict[str, str] = baseline[server][revision]
    vacuous: dict[str, str] = baseline["vacuous"][revision] if server == "shipped" else {}
    out = home / f"{server}-{revision}"
    expected_failures = home / f"{server}-{revision}.json"  # JSON is also YAML
    expected_failures.write_text(json.dumps({"server": list(excused)}), encoding="utf-8")
    suite = (str(CACHE / SUITE), "server", "--url", address, "--requirements", revision)
    done = run_node(home, *suite, "--expected-failures", str(expected_failures), "-o", str(out))
    required = run_node(home, str(CACHE / SUITE), "list", "--requirements", revision).stdout
    (home / f"{server}-{revision}.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    checks = [check for file in sorted(out.glob("*/checks.json")) for check in _checks(file)]
    return verdict(
        (server, revision),
        checks,
        excused,
        vacuous,
        unscored=frozenset(UNSCORED.findall(required)),
        agreed=done.returncode == 0,
    )


def _checks(file: Path) -> list[Check]:
    """Read the checks of a scenario, from its folder server-SCENARIO-2026-11-22T00-18-52-983Z."""
    scenario = file.parent.name.removeprefix("server-")[: -len("-2026-11-22T00-18-52-983Z")]
    return [_check(scenario, record) for record in json.loads(file.read_text(encoding="utf-8"))]


def _check(scenario: str, record: dict[str, Any]) -> Check:
    message = record.get("errorMessage") or record.get("description") or ""
    return Check(scenario, record["id"], record["status"], message)


def verdict(
    run: tuple[str, str],
    checks: list[Check],
    excused: dict[str, str],
    vacuous: dict[str, str],
    *,
    unscored: frozenset[str],
    agreed: bool,
) -> Verdict:
    """Compare the checks with a baseline."""
    failed = [check for check in checks if check.status in FAILED]
    expected = [c for c in failed if any(entry in excused for entry in c.entries)]
    used = {entry for check in failed for entry in check.entries}
    scenarios = {check.scenario for check in checks}
    passing = scenarios - {check.scenario for check in failed}
    return Verdict(
        *run,
        scenarios=len(scenarios),
        counted=[check for check in checks if check.status in SCORED],
        unscored=unscored,
        expected=expected,
        unexpected=[check for check in failed if check not in expected],
        stale=[entry for entry in excused if entry not in used] + sorted(vacuous.keys() - passing),
        vacuous=vacuous,
        agreed=agreed,
    )


def lint(home: Path, address: str) -> list[tuple[str, subprocess.CompletedProcess[str]]]:
    """Lint the schemas of the tools with the Inspector, over stdio and HTTP."""
    inspector = (str(CACHE / INSPECTOR), "--cli")
    tools = ("--method", "tools/list")
    stdio = (sys.executable, *SERVE)
    http = ("--server-url", address, "--transport", "http")
    modern = ("--protocol-era", "modern")
    return [
        ("stdio", run_node(home, *inspector, *stdio, *tools, "--strict")),
        ("http 2025-11-25", run_node(home, *inspector, *http, *tools, "--strict")),
        ("http 2026-07-28", run_node(home, *inspector, *modern, *http, *tools, "--strict")),
        (
            "stdio, apps",
            run_node(home, *inspector, "--advertise-apps", *stdio, *tools, "--app-info"),
        ),
    ]


def run(home: Path) -> bool:
    """Run and print everything; return whether all is as expected."""
    verdicts: list[Verdict] = []
    lint_runs: list[tuple[str, subprocess.CompletedProcess[str]]] = []
    for server in SERVERS:
        with serving(SERVERS[server], home) as address:
            if server == "shipped":
                lint_runs = lint(home, address)
            verdicts += [
                run_requirements(home, server, revision, address) for revision in REVISIONS
            ]
    show(verdicts)
    for name, done in lint_runs:
        print(f"Inspector, tools/list --strict over {name}: exit {done.returncode}")
        if done.returncode:
            print(done.stderr)
    return all(item.is_as_expected for item in verdicts) and not any(
        done.returncode for _, done in lint_runs
    )


def show(verdicts: list[Verdict]) -> None:
    """Print a table of the runs, and the differences from the baseline."""
    head = ("server", "set", "scenarios", "passed", "scored", "expected", "unexpected", "stale")
    print("".join(f"{title:<12}" for title in head))
    for item in verdicts:
        lists = (item.expected, item.unexpected, item.stale)
        row = (item.server, item.revision, item.scenarios, item.passed, item.scored)
        print("".join(f"{cell!s:<12}" for cell in (*row, *map(len, lists))))
    for item in verdicts:
        run = f"{item.server} {item.revision}"
        for check in item.unexpected:
            print(f"unexpected: {run}: {check.entries[1]}: {check.status}: {check.message}")
        for entry in item.stale:
            print(f"stale: {run}: {entry} no longer fails, or is no longer vacuous")
        if not item.agreed:
            print(f"{run}: the suite reports a difference from the baseline")
        for name, reason in item.vacuous.items():
            print(f"vacuous: {run}: {name} {reason}")


def main() -> int:
    """Install, run, and print the differences from the baseline."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    try:
        install()
    except (UnavailableError, subprocess.SubprocessError) as error:
        present = shutil.which("npm") is not None
        print(f"NOT RUN: the conformance suite and the Inspector's lint: {error}.", flush=True)
        return 1 if present and os.environ.get("CI") else NOT_RUN
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        is_expected = run(Path(folder))
    print("Conformance is as expected." if is_expected else "Conformance is not as expected.")
    return 0 if is_expected else 1


if __name__ == "__main__":
    sys.exit(main())
