"""Who bears a name is told from arrays as statements tell it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.shuffled_graph import edges, nodes

from moviegraph.contract.model import Contract
from moviegraph.engines import embedded
from moviegraph.engines.base import Budget, Statement
from moviegraph.engines.build import build_graph
from moviegraph.engines.embedded import EmbeddedEngine, open_graph
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, judge
from moviegraph.sql.statements import nodes_named


@pytest.fixture
def opened(
    contract: Contract, embedder: HashedEmbedder, tmp_path: Path
) -> Iterator[EmbeddedEngine]:
    build_graph(nodes(0), edges(0), tmp_path / "graph", contract, embedder, source="t")
    engine = open_graph(tmp_path / "graph", contract)
    yield engine
    engine.close()


def named(opened: EmbeddedEngine, contract: Contract, table: str, name: str) -> list[int]:
    node = contract.node(table)
    assert node is not None
    allowed = judge(nodes_named(node, [name], 1000), contract, RowLimits(1000, 1000))
    assert isinstance(allowed, Allowed)
    return [row[0] for row in opened.execute(Statement(allowed), Budget(rows=1000)).rows]


@pytest.mark.parametrize("table", ["Movie", "Theme", "Setting"])
@pytest.mark.parametrize("case", [str, str.upper, str.lower, str.title, "{} and more".format])
def test_the_bearers_of_a_name_are_those_that_a_statement_finds(
    opened: EmbeddedEngine, contract: Contract, table: str, case: Callable[[str], str]
) -> None:
    names = [case(row.name) for row in nodes(0) if row.kind == table]
    known = opened.bearers(table, names)
    assert known is not None
    for name in names:
        assert sorted(known[name]) == named(opened, contract, table, name)


def test_of_a_large_table_statements_must_tell(
    opened: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "MOST_NAMES", 1)
    assert opened.bearers("Movie", ["Dune"]) is None
