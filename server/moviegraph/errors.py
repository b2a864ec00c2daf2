"""Errors that the project raises on purpose.

A `ModelVisibleError` can be fixed by the client's model, an `OperatorError` only by the operator.
"""

from typing import ClassVar

Span = tuple[int, int]


class MoviegraphError(Exception):
    """Base of all errors: a stable code, a message and a hint.

    Args:
        message: The problem and its cause, in one or two sentences.
        code: Stable identifier; by default that of the class, which is its keyword `code`.
        hint: The fix.
        span: Half-open character range of the input that the error is about.
        suggestions: Nearest valid alternatives, best first.
    """

    default_code: ClassVar[str] = "error"

    def __init_subclass__(cls, *, code: str | None = None) -> None:
        cls.default_code = code or cls.default_code

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        hint: str | None = None,
        span: Span | None = None,
        suggestions: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.hint = hint
        self.span = span
        self.suggestions = suggestions


class ModelVisibleError(MoviegraphError):
    """An error whose text is sent to the client's model."""


class ArgumentError(ModelVisibleError, code="invalid_argument"):
    """A tool argument is missing, unknown or outside its bounds."""


class NotFoundError(ModelVisibleError, code="not_found"):
    """No node, record or execution has that name or id."""


class RefusedError(ModelVisibleError, code="refused"):
    """The guard refused the statement; the code is from the guard."""


class ExecutionError(ModelVisibleError, code="execution_failed"):
    """The guard accepted the statement, but the engine could not run it."""


class QueryTimeoutError(ModelVisibleError, code="timeout"):
    """The statement or the call exceeded its time limit, or was cancelled."""


class UnavailableError(ModelVisibleError, code="unavailable"):
    """The database is temporarily unavailable; the same call may succeed later."""


class ResultTooLargeError(ModelVisibleError, code="result_too_large"):
    """A value that must not be truncated (FOR JSON) exceeds the limits."""


class OperatorError(MoviegraphError):
    """An error whose text is logged; the model receives a generic message.

    `generic_message` is the start of that message: what failed, and what a model can do instead.
    """

    generic_message: ClassVar[str] = "The server could not complete this"


class SettingsError(OperatorError, code="settings"):
    """A setting is missing, malformed or contradicts a different setting."""


class ContractError(OperatorError, code="contract"):
    """A contract folder is invalid; the message names file and key."""


class GraphError(OperatorError, code="graph"):
    """A graph folder is missing, incomplete, or belongs to a different contract."""

    generic_message = "The graph, or a part of it, is temporarily unavailable"


class GraphReplacedError(GraphError):
    """The files were replaced while a call ran: the call renews its graph and runs once more."""


class DatabaseError(OperatorError, code="database"):
    """SQL Server is unreachable, rejects the login, or is not set up correctly."""

    generic_message = "The database cannot be used until its operator has fixed the cause"


class SourceError(OperatorError, code="source"):
    """The data to load is missing, damaged or of an unknown format."""


class EmbeddingError(OperatorError, code="embedding"):
    """The embedder could not be loaded or did not respond."""

    generic_message = (
        "Semantic search is temporarily unavailable. Full-text search, SQL without @q and "
        "traversals from named nodes still work"
    )


class VectorSpaceError(EmbeddingError, code="vector_space"):
    """Stored vectors and the query's vector are not comparable."""


class ModelError(OperatorError, code="language_model"):
    """The configured language model failed or returned the wrong format."""


class ModelAccessError(ModelError, code="language_model_access"):
    """Key, quota, name or URL of the language model is invalid: every request fails."""


class JournalError(OperatorError, code="journal"):
    """The journal cannot be opened, written or verified."""

    generic_message = "This call could not be recorded, so no result is returned"


PRIMARY = 0xFF  # the last byte of a result code: https://www.sqlite.org/rescode.html


def primary_code(error: Exception) -> int | None:
    """Return the kind of a failure; None for an error that is not SQLite's own."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & PRIMARY
