"""Tells whether the files of a graph folder are still those that were opened."""

import os
from collections.abc import Sequence
from pathlib import Path

from moviegraph.contract.model import Contract
from moviegraph.engines.graph_folder import DATABASE, FULLTEXT, MANIFEST, vector_files

State = tuple[tuple[int, int, int] | None, ...]


def state_files(folder: Path, contract: Contract) -> tuple[str, ...]:
    """Return the files of a graph by which it is told: paths as texts, made once for all looks."""
    matrices = (vector_files(folder, node.name)[0] for node in contract.nodes)
    return tuple(map(str, (folder / MANIFEST, folder / DATABASE, folder / FULLTEXT, *matrices)))


def folder_state(files: Sequence[str]) -> State:
    """Return what tells the files of a graph from others in their place, None for a missing one."""
    return tuple(map(_told, files))


def _told(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - a few microseconds sooner, before each call
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
