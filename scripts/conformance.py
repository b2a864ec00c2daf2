"""Runs the official conformance suite and the Inspector's lint of schemas against the server.

The packages of npm are those that tests/conformance/package.json pins; they go into .cache/.
The exit status is 0 when everything is as expected, 1 when not, and 3 when nothing could be run:
there is no npm, or, outside of CI, the packages cannot be had.
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

from served import OVER_HTTP, ROOT, SHIPPED, environment, serving

FIXTURES = ROOT / "tests" / "conformance"
CACHE = ROOT / ".cache" / "conformance"
REVISIONS = ("2025-11-25", "2026-07-28")
SERVERS = {
    "shipped": OVER_HTTP,
    "fixtures": ("-m", "conformance.server"),
}
SUITE = Path("node_modules/@modelcontextprotocol/conformance/dist/index.js")
INSPECTOR = Path("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")
NODE = Path("node_modules/node/bin") / ("node.exe" if os.name == "nt" else "node")
FAILED = ("FAILURE", "WARNING")
COUNTED = ("SUCCESS", *FAILED)
UNSCORED = re.compile(r"^ +- (\S+) \[server\]$", re.MULTILINE)
NOT_RUN = 3
LONGEST_INSTALL = 600
LONGEST_RUN = 600


class Unavailable(Exception):
    """The packages cannot be had here; the text says why."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of one scenario, as the suite decided it."""

    scenario: str
    id: str
    status: str
    words: str

    @property
    def entries(self) -> tuple[str, str]:
        """The entries of a baseline that would excuse it."""
        return self.scenario, f"{self.scenario}:{self.id}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run of one requirement set showed, held against its baseline."""

    server: str
    revision: str
    scenarios: int
    counted: list[Check]
    unscored: frozenset[str]
    expected: list[Check]
    unexpected: list[Check]
    stale: list[str]
    vacuous: dict[str, str]
    agreed: bool  # the suite, given the same baseline, says the same

    @property
    def passed(self) -> str:
        """How many checks passed."""
        return _share(self.counted)

    @property
    def scored(self) -> str:
        """How many of those passed that count for the revision."""
        return _share([each for each in self.counted if each.scenario not in self.unscored])

    @property
    def well(self) -> bool:
        """Whether nothing is other than the baseline says."""
        return bool(self.counted) and self.agreed and not self.unexpected and not self.stale


def _share(checks: list[Check]) -> str:
    return f"{sum(each.status == 'SUCCESS' for each in checks)}/{len(checks)}"


def install() -> None:
    """Put the pinned packages into the cache folder, unless they are there. Raises Unavailable."""
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable("there is no npm on the path")
    CACHE.mkdir(parents=True, exist_ok=True)
    wanted, held = FIXTURES / "package.json", CACHE / "package.json"
    ready = CACHE / ".ready"
    if ready.exists() and held.read_bytes() == wanted.read_bytes():
        return
    ready.unlink(missing_ok=True)
    shutil.copyfile(wanted, held)
    done = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"],
        cwd=CACHE,
        timeout=LONGEST_INSTALL,
    )
    if done.returncode or not all((CACHE / each).exists() for each in (NODE, SUITE, INSPECTOR)):
        raise Unavailable("npm could not install the packages")
    ready.touch()


def node(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the cache folder with its own Node."""
    return subprocess.run(
        [str(CACHE / NODE), *arguments],
        cwd=home,
        env=environment(home, CACHE / NODE.parent),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LONGEST_RUN,
    )


def checked(home: Path, server: str, revision: str, address: str) -> Verdict:
    """Run one requirement set, and hold it against the baseline."""
    baseline = tomllib.loads((FIXTURES / "baseline.toml").read_text(encoding="utf-8"))
    excused: dict[str, str] = baseline[server][revision]
    vacuous: dict[str, str] = baseline["vacuous"][revision] if server == "shipped" else {}
    out = home / f"{server}-{revision}"
    listed = home / f"{server}-{revision}.json"  # what is JSON is YAML
    listed.write_text(json.dumps({"server": list(excused)}), encoding="utf-8")
    suite = (str(CACHE / SUITE), "server", "--url", address, "--requirements", revision)
    done = node(home, *suite, "--expected-failures", str(listed), "-o", str(out))
    required = node(home, str(CACHE / SUITE), "list", "--requirements", revision).stdout
    (home / f"{server}-{revision}.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    checks = [each for file in sorted(out.glob("*/checks.json")) for each in _checks(file)]
    return verdict(
        (server, revision),
        checks,
        excused,
        vacuous,
        unscored=frozenset(UNSCORED.findall(required)),
        agreed=done.returncode == 0,
    )


def _checks(file: Path) -> list[Check]:
    """Read the checks of a scenario, whose folder is server-SCENARIO-2026-11-22T00-18-52-983Z."""
    scenario = file.parent.name.removeprefix("server-")[: -len("-2026-11-22T00-18-52-983Z")]
    return [_check(scenario, each) for each in json.loads(file.read_text(encoding="utf-8"))]


def _check(scenario: str, each: dict[str, Any]) -> Check:
    words = each.get("errorMessage") or each.get("description") or ""
    return Check(scenario, each["id"], each["status"], words)


def verdict(
    place: tuple[str, str],
    checks: list[Check],
    excused: dict[str, str],
    vacuous: dict[str, str],
    *,
    unscored: frozenset[str],
    agreed: bool,
) -> Verdict:
    """Hold the checks against a baseline."""
    failed = [each for each in checks if each.status in FAILED]
    expected = [each for each in failed if any(entry in excused for entry in each.entries)]
    used = {entry for each in failed for entry in each.entries}
    empty = {each.scenario for each in checks} - {each.scenario for each in failed}
    return Verdict(
        *place,
        scenarios=len({each.scenario for each in checks}),
        counted=[each for each in checks if each.status in COUNTED],
        unscored=unscored,
        expected=expected,
        unexpected=[each for each in failed if each not in expected],
        stale=[entry for entry in excused if entry not in used] + sorted(vacuous.keys() - empty),
        vacuous=vacuous,
        agreed=agreed,
    )


def lint(home: Path, address: str) -> list[tuple[str, subprocess.CompletedProcess[str]]]:
    """Let the Inspector judge the tools' schemas, over stdio and over HTTP."""
    inspector = (str(CACHE / INSPECTOR), "--cli")
    tools = ("--method", "tools/list")
    stdio = (sys.executable, *SHIPPED)
    http = ("--server-url", address, "--transport", "http")
    modern = ("--protocol-era", "modern")
    return [
        ("stdio", node(home, *inspector, *stdio, *tools, "--strict")),
        ("http 2025-11-25", node(home, *inspector, *http, *tools, "--strict")),
        ("http 2026-07-28", node(home, *inspector, *modern, *http, *tools, "--strict")),
        (
            "stdio, apps",
            node(home, *inspector, "--advertise-apps", *stdio, *tools, "--app-info"),
        ),
    ]


def run(home: Path) -> bool:
    """Run everything and print it; returns whether all is as expected."""
    verdicts: list[Verdict] = []
    linted: list[tuple[str, subprocess.CompletedProcess[str]]] = []
    for server in SERVERS:
        with serving(SERVERS[server], home) as address:
            if server == "shipped":
                linted = lint(home, address)
            verdicts += [checked(home, server, revision, address) for revision in REVISIONS]
    show(verdicts)
    for name, done in linted:
        print(f"Inspector, tools/list --strict over {name}: exit {done.returncode}")
        if done.returncode:
            print(done.stderr)
    return all(each.well for each in verdicts) and not any(done.returncode for _, done in linted)


def show(items: list[Verdict]) -> None:
    """Print a table of the runs, and what is other than expected."""
    head = ("server", "set", "scenarios", "passed", "scored", "expected", "unexpected", "stale")
    print("".join(f"{each:<12}" for each in head))
    for each in items:
        lists = (each.expected, each.unexpected, each.stale)
        row = (each.server, each.revision, each.scenarios, each.passed, each.scored)
        print("".join(f"{cell!s:<12}" for cell in (*row, *map(len, lists))))
    for each in items:
        place = f"{each.server} {each.revision}"
        for check in each.unexpected:
            print(f"unexpected: {place}: {check.entries[1]}: {check.status}: {check.words}")
        for entry in each.stale:
            print(f"stale: {place}: {entry} no longer fails, or does not pass for nothing")
        if not each.agreed:
            print(f"{place}: the suite itself says that not all is as the baseline has it")
        for name, why in each.vacuous.items():
            print(f"vacuous: {place}: {name} {why}")


def main() -> int:
    """Install, run, and say what is other than expected."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    try:
        install()
    except (Unavailable, subprocess.SubprocessError) as error:
        present = shutil.which("npm") is not None
        print(f"NOT RUN: the conformance suite and the Inspector's lint: {error}.", flush=True)
        return 1 if present and os.environ.get("CI") else NOT_RUN
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        well = run(Path(folder))
    print("Conformance is as expected." if well else "Conformance is not as expected.")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
