"""Small sources of films, written as JSON Lines."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def film(key: Any = 1, name: Any = "Alien", content: Any = "A crew meets it.", **more: Any) -> Row:
    return {"kind": "Movie", "id": key, "name": name, "content": content, **more}


def node(kind: str, key: Any, name: str) -> Row:
    return {"kind": kind, "id": key, "name": name, "content": f"What {name} is."}


def edge(kind: str, start: Any, end: Any) -> Row:
    return {"kind": kind, "from": start, "to": end}


FILMS: list[Row] = [
    film(1, "Alien", "A crew wakes a creature in the dark of a ship.", year=1979),
    film(2, "Moon", "A lone miner doubts what he sees.", year=2009),
    node("Theme", 1, "Survival"),
    node("Theme", 2, "Solitude"),
    node("Genre", 1, "Horror"),
    edge("INCLUDES_THEME", 1, 1),
    edge("INCLUDES_THEME", 2, 2),
    edge("INCLUDES_THEME", 1, 2),
    edge("IN_GENRE", 1, 1),
]
MANY: list[Row] = [film(key, f"Film {key}", f"The story of number {key}.") for key in range(1, 601)]


def packed(rows: Sequence[Row | str | bytes]) -> bytes:
    """Return rows as lines; a text or bytes stand as they are."""
    return b"".join(_line(row) + b"\n" for row in rows)


def _line(row: Row | str | bytes) -> bytes:
    if isinstance(row, bytes):
        return row
    return (row if isinstance(row, str) else json.dumps(row)).encode()


def source(
    folder: Path, rows: Sequence[Row | str | bytes] = FILMS, name: str = "all.jsonl"
) -> Path:
    """Write one file of a source, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(packed(rows))
    return folder
