"""What must not lie in the graph folder that a load builds."""

from pathlib import Path

from moviegraph.errors import SettingsError

READ = "Move it outside that folder, or load into a different one."
WRITTEN = "Name a file outside it, or omit the option."


def require_outside(
    folder: Path | None, named: dict[str, Path | None], hint: str = WRITTEN
) -> None:
    """Refuse files that the graph would take the place of, by the option that names them."""
    for option, path in named.items():
        if folder and path and path.resolve().is_relative_to(folder.resolve()):
            raise SettingsError(
                f"{option} {path} is in the graph folder, which is replaced completely.",
                hint=hint,
            )
