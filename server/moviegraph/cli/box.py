"""Makes sure that there is a graph before a server is started for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from moviegraph.cli.progress import shown_progress

if TYPE_CHECKING:
    from moviegraph.settings import Settings


def ready_graph(settings: Settings) -> Path:
    """Return the graph folder that is set, or the one in the box, built when it is missing."""
    if settings.graph is not None:
        return settings.graph
    from moviegraph.app import open_embedder
    from moviegraph.contract.loader import read_contract
    from moviegraph.loading.box import ensure_box

    embedder = open_embedder(settings)
    with shown_progress() as progress:
        return ensure_box(settings.graph_folder, read_contract(settings), embedder, progress)
