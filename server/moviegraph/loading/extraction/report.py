"""The report of what was extracted from what: JSON Lines, one for each name, failure and drop."""

import json
from collections.abc import Iterator, Mapping
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
    place = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with place.open("w", encoding="utf-8", newline="\n") as lines:
            for row in _rows(found, became):
                head = {"kind": kind, "id": row["id"], "title": names[row["id"]]}
                lines.write(json.dumps(head | row) + "\n")
        place.replace(path)
    except OSError as error:
        raise SourceError(
            f"{path} cannot be written: {error.strerror}.",
            hint="Name another file with --extracted.",
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
