"""Who bears a name, and whose name holds a piece, is told from arrays as statements tell it."""

from collections.abc import Callable, Iterator
from random import Random

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.shuffled_graph import edges, nodes

from moviegraph.contract.model import Contract
from moviegraph.engines import known_names
from moviegraph.engines.base import Budget, Statement
from moviegraph.engines.build import build_graph
from moviegraph.engines.embedded import EmbeddedEngine, open_graph
from moviegraph.engines.records import NodeRecord
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import RowLimits, judge
from moviegraph.sql.statements import nodes_named, nodes_sharing_pieces

ODD = (
    "ΟΔΟΣ",
    "οδος",
    "οδοσ",
    "Οδός ΑΣ ΑΣΑ",
    "İstanbul",
    "istanbul",
    "ISTANBUL",
    "Straße",
    "STRASSE",
    "Amélie",
    "AMÉLIE ",
    "Ame\u0301lie",
    "Amelie",
    "two\nlines",
    "TWO\nLINES",
    "O'Hara",
    "a\\b",
    "100% [x]_",
    "Ǆ Ǉ ﬁ",
    "🎬 ab",
    "ab   ",
    " AB",
)


@pytest.fixture(scope="module")
def opened(
    contract: Contract, embedder: HashedEmbedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EmbeddedEngine]:
    folder = tmp_path_factory.mktemp("named") / "graph"
    odd = [NodeRecord("Setting", 100 + at, name, "A place.") for at, name in enumerate(ODD)]
    records = [*nodes(0), *odd]
    build_graph(records, edges(0), folder, contract, embedder, source="t")
    engine = open_graph(folder, contract)
    yield engine
    engine.close()


def rows(opened: EmbeddedEngine, contract: Contract, sql: str) -> list[tuple[int, str]]:
    allowed = judge(sql, contract, RowLimits(1000, 1000))
    assert isinstance(allowed, Allowed)
    return [(row[0], row[1]) for row in opened.execute(Statement(allowed), Budget(rows=1000)).rows]


def named(opened: EmbeddedEngine, contract: Contract, table: str, name: str) -> list[int]:
    node = contract.node(table)
    assert node is not None
    return [key for key, _ in rows(opened, contract, nodes_named(node, [name], 1000))]


@pytest.mark.parametrize("table", ["Movie", "Theme", "Setting"])
@pytest.mark.parametrize("case", [str, str.upper, str.lower, str.title, "{} and more".format])
def test_the_bearers_of_a_name_are_those_that_a_statement_finds(
    opened: EmbeddedEngine, contract: Contract, table: str, case: Callable[[str], str]
) -> None:
    names = [case(row.name) for row in nodes(0) if row.kind == table]
    names += [case(each) for each in ODD] if table == "Setting" else []
    known = opened.bearers(table, names)
    assert known is not None
    for name in names:
        assert sorted(known[name]) == named(opened, contract, table, name)


def test_of_a_large_table_statements_must_tell(
    opened: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_names, "MOST_NAMES", 1)
    assert opened.bearers("Movie", ["Dune"]) is None


@pytest.mark.parametrize("seed", range(30))
def test_the_names_that_hold_pieces_are_those_that_a_statement_finds(
    opened: EmbeddedEngine, contract: Contract, seed: int
) -> None:
    node, draw = contract.node("Setting"), Random(seed)
    assert node is not None
    pieces = list[str]()
    for name in draw.sample(ODD, 3):
        start = draw.randrange(len(name.strip()))
        piece = name.strip()[start : start + draw.randint(1, 4)]
        pieces.append(draw.choice([str, str.upper, str.lower])(piece))
    pieces = [each for each in pieces if each.strip() == each]
    found = opened.names_holding("Setting", pieces or ["ab"], 5, Budget())
    assert found == rows(opened, contract, nodes_sharing_pieces(node, pieces or ["ab"], 5))
