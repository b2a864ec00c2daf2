"""What hosted embeddings cost."""

from dataclasses import dataclass, replace

USD_PER_MILLION_TOKENS = {
    "text-embedding-3-small": 0.02,
    "text-embedding-3-large": 0.13,
    "text-embedding-ada-002": 0.10,
}


@dataclass(frozen=True, slots=True)
class Usage:
    """Requests, texts and tokens so far; dollars where the price is known."""

    requests: int = 0
    texts: int = 0
    tokens: int = 0
    usd: float | None = None

    def plus(self, texts: int, tokens: int, price: float | None) -> "Usage":
        """Return the usage after one more request, at a price per million tokens."""
        usd = None if price is None else (self.usd or 0.0) + price * tokens / 1e6
        return replace(
            self,
            requests=self.requests + 1,
            texts=self.texts + texts,
            tokens=self.tokens + tokens,
            usd=usd,
        )


def estimated_tokens(text: str) -> int:
    """Estimate high: an exact count would need the vendor's vocabulary, which is a download."""
    return len(text) // 3 + 1
