"""Tries OAuth with a certified issuer: the npm package oidc-provider, on loopback.

The official Python client starts from the URL of the server alone: discovery, registration, PKCE,
step-up, refresh, and rotation of the signing key. The packages are those that oauth/package.json
pins; they go into a temporary folder. The exit status is 0 when every step is OK, 1 when one
fails, and 3 when nothing could be run: there is no npm, or the packages cannot be had.
"""

import argparse
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientMetadata,
)
from mcp.types import CallToolResult
from pydantic import AnyUrl
from scratch_server import SERVE, STOP_SECONDS, MemoryTokenStorage, serving, wait_for

PROGRAMS = Path(__file__).with_name("oauth")
REDIRECT_URI = "http://127.0.0.1:8912/callback"  # nothing listens: the trial reads the redirect
ISSUER = re.compile(r"(?<=^issuer )\S+", re.MULTILINE)
QUESTION = {"query": "a crew far from home is hunted by something unseen", "top": 3}
STATEMENT = {"sql": "SELECT COUNT(*) AS n FROM Movie"}
NOT_RUN = 3
MAX_REDIRECTS = 12
MAX_ATTEMPTS = 3
TOKEN_SECONDS = 3  # the client refreshes then; the server allows 30 seconds more
UNAVAILABLE = 503
INSTALL_SECONDS = 300
TRIAL_SECONDS = 300
REQUEST_SECONDS = 60


class Unavailable(Exception):
    """The trial cannot be run here; the text says why."""


class StepError(Exception):
    """A step did not show what it must; the text says what it showed."""


def install_packages(folder: Path) -> None:
    """Copy the programs for Node into a folder, with their packages. Raises Unavailable."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Unavailable("there is no npm on the path")
    shutil.copytree(PROGRAMS, folder, dirs_exist_ok=True)
    options = ("--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline",
               "--loglevel=error", "--fetch-retries=1", "--fetch-timeout=60000")  # fmt: skip
    try:
        subprocess.run(
            [npm, "install", *options], cwd=folder, check=True, timeout=INSTALL_SECONDS,
            capture_output=True, text=True,
        )  # fmt: skip
    except subprocess.SubprocessError as error:
        raise Unavailable(f"npm could not install the packages ({type(error).__name__})") from None


def free_port() -> int:
    """Return a port of loopback that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@dataclass(frozen=True, slots=True)
class Issuer:
    """A running issuer."""

    process: "subprocess.Popen[str]"
    log: Path
    url: str

    def rotate(self) -> None:
        """Replace the signing key, and wait until it is replaced."""
        assert self.process.stdin is not None
        count = self.log.read_text(encoding="utf-8").count("rotated") + 1
        self.process.stdin.write("rotate\n")
        self.process.stdin.flush()
        wait_for(re.compile(f"(rotated\\n.*?){{{count}}}", re.DOTALL), self.process, self.log)


@contextmanager
def issuing(folder: Path, resource: str, seconds: int = TOKEN_SECONDS) -> Generator[Issuer]:
    """Yield an issuer of tokens for a resource; they expire after so many seconds."""
    path = folder / "issuer.log"
    with path.open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            ["node", "issuer.js", resource, str(seconds)],
            cwd=folder, stdin=subprocess.PIPE, stdout=log, stderr=log, text=True,
        )  # fmt: skip
    try:
        yield Issuer(process, path, wait_for(ISSUER, process, path))
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


@dataclass(slots=True)
class Browser:
    """A browser with a person who consents to everything; it stops before the redirect URI."""

    result: AuthorizationCodeResult | None = None
    queries: list[dict[str, list[str]]] = field(default_factory=list[dict[str, list[str]]])

    async def open(self, url: str) -> None:
        """Open the authorization page, and follow its redirects."""
        self.queries.append(parse_qs(urlsplit(url).query))
        async with httpx2.AsyncClient(timeout=REQUEST_SECONDS) as http:
            for _ in range(MAX_REDIRECTS):
                if url.startswith(REDIRECT_URI):
                    break
                response = await http.get(url)
                if response.next_request is None:
                    raise StepError(f"the issuer returned {response.status_code}: {response.text}")
                url = str(response.next_request.url)
        answer = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        if "code" not in answer:
            raise StepError(f"the issuer returned {answer}")
        self.result = AuthorizationCodeResult(**answer)

    async def authorization_code(self) -> AuthorizationCodeResult:
        """Return the parameters that the issuer sent to the redirect URI."""
        assert self.result is not None
        return self.result


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request of the client, and the status of its response."""

    method: str
    path: str
    status: int
    form: dict[str, list[str]]
    headers: dict[str, str]


@dataclass(slots=True)
class Report:
    """The steps, printed one per line."""

    has_failed: bool = False

    @contextmanager
    def step(self, name: str) -> Generator[list[str]]:
        """Print whether a step is OK, with the details that it appended."""
        details: list[str] = []
        try:
            yield details
        except Exception as error:  # noqa: BLE001 - whatever it is, the step failed
            self.has_failed = True
            details = [f"{type(error).__name__}: {error}"]
            print(f"FAIL {name}: {details[0]}", flush=True)
        else:
            print(f"OK   {name}: {', '.join(details)}", flush=True)


class Trial:
    """The steps of one client with one server and one issuer.

    Args:
        url: The MCP endpoint of the server.
        issuer: The issuer of its tokens.
    """

    def __init__(self, url: str, issuer: Issuer) -> None:
        self._url = url
        self._issuer = issuer
        self._report = Report()
        self._exchanges: list[Exchange] = []
        self._storage = MemoryTokenStorage()
        self._browser = Browser()

    async def run(self) -> bool:
        """Run the steps; return whether all are OK."""
        metadata = OAuthClientMetadata(
            client_name="oauth_trial",
            redirect_uris=[AnyUrl(REDIRECT_URI)],
            token_endpoint_auth_method="none",
        )
        auth = OAuthClientProvider(
            self._url, metadata, self._storage, self._browser.open, self._browser.authorization_code
        )
        hooks = {"response": [self._record]}
        with self._report.step("time") as details, anyio.fail_after(TRIAL_SECONDS):
            start = anyio.current_time()
            async with (
                httpx2.AsyncClient(auth=auth, timeout=REQUEST_SECONDS, event_hooks=hooks) as http,
                Client(streamable_http_client(self._url, http_client=http)) as client,
            ):
                self._check_connection()
                await self._call_tool(client)
                await self._step_up(client)
                await self._refresh(client)
                await self._rotate(client, "rotation of the signing key")
                await self._rotate(client, "second rotation at once")
            details.append(f"{anyio.current_time() - start:.0f} s")
        return not self._report.has_failed

    async def _record(self, response: httpx2.Response) -> None:
        request = response.request
        is_form = "form" in request.headers.get("content-type", "")
        form = parse_qs(request.content.decode()) if is_form else {}
        path = request.url.path
        headers = dict(response.headers)
        self._exchanges.append(Exchange(request.method, path, response.status_code, form, headers))

    def _first(self, method: str, path: str, **form: str) -> Exchange:
        """Return the first exchange of a path. Raises StepError where there is none."""
        for exchange in self._exchanges:
            is_same = all(exchange.form.get(name) == [value] for name, value in form.items())
            if exchange.method == method and exchange.path.startswith(path) and is_same:
                return exchange
        raise StepError(f"the client sent no {method} {path} {form or ''}")

    def _check_connection(self) -> None:
        """Check what the client did to connect."""
        with self._report.step("protected resource metadata") as details:
            challenge = self._first("POST", "/mcp").headers.get("www-authenticate", "")
            metadata = self._first("GET", "/.well-known/oauth-protected-resource/mcp")
            require(metadata.path in challenge and metadata.status == 200, challenge)
            details.append(f"{metadata.path}, named by the challenge of status 401")
        with self._report.step("authorization server metadata") as details:
            metadata = self._first("GET", "/.well-known/oauth-authorization-server")
            require(metadata.status == 200, str(metadata.status))
            details.append(metadata.path)
        with self._report.step("dynamic registration") as details:
            require(self._first("POST", "/reg").status == 201, "the issuer refused it")
            require(self._storage.client is not None, "the client did not store it")
            details.append(f"client {self._storage.client and self._storage.client.client_id}")
        with self._report.step("authorization code with PKCE") as details:
            query = self._browser.queries[0]
            require(query["code_challenge_method"] == ["S256"], str(query))
            require(query["resource"] == [self._url], str(query))
            exchange = self._first("POST", "/token", grant_type="authorization_code")
            require(exchange.status == 200 and "code_verifier" in exchange.form, str(exchange))
            details.append(f"granted: {self._granted()}")

    async def _call_tool(self, client: Client) -> None:
        with self._report.step("tool call") as details:
            details.append(await self._search(client))

    async def _step_up(self, client: Client) -> None:
        """Call a tool whose scope the token lacks."""
        with self._report.step("step-up") as details:
            require("moviegraph:sql" not in self._granted(), "the token has the scope already")
            result = await client.call_tool("run_readonly_sql", STATEMENT)
            require(not result.is_error, str(result.content))
            refused = [exchange for exchange in self._exchanges if exchange.status == 403]
            require(len(refused) == 1, f"{len(refused)} requests got status 403")
            challenge = refused[0].headers["www-authenticate"]
            require('error="insufficient_scope"' in challenge, challenge)
            require("moviegraph:sql" in self._granted(), self._granted())
            details.append(f"403 insufficient_scope, then granted: {self._granted()}")
            details.append(f"rows {rows_of(result)}")

    async def _refresh(self, client: Client) -> None:
        """Call a tool after the token has expired."""
        with self._report.step("refresh") as details:
            before = self._access_token()
            await anyio.sleep(TOKEN_SECONDS + 1)
            details.append(await self._search(client))
            exchange = self._first("POST", "/token", grant_type="refresh_token")
            require(exchange.status == 200, str(exchange.status))
            require(self._access_token() != before, "the client has the same token")

    async def _rotate(self, client: Client, name: str) -> None:
        """Replace the signing key, and call a tool with a token of the new one.

        Soon after the server has fetched the keys it cannot tell whether the new key is good.
        """
        with self._report.step(name) as details:
            key_id = self._key_id()
            self._issuer.rotate()
            await anyio.sleep(TOKEN_SECONDS + 1)
            for _ in range(MAX_ATTEMPTS):
                count = len(self._exchanges)
                try:
                    details.append(await self._search(client))
                    break
                except MCPError:
                    exchanges = self._exchanges[count:]
                    refused = [exchange for exchange in exchanges if exchange.path == "/mcp"]
                    require(
                        {exchange.status for exchange in refused} == {UNAVAILABLE}, str(refused)
                    )
                    seconds = int(refused[-1].headers["retry-after"])
                    details.append(f"503 with Retry-After {seconds}")
                    await anyio.sleep(seconds)
            require(self._key_id() != key_id, "the token has the old key")
            require(details[-1].endswith("rows"), f"not accepted: {details}")

    async def _search(self, client: Client) -> str:
        """Call a tool that needs the first scope; return what it returned."""
        result = await client.call_tool("semantic_search", QUESTION)
        require(not result.is_error, str(result.content))
        return f"{len(rows_of(result))} rows"

    def _access_token(self) -> str:
        assert self._storage.tokens is not None
        return self._storage.tokens.access_token

    def _granted(self) -> str:
        assert self._storage.tokens is not None
        return self._storage.tokens.scope or ""

    def _key_id(self) -> str:
        import jwt

        return str(jwt.get_unverified_header(self._access_token())["kid"])


def rows_of(result: CallToolResult) -> list[Any]:
    """Return the rows of a result."""
    content: dict[str, Any] = result.structured_content or {}
    return content["rows"]


def require(condition: object, shown: str) -> None:
    """Raise StepError, with what was shown, unless a condition holds."""
    if not condition:
        raise StepError(shown)


def run(folder: Path) -> bool:
    """Run the trial in a folder; return whether all steps are OK. Raises Unavailable."""
    programs, home = folder / "programs", folder / "home"
    install_packages(programs)
    home.mkdir()
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    with issuing(programs, url) as issuer:
        options = ("--oauth-issuer", issuer.url, "--oauth-audience", url, "--port", str(port))
        with serving((*SERVE, "--transport", "http", *options), home):
            is_ok = anyio.run(Trial(url, issuer).run)
        if not is_ok:
            print((home / "server.log").read_text(encoding="utf-8"), file=sys.stderr)
            print(issuer.log.read_text(encoding="utf-8"), file=sys.stderr)
    print(f"OK   end: issuer {issuer.process.returncode}, server stopped")
    return is_ok


def run_script(run: Callable[[Path], bool], description: str | None) -> int:
    """Run a trial in a temporary folder; return the exit status."""
    argparse.ArgumentParser(description=description).parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            return 0 if run(Path(folder)) else 1
        except Unavailable as error:
            print(f"NOT RUN: {error}.", flush=True)
            return NOT_RUN


if __name__ == "__main__":
    sys.exit(run_script(run, __doc__))
