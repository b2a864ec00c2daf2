"""Table of settings, read from options, then MOVIEGRAPH_* variables, then defaults; folders."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from difflib import get_close_matches
from importlib.resources import files
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from moviegraph.errors import SettingsError
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


def choice(*allowed: str) -> SettingType:
    """Return the type of an enumeration."""

    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(text)
        return text

    return SettingType("one of: " + ", ".join(allowed), read)


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


def list_of(items: str, read_one: Callable[[str], str]) -> SettingType:
    """Return the type of values separated by commas."""

    def read(text: str) -> tuple[str, ...]:
        return tuple(read_one(part.strip()) for part in _text(text).split(",") if part.strip())

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
        return Path(_text(text)).expanduser()
    except RuntimeError as error:  # the home of an unknown user
        raise ValueError(text) from error


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError(text)
    return text.strip()


def _template(text: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^\s{}]*(?:\{(?:kind|id|name)\}[^\s{}]*)+", text):
        raise ValueError(text)
    return text


def _scope(text: str) -> str:
    if not re.fullmatch(r"[!#-\[\]-~]+", text):  # RFC 6749, section 3.3
        raise ValueError(text)
    return text


def _iso_date(text: str) -> str:
    return date.fromisoformat(text).isoformat()


def provider(local: bool) -> SettingType:
    """Return the type of a model; `local` is the built-in one."""
    pattern = r"(openai|azure):\S+" + (r"|local" if local else "")

    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(text)
        return text

    return SettingType(("local, " if local else "") + "openai:MODEL or azure:DEPLOYMENT", read)


TEXT = SettingType("non-empty text", _text)
PATH = SettingType("a path", _path)
FLAG = SettingType("one of: 1, true, yes, on, 0, false, no, off", _flag)
DATE = SettingType("an ISO date such as 2026-07-28", _iso_date)
PRICE = SettingType("dollars per million input and output tokens, such as 0.40/1.60", _price)
TEMPLATE = SettingType("an address such as https://films.example/{kind}/{id}", _template)
HOSTS = list_of(
    "names such as films.example.org, films.example.org:8443 or, for any port, films.example.org:*",
    read_host,
)
ORIGINS = list_of("origins such as https://chat.example.org", read_origin)
PROXIES = list_of("addresses or networks such as 10.0.0.0/8", read_network)
SCOPE = SettingType("a scope without spaces and quotes", _scope)
SCOPE_CLAIMS = list_of("names of claims: roles, permissions", choice("roles", "permissions").read)
AUTHENTICATION = choice("string", "entra", "managed_identity")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings; each field is a row of the table."""

    engine: Annotated[str, choice("embedded", "mssql"), "Engine that stores the graph."] = (
        "embedded"
    )
    graph: Annotated[
        Path | None, PATH, "Graph folder; by default the built-in graph, in the user's cache."
    ] = None
    contract: Annotated[
        Path | None,
        PATH,
        "Contract folder; by default the graph's own contract, otherwise the built-in one.",
    ] = None
    mssql: Annotated[str | None, TEXT, "ODBC connection string of a read-only principal."] = field(
        default=None, repr=False
    )
    mssql_file: Annotated[
        Path | None, PATH, "File with the connection string; read at each login."
    ] = None
    mssql_password: Annotated[str | None, TEXT, "Password, if the connection string has none."] = (
        field(default=None, repr=False)
    )
    mssql_password_file: Annotated[
        Path | None, PATH, "File with only the password; read at each login."
    ] = None
    mssql_authentication: Annotated[
        Literal["string", "entra", "managed_identity"],
        AUTHENTICATION,
        "How to log in: as the user in the connection string, or with a Microsoft Entra token "
        "(extra `azure`).",
    ] = "string"
    mssql_pool: Annotated[int, integer(1, 64), "Maximum connections to SQL Server."] = 6
    mssql_approximate: Annotated[
        bool, FLAG, "Use a vector index for vector search where one fits."
    ] = False
    mssql_load: Annotated[str | None, TEXT, "ODBC connection string that only `load` uses."] = (
        field(default=None, repr=False)
    )
    mssql_load_file: Annotated[Path | None, PATH, "File with the connection string for `load`."] = (
        None
    )
    mssql_load_password: Annotated[
        str | None, TEXT, "Password for `load`, if its connection string has none."
    ] = field(default=None, repr=False)
    mssql_load_password_file: Annotated[
        Path | None, PATH, "File with only the password for `load`."
    ] = None
    mssql_load_authentication: Annotated[
        Literal["string", "entra", "managed_identity"], AUTHENTICATION, "How `load` logs in."
    ] = "string"
    mssql_allow_writable: Annotated[bool, FLAG, "Serve even if the principal can write."] = False
    embedder: Annotated[str, provider(local=True), "Model that embeds query text."] = "local"
    embedder_base_url: Annotated[
        str | None, TEXT, "Base URL of a compatible API for the embedder."
    ] = None
    embedder_api_key: Annotated[str | None, TEXT, "API key for the embedder."] = field(
        default=None, repr=False
    )
    embedder_azure_endpoint: Annotated[
        str | None, TEXT, "Azure OpenAI endpoint for the embedder."
    ] = None
    embedder_azure_api_version: Annotated[
        str | None, TEXT, "Azure OpenAI API version for the embedder."
    ] = None
    embedder_model: Annotated[str | None, TEXT, "Name of the model behind an Azure deployment."] = (
        None
    )
    embedder_dimensions: Annotated[
        int | None, integer(1, 1998), "Dimensions to request from the embedder."
    ] = None
    llm: Annotated[
        str | None,
        provider(local=False),
        "Language model for repair, `ask` and `load --extract`; off by default.",
    ] = None
    llm_base_url: Annotated[
        str | None, TEXT, "Base URL of a compatible API for the language model."
    ] = None
    llm_api_key: Annotated[str | None, TEXT, "API key for the language model."] = field(
        default=None, repr=False
    )
    llm_azure_endpoint: Annotated[
        str | None, TEXT, "Azure OpenAI endpoint for the language model."
    ] = None
    llm_azure_api_version: Annotated[
        str | None, TEXT, "Azure OpenAI API version for the language model."
    ] = None
    llm_timeout: Annotated[
        float,
        seconds(0.1, 3600),
        "Seconds per attempt of a model request, within the remaining time of the call.",
    ] = 60.0
    llm_price: Annotated[
        tuple[float, float] | None, PRICE, "Price of the language model; for `load --extract`."
    ] = None
    llm_concurrency: Annotated[
        int, integer(1, 64), "Maximum concurrent model requests of `load`."
    ] = 4
    top: Annotated[
        int | None, integer(1, 1_000), "Maximum rows of a result; the contract sets 20."
    ] = None
    top_expanded: Annotated[
        int | None, integer(1, 1_000), "Maximum rows of an expanded result; the contract sets 60."
    ] = None
    timeout: Annotated[float, seconds(0.1, 3600), "Seconds until a statement is interrupted."] = (
        15.0
    )
    total_timeout: Annotated[float, seconds(0.1, 3600), "Seconds until a call is interrupted."] = (
        45.0
    )
    max_running: Annotated[
        int,
        integer(1, 256),
        "Maximum concurrent calls, one fewer per client; half as many slow calls run in addition.",
    ] = 8
    max_waiting: Annotated[int, integer(0, 10_000), "Maximum calls waiting for a slot."] = 64
    slow_after: Annotated[
        float, seconds(0, 3600), "Seconds of running time after which a call counts as slow."
    ] = 1.0
    max_bytes: Annotated[int, integer(1_000, 10_000_000), "Maximum bytes of a result."] = 200_000
    max_cell: Annotated[int, integer(100, 1_000_000), "Maximum characters of a cell."] = 20_000
    kept_results: Annotated[
        int,
        integer(0, 1_024),
        "Megabytes of results that the embedded engine caches for repeated statements.",
    ] = 8
    today: Annotated[str | None, DATE, "Date that relative dates count from; by default today."] = (
        None
    )
    journal: Annotated[
        Path | None, PATH, "Journal file; by default in the user's state folder."
    ] = None
    journal_results: Annotated[
        bool,
        FLAG,
        "Store the first rows of results in the journal, at most 20,000 characters each.",
    ] = False
    log_format: Annotated[
        Literal["text", "json"], choice("text", "json"), "Log format of `serve`."
    ] = "text"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        choice("debug", "info", "warning", "error"),
        "Minimum log level of `serve`; `info` adds a line for each call.",
    ] = "warning"
    trace_sql: Annotated[bool, FLAG, "Include literals of statements in OpenTelemetry traces."] = (
        False
    )
    connector_tools: Annotated[
        bool,
        FLAG,
        "Serve `search` and `fetch` in addition to the ten tools, for connectors that support "
        "only these.",
    ] = False
    record_url: Annotated[
        str,
        TEMPLATE,
        "URL where a person can read a record, cited by `search` and `fetch`; `{name}` is the "
        "record's name.",
    ] = "moviegraph://records/{kind}/{id}"
    rerank: Annotated[
        bool, FLAG, "Let the language model rerank the fused results of run_strategies."
    ] = False
    http_tokens: Annotated[
        Path | None, PATH, "File of NAME SHA256 SCOPES lines for HTTP; reloaded when it changes."
    ] = None
    http_url: Annotated[
        str | None, TEXT, "Public URL of /mcp; needed if the token audience is not a URL."
    ] = None
    http_rate: Annotated[
        int | None,
        integer(0, 1_000_000),
        "Maximum requests per minute of one HTTP client, 0 for no limit; by default 600 with "
        "authentication, otherwise no limit.",
    ] = None
    http_stateless: Annotated[
        bool, FLAG, "Create no HTTP sessions for clients of protocol 2025-11-25 or earlier."
    ] = False
    allowed_hosts: Annotated[
        tuple[str, ...], HOSTS, "Additional Host headers to accept over HTTP."
    ] = ()
    allowed_origins: Annotated[
        tuple[str, ...], ORIGINS, "Additional Origin headers to accept: pages that may call."
    ] = ()
    trusted_proxies: Annotated[
        tuple[str, ...], PROXIES, "Proxies trusted to set X-Forwarded-For."
    ] = ()
    oauth_issuer: Annotated[str | None, TEXT, "Issuer of access tokens for HTTP."] = None
    oauth_audience: Annotated[
        str | None, TEXT, "Accepted audiences of access tokens, separated by commas."
    ] = None
    oauth_read_scope: Annotated[
        str,
        SCOPE,
        "Scope that clients request for moviegraph:read, such as api://films/moviegraph.read.",
    ] = "moviegraph:read"
    oauth_sql_scope: Annotated[
        str,
        SCOPE,
        "Scope that clients request for moviegraph:sql, such as api://films/moviegraph.sql.",
    ] = "moviegraph:sql"
    oauth_scope_claims: Annotated[
        tuple[str, ...],
        SCOPE_CLAIMS,
        "Claims that grant scopes in addition to scope and scp: roles, permissions.",
    ] = ()
    oauth_jwks_url: Annotated[
        str | None, TEXT, "URL of the issuer's keys; by default from the issuer's metadata."
    ] = None

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


SETTINGS = tuple(
    Setting(row.name, *get_args(row.type)[1:], default=row.default, secret=not row.repr)
    for row in fields(Settings)
)


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
    known = {setting.variable for setting in SETTINGS} | TEST_VARIABLES
    messages: list[str] = []
    for name in sorted(set(environment) - known):
        if name.startswith(PREFIX):
            close = get_close_matches(name, known, n=1, cutoff=0.7)
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
