"""The graph in the box, read once for the checks of a module."""

from pathlib import Path

import pytest
from bundled_data.graph import Box, read_box

from moviegraph.content import content_folder


@pytest.fixture(scope="session")
def data() -> Path:
    return content_folder("data")


@pytest.fixture(scope="session")
def box(data: Path) -> Box:
    return read_box(data)
