"""The rows of a staged table as nodes and edges of a contract, by a column map."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from moviegraph.contract.model import Column, Connection, Contract, EdgeTable, NodeTable
from moviegraph.engines.embedded.source_staging import Staging, literal
from moviegraph.engines.graph_records import Ids, Key, Texts, objects
from moviegraph.loading.column_map import (
    ENDS,
    KINDS,
    USUAL,
    ColumnMap,
    ListColumn,
    edge_of_link,
    edge_of_list,
    fields_of,
    missing_columns,
    table_of_rows,
)
from moviegraph.loading.column_profile import (
    ColumnProfile,
    TableProfile,
    parsed_json,
    present_cell,
    words_of_header,
)
from moviegraph.loading.row_validation import BadRow, Reason, checked_key, required_text
from moviegraph.loading.value_forms import ABSENT, reading

BATCH = 1 << 16
INFINITE = ("inf", "-inf", "infinity", "-infinity")
SILENT = [word for word in ABSENT if word not in INFINITE]
BEYOND_BMP = "'[^\\x{10000}-\\x{10FFFF}]+'"
SPACES = "trim(regexp_replace({}, '\\s+', ' ', 'g'))"


class NodeBatch(NamedTuple):
    """Some rows as nodes.

    Attributes:
        rows: Their numbers, from 0.
        positions: Their positions in the file.
        keys: What they give as id; None where that is nothing, or the number of the row is it.
        names: Their names, those that are made included.
        contents: Their texts; the name where there is none.
        values: The columns, as texts of their types.
    """

    rows: Ids
    positions: Ids
    keys: Texts
    names: list[str]
    contents: Texts
    values: dict[str, Texts]


class EdgeBatch(NamedTuple):
    """Some rows as edges: positions in the file, what the rows say of the ends, and the columns."""

    positions: Ids
    ends: dict[str, Texts]
    values: dict[str, Texts]


@dataclass(slots=True)
class CellLosses:
    """The cells that could not be read, by node table and column, with some of them."""

    counts: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    notes: list[str] = field(default_factory=list[str])

    def add(self, table: str, column: str, count: int, note: str) -> None:
        """Count cells, and say what became of them."""
        self.count(table, column, count)
        self.notes.append(note)

    def count(self, table: str, column: str, count: int) -> None:
        """Count cells."""
        counts = self.counts.setdefault(table, {})
        counts[column] = counts.get(column, 0) + count


class StagedRows:
    """A profiled table under a column map that fits the contract."""

    def __init__(
        self, staging: Staging, profile: TableProfile, columns: ColumnMap, contract: Contract
    ) -> None:
        self._staging, self.profile, self.columns = staging, profile, columns
        self.table = table_of_rows(columns, contract)
        self._contract = contract
        self._sources = {
            name: _as_tuple(columns.columns.get(name, name)) for name in fields_of(self.table)
        }
        self._lists: list[tuple[ColumnProfile, ListColumn, Connection]] = []
        self._links: list[tuple[ColumnProfile, Connection]] = []
        if profile.columns:
            self._require_columns()
        if isinstance(self.table, NodeTable):
            for name, listed in columns.lists.items():
                if column := profile.column(name):
                    edge = edge_of_list(listed, self.table, contract)
                    self._lists.append((column, listed, edge))
            for name, link in columns.links.items():
                if column := profile.column(name):
                    self._links.append((column, edge_of_link(link, self.table, contract)))

    @property
    def unused(self) -> list[str]:
        """The columns that nothing is read from."""
        joining = (*self.columns.lists, *self.columns.links, *self.columns.line)
        used = {name.lower() for name in joining}
        return [
            name
            for name in self.profile.columns
            if name.lower() not in used and not self.fills(name)
        ]

    def fills(self, name: str) -> bool:
        """Return whether a column fills a field."""
        sources = (source.lower() for names in self._sources.values() for source in names)
        return name.lower() in sources

    def _require_columns(self) -> None:
        """Raise SourceError for a mapped column that the table does not have."""
        if isinstance(self.table, EdgeTable):
            usual = ENDS
        else:
            usual = tuple(
                name
                for name in USUAL
                if not (name == "id" and self.columns.number_rows)
                and not (name == "name" and self.columns.made_names)
                and not (name == "content" and (self._is_told or not self.table.text))
            )
        purposes = {
            name: f"for the field {wanted}"
            for wanted in (*usual, *self.columns.columns)
            for name in self._sources[wanted]
        }
        purposes |= dict.fromkeys(self.columns.line, "for the line")
        joining = {**self.columns.lists, **self.columns.links}
        purposes |= {name: f"for {listed.edge}" for name, listed in joining.items()}
        missing = {name: why for name, why in purposes.items() if not self.profile.column(name)}
        if missing:
            raise missing_columns(self.profile.table.file, missing, list(self.profile.columns))

    @property
    def _is_told(self) -> bool:
        """Whether the map says that rows have no text but that of a line, however empty."""
        return "line" in self.columns.model_fields_set

    def _text(self, column: ColumnProfile) -> str:
        """Return the SQL of a column as text, a list with one item per line."""
        if column.type == "LIST":
            return f"nullif(array_to_string({column.read}, chr(10)), '')"
        return column.read if column.type == "JSON" else self._cell(column)

    def _cell(self, column: ColumnProfile) -> str:
        return present_cell(column, self.columns.absent_words)

    def _joined(self, name: str) -> str:
        """Return the SQL of a field: a column, or several as one text; NULL if one is."""
        columns = [self.profile.column(source) for source in self._sources[name]]
        texts = [self._text(column) for column in columns if column]
        if not texts or len(texts) < len(columns):
            return "NULL"
        return " || ' | ' || ".join(texts)

    def nodes(self, losses: CellLosses) -> Iterator[NodeBatch]:
        """Yield the rows as nodes."""
        table = self.table
        assert isinstance(table, NodeTable)
        values = self._values(table, losses)
        fallback = " ".join(map(str.capitalize, words_of_header(table.name)))
        key = "NULL" if self.columns.number_rows else self._joined("id")
        made = f"{literal(fallback)} || ' ' || coalesce({key}, (rowid + 1)::VARCHAR)"
        name = f"coalesce(nullif({self._name()}, ''), {made})"
        content = self._content() if table.text else "NULL"
        selected = (key, name, content, *values.values())
        cut = 0
        for rows, positions, keys, full, contents, *cells in self._batches(*selected):
            names = [shortened(text, table.max_label_chars) for text in full]
            cut += sum(short is not long for short, long in zip(names, full, strict=True))
            contents[:] = [text or name for text, name in zip(contents, names, strict=True)]
            found = dict(zip(values, cells, strict=True))
            yield NodeBatch(rows, positions, keys, names, contents, found)
        if cut and self._sources["name"] != self._sources["content"]:
            limit = f"{table.max_label_chars} characters of {table.label}"
            losses.add(table.name, table.label, cut, f"{cut:,} names are cut to {limit}")

    def key(self, text: str | None, row: int, bits: int) -> Key:
        """Return the id of a row. Raises BadRow."""
        if self.columns.number_rows:
            return row + 1
        if text is None:
            source = ", ".join(self._sources["id"])
            raise BadRow(Reason.MISSING, f"the column {source} has no value for the id")
        assert isinstance(self.table, NodeTable)
        if self.table.source_key:
            return required_text("id", text, 1000).strip()
        return checked_key("id", without_point(text), bits)

    def _values(self, table: NodeTable | EdgeTable, losses: CellLosses) -> dict[str, str]:
        """Return the SQL of each column, after counting the cells that it cannot read."""
        values = {column: self._value(column) for column in table.extra}
        self._count_losses(table, values, losses)
        return {column.name: sql for column, sql in values.items()}

    def _name(self) -> str:
        columns = [self.profile.column(source) for source in self._sources["name"]]
        texts = [self._text(column) for column in columns if column]
        return SPACES.format(f"concat_ws(' ', {', '.join(texts)})") if texts else "NULL"

    def _content(self) -> str:
        columns = [self.profile.column(source) for source in self._sources["content"]]
        if texts := [self._prose(column) for column in columns if column]:
            return f"nullif(concat_ws(chr(10), {', '.join(texts)}), '')"
        parts = [
            f"{literal(' '.join(column.parts) or column.name)} || ': ' || "
            f"replace({self._text(column)}, chr(10), ', ')"
            for name in self.columns.line
            if (column := self.profile.column(name))
        ]
        return f"nullif(concat_ws('; ', {', '.join(parts)}), '')" if parts else "NULL"

    def _prose(self, column: ColumnProfile) -> str:
        """Return the SQL of a text; of the steps of a recipe, what to do."""
        if column.type != "JSON" or not column.item_name:
            return self._text(column)
        path = literal(f"$[*].{json.dumps(column.item_name)}")
        return f"array_to_string(json_extract_string({column.read}, {path}), chr(10))"

    def _value(self, column: Column) -> str:
        sources = self._sources[column.source_field]
        source = self.profile.column(sources[0])
        if source is None:
            return "NULL"
        if column.type == "JSON":
            return f"coalesce({parsed_json(source.cell)}, to_json({self._cell(source)})::VARCHAR)"
        if column.is_text:
            text = self._joined(column.source_field)
            if column.max_chars >= 1 << 30 or (
                len(sources) == 1 and 0 < source.units <= column.max_chars
            ):
                return text
            units = f"length({text}) + length(regexp_replace({text}, {BEYOND_BMP}, '', 'g'))"
            fits = f"CASE WHEN 2 * length({text}) <= {column.max_chars} THEN {text}"
            return f"{fits} WHEN {units} <= {column.max_chars} THEN {text} END"
        if source.type == column.type or (source.type, column.type) == ("INT", "BIGINT"):
            return source.read  # what the profile found, of all values
        return reading(column.type, source.form).replace("§", f"({self._cell(source)})")

    def _count_losses(
        self, table: NodeTable | EdgeTable, values: Mapping[Column, str], losses: CellLosses
    ) -> None:
        for column, value in values.items():
            source = self.profile.column(self._sources[column.source_field][0])
            if source is None or column.type == "JSON" or value == self._text(source):
                continue
            if column.type.startswith(source.type) and not source.absent + source.unreadable:
                continue
            if column.is_text and 0 < source.units <= column.max_chars:
                continue
            silent = f"lower({source.cell}) IN ({', '.join(map(literal, SILENT))})"
            lost = f"{self._cell(source)} IS NOT NULL AND ({value}) IS NULL"
            if not column.is_text:
                lost += f" AND NOT {silent}"
            count, least, position = self._staging.row(
                f"SELECT count(*), min({source.cell}), min(pos) "  # noqa: S608
                f"FROM {self.profile.table.relation} WHERE {lost}"
            )
            if count:
                shown = least if len(least) <= 40 else least[:39] + "…"
                where = f"{self.profile.table.file}, first in {self.profile.table.unit} {position}"
                why = "longer than" if column.is_text else "not"
                losses.add(
                    table.name,
                    column.name,
                    count,
                    f"{source.name}: {count:,} cells are {why} {column.type}, such as {shown!r}, "
                    f"and became NULL ({where}); NVARCHAR(MAX) in contract.toml keeps them",
                )

    def lists(self) -> Iterator[tuple[ListColumn, Connection, Iterator[tuple[Ids, Texts]]]]:
        """Yield each list with its edges, and some rows at a time the numbers and each name."""
        for column, listed, edge in self._lists:
            yield listed, edge, self._items(column, listed.split, listed.json_name)

    def links(self) -> Iterator[tuple[str, Connection, Iterator[tuple[Ids, Texts]]]]:
        """Yield each column of ids with its edges, and some rows at a time the numbers and ids."""
        for column, edge in self._links:
            yield column.name, edge, self._items(column, self.columns.links[column.name].split)

    def _items(
        self, column: ColumnProfile, split: str | None, json_name: str | None = None
    ) -> Iterator[tuple[Ids, Texts]]:
        batches = self._batches(f"unnest({self._listed(column, split, json_name)})")
        return ((rows, items) for rows, _, items in batches)

    def _listed(self, column: ColumnProfile, split: str | None, json_name: str | None) -> str:
        """Return the SQL of the items of a cell as a list."""
        cell = self._cell(column)
        if split:
            return f"string_split({cell}, {literal(split)})"
        if column.type == "LIST":
            return column.read
        if column.type == "JSON":
            member = (json_name or "name").replace('"', '\\"')
            path, each = literal(f'$."{member}"'), literal(f'$[*]."{member}"')
            parsed = parsed_json(cell)
            return (
                f"CASE WHEN json_type({parsed}) = 'OBJECT' "
                f"THEN [json_extract_string({parsed}, {path})] "
                f"WHEN json_type({parsed}, '$[0]') = 'OBJECT' "
                f"THEN json_extract_string({parsed}, {each}) "
                f"ELSE from_json({parsed}, '[\"VARCHAR\"]') END"
            )
        return f"[{cell}]"

    def edges(self, losses: CellLosses) -> Iterator[EdgeBatch]:
        """Yield the rows as edges."""
        assert isinstance(self.table, EdgeTable)
        values = self._values(self.table, losses)
        kinds = {name.lower() for pair in self.table.connections for name in pair.ends}
        has_source_keys = any(
            node.source_key for node in self._contract.nodes if node.name.lower() in kinds
        )
        fixed = self.columns.end_kinds
        ends = [
            literal(kind) if (kind := fixed.get(name)) else self._joined(name)
            for name in (*ENDS, *KINDS)
        ]
        for _, positions, *cells in self._batches(*ends, *values.values()):
            fields: dict[str, Texts] = dict(zip((*ENDS, *KINDS), cells, strict=False))
            for name in () if has_source_keys else ENDS:
                fields[name] = objects([text and without_point(text) for text in fields[name]])
            yield EdgeBatch(positions, fields, dict(zip(values, cells[4:], strict=True)))

    def raw(self, positions: Collection[int]) -> Iterator[tuple[int, bytes]]:
        """Yield the position and the cells of records as JSON, for the file of rejects."""
        if not positions:
            return
        cells = ", ".join(column.cell for column in self.profile.columns.values())
        found = self._staging.run(
            f"SELECT pos, {cells} FROM {self.profile.table.relation} "  # noqa: S608
            "WHERE pos IN (SELECT unnest(?)) ORDER BY rowid",
            [list(positions)],
        )
        for position, *row in found.fetchall():
            record = {n: c for n, c in zip(self.profile.columns, row, strict=True) if c is not None}
            yield position, json.dumps(record, ensure_ascii=False).encode()

    def _batches(self, *expressions: str) -> Iterator[list[Any]]:
        """Yield number and position of some rows at a time, and expressions over them as texts."""
        cells = ", ".join(f"({sql})::VARCHAR AS v{at}" for at, sql in enumerate(expressions))
        relation = self.profile.table.relation
        for start in range(0, self.profile.rows, BATCH):
            yield self._staging.columns(
                f"SELECT rowid AS row, pos, {cells} FROM {relation} "  # noqa: S608
                f"WHERE rowid >= {start} AND rowid < {start + BATCH}"
            )


def typed_columns(columns: ColumnMap, contract: Contract) -> set[str]:
    """Return the columns, in lower case, that fill numbers or dates of a contract."""
    return {
        source.lower()
        for column in table_of_rows(columns, contract).extra
        if not column.is_text
        for source in _as_tuple(columns.columns.get(column.source_field, column.source_field))
    }


def shortened(name: str, limit: int) -> str:
    """Return a name of at most so many UTF-16 units."""
    if len(name) * 2 <= limit or len(units := name.encode("utf-16-le")) <= 2 * limit:
        return name
    return units[: 2 * (limit - 1)].decode("utf-16-le", "ignore").rstrip() + "…"


def without_point(text: str) -> str:
    """Return a number without the .0 that programs append: 7.0 -> 7."""
    return text[:-2] if text.endswith(".0") and text[:-2].isdigit() else text


def _as_tuple(columns: str | tuple[str, ...]) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else columns
