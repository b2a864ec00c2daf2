"""Tries the nginx configuration of docs/guides/http.md, as written, with two stateless workers.

The official TypeScript clients log in at the npm package oidc-provider, and refresh their tokens
in the middle of the connection. Then each worker is restarted under load. Ports, server name and
certificate are replaced by local ones. The exit status is 0 when every step is OK, 1 when one
fails, and 3 when nothing could be run: nginx or npm is missing, or the packages cannot be had.
"""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from oauth_trial import (
    Report,
    Unavailable,
    free_port,
    install_packages,
    issuing,
    require,
    run_script,
)
from scratch_server import POLL_SECONDS, ROOT, SERVE, START_SECONDS, STOP_SECONDS, serving

from moviegraph.http.scopes import ALL
from moviegraph.http.token_file import TokenLine, digest_of, fresh_token

GUIDE = ROOT / "docs" / "guides" / "http.md"
RECIPE = re.compile(r"^```nginx\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HOST = "localhost"
ADDRESS = "127.0.0.1"
CALLS = 4  # after the refresh, so that both workers get some
CLIENT_SECONDS = 180
VERSIONS = ("1", "2")
THREADS = 4  # of the load during the restart
BOTH = "application/json, text/event-stream"
MAIN = """daemon off; master_process off; pid nginx.pid; error_log stderr;
events {{}}
http {{
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  log_format workers "to $upstream_addr $status $request_method";
{recipe}
}}
"""


def nginx_configuration(port: int, workers: list[int]) -> str:
    """Return the recipe of the guide with local ports, name and certificate."""
    match = RECIPE.search(GUIDE.read_text(encoding="utf-8"))
    if match is None:
        raise SystemExit(f"{GUIDE} has no nginx configuration.")
    recipe = match[1]
    for written, local in (
        ("127.0.0.1:8765", f"127.0.0.1:{workers[0]}"),
        ("127.0.0.1:8766", f"127.0.0.1:{workers[1]}"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        (
            "server_name movies.example.org;",
            f"server_name {HOST}; ssl_certificate certificate.pem; ssl_certificate_key key.pem;",
        ),
        ("access_log off;", "access_log workers.log workers;"),
    ):
        if recipe.count(written) != 1:
            raise SystemExit(f"The nginx configuration of {GUIDE} does not contain {written!r}.")
        recipe = recipe.replace(written, local)
    return MAIN.format(recipe=recipe)


def write_certificate(folder: Path) -> Path:
    """Write a self-signed certificate of this machine, and its key; return its path."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "key.pem").write_bytes(private)
    path = folder / "certificate.pem"
    path.write_bytes(certificate.public_bytes(Encoding.PEM))
    return path


def find_nginx() -> str:
    """Return the path of nginx. Raises Unavailable."""
    nginx = shutil.which("nginx", path=os.pathsep.join((os.environ["PATH"], "/usr/sbin")))
    if nginx is None:
        raise Unavailable("there is no nginx on the path")
    return nginx


@contextmanager
def proxying(nginx: str, folder: Path, configuration: str, port: int) -> Generator[None]:
    """Run nginx with a configuration until the block ends."""
    (folder / "nginx.conf").write_text(configuration, encoding="utf-8")
    log = folder / "nginx.log"
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [nginx, "-p", str(folder), "-c", "nginx.conf", "-e", "stderr"],
            cwd=folder, stdin=subprocess.DEVNULL, stderr=errors,
        )  # fmt: skip
    try:
        wait_until_listening(port, process, log)
        yield
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


def wait_until_listening(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until a port accepts connections. Raises SystemExit if it does not."""
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection((ADDRESS, port), 1):
            return
        time.sleep(POLL_SECONDS)
    raise SystemExit(f"nginx did not start: {log.read_text(encoding='utf-8')}")


def run_client(version: str, programs: Path, url: str, certificate: Path) -> list[dict[str, Any]]:
    """Run a TypeScript client; return what it printed. Raises StepError."""
    result = subprocess.run(
        ["node", "typescript_client.js", version, url, str(CALLS)],
        cwd=programs, env=os.environ | {"NODE_EXTRA_CA_CERTS": str(certificate)},
        capture_output=True, text=True, encoding="utf-8", timeout=CLIENT_SECONDS, check=False,
    )  # fmt: skip
    require(result.returncode == 0, f"the client ended with {result.returncode}: {result.stderr}")
    return [json.loads(line) for line in result.stdout.splitlines()]


def check_client(report: Report, version: str, client: Future[list[dict[str, Any]]]) -> None:
    """Check what a client printed."""
    with report.step(f"TypeScript client {version} with a refresh in between") as details:
        first, *calls = client.result()
        require(first["session"] is None, f"the server opened a session: {first}")
        require([call["rows"] for call in (first, *calls)] == [3] * (CALLS + 1), str(calls))
        tokens = {call["token"] for call in calls}
        require(len(tokens) == 1 and first["token"] not in tokens, str(calls))
        details.append(f"1 call, a new token, {len(calls)} calls")


def check_workers(report: Report, access_log: Path) -> None:
    """Check which worker responded to which requests."""
    with report.step("workers") as details:
        lines = access_log.read_text(encoding="utf-8").splitlines()
        counts = Counter(tuple(line.split()[1:3]) for line in lines)
        require(len({address for address, _ in counts}) == 2, str(counts))
        statuses = {status for _, status in counts}
        require("401" in statuses and not statuses & {"404", "502"}, str(counts))
        details += sorted(
            f"{address} {status}: {count}" for (address, status), count in counts.items()
        )


class Load:
    """Threads that call a tool through the proxy, until they are stopped."""

    def __init__(self, url: str, certificate: Path, token: str) -> None:
        self._url = url
        self._certificate = certificate
        self._token = token
        self._is_stopped = threading.Event()
        self.results = Counter[str]()

    def stop(self) -> None:
        """Let each thread finish its call."""
        self._is_stopped.set()

    def run(self) -> None:
        """Call, and count what came back: `ok`, a status, or the error of a result."""
        headers = {"Authorization": f"Bearer {self._token}", "Accept": BOTH}
        call = {"name": "run_readonly_sql", "arguments": {"sql": "SELECT COUNT(*) AS n FROM Movie"}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        context = ssl.create_default_context(cafile=str(self._certificate))
        with httpx2.Client(verify=context, timeout=CLIENT_SECONDS) as client:
            while not self._is_stopped.is_set():
                response = client.post(self._url, json=message, headers=headers)
                self.results[_outcome(response)] += 1


def _outcome(response: httpx2.Response) -> str:
    if response.status_code != 200:
        return str(response.status_code)
    data = next(line for line in response.text.splitlines() if line.startswith("data: {"))
    result = json.loads(data.removeprefix("data: ")).get("result", {})
    return "ok" if result.get("structuredContent", {}).get("row_count") == 1 else str(result)


class Worker:
    """A server that can be stopped and started again on its port."""

    def __init__(self, command: tuple[str, ...], home: Path, port: int) -> None:
        self._command = command
        self._home = home
        self._port = port
        self._running = ExitStack()

    def start(self) -> None:
        """Start, and wait until it serves."""
        self._running.enter_context(serving(self._command, self._home, f"{self._port}.log"))

    def stop(self) -> None:
        """Stop as an operator does, and wait for its end."""
        self._running.close()


def check_restart(report: Report, load: Load, workers: list[Worker]) -> None:
    """Restart one worker after the other under load: no call may notice."""
    with report.step("rolling restart under load") as details, ThreadPoolExecutor() as executor:
        threads = [executor.submit(load.run) for _ in range(THREADS)]
        try:
            for worker in workers:
                worker.stop()
                worker.start()
        finally:
            load.stop()
        for thread in threads:
            thread.result()
        require(set(load.results) == {"ok"}, str(load.results))
        details.append(f"{load.results['ok']} calls, all with their row")


def run(folder: Path) -> bool:
    """Run the trial in a folder; return whether all steps are OK. Raises Unavailable."""
    programs, home, proxy = (folder / name for name in ("programs", "home", "proxy"))
    nginx = find_nginx()
    install_packages(programs)
    home.mkdir()
    proxy.mkdir()
    port, *workers = (free_port() for _ in range(3))
    url = f"https://{HOST}:{port}/mcp"
    report = Report()
    certificate = write_certificate(proxy)
    token = fresh_token()
    tokens = home / "tokens"
    tokens.write_text(TokenLine("load", digest_of(token), ALL).written(), encoding="utf-8")
    tokens.chmod(0o600)
    with ExitStack() as stack:
        issuer = stack.enter_context(issuing(programs, url))
        options = ("--oauth-issuer", issuer.url, "--oauth-audience", url, "--allowed-hosts", HOST,
                   "--http-tokens", str(tokens), "--http-rate", "0",
                   "--trusted-proxies", ADDRESS)  # fmt: skip
        servers: list[Worker] = []
        for worker in workers:
            command = (*SERVE, "--transport", "http", "--port", str(worker), *options)
            servers.append(Worker(command, home, worker))
            stack.callback(servers[-1].stop)
            servers[-1].start()
        stack.enter_context(proxying(nginx, proxy, nginx_configuration(port, workers), port))
        with ThreadPoolExecutor() as executor:
            clients = {
                version: executor.submit(run_client, version, programs, url, certificate)
                for version in VERSIONS
            }
        for version, client in clients.items():
            check_client(report, version, client)
        check_workers(report, proxy / "workers.log")
        check_restart(report, Load(url, certificate, token), servers)
    if report.has_failed:
        for path in (*home.glob("*.log"), *proxy.glob("*.log"), issuer.log):
            print(f"{path.name}:\n{path.read_text(encoding='utf-8')}", file=sys.stderr)
    return not report.has_failed


if __name__ == "__main__":
    sys.exit(run_script(run, __doc__))
