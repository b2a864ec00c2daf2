"""`moviegraph health`: asks a server over HTTP whether it is ready, for whoever watches it."""

import argparse
import json
import re
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from moviegraph.cli.streams import answer
from moviegraph.errors import SettingsError
from moviegraph.settings import seconds

NAME = "health"
HELP = "Request a server's readiness over HTTP; status 0 if it is ready."
URL = "http://127.0.0.1:8765/readyz"
NOT_SENT = re.compile(r"[^!-~]")  # what a request line cannot hold; it is written as %20, %C3%A9
SECONDS = 5.0
PATIENCE = seconds(0.1, 3600)
LONGEST_ANSWER = 1_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--url", default=URL, help=f"/readyz for readiness, /healthz for liveness (default: {URL})"
    )
    parser.add_argument(
        "--seconds",
        default=f"{SECONDS:g}",
        help=f"maximum time to wait, in seconds (default: {SECONDS:g})",
    )


def run(parsed: argparse.Namespace) -> int:
    """Ask once, past any proxy; the status is 1 unless the server says that it is ready."""
    url = _address(parsed.url)
    status = _asked(url, _patience(parsed.seconds))
    answer(f"{status}: {_without_login(url)}")
    return 0 if status in ("ready", "ok") else 1


def _address(url: str) -> str:
    """Return an address that can be asked. Raises SettingsError."""
    try:
        parts = urlsplit(url)
        named = bool((parts.hostname or "").encode("idna")) and parts.port != 0
        fits = named and parts.scheme in ("http", "https") and not NOT_SENT.search(url)
    except ValueError:  # an open bracket, a port that is no number, an empty label
        fits = False
    if not fits:
        raise SettingsError(f"--url {url} is not a server URL.", hint=f"Use a URL such as {URL}.")
    return url


def _without_login(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()


def _patience(text: str) -> float:
    try:
        return PATIENCE.read(text)
    except ValueError:
        raise SettingsError(f"--seconds: {text!r} is not {PATIENCE.words}.") from None


def _asked(url: str, patience: float) -> str:
    try:
        with build_opener(ProxyHandler({})).open(url, timeout=patience) as response:
            return _status(response.read(LONGEST_ANSWER))
    except HTTPError as error:
        return _status(error.read(LONGEST_ANSWER))
    except (OSError, HTTPException, ValueError):  # the last from where a redirection leads
        return "no response"


def _status(body: bytes) -> str:
    try:
        return str(json.loads(body)["status"])
    except (ValueError, KeyError, TypeError):
        return "the response is not from a moviegraph server"
