"""The identity of a vector space, which makes vectors comparable."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from moviegraph.errors import VectorSpaceError

MAX_EMBEDDED_CHARS = 64_000
"""Of one text, about 60 chunks of the built-in model; the rest does not change its vector."""


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """Family, model, dimensions and variant; not the endpoint, deployment or key.

    Attributes:
        family: Who trained the weights: "local", "openai" (Azure serves the same weights).
        model: The model, never the name of a deployment.
        dimensions: Length of a vector.
        variant: Digest of local weights, quantisation, query prefix: whatever moves vectors.
    """

    family: str
    model: str
    dimensions: int
    variant: str = ""

    @property
    def id(self) -> str:
        """Short digest that names the space in manifests and caches."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "VectorSpace":
        """Read what `asdict` wrote."""
        return cls(
            str(record["family"]),
            str(record["model"]),
            int(record["dimensions"]),
            str(record.get("variant", "")),
        )


def require_same_space(stored: VectorSpace, query: VectorSpace) -> None:
    """Raise VectorSpaceError, with each difference and both fixes, unless they agree."""
    stored_keys, query_keys = asdict(stored), asdict(query)
    differing = [
        f"{name}: stored {stored_keys[name]!r}, query {query_keys[name]!r}"
        for name in stored_keys
        if stored_keys[name] != query_keys[name]
    ]
    if differing:
        raise VectorSpaceError(
            f"The stored vectors and the query model are not comparable ({'; '.join(differing)}).",
            hint=(
                f"Set MOVIEGRAPH_EMBEDDER to the model {stored.model} ({stored.family}, "
                f"{stored.dimensions} dimensions), or load the graph again with the new "
                "model."
            ),
        )
