import socket
from collections.abc import Iterator
from contextlib import closing
from typing import Any, cast

import pytest
from fakes.fake_openai import FakeOpenAI
from fakes.hashed_embedder import hashed_words

from moviegraph.embeddings.embedder import VectorSpace
from moviegraph.embeddings.local_embedder import LocalEmbedder
from moviegraph.embeddings.openai_embedder import OpenAIEmbedder
from moviegraph.embeddings.opening import open_embedder
from moviegraph.errors import EmbeddingError, SettingsError

SMALL = "text-embedding-3-small"
FOREIGN_HEADERS = "X-Tenant: secret\nAuthorization: Bearer stolen\n"


@pytest.fixture(autouse=True)
def no_vendor_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in ("OPENAI", "AZURE_OPENAI"):
        for name in ("API_KEY", "BASE_URL", "ENDPOINT", "API_VERSION", "AD_TOKEN"):
            monkeypatch.delenv(f"{provider}_{name}", raising=False)


@pytest.fixture
def fake() -> FakeOpenAI:
    return FakeOpenAI()


@pytest.fixture
def address(fake: FakeOpenAI) -> Iterator[str]:
    with fake.loopback() as address:
        yield address


def open_hosted(provider: str, **settings: Any) -> OpenAIEmbedder:
    return cast("OpenAIEmbedder", open_embedder(provider, **settings))


def test_local_is_the_default() -> None:
    assert isinstance(open_embedder(), LocalEmbedder)


@pytest.mark.parametrize(
    ("provider", "settings", "space"),
    [
        pytest.param("openai:" + SMALL, {}, VectorSpace("openai", SMALL, 1536), id="known"),
        pytest.param(
            "OpenAI: text-embedding-3-large ",
            {"dimensions": 256},
            VectorSpace("openai", "text-embedding-3-large", 256),
            id="shortened",
        ),
        pytest.param(
            "openai:bge:latest",
            {"base_url": "http://127.0.0.1:1/v1", "dimensions": 384},
            VectorSpace("openai", "bge:latest", 384),
            id="other server",
        ),
        pytest.param(
            "azure:prod-1",
            {
                "azure_endpoint": "https://r.example",
                "api_version": "2024-10-21",
                "model": SMALL,
            },
            VectorSpace("openai", SMALL, 1536),
            id="azure has the space of the model",
        ),
    ],
)
def test_the_space_is_that_of_the_model(
    provider: str, settings: dict[str, Any], space: VectorSpace
) -> None:
    with closing(open_hosted(provider, api_key="k", **settings)) as embedder:
        assert embedder.space == space


@pytest.mark.parametrize(
    ("provider", "settings", "says"),
    [
        pytest.param("cohere:x", {}, '"local", "openai:MODEL" or "azure:DEPLOYMENT"', id="other"),
        pytest.param("", {}, '"local", "openai:MODEL"', id="empty"),
        pytest.param("local:x", {}, '"local", "openai:MODEL"', id="local with a model"),
        pytest.param("openai", {"api_key": "k"}, "Write openai:MODEL", id="no model"),
        pytest.param("azure:", {"api_key": "k"}, "Write azure:DEPLOYMENT", id="no deployment"),
        pytest.param("openai:" + SMALL, {}, "MOVIEGRAPH_EMBEDDER_API_KEY", id="no key"),
        pytest.param(
            "openai:" + SMALL, {"api_key": "a\nb"}, "Copy the key again", id="key with a line end"
        ),
        pytest.param(
            "openai:x", {"api_key": "k"}, "MOVIEGRAPH_EMBEDDER_DIMENSIONS", id="unknown width"
        ),
        pytest.param(
            "openai:" + SMALL, {"api_key": "k", "dimensions": 0}, "DIMENSIONS is 0", id="no width"
        ),
        pytest.param(
            "openai:" + SMALL, {"base_url": "localhost:1"}, "not a web URL", id="no scheme"
        ),
        pytest.param("openai:" + SMALL, {"base_url": "http://[x"}, "not a web", id="broken url"),
        pytest.param(
            "azure:d",
            {"api_key": "k"},
            "MOVIEGRAPH_EMBEDDER_AZURE_ENDPOINT, MOVIEGRAPH_EMBEDDER_API_VERSION",
            id="azure settings",
        ),
        pytest.param(
            "azure:d",
            {"api_key": "k", "azure_endpoint": "https://r.example", "api_version": "1"},
            "MOVIEGRAPH_EMBEDDER_MODEL",
            id="azure model",
        ),
    ],
)
def test_a_wrong_setting_names_what_to_set(
    provider: str, settings: dict[str, Any], says: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        open_embedder(provider, **settings)
    assert says in f"{caught.value.message} {caught.value.hint}"


def test_another_server_is_asked_for_floats_without_a_key_or_proxy(
    fake: FakeOpenAI, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", FOREIGN_HEADERS)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    fake.api_key = "none"
    with closing(
        open_hosted("openai:" + SMALL, base_url=f"{address}/v1", dimensions=16)
    ) as embedder:
        assert embedder.embed(["x"])[0] == pytest.approx(hashed_words("x", 16), abs=1e-6)
    request = fake.requests[0]
    assert request.body["encoding_format"] == "float"
    assert request.headers["authorization"] == "Bearer none"
    assert not any("secret" in value for value in request.headers.values())


def test_the_vendors_key_goes_to_the_vendors_address_only(
    fake: FakeOpenAI, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{address}/v1")
    with closing(open_hosted("openai:" + SMALL, dimensions=16)) as embedder:
        embedder.embed(["x"])
    assert fake.requests[0].headers["authorization"] == "Bearer test-key"


def test_azure_is_reached_by_its_settings(
    fake: FakeOpenAI, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "secret")
    fake.widths = {"prod": 16}
    settings = {"azure_endpoint": address, "api_version": "2024-10-21", "api_key": "test-key"}
    with closing(open_hosted("azure:prod", model=SMALL, dimensions=16, **settings)) as embedder:
        embedder.embed(["x"])
    assert fake.requests[0].path.startswith("/openai/deployments/prod/embeddings?api-version=")
    assert fake.requests[0].headers["api-key"] == "test-key"


def test_azures_own_variables_serve_together(
    fake: FakeOpenAI, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", address)
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "test-key")
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    fake.widths = {SMALL: 16}
    with closing(open_hosted(f"azure:{SMALL}", dimensions=16)) as embedder:
        embedder.embed(["x"])
    assert len(fake.requests) == 1


def test_a_refused_port_is_a_plain_sentence() -> None:
    from moviegraph.openai_api.client import open_client
    from moviegraph.openai_api.endpoint import Endpoint

    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    endpoint = Endpoint("openai", SMALL, f"http://127.0.0.1:{port}/v1", "k")
    client = open_client(endpoint, timeout=60, retries=0)
    space = VectorSpace("openai", SMALL, 16)
    with (
        closing(OpenAIEmbedder(client, space)) as embedder,
        pytest.raises(EmbeddingError, match="is unreachable") as caught,
    ):
        embedder.embed(["x"])
    assert str(port) not in caught.value.message


def test_opening_a_hosted_embedder_does_not_show_its_key() -> None:
    from moviegraph.openai_api.endpoint import EndpointSettings

    settings = EndpointSettings("MOVIEGRAPH_LLM", "", api_key="very-secret")
    assert "secret" not in repr(settings)
    assert "secret" not in repr(settings.endpoint("openai:m"))
