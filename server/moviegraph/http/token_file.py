"""Bearer tokens kept as digests in a file, which is read again when it changes."""

from __future__ import annotations

import hmac
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from moviegraph.errors import SettingsError
from moviegraph.http.caution import Caution
from moviegraph.http.refusal import invalid_token
from moviegraph.http.token_line import TokenLine, digest_of, read_lines
from moviegraph.observability import operator_text
from moviegraph.text import plural

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

LOG = logging.getLogger("moviegraph")
SOURCE = "MOVIEGRAPH_HTTP_TOKENS"
LARGEST = 1_000_000
OTHERS_READ = 0o004
OTHERS_WRITE = 0o022
Seen = tuple[int, int, int]


class TokenFile:
    """The tokens of a file.

    A file that has become wrong or is gone leaves the tokens last read in force, and the log says
    so once for each change; an empty file leaves none.

    Raises:
        SettingsError: The file cannot be read, or a line is wrong, when the server starts.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = _seen(path)
        self._lines = read_token_file(path)

    @property
    def lines(self) -> tuple[TokenLine, ...]:
        """The lines in force."""
        return self._lines

    async def verify(self, token: str) -> AccessToken:
        """Return whose token this is. Raises Refusal."""
        from mcp.server.auth.provider import AccessToken

        self._read_again()
        digest = digest_of(token)
        found: TokenLine | None = None
        for line in self._lines:  # no early end: how long it takes tells nothing
            if hmac.compare_digest(digest, line.digest):
                found = line
        if found is None:
            raise invalid_token("unknown token")
        return AccessToken(token="", client_id=found.name, scopes=list(found.scopes))

    def _read_again(self) -> None:
        seen = _seen(self._path)
        if seen == self._seen:
            return
        self._seen = seen
        try:
            self._lines = read_token_file(self._path)
        except SettingsError as error:
            LOG.error("%s The previous tokens remain valid.", operator_text(error))
            return
        LOG.warning("%s was reloaded: %s.", SOURCE, plural(len(self._lines), "token"))
        for caution in cautions_of(self._path):
            LOG.warning("%s", caution)


def read_token_file(path: Path) -> tuple[TokenLine, ...]:
    """Return the lines of a file. Raises SettingsError."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise SettingsError(f"{SOURCE}: {path} is larger than {LARGEST:,} bytes.")
        return read_lines(content.decode("utf-8-sig"), f"{SOURCE}: {path.name}")
    except OSError as error:
        raise SettingsError(
            f"{SOURCE}: {path} cannot be read: {error.strerror}.",
            hint="Write the lines that `moviegraph token NAME` prints.",
        ) from None
    except UnicodeDecodeError:
        raise SettingsError(f"{SOURCE}: {path} is not UTF-8 text.") from None


def cautions_of(path: Path) -> list[Caution]:
    """Return what is unwise about who may read or write the file, as far as the system tells."""
    if os.name != "posix":
        return []
    mode = path.stat().st_mode
    hint = f"Run chmod 600 {path}."
    if mode & OTHERS_WRITE:
        return [
            Caution(f"{SOURCE}: other users can write {path} and grant themselves access.", hint)
        ]
    if mode & OTHERS_READ:
        return [Caution(f"{SOURCE}: every user of this machine can read {path}.", hint)]
    return []


def _seen(path: Path) -> Seen | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
