"""Excel workbooks as sources: each sheet is a table, with the values of cells, not formulas."""

import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from xml.parsers import expat

from moviegraph.errors import SourceError

MAX_UNPACKED = 512 << 20
MAX_CELLS = 20_000_000  # calamine holds a sheet as a rectangle, however few of its cells are filled
CHUNK = 1 << 20
CELL = re.compile(r"([A-Za-z]{1,3})(\d{1,7})")
AGAIN = "Save it again as .xlsx, or save its sheets as CSV. Nothing was changed."
Rows = Iterator[list[str | None]]


def read_sheets(path: Path) -> Iterator[tuple[str, Rows]]:
    """Yield name and rows of each sheet with cells.

    Raises:
        SourceError: It is no workbook, is damaged or protected, or unpacks to too much.
    """
    try:
        import python_calamine as calamine
    except ImportError:
        raise SourceError(
            f"{path.name} is a workbook, and python-calamine is not installed.",
            hint="pip install python-calamine (it is the extra `excel`), or save it as CSV.",
        ) from None
    with TemporaryFile() as checked:
        try:
            _copy_checked(path, checked)
            checked.seek(0)
            with calamine.CalamineWorkbook.from_filelike(checked) as workbook:
                for name in workbook.sheet_names:
                    sheet = workbook.get_sheet_by_name(name)
                    if sheet.height:
                        yield name, ([_text(cell) for cell in row] for row in sheet.iter_rows())
        except (calamine.CalamineError, zipfile.BadZipFile, zlib.error, EOFError) as error:
            reason = str(error) or "damaged"
            raise SourceError(
                f"{path.name} is no readable workbook: {reason}.", hint=AGAIN
            ) from None


def _copy_checked(path: Path, target: IO[bytes]) -> None:
    """Copy the XML of a workbook, so that what is read is what was measured."""
    total = 0
    with zipfile.ZipFile(path) as packed, zipfile.ZipFile(target, "w") as unpacked:
        for part in packed.infolist():
            sheet, is_xml = _Sheet(), True
            with packed.open(part) as content, unpacked.open(part.filename, "w") as copy:
                while chunk := content.read(CHUNK):
                    total += len(chunk)
                    if total > MAX_UNPACKED:
                        limit = f"more than {MAX_UNPACKED >> 20} MB"
                        raise SourceError(f"{path.name} unpacks to {limit}.", hint=AGAIN)
                    is_xml = is_xml and sheet.feed(chunk)
                    if not is_xml:
                        break
                    copy.write(chunk)
            if sheet.cells > MAX_CELLS:
                count = f"{sheet.cells:,} cells, most of them empty or beyond what can be read"
                raise SourceError(f"{path.name} has a sheet of {count}.", hint=AGAIN)


class _Sheet:
    """How large the rectangle of the filled cells of a sheet is."""

    def __init__(self) -> None:
        self._row = self._column = self._height = self._width = 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.StartDoctypeDeclHandler = _refuse  # it may add attributes

    @property
    def cells(self) -> int:
        """The cells of the rectangle."""
        return self._height * self._width

    def feed(self, chunk: bytes) -> bool:
        """Take more of the XML; return whether it is XML."""
        try:
            self._parser.Parse(chunk)
        except (expat.ExpatError, ValueError):
            return False
        return True

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        element = name.rpartition(":")[2]
        if element == "row":
            self._row = int(attributes.get("r", self._row + 1))
            self._column = 0
        elif element == "c":
            self._column += 1
            if place := CELL.fullmatch(attributes.get("r", "")):
                self._column, self._row = _number(place[1]), int(place[2])
        elif element in ("v", "is"):
            self._height = max(self._height, self._row)
            self._width = max(self._width, self._column)


def _refuse(*_: Any) -> None:
    raise ValueError("a document type")


def _number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number


def _text(cell: Any) -> str | None:
    if cell == "":
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return str(cell)
