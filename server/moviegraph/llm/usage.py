"""What a language model has cost so far."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Usage:
    """Requests that were answered, and the tokens that the endpoint says they took.

    `silent` counts the answers whose tokens the endpoint did not tell.
    """

    requests: int = 0
    prompt: int = 0
    completion: int = 0
    silent: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of both directions."""
        return self.prompt + self.completion

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.requests + other.requests,
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.silent + other.silent,
        )

    def plus(self, told: object) -> "Usage":
        """Return the usage after one more answer; `told` is what the endpoint says it took."""
        prompt = getattr(told, "prompt_tokens", None)
        completion = getattr(told, "completion_tokens", None)
        if not isinstance(prompt, int) or not isinstance(completion, int):
            return replace(self, requests=self.requests + 1, silent=self.silent + 1)
        return replace(
            self,
            requests=self.requests + 1,
            prompt=self.prompt + prompt,
            completion=self.completion + completion,
        )
