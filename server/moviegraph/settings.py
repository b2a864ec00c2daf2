"""Table of settings, read from options, then MOVIEGRAPH_* variables, then defaults; folders."""

import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from datetime import date, datetime
from errno import ELOOP
from importlib.resources import files
from math import inf
from pathlib import Path
from typing import Any, Literal, get_args

from moviegraph.errors import SettingsError
from moviegraph.names import closest_names
from moviegraph.text import read_host, read_network, read_origin

PREFIX = "MOVIEGRAPH_"
TEST_VARIABLES = frozenset({"MOVIEGRAPH_TEST_MSSQL", "MOVIEGRAPH_TEST_MSSQL_ADMIN"})
TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class SettingType:
    """The allowed values as text, and a parser that raises ValueError."""

    words: str
    read: Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Setting:
    """A row of the table: a field of `Settings`.

    A secret has no flag (a command line shows in process lists) and is never printed.
    """

    name: str
    type: SettingType
    help: str
    default: Any
    secret: bool = False

    @property
    def variable(self) -> str:
        """Name of the environment variable."""
        return PREFIX + self.name.upper()

    @property
    def flag(self) -> str | None:
        """Name of the command-line option, or None for a secret."""
        return None if self.secret else "--" + self.name.replace("_", "-")

    def parse(self, text: str, source: str) -> Any:
        """Return the value of text. Raises SettingsError, which never contains a secret."""
        try:
            return self.type.read(text)
        except ValueError:
            value = "the value" if self.secret else repr(text)
            raise SettingsError(f"{source}: {value} is not {self.type.words}.") from None


def matching(words: str, pattern: str) -> SettingType:
    """Return the type of text that a regular expression matches."""

    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(text)
        return text

    return SettingType(words, read)


def choice(*allowed: str) -> SettingType:
    """Return the type of an enumeration."""
    return matching("one of: " + ", ".join(allowed), "|".join(allowed))


def integer(low: int, high: int) -> SettingType:
    """Return the type of an integer in a range."""

    def read(text: str) -> int:
        value = int(text) if re.fullmatch(r"-?[0-9]{1,12}", text) else low - 1
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return SettingType(f"a whole number from {low} to {high}", read)


def seconds(low: float, high: float) -> SettingType:
    """Return the type of a duration in seconds in a range."""

    def read(text: str) -> float:
        value = float(text)
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return SettingType(f"a number of seconds from {low:g} to {high:g}", read)


def memory(low: int) -> SettingType:
    """Return the type of an amount of memory, in megabytes."""

    def read(text: str) -> int:
        match = re.fullmatch(r"([0-9]{1,7}(?:\.[0-9]{1,3})?) ?(MB|GB)?", text, re.IGNORECASE)
        value = float(match[1]) * (1_000 if (match[2] or "").upper() == "GB" else 1) if match else 0
        if value < low:
            raise ValueError(text)
        return int(value)

    return SettingType(f"megabytes, at least {low}, or such as 1GB", read)


def list_of(items: str, read_one: Callable[[str], str]) -> SettingType:
    """Return the type of values separated by commas."""

    def read(text: str) -> tuple[str, ...]:
        values = tuple(read_one(part.strip()) for part in text.split(",") if part.strip())
        if not values:
            raise ValueError(text)
        return values

    return SettingType(f"{items}, separated by commas", read)


def _price(text: str) -> tuple[float, float]:
    prompt, completion = (float(part) for part in text.split("/"))
    if not (0 <= prompt < inf and 0 <= completion < inf):
        raise ValueError(text)
    return prompt, completion


def _flag(text: str) -> bool:
    if text.lower() in TRUE | FALSE:
        return text.lower() in TRUE
    raise ValueError(text)


def _path(text: str) -> Path:
    try:
        path = Path(_text(text)).expanduser()
    except RuntimeError as error:  # the home of an unknown user
        raise ValueError(text) from error
    try:
        path.stat()
    except OSError as error:  # what does not exist yet is a path; a loop of links never is
        if error.errno == ELOOP:
            raise ValueError(text) from error
    return path


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError(text)
    return text.strip()


def _iso_date(text: str) -> str:
    return date.fromisoformat(text).isoformat()


TEXT = SettingType("non-empty text", _text)
PATH = SettingType("a path", _path)
FLAG = SettingType("one of: 1, true, yes, on, 0, false, no, off", _flag)
DATE = SettingType("an ISO date such as 2026-07-28", _iso_date)
PRICE = SettingType("dollars per million input and output tokens, such as 0.40/1.60", _price)
TEMPLATE = matching(
    "an address such as https://films.example/{kind}/{id}",
    r"[a-z][a-z0-9+.-]*://[^\s{}]*(?:\{(?:kind|id|name)\}[^\s{}]*)+",
)
VERBATIM = SettingType("non-empty text", str)  # with its spaces
EMBEDDER = matching("local, openai:MODEL or azure:DEPLOYMENT", r"local|(openai|azure):\S+")
MODEL = matching("openai:MODEL or azure:DEPLOYMENT", r"(openai|azure):\S+")
HOSTS = list_of(
    "names such as films.example.org, films.example.org:8443 or, for any port, films.example.org:*",
    read_host,
)
ORIGINS = list_of("origins such as https://chat.example.org", read_origin)
PROXIES = list_of("addresses or networks such as 10.0.0.0/8", read_network)
SCOPE = matching("a scope without spaces and quotes", r"[!#-\[\]-~]+")  # RFC 6749, section 3.3
SCOPE_CLAIMS = list_of("names of claims: roles, permissions", choice("roles", "permissions").read)
TOOL_NAMES = list_of(
    "names or groups of tools such as retrieval,custom", matching("", r"[a-z_]{1,40}").read
)
DEFAULT_TYPES: dict[Any, SettingType] = {
    bool: FLAG,
    bool | None: FLAG,
    Path | None: PATH,
    str: TEXT,
    str | None: TEXT,
}


def setting(
    default: Any, help_text: str, setting_type: SettingType | None = None, *, secret: bool = False
) -> Any:
    """Return the field of a setting; its type follows from the annotation unless it is given."""
    metadata = {"help": help_text, "type": setting_type}
    return field(default=default, repr=not secret, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings; each field is a row of the table."""

    engine: Literal["embedded", "mssql"] = setting("embedded", "Engine that stores the graph.")
    graph: Path | None = setting(
        None, "Graph folder; by default the built-in graph, in the user's cache."
    )
    contract: Path | None = setting(
        None, "Contract folder; by default the graph's own contract, otherwise the built-in one."
    )
    mssql: str | None = setting(
        None, "ODBC connection string of a read-only principal.", secret=True
    )
    mssql_file: Path | None = setting(None, "File with the connection string; read at each login.")
    mssql_password: str | None = setting(
        None, "Password, if the connection string has none.", secret=True
    )
    mssql_password_file: Path | None = setting(
        None, "File with only the password; read at each login."
    )
    mssql_authentication: Literal["string", "entra", "managed_identity"] = setting(
        "string",
        "How to log in: as the user in the connection string, or with a Microsoft Entra token "
        "(extra `azure`).",
    )
    mssql_pool: int = setting(6, "Maximum connections to SQL Server.", integer(1, 64))
    mssql_approximate: bool = setting(False, "Use a vector index for vector search where one fits.")
    mssql_load: str | None = setting(
        None, "ODBC connection string that only `load` uses.", secret=True
    )
    mssql_load_file: Path | None = setting(None, "File with the connection string for `load`.")
    mssql_load_password: str | None = setting(
        None, "Password for `load`, if its connection string has none.", secret=True
    )
    mssql_load_password_file: Path | None = setting(None, "File with only the password for `load`.")
    mssql_load_authentication: Literal["string", "entra", "managed_identity"] = setting(
        "string", "How `load` logs in."
    )
    mssql_allow_writable: bool = setting(False, "Serve even if the principal can write.")
    embedder: str = setting("local", "Model that embeds query text.", EMBEDDER)
    embedder_base_url: str | None = setting(None, "Base URL of a compatible API for the embedder.")
    embedder_api_key: str | None = setting(None, "API key for the embedder.", secret=True)
    embedder_azure_endpoint: str | None = setting(None, "Azure OpenAI endpoint for the embedder.")
    embedder_azure_api_version: str | None = setting(
        None, "Azure OpenAI API version for the embedder."
    )
    embedder_model: str | None = setting(None, "Name of the model behind an Azure deployment.")
    embedder_dimensions: int | None = setting(
        None, "Dimensions to request from the embedder.", integer(1, 1998)
    )
    embedder_query_prefix: str | None = setting(
        None, 'What the model expects before a query, such as "query: " of e5.', VERBATIM
    )
    embedder_document_prefix: str | None = setting(
        None, 'What the model expects before a stored text, such as "passage: " of e5.', VERBATIM
    )
    llm: str | None = setting(
        None, "Language model for repair, `ask` and `load --extract`; off by default.", MODEL
    )
    llm_base_url: str | None = setting(None, "Base URL of a compatible API for the language model.")
    llm_api_key: str | None = setting(None, "API key for the language model.", secret=True)
    llm_azure_endpoint: str | None = setting(None, "Azure OpenAI endpoint for the language model.")
    llm_azure_api_version: str | None = setting(
        None, "Azure OpenAI API version for the language model."
    )
    llm_timeout: float = setting(
        60.0,
        "Seconds per attempt of a model request, within the remaining time of the call.",
        seconds(0.1, 3600),
    )
    llm_price: tuple[float, float] | None = setting(
        None, "Price of the language model; for `load --extract`.", PRICE
    )
    llm_concurrency: int = setting(
        4, "Maximum concurrent model requests of `load`.", integer(1, 64)
    )
    top: int | None = setting(
        None, "Maximum rows of a result; the contract sets 20.", integer(1, 1_000)
    )
    top_expanded: int | None = setting(
        None, "Maximum rows of an expanded result; the contract sets 60.", integer(1, 1_000)
    )
    timeout: float = setting(15.0, "Seconds until a statement is interrupted.", seconds(0.1, 3600))
    total_timeout: float = setting(45.0, "Seconds until a call is interrupted.", seconds(0.1, 3600))
    max_running: int = setting(
        8, "Maximum concurrent calls, one fewer per client.", integer(1, 256)
    )
    max_waiting: int = setting(64, "Maximum calls waiting for a slot.", integer(0, 10_000))
    memory: int = setting(
        1_000,
        "Megabytes of private memory of each process in which the embedded engine runs a "
        "statement (on Linux).",
        memory(250),
    )
    max_bytes: int = setting(200_000, "Maximum bytes of a result.", integer(1_000, 10_000_000))
    max_cell: int = setting(20_000, "Maximum characters of a cell.", integer(100, 1_000_000))
    today: str | None = setting(
        None, "Date that relative dates count from; by default today.", DATE
    )
    journal: Path | None = setting(None, "Journal file; by default in the user's state folder.")
    journal_results: bool = setting(
        False, "Store the first rows of results in the journal, at most 20,000 characters each."
    )
    journal_questions: bool = setting(
        True,
        "Store questions, arguments, messages and SQL literals in the journal; without, digests.",
    )
    log_format: Literal["text", "json"] = setting("text", "Log format of `serve`.")
    log_level: Literal["debug", "info", "warning", "error"] = setting(
        "warning", "Minimum log level of `serve`; `info` adds a line for each call."
    )
    metrics: str | None = setting(
        None,
        "Serve metrics for Prometheus at /metrics, in addition to OpenTelemetry's exporters.",
        choice("prometheus"),
    )
    metrics_port: int = setting(9464, "Port of the metrics.", integer(1, 65_535))
    metrics_host: str = setting("127.0.0.1", "Address of the metrics, without authentication.")
    trace_sql: bool = setting(False, "Include literals of statements in OpenTelemetry traces.")
    tools: tuple[str, ...] = setting(
        (),
        "Tools to list and to allow: names, or the groups retrieval, sql, strategies, connector "
        "(`search` and `fetch`) and custom (those of the contract); by default the ten.",
        TOOL_NAMES,
    )
    record_url: str = setting(
        "moviegraph://records/{kind}/{id}",
        "URL where a person can read a record, cited by `search` and `fetch`; `{name}` is the "
        "record's name.",
        TEMPLATE,
    )
    rerank: bool = setting(
        False, "Let the language model rerank the fused results of run_strategies."
    )
    http_tokens: Path | None = setting(
        None, "File of NAME SHA256 SCOPES lines for HTTP; reloaded when it changes."
    )
    http_url: str | None = setting(
        None, "Public URL of /mcp; needed if the token audience is not a URL."
    )
    http_rate: int | None = setting(
        None,
        "Maximum requests per minute of one HTTP client, 0 for no limit; by default 600 with "
        "authentication, otherwise no limit.",
        integer(0, 1_000_000),
    )
    http_stateless: bool | None = setting(
        None,
        "Create no HTTP sessions for clients of protocol 2025-11-25 or earlier; by default with "
        "authentication.",
    )
    allowed_hosts: tuple[str, ...] = setting(
        (), "Additional Host headers to accept over HTTP.", HOSTS
    )
    allowed_origins: tuple[str, ...] = setting(
        (), "Additional Origin headers to accept: pages that may call.", ORIGINS
    )
    trusted_proxies: tuple[str, ...] = setting(
        (), "Proxies trusted to set X-Forwarded-For.", PROXIES
    )
    oauth_issuer: str | None = setting(None, "Issuer of access tokens for HTTP.")
    oauth_audience: str | None = setting(
        None, "Accepted audiences of access tokens, separated by commas."
    )
    oauth_read_scope: str = setting(
        "moviegraph:read",
        "Scope that clients request for moviegraph:read, such as api://films/moviegraph.read.",
        SCOPE,
    )
    oauth_sql_scope: str = setting(
        "moviegraph:sql",
        "Scope that clients request for moviegraph:sql, such as api://films/moviegraph.sql.",
        SCOPE,
    )
    oauth_scope_claims: tuple[str, ...] = setting(
        (),
        "Claims that grant scopes in addition to scope and scp: roles, permissions.",
        SCOPE_CLAIMS,
    )
    oauth_jwks_url: str | None = setting(
        None, "URL of the issuer's keys; by default from the issuer's metadata."
    )

    @property
    def graph_folder(self) -> Path:
        """The configured graph, or the built-in one."""
        return self.graph or builtin_graph_folder()

    @property
    def journal_file(self) -> Path:
        """The configured journal, or that of the user."""
        if self.journal is not None:
            return self.journal
        from platformdirs import user_state_path

        return user_state_path("moviegraph", appauthor=False) / "journal.sqlite"


def _setting(row: Field[Any]) -> Setting:
    setting_type = row.metadata["type"] or DEFAULT_TYPES.get(row.type)
    return Setting(
        row.name,
        setting_type or choice(*get_args(row.type)),
        row.metadata["help"],
        row.default,
        secret=not row.repr,
    )


SETTINGS = tuple(map(_setting, fields(Settings)))


def builtin_graph_folder() -> Path:
    """Return the folder of the built-in graph, in the user's cache."""
    from platformdirs import user_cache_path

    return user_cache_path("moviegraph", appauthor=False) / "box"


def read_settings(
    options: Mapping[str, str | None] | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """Return the settings from command-line options (by setting name) over the environment.

    An empty variable counts as absent, as in many containers.

    Raises:
        SettingsError: A value is wrong; the message names setting, value and allowed values.
    """
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        option = (options or {}).get(setting.name)
        variable = (environment or {}).get(setting.variable, "")
        if option is not None:
            values[setting.name] = setting.parse(option, setting.flag or setting.name)
        elif variable:
            values[setting.name] = setting.parse(variable, setting.variable)
    return Settings(**values)


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Return a message for each MOVIEGRAPH_* variable without a setting, with the nearest."""
    variables = {setting.variable for setting in SETTINGS} | TEST_VARIABLES
    messages: list[str] = []
    for name in sorted(set(environment) - variables):
        if name.startswith(PREFIX):
            close = closest_names(name, sorted(variables), 1, cutoff=0.7)
            hint = f"; did you mean {close[0]}?" if close else ""
            messages.append(f"{name} is not a setting{hint}")
    return messages


def current_date(configured: str | None) -> str:
    """Return the configured date, or the operator's local date."""
    return configured or date.today().isoformat()


def local_date(timestamp: str) -> str:
    """Return the operator's local date of a timestamp."""
    return datetime.fromisoformat(timestamp).astimezone().date().isoformat()


def content_folder(name: str) -> Path:
    """Return the folder `schema_docs`, `prompts` or `data` that belongs to this installation."""
    packaged = Path(str(files("moviegraph"))) / "_content" / name
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / name
