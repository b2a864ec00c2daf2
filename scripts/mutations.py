"""Mutation check: ten faults in guard, limits and journal, each of which a test must detect.

Each mutation replaces one text of one file in a copy of the checkout, and its tests run there. If
they pass, the mutation survives: a promise has no test.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIED_PATHS = ("data", "prompts", "schema_docs", "server", "tests", "tools", "pyproject.toml")
SQL = "server/moviegraph/sql"
JOURNAL = "server/moviegraph/journal"
GUARD_TESTS = "tests/unit/sql/test_guard.py"
JOURNAL_TESTS = "tests/unit/journal"
TESTS_FAILED = 1  # pytest's status; others mean that the tests did not run


@dataclass(frozen=True, slots=True)
class Mutation:
    """A fault: text and replacement, and the tests that must detect it."""

    name: str
    file: str
    before: str
    after: str
    tests: str


MUTATIONS = (
    Mutation(
        "any argument of a node is allowed",
        f"{SQL}/allow_list.py",
        'raise RefusalError("not_allowed", _argument_message(name, argument))',
        "continue",
        GUARD_TESTS,
    ),
    Mutation(
        "a rendered text is not read again",
        f"{SQL}/guard.py",
        "    if not same_tree(again, tree) or lowered.matches != matches:",
        "    if False:",
        "tests/unit/sql",
    ),
    Mutation(
        "an internal error of the guard reaches the caller",
        f"{SQL}/guard.py",
        "    except Exception as error:",
        "    except AssertionError as error:",
        "tests/unit/sql",
    ),
    Mutation(
        "a vector may be returned",
        f"{SQL}/scope.py",
        'raise embedding_output("an expression")',
        "return",
        GUARD_TESTS,
    ),
    Mutation(
        "functions take any number of arguments",
        f"{SQL}/function_checks.py",
        "    if not low <= count <= high:",
        "    if count < low:",
        "tests/unit/sql",
    ),
    Mutation(
        "TOP is not lowered",
        f"{SQL}/limits.py",
        "    rows = min(requested, top)\n    if has_ties(limit)",
        "    rows = requested\n    if has_ties(limit)",
        "tests/unit/sql/test_limits.py",
    ),
    Mutation(
        "nesting has no bound",
        f"{SQL}/input_checks.py",
        "        if depth > MAX_NESTING or",
        "        if",
        "tests/unit/sql/test_gate.py",
    ),
    Mutation(
        "common table expressions may double without bound",
        f"{SQL}/parser.py",
        "    if max_size > MAX_EXPANDED_TABLES:",
        "    if False:",
        "tests/unit/sql/test_expansion.py",
    ),
    Mutation(
        "a changed record verifies",
        f"{JOURNAL}/chain.py",
        "        if self.digest != body_digest(self.salt, self.body):",
        "        if False:",
        JOURNAL_TESTS,
    ),
    Mutation(
        "another owner's execution is found",
        f"{JOURNAL}/sqlite_journal.py",
        '"id = ? AND owner_key = ?"',
        '"id = ? AND ? <> 0"',
        JOURNAL_TESTS,
    ),
)


def is_killed(mutation: Mutation, copy: Path) -> bool:
    """Apply a mutation to the copy, run its tests there, and undo it; return whether one failed."""
    path = copy / mutation.file
    original = path.read_text(encoding="utf-8")
    if mutation.before not in original:
        raise SystemExit(f"{mutation.name}: {mutation.file} lacks {mutation.before!r}. Update it.")
    path.write_text(original.replace(mutation.before, mutation.after), encoding="utf-8")
    paths = os.pathsep.join(str(copy / folder) for folder in ("server", "tools"))
    environment = os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", mutation.tests]
    status = subprocess.run(command, cwd=copy, env=environment, capture_output=True).returncode
    path.write_text(original, encoding="utf-8")
    if status not in (0, TESTS_FAILED):
        raise SystemExit(f"{mutation.name}: pytest exited with {status}; run {mutation.tests}.")
    return status == TESTS_FAILED


def main() -> int:
    """Apply every mutation; return 1 if one survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", default="", help="only mutations whose name has this")
    part: str = parser.parse_args().name
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in COPIED_PATHS:
            source = ROOT / name
            copy_path = shutil.copytree if source.is_dir() else shutil.copy
            copy_path(source, copy / name)
        for mutation in (mutation for mutation in MUTATIONS if part in mutation.name):
            killed = is_killed(mutation, copy)
            survivors += not killed
            print(f"{'killed' if killed else 'SURVIVED'}  {mutation.name}", flush=True)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
