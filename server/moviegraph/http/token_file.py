"""Bearer tokens stored as digests in a file, which is reloaded when it changes."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from moviegraph.errors import SettingsError
from moviegraph.http.refusals import invalid_token
from moviegraph.http.scopes import ALL, READ, SQL
from moviegraph.observability import operator_text
from moviegraph.text import plural

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

LOG = logging.getLogger("moviegraph")
SOURCE = "MOVIEGRAPH_HTTP_TOKENS"
MAX_FILE_BYTES = 1_000_000
OTHERS_READ = 0o004
OTHERS_WRITE = 0o022
FileState = tuple[int, int, int]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
DIGEST = re.compile(r"[0-9a-f]{64}")
PREFIX = "moviegraph_"
RANDOM_BYTES = 32
FORM = "A line is NAME SHA256 SCOPES, as `moviegraph token NAME` prints it."


@dataclass(frozen=True, slots=True)
class ConfigWarning:
    """A setting that works, and admits more than the operator may want, with the fix."""

    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.message} {self.hint}"


@dataclass(frozen=True, slots=True)
class TokenLine:
    """Owner, SHA-256 digest in hexadecimal digits, and scopes of a token."""

    name: str
    digest: str
    scopes: tuple[str, ...]

    def written(self) -> str:
        """Return the line of the file."""
        return f"{self.name} {self.digest} {','.join(self.scopes)}"


def fresh_token() -> str:
    """Return a token of 256 random bits; its prefix lets scanners for secrets find it."""
    return PREFIX + secrets.token_urlsafe(RANDOM_BYTES)


def digest_of(token: str) -> str:
    """Return the digest by which a token is recognized."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def read_token_lines(text: str, source: str) -> tuple[TokenLine, ...]:
    """Return the lines of a file; blank ones and comments after # are omitted.

    Raises:
        SettingsError: A line is wrong; the message names it by number and shows nothing of it.
    """
    lines: dict[str, TokenLine] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].replace(",", " ").split()
        if not words:
            continue
        read = _read_line(words, f"{source}, line {number}")
        if read.digest in lines:
            raise SettingsError(f"{source}, line {number}: duplicate digest.")
        lines[read.digest] = read
    return tuple(lines.values())


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
    """Return a name that a line may have. Raises SettingsError."""
    if not NAME.fullmatch(text):
        raise SettingsError(
            f"{where}: a name must have 1 to 64 letters, digits and . _ @ + -, and start "
            "with a letter or digit.",
            hint=FORM,
        )
    return text


def _read_line(words: list[str], where: str) -> TokenLine:
    name = name_of(words[0], where)
    digest = words[1].lower() if len(words) > 1 else ""
    if not DIGEST.fullmatch(digest):
        raise SettingsError(f"{where}: the second field is not a SHA-256 digest.", hint=FORM)
    return TokenLine(name, digest, scopes_of(words[2:], where))


class TokenFile:
    """The tokens of a file.

    If the file becomes invalid or is deleted, the tokens last read stay valid, with one log line
    for each change; an empty file leaves none.

    Raises:
        SettingsError: The file cannot be read, or a line is wrong, when the server starts.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._state = _file_state(path)
        self._lines = read_token_file(path)

    @property
    def lines(self) -> tuple[TokenLine, ...]:
        """The lines in force."""
        return self._lines

    async def verify(self, token: str) -> AccessToken:
        """Return the owner and the scopes of a token. Raises HttpError."""
        from mcp.server.auth.provider import AccessToken

        self._reload()
        digest = digest_of(token)
        match: TokenLine | None = None
        for line in self._lines:  # no early exit: the time shows nothing
            if hmac.compare_digest(digest, line.digest):
                match = line
        if match is None:
            raise invalid_token("unknown_token", "the token is not in the file")
        return AccessToken(token="", client_id=match.name, scopes=list(match.scopes))

    def _reload(self) -> None:
        state = _file_state(self._path)
        if state == self._state:
            return
        self._state = state
        try:
            self._lines = read_token_file(self._path)
        except SettingsError as error:
            LOG.error("%s The previous tokens remain valid.", operator_text(error))
            return
        LOG.warning("%s was reloaded: %s.", SOURCE, plural(len(self._lines), "token"))
        for warning in file_warnings(self._path):
            LOG.warning("%s", warning)


def read_token_file(path: Path) -> tuple[TokenLine, ...]:
    """Return the lines of a file. Raises SettingsError."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            raise SettingsError(f"{SOURCE}: {path} is larger than {MAX_FILE_BYTES:,} bytes.")
        return read_token_lines(content.decode("utf-8-sig"), f"{SOURCE}: {path.name}")
    except OSError as error:
        raise SettingsError(
            f"{SOURCE}: {path} cannot be read: {error.strerror}.",
            hint="Write the lines that `moviegraph token NAME` prints.",
        ) from None
    except UnicodeDecodeError:
        raise SettingsError(f"{SOURCE}: {path} is not UTF-8 text.") from None


def file_warnings(path: Path) -> list[ConfigWarning]:
    """Return a warning if other users may read or write the file."""
    if os.name != "posix":
        return []
    mode = path.stat().st_mode
    hint = f"Run chmod 600 {path}."
    if mode & OTHERS_WRITE:
        return [
            ConfigWarning(
                f"{SOURCE}: other users can write {path} and grant themselves access.", hint
            )
        ]
    if mode & OTHERS_READ:
        return [ConfigWarning(f"{SOURCE}: every user of this machine can read {path}.", hint)]
    return []


def _file_state(path: Path) -> FileState | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
