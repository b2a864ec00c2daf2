"""Runs the model in the box: WordPiece ids into onnxruntime, one text at a time."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from moviegraph.embeddings.base import Vector
from moviegraph.embeddings.chunks import normalised_mean, part_read, token_chunks
from moviegraph.embeddings.wordpiece import WordPiece
from moviegraph.errors import EmbeddingError

MODEL_FILE = "model.int8.onnx"
VOCABULARY_FILE = "vocab.txt"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
MOST_TOKENS = 256
FRAME_TOKENS = 2


class _Graph(Protocol):
    """What is used of an onnxruntime session, which has no type stubs."""

    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any]
    ) -> Sequence[Any]: ...


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """Tokenizer and graph; both may be used by several threads at once."""

    tokenizer: WordPiece
    graph: _Graph

    @classmethod
    def load(cls, folder: Path, sha256: str) -> "OnnxModel":
        """Load the model of that digest. Raises EmbeddingError."""
        vocabulary = _checked(folder / VOCABULARY_FILE, VOCABULARY_SHA256)
        graph = _open_graph(_checked(folder / MODEL_FILE, sha256))
        return cls(WordPiece.from_lines(vocabulary.decode()), graph)

    def embed(self, text: str) -> Vector:
        """Return the vector of one text, of length 1."""
        words = self.tokenizer.words(part_read(text))
        chunks = token_chunks(words, MOST_TOKENS - FRAME_TOKENS)
        if len(chunks) == 1:
            return self._run(chunks[0])
        return normalised_mean(np.stack([self._run(chunk) for chunk in chunks]))

    def _run(self, ids: list[int]) -> Vector:
        # One text a run: the int8 scales are taken over the whole input, so that the members
        # of a batch change each other (cosine down to 0.986), and a batch is no faster.
        framed = np.array([self.tokenizer.framed(ids)], np.int64)
        inputs = {"input_ids": framed, "attention_mask": np.ones_like(framed)}
        return self.graph.run(None, inputs)[0][0]


def _checked(file: Path, sha256: str) -> bytes:
    """Return the bytes that were checked, so that what is loaded is what was checked."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise EmbeddingError(
            f"The local embedding model cannot be read: {file.name} ({error.strerror}).",
            hint="Reinstall moviegraph.",
        ) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise EmbeddingError(
            f"The local embedding model is damaged: {file.name} does not have the expected digest.",
            hint="Reinstall moviegraph.",
        )
    return content


def _open_graph(content: bytes) -> _Graph:
    # Read once, when the library is loaded; without it the library reports its use to its makers.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime
    except ImportError as error:
        raise EmbeddingError(
            "The local embedder needs the package onnxruntime, which cannot be imported.",
            hint="Install onnxruntime, or set MOVIEGRAPH_EMBEDDER to openai:MODEL.",
        ) from error
    runtime = cast("Any", onnxruntime)
    runtime.disable_telemetry_events()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # On x64 without VNNI, products of unsigned by signed int8 saturate at 16 bits: the mean cosine
    # to the shipped vectors is 0.9887 (minimum 0.975). Unsigned by unsigned it is 0.9998 (0.9939),
    # for 12 % more CPU. Other processors ignore the entry.
    options.add_session_config_entry("session.x64quantprecision", "1")
    return runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
