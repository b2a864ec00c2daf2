"""Command-line options for the settings, derived from their table."""

import argparse
import os

from moviegraph.settings import SETTINGS, Settings, read_settings

PREFIX = "setting_"


def add_settings(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add the options of the named settings, or of all that have one."""
    group = parser.add_argument_group("settings", "each also as a MOVIEGRAPH_* variable")
    for setting in SETTINGS:
        if setting.flag is not None and (not names or setting.name in names):
            group.add_argument(
                setting.flag,
                dest=PREFIX + setting.name,
                metavar=setting.name.rpartition("_")[2].upper(),
                help=setting.help.replace("%", "%%"),
            )


def settings_of(parsed: argparse.Namespace) -> Settings:
    """Return the settings of a parsed command line. Raises SettingsError."""
    options = {setting.name: getattr(parsed, PREFIX + setting.name, None) for setting in SETTINGS}
    return read_settings(options, os.environ)


def options_of(parsed: argparse.Namespace) -> list[str]:
    """Return the settings of a parsed command line as it gave them, for another command's."""
    given = (
        (setting.flag, getattr(parsed, PREFIX + setting.name, None))
        for setting in SETTINGS
        if setting.flag is not None
    )
    return [part for flag, value in given if flag and value is not None for part in (flag, value)]
