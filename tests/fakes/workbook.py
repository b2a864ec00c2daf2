"""Excel workbooks, written by hand: the least XML that is one."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

Cell = str | int | float | None
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
SHEET = f'<worksheet xmlns="{MAIN}"><sheetData>{{}}</sheetData></worksheet>'


def write_workbook(
    path: Path, sheets: Mapping[str, Sequence[Sequence[Cell]] | str], **more: bytes
) -> Path:
    """Write a workbook; a sheet is rows of cells, or its XML. A text that begins with = is a
    formula whose value is 7."""
    names = "".join(
        f'<sheet name="{escape(name)}" sheetId="{at}" r:id="r{at}"/>'
        for at, name in enumerate(sheets, 1)
    )
    targets = "".join(
        f'<Relationship Id="r{at}" Type="{RELATIONS}/worksheet" Target="worksheets/{at}.xml"/>'
        for at in range(1, len(sheets) + 1)
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{names}'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{targets}'
        "</Relationships>",
    }
    for at, rows in enumerate(sheets.values(), 1):
        xml = rows if isinstance(rows, str) else "".join(map(_row, range(1, len(rows) + 1), rows))
        parts[f"xl/worksheets/{at}.xml"] = xml if xml.startswith("<!") else SHEET.format(xml)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in parts.items():
            book.writestr(name, text)
        for name, content in more.items():
            book.writestr(f"xl/{name}", content)
    return path


def _row(number: int, cells: Sequence[Cell]) -> str:
    inner = "".join(_cell(f"{chr(65 + at)}{number}", cell) for at, cell in enumerate(cells))
    return f'<row r="{number}">{inner}</row>'


def _cell(place: str, cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str) and cell.startswith("="):
        return f'<c r="{place}"><f>{escape(cell[1:])}</f><v>7</v></c>'
    if isinstance(cell, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
    return f'<c r="{place}"><v>{cell}</v></c>'
