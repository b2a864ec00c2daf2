"""A generated graph can be opened as any other."""

from contextlib import closing
from pathlib import Path

from benchmarks.scale.generated_graph import build

from moviegraph.contract.loader import load_contract
from moviegraph.engines.embedded.embedded_engine import open_graph


def test_a_generated_graph_is_whole(tmp_path: Path) -> None:
    contract = load_contract()
    build(tmp_path / "graph", 30, contract)
    with closing(open_graph(tmp_path / "graph", contract)) as engine:
        assert engine.describe().counts["Movie"] == 30
