"""The public guards of T-SQL servers, each asked in an environment of its own."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.definitions import DBHUB, INSIDE
from benchmarks.peers.environment import Environment, Unavailable

LONGEST = 300.0


@dataclass(frozen=True, slots=True)
class PublicGuard:
    """One guard: its name as published, and the environment that holds it."""

    name: str
    environment: Environment

    def command(self) -> list[str]:
        """Return what judges a list of statements from standard input."""
        if self.environment is DBHUB:
            dist = self.environment.modules / "@bytebase" / "dbhub" / "dist"
            node = str(self.environment.node / "node")
            return [node, str(INSIDE / "judge_dbhub.mjs"), str(dist)]
        function = self.environment.name.replace("-", "_")
        return [self.environment.python, str(INSIDE / "judge.py"), function]

    def verdicts(self, statements: Sequence[str]) -> list[bool]:
        """Return for each statement whether it would run. Raises Unavailable."""
        self.environment.install()
        try:
            done = subprocess.run(
                self.command(),
                input=json.dumps(list(statements)),
                capture_output=True,
                text=True,
                check=True,
                timeout=LONGEST,
                cwd=Path(self.environment.folder),
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise Unavailable(f"{self.name} does not run ({type(error).__name__})") from None
        return [bool(each) for each in json.loads(done.stdout)]


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
    """Return the verdicts of each guard that can be installed; the others are named as skipped."""
    by_key: dict[str, list[bool]] = {}
    for guard in PUBLIC:
        try:
            by_key[guard.name] = guard.verdicts(statements)
        except Unavailable as error:
            sys.stdout.write(f"skipped: {error}\n")
    return by_key
