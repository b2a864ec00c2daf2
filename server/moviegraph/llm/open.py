"""Opens the configured language model."""

from typing import TYPE_CHECKING

from moviegraph.errors import SettingsError
from moviegraph.hosted.endpoint import EndpointSettings, split_provider

if TYPE_CHECKING:
    from moviegraph.llm.openai_model import OpenAIModel

PREFIX = "MOVIEGRAPH_LLM"
TIMEOUT = 60.0
RETRIES = 2


def open_model(
    provider: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    azure_endpoint: str | None = None,
    api_version: str | None = None,
    timeout: float = TIMEOUT,
) -> "OpenAIModel":
    """Return the language model that a setting names; nothing is sent yet.

    Args:
        provider: "openai:MODEL" or "azure:DEPLOYMENT".
        base_url: A compatible server instead of OpenAI's.
        api_key: The key of that address.
        azure_endpoint: The Azure resource.
        api_version: Azure's version of the interface.
        timeout: Seconds for one request; two more tries are made within them.

    Raises:
        SettingsError: The provider is unknown, or a setting it needs is missing.
    """
    kind, name = split_provider(provider)
    if kind not in ("openai", "azure"):
        raise SettingsError(
            f"{PREFIX} is {provider!r}, which names no language model.",
            hint=(
                'Use "openai:MODEL" or "azure:DEPLOYMENT"; for a model on this machine '
                f"openai:MODEL with {PREFIX}_BASE_URL."
            ),
        )
    settings = EndpointSettings(PREFIX, base_url, api_key, azure_endpoint, api_version)
    endpoint = settings.endpoint(kind, name)

    from moviegraph.hosted.client import Patience, open_client
    from moviegraph.llm.openai_model import OpenAIModel

    client = open_client(endpoint, Patience(timeout=timeout, retries=RETRIES))
    return OpenAIModel(client, endpoint.name, endpoint.model)
