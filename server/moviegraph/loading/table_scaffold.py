"""Drafts a contract and a column map for a table of records: a CSV, JSON or Parquet file."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from moviegraph.errors import SourceError
from moviegraph.loading.column_profile import Column, Names, TableProfile, profile_table
from moviegraph.loading.contract_draft import (
    Draft,
    DraftColumn,
    DraftEdge,
    DraftNode,
    identifier,
    quoted,
    singular,
)
from moviegraph.text import one_line, plural

# Words of headers, the likeliest first.
KEYS = ("id", "key", "uuid", "code", "isbn", "number", "nummer", "no", "nr")
NAMES = (
    "title",
    "name",
    "label",
    "heading",
    "titel",
    "titre",
    "titulo",
    "nombre",
    "nom",
    "bezeichnung",
)
TEXTS = (
    "plot", "overview", "description", "summary", "synopsis", "abstract", "content", "text",
    "instructions", "directions", "method", "steps", "body", "handlung", "inhalt", "beschreibung",
    "resumen", "sinopsis", "descripcion",
)  # fmt: skip
YEARS = ("year", "released", "release", "published", "date", "jahr", "annee", "ano", "anio")
GENERIC = frozenset(
    ("data", "dataset", "export", "all", "top", "final", "clean", "table", "raw", "my", "list")
)
CODE = re.compile(r"[A-Za-z_.:-]*\d[A-Za-z0-9_.:-]*")  # tt0078748
OPTIONAL_S = re.compile(r"\(e?s\)$")  # Genre(s)
MAX_LABEL_CHARS = 200
MAX_TYPED_CHARS = 4000
MEANINGFUL_CHARS = 40
SAMPLE_WORDS = 12


@dataclass(frozen=True, slots=True)
class ListedColumn:
    """A column whose names become nodes: its node table, its edge table, and the names."""

    column: str
    node: str
    edge: str
    names: Names


@dataclass(frozen=True, slots=True)
class TableDraft:
    """A draft, and how the columns of the file fill it.

    Attributes:
        draft: The drafted contract.
        profile: What was seen in the file.
        columns: The column of each field; an id may join several.
        lists: The columns whose names become nodes.
        notes: What the reader should know, one sentence each.
    """

    draft: Draft
    profile: TableProfile
    columns: Mapping[str, str | tuple[str, ...]]
    lists: tuple[ListedColumn, ...]
    notes: tuple[str, ...]


def draft_table(path: Path, *, kind: str | None = None, encoding: str | None = None) -> TableDraft:
    """Return a draft for a file.

    Args:
        path: The file.
        kind: The name of the node table of its records; by default from the file's name.
        encoding: The encoding of CSV and TSV; by default UTF-8, else cp1252.

    Raises:
        SourceError: The file cannot be read, or has no column that can be a name.
    """
    profile = profile_table(path, encoding)
    if {"kind", "name", "content"} <= profile.columns.keys():
        raise SourceError(
            f"{path.name} already has the form of a graph: kind, id, name, content.",
            hint="Load it with its contract: moviegraph load SOURCE --contract FOLDER.",
        )
    return _Drafting(path, profile, kind or _kind_of(path)).draft()


class _Drafting:
    """Assigns each column of a profile to one purpose."""

    def __init__(self, path: Path, profile: TableProfile, kind: str) -> None:
        self._path = path
        self._profile = profile
        self._free = dict(profile.columns)
        self._kind = identifier(kind, (), fallback="Record")
        self._left_out: dict[str, str] = {}
        self._notes: list[str] = []

    def draft(self) -> TableDraft:
        for column in list(self._free.values()):
            if reason := self._unusable(column):
                self._leave_out(column, reason)
        key = self._key()
        name = self._name(key)
        text = self._text(name)
        columns: dict[str, str | tuple[str, ...]] = {"id": key, "name": name.name}
        columns["content"] = text.name if text else name.name
        for used in (name, text):
            if used is not None:
                self._free.pop(used.name, None)
        lists = tuple(self._lists())
        if not lists:
            raise SourceError(
                f"{self._path.name} has no column that connects records: a graph needs a "
                "column of names that multiple records share, such as genres, tags or a "
                "country.",
                hint=f"Add one to the file. Columns: {', '.join(self._profile.columns)}.",
            )
        extra, fields, year = self._extra()
        columns |= fields
        self._warn(name, text)
        node = DraftNode(
            self._kind,
            f"One record of {self._path.name}; describe here what that is.",
            [*_roles(name, text), *extra, _vector()],
            year=year,
            sample=_sample(text or name),
        )
        nodes = [node, *(_listed_node(each, self._kind) for each in lists)]
        draft = Draft(
            re.sub(r"[^a-z0-9_]", "_", self._kind.lower()),
            f"{self._kind} graph",
            f"The records of {self._path.name}, and what connects them.",
            nodes,
            [_edge(each, self._kind) for each in lists],
            left_out=self._left_out,
        )
        return TableDraft(draft, self._profile, columns, lists, tuple(self._notes))

    def _unusable(self, column: Column) -> str | None:
        if column.kind == "empty":
            return "no value"
        if column.kind == "link":
            return "links or file names"
        if column.kind in ("list", "object") and not column.names() and not _is_prose(column):
            return "objects without a name, or lists of more than names; flatten the needed values"
        everywhere = column.distinct == 1 and len(column.values) == self._profile.records
        if everywhere and self._profile.records > 1:
            return f"the same value everywhere ({column.texts[0][:MEANINGFUL_CHARS]})"
        return None

    def _leave_out(self, column: Column, reason: str) -> None:
        self._left_out[column.name] = reason
        self._free.pop(column.name, None)

    def _key(self) -> str | tuple[str, ...]:
        """Return the column that tells records apart, or two that do so together."""
        unique = [each for each in self._free.values() if self._is_key(each)]
        key = _by_header(unique, KEYS)
        key = key or next((c for c in unique if c.kind == "whole" and not c.has_years), None)
        codes = (c for c in unique if not c.has_years and all(map(CODE.fullmatch, c.texts)))
        key = key or next(codes, None)
        if key is not None:
            self._free.pop(key.name)
            return key.name
        name = self._name("")
        if name.distinct == self._profile.records:
            return name.name
        year = self._year()
        pairs = set(zip(name.texts, year.texts if year else (), strict=False))
        if year and len(pairs) == self._profile.records == len(year.values) == len(name.values):
            return name.name, year.name
        again = self._profile.records - name.distinct
        self._notes.append(
            f"No column identifies all records: of records with the same {name.name} only "
            f"the first is loaded ({plural(again, 'record')} would be rejected). Name "
            "columns that identify them in [columns] id."
        )
        return name.name

    def _is_key(self, column: Column) -> bool:
        present = len(column.values) == self._profile.records == column.distinct
        return present and column.kind in ("whole", "text") and column.max_chars <= MEANINGFUL_CHARS

    def _name(self, key: str | tuple[str, ...]) -> Column:
        texts = [c for c in self._free.values() if c.has_words and c.mean_chars <= 120]
        most = [c for c in texts if c.distinct >= 0.5 * len(c.values)]
        name = _by_header(texts, NAMES)
        name = name or max(most, key=lambda c: (len(c.values), c.distinct), default=None)
        if name is None and isinstance(key, str) and key in self._profile.columns:
            name = self._profile.columns[key]
        if name is None:
            raise SourceError(
                f"{self._path.name} has no column that can be the name of a record.",
                hint="A name is a short text that differs between records. Columns: "
                f"{', '.join(self._profile.columns)}.",
            )
        return name

    def _text(self, name: Column) -> Column | None:
        prose = [c for c in self._free.values() if c.name != name.name and _is_prose(c)]
        return _by_header(prose, TEXTS) or max(prose, key=_prose_chars, default=None)

    def _year(self) -> Column | None:
        years = [each for each in self._free.values() if each.has_years]
        return _by_header(years, YEARS) or (years[0] if len(years) == 1 else None)

    def _lists(self) -> Iterator[ListedColumn]:
        taken = [self._kind]
        for column in list(self._free.values()):
            names = column.names()
            if names is None:
                continue
            self._free.pop(column.name)
            node = identifier(singular(OPTIONAL_S.sub("", column.name)), taken, fallback="Listed")
            taken.append(node)
            snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", node).upper()
            yield ListedColumn(column.name, node, f"HAS_{snake}", names)

    def _extra(self) -> tuple[list[DraftColumn], dict[str, str], str | None]:
        """Return the further columns, their fields, and the one that has the year."""
        year, columns = self._year(), list[DraftColumn]()
        fields: dict[str, str] = {}
        for column in self._free.values():
            taken = ["Id", "Name", "Content", "Embedding", *(each.name for each in columns)]
            name = identifier(column.name, taken, fallback="Column")
            kind = "INT" if column is year else _type(column)
            columns.append(
                DraftColumn(
                    name, kind, _describe(column), name.lower(), searchable=_is_prose(column)
                )
            )
            fields[name.lower()] = column.name
        named = next((c.name for c in columns if year and fields[c.field] == year.name), None)
        return columns, fields, named

    def _warn(self, name: Column, text: Column | None) -> None:
        for column, field in ((name, "name"), (text, "text")):
            missing = self._profile.records - len(column.values) if column else 0
            if column and missing:
                self._notes.append(
                    f"{plural(missing, 'record')} without {column.name} would be rejected, "
                    f"because a record needs a {field}."
                )
        if text is None:
            self._notes.append("No column contains sentences, so the name is also the text.")
        if self._profile.wrong:
            self._notes.append(f"{plural(self._profile.wrong, 'record')} could not be read.")


def _by_header(columns: Iterable[Column], words: tuple[str, ...]) -> Column | None:
    """Return the column whose header is, ends with or contains the likeliest word.

    A long word also counts as the end of a compound: Originaltitel.
    """
    scored: list[tuple[int, int, Column]] = []
    for column in columns:
        parts = re.findall(r"[a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", column.name).lower())
        for rank, word in enumerate(words):
            if parts and word in parts:
                scored.append(
                    (0 if parts == [word] else 1 if parts[-1] == word else 2, rank, column)
                )
            elif len(word) > 3 and any(part.endswith(word) for part in parts):
                scored.append((3, rank, column))
    return min(scored, key=lambda each: each[:2])[2] if scored else None


def _is_prose(column: Column) -> bool:
    if column.kind == "list":
        passages = column.passages() if not column.names() else []
        return sum(len(text.split()) for text in passages) >= 3 * len(passages) > 0
    words = sum(len(text.split()) for text in column.texts)
    return column.kind == "text" and words >= 6 * len(column.values) > 0


def _prose_chars(column: Column) -> float:
    return column.mean_chars * len(column.values)


def _type(column: Column) -> str:
    if column.kind == "text" and column.has_years:
        return "INT"
    if column.kind == "whole":
        return "INT" if all(abs(int(float(v))) < 2**31 for v in column.texts) else "BIGINT"
    if column.kind in ("number", "bit", "date"):
        return {"number": "FLOAT", "bit": "BIT", "date": "DATE"}[column.kind]
    return _text_type(column.max_chars) if column.kind == "text" else "NVARCHAR(MAX)"


def _text_type(chars: int) -> str:
    size = max(100, -(-2 * chars // 100) * 100)
    return f"NVARCHAR({size})" if size <= MAX_TYPED_CHARS else "NVARCHAR(MAX)"


def _sample(column: Column) -> str:
    """Return the first words of the first text, in one line without control characters."""
    words = one_line(next(iter(column.texts), "")).split()
    return " ".join(words[:SAMPLE_WORDS])


def _describe(column: Column) -> str:
    shown = ", ".join(dict.fromkeys(text[:MEANINGFUL_CHARS] for text in column.texts[:50]))
    return f"{column.name} of the file, such as {shown[: 2 * MEANINGFUL_CHARS]}."


def _roles(name: Column, text: Column | None) -> list[DraftColumn]:
    size = max(MAX_LABEL_CHARS, -(-2 * name.max_chars // 100) * 100)
    content = f"{text.name} of the file." if text else "The name again."
    return [
        DraftColumn("Id", "INT", "Key; stable between loads.", "id", nullable=False),
        DraftColumn(
            "Name", f"NVARCHAR({size})", f"{name.name} of the file.", "name",
            nullable=False, searchable=True,
        ),
        DraftColumn("Content", "NVARCHAR(MAX)", content, "content", searchable=True),
    ]  # fmt: skip


def _vector() -> DraftColumn:
    about = "Vector of name and text; compare with @q, never select it."
    return DraftColumn("Embedding", "VECTOR", about, "")


def _listed_node(listed: ListedColumn, kind: str) -> DraftNode:
    few = ", ".join(name for name, _ in listed.names.counts.most_common(3))
    longest = max(map(len, listed.names.counts))
    size = max(MAX_LABEL_CHARS, -(-2 * longest // 100) * 100)
    columns = [
        DraftColumn("Id", "INT", "Key; stable between loads.", "id", nullable=False),
        DraftColumn(
            "Name", f"NVARCHAR({size})", f"Name, such as {few}.", "name",
            nullable=False, searchable=True,
        ),
        DraftColumn("Content", "NVARCHAR(MAX)", "The name again.", "content", searchable=True),
        _vector(),
    ]  # fmt: skip
    return DraftNode(
        listed.node, f"One of the names in {listed.column}, shared by {kind} records.", columns
    )


def _edge(listed: ListedColumn, kind: str) -> DraftEdge:
    meaning = f"the {kind} lists it under {listed.column}"
    return DraftEdge(listed.edge, ((kind, listed.node),), meaning)


def _kind_of(path: Path) -> str:
    stem = path.name.split(".")[0]
    words = re.findall(r"[A-Za-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", stem))
    words_shown = [word for word in words if word.lower() not in GENERIC]
    return singular(words_shown[-1]) if words_shown else "Record"


def column_map_toml(table: TableDraft, aliases: str | None) -> str:
    """Return the column map of a draft, with comments for who edits it."""
    return "\n".join(_map_lines(table, aliases)) + "\n"


def _map_lines(table: TableDraft, aliases: str | None) -> Iterator[str]:
    profile = table.profile
    yield "# Which column of the file fills which field of contract.toml; by `moviegraph init`."
    yield f"kind = {quoted(table.draft.nodes[0].name)}"
    if profile.encoding != "utf-8":
        yield f"encoding = {quoted(profile.encoding)}"
    if profile.delimiter:
        yield f"delimiter = {quoted(profile.delimiter)}"
    if profile.absent:
        yield f"absent = [{', '.join(map(quoted, profile.absent))}] # cells that mean: no value"
    if aliases:
        yield f"aliases = {quoted(aliases)} # other names of nodes"
    yield ""
    yield "[columns]"
    for field, column in table.columns.items():
        yield f"{quoted(field) if not field.isalnum() else field} = {_value(column)}"
    if table.draft.left_out:
        yield "# Left out:"
        yield from (f"# {name}: {reason}" for name, reason in _one_line(table.draft.left_out))
    if table.lists:
        yield ""
        yield "[lists] # each name becomes a node, and an edge to it"
    for each in table.lists:
        how = f", split = {quoted(each.names.split)}" if each.names.split else ""
        how += f", json = {quoted(each.names.key)}" if each.names.key not in (None, "name") else ""
        yield f"{quoted(each.column)} = {{ edge = {quoted(each.edge)}{how} }}"


def _value(column: str | tuple[str, ...]) -> str:
    return quoted(column) if isinstance(column, str) else f"[{', '.join(map(quoted, column))}]"


def _one_line(left_out: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((" ".join(n.split()), " ".join(reason.split())) for n, reason in left_out.items())
