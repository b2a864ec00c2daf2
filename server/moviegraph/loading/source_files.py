"""The files of a source, and their lines."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

from moviegraph.errors import SourceError

LINES = (".jsonl", ".jsonl.gz")
TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".json", ".json.gz", ".parquet")
ALIASES = ("aliases.jsonl", "aliases.jsonl.gz")
MOST_BYTES = 64 * 1024 * 1024
STEP = 2000
GZIP = b"\x1f\x8b"
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
FORMAT = (
    "Name a folder of .jsonl files, or your own .csv, .tsv, .json or .parquet files, "
    "optionally as .gz."
)
AGAIN = "Get the file again. Nothing was changed."


def is_source_file(path: Path) -> bool:
    """Return whether the name is that of a file that loading reads."""
    return path.name.lower().endswith((*LINES, *TABLES))


def is_lines_file(path: Path) -> bool:
    """Return whether the name is that of a file of JSON Lines."""
    return path.name.lower().endswith(LINES)


def unzipped_name(path: Path) -> str:
    """Return the name in lower case, without the ending of gzip."""
    return path.name.lower().removesuffix(".gz")


def source_files(source: Path, *, mapped: bool = False) -> list[Path]:
    """Return the files of a folder, or the one file that is named.

    A folder with JSON Lines is read for them alone, unless columns are mapped.

    Raises:
        SourceError: There is nothing that can be read.
    """
    if source.is_file():
        if not is_source_file(source):
            raise SourceError(f"{source.name} does not have a supported format.", hint=FORMAT)
        return [source]
    if not source.is_dir():
        there = f"{source} is neither a file nor a folder" if source.exists() else ""
        raise SourceError(f"{there or f'There is nothing at {source}'}.", hint=FORMAT)
    paths = sorted(
        each
        for each in _entries(source)
        if is_source_file(each) and each.name.lower() not in ALIASES
    )
    if odd := [each.name for each in paths if not each.is_file()]:
        raise SourceError(
            f"{source} contains {odd[0]}, which is not a readable file.",
            hint="Fix or remove the link. If it is a folder, name it as the source.",
        )
    if not paths:
        raise SourceError(f"{source} contains no supported file.", hint=FORMAT)
    lines = [each for each in paths if is_lines_file(each)]
    return paths if mapped or not lines else lines


def aliases_file(source: Path) -> Path | None:
    """Return the file of aliases in a folder of sources, where there is one."""
    files = (source / name for name in ALIASES)
    return next((path for path in files if path.is_file()), None)


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise SourceError(f"{folder} cannot be read: {error.strerror}.") from error


def read_lines(path: Path, advanced: Callable[[int], None]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, with their numbers.

    A line of more than `MOST_BYTES` is cut to one byte more than that.

    Args:
        path: The file; gzip is known by its first bytes, not by its name.
        advanced: Called now and then with the bytes of the file that are read.

    Raises:
        SourceError: The file is damaged, in another encoding, or cannot be read.
    """
    number = 0
    try:
        with path.open("rb") as stored, unpacked(stored) as lines:
            for number, line in enumerate(_capped(lines), 1):
                if number % STEP == 0:
                    advanced(stored.tell())
                text = _unmarked(path, line) if number == 1 else line
                if text and not text.isspace():
                    yield number, text
    except EOFError as error:
        raise SourceError(f"{path.name} ends early, after line {number}.", hint=AGAIN) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise SourceError(f"{path.name} is damaged after line {number}.", hint=AGAIN) from error
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error


def unpacked(stored: IO[bytes]) -> IO[bytes]:
    """Return the content of a file, unzipped where its first bytes say so."""
    packed = stored.read(2) == GZIP
    stored.seek(0)
    return cast("IO[bytes]", gzip.GzipFile(fileobj=stored)) if packed else stored


def _capped(lines: IO[bytes]) -> Iterator[bytes]:
    while line := lines.readline(MOST_BYTES + 1):
        rest = line
        while len(rest) > MOST_BYTES and not rest.endswith(b"\n"):
            rest = lines.readline(MOST_BYTES + 1)
        yield line


def is_wide(start: bytes) -> bool:
    """Return whether a text begins as UTF-16 does, with a mark or without."""
    return start.startswith(UTF16_MARKS) or b"\0" in start[:4]


def _unmarked(path: Path, line: bytes) -> bytes:
    if is_wide(line):
        raise SourceError(
            f"{path.name} is encoded in UTF-16, according to its first bytes.",
            hint="Save it as UTF-8. Nothing was changed.",
        )
    return line.removeprefix(UTF8_MARK)
