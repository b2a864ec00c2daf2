"""Building graph folders, replacing them, and opening existing ones."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import budget
from fakes.records import build_graph
from fakes.sessions import query_graph
from fakes.small_graph import edges, nodes

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Progress, Vectors
from moviegraph.engines.base import Statement
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.embedded.embedding_store import (
    read_vectors,
    vectors_of_graph,
    write_vectors,
)
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord, embedded_text, text_digest
from moviegraph.errors import EmbeddingError, ExecutionError, GraphError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

Build = Callable[..., Path]
TOY = Path(__file__).parents[1] / "toy"
COUNT = "SELECT COUNT(*) AS n FROM Movie m"


class Failing(HashedEmbedder):
    """Fails after some calls."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        if len(self.calls) == self.after:
            raise EmbeddingError("the model went away")
        return super().embed(texts, progress)


class Disturbed(HashedEmbedder):
    """Puts a letter into a folder while a build waits for its vectors."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.letter = folder / "letter.txt"

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        self.letter.parent.mkdir(parents=True, exist_ok=True)
        self.letter.write_text("dear")
        return super().embed(texts, progress)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "place" / "graph"


@pytest.fixture
def build(contract: Contract, target: Path) -> Build:
    def make(embedder: HashedEmbedder | None = None, more: Sequence[NodeRecord] = ()) -> Path:
        build_graph([*nodes(), *more], edges(), target, contract, embedder, source="test")
        return target

    return make


def many(count: int) -> list[NodeRecord]:
    return [NodeRecord("Movie", 100 + at, f"Film {at}", f"Text number {at}") for at in range(count)]


def test_the_description_says_what_was_built(folder: Path, contract: Contract) -> None:
    engine = open_graph(folder, contract)
    description = engine.describe()
    engine.close()
    assert description.counts["Movie"] == 8
    assert description.counts["IN_GENRE"] == 7
    assert description.contract_hash == contract.hash
    assert description.space == HashedEmbedder().space
    assert description.capabilities == {"fulltext", "vectors"}
    assert description.source == "made by hand"


def test_nothing_is_left_beside_the_graph(build: Build, target: Path) -> None:
    build(HashedEmbedder())
    assert [path.name for path in target.parent.iterdir()] == ["graph"]


def test_equal_data_have_an_equal_content_hash(build: Build, contract: Contract) -> None:
    first = open_hash(build(), contract)
    assert open_hash(build(), contract) == first
    assert open_hash(build(None, many(1)), contract) != first


def open_hash(folder: Path, contract: Contract) -> str:
    engine = open_graph(folder, contract)
    engine.close()
    return engine.describe().content_hash


def test_a_graph_without_vectors_says_so_when_asked(build: Build, contract: Contract) -> None:
    sql = "SELECT m.Id FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)"
    with pytest.raises(ExecutionError) as caught:
        query_graph(build(), sql, contract)
    assert caught.value.code == "unsupported_by_engine"
    assert "no vectors" in caught.value.message


def test_an_open_reader_goes_on_when_the_graph_is_replaced(
    build: Build, contract: Contract
) -> None:
    embedder = HashedEmbedder()
    old = open_graph(build(embedder), contract)
    build(embedder, many(3))
    nearest = (
        "SELECT TOP 1 m.Id FROM Movie m WHERE CONTAINS(m.Content, 'boy') "
        "ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)"
    )
    decision, counted = judge(nearest, contract), judge(COUNT, contract)
    assert isinstance(decision, Allowed) and isinstance(counted, Allowed)
    vector = embedder.embed(["farm boy"])[0]
    assert old.execute(Statement(decision, vector), budget()).rows == [(1,)]
    assert old.execute(Statement(counted), budget()).rows == [(8,)]
    assert query_graph(build(embedder, many(3)), COUNT, contract) == [(11,)]
    old.close()


def test_two_engines_of_one_graph_live_side_by_side(folder: Path, contract: Contract) -> None:
    first, second = open_graph(folder, contract), open_graph(folder, contract)
    first.close()
    decision = judge(COUNT, contract)
    assert isinstance(decision, Allowed)
    assert second.execute(Statement(decision), budget()).rows == [(8,)]
    second.close()


def test_a_closed_engine_answers_nothing(folder: Path, contract: Contract) -> None:
    engine = open_graph(folder, contract)
    engine.close()
    engine.close()
    decision = judge(COUNT, contract)
    assert isinstance(decision, Allowed)
    with pytest.raises(GraphError, match="closed"):
        engine.execute(Statement(decision), budget())


def test_a_build_that_failed_changes_nothing_and_resumes(
    build: Build, contract: Contract, target: Path
) -> None:
    build(HashedEmbedder())
    with pytest.raises(EmbeddingError):
        build(Failing(after=2), many(300))
    assert query_graph(target, COUNT, contract) == [(8,)]
    again = HashedEmbedder()
    build(again, many(300))
    assert sum(len(texts) for texts in again.calls) == 300 - 2 * 64
    assert query_graph(target, COUNT, contract) == [(308,)]
    assert [path.name for path in target.parent.iterdir()] == ["graph"]


def test_a_graph_is_replaced_also_where_folders_cannot_be_exchanged(
    build: Build, contract: Contract, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_exchanged(first: Path, other: Path) -> bool:
        return False

    monkeypatch.setattr("moviegraph.engines.embedded.graph_folder.swap_folders", not_exchanged)
    build(HashedEmbedder())
    build(HashedEmbedder(), many(300))
    assert query_graph(target, COUNT, contract) == [(308,)]
    assert [path.name for path in target.parent.iterdir()] == ["graph"]


def test_unchanged_texts_keep_their_vectors(build: Build) -> None:
    build(HashedEmbedder())
    again = HashedEmbedder()
    build(again, many(2))
    assert sorted(text for texts in again.calls for text in texts) == [
        "Film 0. Text number 0",
        "Film 1. Text number 1",
    ]


def test_vectors_can_be_shipped_in_a_file(build: Build, contract: Contract, tmp_path: Path) -> None:
    embedder = HashedEmbedder()
    stored_vectors = vectors_of_graph(build(embedder), embedder.space)
    write_vectors(tmp_path / "vectors.npz", stored_vectors, embedder.space)
    vectors = read_vectors(tmp_path / "vectors.npz", embedder.space)
    fresh = HashedEmbedder()
    build_graph(nodes(), edges(), tmp_path / "other", contract, fresh, source="test", known=vectors)
    assert fresh.calls == []
    assert read_vectors(tmp_path / "vectors.npz", HashedEmbedder(32).space) == {}
    digest = text_digest(embedded_text("Dune", "x"))
    assert digest not in vectors and len(vectors) == len(stored_vectors)


def test_another_space_reuses_nothing(build: Build) -> None:
    build(HashedEmbedder())
    other = HashedEmbedder(32)
    build(other)
    assert sum(len(texts) for texts in other.calls) == len(
        {embedded_text(node.name, node.content) for node in nodes()}
    )


def test_a_node_without_text_has_no_vector(
    build: Build, contract: Contract, tmp_path: Path
) -> None:
    embedder = HashedEmbedder()
    folder = build(embedder, [NodeRecord("Movie", 9, "", "")])
    assert query_graph(folder, "SELECT m.Id FROM Movie m WHERE m.Embedding IS NULL", contract) == [
        (9,)
    ]
    sql = "SELECT TOP 1 m.Id FROM Movie m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q), m.Id"
    decision = judge(sql, contract)
    assert isinstance(decision, Allowed)
    engine = open_graph(folder, contract)
    result = engine.execute(Statement(decision, embedder.embed(["boy"])[0]), budget())
    engine.close()
    assert result.rows == [(9,)], "NULL sorts first, as in SQL Server"


WRONG = [
    pytest.param([NodeRecord("Robot", 1, "a", "b")], [], "Robot", id="unknown kind"),
    pytest.param([NodeRecord("Movie", 1, "a", "b")], [], "two nodes with the id 1", id="double id"),
    pytest.param([NodeRecord("Movie", -1, "a", "b")], [], "outside", id="negative id"),
    pytest.param([NodeRecord("Movie", 2**35, "a", "b")], [], "does not fit", id="id beyond INT"),
    pytest.param(
        [NodeRecord("Movie", 9, "a", "b", {"ReleaseYear": "soon"})],
        [],
        "ReleaseYear|fit",
        id="value",
    ),
    pytest.param([], [EdgeRecord("IN_GENRE", 1, 99)], "to 99", id="dangling edge"),
    pytest.param([], [EdgeRecord("IN_GENRE", 99, 1)], "from 99", id="edge from nowhere"),
    pytest.param([], [EdgeRecord("LIKES", 1, 1)], "LIKES", id="unknown edge kind"),
]


@pytest.mark.parametrize(("more", "ends", "message"), WRONG)
def test_contradicting_records_build_nothing(
    contract: Contract,
    target: Path,
    more: list[NodeRecord],
    ends: list[EdgeRecord],
    message: str,
) -> None:
    with pytest.raises(GraphError, match=message):
        build_graph([*nodes(), *more], [*edges(), *ends], target, contract, None, source="test")
    assert not target.exists()
    assert not target.parent.exists() or list(target.parent.iterdir()) == []


def test_a_folder_that_is_no_graph_is_not_replaced(build: Build, target: Path) -> None:
    target.mkdir(parents=True)
    (target / "letter.txt").write_text("dear")
    with pytest.raises(GraphError, match="nothing was changed"):
        build()
    assert (target / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize("replaced", [False, True], ids=["a new folder", "a graph"])
def test_what_was_put_into_the_folder_during_a_build_is_not_lost(
    build: Build, target: Path, contract: Contract, replaced: bool
) -> None:
    if replaced:
        build(HashedEmbedder())
    with pytest.raises(GraphError, match="nothing was changed"):
        build(Disturbed(target), many(3))
    assert (target / "letter.txt").read_text() == "dear"
    if replaced:
        assert query_graph(target, COUNT, contract) == [(8,)]


def test_what_a_killed_build_left_is_removed(build: Build, target: Path) -> None:
    leftover = target.parent / f".{target.name}.building-x"
    leftover.mkdir(parents=True)
    build()
    assert not leftover.exists()


def spoil_missing(folder: Path) -> None:
    shutil.rmtree(folder)


def spoil_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def spoil_json(folder: Path) -> None:
    (folder / "manifest.json").write_text("{")


def spoil_format(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "format": 99}))


def spoil_counts(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "counts": {"Movie": "many"}}))


def spoil_depth(folder: Path) -> None:
    (folder / "manifest.json").write_text("[" * 100_000)


def spoil_contract(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "contract_hash": "f" * 16}))


def spoil_fulltext(folder: Path) -> None:
    (folder / "fulltext.sqlite").unlink()


def spoil_database(folder: Path) -> None:
    (folder / "graph.duckdb").write_bytes(b"nothing")


def spoil_index(folder: Path) -> None:
    (folder / "fulltext.sqlite").write_bytes(b"nothing" * 1000)


def spoil_vectors(folder: Path) -> None:
    (folder / "vectors" / "Movie.npy").write_bytes(b"nothing")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        pytest.param(spoil_missing, "no graph folder", id="missing"),
        pytest.param(spoil_manifest, "did not finish", id="half-built"),
        pytest.param(spoil_json, "cannot be read", id="broken manifest"),
        pytest.param(spoil_counts, "cannot be read", id="counts that are none"),
        pytest.param(spoil_depth, "cannot be read", id="nested for ever"),
        pytest.param(spoil_format, "format 99", id="another format"),
        pytest.param(spoil_contract, "another contract", id="another contract"),
        pytest.param(spoil_fulltext, "fulltext.sqlite", id="without full text"),
        pytest.param(spoil_database, "cannot be read", id="broken tables"),
        pytest.param(spoil_index, "damaged", id="broken full text"),
        pytest.param(spoil_vectors, "damaged", id="broken vectors"),
    ],
)
def test_a_folder_that_cannot_be_served_says_why_and_what_to_do(
    folder: Path,
    contract: Contract,
    tmp_path: Path,
    spoil: Callable[[Path], None],
    message: str,
) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    spoil(copy)
    with pytest.raises(GraphError, match=message) as caught:
        open_graph(copy, contract)
    assert caught.value.hint


def test_tables_cut_short_are_an_error_for_the_operator(
    folder: Path, contract: Contract, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    content = (copy / "graph.duckdb").read_bytes()
    (copy / "graph.duckdb").write_bytes(content[: len(content) // 3])
    allowed = judge("SELECT MAX(LEN(m.Content)) AS a FROM Movie AS m", contract)
    assert isinstance(allowed, Allowed)
    with pytest.raises(GraphError), closing(open_graph(copy, contract)) as engine:
        engine.execute(Statement(allowed), budget())


def test_values_of_every_type_survive_in_another_domain(tmp_path: Path) -> None:
    contract = load_contract(TOY / "contract")
    kind = contract.nodes[0].name
    values = {
        "Minutes": 60,
        "Vegan": True,
        "Added": "2021-07-14",
        "Price": 2.4,
        "Tip": "Better late. ",
    }
    records = [
        NodeRecord(kind, 1, "Ratatouille", "Stew them.", values),
        NodeRecord(kind, 2, "Toast", "Toast it.", {"Vegan": False}),
        NodeRecord("Ingredient", 1, "Aubergine", "Purple."),
    ]
    folder = tmp_path / "kitchen"
    ends = [EdgeRecord("NEEDS", 1, 1)]
    build_graph(records, ends, folder, contract, HashedEmbedder(), source="test")
    everything = query_graph(
        folder,
        "SELECT r.Number, r.Title, r.Minutes, r.Vegan, CONVERT(NVARCHAR(10), r.Added, 23) AS a, "
        "r.Price, r.Tip FROM kitchen.Recipe r WHERE r.Vegan = 1 AND r.Added > '2021-01-01'",
        contract,
    )
    assert everything == [(1, "Ratatouille", 60, True, "2021-07-14", 2.4, "Better late.")]
    hop = "SELECT i.Name FROM Recipe r, NEEDS n, Ingredient i WHERE MATCH(r-(n)->i)"
    assert query_graph(folder, hop, contract) == [("Aubergine",)]
    tip = "SELECT r.Title FROM Recipe r WHERE CONTAINS((r.Tip, r.Method), 'late OR toast')"
    assert len(query_graph(folder, tip, contract)) == 2


def test_vectors_are_stored_by_half_precision_and_in_id_order(folder: Path) -> None:
    ids = np.load(folder / "vectors" / "Movie.ids.npy")
    matrix = np.load(folder / "vectors" / "Movie.npy")
    assert ids.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert matrix.dtype == np.float16


def test_the_full_text_file_holds_no_plain_text(folder: Path) -> None:
    connection = sqlite3.connect(folder / "fulltext.sqlite")
    assert connection.execute("SELECT c0 FROM n0 LIMIT 1").fetchall() == [(None,)]
    connection.close()


def test_a_manifest_of_another_space_is_kept_apart(contract: Contract, folder: Path) -> None:
    other = replace(HashedEmbedder().space, variant="other")
    assert vectors_of_graph(folder, other) == {}
