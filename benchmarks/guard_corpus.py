"""Attacks refused and legitimate statements accepted, compared with other guards.

Run with `python -m benchmarks.guard_corpus`. Public guards are installed into separate
environments; one that cannot be installed is omitted, with a message.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from tests.golden.corpus import Case, cases

from benchmarks.peers.servers import DBHUB, INSIDE, Environment, UnavailableError
from benchmarks.report import table, write
from moviegraph.contract.loader import load_contract
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

MAX_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class PublicGuard:
    """A published guard and its environment."""

    name: str
    environment: Environment

    def command(self) -> list[str]:
        """Return the command that validates a list of statements from standard input."""
        if self.environment is DBHUB:
            dist = self.environment.modules / "@bytebase" / "dbhub" / "dist"
            node = str(self.environment.node / "node")
            return [node, str(INSIDE / "guard_dbhub.mjs"), str(dist)]
        function = self.environment.name.replace("-", "_")
        return [self.environment.python, str(INSIDE / "guards.py"), function]

    def verdicts(self, statements: Sequence[str]) -> list[bool]:
        """Return for each statement whether it would run. Raises UnavailableError."""
        self.environment.install()
        try:
            completed = subprocess.run(
                self.command(),
                input=json.dumps(list(statements)),
                capture_output=True,
                text=True,
                check=True,
                timeout=MAX_SECONDS,
                cwd=Path(self.environment.folder),
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise UnavailableError(f"{self.name} does not run ({type(error).__name__})") from None
        return [bool(verdict) for verdict in json.loads(completed.stdout)]


def _guard(name: str, version: str) -> PublicGuard:
    return PublicGuard(f"{name} {version}", Environment(name, (f"{name}=={version}",)))


PUBLIC = (
    _guard("wrenai", "0.17.0"),
    _guard("mcp-mssql-query", "0.1.0"),
    _guard("sql-explorer-mcp", "0.1.0"),
    _guard("pymssql-mcp", "0.4.2"),
    _guard("mssql-mcp-server", "1.0.0"),
    _guard("dreez-mssql-mcp", "1.1.0"),
    PublicGuard("dbhub 1.4.0", DBHUB),
)


def public_verdicts(statements: Sequence[str]) -> dict[str, list[bool]]:
    """Return the verdicts of each guard that can be installed, and report the others."""
    verdicts: dict[str, list[bool]] = {}
    for guard in PUBLIC:
        try:
            verdicts[guard.name] = guard.verdicts(statements)
        except UnavailableError as error:
            sys.stdout.write(f"skipped: {error}\n")
    return verdicts


DENIED = re.compile(
    r"\b(INSERT|UPDATE|DELETE|MERGE|DROP|CREATE|ALTER|TRUNCATE|EXEC|EXECUTE|GRANT|REVOKE|DENY|INTO"
    r"|BACKUP|RESTORE|SHUTDOWN|WAITFOR|OPENROWSET|OPENQUERY|OPENDATASOURCE|XP_\w+|SP_\w+|DECLARE"
    r"|SET|USE|KILL|BULK|SYS)\b|;\s*\S",
    re.IGNORECASE,
)
CONTRACT = load_contract()
Guard = Callable[[str], str | None]


def ours(sql: str) -> str | None:
    """Return the text that would run, or None."""
    decision = judge(sql, CONTRACT)
    return decision.sql if isinstance(decision, Allowed) else None


def deny_list(sql: str) -> str | None:
    """Return the statement if it starts with SELECT or WITH and has no denied word."""
    start = re.match(r"\s*(SELECT|WITH)\b", sql, re.IGNORECASE)
    return sql if start and not DENIED.search(sql) else None


def parsed(sql: str) -> str | None:
    """Return the statement if sqlglot parses it as one Select."""
    return sql if _select(sql) is not None else None


def rendered(sql: str) -> str | None:
    """Return sqlglot's rendering of the statement if it is one Select."""
    tree = _select(sql)
    return tree.sql(dialect="tsql") if tree is not None else None


def _select(sql: str) -> exp.Select | None:
    try:
        trees = sqlglot.parse(sql, dialect="tsql")
    except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError):
        return None
    tree = trees[0] if len(trees) == 1 else None
    return tree if isinstance(tree, exp.Select) else None


LOCAL_GUARDS: tuple[tuple[str, Guard], ...] = (
    ("moviegraph", ours),
    ("deny-list of words", deny_list),
    ("`isinstance(tree, Select)`, run as given", parsed),
    ("the same, run as rendered", rendered),
)


def guards(statements: list[str]) -> list[tuple[str, Guard]]:
    """Return moviegraph's guard, the public ones that run here, and the baselines."""
    public = [
        (name, _from_verdicts(statements, verdicts))
        for name, verdicts in public_verdicts(statements).items()
    ]
    return [LOCAL_GUARDS[0], *public, *LOCAL_GUARDS[1:]]


def _from_verdicts(statements: list[str], verdicts: list[bool]) -> Guard:
    allowed = {sql for sql, verdict in zip(statements, verdicts, strict=True) if verdict}
    return lambda sql: sql if sql in allowed else None


def by_class(items: list[Case], guard: Guard, *, refused: bool) -> dict[str, tuple[int, int]]:
    """Return by class the number of correct verdicts and of cases."""
    rows: dict[str, tuple[int, int]] = {}
    for group in sorted({case.group for case in items}):
        members = [case for case in items if case.group == group]
        correct = sum((guard(case.sql) is None) is refused for case in members)
        rows[group] = (correct, len(members))
    return rows


Scores = dict[str, dict[str, tuple[int, int]]]


def scores(items: list[Case], guards: list[tuple[str, Guard]], *, refused: bool) -> Scores:
    """Return the score of every guard in every class."""
    return {name: by_class(items, guard, refused=refused) for name, guard in guards}


def print_classes(title: str, guard_scores: Scores) -> None:
    """Print a table with a row per class."""
    classes = guard_scores[LOCAL_GUARDS[0][0]]
    lines = (
        (group, str(total), *(str(groups[group][0]) for groups in guard_scores.values()))
        for group, (_, total) in classes.items()
    )
    table(title, ("class", "cases", *guard_scores), list(lines))


def worse_classes(guard_scores: Scores) -> list[str]:
    """Return the classes in which a different guard is better than moviegraph's."""
    ours_by_class = guard_scores[LOCAL_GUARDS[0][0]]
    return [
        group
        for group, (right, _) in ours_by_class.items()
        if any(rows[group][0] > right for rows in guard_scores.values())
    ]


def main() -> None:
    """Measure, print and store the verdicts."""
    attacks = cases("attacks")
    legitimate = [*cases("honest"), *cases("originals")]
    all_guards = guards([case.sql for case in (*attacks, *legitimate)])
    attack_scores = scores(attacks, all_guards, refused=True)
    legitimate_scores = scores(legitimate, all_guards, refused=False)
    print_classes("Attacks refused", attack_scores)
    print_classes("Legitimate statements accepted", legitimate_scores)
    worse = [*worse_classes(attack_scores), *worse_classes(legitimate_scores)]
    measurements = {
        "attacks": attack_scores,
        "honest": legitimate_scores,
        "classes_where_another_is_better": worse,
    }
    write("guard_corpus", measurements)


if __name__ == "__main__":
    main()
