"""The built-in embedder: all-MiniLM-L6-v2 as int8 ONNX, on one thread."""

import threading
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from moviegraph.embeddings.embedder import Progress, QueryCache, Vectors, VectorSpace

if TYPE_CHECKING:
    from moviegraph.embeddings.onnx_model import OnnxModel

MODEL_SHA256 = "a827ad81e6a51f3eeb321050cafa017906a1ba4414d380d18704d90f153dbacb"
SPACE = VectorSpace("local", "all-MiniLM-L6-v2", 384, f"int8-{MODEL_SHA256[:12]}")
CACHED_QUERIES = 512


class LocalEmbedder:
    """Embeds with the model in the package; nothing is loaded before the first use."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or Path(str(files("moviegraph.embeddings"))) / "minilm"
        self._lock = threading.Lock()
        self._model: OnnxModel | None = None
        self._queries = QueryCache(CACHED_QUERIES)

    @property
    def space(self) -> VectorSpace:
        """Identity of the vectors."""
        return SPACE

    def load(self) -> None:
        """Load model and vocabulary, once. Raises EmbeddingError."""
        self._loaded()

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one row of length 1 per text; a single text is cached as a query."""
        import numpy as np

        model = self._loaded()
        vectors = np.empty((len(texts), SPACE.dimensions), np.float32)
        is_query = len(texts) == 1
        for row, text in enumerate(texts):
            vector = self._queries.vector(text, model.embed) if is_query else model.embed(text)
            vectors[row] = vector
            if progress:
                progress(row + 1, len(texts))
        return vectors

    def _loaded(self) -> "OnnxModel":
        if self._model is None:
            from moviegraph.embeddings.onnx_model import OnnxModel

            with self._lock:
                self._model = self._model or OnnxModel.load(self._folder, MODEL_SHA256)
        return self._model
