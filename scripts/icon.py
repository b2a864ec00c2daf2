"""Drawing of packaging/icon.png, the icon of the bundle: a graph in a film frame."""

import argparse
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np

PATH = Path(__file__).resolve().parents[1] / "packaging" / "icon.png"
SIZE = 512
UNITS = 256
CORNER = 48
BACKGROUND, LINE, DOT, HIGHLIGHT = (24, 32, 58), (120, 144, 190), (236, 240, 250), (255, 184, 76)
NODES = ((128, 76), (72, 132), (184, 132), (100, 196), (156, 196))
EDGES = ((0, 1), (0, 2), (1, 2), (1, 3), (2, 4))
HOLES = (40, 84, 128, 172, 216)
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def pixels() -> Any:
    """Return the picture as an array of height, width and four channels."""
    y, x = (np.mgrid[0:SIZE, 0:SIZE] + 0.5) * UNITS / SIZE
    inside = np.hypot(
        *(np.maximum(np.abs(axis - UNITS / 2) - UNITS / 2 + CORNER, 0) for axis in (x, y))
    )
    picture = np.zeros((SIZE, SIZE, 4))
    picture[..., :3] = BACKGROUND
    picture[..., 3] = 255 * _cover(inside - CORNER)
    for hole in HOLES:
        for column in (24, UNITS - 24):
            _paint(picture, np.maximum(np.abs(x - column) - 7, np.abs(y - hole) - 11), LINE)
    for start, end in EDGES:
        _paint(picture, _to_line(x, y, NODES[start], NODES[end]) - 4, LINE)
    for index, (column, row) in enumerate(NODES):
        _paint(picture, np.hypot(x - column, y - row) - 20, DOT if index else HIGHLIGHT)
    return np.round(picture).astype(np.uint8)


def _cover(distance: Any) -> Any:
    """Return the share of a pixel within a shape, by its distance to the edge."""
    return np.clip(0.5 - distance * SIZE / UNITS, 0, 1)


def _paint(picture: Any, distance: Any, color: tuple[int, int, int]) -> None:
    share = _cover(distance)[..., None]
    picture[..., :3] = picture[..., :3] * (1 - share) + np.array(color) * share


def _to_line(x: Any, y: Any, start: tuple[int, int], end: tuple[int, int]) -> Any:
    along = np.array(end, float) - start
    position = ((x - start[0]) * along[0] + (y - start[1]) * along[1]) / (along @ along)
    position = np.clip(position, 0, 1)
    return np.hypot(x - start[0] - position * along[0], y - start[1] - position * along[1])


def rows_of(picture: Any) -> bytes:
    """Return the lines of a PNG, each without a filter."""
    return b"".join(b"\0" + line.tobytes() for line in picture)


def png(picture: Any) -> bytes:
    """Return the file."""
    head = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows_of(picture), 9)), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(*part) for part in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def is_current() -> bool:
    """Return whether the file has these pixels; compression may differ between versions of zlib."""
    data = PATH.read_bytes() if PATH.is_file() else b""
    offset = data.find(b"IDAT")
    if offset < 0:
        return False
    (length,) = struct.unpack(">I", data[offset - 4 : offset])
    return zlib.decompress(data[offset + 4 : offset + 4 + length]) == rows_of(pixels())


def main() -> int:
    """Draw the icon, or with --check only compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit with 1 if the file is stale")
    check: bool = parser.parse_args().check
    if is_current():
        return 0
    print(f"{'stale' if check else 'written'}: packaging/{PATH.name}")
    if not check:
        PATH.write_bytes(png(pixels()))
    return int(check)


if __name__ == "__main__":
    sys.exit(main())
