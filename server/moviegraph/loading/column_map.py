"""Which column of a person's own table fills which field, and which columns become edges."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

from pydantic import Field, PrivateAttr, ValidationError, model_validator
from pydantic_core import ErrorDetails

from moviegraph.contract.loader import line_numbers, line_of
from moviegraph.contract.model import (
    Connection,
    Contract,
    EdgeTable,
    FrozenRecord,
    NodeTable,
    nearest,
)
from moviegraph.errors import SourceError

Text = Annotated[str, Field(min_length=1)]
NAME = "{name}"
USUAL = ("id", "name", "content")
ENDS = ("from", "to")
KINDS = ("from_kind", "to_kind")
OF_ALL = ("encoding", "delimiter", "quoted", "absent")
SHAPE = "See docs/guides/column_maps.md for the format of this file."


class ListColumn(FrozenRecord):
    """A column whose cells hold several names; each becomes a node and an edge to it.

    Attributes:
        edge: The edge table between the row's node and the named ones.
        split: What separates the names of a text; without it the cell is a JSON list.
        json_name: The key of the name, where the list holds objects (`json` in the file).
        text: The text of such a node; {name} stands for its name.
    """

    edge: Text
    split: Text | None = None
    json_name: Text | None = Field(default=None, alias="json")
    text: Text = NAME

    @model_validator(mode="after")
    def _one_way(self) -> "ListColumn":
        if self.split is not None and self.json_name is not None:
            raise ValueError("split and json exclude each other")
        return self


class ColumnMap(FrozenRecord):
    """How the rows of a table become nodes and edges; without any entry, by equal names.

    Attributes:
        kind: The node table of the rows; by default the first of the contract.
        edge: The edge table of the rows, where they are edges.
        from_kind: The node table that they leave, where it is one of several in all rows.
        to_kind: The node table that they lead to, likewise.
        columns: The column that fills a field, by field; an id may join several.
        lists: The columns that hold several names.
        encoding: The encoding of CSV and TSV.
        delimiter: What separates the cells; by default what the header suggests.
        quoted: Whether cells may stand in double quotes.
        absent: Cells that mean: no value. An empty one always does.
        aliases: A file of aliases, relative to the map.
        files: A map for each sort of files, by the pattern of their names.
    """

    kind: str | None = None
    edge: str | None = None
    from_kind: Text | None = None
    to_kind: Text | None = None
    columns: Mapping[str, Text | tuple[Text, ...]] = {}
    lists: Mapping[str, ListColumn] = {}
    encoding: str = "utf-8"
    delimiter: Annotated[str, Field(pattern=r"^[^\r\n\"]$")] | None = None
    quoted: bool = True
    absent: tuple[str, ...] = ()
    aliases: Text | None = None
    files: Mapping[str, "ColumnMap"] = {}
    _path: Path | None = PrivateAttr(default=None)
    _lines: Mapping[tuple[str, ...], int] = PrivateAttr(default_factory=dict[tuple[str, ...], int])

    @model_validator(mode="after")
    def _one_sort_of_rows(self) -> "ColumnMap":
        if self.edge and (self.kind or self.lists):
            raise ValueError("edge excludes kind and lists")
        for field, kind in self.end_kinds.items():
            if kind and not self.edge:
                raise ValueError(f"{field} is only for a table of edges")
            if kind and field in self.columns:
                raise ValueError(f"{field} must be a kind or a column, not both")
        if self.files and (self.kind or self.edge or self.columns or self.lists):
            raise ValueError("with files, set kind, edge, columns and lists in each of them")
        if any(each.files for each in self.files.values()):
            raise ValueError("files is empty")
        return self

    def located(self, keys: Sequence[str], message: str) -> str:
        """Return a message with file, line and key, as far as the map was read from a file."""
        number = line_of(self._lines, keys)
        where = [f"{self._path.name}, line {number}"] if self._path and number is not None else []
        return ": ".join([*where, *([".".join(keys)] if keys else []), message])

    @property
    def aliases_path(self) -> Path | None:
        """The file of aliases, found from where the map is."""
        return self._path.parent / self.aliases if self._path and self.aliases else None

    @property
    def end_kinds(self) -> dict[str, str | None]:
        """The node tables at the ends of all edges of the rows, as far as they are said."""
        return dict(zip(KINDS, (self.from_kind, self.to_kind), strict=True))

    @property
    def main_kind(self) -> str | None:
        """The node table of the rows; with `files` that of the first that hold nodes."""
        rows = [each for each in self.files.values() if not each.edge]
        return rows[0].kind if rows else self.kind

    def pattern(self, name: str) -> str | None:
        """Return the first pattern of `files` that a file's name fits, zipped or not."""
        names = (name.lower(), name.lower().removesuffix(".gz"))
        return next(
            (each for each in self.files if any(fnmatchcase(n, each.lower()) for n in names)), None
        )

    def under(self, pattern: str) -> "ColumnMap":
        """Return the map of a pattern, with what is said for all files where it says nothing."""
        own = self.files[pattern]
        said = (self.model_fields_set - own.model_fields_set).intersection(OF_ALL)
        return own.model_copy(update={name: getattr(self, name) for name in said})


def read_column_map(
    path: Path | None, columns: Sequence[str], lists: Sequence[str], encoding: str | None
) -> ColumnMap | None:
    """Return what a file and the command line say together; None where neither says anything.

    Args:
        path: A TOML file, or None.
        columns: FIELD=COLUMN each.
        lists: COLUMN=EDGE for JSON lists, COLUMN=EDGE:SEPARATOR for texts.
        encoding: The encoding of CSV and TSV.

    Raises:
        SourceError: The file cannot be read, or something in it is unknown.
    """
    if path is None and not (columns or lists or encoding):
        return None
    text = _text(path) if path else ""
    said = _toml(path, text) if path else {}
    said["columns"] = {**_table(said, "columns"), **dict(_pair("--column", c) for c in columns)}
    said["lists"] = {**_table(said, "lists"), **dict(_list(each) for each in lists)}
    if encoding:
        said["encoding"] = encoding
    try:
        checked = ColumnMap.model_validate(said)
        for each in (checked, *checked.files.values()):
            "a".encode(each.encoding)
    except ValidationError as error:
        empty = _located_map(ColumnMap(), path, text)
        raise _wrong_map(
            [
                empty.located([str(key) for key in each["loc"]], _message(each))
                for each in error.errors(include_url=False)
            ]
        ) from None
    except (LookupError, UnicodeError) as error:
        raise SourceError(f"{error}.", hint="Try utf-8, utf-16 or cp1252.") from None
    return _located_map(checked, path, text)


def _located_map(columns: ColumnMap, path: Path | None, text: str) -> ColumnMap:
    columns._path = path  # pyright: ignore[reportPrivateUsage]
    columns._lines = line_numbers(text)  # pyright: ignore[reportPrivateUsage]
    return columns


def _message(error: ErrorDetails) -> str:
    return "unknown key" if error["type"] == "extra_forbidden" else error["msg"]


def require_fitting(columns: ColumnMap, contract: Contract) -> None:
    """Raise SourceError, stating every problem, unless the contract has all that a map names."""
    parts = columns.files or {"": columns}
    problems = [
        columns.located((*(("files", name) if name else ()), *keys), message)
        for name, part in parts.items()
        for keys, message in _misfits(part, contract)
    ]
    if problems:
        raise _wrong_map(problems)


def _wrong_map(problems: Sequence[str]) -> SourceError:
    start = "The column map is invalid:"
    return SourceError(
        f"{start} {problems[0]}" if len(problems) == 1 else "\n".join([start, *problems]),
        hint=SHAPE,
    )


def _misfits(columns: ColumnMap, contract: Contract) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield key and message of what the contract does not have."""
    try:
        table = table_of_rows(columns, contract)
    except SourceError as error:
        yield ("edge" if columns.edge else "kind",), _one_line(error)
        return
    fields = fields_of(table)
    for field in columns.columns:
        if field not in fields:
            error = unknown(f"{table.name} has no field {field}", field, fields)
            yield ("columns", field), _one_line(error)
    if isinstance(table, NodeTable):
        for column, listed in columns.lists.items():
            try:
                edge_of_list(listed, table, contract)
            except SourceError as error:
                yield ("lists", column), _one_line(error)
        return
    ends = zip(*((pair.from_table, pair.to_table) for pair in table.pairs), strict=True)
    for (field, kind), kinds in zip(columns.end_kinds.items(), ends, strict=True):
        if kind is not None and kind.lower() not in [name.lower() for name in kinds]:
            error = unknown(f"{table.name} has no {field} {kind}", kind, list(dict.fromkeys(kinds)))
            yield (field,), _one_line(error)


def _one_line(error: SourceError) -> str:
    return f"{error.message} {error.hint or ''}".strip()


def table_of_rows(columns: ColumnMap, contract: Contract) -> NodeTable | EdgeTable:
    """Return the table of the rows. Raises SourceError where the contract has no such table."""
    if columns.edge:
        table, kind, sort, names = contract.edge(columns.edge), columns.edge, "edge", contract.edges
    else:
        kind = columns.kind or contract.nodes[0].name
        table, sort, names = contract.node(kind), "node", contract.nodes
    if table is None:
        message = f"The contract has no {sort} table {kind}"
        raise unknown(message, kind, [known.name for known in names])
    return table


def edge_of_list(each: ListColumn, table: NodeTable, contract: Contract) -> Connection:
    """Return the edges of a list, after a check that one end alone is the rows' table.

    Raises:
        SourceError: There is no such edge table, or it does not join them to one other table.
    """
    touching = contract.connections_of(table.name)
    candidates = [way for way in touching if way.name.lower() == each.edge.lower()]
    if not candidates:
        names = list(dict.fromkeys(way.name for way in touching))
        raise unknown(f"{table.name} has no edge table {each.edge}", each.edge, names)
    leading = [way for way in candidates if way.from_table.lower() != way.to_table.lower()]
    if len(leading) == 1:
        return leading[0]
    name = candidates[0].name
    others = sorted({end for way in leading for end in way.ends} - {table.name})
    wrong = (
        (
            f"{name} connects {table.name} with {' and '.join(others)}; a list can only contain "
            "nodes of one table."
        )
        if leading
        else f"{name} connects {table.name} with itself; a list needs nodes of a different table."
    )
    raise SourceError(wrong, hint="Load these edges as JSON Lines.")


def fields_of(table: NodeTable | EdgeTable) -> tuple[str, ...]:
    """Return the fields that a row of a table may have."""
    if isinstance(table, EdgeTable):
        return (*ENDS, *KINDS)
    return (*USUAL, *(column.source_field for column in table.extra))


def unknown(message: str, name: str, known: Sequence[str]) -> SourceError:
    """Return the error for a name that is none of the known ones."""
    close = nearest(name, list(known), 1)
    advice = f"Did you mean {close[0]}?" if close else f"Available: {', '.join(known)}."
    return SourceError(f"{message}.", hint=advice)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} is not TOML: {error}.", hint=SHAPE) from None


def _toml(path: Path, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SourceError(f"{path} is not TOML: {error}.", hint=SHAPE) from None


def _table(said: Mapping[str, object], key: str) -> dict[str, object]:
    value = said.get(key, {})
    if not isinstance(value, dict):
        raise SourceError(f"{key} of the column map is not a table.", hint=SHAPE)
    return {str(k): v for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _pair(option: str, said: str) -> tuple[str, str]:
    left, _, right = (each.strip() for each in said.partition("="))
    if not left or not right:
        wanted = "FIELD=COLUMN" if option == "--column" else "COLUMN=EDGE or COLUMN=EDGE:SEPARATOR"
        raise SourceError(f"{option} {said} does not have the form {wanted}.")
    return left, right


def _list(said: str) -> tuple[str, dict[str, str]]:
    column, edge = _pair("--list", said)
    edge, _, separator = edge.partition(":")
    return column, {"edge": edge, "split": separator} if separator else {"edge": edge}
