"""Builds the image of the Containerfile with buildah, and tries it where no container engine runs.

The image is entered by namespaces alone: its user, its variables, its root read-only but for the
state folder, no more than that. Needs Linux, root and buildah. --base takes an image that stands in
for the one that the file names; --mount hands the build what an offline machine installs from.
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

from scripts.trial import TrialError, try_server

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
READY = 60.0
TRIED_READ_ONLY = 'touch /probe /tmp/probe /opt/moviegraph/graph/probe; test "$(id -u)" = 10001'


class BuildahError(Exception):
    """Buildah is missing, or did not do what it was told; what it said stands above."""


def _buildah(*arguments: str, stdout: int | TextIO = subprocess.PIPE, advice: str = "") -> str:
    """Run buildah; return what it printed where that was not sent elsewhere."""
    try:
        done = subprocess.run(
            ["buildah", *arguments], cwd=ROOT, check=False, stdout=stdout, text=True
        )
    except OSError as error:
        raise BuildahError(f"buildah cannot be run: {error.strerror}. Install it.") from None
    if done.returncode:
        message = f"`buildah {arguments[0]}` ended with {done.returncode}. {advice}"
        raise BuildahError(message.rstrip())
    return (done.stdout or "").strip()


def build(base: str | None, mounts: Sequence[str]) -> None:
    """Build the image; the format of Docker is the one that keeps a health check.

    Raises BuildahError.
    """
    further = [f"--build-arg=BASE={base}"] if base else []
    further += [f"--volume={each}" for each in mounts]
    words = ["build", "--format", "docker", "--isolation", "chroot", *further]
    words += ["--network", "host", "--tag", IMAGE, "--file", "Containerfile", "."]
    advice = "If the base image could not be fetched, name another with --base."
    _buildah(*words, stdout=sys.stderr, advice=advice)


def entering(root: str, config: dict[str, Any]) -> list[str]:
    """Return the words before a command that runs within the image."""
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


def try_image(root: str, config: dict[str, Any]) -> list[str]:
    """Try the image over stdio, and over HTTP with its own health check. Raises TrialError."""
    within = entering(root, config)
    probe = subprocess.run(
        [*within, "sh", "-c", TRIED_READ_ONLY], check=False, capture_output=True, text=True
    )
    if probe.returncode or probe.stderr.count("Read-only file system") != 3:
        raise TrialError(f"the root is not read-only, or the user is root: {probe.stderr}")
    server = [*within, *config["Entrypoint"], "serve"]
    seen = try_server(server, {"PATH": os.environ["PATH"]}, Path("/"))
    return ["read-only, user 10001", *seen, _try_http(within, config)]


def _try_http(within: list[str], config: dict[str, Any]) -> str:
    """Start it over HTTP on loopback, and ask after its health until it is well."""
    words = [*within, *config["Entrypoint"], "serve", "--transport", "http"]
    health = [*within, *config["Healthcheck"]["Test"][1:]]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as server:
        try:
            until = time.monotonic() + READY
            while subprocess.run(health, check=False, capture_output=True).returncode:
                if server.poll() is not None or time.monotonic() > until:
                    raise TrialError("over HTTP it was never healthy")
                time.sleep(0.5)
        finally:
            server.kill()
    return "healthy over HTTP, by its own health check"


def main() -> int:
    """Build, enter, try; the status is 1 where any of it failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", help="an image in the place of the one in the file")
    parser.add_argument("--mount", action="append", default=[], help="FROM:TO[:ro], for the build")
    options = parser.parse_args()
    try:
        build(options.base, options.mount)
        _enter_and_try()
    except (BuildahError, TrialError) as error:
        print(f"container: {error}", file=sys.stderr)
        return 1
    return 0


def _enter_and_try() -> None:
    config = json.loads(_buildah("inspect", "--type", "image", IMAGE))["Docker"]["config"]
    container = _buildah("from", IMAGE)
    try:
        for line in try_image(_buildah("mount", container), config):
            print(f"container: {line}")
    finally:
        _buildah("rm", container)


if __name__ == "__main__":
    sys.exit(main())
