"""`moviegraph health`: asks a server over HTTP whether it is ready, for whoever watches it."""

import argparse
import json
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from moviegraph.cli.streams import answer
from moviegraph.errors import SettingsError

NAME = "health"
HELP = "Ask a server over HTTP whether it is ready: status 0 if it is, for health checks."
URL = "http://127.0.0.1:8765/readyz"
LONGEST_ANSWER = 1_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--url", default=URL, help="its /readyz, or /healthz for mere life")
    parser.add_argument("--seconds", type=float, default=5.0, help="to wait for an answer")


def run(parsed: argparse.Namespace) -> int:
    """Ask once, past any proxy; the status is 1 unless the server says that it is ready."""
    url: str = parsed.url
    if urlsplit(url).scheme not in ("http", "https"):
        raise SettingsError(f"--url {url} is no address of a server.", hint=f"Such as {URL}.")
    status = _asked(url, parsed.seconds)
    answer(status)
    return 0 if status in ("ready", "ok") else 1


def _asked(url: str, seconds: float) -> str:
    try:
        with build_opener(ProxyHandler({})).open(url, timeout=seconds) as response:
            return _status(response.read(LONGEST_ANSWER))
    except HTTPError as error:
        return _status(error.read(LONGEST_ANSWER))
    except (OSError, HTTPException):
        return "no answer"


def _status(body: bytes) -> str:
    try:
        return str(json.loads(body)["status"])
    except (ValueError, KeyError, TypeError):
        return "no answer of a moviegraph server"
