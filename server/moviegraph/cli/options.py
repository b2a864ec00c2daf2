"""Command-line options for the settings, derived from their table."""

import argparse
import os

from moviegraph.settings import SETTINGS, Settings, read_settings

PREFIX = "setting_"
OF_WRITER = "mssql_load"
OF_LOAD = ("llm_price", "llm_concurrency")


def is_of_writer(name: str) -> bool:
    """Whether a setting is of the principal that loads, which who serves may not read."""
    return name.startswith(OF_WRITER)


def is_of_load(name: str) -> bool:
    """Whether a setting is of use to `load` alone."""
    return is_of_writer(name) or name in OF_LOAD


def add_settings(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add the options of the named settings, or of all but those of `load`."""
    names = names or tuple(setting.name for setting in SETTINGS if not is_of_load(setting.name))
    group = parser.add_argument_group("settings", "each also as a MOVIEGRAPH_* variable")
    for setting in SETTINGS:
        if setting.flag is not None and setting.name in names:
            group.add_argument(
                setting.flag,
                dest=PREFIX + setting.name,
                metavar=setting.name.rpartition("_")[2].upper(),
                help=setting.help.replace("%", "%%"),
            )


def settings_of(parsed: argparse.Namespace) -> Settings:
    """Return the settings of a parsed command line. Raises SettingsError.

    What writes into a database is left unread unless the command takes it as an option.
    """
    options = {setting.name: getattr(parsed, PREFIX + setting.name, None) for setting in SETTINGS}
    loads = hasattr(parsed, f"{PREFIX}{OF_WRITER}_file")
    hidden = (
        {each.variable for each in SETTINGS if is_of_writer(each.name)} if not loads else set[str]()
    )
    return read_settings(options, {k: v for k, v in os.environ.items() if k not in hidden})


def options_of(parsed: argparse.Namespace) -> list[str]:
    """Return the settings of a parsed command line as it gave them, for another command's."""
    given = (
        (setting.flag, getattr(parsed, PREFIX + setting.name, None))
        for setting in SETTINGS
        if setting.flag is not None
    )
    return [part for flag, value in given if flag and value is not None for part in (flag, value)]
