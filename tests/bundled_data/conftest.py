"""The bundled graph, read once per session."""

from pathlib import Path

import pytest
from bundled_data.graph import BundledGraph, read_bundled_graph

from moviegraph.settings import content_folder


@pytest.fixture(scope="session")
def data() -> Path:
    return content_folder("data")


@pytest.fixture(scope="session")
def bundled_graph(data: Path) -> BundledGraph:
    return read_bundled_graph(data)
