"""The files of a source: which they are, their bytes unpacked, and their lines or decoded text."""

import gzip
import json
import re
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader, TextIOWrapper
from pathlib import Path
from typing import IO, Any, cast

from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ENCODINGS
from moviegraph.loading.row_validation import BadRow, Reason, Row

LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
TABLES = (
    ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".json", ".json.gz", ".parquet",
    ".db", ".sqlite", ".sqlite3", ".duckdb", ".ddb", ".xlsx", ".xlsm",
)  # fmt: skip
ALIASES = ("aliases.jsonl", "aliases.jsonl.gz")
MAX_BYTES = 64 * 1024 * 1024
MAX_FACTOR = 200  # a packed file may unpack to that many times its size, once that is much
MUCH = 256 << 20
SAMPLE = 1 << 16
GZIP = b"\x1f\x8b"
ZIP, OLD_OFFICE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
WORKBOOKS = (".xlsx", ".xlsm")
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
BAD_BYTES = re.compile("[\udc80-\udcff]")
FORMAT = (
    "Name .csv, .tsv, .json, .jsonl (also .gz), .parquet, .sqlite, .duckdb or .xlsx files, or a "
    "folder of them. From another database, export tables as CSV, or with DuckDB's COPY."
)
AGAIN = "Get the file again. Nothing was changed."
ENCODED = 'Save it as UTF-8, or set encoding = "utf-16" in the column map. Nothing was changed.'
SHEET = "Save a workbook as .xlsx without a password, or its sheets as CSV; unpack an archive."
UNPACK = "Unpack it yourself if it is what it says. Nothing was changed."


Source = Path | Sequence[Path]


class EmptyFileError(SourceError):
    """A file has no content."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path.name} is empty.", hint="Add a first line with column names.")


def is_source_file(path: Path) -> bool:
    """Return whether the name is that of a file that loading reads."""
    return path.name.lower().endswith((*LINES, *TABLES))


def is_lines_file(path: Path) -> bool:
    """Return whether the name is that of a file of JSON Lines."""
    return path.name.lower().endswith(LINES)


def source_files(source: Source, *, mapped: bool = False) -> list[Path]:
    """Return the files of a folder, or those that are named.

    A folder with JSON Lines is read for them alone, unless columns are mapped. Its hidden files,
    and links, are not followed.

    Raises:
        SourceError: There is nothing that can be read, or two files have one name.
    """
    if isinstance(source, Path):
        return _of_folder(source, mapped=mapped) if source.is_dir() else [_named_file(source)]
    files = [_named_file(path) for path in source]
    names = [path.name.lower() for path in files]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise SourceError(f"Several sources are called {repeated[0]}.", hint="Rename one of them.")
    return files


def unread_entries(source: Source, *, mapped: bool = False) -> list[str]:
    """Return the files of a folder, and its subfolders of such, that could be read and are not."""
    if not isinstance(source, Path) or not source.is_dir():
        return []
    read = source_files(source, mapped=mapped)
    others = [path for path in sorted(source.iterdir()) if path not in read]
    return [
        path.name
        for path in others
        if not path.name.startswith(".") and path.name.lower() not in ALIASES and _may_be_read(path)
    ]


def _may_be_read(path: Path) -> bool:
    """Return whether a file is a source, or a folder has one or does not tell."""
    try:
        return any(map(is_source_file, path.iterdir() if path.is_dir() else [path]))
    except OSError:
        return True


def source_of(paths: Sequence[Path]) -> Source:
    """Return the source that paths name: a folder or file, or several files."""
    return paths[0] if len(paths) == 1 else tuple(paths)


def source_name(source: Source) -> str:
    """Return what a source is called: its file or folder, or its files."""
    if isinstance(source, Path):
        return source.resolve().name
    return ", ".join(path.resolve().name for path in source)


def _named_file(path: Path) -> Path:
    if not path.is_file():
        there = f"{path} is neither a file nor a folder" if path.exists() else ""
        there = f"{path} is a folder, and not the only source" if path.is_dir() else there
        raise SourceError(f"{there or f'There is nothing at {path}'}.", hint=FORMAT)
    if not is_source_file(path):
        raise SourceError(f"{path.name} does not have a supported format.", hint=FORMAT)
    return path


def _of_folder(source: Path, *, mapped: bool) -> list[Path]:
    try:
        entries = sorted(source.iterdir())
    except OSError as error:
        raise SourceError(f"{source} cannot be read: {error.strerror}.") from error
    paths = [path for path in entries if is_source_file(path) and path.name.lower() not in ALIASES]
    paths = [path for path in paths if not path.name.startswith(".") and path.suffix != ".txt"]
    if irregular := [path.name for path in paths if path.is_symlink() or not path.is_file()]:
        raise SourceError(
            f"{source} contains {irregular[0]}, which is a link, or no file.",
            hint="Links are not followed. Name the files of a load one by one, or copy them.",
        )
    if not paths:
        raise SourceError(f"{source} contains no supported file.", hint=FORMAT)
    lines = [path for path in paths if is_lines_file(path)]
    return paths if mapped or not lines else lines


def require_apart(source: Source, output: Path | None) -> None:
    """Refuse an output file that would be read, or overwritten, as a part of the source."""
    if output is None:
        return
    for path in [source] if isinstance(source, Path) else source:
        is_inside = path.is_dir() and output.absolute().parent.resolve() == path.resolve()
        if (is_inside and is_source_file(output)) or output.resolve() == path.resolve():
            raise SourceError(
                f"The output file {output.name} would become part of the source.",
                hint="Write it to a different folder, or change its extension, such as to .txt.",
            )


def aliases_file(source: Source) -> Path | None:
    """Return the file of aliases in a folder of sources, where there is one."""
    folders = [source] if isinstance(source, Path) else source
    files = (folder / name for folder in folders for name in ALIASES)
    return next((path for path in files if path.is_file()), None)


class _Unpacked(gzip.GzipFile):
    """The content of a packed file, refused where it is out of proportion to the file."""

    def __init__(self, path: Path, stored: IO[bytes]) -> None:
        super().__init__(fileobj=cast("Any", stored))
        self._source = path
        self._limit = max(MUCH, MAX_FACTOR * path.stat().st_size)

    def readinto(self, buffer: Any) -> int:
        self._require_limit()
        return super().readinto(buffer)

    def read(self, size: int | None = -1) -> bytes:
        self._require_limit()
        return super().read(size if size is not None and size >= 0 else self._limit + 1)

    def _require_limit(self) -> None:
        if self.tell() > self._limit:
            message = f"{self._source.name} unpacks to more than {self._limit >> 20:,} MB"
            raise SourceError(f"{message}, {MAX_FACTOR} times its size.", hint=UNPACK)


@contextmanager
def opened(path: Path) -> Generator[IO[bytes]]:
    """Open the content of a file, unpacked according to its first bytes.

    Raises:
        SourceError: It cannot be read, is damaged, or unpacks to far more than its size.
    """
    try:
        with path.open("rb") as stored:
            is_packed = stored.read(2) == GZIP
            stored.seek(0)
            yield BufferedReader(cast("Any", _Unpacked(path, stored))) if is_packed else stored
    except EOFError as error:
        raise SourceError(f"{path.name} ends early.", hint=AGAIN) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise SourceError(f"{path.name} is damaged.", hint=AGAIN) from error
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or 'damaged'}.") from error


@contextmanager
def opened_text(path: Path, encoding: str | None) -> Generator[tuple[TextIOWrapper, str]]:
    """Open a text, and yield it with a note on its encoding, "" where that is UTF-8.

    Without `encoding` a mark or NUL bytes mean UTF-16. Bytes that are not UTF-8 mean cp1252, unless
    most of those beyond ASCII are: then the wrong ones are surrogates, which `BAD_BYTES` finds.

    Raises:
        EmptyFileError: There is nothing in the file.
        SourceError: The file is no text, in another encoding, or cannot be read.
    """
    with opened(path) as content:
        start = content.read(SAMPLE)
        if not start.strip(b"\xef\xbb\xbf \t\r\n"):
            raise EmptyFileError(path)
        if start.startswith((ZIP, OLD_OFFICE)):
            raise SourceError(f"{path.name} is an old workbook, or an archive.", hint=SHEET)
        content.seek(0)
        used, errors = encoding or _guessed(content, start), "strict"
        content.seek(0)
        if not encoding and used == "utf-8-sig":
            errors = "surrogateescape"
        elif not encoding and used == "cp1252":
            errors = "replace"
        try:
            text = TextIOWrapper(cast("Any", content), encoding=used, errors=errors, newline="")
        except (LookupError, ValueError) as error:
            raise SourceError(f"{error}.", hint=ENCODINGS) from None
        note = "" if encoding or used == "utf-8-sig" else f"read as {used}"
        try:
            yield text, f"{note}, because it is not UTF-8" if used == "cp1252" else note
        except UnicodeError as error:
            reason = error.reason if isinstance(error, UnicodeDecodeError) else error
            raise SourceError(f"{path.name} is not {used}: {reason}.", hint=ENCODED) from None
        finally:
            if not text.closed:
                text.detach()


def _guessed(content: IO[bytes], start: bytes) -> str:
    if start.startswith(UTF16_MARKS):
        return "utf-16"
    if start.count(b"\0") > len(start) // 4:
        return "utf-16-le" if start[1:2] == b"\0" else "utf-16-be"
    good = bad = 0
    text = TextIOWrapper(cast("Any", content), "utf-8-sig", "surrogateescape", newline="")
    while part := text.read(1 << 20):
        if not part.isascii():
            wrong = len(BAD_BYTES.findall(part))
            bad += wrong
            good += sum(not char.isascii() for char in part) - wrong
    text.detach()
    return "cp1252" if bad > good else "utf-8-sig"


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, with their numbers.

    A line of more than `MAX_BYTES` is truncated to one byte more than that.

    Raises:
        SourceError: The file is damaged, in another encoding, or cannot be read.
    """
    with opened(path) as content:
        for number, line in enumerate(_capped_lines(content), 1):
            if number == 1 and (line.startswith(UTF16_MARKS) or b"\0" in line[:4]):
                raise SourceError(
                    f"{path.name} is encoded in UTF-16, according to its first bytes.",
                    hint="Save it as UTF-8. Nothing was changed.",
                )
            text = line.removeprefix(UTF8_MARK) if number == 1 else line
            if text and not text.isspace():
                yield number, text


def _capped_lines(content: IO[bytes]) -> Iterator[bytes]:
    while line := content.readline(MAX_BYTES + 1):
        remaining = line
        while len(remaining) > MAX_BYTES and not remaining.endswith(b"\n"):
            remaining = content.readline(MAX_BYTES + 1)
        yield line


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def parsed(line: bytes) -> Row:
    """Return the object of a line. Raises BadRow."""
    if len(line) > MAX_BYTES:
        raise BadRow(Reason.TOO_LONG, f"the line has more than {MAX_BYTES >> 20} MB")
    try:
        row = DECODER.decode(line.decode().rstrip())
    except UnicodeDecodeError as error:
        raise BadRow(Reason.NOT_UTF8, f"byte {error.start + 1} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise BadRow(Reason.NOT_JSON, f"{error.msg} at character {error.pos + 1}") from None
    except ValueError as error:
        raise BadRow(Reason.NOT_JSON, str(error).partition(";")[0]) from None
    except RecursionError:
        raise BadRow(Reason.NOT_JSON, "nested too deeply") from None
    if not isinstance(row, dict):
        raise BadRow(Reason.NOT_AN_OBJECT, f"a {type(row).__name__} instead of an object")
    return cast("Row", row)


def has_graph_lines(files: list[Path]) -> bool:
    """Return whether the first readable line is a node or an edge, as JSON Lines write them."""
    has_lines = False
    for path in filter(is_lines_file, files):
        for _, line in read_lines(path):
            has_lines = True
            try:
                keys = parsed(line).keys()
            except BadRow:
                continue
            return keys >= {"kind", "name", "content"} or keys >= {"kind", "from", "to"}
    return has_lines
