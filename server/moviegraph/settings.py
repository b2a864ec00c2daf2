"""The settings: one table, read from the command line over MOVIEGRAPH_* variables over defaults."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from difflib import get_close_matches
from math import inf
from pathlib import Path
from typing import Any, Literal

from moviegraph.errors import SettingsError
from moviegraph.text import read_host, read_network, read_origin

PREFIX = "MOVIEGRAPH_"
TEST_VARIABLES = frozenset({"MOVIEGRAPH_TEST_MSSQL", "MOVIEGRAPH_TEST_MSSQL_ADMIN"})
TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value must look like: the words for it, and how it is read (ValueError: it is not)."""

    words: str
    read: Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table.

    A secret has no flag (a command line shows in process lists) and is never printed.
    """

    name: str
    kind: Kind
    default: Any
    help: str
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
        """Return the value of a text. Raises SettingsError, which never repeats a secret."""
        try:
            return self.kind.read(text)
        except ValueError:
            given = "the value" if self.secret else repr(text)
            raise SettingsError(f"{source}: {given} is not {self.kind.words}.") from None


def choice(*allowed: str) -> Kind:
    """One of a few words."""

    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(text)
        return text

    return Kind("one of: " + ", ".join(allowed), read)


def integer(low: int, high: int) -> Kind:
    """A whole number between bounds."""

    def read(text: str) -> int:
        value = int(text) if re.fullmatch(r"-?[0-9]{1,12}", text) else low - 1
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return Kind(f"a whole number from {low} to {high}", read)


def seconds(low: float, high: float) -> Kind:
    """A duration in seconds between bounds."""

    def read(text: str) -> float:
        value = float(text)
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return Kind(f"a number of seconds from {low:g} to {high:g}", read)


def several(what: str, read_one: Callable[[str], str]) -> Kind:
    """Some that are read alike, separated by commas."""

    def read(text: str) -> tuple[str, ...]:
        return tuple(read_one(part.strip()) for part in _text(text).split(",") if part.strip())

    return Kind(f"{what}, separated by commas", read)


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
    except RuntimeError as error:  # the home of a user that there is not
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


def provider(local: bool) -> Kind:
    """A model of a provider, `local` where the package brings one."""
    pattern = r"(openai|azure):\S+" + (r"|local" if local else "")

    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(text)
        return text

    return Kind(("local, " if local else "") + "openai:MODEL or azure:DEPLOYMENT", read)


TEXT = Kind("non-empty text", _text)
PATH = Kind("a path", _path)
FLAG = Kind("one of: 1, true, yes, on, 0, false, no, off", _flag)
DATE = Kind("an ISO date such as 2026-07-28", _iso_date)
PRICE = Kind("dollars per million input and output tokens, such as 0.40/1.60", _price)
TEMPLATE = Kind("an address such as https://films.example/{kind}/{id}", _template)
HOSTS = several(
    "names such as films.example.org, films.example.org:8443 or, for any port, films.example.org:*",
    read_host,
)
ORIGINS = several("origins such as https://chat.example.org", read_origin)
PROXIES = several("addresses or networks such as 10.0.0.0/8", read_network)
SCOPE = Kind("a scope without spaces and quotes", _scope)
SCOPE_CLAIMS = several("names of claims: roles, permissions", choice("roles", "permissions").read)
AUTHENTICATION = choice("string", "entra", "managed_identity")


def _connection(name: str, what: str) -> tuple[Setting, ...]:
    return (
        Setting(f"{name}_base_url", TEXT, None, f"Base URL of a compatible API for {what}."),
        Setting(f"{name}_api_key", TEXT, None, f"API key for {what}.", secret=True),
        Setting(f"{name}_azure_endpoint", TEXT, None, f"Azure OpenAI endpoint for {what}."),
        Setting(f"{name}_azure_api_version", TEXT, None, f"Azure OpenAI API version for {what}."),
    )


SETTINGS: tuple[Setting, ...] = (
    Setting("engine", choice("embedded", "mssql"), "embedded", "Engine that stores the graph."),
    Setting(
        "graph", PATH, None, "Graph folder; by default the built-in graph, in the user's cache."
    ),
    Setting(
        "contract",
        PATH,
        None,
        "Contract folder; by default the graph's own contract, otherwise the built-in one.",
    ),
    Setting("mssql", TEXT, None, "ODBC connection string of a read-only principal.", secret=True),
    Setting("mssql_file", PATH, None, "File with the connection string; read at each login."),
    Setting(
        "mssql_password", TEXT, None, "Password, if the connection string has none.", secret=True
    ),
    Setting("mssql_password_file", PATH, None, "File with only the password; read at each login."),
    Setting(
        "mssql_authentication",
        AUTHENTICATION,
        "string",
        "How to log in: as the user in the connection string, or with a Microsoft Entra "
        "token (extra `azure`).",
    ),
    Setting("mssql_pool", integer(1, 64), 6, "Maximum connections to SQL Server."),
    Setting(
        "mssql_approximate", FLAG, False, "Use a vector index for vector search where one fits."
    ),
    Setting("mssql_load", TEXT, None, "ODBC connection string that only `load` uses.", secret=True),
    Setting("mssql_load_file", PATH, None, "File with the connection string for `load`."),
    Setting(
        "mssql_load_password",
        TEXT,
        None,
        "Password for `load`, if its connection string has none.",
        secret=True,
    ),
    Setting("mssql_load_password_file", PATH, None, "File with only the password for `load`."),
    Setting("mssql_load_authentication", AUTHENTICATION, "string", "How `load` logs in."),
    Setting("mssql_allow_writable", FLAG, False, "Serve even if the principal can write."),
    Setting("embedder", provider(local=True), "local", "Model that embeds query text."),
    *_connection("embedder", "the embedder"),
    Setting("embedder_model", TEXT, None, "Name of the model behind an Azure deployment."),
    Setting(
        "embedder_dimensions", integer(1, 1998), None, "Dimensions to request from the embedder."
    ),
    Setting(
        "llm",
        provider(local=False),
        None,
        "Language model for repair, `ask` and `load --extract`; off by default.",
    ),
    *_connection("llm", "the language model"),
    Setting(
        "llm_timeout",
        seconds(0.1, 3600),
        60.0,
        "Seconds per model request, including retries, within the remaining time of the "
        "call; for `load`, seconds per attempt.",
    ),
    Setting("llm_price", PRICE, None, "Price of the language model; for `load --extract`."),
    Setting("llm_concurrency", integer(1, 64), 4, "Maximum concurrent model requests of `load`."),
    Setting("top", integer(1, 1000), None, "Maximum rows of a result; the contract sets 20."),
    Setting(
        "top_expanded",
        integer(1, 1000),
        None,
        "Maximum rows of an expanded result; the contract sets 60.",
    ),
    Setting("timeout", seconds(0.1, 3600), 15.0, "Seconds until a statement is interrupted."),
    Setting("total_timeout", seconds(0.1, 3600), 45.0, "Seconds until a call is interrupted."),
    Setting(
        "max_running",
        integer(1, 256),
        8,
        "Maximum concurrent calls; half as many slow calls may run in addition.",
    ),
    Setting("max_waiting", integer(0, 10_000), 64, "Maximum calls waiting for a slot."),
    Setting(
        "slow_after",
        seconds(0, 3600),
        1.0,
        "Seconds of running time after which a call counts as slow.",
    ),
    Setting("max_bytes", integer(1_000, 10_000_000), 200_000, "Maximum bytes of a result."),
    Setting("max_cell", integer(100, 1_000_000), 20_000, "Maximum characters of a cell."),
    Setting(
        "kept_results",
        integer(0, 1_024),
        8,
        "Megabytes of results that the embedded engine caches for repeated statements.",
    ),
    Setting("today", DATE, None, "Date that relative dates count from; by default today."),
    Setting("journal", PATH, None, "Journal file; by default in the user's state folder."),
    Setting(
        "journal_results",
        FLAG,
        False,
        "Store the first rows of results in the journal, at most 20,000 characters each.",
    ),
    Setting("log_format", choice("text", "json"), "text", "Log format of `serve`."),
    Setting(
        "log_level",
        choice("debug", "info", "warning", "error"),
        "warning",
        "Minimum log level of `serve`; `info` adds a line for each call.",
    ),
    Setting("trace_sql", FLAG, False, "Include literals of statements in OpenTelemetry traces."),
    Setting(
        "connector_tools",
        FLAG,
        False,
        "Serve `search` and `fetch` in addition to the ten tools, for connectors that "
        "support only these.",
    ),
    Setting(
        "record_url",
        TEMPLATE,
        "moviegraph://records/{kind}/{id}",
        "URL where a person can read a record, cited by `search` and `fetch`; `{name}` is "
        "the record's name.",
    ),
    Setting(
        "rerank", FLAG, False, "Let the language model rerank the fused results of run_strategies."
    ),
    Setting(
        "http_tokens",
        PATH,
        None,
        "File of NAME SHA256 SCOPES lines for HTTP; reloaded when it changes.",
    ),
    Setting(
        "http_url", TEXT, None, "Public URL of /mcp; needed if the token audience is not a URL."
    ),
    Setting(
        "http_rate",
        integer(0, 1_000_000),
        None,
        "Maximum requests per minute of one HTTP client, 0 for no limit; by default 600 "
        "with authentication, otherwise no limit.",
    ),
    Setting(
        "http_stateless",
        FLAG,
        False,
        "Create no HTTP sessions for clients of protocol 2025-11-25 or earlier.",
    ),
    Setting("allowed_hosts", HOSTS, (), "Additional Host headers to accept over HTTP."),
    Setting(
        "allowed_origins", ORIGINS, (), "Additional Origin headers to accept: pages that may call."
    ),
    Setting("trusted_proxies", PROXIES, (), "Proxies trusted to set X-Forwarded-For."),
    Setting("oauth_issuer", TEXT, None, "Issuer of access tokens for HTTP."),
    Setting(
        "oauth_audience", TEXT, None, "Accepted audiences of access tokens, separated by commas."
    ),
    Setting(
        "oauth_read_scope",
        SCOPE,
        "moviegraph:read",
        "Scope that clients request for moviegraph:read, such as api://films/moviegraph.read.",
    ),
    Setting(
        "oauth_sql_scope",
        SCOPE,
        "moviegraph:sql",
        "Scope that clients request for moviegraph:sql, such as api://films/moviegraph.sql.",
    ),
    Setting(
        "oauth_scope_claims",
        SCOPE_CLAIMS,
        (),
        "Claims that grant scopes in addition to scope and scp: roles, permissions.",
    ),
    Setting(
        "oauth_jwks_url",
        TEXT,
        None,
        "URL of the issuer's keys; by default from the issuer's metadata.",
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force; a test holds its fields and defaults to the table."""

    engine: str = "embedded"
    graph: Path | None = None
    contract: Path | None = None
    mssql: str | None = field(default=None, repr=False)
    mssql_file: Path | None = None
    mssql_password: str | None = field(default=None, repr=False)
    mssql_password_file: Path | None = None
    mssql_authentication: Literal["string", "entra", "managed_identity"] = "string"
    mssql_pool: int = 6
    mssql_approximate: bool = False
    mssql_load: str | None = field(default=None, repr=False)
    mssql_load_file: Path | None = None
    mssql_load_password: str | None = field(default=None, repr=False)
    mssql_load_password_file: Path | None = None
    mssql_load_authentication: Literal["string", "entra", "managed_identity"] = "string"
    mssql_allow_writable: bool = False
    embedder: str = "local"
    embedder_base_url: str | None = None
    embedder_api_key: str | None = field(default=None, repr=False)
    embedder_azure_endpoint: str | None = None
    embedder_azure_api_version: str | None = None
    embedder_model: str | None = None
    embedder_dimensions: int | None = None
    llm: str | None = None
    llm_base_url: str | None = None
    llm_api_key: str | None = field(default=None, repr=False)
    llm_azure_endpoint: str | None = None
    llm_azure_api_version: str | None = None
    llm_timeout: float = 60.0
    llm_price: tuple[float, float] | None = None
    llm_concurrency: int = 4
    top: int | None = None
    top_expanded: int | None = None
    timeout: float = 15.0
    total_timeout: float = 45.0
    max_running: int = 8
    max_waiting: int = 64
    slow_after: float = 1.0
    max_bytes: int = 200_000
    max_cell: int = 20_000
    kept_results: int = 8
    today: str | None = None
    journal: Path | None = None
    journal_results: bool = False
    log_format: Literal["text", "json"] = "text"
    log_level: Literal["debug", "info", "warning", "error"] = "warning"
    trace_sql: bool = False
    connector_tools: bool = False
    record_url: str = "moviegraph://records/{kind}/{id}"
    rerank: bool = False
    http_tokens: Path | None = None
    http_url: str | None = None
    http_rate: int | None = None
    http_stateless: bool = False
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    oauth_issuer: str | None = None
    oauth_audience: str | None = None
    oauth_read_scope: str = "moviegraph:read"
    oauth_sql_scope: str = "moviegraph:sql"
    oauth_scope_claims: tuple[str, ...] = ()
    oauth_jwks_url: str | None = None

    @property
    def graph_folder(self) -> Path:
        """The graph to open: the one that is set, or the one in the box."""
        return self.graph or box_folder()

    @property
    def journal_file(self) -> Path:
        """The journal to write: the one that is set, or the user's."""
        if self.journal is not None:
            return self.journal
        from platformdirs import user_state_path

        return user_state_path("moviegraph", appauthor=False) / "journal.sqlite"


def box_folder() -> Path:
    """Return where the graph in the box is built: a folder in the user's cache."""
    from platformdirs import user_cache_path

    return user_cache_path("moviegraph", appauthor=False) / "box"


def read_settings(
    options: Mapping[str, str | None] | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """Return the settings from command-line options (by setting name) over the environment.

    An empty variable counts as absent, as in many container set-ups.

    Raises:
        SettingsError: A value is wrong; the message names setting, value and what is allowed.
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
    """Return a sentence for each MOVIEGRAPH_* variable that no setting has, with the nearest."""
    known = {setting.variable for setting in SETTINGS} | TEST_VARIABLES
    found: list[str] = []
    for name in sorted(set(environment) - known):
        if name.startswith(PREFIX):
            near = get_close_matches(name, known, n=1, cutoff=0.7)
            hint = f"; did you mean {near[0]}?" if near else ""
            found.append(f"{name} is not a setting{hint}")
    return found


def current_date(configured: str | None) -> str:
    """Return the date of today: the configured one, or the operator's local date."""
    return configured or date.today().isoformat()


def local_date(moment: str) -> str:
    """Return the operator's local date of a recorded moment."""
    return datetime.fromisoformat(moment).astimezone().date().isoformat()
