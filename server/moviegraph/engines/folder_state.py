"""Tells whether the files of a graph folder are still those that were opened."""

import os
from pathlib import Path

from moviegraph.contract.model import Contract
from moviegraph.engines.graph_folder import DATABASE, FULLTEXT, MANIFEST, vector_files

State = tuple[tuple[int, int, int] | None, ...]


def folder_state(folder: Path, contract: Contract) -> State:
    """Return what tells the files of a graph from others in their place, None for a missing one."""
    matrices = (vector_files(folder, node.name)[0] for node in contract.nodes)
    return tuple(map(_told, (folder / MANIFEST, folder / DATABASE, folder / FULLTEXT, *matrices)))


def _told(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - a few microseconds sooner, before each call
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
