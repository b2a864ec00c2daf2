"""Opens the openai client for an endpoint, so that no credential goes astray."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import openai

from moviegraph.hosted.endpoint import Endpoint

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds for one attempt, and how often the client tries again; nobody else retries."""

    timeout: float
    retries: int


def open_client(
    endpoint: Endpoint,
    patience: Patience,
    *,
    transport: "httpx2.BaseTransport | None" = None,
) -> openai.OpenAI:
    """Return a client for the endpoint; nothing is sent yet."""
    http = openai.DefaultHttpxClient(
        transport=transport,
        timeout=patience.timeout,
        trust_env=not endpoint.is_loopback,  # a proxy of the environment would get 127.0.0.1 too
        follow_redirects=False,  # the key goes to the configured address only
        event_hooks={"request": [_without_foreign_headers()] if endpoint.of_settings else []},
    )
    if endpoint.provider == "azure":
        return openai.AzureOpenAI(
            azure_endpoint=endpoint.url,
            api_version=endpoint.api_version,
            api_key=endpoint.api_key,
            timeout=patience.timeout,
            max_retries=patience.retries,
            http_client=http,
        )
    return openai.OpenAI(
        base_url=endpoint.url,
        api_key=endpoint.api_key,
        # Explicit, because OPENAI_CUSTOM_HEADERS would otherwise replace it.
        default_headers={"Authorization": f"Bearer {endpoint.api_key}"},
        timeout=patience.timeout,
        max_retries=patience.retries,
        http_client=http,
    )


def _without_foreign_headers() -> Callable[["httpx2.Request"], None]:
    """Drop what the client adds from the vendor's variables, meant for another address."""
    custom = os.environ.get("OPENAI_CUSTOM_HEADERS", "")
    names = {line.partition(":")[0].strip().lower() for line in custom.split("\n")}
    own = {"", "authorization", "api-key", "host", "content-length", "content-type"}
    foreign = (names | {"openai-organization", "openai-project"}) - own

    def drop(request: "httpx2.Request") -> None:
        for name in foreign:
            request.headers.pop(name, None)

    return drop
