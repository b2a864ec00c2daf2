"""The built-in embedder: all-MiniLM-L6-v2 as int8 ONNX, on one thread."""

import hashlib
import os
import threading
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from moviegraph.embeddings.embedder import (
    CACHED_QUERIES,
    Progress,
    Vector,
    Vectors,
    VectorSpace,
    normalized_mean,
    part_read,
    token_chunks,
)
from moviegraph.errors import EmbeddingError

MAX_WORD_CHARS = 100
"""Characters; a longer word is one unknown token, as the model was trained."""

IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),  # the reference omits the 256 before it
    (0x2F800, 0x2FA1F),
)

Ids = tuple[int, ...]


def _separate_words(char: str) -> str:
    """Replace a character with a space, drop it, or put spaces around it."""
    category = unicodedata.category(char)
    if char in "\t\n\r" or category == "Zs":
        return " "
    if char == "\ufffd" or category in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if any(low <= ord(char) <= high for low, high in IDEOGRAPHS):
        return f" {char} "
    return char


def _fold_character(char: str) -> str:
    """Drop an accent, put spaces around punctuation, or lower a decomposed character."""
    category = unicodedata.category(char)
    if category == "Mn":
        return ""
    ascii_symbol = "!" <= char <= "~" and not char.isalnum()
    if ascii_symbol or category.startswith("P"):
        return f" {char} "
    return char.lower()  # one at a time: str.lower would make a final sigma of the last one


class _CharacterMap(dict[int, str]):
    """A rule for single characters in the form `str.translate` reads, remembering its results."""

    LIMIT = 20_000

    def __init__(self, rule: Callable[[str], str]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str:
        result = self._rule(chr(code))
        if len(self) < self.LIMIT:
            self[code] = result
        return result


class WordPiece:
    """Splits text into words and words into the longest pieces the vocabulary knows.

    Special tokens written in a text ("[SEP]") are read as the characters they are.
    """

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._unknown = vocabulary["[UNK]"]
        self._start = vocabulary["[CLS]"]
        self._end = vocabulary["[SEP]"]
        self._clean = _CharacterMap(_separate_words)
        self._fold = _CharacterMap(_fold_character)
        self._pieces = lru_cache(30_000)(self._split)

    @classmethod
    def from_lines(cls, text: str) -> "WordPiece":
        """Read a vocabulary of one piece a line, the line number being the id."""
        # Not splitlines(): pieces contain characters that splitlines() breaks at.
        lines = text.removesuffix("\n").split("\n")
        return cls({piece: number for number, piece in enumerate(lines)})

    def words(self, text: str) -> list[Ids]:
        """Return the ids of the text, word by word, without the frame."""
        decomposed = unicodedata.normalize("NFD", text.translate(self._clean))
        return [self._pieces(word) for word in decomposed.translate(self._fold).split()]

    def framed(self, ids: list[int]) -> list[int]:
        """Put the start and end tokens around the ids of one run."""
        return [self._start, *ids, self._end]

    def _split(self, word: str) -> Ids:
        if len(word) > MAX_WORD_CHARS:
            return (self._unknown,)
        ids: list[int] = []
        begin = 0
        while begin < len(word):
            match = self._longest(word, begin)
            if match is None:
                return (self._unknown,)  # one unmatched piece makes the word unknown
            piece, begin = match
            ids.append(piece)
        return tuple(ids)

    def _longest(self, word: str, begin: int) -> tuple[int, int] | None:
        """Return id and end of the longest piece that starts at `begin`."""
        prefix = "##" if begin else ""
        for end in range(len(word), begin, -1):
            piece = self._vocabulary.get(prefix + word[begin:end])
            if piece is not None:
                return piece, end
        return None


MODEL_FILE = "model.int8.onnx"
MODEL_SHA256 = "a827ad81e6a51f3eeb321050cafa017906a1ba4414d380d18704d90f153dbacb"
VOCABULARY_FILE = "vocab.txt"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
MAX_TOKENS = 256
FRAME_TOKENS = 2


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """Tokenizer and graph; both are safe to use from multiple threads."""

    tokenizer: WordPiece
    graph: Any  # a session of onnxruntime, which has no type stubs

    @classmethod
    def load(cls, folder: Path) -> "OnnxModel":
        """Load model and vocabulary. Raises EmbeddingError."""
        vocabulary = _checked(folder / VOCABULARY_FILE, VOCABULARY_SHA256)
        graph = _open_graph(_checked(folder / MODEL_FILE, MODEL_SHA256))
        return cls(WordPiece.from_lines(vocabulary.decode()), graph)

    def embed(self, text: str) -> Vector:
        """Return the vector of one text, of length 1."""
        words = self.tokenizer.words(part_read(text))
        chunks = token_chunks(words, MAX_TOKENS - FRAME_TOKENS)
        if len(chunks) == 1:
            return self._run(chunks[0])
        return normalized_mean([self._run(chunk) for chunk in chunks])

    def _run(self, ids: list[int]) -> Vector:
        import numpy as np

        # One text per run: the int8 scales are taken over the full input, so that the members
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


def _open_graph(content: bytes) -> Any:
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
    if not _has_vnni():
        options.add_session_config_entry("session.x64quantprecision", "1")
    return runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _has_vnni() -> bool:
    """Return whether the processor multiplies int8 without saturation; False if that is unknown.

    On x64 without VNNI, products of unsigned by signed int8 saturate at 16 bits: the mean cosine to
    the shipped vectors is 0.9887 (minimum 0.975). Unsigned by unsigned it is 0.9998 (0.9939). With
    VNNI that changes no vector, and takes 70 % more CPU. Other processors ignore the entry.
    """
    try:
        return "_vnni" in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


SPACE = VectorSpace("local", "all-MiniLM-L6-v2", 384, f"int8-{MODEL_SHA256[:12]}")


class LocalEmbedder:
    """Embeds with the model in the package; nothing is loaded before the first use."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or Path(str(files("moviegraph.embeddings"))) / "minilm"
        self._lock = threading.Lock()
        self._model: OnnxModel | None = None
        self._query_vector = lru_cache(CACHED_QUERIES)(self._vector)

    @property
    def space(self) -> VectorSpace:
        """Identity of the vectors."""
        return SPACE

    def load(self) -> None:
        """Load model and vocabulary, once. Raises EmbeddingError."""
        with self._lock:
            self._model = self._model or OnnxModel.load(self._folder)

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one row of length 1 per text; a single text is cached as a query."""
        import numpy as np

        self.load()
        vectors = np.empty((len(texts), SPACE.dimensions), np.float32)
        for row, text in enumerate(texts):
            is_query = len(texts) == 1
            vectors[row] = self._query_vector(text) if is_query else self._vector(text)
            if progress:
                progress(row + 1, len(texts))
        return vectors

    def _vector(self, text: str) -> Vector:
        assert self._model is not None, "it is loaded before"
        return self._model.embed(text)
