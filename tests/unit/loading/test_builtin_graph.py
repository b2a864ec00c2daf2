"""The built-in graph: built once, rebuilt when stale, by one of many starting processes."""

import shutil
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.sources import FILMS, film, source
from fakes.toy_graph import toy_contract

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Progress, Vectors
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.engines.embedded.embedding_store import write_vectors
from moviegraph.engines.embedded.graph_folder import read_manifest
from moviegraph.engines.graph_records import text_digest
from moviegraph.errors import GraphError
from moviegraph.loading.folder_loader import ensure_builtin_graph, shipped_vectors, vectors_file
from moviegraph.loading.preparation import prepare_source
from moviegraph.loading.row_validation import Rejects
from moviegraph.settings import content_folder

SAMPLE = 10
# Kernels differ a little between processors; those that saturate give 0.989 and 0.975.
LEAST_MEAN_COSINE = 0.999
LEAST_COSINE = 0.99


class Unused(HashedEmbedder):
    """Refuses to work."""

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        raise AssertionError("nothing had to be embedded")


@pytest.fixture(scope="module")
def contract() -> Contract:
    return load_contract()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return source(tmp_path / "data")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "box"


def build_time(folder: Path) -> float:
    return (folder / "manifest.json").stat().st_ino


def test_the_box_is_built_once(contract: Contract, data: Path, folder: Path) -> None:
    assert ensure_builtin_graph(folder, contract, HashedEmbedder(), data=data) == folder
    before = build_time(folder)
    ensure_builtin_graph(folder, contract, Unused(), data=data)
    assert build_time(folder) == before
    assert [path.name for path in folder.parent.iterdir()] == ["box"]


def test_a_stale_built_in_graph_with_other_files_is_reported_and_left_alone(
    contract: Contract, data: Path, folder: Path
) -> None:
    ensure_builtin_graph(folder, contract, HashedEmbedder(), data=data)
    (folder / "journal.sqlite").write_text("mine")
    changed = source(data, [*FILMS, film(3, "Solaris", "An ocean.")])
    with pytest.raises(GraphError, match=r"journal\.sqlite"):
        ensure_builtin_graph(folder, contract, HashedEmbedder(), data=changed)
    assert (folder / "journal.sqlite").read_text() == "mine"


def test_changed_data_are_built_again(contract: Contract, data: Path, folder: Path) -> None:
    ensure_builtin_graph(folder, contract, HashedEmbedder(), data=data)
    again = HashedEmbedder()
    ensure_builtin_graph(
        folder, contract, again, data=source(data, [*FILMS, film(3, "Solaris", "An ocean.")])
    )
    assert read_manifest(folder, contract).counts["Movie"] == 3
    assert again.calls == [["Solaris. An ocean."]]


def test_another_vector_space_is_built_again(contract: Contract, data: Path, folder: Path) -> None:
    ensure_builtin_graph(folder, contract, HashedEmbedder(), data=data)
    ensure_builtin_graph(folder, contract, HashedEmbedder(32), data=data)
    assert read_manifest(folder, contract).space == HashedEmbedder(32).space
    ensure_builtin_graph(folder, contract, None, data=data)
    assert read_manifest(folder, contract).space is None


def test_another_recipe_or_contract_is_built_again(
    contract: Contract, data: Path, folder: Path
) -> None:
    ensure_builtin_graph(folder, contract, HashedEmbedder(), data=data)
    silent = tuple(edge.model_copy(update={"in_text": False}) for edge in contract.edges)
    ensure_builtin_graph(
        folder, contract.model_copy(update={"edges": silent}), HashedEmbedder(), data=data
    )
    assert "enriched" not in read_manifest(folder, contract).recipe
    fewer = contract.model_copy(update={"edges": contract.edges[:-1]})
    ensure_builtin_graph(folder, fewer, HashedEmbedder(), data=data)
    assert "IN_GENRE" not in read_manifest(folder, fewer).counts


@pytest.mark.parametrize("name", ["manifest.json", "graph.duckdb", "vectors/Movie.npy"])
def test_a_damaged_box_is_built_again(
    contract: Contract, data: Path, folder: Path, name: str
) -> None:
    ensure_builtin_graph(folder, contract, HashedEmbedder(), data=data)
    if name == "manifest.json":
        (folder / name).write_text("{")
    else:
        (folder / name).unlink()
    ensure_builtin_graph(folder, contract, HashedEmbedder(), data=data)
    assert read_manifest(folder, contract).counts["Movie"] == 2


def test_of_several_starters_one_builds_and_the_others_wait(
    contract: Contract, data: Path, folder: Path
) -> None:
    starters = 4
    embedders = [HashedEmbedder() for _ in range(starters)]
    together = threading.Barrier(starters)

    def start(embedder: HashedEmbedder) -> Path:
        together.wait()
        return ensure_builtin_graph(folder, contract, embedder, data=data)

    with ThreadPoolExecutor(starters) as threads:
        assert set(threads.map(start, embedders)) == {folder}
    assert sorted(len(embedder.calls) for embedder in embedders) == [0, 0, 0, 1]
    assert read_manifest(folder, contract).counts["Movie"] == 2


def test_shipped_vectors_are_used_and_what_they_lack_is_embedded(
    contract: Contract, data: Path, folder: Path
) -> None:
    embedder = HashedEmbedder()
    tables = prepare_source(data, contract, Rejects()).nodes
    texts = [text for table in tables for text in table.embedded_texts()]
    known = dict(
        zip(map(text_digest, texts), embedder.embed(texts).astype(np.float16), strict=True)
    )
    path = vectors_file(data, embedder.space)
    path.parent.mkdir()
    write_vectors(path, known, embedder.space)
    ensure_builtin_graph(folder, contract, Unused(), data=data)
    shutil.rmtree(folder)
    known.pop(text_digest(texts[-1]))
    write_vectors(path, known, embedder.space)
    fresh = HashedEmbedder()
    ensure_builtin_graph(folder, contract, fresh, data=data)
    assert fresh.calls == [[texts[-1]]]


def test_a_contract_of_another_domain_requires_its_graph(data: Path, folder: Path) -> None:
    with pytest.raises(GraphError, match="contract kitchen") as caught:
        ensure_builtin_graph(folder, toy_contract(), None, data=data)
    assert "MOVIEGRAPH_GRAPH" in str(caught.value.hint)


def test_a_cache_that_cannot_be_written_is_reported(
    contract: Contract, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(GraphError, match="cannot be built") as caught:
        ensure_builtin_graph(tmp_path / "file" / "box", contract, None, data=data)
    assert "MOVIEGRAPH_GRAPH" in str(caught.value.hint)


def test_the_shipped_vectors_are_those_of_the_shipped_texts(contract: Contract) -> None:
    data, embedder = content_folder("data"), LocalEmbedder()
    rejects = Rejects()
    tables = prepare_source(data, contract, rejects).nodes
    assert not rejects.counts
    texts = {text_digest(text): text for table in tables for text in table.embedded_texts()}
    known = shipped_vectors(data, embedder.space)
    assert known.keys() == texts.keys(), "run scripts/builtin_vectors.py"
    sample = sorted(texts)[:: max(1, len(texts) // SAMPLE)][:SAMPLE]
    again = embedder.embed([texts[digest] for digest in sample])
    stored = np.array([known[digest] for digest in sample], dtype=np.float32)
    cosines = (again * stored).sum(axis=1) / np.linalg.norm(stored, axis=1)
    assert len(sample) == SAMPLE
    assert cosines.mean() > LEAST_MEAN_COSINE
    assert cosines.min() > LEAST_COSINE
