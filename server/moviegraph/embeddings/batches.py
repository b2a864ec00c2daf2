"""Groups texts into requests below an endpoint's limits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from moviegraph.embeddings.usage import estimated_tokens


@dataclass(frozen=True, slots=True)
class Batching:
    """Limits of one request, well below the vendor's (2,048 texts, 300,000 tokens)."""

    texts: int = 128
    tokens: int = 100_000
    in_flight: int = 4
    characters: int = 24_000
    """Of one text; a longer one is cut into chunks."""


def batches(texts: Sequence[str], limits: Batching) -> Iterator[range]:
    """Yield consecutive index ranges that keep the limits; a single text is never cut."""
    begin = tokens = 0
    for index, text in enumerate(texts):
        more = estimated_tokens(text)
        if index > begin and (index - begin >= limits.texts or tokens + more > limits.tokens):
            yield range(begin, index)
            begin, tokens = index, 0
        tokens += more
    if begin < len(texts):
        yield range(begin, len(texts))
