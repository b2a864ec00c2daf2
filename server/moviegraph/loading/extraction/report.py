"""The report of what was extracted from what: JSON Lines, one for each name, failure and drop."""

import errno
import json
import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from moviegraph.errors import SourceError
from moviegraph.loading.extraction.fold import FoldedName
from moviegraph.loading.extraction.mention import Mention
from moviegraph.loading.extraction.mentions import Extracted

Row = dict[str, Any]


def report_beside(target: Path) -> Path:
    """Return the file of the report on a graph folder: beside it."""
    target = target.absolute()
    return target.with_name(f"{target.name}.extracted.jsonl")


def require_writable(path: Path) -> None:
    """Raise SourceError unless the report can be written; an older one stays as it is."""
    place = _place(path)
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        place.open("w").close()
        place.unlink()


def write_report(
    path: Path,
    kind: str,
    found: Extracted,
    names: Mapping[int, str],
    became: Mapping[Mention, FoldedName],
) -> None:
    """Write the report, in the place of an older one.

    Args:
        path: The file.
        kind: The kind of nodes that were read.
        found: What they name.
        names: Names of these nodes, by id.
        became: The node of each mention that was taken over.

    Raises:
        SourceError: The file cannot be written.
    """
    place = _place(path)
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with place.open("w", encoding="utf-8", newline="\n") as lines:
            for row in _rows(found, became):
                head = {"kind": kind, "id": row["id"], "title": names[row["id"]]}
                lines.write(json.dumps(head | row) + "\n")
        place.replace(path)


def _place(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")


@contextmanager
def _told(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise SourceError(
            f"{path} cannot be written: {error.strerror}.",
            hint="Name a different file with --extracted.",
        ) from error


def _rows(found: Extracted, became: Mapping[Mention, FoldedName]) -> Iterator[Row]:
    for each in found.mentions:
        if node := became.get(each):
            row: Row = {"id": each.source, "edge": each.edge, "name": each.name}
            yield row | {"to": node.id, "folded": node.name, "evidence": each.evidence}
    for each in found.dropped:
        row = {"id": each.source, "edge": each.edge, "name": each.name}
        yield row | {"evidence": each.evidence, "dropped": each.why}
    yield from ({"id": each, "failed": why} for each, why in found.failed.items())
