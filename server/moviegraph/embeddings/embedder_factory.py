"""Opens the configured embedder."""

from moviegraph.contract.vector_space import VectorSpace
from moviegraph.embeddings.embedder import Embedder
from moviegraph.errors import SettingsError
from moviegraph.openai_api.endpoint import Endpoint, EndpointSettings, split_provider

PREFIX = "MOVIEGRAPH_EMBEDDER"
DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}


def open_embedder(
    provider: str = "local",
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    azure_endpoint: str | None = None,
    api_version: str | None = None,
    model: str | None = None,
    dimensions: int | None = None,
) -> Embedder:
    """Return the embedder that a setting names; nothing is loaded or sent yet.

    Args:
        provider: "local", "openai:MODEL" or "azure:DEPLOYMENT".
        base_url: A compatible server instead of OpenAI's.
        api_key: The key of that address.
        azure_endpoint: The Azure resource.
        api_version: Azure's version of the interface.
        model: Which model the deployment or alias serves: the identity of its vectors.
        dimensions: Width of a vector, where it is not the model's own.

    Raises:
        SettingsError: The provider is unknown, or a setting it needs is missing.
    """
    kind, name = split_provider(provider)
    if kind == "local" and not name:
        from moviegraph.embeddings.local_embedder import LocalEmbedder

        return LocalEmbedder()
    if kind not in ("openai", "azure"):
        raise SettingsError(
            f"{PREFIX} is {provider!r}, which is not an embedder.",
            hint='Use "local", "openai:MODEL" or "azure:DEPLOYMENT".',
        )
    settings = EndpointSettings(PREFIX, base_url, api_key, azure_endpoint, api_version)
    endpoint = settings.endpoint(kind, name)
    return _hosted(endpoint, _space(endpoint, model, dimensions))


def _space(endpoint: Endpoint, model: str | None, dimensions: int | None) -> VectorSpace:
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
    return VectorSpace("openai", identity, width)


def _hosted(endpoint: Endpoint, space: VectorSpace) -> Embedder:
    from moviegraph.embeddings.openai_embedder import BUILD, OpenAIEmbedder, RequestFormat
    from moviegraph.openai_api.client import open_client

    wire = RequestFormat(
        encoding="auto" if endpoint.is_vendors else "float",  # some other servers refuse base64
        dimensions=space.model.startswith("text-embedding-3"),
    )
    client = open_client(endpoint, BUILD)
    return OpenAIEmbedder(client, space, deployment=endpoint.model, wire=wire)
