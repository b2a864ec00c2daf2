"""Command-line options of the settings, derived from their table."""

import argparse
import os
from collections.abc import Sequence

from moviegraph.settings import FALSE, FLAG, SETTINGS, TRUE, Setting, Settings, read_settings

PREFIX = "setting_"
LOAD_PREFIX = "mssql_load"
LOAD_ONLY = ("llm_price", "llm_concurrency")


def is_of_writer(name: str) -> bool:
    """Return whether a setting is of the principal that loads; a server must not read it."""
    return name.startswith(LOAD_PREFIX)


def is_of_load(name: str) -> bool:
    """Return whether only `load` uses a setting."""
    return is_of_writer(name) or name in LOAD_ONLY


GROUPS = (
    ("graph", ("engine", "graph", "contract")),
    ("SQL Server", ("mssql",)),
    ("models", ("embedder", "llm")),
    ("limits", ("top", "timeout", "total_timeout", "max_", "memory")),
    ("journal, log and metrics", ("journal", "log_", "metrics", "trace_sql")),
    ("HTTP", ("http_", "allowed_", "trusted_", "oauth_")),
)
OTHERS = "answers"
VARIABLES = "each also available as MOVIEGRAPH_NAME"


def add_settings(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add the options of some settings in groups; by default of all except those of `load`."""
    names = names or tuple(setting.name for setting in SETTINGS if not is_of_load(setting.name))
    groups: dict[str, argparse._ArgumentGroup] = {}  # pyright: ignore[reportPrivateUsage]
    for setting in SETTINGS:
        if setting.flag is not None and setting.name in names:
            title = group_of(setting.name)
            if title not in groups:
                groups[title] = parser.add_argument_group(f"{title} ({VARIABLES})")
            _add_setting(groups[title], setting, setting.flag)


def join_booleans(arguments: Sequence[str]) -> list[str]:
    """Return arguments with boolean options and their values joined, so that --x is --x=true.

    Otherwise an option would take any following word as its value.
    """
    flags = {setting.flag for setting in SETTINGS if setting.type is FLAG}
    words: list[str] = []
    pending = list(arguments)
    while pending:
        word = pending.pop(0)
        if word == "--":
            return [*words, word, *pending]
        if word in flags:
            has_value = bool(pending) and pending[0].lower() in TRUE | FALSE
            word = f"{word}={pending.pop(0) if has_value else 'true'}"
        words.append(word)
    return words


def group_of(name: str) -> str:
    """Return the title of the group of a setting."""
    return next((title for title, starts in GROUPS if name.startswith(starts)), OTHERS)


def _add_setting(
    group: argparse._ArgumentGroup,  # pyright: ignore[reportPrivateUsage]
    setting: Setting,
    flag: str,
) -> None:
    text = f"{setting.help.rstrip('.')} {_values_text(setting)}".replace("%", "%%")
    dest = PREFIX + setting.name
    if setting.type is FLAG:
        group.add_argument(
            flag, dest=dest, nargs="?", const="true", metavar="true|false", help=text
        )
        group.add_argument(
            f"--no-{flag[2:]}", dest=dest, action="store_const", const="false",
            help=argparse.SUPPRESS,
        )  # fmt: skip
        return
    metavar = setting.name.rpartition("_")[2].upper()
    group.add_argument(flag, dest=dest, metavar=metavar, help=text)


def _values_text(setting: Setting) -> str:
    """Return the allowed values and the default, in parentheses."""
    words = f"also --no-{(setting.flag or '')[2:]}" if setting.type is FLAG else setting.type.words
    if setting.default in (None, ()):
        return f"({words})"
    default = {True: "yes", False: "no"}.get(setting.default, setting.default)
    return f"({words}; default: {f'{default:g}' if isinstance(default, float) else default})"


def settings_of(parsed: argparse.Namespace) -> Settings:
    """Return the settings of a parsed command line. Raises SettingsError.

    Settings of the principal that loads are read only for a command with these options.
    """
    options = {setting.name: getattr(parsed, PREFIX + setting.name, None) for setting in SETTINGS}
    environment = dict(os.environ)
    if not hasattr(parsed, f"{PREFIX}{LOAD_PREFIX}_file"):
        for setting in SETTINGS:
            if is_of_writer(setting.name):
                environment.pop(setting.variable, None)
    return read_settings(options, environment)


def has_options(parsed: argparse.Namespace) -> bool:
    """Return whether a command line has an option of a setting."""
    return any(getattr(parsed, PREFIX + setting.name, None) is not None for setting in SETTINGS)
