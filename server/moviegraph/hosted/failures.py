"""Says in plain sentences why a hosted model did not answer, without keys or addresses."""

import re

import openai

MOST_CHARACTERS = 200
ADDRESS = re.compile(r"\b[\w+.-]+://\S+")


def failure_sentence(error: openai.OpenAIError, name: str, prefix: str) -> str:
    """Return what happened and what to check.

    Args:
        error: What the client raised, after its own retries.
        name: Provider and model, as configured.
        prefix: The setting that configured it; its companions start with it.
    """
    return " ".join(part for part in (f"{name} {_what(error)}.", _advice(error, prefix)) if part)


def is_lasting(error: openai.OpenAIError) -> bool:
    """Return whether every other request would fail alike, so that none need be tried."""
    match error:
        case (
            openai.AuthenticationError()
            | openai.PermissionDeniedError()
            | openai.NotFoundError()
            | openai.RateLimitError(code="insufficient_quota")
        ):
            return True
        case _:
            return False


def refusal_text(error: openai.APIStatusError) -> str:
    """Return what the endpoint says it dislikes, in lower case, to tell refusals apart."""
    return f"{error.code} {error.param} {error.message}".lower()


def _what(error: openai.OpenAIError) -> str:
    match error:
        case openai.APITimeoutError():
            return "did not respond in time, retries included"
        case openai.APIConnectionError():
            return "is unreachable"
        case openai.AuthenticationError():
            return "rejected the key (401)"
        case openai.PermissionDeniedError():
            return "does not permit this with the configured key (403)"
        case openai.NotFoundError():
            return "does not exist there (404)"
        case openai.RateLimitError(code="insufficient_quota"):
            return "has no quota left (429)"
        case openai.RateLimitError():
            return "is limiting the rate of requests (429), retries included"
        case openai.APIStatusError(status_code=status) if status >= 500:
            return f"failed ({status}), retries included"
        case openai.APIStatusError(status_code=status):
            return f"rejected the request ({status}): {_redacted(error)}"
        case _:
            return f"failed ({type(error).__name__})"


def _advice(error: openai.OpenAIError, prefix: str) -> str:
    match error:
        case openai.APIConnectionError():
            return f"Check {prefix}_BASE_URL or {prefix}_AZURE_ENDPOINT, and the network."
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return f"Check {prefix}_API_KEY."
        case openai.NotFoundError():
            return f"Check {prefix}, its URL and its API version."
        case openai.RateLimitError():
            return "Wait, or increase the quota."
        case _:
            return ""


def _redacted(error: openai.APIStatusError) -> str:
    """Keep the endpoint's words, but no address and nothing that could be a key."""
    said = error.message.removeprefix(f"Error code: {error.status_code} - ")
    words = (_word(word) for word in ADDRESS.sub("[address]", said).split())
    text = " ".join(words)
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def _word(word: str) -> str:
    """Hide long words with digits, and what follows "sk-": keys look like that, prose does not."""
    secret = "sk-" in word or (len(word) >= 20 and any(char.isdigit() for char in word))
    return "[hidden]" if secret else word
