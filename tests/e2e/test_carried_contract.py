"""A graph carries its contract, so that it is served, checked and loaded again without one."""

import json
import shutil
from pathlib import Path

import pytest
from fakes.toy_graph import TOY

from moviegraph.cli import main
from moviegraph.contract.loader import load_contract, read_contract
from moviegraph.errors import ContractError
from moviegraph.settings import Settings

CONTRACT = str(TOY / "contract")


@pytest.fixture(scope="module")
def loaded_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("carried") / "graph"
    assert main(["load", str(TOY / "data"), "--into", str(folder), "--contract", CONTRACT]) == 0
    return folder


def checked(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, dict[str, str]]:
    capsys.readouterr()
    main(["check", "--json", *options])
    report = json.loads(capsys.readouterr().out)
    return {line["name"]: line for line in report["checks"]}


def test_a_graph_carries_the_whole_contract_with_its_pages_and_examples(
    loaded_folder: Path,
) -> None:
    carried, arguments = (
        read_contract(Settings(graph=loaded_folder)),
        load_contract(TOY / "contract"),
    )
    assert carried == arguments.with_samples(carried.samples)
    assert carried.samples.records["Recipe"]
    assert carried.examples
    assert carried.nodes[0].page


def test_a_graph_is_checked_without_its_contract(
    loaded_folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = checked(capsys, "--graph", str(loaded_folder), "--journal", str(tmp_path / "j.sqlite"))
    assert lines["contract"]["message"].startswith("kitchen")
    assert lines["graph"]["status"] == "ok"


def test_a_graph_is_loaded_again_without_its_contract(
    loaded_folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = shutil.copytree(loaded_folder, tmp_path / "graph")
    assert main(["load", str(TOY / "data"), "--into", str(folder), "--no-embeddings"]) == 0
    assert "8 Recipe" in capsys.readouterr().out
    assert read_contract(Settings(graph=folder)).name == "kitchen"


def test_a_contract_that_is_given_wins_and_is_refused_where_it_is_of_another_graph(
    loaded_folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    other = shutil.copytree(TOY / "contract", tmp_path / "other")
    text = (other / "contract.toml").read_text(encoding="utf-8")
    (other / "contract.toml").write_text(text.replace("NVARCHAR(120)", "NVARCHAR(99)"))
    assert load_contract(other).hash != load_contract(TOY / "contract").hash
    lines = checked(capsys, "--graph", str(loaded_folder), "--contract", str(other))
    assert lines["graph"]["status"] == "failed"
    assert "another contract" in lines["graph"]["message"]


def test_a_carried_contract_that_is_damaged_is_named(loaded_folder: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(loaded_folder, tmp_path / "graph")
    (folder / "contract" / "contract.toml").write_text("[", encoding="utf-8")
    with pytest.raises(ContractError, match="is not valid"):
        read_contract(Settings(graph=folder))


def test_a_folder_of_sources_is_never_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = shutil.copytree(TOY / "data", tmp_path / "sources")
    before = sorted(path.name for path in sources.iterdir())
    assert main(["load", str(TOY / "data"), "--into", str(sources), "--contract", CONTRACT]) == 1
    assert "exists and is not a graph" in capsys.readouterr().err
    assert sorted(path.name for path in sources.iterdir()) == before
