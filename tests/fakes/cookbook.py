"""The worked example of another domain, as `load` reads it."""

from pathlib import Path

from fakes.hashed_embedder import HashedEmbedder
from fakes.journals import MemoryJournal
from fakes.limits import limits
from fakes.records import read_records

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.graph_records import EdgeRecord
from moviegraph.loading.folder_loader import load
from moviegraph.loading.row_validation import Rejects
from moviegraph.query.session import Session

COOKBOOK = Path(__file__).parents[2] / "examples" / "cookbook"
DATA = COOKBOOK / "data"


def cookbook_contract() -> Contract:
    return load_contract(COOKBOOK / "contract")


def cookbook_edges() -> list[EdgeRecord]:
    return read_records(DATA, cookbook_contract(), Rejects()).edges


def build_cookbook(folder: Path) -> Path:
    report = load(DATA, folder, cookbook_contract(), HashedEmbedder())
    assert not report.rejects.counts
    return folder


def cookbook_session(folder: Path) -> Session:
    contract = cookbook_contract()
    engine = open_graph(build_cookbook(folder), contract)
    return Session(contract, engine, HashedEmbedder(), MemoryJournal(), limits())
