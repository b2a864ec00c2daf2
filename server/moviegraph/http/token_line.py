"""One line of the file of tokens: a name, the digest of a token, and what it is good for."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass

from moviegraph.errors import SettingsError
from moviegraph.http.scopes import ALL, READ, SQL

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
DIGEST = re.compile(r"[0-9a-f]{64}")
BEGINNING = "moviegraph_"
RANDOM_BYTES = 32
FORM = "A line is NAME SHA256 SCOPES, as `moviegraph token NAME` prints it."


@dataclass(frozen=True, slots=True)
class TokenLine:
    """Who holds a token, its SHA-256 digest in hexadecimal digits, and its scopes."""

    name: str
    digest: str
    scopes: tuple[str, ...]

    def written(self) -> str:
        """Return it as it stands in the file."""
        return f"{self.name} {self.digest} {','.join(self.scopes)}"


def fresh_token() -> str:
    """Return a token of 256 random bits; its beginning lets scanners for secrets find it."""
    return BEGINNING + secrets.token_urlsafe(RANDOM_BYTES)


def digest_of(token: str) -> str:
    """Return the digest under which a token is known."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def read_lines(text: str, source: str) -> tuple[TokenLine, ...]:
    """Return the lines of a file; blank ones and comments after # are left out.

    Raises:
        SettingsError: A line is wrong; the message names it by number and shows nothing of it.
    """
    found: dict[str, TokenLine] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].replace(",", " ").split()
        if not words:
            continue
        read = _line(words, f"{source}, line {number}")
        if read.digest in found:
            raise SettingsError(f"{source}, line {number}: duplicate digest.")
        found[read.digest] = read
    return tuple(found.values())


def scopes_of(words: list[str], where: str) -> tuple[str, ...]:
    """Return scopes in their usual order.

    Raises:
        SettingsError: There is none, an unknown one, or SQL without READ, which everything needs.
    """
    unknown = next((word for word in words if word not in ALL), None)
    if unknown is not None or not words:
        wrong = f"{unknown!r} is not a scope" if unknown else "the scope is missing"
        raise SettingsError(f"{where}: {wrong}.", hint=f"Use the scopes {' and '.join(ALL)}.")
    if READ not in words:
        hint = f"Use both: {','.join(ALL)}."
        raise SettingsError(f"{where}: {SQL} also requires {READ}.", hint=hint)
    return tuple(scope for scope in ALL if scope in words)


def name_of(text: str, where: str) -> str:
    """Return a name that may stand in a line. Raises SettingsError."""
    if not NAME.fullmatch(text):
        raise SettingsError(
            f"{where}: a name must have 1 to 64 letters, digits and . _ @ + -, and start "
            "with a letter or digit.",
            hint=FORM,
        )
    return text


def _line(words: list[str], where: str) -> TokenLine:
    name = name_of(words[0], where)
    digest = words[1].lower() if len(words) > 1 else ""
    if not DIGEST.fullmatch(digest):
        raise SettingsError(f"{where}: the second field is not a SHA-256 digest.", hint=FORM)
    return TokenLine(name, digest, scopes_of(words[2:], where))
