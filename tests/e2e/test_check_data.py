"""`moviegraph check` compares the contract with the data that it describes."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.records import build_graph

from moviegraph.cli.check_graph import check_data
from moviegraph.cli.check_results import Report
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract, Example, Glossary
from moviegraph.engines.embedded.embedded_engine import EmbeddedEngine, open_graph
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord

FILMS = 300


@pytest.fixture(scope="module")
def movies() -> Contract:
    """Return the movie contract without its examples."""
    return load_contract().model_copy(update={"examples": (), "glossary": Glossary()})


@pytest.fixture(scope="module")
def engine(movies: Contract, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedEngine]:
    """Return a graph in which each film has one theme."""
    films = [NodeRecord("Movie", key, f"Film {key}", "A film.") for key in range(1, FILMS + 1)]
    themes = [NodeRecord("Theme", key, f"Theme {key}", "A theme.") for key in range(1, 41)]
    edges = [EdgeRecord("INCLUDES_THEME", key, key % 40 + 1) for key in range(1, FILMS + 1)]
    folder = tmp_path_factory.mktemp("graph") / "graph"
    build_graph([*films, *themes], edges, folder, movies, HashedEmbedder(), source="made")
    with closing(open_graph(folder, movies)) as graph_engine:
        yield graph_engine


def warnings(engine: EmbeddedEngine, contract: Contract) -> list[str]:
    report = Report()
    check_data(report, engine, contract)
    return [line.text for line in report.results if line.status == "warning"]


def with_expected(contract: Contract, kind: str, expected: tuple[int, int]) -> Contract:
    nodes = [
        node.model_copy(update={"expected_nodes": expected}) if node.name == kind else node
        for node in contract.nodes
    ]
    return contract.model_copy(update={"nodes": tuple(nodes)})


@pytest.mark.parametrize(
    ("expected", "texts"),
    [
        ((1, 1_000), []),
        ((500, 1_000), ["Movie has 300 nodes, expected 500 to 1,000."]),
        ((1, 299), ["Movie has 300 nodes, expected 1 to 299."]),
    ],
)
def test_the_number_of_nodes_is_compared_with_what_the_contract_expects(
    engine: EmbeddedEngine, movies: Contract, expected: tuple[int, int], texts: Sequence[str]
) -> None:
    contract = with_expected(movies, "Movie", expected)
    assert [text for text in warnings(engine, contract) if "expected" in text] == texts


def test_names_in_examples_that_no_node_has_are_named(
    engine: EmbeddedEngine, movies: Contract
) -> None:
    def example(name: str) -> Example:
        sql = f"SELECT m.Id, m.Name FROM Movie AS m WHERE m.Name = '{name}'"
        return Example(id=name.replace(" ", "_"), question="Q?", shows=("aggregate",), sql=sql)

    examples = (example("Film 7"), example("Film 9999"))
    texts = warnings(engine, movies.model_copy(update={"examples": examples}))
    assert any(text.startswith("Example Film_9999: No Movie has the name") for text in texts)
    assert not any("Film 7'" in text for text in texts)


def test_a_range_that_is_none_is_refused(tmp_path: Path) -> None:
    from moviegraph.errors import ContractError

    text = (Path(__file__).parents[2] / "schema_docs" / "contract.toml").read_text("utf-8")
    contract_text = text.replace("[nodes.Movie]\n", "[nodes.Movie]\nexpected_nodes = [9, 1]\n", 1)
    (tmp_path / "contract.toml").write_text(contract_text, encoding="utf-8")
    with pytest.raises(ContractError, match="lowest and a highest"):
        load_contract(tmp_path)
