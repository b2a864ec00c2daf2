"""Every error the project raises on purpose, and whom it is for.

MoviegraphError
├── ForModel: the client's model can mend it
│   ├── ArgumentError        an argument outside its bounds
│   ├── NotFoundError        a name, id or execution that does not exist
│   ├── RefusedError         the guard said no
│   ├── ExecutionError       the engine could not run the statement
│   ├── QueryTimeoutError    a statement or call ran out of time
│   ├── UnavailableError     the database cannot be asked just now; later it may
│   └── ResultTooLargeError  a value that may not be cut exceeds the caps
└── ForOperator: only who runs the server can mend it
    ├── SettingsError        a setting is missing or wrong
    ├── ContractError        the contract folder is broken
    ├── GraphError           a graph folder is missing, half-built or of another contract
    ├── DatabaseError        the SQL Server cannot be reached, or is not as it must be
    ├── SourceError          the data to load are missing, damaged or of no known format
    ├── EmbeddingError       the embedder failed
    │   └── VectorSpaceError stored and query vectors are not comparable
    ├── ModelError           the language model failed
    │   └── ModelAccessError whatever it is asked next would fail alike
    └── JournalError         the journal cannot be read or written
"""

from typing import ClassVar

Span = tuple[int, int]


class MoviegraphError(Exception):
    """Base of all errors: a stable code, a message, and what to do next.

    Args:
        message: What was wrong and why, in one or two sentences.
        code: Stable identifier; by default the one of the class.
        hint: What to do or write instead.
        span: Half-open character range of the input that is meant.
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


class ForModel(MoviegraphError):
    """An error whose text reaches the client's model as it is."""


class ArgumentError(ForModel):
    """A tool argument is missing, unknown or outside its bounds."""

    default_code = "invalid_argument"


class NotFoundError(ForModel):
    """Nothing of that name or id exists."""

    default_code = "not_found"


class RefusedError(ForModel):
    """The guard refused the statement; the code is the guard's."""

    default_code = "refused"


class ExecutionError(ForModel):
    """The engine accepted the statement's shape but could not run it."""

    default_code = "execution_failed"


class QueryTimeoutError(ForModel):
    """The statement or the call exceeded its time limit, or was cancelled."""

    default_code = "timeout"


class UnavailableError(ForModel):
    """The database cannot be asked just now; the same call may succeed later."""

    default_code = "unavailable"


class ResultTooLargeError(ForModel):
    """A value that must stay whole (FOR JSON) exceeds the caps."""

    default_code = "result_too_large"


class ForOperator(MoviegraphError):
    """An error whose text goes to the log; the model gets one neutral sentence.

    `neutral` is how that sentence begins: what does not work, and what a model may do instead.
    """

    neutral: ClassVar[str] = "The server could not finish this"


class SettingsError(ForOperator):
    """A setting is missing, malformed or contradicts another."""

    default_code = "settings"


class ContractError(ForOperator):
    """A contract folder is broken; the message names file and key."""

    default_code = "contract"


class GraphError(ForOperator):
    """A graph folder is missing, half-built, or belongs to another contract."""

    default_code = "graph"
    neutral = "The graph, or a part of it, cannot be read just now"


class DatabaseError(ForOperator):
    """The SQL Server cannot be reached, refuses the log-in, or is not as it must be."""

    default_code = "database"
    neutral = "The database cannot be asked just now"


class SourceError(ForOperator):
    """The data to load are missing, damaged or of no known format."""

    default_code = "source"


class EmbeddingError(ForOperator):
    """The embedder could not be loaded or did not answer."""

    default_code = "embedding"
    neutral = (
        "Searching by meaning does not work just now, while searches by words, SQL without @q and "
        "walks from named nodes do"
    )


class VectorSpaceError(EmbeddingError):
    """Stored vectors and the query's vector are not comparable."""

    default_code = "vector_space"


class ModelError(ForOperator):
    """The configured language model failed or answered in the wrong shape."""

    default_code = "language_model"


class ModelAccessError(ModelError):
    """Key, quota, name or address of the language model are wrong: all it is asked fails alike."""

    default_code = "language_model_access"


class JournalError(ForOperator):
    """The journal cannot be opened, written or verified."""

    default_code = "journal"
    neutral = "What was done could not be recorded, so it is not answered"
