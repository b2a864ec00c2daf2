"""The embedder that the settings name."""

from moviegraph.embeddings.embedder import DIMENSIONS, PREFIX, Embedder, VectorSpace
from moviegraph.errors import SettingsError
from moviegraph.openai_api.endpoint import Endpoint, EndpointSettings


def open_embedder(
    provider: str = "local",
    *,
    model: str | None = None,
    dimensions: int | None = None,
    query_prefix: str = "",
    document_prefix: str = "",
    **address: str | None,
) -> Embedder:
    """Return the embedder that a setting names; nothing is loaded or sent yet.

    Args:
        provider: "local", "openai:MODEL" or "azure:DEPLOYMENT".
        model: Which model the deployment or alias serves: the identity of its vectors.
        dimensions: Width of a vector, where it is not the model's own.
        query_prefix: What the model expects before a query.
        document_prefix: What it expects before a stored text.
        address: base_url, api_key, azure_endpoint and api_version, as in EndpointSettings.

    Raises:
        SettingsError: The provider is unknown, or a setting it needs is missing.
    """
    prefixes = query_prefix, document_prefix
    if provider.strip().lower() == "local":
        if any(prefixes):
            raise SettingsError(
                f"{PREFIX} is local, whose model takes no prefixes.",
                hint=f"Unset {PREFIX}_QUERY_PREFIX and {PREFIX}_DOCUMENT_PREFIX.",
            )
        from moviegraph.embeddings.local_embedder import LocalEmbedder

        return LocalEmbedder()
    hint = 'Use "local", "openai:MODEL" or "azure:DEPLOYMENT".'
    endpoint = EndpointSettings(PREFIX, hint, **address).endpoint(provider)
    space = _space(endpoint, model, dimensions, prefixes)
    from moviegraph.embeddings.openai_embedder import (
        QUERY_RETRIES,
        QUERY_SECONDS,
        OpenAIEmbedder,
    )
    from moviegraph.openai_api.client import open_client

    return OpenAIEmbedder(
        open_client(endpoint, timeout=QUERY_SECONDS, retries=QUERY_RETRIES),
        space,
        deployment=endpoint.model,
        supports_base64=endpoint.is_vendors,  # some other servers refuse it
    )


def _space(
    endpoint: Endpoint, model: str | None, dimensions: int | None, prefixes: tuple[str, str]
) -> VectorSpace:
    identity = model or endpoint.model
    if endpoint.provider == "azure" and identity not in DIMENSIONS and not model:
        raise SettingsError(
            f"{PREFIX} is {endpoint.name}, and the name of a deployment does not identify "
            "its model.",
            hint=f"Set {PREFIX}_MODEL to the deployed model, such as text-embedding-3-small.",
        )
    width = dimensions if dimensions is not None else DIMENSIONS.get(identity)
    if width is None or width < 1:
        raise SettingsError(
            f"{PREFIX} is {endpoint.name}, with an unknown number of dimensions."
            if width is None
            else f"{PREFIX}_DIMENSIONS is {width}, but a vector has at least one dimension.",
            hint=f"Set {PREFIX}_DIMENSIONS to the dimensions of the model's vectors.",
        )
    return VectorSpace("openai", identity, width, "", *prefixes)
