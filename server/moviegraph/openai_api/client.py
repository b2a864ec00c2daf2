"""Clients of OpenAI-compatible endpoints, and sentences for their failures."""

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import openai

from moviegraph.openai_api.endpoint import Endpoint

if TYPE_CHECKING:
    import httpx2


def open_client(
    endpoint: Endpoint,
    *,
    timeout: float,
    retries: int,
    transport: "httpx2.BaseTransport | None" = None,
) -> openai.OpenAI:
    """Return a client for the endpoint; nothing is sent yet, and nothing else retries.

    Args:
        endpoint: Its address and key.
        timeout: Seconds for one attempt.
        retries: Attempts after the first.
        transport: Sends the requests, in tests.
    """
    http = openai.DefaultHttpxClient(
        transport=transport,
        timeout=timeout,
        trust_env=not endpoint.is_loopback,  # a proxy of the environment would get 127.0.0.1 too
        follow_redirects=False,  # the key goes to the configured address only
        event_hooks={"request": [_without_foreign_headers()] if endpoint.of_settings else []},
    )
    if endpoint.provider == "azure":
        return openai.AzureOpenAI(
            azure_endpoint=endpoint.url,
            api_version=endpoint.api_version,
            api_key=endpoint.api_key,
            timeout=timeout,
            max_retries=retries,
            http_client=http,
        )
    return openai.OpenAI(
        base_url=endpoint.url,
        api_key=endpoint.api_key,
        # Explicit, because OPENAI_CUSTOM_HEADERS would otherwise replace it.
        default_headers={"Authorization": f"Bearer {endpoint.api_key}"},
        timeout=timeout,
        max_retries=retries,
        http_client=http,
    )


def _without_foreign_headers() -> Callable[["httpx2.Request"], None]:
    """Drop the headers from the vendor's variables, which are meant for a different address."""
    custom = os.environ.get("OPENAI_CUSTOM_HEADERS", "")
    names = {line.partition(":")[0].strip().lower() for line in custom.split("\n")}
    retained = {"", "authorization", "api-key", "host", "content-length", "content-type"}
    foreign = (names | {"openai-organization", "openai-project"}) - retained

    def drop(request: "httpx2.Request") -> None:
        for name in foreign:
            request.headers.pop(name, None)

    return drop


def estimated_tokens(text: str) -> int:
    """Estimate high: an exact count would need the vendor's vocabulary, which is a download."""
    return len(text) // 3 + 1


MAX_MESSAGE_CHARS = 200
ADDRESS = re.compile(r"\b[\w+.-]+://\S+")
CHECK_ADDRESS = "Check {0}_BASE_URL or {0}_AZURE_ENDPOINT, and the network."
CHECK_KEY = "Check {0}_API_KEY."
CHECK_NAME = "Check {0}, its URL and its API version."
WAIT = "Wait, or increase the quota."


def failure_sentence(error: openai.OpenAIError, name: str, prefix: str) -> str:
    """Return what happened and what to check.

    Args:
        error: What the client raised, after its own retries.
        name: Provider and model, as configured.
        prefix: The setting that configured it; its companions start with it.
    """
    problem, fix = _explain(error)
    return f"{name} {problem}. {fix.format(prefix)}".rstrip()


def is_lasting(error: openai.OpenAIError) -> bool:
    """Return whether every other request would fail alike, so that none need be tried."""
    lasting = (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError)
    return isinstance(error, lasting) or _has_no_quota(error)


def refusal_text(error: openai.APIStatusError) -> str:
    """Return the error message of the endpoint in lower case, to distinguish refusals."""
    return f"{error.code} {error.param} {error.message}".lower()


def _explain(error: openai.OpenAIError) -> tuple[str, str]:
    """Return what happened, and what to do about it."""
    match error:
        case openai.APITimeoutError():
            return "did not respond in time", CHECK_ADDRESS
        case openai.APIConnectionError():
            return "is unreachable", CHECK_ADDRESS
        case openai.AuthenticationError():
            return "rejected the key (401)", CHECK_KEY
        case openai.PermissionDeniedError():
            return "does not permit this with the configured key (403)", CHECK_KEY
        case openai.NotFoundError():
            return "does not exist there (404)", CHECK_NAME
        case openai.RateLimitError() if _has_no_quota(error):
            return "has no quota left (429)", WAIT
        case openai.RateLimitError():
            return "is limiting the rate of requests (429)", WAIT
        case openai.APIStatusError(status_code=status) if status >= 500:
            return f"failed ({status})", ""
        case openai.APIStatusError(status_code=status):
            return f"rejected the request ({status}): {_redacted(error)}", ""
        case _:
            return f"failed ({type(error).__name__})", ""


def _has_no_quota(error: openai.OpenAIError) -> bool:
    return isinstance(error, openai.RateLimitError) and error.code == "insufficient_quota"


def _redacted(error: openai.APIStatusError) -> str:
    """Keep the endpoint's words, but no address and nothing that could be a key."""
    message = error.message.removeprefix(f"Error code: {error.status_code} - ")
    words = (_word(word) for word in ADDRESS.sub("[address]", message).split())
    text = " ".join(words)
    return text if len(text) <= MAX_MESSAGE_CHARS else text[: MAX_MESSAGE_CHARS - 1] + "…"


def _word(word: str) -> str:
    """Hide long words with digits, and what follows "sk-": keys look like that, prose does not."""
    secret = "sk-" in word or (len(word) >= 20 and any(char.isdigit() for char in word))
    return "[hidden]" if secret else word
