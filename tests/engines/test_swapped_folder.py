"""A graph folder that is replaced while it is being opened."""

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import budget
from fakes.records import build_graph
from fakes.small_graph import nodes

from moviegraph.contract.loader import load_contract
from moviegraph.engines.base import Statement
from moviegraph.engines.embedded import plan_runner
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.embedded.fulltext_index import FulltextIndex
from moviegraph.errors import GraphError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

COUNT = "SELECT COUNT(*) AS n FROM Movie"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A graph, and another of one film less."""
    films = [node for node in nodes() if node.kind == "Movie"]
    for name, node_records in (("graph", films), ("other", films[:-1])):
        source = "made by hand"
        contract, embedder = load_contract(), HashedEmbedder()
        build_graph(node_records, [], tmp_path / name, contract, embedder, source=source)
    return tmp_path / "graph", tmp_path / "other"


def swapping(folders: tuple[Path, Path], times: int) -> Callable[..., FulltextIndex]:
    """Open a full-text index, and before that put the other folder in the place."""
    graph, other = folders
    remaining_times = [times]

    def open_index(*arguments: Any) -> FulltextIndex:
        if remaining_times[0]:
            remaining_times[0] -= 1
            shutil.move(graph, graph.with_name("taken"))
            shutil.move(other, graph)
            shutil.move(graph.with_name("taken"), other)
        return FulltextIndex(*arguments)

    return open_index


def test_all_files_are_of_one_graph(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_graph(folders[0], load_contract())) as before:
        film_count = before.describe().counts["Movie"]
    monkeypatch.setattr(plan_runner, "FulltextIndex", swapping(folders, 1))
    decision = judge(COUNT, load_contract())
    assert isinstance(decision, Allowed)
    with closing(open_graph(folders[0], load_contract())) as engine:
        assert engine.execute(Statement(decision), budget()).rows == [(film_count - 1,)]
        assert engine.describe().counts["Movie"] == film_count - 1


def test_a_folder_that_never_rests_is_an_error(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_runner, "FulltextIndex", swapping(folders, 1000))
    with pytest.raises(GraphError, match="being replaced"):
        open_graph(folders[0], load_contract())
