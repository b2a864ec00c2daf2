"""Other names of nodes: read beside the nodes, checked, and found in the graph."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fakes.limits import budget
from fakes.sources import FILMS, film, node, source
from fakes.toy_graph import toy_contract

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Engine
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.embedded.graph_folder import read_aliases
from moviegraph.loading.folder_loader import LoadReport, load
from moviegraph.loading.row_validation import Reason

NameMatches = list[tuple[str, int, str]]


def matching_nodes(engine: Engine, name: str, kind: str = "Theme") -> list[tuple[str, int, str]]:
    """Return (name, id, step) of the nodes that an engine finds by a name."""
    with engine.reader(budget()) as reader:
        return list(reader.named(kind, [name]))


@pytest.fixture
def contract() -> Contract:
    return load_contract()


def line(kind: Any = "Theme", *aliases: Any, **node: Any) -> str:
    return json.dumps({"kind": kind, **node, "aliases": list(aliases)})


def load_aliases(
    tmp_path: Path, contract: Contract, lines: list[str], rows: list[Any] | None = None
) -> tuple[NameMatches, LoadReport]:
    source_path = source(tmp_path / "in", rows or FILMS)
    (source_path / "aliases.jsonl").write_text("\n".join(lines), encoding="utf-8")
    report = load(source_path, tmp_path / "graph", contract, None)
    return read_aliases(tmp_path / "graph"), report


def test_aliases_name_a_node_by_its_name_or_its_id(tmp_path: Path, contract: Contract) -> None:
    lines = [
        "# a comment",
        "",
        line("Theme", "staying alive", "not dying", name="survival"),
        line("genre", "scary", id=1),
        line("Movie", "Alien 1", id="1"),
    ]
    graph_data, report = load_aliases(tmp_path, contract, lines)
    assert graph_data == [
        ("Genre", 1, "scary"),
        ("Movie", 1, "Alien 1"),
        ("Theme", 1, "not dying"),
        ("Theme", 1, "staying alive"),
    ]
    assert not report.rejects.counts


def test_a_node_whose_id_is_a_text_is_found_by_it(tmp_path: Path, contract: Contract) -> None:
    graph_data, _ = load_aliases(
        tmp_path, contract, [line("Movie", "Other", id="tt7")], [film("tt7", "Up")]
    )
    assert [(kind, alias) for kind, _, alias in graph_data] == [("Movie", "Other")]


def test_an_alias_counts_once_and_the_name_itself_is_none(
    tmp_path: Path, contract: Contract
) -> None:
    lines = [line("Theme", "Staying", "staying", "SURVIVAL", name="Survival")] * 2
    assert load_aliases(tmp_path, contract, lines)[0] == [("Theme", 1, "staying")]


def test_every_node_of_a_name_gets_its_alias(tmp_path: Path, contract: Contract) -> None:
    rows = [film(1, "Dune"), film(2, "Dune"), node("Theme", 1, "Dune")]
    graph_data, _ = load_aliases(tmp_path, contract, [line("Movie", "Arrakis", name="Dune")], rows)
    assert graph_data == [("Movie", 1, "Arrakis"), ("Movie", 2, "Arrakis")]


@pytest.mark.parametrize(
    ("text", "reason", "says"),
    [
        pytest.param(line("Thema", "x", name="a"), Reason.UNKNOWN_KIND, "Theme", id="kind"),
        pytest.param(line("IN_GENRE", "x", name="a"), Reason.UNKNOWN_KIND, "edge", id="edge kind"),
        pytest.param(line("Theme", "x", name="No"), Reason.NO_SUCH_NODE, "'No'", id="name"),
        pytest.param(line("Theme", "x", id=99), Reason.NO_SUCH_NODE, "99", id="id"),
        pytest.param(line("Theme", "x"), Reason.MISSING, "id and name", id="no node"),
        pytest.param(line("Theme", name="Survival"), Reason.WRONG_TYPE, "list", id="no alias"),
        pytest.param(line("Theme", 3, name="Survival"), Reason.WRONG_TYPE, "text", id="number"),
        pytest.param(line("Theme", " ", name="Survival"), Reason.EMPTY, "empty", id="blank"),
        pytest.param(
            line("Theme", "x" * 201, name="Survival"), Reason.TEXT_TOO_LONG, "", id="long"
        ),
        pytest.param("{", Reason.NOT_JSON, "", id="not JSON"),
    ],
)
def test_a_wrong_line_is_set_aside_with_its_number(
    tmp_path: Path, contract: Contract, text: str, reason: Reason, says: str
) -> None:
    graph_data, report = load_aliases(
        tmp_path, contract, [line("Theme", "alone", name="Solitude"), text]
    )
    (reject,) = report.rejects.first
    assert (reject.file, reject.line, reject.reason) == ("aliases.jsonl", 2, reason)
    assert says in reject.message
    assert graph_data == [("Theme", 2, "alone")]


def test_aliases_change_what_the_content_is_known_by(tmp_path: Path, contract: Contract) -> None:
    hashes = set[str]()
    for name, lines in (("a", []), ("b", [line("Theme", "x", name="Survival")])):
        load_aliases(tmp_path / name, contract, lines)
        with closing(open_graph(tmp_path / name / "graph", contract)) as engine:
            hashes.add(engine.describe().content_hash)
    assert len(hashes) == 2


def test_an_engine_reads_the_aliases_that_were_there_when_it_was_opened(
    tmp_path: Path, contract: Contract
) -> None:
    load_aliases(tmp_path, contract, [line("Theme", "before", name="Survival")])
    with closing(open_graph(tmp_path / "graph", contract)) as engine:
        load_aliases(tmp_path, contract, [line("Theme", "after", name="Survival")])
        assert matching_nodes(engine, "before") == [("before", 1, "alias")]
        assert matching_nodes(engine, "after") == []


def test_the_toy_graph_has_its_aliases(graph_folder: Path) -> None:
    with closing(open_graph(graph_folder, toy_contract())) as engine:
        assert [step for _, _, step in matching_nodes(engine, "eggplant", "Ingredient")] == [
            "alias"
        ]
