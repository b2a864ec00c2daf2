"""Embeddings from an endpoint with the OpenAI interface."""

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import openai

from moviegraph.embeddings.embedder import (
    Progress,
    QueryCache,
    Vector,
    Vectors,
    VectorSpace,
    normalized_mean,
    part_read,
    text_chunks,
)
from moviegraph.errors import EmbeddingError, VectorSpaceError
from moviegraph.observability import measure_tokens
from moviegraph.openai_api.client import RequestLimits, failure_sentence, refusal_text
from moviegraph.text import plural


def estimated_tokens(text: str) -> int:
    """Estimate high: an exact count would need the vendor's vocabulary, which is a download."""
    return len(text) // 3 + 1


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
    return _unit_rows(rows, space)


def reported_tokens(response: Any) -> int | None:
    """Return the tokens that the endpoint reports; some servers report none."""
    tokens = getattr(getattr(response, "usage", None), "total_tokens", None)
    return tokens if isinstance(tokens, int) and tokens > 0 else None


def _unit_rows(rows: list[Vectors], space: VectorSpace) -> Vectors:
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


PREFIX = "MOVIEGRAPH_EMBEDDER"
CACHED_QUERIES = 2048
QUERY = RequestLimits(timeout=30, retries=2)
BUILD = RequestLimits(timeout=120, retries=6)
MIN_SPLIT_CHARS = 64
"""Characters; a text this short is not the reason for a token limit."""

Answers = Generator[tuple[range, Vectors], None, None]


@dataclass(frozen=True, slots=True)
class RequestFormat:
    """How a request is written; each refusal of one thing drops that thing for good.

    `encoding` "auto" lets the client ask for base64, which is shorter.
    """

    encoding: Literal["auto", "float"] = "auto"
    dimensions: bool = False

    def after(self, error: openai.APIStatusError) -> "RequestFormat | None":
        """Return how to write the request instead, or None when nothing can be dropped."""
        complaint = refusal_text(error)
        if self.encoding == "auto" and ("base64" in complaint or "encoding_format" in complaint):
            return replace(self, encoding="float")
        if self.dimensions and "dimension" in complaint:
            return replace(self, dimensions=False)  # the width that comes back is checked anyway
        return None


class OpenAIEmbedder:
    """Batches texts into requests, multiple in flight; only the client retries.

    Args:
        client: Client of the endpoint.
        space: Identity of the vectors: the model, never the deployment.
        deployment: What the endpoint calls the model, if not by its name.
        request_format: The first format; by default that of the vendor's models.
        limits: Sizes of requests.
        query: RequestLimits with a single text.
        build: RequestLimits with many.
    """

    def __init__(
        self,
        client: openai.OpenAI,
        space: VectorSpace,
        *,
        deployment: str | None = None,
        request_format: RequestFormat | None = None,
        limits: Batching | None = None,
        query: RequestLimits = QUERY,
        build: RequestLimits = BUILD,
    ) -> None:
        self._space = space
        self._model = deployment or space.model
        self._format = request_format or RequestFormat(
            dimensions=space.model.startswith("text-embedding-3")
        )
        self._limits = limits or Batching()
        self._query_client = _limited(client, query)
        self._build_client = _limited(client, build)
        self._queries = QueryCache(CACHED_QUERIES)

    @property
    def space(self) -> VectorSpace:
        """Identity of the vectors."""
        return self._space

    def load(self) -> None:
        """Do nothing: there is nothing to load, and nothing is sent without need."""

    def close(self) -> None:
        """Close the connections."""
        self._query_client.close()

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one row of length 1 a text; a single text is remembered as a query."""
        cleaned = [_sendable(text, row, len(texts)) for row, text in enumerate(texts)]
        if len(cleaned) != 1:
            return self._embed_many(cleaned, self._build_client, progress)
        vector = self._queries.vector(cleaned[0], self._embed_query)
        if progress:
            progress(1, 1)
        return vector[np.newaxis].copy()

    def _embed_query(self, text: str) -> Vector:
        return self._embed_many([text], self._query_client, None)[0]

    def _embed_many(
        self, texts: list[str], client: openai.OpenAI, progress: Progress | None
    ) -> Vectors:
        chunks = [text_chunks(text, self._limits.characters) for text in texts]
        flat = [chunk for some in chunks for chunk in some]
        owners = [row for row, some in enumerate(chunks) for _ in some]
        vectors = np.empty((len(flat), self._space.dimensions), np.float32)
        missing = Counter(owners)
        with closing(self._answers(flat, client)) as answers:
            for batch, part in answers:
                vectors[batch.start : batch.stop] = part
                missing.subtract(owners[index] for index in batch)
                if progress:
                    progress(sum(not count for count in missing.values()), len(texts))
        return vectors if len(flat) == len(texts) else _means(vectors, chunks)

    def _answers(self, texts: list[str], client: openai.OpenAI) -> Answers:
        """Yield the batches as they are answered; the first failure drops those not yet sent."""
        planned = list(batch_ranges(texts, self._limits))
        if len(planned) == 1:
            yield planned[0], self._request(texts, client)
            return
        pool = ThreadPoolExecutor(self._limits.in_flight, thread_name_prefix="embed")
        try:
            batch_by_future: dict[Future[Vectors], range] = {
                pool.submit(self._request, texts[batch.start : batch.stop], client): batch
                for batch in planned
            }
            for future in as_completed(batch_by_future):
                yield batch_by_future[future], future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _request(self, texts: list[str], client: openai.OpenAI) -> Vectors:
        request_format = self._format
        try:
            response = self._send(texts, request_format, client)
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            return self._after_refusal(texts, request_format, error, client)
        except openai.OpenAIError as error:
            if isinstance(error, openai.APIStatusError) and error.status_code == 413:
                return self._after_refusal(texts, request_format, error, client)
            raise self._failure(error) from None
        except (AttributeError, TypeError, ValueError):  # the client could not read the answer
            response = None
        vectors = response_vectors(response, len(texts), self._space)
        tokens = reported_tokens(response) or sum(map(estimated_tokens, texts))
        measure_tokens("embeddings", self._model, tokens)
        return vectors

    def _send(self, texts: list[str], request_format: RequestFormat, client: openai.OpenAI) -> Any:
        return client.embeddings.create(
            model=self._model,
            input=texts,
            dimensions=self._space.dimensions if request_format.dimensions else openai.omit,
            encoding_format="float" if request_format.encoding == "float" else openai.omit,
        )

    def _after_refusal(
        self,
        texts: list[str],
        request_format: RequestFormat,
        error: openai.APIStatusError,
        client: openai.OpenAI,
    ) -> Vectors:
        """Send again in a different form; each step drops something or halves the texts."""
        if without := request_format.after(error):
            self._format = without
            return self._request(texts, client)
        if not _is_too_long(error):
            raise self._failure(error) from None
        if len(texts) > 1:
            middle = len(texts) // 2
            halves = texts[:middle], texts[middle:]
            return np.concatenate([self._request(half, client) for half in halves])
        if len(texts[0]) < MIN_SPLIT_CHARS:
            raise self._failure(error) from None
        chunks = text_chunks(texts[0], len(texts[0]) * 2 // 3)
        return normalized_mean(self._request(chunks, client))[np.newaxis]

    def _failure(self, error: openai.OpenAIError) -> EmbeddingError:
        return EmbeddingError(failure_sentence(error, f"The embedding model {self._model}", PREFIX))


def _limited(client: openai.OpenAI, limits: RequestLimits) -> openai.OpenAI:
    return client.with_options(timeout=limits.timeout, max_retries=limits.retries)


def _is_too_long(error: openai.APIStatusError) -> bool:
    complaint = refusal_text(error)
    names_limit = "context_length" in complaint or ("max" in complaint and "token" in complaint)
    return names_limit or error.status_code == 413


def _sendable(text: str, row: int, total: int) -> str:
    """Replace what cannot be sent (lone surrogates); endpoints refuse an empty text."""
    sendable = part_read(text).encode("utf-8", "replace").decode()
    if not sendable:
        raise EmbeddingError(f"Text {row + 1} of {total} is empty: it has no embedding.")
    return sendable


def _means(vectors: Vectors, chunks: list[list[str]]) -> Vectors:
    """Return one vector a text from those of its chunks."""
    ends = np.cumsum([len(some) for some in chunks])
    parts = np.split(vectors, ends[:-1])
    return np.stack([normalized_mean(part) for part in parts])
