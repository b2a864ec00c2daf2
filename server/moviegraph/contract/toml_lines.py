"""Line numbers of the keys of a TOML file, for messages about them."""

import re
from collections.abc import Mapping, Sequence

HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?")
ASSIGNMENT = re.compile(r"\s*((?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*'|\s*\.\s*)+?)\s*=")
PART = re.compile(r"\"([^\"]*)\"|'([^']*)'|([A-Za-z0-9_-]+)")
Path = tuple[str, ...]


def line_numbers(text: str) -> dict[Path, int]:
    """Return the line of each table and key that starts a line, by its dotted path.

    The members of an array of tables have their index in the path: ("unavailable", "0", "words").
    """
    lines: dict[Path, int] = {}
    table: Path = ()
    counts: dict[Path, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.fullmatch(line):
            table = _parts(header[2])
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, str(counts[table]))
            lines.setdefault(table, number)
        elif key := ASSIGNMENT.match(line):
            lines.setdefault((*table, *_parts(key[1])), number)
    return lines


def line_of(lines: Mapping[Path, int], path: Sequence[str]) -> int | None:
    """Return the line of a key, or of the nearest table around it that has one."""
    for length in range(len(path), 0, -1):
        if (number := lines.get(tuple(path[:length]))) is not None:
            return number
    return None


def _parts(dotted: str) -> Path:
    return tuple(next(part for part in match if part) for match in PART.findall(dotted))
