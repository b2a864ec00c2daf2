"""The other names of nodes in a graph folder."""

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from moviegraph.engines.graph_folder import ALIASES, REBUILD
from moviegraph.engines.records import AliasRecord
from moviegraph.errors import GraphError

AliasRow = tuple[str, int, str]


def write_aliases(folder: Path, aliases: Sequence[AliasRecord]) -> None:
    """Write the aliases of a graph."""
    rows = [[each.kind, each.id, each.alias] for each in aliases]
    text = json.dumps(rows, ensure_ascii=False)
    (folder / ALIASES).write_text(text + "\n", encoding="utf-8")


class AliasFile:
    """The aliases of a graph that is open: read when first needed, and kept.

    The file is opened at once, so that a graph that is put in its place is not mixed in.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._rows: Sequence[AliasRow] | None = None
        self._lock = threading.Lock()
        if (folder / ALIASES).is_file():
            self._file = (folder / ALIASES).open("rb")

    def rows(self) -> Sequence[AliasRow]:
        """Return kind, id and alias of each; none where an older load wrote no file.

        Raises:
            GraphError: The file is damaged.
        """
        with self._lock:
            if self._rows is None:
                self._rows = tuple(self._read())
            return self._rows

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _read(self) -> list[AliasRow]:
        if self._file is None:
            return []
        try:
            self._file.seek(0)
            return [(str(kind), int(key), str(alias)) for kind, key, alias in json.load(self._file)]
        except (OSError, ValueError, TypeError) as error:
            raise GraphError(f"{self._folder / ALIASES} cannot be read.", hint=REBUILD) from error
