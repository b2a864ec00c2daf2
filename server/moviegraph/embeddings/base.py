"""What an embedder is."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from moviegraph.contract.space import VectorSpace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Vectors = NDArray[np.float32]
else:  # numpy is slow to import, and start-up needs only the names
    Vector = Vectors = Any

Progress = Callable[[int, int], None]


class Embedder(Protocol):
    """Turns texts into normalised float32 vectors; safe to call from several threads."""

    @property
    def space(self) -> VectorSpace:
        """Identity of the vectors; known without loading the model."""
        ...

    def load(self) -> None:
        """Load what is loaded lazily, now. Raises EmbeddingError."""
        ...

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return an array of shape (len(texts), space.dimensions), rows of length 1.

        A text over the model's length is the normalised mean of its chunks; of a very long one
        only the beginning is read. `progress(done, total)` is called as texts are finished.
        Raises EmbeddingError, VectorSpaceError.
        """
        ...
