"""Errors that the project raises on purpose, and who can fix them.

MoviegraphError
├── ModelVisibleError: the client's model can fix it
│   ├── ArgumentError        an argument is outside its bounds
│   ├── NotFoundError        a name, id or execution does not exist
│   ├── RefusedError         the guard refused the statement
│   ├── ExecutionError       the engine could not run the statement
│   ├── QueryTimeoutError    a statement or call ran out of time
│   ├── UnavailableError     the database is temporarily unavailable
│   └── ResultTooLargeError  a value that must not be truncated exceeds the limits
└── OperatorError: only the operator can fix it
    ├── SettingsError        a setting is missing or invalid
    ├── ContractError        the contract folder is invalid
    ├── GraphError           a graph folder is missing, incomplete or of a different contract
    ├── DatabaseError        SQL Server is unreachable or not set up correctly
    ├── SourceError          the data to load is missing, damaged or of an unknown format
    ├── EmbeddingError       the embedder failed
    │   └── VectorSpaceError stored and query vectors are not comparable
    ├── ModelError           the language model failed
    │   └── ModelAccessError every request to the language model would fail
    └── JournalError         the journal cannot be read or written
"""

from typing import ClassVar

Span = tuple[int, int]


class MoviegraphError(Exception):
    """Base of all errors: a stable code, a message and a hint.

    Args:
        message: The problem and its cause, in one or two sentences.
        code: Stable identifier; by default that of the class.
        hint: The fix.
        span: Half-open character range of the input that the error is about.
        suggestions: Nearest valid alternatives, best first.
    """

    default_code: ClassVar[str] = "error"

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


class ArgumentError(ModelVisibleError):
    """A tool argument is missing, unknown or outside its bounds."""

    default_code = "invalid_argument"


class NotFoundError(ModelVisibleError):
    """No node, record or execution has that name or id."""

    default_code = "not_found"


class RefusedError(ModelVisibleError):
    """The guard refused the statement; the code is from the guard."""

    default_code = "refused"


class ExecutionError(ModelVisibleError):
    """The guard accepted the statement, but the engine could not run it."""

    default_code = "execution_failed"


class QueryTimeoutError(ModelVisibleError):
    """The statement or the call exceeded its time limit, or was cancelled."""

    default_code = "timeout"


class UnavailableError(ModelVisibleError):
    """The database is temporarily unavailable; the same call may succeed later."""

    default_code = "unavailable"


class ResultTooLargeError(ModelVisibleError):
    """A value that must not be truncated (FOR JSON) exceeds the limits."""

    default_code = "result_too_large"


class OperatorError(MoviegraphError):
    """An error whose text is logged; the model receives a generic message.

    `generic_message` is the start of that message: what failed, and what a model can do instead.
    """

    generic_message: ClassVar[str] = "The server could not complete this"


class SettingsError(OperatorError):
    """A setting is missing, malformed or contradicts a different setting."""

    default_code = "settings"


class ContractError(OperatorError):
    """A contract folder is invalid; the message names file and key."""

    default_code = "contract"


class GraphError(OperatorError):
    """A graph folder is missing, incomplete, or belongs to a different contract."""

    default_code = "graph"
    generic_message = "The graph, or a part of it, is temporarily unavailable"


class DatabaseError(OperatorError):
    """SQL Server is unreachable, rejects the login, or is not set up correctly."""

    default_code = "database"
    generic_message = "The database is temporarily unavailable"


class SourceError(OperatorError):
    """The data to load is missing, damaged or of an unknown format."""

    default_code = "source"


class EmbeddingError(OperatorError):
    """The embedder could not be loaded or did not respond."""

    default_code = "embedding"
    generic_message = (
        "Semantic search is temporarily unavailable. Full-text search, SQL without @q and "
        "traversals from named nodes still work"
    )


class VectorSpaceError(EmbeddingError):
    """Stored vectors and the query's vector are not comparable."""

    default_code = "vector_space"


class ModelError(OperatorError):
    """The configured language model failed or returned the wrong format."""

    default_code = "language_model"


class ModelAccessError(ModelError):
    """Key, quota, name or URL of the language model is invalid: every request fails."""

    default_code = "language_model_access"


class JournalError(OperatorError):
    """The journal cannot be opened, written or verified."""

    default_code = "journal"
    generic_message = "This call could not be recorded, so no result is returned"


PRIMARY = 0xFF  # the last byte of a result code: https://www.sqlite.org/rescode.html


def primary_code(error: Exception) -> int | None:
    """Return the kind of a failure; None for an error that is not SQLite's own."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & PRIMARY
