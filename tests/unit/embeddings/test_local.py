import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from moviegraph.embeddings.embedder import MAX_EMBEDDED_CHARS, Vectors, VectorSpace
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.errors import EmbeddingError

MODEL = Path(str(files("moviegraph.embeddings"))) / "minilm"


@cache
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


def cosine(left: Vectors, right: Vectors) -> float:
    return float(left @ right)


@pytest.mark.slow("process")
def test_the_space_is_known_without_loading_anything() -> None:
    program = (
        "import sys; from moviegraph.embeddings.opening import open_embedder; "
        "print(open_embedder('local').space); "
        "print({'onnxruntime', 'numpy', 'openai'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    space = VectorSpace("local", "all-MiniLM-L6-v2", 384, "int8-a827ad81e6a5")
    assert done.stdout.decode().splitlines() == [str(space), "set()"]


@pytest.mark.slow("process")
def test_nothing_is_kept_or_sent_about_its_use(tmp_path: Path) -> None:
    program = (
        "from moviegraph.embeddings.local_embedder import LocalEmbedder; "
        "LocalEmbedder().embed(['a robot'])"
    )
    environment = {name: value for name, value in os.environ.items() if name == "PATH"}
    subprocess.run(
        [sys.executable, "-c", program], env=environment | {"HOME": str(tmp_path)}, check=True
    )
    assert list(tmp_path.rglob("*")) == []


def test_vectors_are_float32_rows_of_length_one() -> None:
    vectors = embedder().embed(["a space opera", "a quiet drama", ""])
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)


def test_no_texts_are_no_rows() -> None:
    assert embedder().embed([]).shape == (0, 384)


def test_a_text_near_in_meaning_is_nearer() -> None:
    rebels, robots, recipe = embedder().embed(
        [
            "Rebels fight an empire among the stars.",
            "A galactic war between freedom fighters and a tyrant.",
            "How to bake bread with a crisp crust.",
        ]
    )
    assert cosine(rebels, robots) > cosine(rebels, recipe) + 0.2


def test_a_vector_does_not_depend_on_its_neighbours() -> None:
    text = "A hobbit carries a ring to a volcano."
    alone = embedder().embed([text])[0]
    among = embedder().embed(["short", text, "a much longer text " * 30])[1]
    assert np.array_equal(alone, among)


def test_a_long_text_is_the_mean_of_its_chunks() -> None:
    begin, end = "robots and rebels " * 100, "bread and butter " * 100
    full_vector = embedder().embed([begin + end])[0]
    first, last = embedder().embed([begin, end])
    assert np.linalg.norm(full_vector) == pytest.approx(1, abs=1e-5)
    assert cosine(full_vector, last) > cosine(first, last) + 0.2
    assert cosine(full_vector, first) > cosine(first, last) + 0.2


@pytest.mark.slow("memory")
def test_a_very_long_text_is_embedded_by_its_beginning() -> None:
    beginning = ("incomprehensibilities " * MAX_EMBEDDED_CHARS)[:MAX_EMBEDDED_CHARS]
    cut, full_vector = embedder().embed(
        [beginning, f"  {beginning} {'bread and butter ' * 500_000}"]
    )
    assert np.array_equal(cut, full_vector)


def test_a_remembered_query_cannot_be_changed_by_who_got_it() -> None:
    first = embedder().embed(["remember me"])
    first[:] = 0
    assert np.linalg.norm(embedder().embed(["remember me"])) == pytest.approx(1, abs=1e-5)


def test_threads_get_the_vectors_of_their_own_texts() -> None:
    texts = [f"film number {number} about the sea" for number in range(8)]
    expected = embedder().embed(texts)

    def alone(text: str) -> Vectors:
        return embedder().embed([text])[0]

    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(alone, texts * 2))
    assert np.array_equal(np.stack(rows), np.concatenate([expected, expected]))


def test_threads_that_start_together_load_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    read_bytes = Path.read_bytes

    def counting_read(path: Path) -> bytes:
        reads.append(path.name)
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", counting_read)
    fresh, barrier = LocalEmbedder(), threading.Barrier(4)

    def load() -> None:
        barrier.wait()
        fresh.load()

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(load) for _ in range(4)]:
            done.result()
    assert sorted(reads) == ["model.int8.onnx", "vocab.txt"]


def test_progress_counts_texts() -> None:
    progress_calls: list[tuple[int, int]] = []
    embedder().embed(["one", "two"], lambda done, total: progress_calls.append((done, total)))
    embedder().embed(["three"], lambda done, total: progress_calls.append((done, total)))
    assert progress_calls == [(1, 2), (2, 2), (1, 1)]


def test_lone_surrogates_and_nul_do_no_harm() -> None:
    odd, plain = embedder().embed(["star\ud800 \x00wars", "star wars"])
    assert np.array_equal(odd, plain)


@pytest.mark.parametrize(
    ("file", "says"),
    [
        pytest.param(
            "model.int8.onnx", "model.int8.onnx does not have the expected digest", id="model"
        ),
        pytest.param("vocab.txt", "vocab.txt does not have the expected digest", id="vocabulary"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, file: str, says: str) -> None:
    for name in ("model.int8.onnx", "vocab.txt"):
        (tmp_path / name).symlink_to(MODEL / name)
    (tmp_path / file).unlink()
    (tmp_path / file).write_bytes(b"damaged")
    with pytest.raises(EmbeddingError, match=says):
        LocalEmbedder(tmp_path).load()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match=r"cannot be read: vocab\.txt") as caught:
        LocalEmbedder(tmp_path).embed(["x"])
    assert str(tmp_path) not in str(caught.value)


def test_a_missing_runtime_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbeddingError, match="onnxruntime") as caught:
        LocalEmbedder().load()
    assert "Install onnxruntime" in str(caught.value.hint)
