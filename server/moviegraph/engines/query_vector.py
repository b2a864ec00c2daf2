"""What a statement with @q needs of the graph and of its caller, the same on every engine."""

from moviegraph.engines.base import Statement
from moviegraph.errors import ExecutionError, VectorSpaceError


def require_vectors(statement: Statement, *, stored: bool) -> None:
    """Raise ExecutionError if a statement uses @q and the graph holds no vectors."""
    if statement.allowed.uses_query and not stored:
        raise ExecutionError(
            "This graph holds no vectors, so nothing can be compared with @q.",
            code="unsupported_by_engine",
            hint="Search with CONTAINS or FREETEXT instead.",
        )


def require_query_vector(statement: Statement, dimensions: int) -> None:
    """Check the vector of a statement that uses @q.

    Raises:
        ExecutionError: There is none (code query_missing).
        VectorSpaceError: Its length is not that of the stored ones.
    """
    if not statement.allowed.uses_query:
        return
    if statement.vector is None:
        raise ExecutionError(
            "The statement uses @q, but no query text was given.",
            code="query_missing",
            hint="Give the text to compare with as `query`.",
        )
    if statement.vector.shape != (dimensions,):
        raise VectorSpaceError(
            f"The vector behind @q has shape {statement.vector.shape}; the stored vectors "
            f"have {dimensions} dimensions."
        )
