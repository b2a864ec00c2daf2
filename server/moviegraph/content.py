"""Finds the content folders, in a wheel and in a checkout alike."""

from importlib.resources import files
from pathlib import Path


def content_folder(name: str) -> Path:
    """Return the folder `schema_docs`, `prompts` or `data` that belongs to this installation."""
    packaged = Path(str(files("moviegraph"))) / "_content" / name
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / name
