"""An issuer of access tokens on loopback: metadata, keys, tokens for a client's own credentials."""

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

KINDS: dict[str, Any] = {
    "RS256": RSAAlgorithm,
    "ES256": ECAlgorithm,
    "EdDSA": OKPAlgorithm,
    "Ed25519": OKPAlgorithm,
}
TIMES = frozenset({"exp", "nbf", "iat"})
EVERYTHING = "moviegraph:read moviegraph:sql"


@dataclass(frozen=True)
class SigningKey:
    """A private key, its name and its algorithm."""

    kid: str
    algorithm: str = "RS256"
    bits: int = 2048
    private: Any = field(init=False)

    def __post_init__(self) -> None:
        private: Any = ed25519.Ed25519PrivateKey.generate()
        if self.algorithm == "RS256":
            private = rsa.generate_private_key(65537, self.bits)
        elif self.algorithm == "ES256":
            private = ec.generate_private_key(ec.SECP256R1())
        object.__setattr__(self, "private", private)

    @property
    def public(self) -> dict[str, Any]:
        """The entry in the issuer's set."""
        entry: dict[str, Any] = KINDS[self.algorithm].to_jwk(
            self.private.public_key(), as_dict=True
        )
        return entry | {"kid": self.kid, "use": "sig"}

    @property
    def pem(self) -> bytes:
        public = self.private.public_key()
        return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


@dataclass
class Issuer:
    """Its responses may be changed while it runs; `asked` holds the paths of its requests."""

    audience: str = "https://movies.example/mcp"
    key: SigningKey = field(default_factory=lambda: SigningKey("one"))
    path: str = ""
    url: str = ""
    keys: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    well_known: str = "/.well-known/oauth-authorization-server"
    speaks_for: str | None = None
    status: int = 200
    filling: str = ""
    to: str | None = None
    granted: str = EVERYTHING
    asked: list[str] = field(default_factory=list[str])
    forms: list[dict[str, list[str]]] = field(default_factory=list[dict[str, list[str]]])

    def __post_init__(self) -> None:
        self.keys = [self.key.public]

    def claims(self, **changed: Any) -> dict[str, Any]:
        """Return good claims, some changed; times count from now, and None leaves one out."""
        now = int(time.time())
        by_key: dict[str, Any] = {
            "iss": self.url,
            "aud": self.audience,
            "sub": "ann",
            "client_id": "app",
            "exp": 600,
            "scope": EVERYTHING,
        } | changed
        message = {name: value for name, value in by_key.items() if value is not None}
        return message | {name: now + message[name] for name in TIMES & set(message)}

    def token(
        self,
        key: SigningKey | None = None,
        header: dict[str, Any] | None = None,
        **changed: Any,
    ) -> str:
        """Return a signed token with any header."""
        key = key or self.key
        headers: dict[str, Any] = {"alg": key.algorithm, "kid": key.kid, "typ": "at+jwt"}
        headers |= header or {}
        message = {name: value for name, value in headers.items() if value is not None}
        signed = f"{_part(message)}.{_part(self.claims(**changed))}"
        signature = jwt.get_algorithm_by_name(key.algorithm).sign(signed.encode(), key.private)
        return f"{signed}.{_base64url(signature)}"

    def forged(self, algorithm: str, secret: bytes = b"") -> str:
        """Return a token that an attacker made: unsigned, or with the public key as a secret."""
        head = _part({"alg": algorithm, "kid": self.key.kid, "typ": "JWT"})
        signed = f"{head}.{_part(self.claims())}"
        digest = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
        return f"{signed}.{_base64url(digest) if secret else ''}"

    def answer(self, path: str) -> dict[str, Any] | None:
        """Return the document at a path."""
        if self.well_known in path:
            return {
                "issuer": self.speaks_for or self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "response_types_supported": ["code"],
                "grant_types_supported": ["client_credentials"],
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
                "code_challenge_methods_supported": ["S256"],
                "jwks_uri": f"{self.url}/keys",
            }
        return {"keys": self.keys} if path == f"{self.path}/keys" else None

    def issue(self, form: dict[str, list[str]]) -> dict[str, Any]:
        """Return a token for a client's credentials."""
        self.forms.append(form)
        token = self.token(scope=self.granted, aud=form["resource"][0], sub=form["client_id"][0])
        return {"access_token": token, "token_type": "Bearer", "expires_in": 600}


@contextmanager
def issuing(issuer: Issuer) -> Generator[Issuer]:
    """Let an issuer answer on loopback, and tell it its URL."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            issuer.asked.append(self.path)
            answer = issuer.answer(self.path)
            self._send(404 if answer is None else issuer.status, answer or {})

        def do_POST(self) -> None:
            form = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._send(200, issuer.issue(parse_qs(form)))

        def _send(self, status: int, by_key: dict[str, Any]) -> None:
            body = json.dumps(by_key | {"filling": issuer.filling}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if issuer.to:
                self.send_header("Location", issuer.to)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    issuer.url = f"http://127.0.0.1:{server.server_port}{issuer.path}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _part(by_key: dict[str, Any]) -> str:
    return _base64url(json.dumps(by_key).encode())


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
