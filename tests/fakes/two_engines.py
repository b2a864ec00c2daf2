"""Two engines over one shuffled graph: one that joins tables, and one that reads arrays."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.shuffled_graph import edges, nodes
from fakes.small_graph import MOVIES

from moviegraph.contract.model import Contract
from moviegraph.engines.embedded import engine as embedded
from moviegraph.engines.embedded.engine import EmbeddedEngine, open_graph
from moviegraph.engines.embedded.graph_builder import build_graph
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

Pair = tuple[EmbeddedEngine, EmbeddedEngine]


@contextmanager
def two_engines(folder: Path, seed: int, contract: Contract, bound: str) -> Generator[Pair]:
    """Yield them over a graph; the second takes the arrays from no edge on, by a bound's name."""
    build_graph(nodes(seed), edges(seed), folder, contract, HashedEmbedder(), source="t")
    with pytest.MonkeyPatch.context() as patch, closing(open_graph(folder, contract)) as tables:
        patch.setattr(embedded, bound, 0)
        with closing(open_graph(folder, contract)) as arrays:
            patch.undo()
            yield tables, arrays


def judged(sql: str, contract: Contract) -> Allowed:
    decision = judge(sql, contract)
    assert isinstance(decision, Allowed), decision
    return decision


def sql_of(template: str, draw: Random) -> str:
    """Return a statement with keys of films in its places."""
    keys = [str(key) for key, _, _ in MOVIES]
    some = ", ".join(draw.sample(keys, 3))
    return template.format(one=draw.choice(keys), other=draw.choice(keys), some=some)
