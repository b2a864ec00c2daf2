"""Build of the Containerfile's image with buildah, and a smoke test without a container engine.

The test enters the image with namespaces only: its user, its variables, and its root, read-only
except for the state folder. Requires Linux, root and buildah. --base replaces the base image of the
file; --mount gives the build a package folder for offline installation.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from scripts.smoke_test import SmokeTestError, check_server

ROOT = Path(__file__).resolve().parents[1]
IMAGE = "localhost/moviegraph"
STATE = "var/lib/moviegraph"
ENTER = f"""
set -e
root=$1; shift
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs -o size=64m,uid=10001,gid=10001 state "$root/{STATE}"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" /usr/bin/env -i "$@"
"""
MAX_READY_SECONDS = 60.0
READ_ONLY_PROBE = 'touch /probe /tmp/probe /opt/moviegraph/graph/probe; test "$(id -u)" = 10001'


class BuildahError(Exception):
    """Buildah is missing or failed; its output precedes this error."""


def _buildah(*arguments: str, stdout: int | TextIO = subprocess.PIPE, advice: str = "") -> str:
    """Run buildah; return its output unless that is redirected."""
    try:
        completed = subprocess.run(
            ["buildah", *arguments], cwd=ROOT, check=False, stdout=stdout, text=True
        )
    except OSError as error:
        raise BuildahError(f"buildah cannot be run: {error.strerror}. Install it.") from None
    if completed.returncode:
        message = f"`buildah {arguments[0]}` exited with {completed.returncode}. {advice}"
        raise BuildahError(message.rstrip())
    return (completed.stdout or "").strip()


def build(base: str | None, mounts: Sequence[str]) -> None:
    """Build the image in the Docker format, which supports a health check.

    Raises BuildahError.
    """
    options = [f"--build-arg=BASE={base}"] if base else []
    options += [f"--volume={mount}" for mount in mounts]
    command = ["build", "--format", "docker", "--isolation", "chroot", *options]
    command += ["--network", "host", "--tag", IMAGE, "--file", "Containerfile", "."]
    advice = "If the base image could not be fetched, name a different one with --base."
    _buildah(*command, stdout=sys.stderr, advice=advice)


def enter_command(root: str, config: dict[str, Any]) -> list[str]:
    """Return the prefix of a command that runs within the image."""
    enter = f"user={config['User']}\n{ENTER}"
    return [
        "unshare",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "sh",
        "-c",
        enter,
        "sh",
        root,
        *config["Env"],
    ]


def check_image(root: str, config: dict[str, Any]) -> list[str]:
    """Check the image over stdio, and over HTTP with its health check. Raises SmokeTestError."""
    within = enter_command(root, config)
    probe = subprocess.run(
        [*within, "sh", "-c", READ_ONLY_PROBE], check=False, capture_output=True, text=True
    )
    if probe.returncode or probe.stderr.count("Read-only file system") != 3:
        raise SmokeTestError(f"the root is not read-only, or the user is root: {probe.stderr}")
    server = [*within, *config["Entrypoint"], "serve"]
    report = check_server(server, {"PATH": os.environ["PATH"]}, Path("/"))
    return ["read-only, user 10001", *report, _check_http(within, config)]


def _check_http(within: list[str], config: dict[str, Any]) -> str:
    """Start the server over HTTP on loopback and wait until it is healthy."""
    command = [*within, *config["Entrypoint"], "serve", "--transport", "http"]
    health = [*within, *config["Healthcheck"]["Test"][1:]]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as server:
        try:
            deadline = time.monotonic() + MAX_READY_SECONDS
            while subprocess.run(health, check=False, capture_output=True).returncode:
                if server.poll() is not None or time.monotonic() > deadline:
                    raise SmokeTestError("over HTTP it was never healthy")
                time.sleep(0.5)
        finally:
            server.kill()
    return "healthy over HTTP by its health check"


def main() -> int:
    """Build and check the image; return 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", help="base image instead of the one in the file")
    parser.add_argument("--mount", action="append", default=[], help="FROM:TO[:ro], for the build")
    options = parser.parse_args()
    try:
        build(options.base, options.mount)
        _enter_and_check()
    except (BuildahError, SmokeTestError) as error:
        print(f"container: {error}", file=sys.stderr)
        return 1
    return 0


def _enter_and_check() -> None:
    config = json.loads(_buildah("inspect", "--type", "image", IMAGE))["Docker"]["config"]
    container = _buildah("from", IMAGE)
    try:
        for line in check_image(_buildah("mount", container), config):
            print(f"container: {line}")
    finally:
        _buildah("rm", container)


if __name__ == "__main__":
    sys.exit(main())
