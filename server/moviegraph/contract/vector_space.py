"""The identity of a vector space: what makes two vectors comparable."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from moviegraph.errors import VectorSpaceError

MAX_EMBEDDED_CHARS = 64_000
"""Of one text, some 60 chunks of the model in the box; what follows has no part in its vector."""


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
    """Raise VectorSpaceError, naming each difference and both ways out, unless they agree."""
    before, now = asdict(stored), asdict(query)
    differing = [
        f"{name}: stored {before[name]!r}, query {now[name]!r}"
        for name in before
        if before[name] != now[name]
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
