"""Where a load may write beside the graph."""

from pathlib import Path

from moviegraph.errors import SettingsError


def require_outside(folder: Path | None, named: dict[str, Path | None]) -> None:
    """Refuse files that the graph would take the place of, by the option that names them."""
    for option, path in named.items():
        if folder and path and path.resolve().is_relative_to(folder.resolve()):
            raise SettingsError(
                f"{option} {path} lies in the graph folder, which is replaced as a whole.",
                hint="Name a file beside it, or leave the option out.",
            )
