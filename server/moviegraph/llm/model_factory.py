"""Opens the configured language model."""

from typing import TYPE_CHECKING

from moviegraph.errors import SettingsError
from moviegraph.openai_api.endpoint import Endpoint, EndpointSettings, split_provider

if TYPE_CHECKING:
    from moviegraph.llm.openai_model import OpenAIModel

PREFIX = "MOVIEGRAPH_LLM"
TIMEOUT = 60.0
RETRIES = 2
MANY_RETRIES = 6
MOST_SECONDS = 300.0


def open_model(
    provider: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    azure_endpoint: str | None = None,
    api_version: str | None = None,
    timeout: float = TIMEOUT,
    many: bool = False,
) -> "OpenAIModel":
    """Return the language model that a setting names; nothing is sent yet.

    Args:
        provider: "openai:MODEL" or "azure:DEPLOYMENT".
        base_url: A compatible server instead of OpenAI's.
        api_key: The key of that address.
        azure_endpoint: The Azure resource.
        api_version: Azure's version of the interface.
        timeout: Seconds for one request; two more tries are made within them.
        many: It is to be asked many questions by a program that can wait: more tries, each with
            its own time, and all wait while the endpoint limits the rate.

    Raises:
        SettingsError: The provider is unknown, or a setting it needs is missing.
    """
    endpoint = model_endpoint(
        provider,
        base_url=base_url,
        api_key=api_key,
        azure_endpoint=azure_endpoint,
        api_version=api_version,
    )
    from moviegraph.llm.openai_model import OpenAIModel, RequestRetry, RetryAfterHold
    from moviegraph.openai_api.client import RequestLimits, open_client

    patient = (
        RequestRetry(MANY_RETRIES, total=MOST_SECONDS, gate=RetryAfterHold()) if many else None
    )
    client = open_client(endpoint, RequestLimits(timeout=timeout, retries=RETRIES))
    return OpenAIModel(client, endpoint.name, endpoint.model, patient)


def model_endpoint(
    provider: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    azure_endpoint: str | None = None,
    api_version: str | None = None,
) -> Endpoint:
    """Return where the language model is that a setting names.

    Raises:
        SettingsError: The provider is unknown, or a setting it needs is missing.
    """
    kind, name = split_provider(provider)
    if kind not in ("openai", "azure"):
        raise SettingsError(
            f"{PREFIX} is {provider!r}, which is not a language model.",
            hint=(
                'Use "openai:MODEL" or "azure:DEPLOYMENT"; for a model on this machine, use '
                f"openai:MODEL with {PREFIX}_BASE_URL."
            ),
        )
    settings = EndpointSettings(PREFIX, base_url, api_key, azure_endpoint, api_version)
    return settings.endpoint(kind, name)
