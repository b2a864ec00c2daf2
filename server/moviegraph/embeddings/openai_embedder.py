"""Embeddings from an endpoint with the OpenAI interface."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any

import numpy as np
import openai

from moviegraph.embeddings.embedder import (
    CACHED_QUERIES,
    DIMENSIONS,
    PREFIX,
    Progress,
    Vector,
    Vectors,
    VectorSpace,
    normalized_mean,
    part_read,
)
from moviegraph.errors import EmbeddingError, VectorSpaceError
from moviegraph.observability import measure_tokens
from moviegraph.openai_api.client import estimated_tokens, failure_sentence, refusal_text
from moviegraph.text import plural

QUERY_SECONDS, QUERY_RETRIES = 30, 2
LOAD_SECONDS, LOAD_RETRIES = 120, 6
MIN_SPLIT_CHARS = 64
"""Characters; a text this short is not the reason for a token limit."""


@dataclass(frozen=True, slots=True)
class Batching:
    """Limits of one request, well below the vendor's (2,048 texts, 300,000 tokens)."""

    texts: int = 128
    tokens: int = 100_000
    in_flight: int = 4
    characters: int = 24_000
    """Of one text; a longer one is split into chunks."""


def batch_ranges(texts: Sequence[str], limits: Batching) -> Iterator[range]:
    """Yield consecutive index ranges that keep the limits; a single text is never split."""
    begin = tokens = 0
    for index, text in enumerate(texts):
        more = estimated_tokens(text)
        if index > begin and (index - begin >= limits.texts or tokens + more > limits.tokens):
            yield range(begin, index)
            begin, tokens = index, 0
        tokens += more
    if begin < len(texts):
        yield range(begin, len(texts))


class OpenAIEmbedder:
    """Batches texts into requests, multiple in flight; only the client retries.

    Args:
        client: Client of the endpoint.
        space: Identity of the vectors: the model, never the deployment.
        deployment: What the endpoint calls the model, if not by its name.
        supports_base64: Vectors are requested as base64, which is shorter.
        limits: Sizes of requests.
    """

    def __init__(
        self,
        client: openai.OpenAI,
        space: VectorSpace,
        *,
        deployment: str | None = None,
        supports_base64: bool = True,
        limits: Batching | None = None,
    ) -> None:
        self._space = space
        self._model = deployment or space.model
        self._limits = limits or Batching()
        self._client = client
        self._load_client = client.with_options(timeout=LOAD_SECONDS, max_retries=LOAD_RETRIES)
        self._query_vector = lru_cache(CACHED_QUERIES)(self._embed_query)
        is_shortened = space.dimensions != DIMENSIONS.get(space.model)
        has_variable_width = space.model.startswith("text-embedding-3")
        self._options: dict[str, Any] = {
            "dimensions": space.dimensions if has_variable_width and is_shortened else openai.omit,
            "encoding_format": openai.omit if supports_base64 else "float",
        }

    @property
    def space(self) -> VectorSpace:
        """Identity of the vectors."""
        return self._space

    def load(self) -> None:
        """Do nothing: there is nothing to load, and nothing is sent without need."""

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one row of length 1 per text; a single text is cached as a query."""
        if len(texts) == 1:
            vector = self._query_vector(texts[0])
            if progress:
                progress(1, 1)
            return vector[np.newaxis].copy()
        sendable = [_sendable(text, row, len(texts)) for row, text in enumerate(texts)]
        vectors = np.empty((len(texts), self._space.dimensions), np.float32)
        done = 0
        pool = ThreadPoolExecutor(self._limits.in_flight, thread_name_prefix="embed")
        try:
            batch_by_future = {
                pool.submit(self._embed_batch, sendable[batch.start : batch.stop]): batch
                for batch in batch_ranges(sendable, self._limits)
            }
            for future in as_completed(batch_by_future):
                batch = batch_by_future[future]
                vectors[batch.start : batch.stop] = future.result()
                done += len(batch)
                if progress:
                    progress(done, len(texts))
        finally:  # the first failure drops the batches that are not yet sent
            pool.shutdown(wait=True, cancel_futures=True)
        return vectors

    def _embed_query(self, text: str) -> Vector:
        return self._request_all([_sendable(text, 0, 1)], self._client)[0]

    def _embed_batch(self, texts: list[str]) -> Vectors:
        return self._request_all(texts, self._load_client)

    def _request_all(self, texts: list[str], client: openai.OpenAI) -> Vectors:
        """Return one row per text; that of a long text is the mean of its chunks."""
        chunks = [self._space.chunks(text, self._limits.characters) for text in texts]
        vectors = self._request(list(chain.from_iterable(chunks)), client)
        if len(vectors) == len(texts):
            return vectors
        bounds = pairwise(np.cumsum([0, *map(len, chunks)]))
        return np.stack([normalized_mean(vectors[start:end]) for start, end in bounds])

    def _request(self, texts: list[str], client: openai.OpenAI) -> Vectors:
        try:
            response: Any = client.embeddings.create(
                model=self._model, input=texts, **self._options
            )
        except openai.OpenAIError as error:
            if _is_too_long(error) and (len(texts) > 1 or len(texts[0]) >= MIN_SPLIT_CHARS):
                return self._request_smaller(texts, client)
            subject = f"The embedding model {self._model}"
            raise EmbeddingError(failure_sentence(error, subject, PREFIX)) from None
        except (AttributeError, TypeError, ValueError):  # the client could not read the answer
            response = None
        vectors = response_vectors(response, len(texts), self._space)
        reported = getattr(getattr(response, "usage", None), "total_tokens", None)
        if not isinstance(reported, int) or not reported:  # some servers report none
            reported = sum(map(estimated_tokens, texts))
        measure_tokens("embeddings", self._model, reported)
        return vectors

    def _request_smaller(self, texts: list[str], client: openai.OpenAI) -> Vectors:
        """Send half of the texts at a time, or chunks of a single one."""
        if len(texts) > 1:
            middle = len(texts) // 2
            halves = texts[:middle], texts[middle:]
            return np.concatenate([self._request(half, client) for half in halves])
        chunks = self._space.chunks(texts[0], len(texts[0]) * 2 // 3)
        return normalized_mean(self._request(chunks, client))[np.newaxis]


def _is_too_long(error: openai.OpenAIError) -> bool:
    if not isinstance(error, openai.APIStatusError) or error.status_code not in (400, 413, 422):
        return False
    complaint = refusal_text(error)
    names_limit = "context_length" in complaint or (
        "max" in complaint and ("token" in complaint or "batch" in complaint)
    )
    return names_limit or error.status_code == 413


def _sendable(text: str, row: int, total: int) -> str:
    """Replace what cannot be sent (lone surrogates); endpoints refuse an empty text."""
    sendable = part_read(text).encode("utf-8", "replace").decode()
    if not sendable:
        raise EmbeddingError(f"Text {row + 1} of {total} is empty: it has no embedding.")
    return sendable


def response_vectors(response: Any, count: int, space: VectorSpace) -> Vectors:
    """Return the vectors in the order of the request, of length 1.

    Raises:
        EmbeddingError: The answer is not one usable vector a text.
        VectorSpaceError: The vectors have a different width than the space.
    """
    try:
        items = sorted(response.data, key=lambda item: item.index)
        order = [item.index for item in items]
        rows = [np.asarray(item.embedding, np.float32) for item in items]
    except (AttributeError, TypeError, ValueError):
        raise EmbeddingError(f"{space.model} did not return a list of embeddings.") from None
    if order != list(range(count)):
        raise EmbeddingError(
            f"{space.model} did not return exactly one vector for each of {plural(count, 'text')}."
        )
    for row in rows:
        if row.shape != (space.dimensions,):
            raise VectorSpaceError(
                f"{space.model} returned vectors of {row.size} dimensions instead of "
                f"{space.dimensions}.",
                hint="Set MOVIEGRAPH_EMBEDDER_DIMENSIONS to the dimensions that the model returns.",
            )
    vectors = np.stack(rows)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(norms).all() and norms.all()):
        raise EmbeddingError(f"{space.model} returned a vector that is zero or not finite.")
    return vectors / norms
