"""What a load lost is in the manifest, in `check`, and in the facts of the planning context."""

from pathlib import Path

from fakes.hashed_embedder import HashedEmbedder
from fakes.journals import MemoryJournal
from fakes.limits import limits
from fakes.parcels import parcel_contract
from fakes.records import build_graph
from fakes.sessions import call

from moviegraph.cli.check_graph import check_losses
from moviegraph.cli.check_results import Report
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.engines.load_facts import Losses
from moviegraph.query.session import Session
from moviegraph.search import planning

LOSSES = Losses(
    {"not JSON": 2, "duplicate id": 1},
    {"Parcel": {"Sent": 1_200}},
    {"parcels.csv": {"photo": "binary"}},
)
LINES = [
    "3 records rejected (2 not JSON, 1 duplicate id)",
    "unreadable cells, now NULL: Parcel.Sent 1,200",
    "columns left out: photo of parcels.csv (binary)",
]


def test_losses_are_told(tmp_path: Path) -> None:
    contract, folder = parcel_contract(), tmp_path / "graph"
    nodes = [
        NodeRecord("Parcel", key, f"Parcel {key}", "Goods.", {"Code": str(key), "Sent": sent})
        for key, sent in ((1, "2024-02-29"), (2, "1999-12-31"), (3, None))
    ]
    build_graph(nodes, [], folder, contract, HashedEmbedder(), source="test", losses=LOSSES)
    engine = open_graph(folder, contract)
    description = engine.describe()
    assert description.losses == LOSSES
    assert description.statistics.ranges == {"Parcel": {"Sent": ("1999-12-31", "2024-02-29")}}
    report = Report()
    check_losses(report, description.losses)
    assert [(result.status, result.text) for result in report.results] == [
        ("warning", line) for line in LINES
    ]
    session = Session(contract, engine, HashedEmbedder(), MemoryJournal(), limits())
    context = planning.context(session, call(), question="What was sent?")
    assert context["facts"]["lost"] == LINES
    assert f"not in the graph: {LINES[0]}" in planning.context_text(context)
    engine.close()
