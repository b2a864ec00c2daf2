"""The endpoint of a hosted model, and its key."""

import os
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from moviegraph.errors import SettingsError
from moviegraph.text import is_loopback

OPENAI_URL = "https://api.openai.com/v1"
KEYLESS = "none"

Provider = Literal["openai", "azure"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model behind one address.

    Attributes:
        provider: How the model is addressed.
        model: The model on the wire: on Azure the name of the deployment.
        url: Base URL, or the Azure resource.
        api_key: The key for this address and no other.
        api_version: Azure's version of the interface.
        of_settings: The address is one of our settings, so nothing of the vendor's own
            variables (key, organisation, headers) may go there.
    """

    provider: Provider
    model: str
    url: str
    api_key: str = field(repr=False)
    api_version: str | None = None
    of_settings: bool = True

    @property
    def name(self) -> str:
        """Provider and model, as configured."""
        return f"{self.provider}:{self.model}"

    @property
    def is_loopback(self) -> bool:
        """Whether the address is this machine, which no proxy can reach."""
        return is_loopback(urlsplit(self.url).hostname or "")

    @property
    def is_vendors(self) -> bool:
        """Whether OpenAI's own servers or Azure answer, rather than a compatible server."""
        return self.provider == "azure" or self.url == OPENAI_URL


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """The configuration of an endpoint.

    Attributes:
        prefix: Names the variables in messages.
        hint: The settings that name a model.
    """

    prefix: str
    hint: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    azure_endpoint: str | None = None
    api_version: str | None = None

    def endpoint(self, setting: str) -> Endpoint:
        """Return the endpoint of such as "openai:MODEL"; the model may contain more colons.

        Raises SettingsError, naming the variable to set.
        """
        provider, _, model = setting.strip().partition(":")
        provider, model = provider.strip().lower(), model.strip()
        if provider not in ("openai", "azure"):
            raise SettingsError(f"{self.prefix} is {setting!r}, which is unknown.", hint=self.hint)
        if not model:
            raise SettingsError(
                f"{self.prefix} names no model.",
                hint=f"Write {provider}:{'MODEL' if provider == 'openai' else 'DEPLOYMENT'}.",
            )
        return self._openai(model) if provider == "openai" else self._azure(model)

    def _openai(self, model: str) -> Endpoint:
        """Pair address and key: a key of the vendor's variables never goes to our address."""
        if self.base_url:
            url = self._checked_url(self.base_url, "BASE_URL")
            return Endpoint("openai", model, url, self._checked_key(self.api_key or KEYLESS))
        if self.api_key:
            return Endpoint("openai", model, OPENAI_URL, self._checked_key(self.api_key))
        if key := os.environ.get("OPENAI_API_KEY"):
            url = self._checked_url(os.environ.get("OPENAI_BASE_URL") or OPENAI_URL, "BASE_URL")
            return Endpoint("openai", model, url, self._checked_key(key), of_settings=False)
        raise SettingsError(
            f"{self.prefix} is openai:{model}, but there is no key.",
            hint=f"Set {self.prefix}_API_KEY or OPENAI_API_KEY, or set {self.prefix}_BASE_URL for "
            "a server without keys.",
        )

    def _azure(self, deployment: str) -> Endpoint:
        address, key = self.azure_endpoint, self.api_key
        if not address:
            address = os.environ.get("AZURE_OPENAI_ENDPOINT")
            key = key or os.environ.get("AZURE_OPENAI_API_KEY")
        version = self.api_version or os.environ.get("OPENAI_API_VERSION")
        required = {"AZURE_ENDPOINT": address, "API_KEY": key, "API_VERSION": version}
        if missing := [f"{self.prefix}_{name}" for name, value in required.items() if not value]:
            raise SettingsError(
                f"{self.prefix} is azure:{deployment}, but required settings are missing.",
                hint=f"Set {', '.join(missing)}.",
            )
        url = self._checked_url(address or "", "AZURE_ENDPOINT")
        return Endpoint("azure", deployment, url, self._checked_key(key or ""), version)

    def _checked_url(self, url: str, name: str) -> str:
        url = url.strip().rstrip("/")
        try:
            parts = urlsplit(url)
            valid = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            valid = False
        if not valid:
            raise SettingsError(
                f"{self.prefix}_{name} is not a web URL.",
                hint="Write the full URL, such as https://example.org/v1.",
            )
        return url

    def _checked_key(self, key: str) -> str:
        key = key.strip()
        if not (key and key.isascii() and key.isprintable()):
            raise SettingsError(
                f"{self.prefix}_API_KEY contains characters that are not valid in a key.",
                hint="Copy the key again, without quotes, spaces or line breaks.",
            )
        return key
