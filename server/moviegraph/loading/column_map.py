"""Column maps: the columns of a table that fill fields, and those that become edges."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, PrivateAttr, ValidationError, model_validator
from pydantic_core import ErrorDetails

from moviegraph.contract.loader import TomlPath, line_numbers, line_of
from moviegraph.contract.model import Connection, Contract, EdgeTable, FrozenRecord, NodeTable
from moviegraph.errors import SourceError
from moviegraph.names import closest_names

Text = Annotated[str, Field(min_length=1)]
NAME = "{name}"
MAX_SHOWN = 20
USUAL = ("id", "name", "content")
End = Literal["from", "to"]
ENDS: tuple[End, End] = ("from", "to")
KINDS = ("from_kind", "to_kind")
OF_ALL = ("encoding", "delimiter", "quoted", "absent", "dates")
ENCODINGS = "Try utf-8, utf-16 or cp1252."
SHAPE = "See docs/guides/column_maps.md for the format of this file."


class ListColumn(FrozenRecord):
    """A column whose cells contain multiple names; each becomes a node and an edge to it.

    Attributes:
        edge: The edge table between the row's node and the named ones.
        split: What separates the names of a text; without it the cell is a JSON list.
        json_name: The key of the name, where the list contains objects (`json` in the file).
        text: The text of such a node; {name} is replaced with its name.
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


class LinkColumn(FrozenRecord):
    """A column whose cells contain ids of other nodes; each becomes an edge to that node.

    Attributes:
        edge: The edge table from the row's node to the others.
        split: What separates the ids of a text.
        by_name: The cells contain names of nodes.
    """

    edge: Text
    split: Text | None = None
    by_name: bool = False


class ColumnMap(FrozenRecord):
    """How the rows of a table become nodes and edges; without any entry, by equal names.

    Attributes:
        kind: The node table of the rows; by default the first of the contract.
        edge: The edge table of the rows, where they are edges.
        from_kind: The node table at their start, where it is one of multiple in all rows.
        to_kind: The node table at their end, likewise.
        by_name: The ends of the edges of the rows that are names, not ids.
        columns: The column that fills a field, by field; an id, name or text may join multiple.
        number_rows: The id of a row is its number.
        made_names: The name of a row is made of its kind and its id.
        file_column: Makes one table of all that the map is for, with a column of this name that
            says from which file a row is.
        line: The columns of a generated text, for rows without prose.
        lists: The columns with multiple names.
        links: The columns with ids of other nodes.
        encoding: The encoding of CSV, TSV and JSON; by default UTF-8, UTF-16 or cp1252.
        delimiter: What separates the cells; by default that of most even rows.
        quoted: Whether cells may be in double quotes.
        absent: Cells that mean: no value; of all columns, or by column. An empty one always does.
        dates: "day first" for dates such as 12/11/2024 where no other date of the column decides.
        aliases: A file of aliases, relative to the map.
        tables: A map for each table, by the pattern of its name: that of a file, of a table of a
            database, of a sheet.
    """

    kind: str | None = None
    edge: str | None = None
    from_kind: Text | None = None
    to_kind: Text | None = None
    by_name: tuple[End, ...] = ()
    columns: Mapping[str, Text | tuple[Text, ...]] = {}
    number_rows: bool = False
    made_names: bool = False
    file_column: Text | None = None
    line: tuple[Text, ...] = ()
    lists: Mapping[str, ListColumn] = {}
    links: Mapping[str, LinkColumn] = {}
    encoding: str | None = None
    delimiter: Annotated[str, Field(pattern=r"^[^\r\n\"]$")] | None = None
    quoted: bool = True
    absent: tuple[str, ...] | Mapping[str, tuple[str, ...]] = ()
    dates: Literal["day first", "month first"] = "month first"
    aliases: Text | None = None
    tables: Mapping[str, "ColumnMap"] = {}
    _path: Path = PrivateAttr(default=Path())
    _lines: Mapping[TomlPath, int] = PrivateAttr(default_factory=dict[TomlPath, int])

    @model_validator(mode="after")
    def _one_sort_of_rows(self) -> "ColumnMap":
        if self.edge and (self.kind or self.lists or self.links):
            raise ValueError("edge excludes kind, lists and links")
        if self.number_rows and "id" in self.columns:
            raise ValueError("number_rows excludes columns.id")
        for field, kind in self.end_kinds.items():
            if kind and not self.edge:
                raise ValueError(f"{field} is only for a table of edges")
            if kind and field in self.columns:
                raise ValueError(f"{field} must be a kind or a column, not both")
        of_one = self.kind or self.edge or self.columns or self.lists or self.links
        if self.tables and of_one:
            raise ValueError("with tables, set kind, edge, columns, lists and links in each")
        if any(part.tables for part in self.tables.values()):
            raise ValueError("tables is empty")
        return self

    def locate(self, keys: Sequence[str], message: str) -> str:
        """Return a message with the key, and with file and line of a map that was read."""
        return _locate(self._path, self._lines, keys, message)

    @property
    def absent_words(self) -> Mapping[str, tuple[str, ...]]:
        """The words that mean "no value", by column; under "" those of all columns."""
        return self.absent if isinstance(self.absent, Mapping) else {"": self.absent}

    @property
    def aliases_path(self) -> Path | None:
        """The file of aliases, relative to the map."""
        return self._path.parent / self.aliases if self.aliases else None

    @property
    def end_kinds(self) -> dict[str, str | None]:
        """The node tables at the ends of all edges of the rows, as far as the map states them."""
        return dict(zip(KINDS, (self.from_kind, self.to_kind), strict=True))

    @property
    def main_kind(self) -> str | None:
        """The node table of the rows; with `tables` that of the first with nodes."""
        parts = [part for part in self.tables.values() if not part.edge]
        return parts[0].kind if parts else self.kind

    def pattern(self, name: str) -> str | None:
        """Return the pattern of `tables` that is a name, or the first that it matches; zipped too.

        A name may contain what patterns consist of.
        """
        names = (name.lower(), name.lower().removesuffix(".gz"))
        same = (pattern for pattern in self.tables if pattern.lower() in names)
        matching = (
            pattern
            for pattern in self.tables
            if any(fnmatchcase(name, pattern.lower()) for name in names)
        )
        return next(same, None) or next(matching, None)

    def under(self, pattern: str) -> "ColumnMap":
        """Return the map of a pattern, with the keys for all tables that it does not set."""
        part = self.tables[pattern]
        inherited = (self.model_fields_set - part.model_fields_set).intersection(OF_ALL)
        return part.model_copy(update={name: getattr(self, name) for name in inherited})


def read_column_map(path: Path) -> ColumnMap:
    """Return the map of a TOML file.

    Raises:
        SourceError: The file cannot be read, or something in it is unknown.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        keys = tomllib.loads(text)
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise SourceError(f"{path} is not TOML: {error}.", hint=SHAPE) from None
    lines = line_numbers(text)
    try:
        column_map = ColumnMap.model_validate(keys)
        for part in (column_map, *column_map.tables.values()):
            "a".encode(part.encoding or "utf-8")
    except ValidationError as error:
        raise _invalid_map(
            [
                _locate(path, lines, [str(key) for key in problem["loc"]], _message(problem))
                for problem in error.errors(include_url=False)
            ]
        ) from None
    except (LookupError, ValueError) as error:
        raise SourceError(f"{error}.", hint=ENCODINGS) from None
    column_map._path, column_map._lines = path, lines  # pyright: ignore[reportPrivateUsage]
    return column_map


def _locate(path: Path, lines: Mapping[TomlPath, int], keys: Sequence[str], message: str) -> str:
    number = line_of(lines, keys)
    position = [f"{path.name}, line {number}"] if number is not None else []
    return ": ".join([*position, *([".".join(keys)] if keys else []), message])


def _message(problem: ErrorDetails) -> str:
    messages = {
        "extra_forbidden": "unknown key",
        "dict_type": "expected a table",
        "mapping_type": "expected a table",
        "model_type": "expected a table",
        "tuple_type": "expected a list",
    }
    return messages.get(problem["type"], problem["msg"])


def require_fitting(columns: ColumnMap, contract: Contract) -> None:
    """Raise SourceError, stating every problem, unless the contract has all that a map names."""
    parts = columns.tables or {"": columns}
    problems = [
        columns.locate((*(("tables", name) if name else ()), *keys), message)
        for name, part in parts.items()
        for keys, message in _misfits(part, contract)
    ]
    if problems:
        raise _invalid_map(problems)


def _invalid_map(problems: Sequence[str]) -> SourceError:
    start = "The column map is invalid:"
    return SourceError(
        f"{start} {problems[0]}" if len(problems) == 1 else "\n".join([start, *problems]),
        hint=SHAPE,
    )


def _misfits(columns: ColumnMap, contract: Contract) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield key and message of each entry that the contract does not have."""
    try:
        table = table_of_rows(columns, contract)
    except SourceError as error:
        yield ("edge" if columns.edge else "kind",), error.message
        return
    fields = fields_of(table)
    for field in columns.columns:
        if field not in fields:
            error = _unknown(f"{table.name} has no field {field}", field, fields)
            yield ("columns", field), error.message
    if isinstance(table, NodeTable):
        lists = {("lists", name): partial(edge_of_list, c) for name, c in columns.lists.items()}
        links = {("links", name): partial(edge_of_link, c) for name, c in columns.links.items()}
        for keys, edge_of in (lists | links).items():
            try:
                edge_of(table, contract)
            except SourceError as error:
                yield keys, error.message
        return
    ends = zip(*((pair.from_table, pair.to_table) for pair in table.pairs), strict=True)
    for (field, kind), kinds in zip(columns.end_kinds.items(), ends, strict=True):
        if kind is not None and kind.lower() not in [name.lower() for name in kinds]:
            error = _unknown(
                f"{table.name} has no {field} {kind}", kind, list(dict.fromkeys(kinds))
            )
            yield (field,), error.message


def table_of_rows(columns: ColumnMap, contract: Contract) -> NodeTable | EdgeTable:
    """Return the table of the rows. Raises SourceError where the contract has no such table."""
    if columns.edge:
        table, kind, sort, names = contract.edge(columns.edge), columns.edge, "edge", contract.edges
    else:
        kind = columns.kind or contract.nodes[0].name
        table, sort, names = contract.node(kind), "node", contract.nodes
    if table is None:
        message = f"The contract has no {sort} table {kind}"
        raise _unknown(message, kind, [table.name for table in names])
    return table


def edge_of_list(list_column: ListColumn, table: NodeTable, contract: Contract) -> Connection:
    """Return the edges of a list, after a check that only one end is the rows' table.

    Raises:
        SourceError: There is no such edge table, it does not join them to one other table, or it
            needs values.
    """
    touching = contract.connections_of(table.name)
    candidates = [edge for edge in touching if edge.name.lower() == list_column.edge.lower()]
    if not candidates:
        names = list(dict.fromkeys(edge.name for edge in touching))
        raise _unknown(
            f"{table.name} has no edge table {list_column.edge}", list_column.edge, names
        )
    leading = [edge for edge in candidates if edge.from_table.lower() != edge.to_table.lower()]
    if len(leading) == 1:
        return _without_values(leading[0], contract)
    name = candidates[0].name
    others = sorted({end for edge in leading for end in edge.ends} - {table.name})
    problem = (
        f"{' and '.join(others)}; a list can only contain nodes of one table"
        if leading
        else "itself; a list needs nodes of a different table"
    )
    raise SourceError(
        f"{name} connects {table.name} with {problem}. Load these edges as JSON Lines."
    )


def _without_values(edge: Connection, contract: Contract) -> Connection:
    """Return the edges of a column, which has no values for columns of an edge table.

    Raises:
        SourceError: The edge table requires some.
    """
    table = contract.edge(edge.name)
    if table and table.required:
        raise SourceError(
            f"{edge.name} requires {', '.join(table.required)}, for which a column of links has no "
            "values. Load these edges from a table of their own, or as JSON Lines."
        )
    return edge


def edge_of_link(link: LinkColumn, table: NodeTable, contract: Contract) -> Connection:
    """Return the edges of a column of ids, which lead from the rows' table to one table.

    Raises:
        SourceError: There is no such edge table, it leads to several, or needs values.
    """
    starting = [c for c in contract.connections if c.from_table.lower() == table.name.lower()]
    found = [edge for edge in starting if edge.name.lower() == link.edge.lower()]
    if len(found) == 1:
        return _without_values(found[0], contract)
    if not found:
        names = list(dict.fromkeys(edge.name for edge in starting))
        raise _unknown(f"No edge table {link.edge} starts at {table.name}", link.edge, names)
    ends = " and ".join(edge.to_table for edge in found)
    raise SourceError(f"{link.edge} leads from {table.name} to {ends}; a link needs one of them.")


def fields_of(table: NodeTable | EdgeTable) -> tuple[str, ...]:
    """Return the fields that a row of a table may have."""
    if isinstance(table, EdgeTable):
        return (*ENDS, *KINDS, *(column.source_field for column in table.extra))
    return (*USUAL, *(column.source_field for column in table.extra))


def _unknown(message: str, name: str, known: Sequence[str]) -> SourceError:
    """Return the error for a name that is none of the known ones."""
    close = closest_names(name, list(known), 1)
    advice = f"Did you mean {close[0]}?" if close else f"Available: {', '.join(known) or 'none'}."
    return SourceError(f"{message}. {advice}")


def missing_columns(file: str, missing: Mapping[str, str], columns: list[str]) -> SourceError:
    """Return the error that states every mapped column that a file does not have."""
    problems = [f"{file} has no column {name} {reason}." for name, reason in missing.items()]
    close = closest_names(next(iter(missing)), columns) if len(missing) == 1 else ()
    column_list = ", ".join(close or columns[:MAX_SHOWN])
    hint = f"{'Nearest' if close else 'It has'}: {column_list}."
    return SourceError(
        f"{problems[0]} {hint}" if len(problems) == 1 else "\n".join([*problems, hint]),
        hint="Fix the column map, or write one (--map). Nothing was changed.",
    )
