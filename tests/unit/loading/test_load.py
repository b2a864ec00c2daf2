"""Loading into a folder: whole or not at all, resumed, one at a time."""

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.sessions import query_graph
from fakes.sources import FILMS, edge, film, node, source
from fakes.toy_graph import TOY, toy_contract

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Progress, Vectors
from moviegraph.errors import GraphError, SourceError
from moviegraph.loading.folder_loader import folder_lock, load
from moviegraph.loading.preparation import Preparation
from moviegraph.loading.row_validation import Reason

NAMES = "SELECT Name FROM Movie ORDER BY Id"


class Killed(BaseException):
    """An exception that the loader does not catch, as if the process were killed."""


class Dying(HashedEmbedder):
    """Dies after some batches."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        if len(self.calls) == self.after:
            raise Killed
        return super().embed(texts, progress)


@pytest.fixture(scope="module")
def contract() -> Contract:
    return load_contract()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "graphs" / "graph"


def folder_entries(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir())


def many(count: int) -> list[dict[str, Any]]:
    return [film(100 + at, f"Film {at}", f"Text number {at}") for at in range(count)]


def embedded(embedder: HashedEmbedder) -> int:
    return sum(map(len, embedder.calls))


def test_a_source_becomes_a_graph(contract: Contract, target: Path, tmp_path: Path) -> None:
    report = load(source(tmp_path / "in"), target, contract, HashedEmbedder())
    assert report.manifest.counts["Movie"] == 2
    assert report.manifest.counts["INCLUDES_THEME"] == 3
    assert report.manifest.vectors["Theme"] == 2
    assert (report.rejects.counts, report.rejects.first) == ({}, ())
    hop = "SELECT t.Name FROM Movie m, IN_GENRE i, Genre t WHERE MATCH(m-(i)->t)"
    assert query_graph(target, hop, contract) == [("Horror",)]
    assert query_graph(
        target, "SELECT Name FROM Movie WHERE CONTAINS(Content, 'solitude')", contract
    )
    assert folder_entries(target) == ["graph"]
    manifest = json.loads((target / "manifest.json").read_text())
    assert manifest["source"] == "in"
    assert manifest["recipe"]["enriched"]["edges"] == ["INCLUDES_THEME", "SET_IN", "IN_GENRE"]


def test_texts_stay_as_they_are_when_that_is_asked_for(
    contract: Contract, target: Path, tmp_path: Path
) -> None:
    load(source(tmp_path / "in"), target, contract, None, how=Preparation(enrich=False))
    assert not query_graph(
        target, "SELECT Name FROM Movie WHERE CONTAINS(Content, 'solitude')", contract
    )
    assert "enriched" not in json.loads((target / "manifest.json").read_text())["recipe"]


def test_another_domain_loads_with_no_change_of_code(target: Path) -> None:
    contract = toy_contract()
    report = load(TOY / "data", target, contract, HashedEmbedder())
    assert report.manifest.counts["Recipe"] == 8
    assert not report.rejects.counts
    sql = "SELECT Title FROM Recipe WHERE Vegan = 1 AND CONTAINS(Method, 'Levantine')"
    assert ("Hummus",) in query_graph(target, sql, contract)


def test_bad_rows_are_reported_and_set_aside_and_the_rest_is_loaded(
    contract: Contract, target: Path, tmp_path: Path
) -> None:
    source_path = source(tmp_path / "in", [*FILMS, "{", edge("IN_GENRE", 9, 9)])
    aside = tmp_path / "bad.jsonl"
    report = load(source_path, target, contract, None, rejects=aside)
    assert report.rejects.counts == {Reason.NOT_JSON: 1, Reason.NO_SUCH_NODE: 1}
    assert [(reject.file, reject.line) for reject in report.rejects.first] == [
        ("all.jsonl", 10),
        ("all.jsonl", 11),
    ]
    assert len(aside.read_text().splitlines()) == 2
    assert query_graph(target, NAMES, contract) == [("Alien",), ("Moon",)]
    load(source(tmp_path / "in"), target, contract, None, rejects=aside)
    assert aside.read_text() == "", "the file holds the rejects of the last load"


def test_a_killed_load_resumes_and_the_old_graph_serves_until_then(
    contract: Contract, target: Path, tmp_path: Path
) -> None:
    load(source(tmp_path / "in"), target, contract, HashedEmbedder())
    bigger = source(tmp_path / "in", [*FILMS, *many(300)])
    with pytest.raises(Killed):
        load(bigger, target, contract, Dying(after=3))
    assert query_graph(target, NAMES, contract) == [("Alien",), ("Moon",)]
    again = HashedEmbedder()
    load(bigger, target, contract, again)
    assert embedded(again) == 300 - 3 * 64
    assert len(query_graph(target, "SELECT COUNT(*) AS n FROM Movie", contract)) == 1
    assert folder_entries(target) == ["graph"]


def test_only_changed_texts_are_embedded_again(
    contract: Contract, target: Path, tmp_path: Path
) -> None:
    load(source(tmp_path / "in", many(100)), target, contract, HashedEmbedder())
    again = HashedEmbedder()
    changed = [*many(99), film(199, "Film 99", "Another text")]
    load(source(tmp_path / "in", changed), target, contract, again)
    assert again.calls == [["Film 99. Another text"]]


def test_a_renamed_neighbour_changes_the_text_that_names_it(
    contract: Contract, target: Path, tmp_path: Path
) -> None:
    load(source(tmp_path / "in"), target, contract, HashedEmbedder())
    again = HashedEmbedder()
    renamed = [node("Genre", 1, "Terror") if row["kind"] == "Genre" else row for row in FILMS]
    load(source(tmp_path / "in", renamed), target, contract, again)
    assert sorted(text[:5] for texts in again.calls for text in texts) == ["Alien", "What "]


@pytest.mark.parametrize(
    ("node_records", "says"),
    [
        pytest.param([], "contains no node", id="empty"),
        pytest.param(["{", "[]"], "1 not JSON, 1 not an object", id="nothing fits"),
        pytest.param([{"kind": "Robot", "id": 1}], "all.jsonl:1", id="another domain"),
    ],
)
def test_a_source_without_a_usable_node_changes_nothing(
    contract: Contract, target: Path, tmp_path: Path, node_records: list[Any], says: str
) -> None:
    load(source(tmp_path / "good"), target, contract, None)
    with pytest.raises(SourceError, match=says):
        load(source(tmp_path / "bad", node_records), target, contract, None)
    assert query_graph(target, NAMES, contract) == [("Alien",), ("Moon",)]
    assert folder_entries(target) == ["graph"]


def test_two_loads_into_one_folder_at_once_are_refused(
    contract: Contract, target: Path, tmp_path: Path
) -> None:
    with folder_lock(target), pytest.raises(GraphError, match="built by another process"):
        load(source(tmp_path / "in"), target, contract, None)
    assert folder_entries(target) == []
    load(source(tmp_path / "in"), target, contract, None)


def test_a_lock_that_a_killed_process_left_is_no_hindrance(
    contract: Contract, target: Path, tmp_path: Path
) -> None:
    target.parent.mkdir(parents=True)
    (target.parent / ".graph.lock").touch()
    load(source(tmp_path / "in"), target, contract, None)
    assert folder_entries(target) == ["graph"]


def test_a_swap_that_was_killed_half_way_is_undone(
    contract: Contract, target: Path, tmp_path: Path
) -> None:
    load(source(tmp_path / "in", many(3)), target, contract, HashedEmbedder())
    leftover_folder = target.parent / ".graph.building-x"
    leftover_folder.mkdir()
    target.rename(leftover_folder / "old")
    again = HashedEmbedder()
    load(source(tmp_path / "in", many(4)), target, contract, again)
    assert embedded(again) == 1, "the vectors of the older graph were there"
    assert folder_entries(target) == ["graph"]


def test_a_damaged_store_of_an_unfinished_load_is_begun_again(
    contract: Contract, target: Path, tmp_path: Path
) -> None:
    source_path = source(tmp_path / "in", many(100))
    with pytest.raises(Killed):
        load(source_path, target, contract, Dying(after=1))
    (remaining_path,) = target.parent.iterdir()
    remaining_path.write_bytes(b"no database" * 1000)
    load(source_path, target, contract, HashedEmbedder())
    assert folder_entries(target) == ["graph"]


def test_a_folder_that_is_no_graph_is_left_alone(
    contract: Contract, target: Path, tmp_path: Path
) -> None:
    target.mkdir(parents=True)
    (target / "letter.txt").write_text("dear")
    with pytest.raises(GraphError, match="not a graph folder"):
        load(source(tmp_path / "in"), target, contract, HashedEmbedder())
    assert folder_entries(target) == ["graph"]
    assert (target / "letter.txt").read_text() == "dear"


def test_a_graph_of_another_contract_is_not_replaced(
    contract: Contract, target: Path, tmp_path: Path
) -> None:
    load(source(tmp_path / "in"), target, contract, None)
    embedder = HashedEmbedder()
    with pytest.raises(GraphError, match=f"contract {contract.name}, and") as caught:
        load(TOY / "data", target, toy_contract(), embedder)
    assert caught.value.hint == "Load into another folder, or remove that one first."
    assert not embedder.calls
    assert query_graph(target, NAMES, contract) == [("Alien",), ("Moon",)]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"contract_hash": "older"}, id="an older version"),
        pytest.param({"contract_hash": "older", "contract": None}, id="a graph that names none"),
        pytest.param({"contract_hash": None, "counts": None}, id="a damaged manifest"),
    ],
)
def test_a_graph_of_the_same_contract_is_replaced(
    contract: Contract, target: Path, tmp_path: Path, changes: dict[str, Any]
) -> None:
    load(source(tmp_path / "in"), target, contract, None)
    changed_manifest(target, **changes)
    load(source(tmp_path / "more", [film(1, "Solaris")]), target, contract, None)
    assert query_graph(target, NAMES, contract) == [("Solaris",)]


def changed_manifest(target: Path, **changes: Any) -> None:
    """Change values of the manifest, and remove those that are changed to None."""
    path = target / "manifest.json"
    record = {**json.loads(path.read_text()), **changes}
    remaining_members = {
        name: value for name, value in record.items() if changes.get(name, "") is not None
    }
    path.write_text(json.dumps(remaining_members))


def test_the_source_itself_is_no_target(contract: Contract, tmp_path: Path) -> None:
    source_path = source(tmp_path / "in")
    with pytest.raises(GraphError, match="not a graph folder"):
        load(source_path, source_path, contract, None)
    assert [path.name for path in source_path.iterdir()] == ["all.jsonl"]


def test_a_place_that_cannot_be_written_is_reported(contract: Contract, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(GraphError, match="cannot be built"):
        load(source(tmp_path / "in"), tmp_path / "file" / "graph", contract, None)


@contextmanager
def largest_file(size: int) -> Generator[None]:
    """Let the system refuse longer files, much as it does on a full disk."""
    resource = pytest.importorskip("resource", reason="of POSIX systems")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(
    ("size", "embedded_again"),
    [pytest.param(1, 200, id="at once"), pytest.param(60_000, 0, id="while tables are written")],
)
def test_a_full_disk_is_reported_and_what_was_there_stays(
    contract: Contract, target: Path, tmp_path: Path, size: int, embedded_again: int
) -> None:
    load(source(tmp_path / "in"), target, contract, HashedEmbedder())
    bigger = source(tmp_path / "in", many(200))
    with largest_file(size), pytest.raises(GraphError, match="cannot be") as caught:
        load(bigger, target, contract, HashedEmbedder())
    assert "the old graph is unchanged" in (caught.value.hint or "")
    assert query_graph(target, NAMES, contract) == [("Alien",), ("Moon",)]
    again = HashedEmbedder()
    load(bigger, target, contract, again)
    assert embedded(again) == embedded_again
    assert folder_entries(target) == ["graph"]


@pytest.mark.parametrize("name", ["all.jsonl", "rejects.jsonl", "rejects.jsonl.gz"])
def test_rejects_never_become_a_part_of_the_source(
    contract: Contract, target: Path, tmp_path: Path, name: str
) -> None:
    source_path = source(tmp_path / "in")
    before = (source_path / "all.jsonl").read_bytes()
    with pytest.raises(SourceError, match="part of the source"):
        load(source_path, target, contract, None, rejects=source_path / name)
    assert (source_path / "all.jsonl").read_bytes() == before


def test_rejects_that_cannot_be_written_are_reported_before_anything_is_done(
    contract: Contract, target: Path, tmp_path: Path
) -> None:
    with pytest.raises(SourceError, match="cannot be written"):
        load(source(tmp_path / "in"), target, contract, None, rejects=tmp_path / "no" / "bad")
    assert not target.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="of Linux")
@pytest.mark.parametrize("count", [1, 2000], ids=["at the end", "while reading"])
def test_rejects_that_find_no_room_are_reported_and_nothing_is_built(
    contract: Contract, target: Path, tmp_path: Path, count: int
) -> None:
    source_path = source(tmp_path / "in", [*FILMS, *["{"] * count])
    with pytest.raises(SourceError, match="/dev/full cannot be written"):
        load(source_path, target, contract, None, rejects=Path("/dev/full"))
    assert folder_entries(target) == []


def test_progress_goes_stage_by_stage_to_its_end(
    contract: Contract, target: Path, tmp_path: Path
) -> None:
    by_key: dict[str, list[tuple[int, int]]] = {}
    load(
        source(tmp_path / "in", [*FILMS, *many(100)]),
        target,
        contract,
        HashedEmbedder(),
        progress=lambda stage, done, total: by_key.setdefault(stage, []).append((done, total)),
    )
    assert list(by_key)[:4] == ["Reading nodes", "Reading edges", "Sorting", "Embedding"]
    for steps in by_key.values():
        assert steps == sorted(steps)
        done, total = steps[-1]
        assert done == total
