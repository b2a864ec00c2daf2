"""Draft of a contract and a column map from the records of a CSV, JSON or Parquet file."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any

from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable, Pair
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap, ListColumn
from moviegraph.loading.contract_draft import ContractDraft, quoted, unique_identifier, words_of
from moviegraph.loading.row_mapping import (
    cell_items,
    cell_names,
    cell_text,
    column_value,
    parse_whole_number,
)
from moviegraph.loading.row_validation import BadRow, checked_value
from moviegraph.loading.source_records import read_records_of
from moviegraph.names import fold_case, singular
from moviegraph.text import one_line, plural

MAX_RECORDS = 20_000
ABSENT = frozenset(
    {"N/A", "n/a", "NA", "NULL", "null", "None", "none", "NaN", "nan", "\\N", "-", "?"}
)
TYPES = ("DATE", "INT", "BIGINT", "FLOAT", "BIT")
SEPARATORS = ("|", ";", ",", "/")
MAX_NAME_CHARS = 100
MAX_NAME_WORDS = 5
MIN_PROSE_WORDS = 6
MIN_LIST_USES = 1.1  # how often a name occurs, in the mean: names are shared, sentences are not
MIN_TEXT_USES = 1.5  # the same for text without a list's brackets, which says less
LINK = re.compile(r"(?:https?://|www\.|/[\w./-]+\.(?:jpg|jpeg|png|webp|gif)$)\S*", re.IGNORECASE)
MEASURE = re.compile(r"[$€£]?\s?\d[\d.,:]*\s?\w{0,8}\.?")  # 142 min
OPTIONAL_S = re.compile(r"\(e?s\)$")  # Genre(s)
# Words of headers, the likeliest first.
NAME_KEYS = ("name", "title", "label", "ingredient", "item", "text", "value")
KEYS = ("id", "key", "uuid", "code", "isbn", "number", "nummer", "no", "nr")
NAMES = ("title", "name", "label", "heading", "titel", "titre", "titulo", "nombre", "nom")
TEXTS = (
    "plot", "overview", "description", "summary", "synopsis", "abstract", "content", "text",
    "instructions", "directions", "body", "handlung", "inhalt", "beschreibung", "resumen",
)  # fmt: skip
YEARS = ("year", "released", "release", "published", "date", "jahr", "annee", "ano")
GENERIC = frozenset(("data", "dataset", "metadata", "export", "all", "final", "clean", "list"))
MIN_LABEL_CHARS = 200
MAX_TYPED_CHARS = 4000
MAX_SHOWN_CHARS = 40
SAMPLE_WORDS = 12


@dataclass(frozen=True, slots=True)
class NameList:
    """The names in a column, each of which becomes a node.

    Attributes:
        split: What separates the names of a text, or None where the cells are lists.
        key: The member of the name, where the lists contain objects.
        counts: How often each name occurs.
    """

    split: str | None
    key: str | None
    counts: Counter[str]

    @property
    def mean_uses(self) -> float:
        """How many records name a name, in the mean; 0 where most are too long for names."""
        short = (n for n in self.counts if len(n) <= MAX_NAME_CHARS)
        names = sum(len(name.split()) <= MAX_NAME_WORDS for name in short)
        is_plausible = names >= 0.9 * len(self.counts) > 0
        return self.counts.total() / len(self.counts) if is_plausible else 0.0


class ColumnProfile:
    """One column: its values, without those that mean none."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.values: list[Any] = []

    @cached_property
    def texts(self) -> list[str]:
        """The values as `load` reads text."""
        return ["" if (text := cell_text(value)) is None else str(text) for value in self.values]

    @cached_property
    def distinct(self) -> int:
        """How many different values there are."""
        return len(set(self.texts))

    @cached_property
    def max_chars(self) -> int:
        """The length of the longest value, as SQL Server counts."""
        return max((len(text.encode("utf-16-le")) // 2 for text in self.texts), default=0)

    @cached_property
    def value_type(self) -> str | None:
        """The type, other than text, that `load` accepts for all values."""
        for sql_type in TYPES:
            column = Column.model_validate({"name": "Value", "type": sql_type, "description": "-"})
            with suppress(BadRow):
                for value in self.values:
                    checked_value(column, column_value(column, value))
                return sql_type
        return None

    @cached_property
    def items(self) -> list[Any]:
        """The items of all values where these are lists or objects; otherwise none."""
        items = list[Any]()
        with suppress(BadRow):
            for value in self.values:
                items += cell_items(self.name, value)
            return items
        return []

    @cached_property
    def has_years(self) -> bool:
        """Whether all values are years, or dates."""
        years = map(parse_whole_number, self.values)
        return bool(self.values) and all(
            isinstance(year, (int, float)) and 1000 <= year <= 2200 for year in years
        )

    @cached_property
    def has_words(self) -> bool:
        """Whether most values are texts with letters: no dates, codes or amounts."""
        worded = sum(
            any(map(str.isalpha, text)) and not MEASURE.fullmatch(text.strip())
            for text in self.texts
        )
        return not self.value_type and not self.items and worded >= 0.8 * len(self.values)

    @cached_property
    def is_prose(self) -> bool:
        """Whether the values are sentences, or lists of them."""
        words = sum(len(text.split()) for text in self.texts)
        is_text = self.has_words or bool(self.items and not self.names)
        return is_text and words >= MIN_PROSE_WORDS * len(self.values) > 0

    @cached_property
    def names(self) -> NameList | None:
        """The names that the column lists, or None where it contains something else."""
        if self.items:
            first = self.items[0]
            keys = (key for key in NAME_KEYS if isinstance(first, dict) and key in first)
            names = self._read_names(None, next(keys, None))
            return names if names.mean_uses >= MIN_LIST_USES else None
        if not self.has_words:
            return None
        best = self._read_names(SEPARATORS[0])
        for separator in SEPARATORS[1:]:
            names = self._read_names(separator)
            if names.mean_uses >= 1.25 * best.mean_uses:
                best = names
        return best if best.mean_uses >= MIN_TEXT_USES and len(best.counts) > 1 else None

    def _read_names(self, split: str | None, key: str | None = None) -> NameList:
        """Return the names as `load` reads and merges them; none where an item is not a name."""
        how, spelling = ListColumn(edge="-", split=split, json=key), dict[str, str]()
        with suppress(BadRow):
            names = [name for value in self.values for name in cell_names(self.name, how, value)]
            counts = Counter(spelling.setdefault(fold_case(name), name) for name in names)
            return NameList(split, key, counts)
        return NameList(split, key, Counter())


@dataclass(slots=True)
class TableProfile:
    """The columns of a table, and how it is read.

    Attributes:
        encoding: The encoding that read it.
        columns: The columns by name.
        records: How many records were read.
        absent: Cells that mean: no value.
        wrong: How many records could not be read.
    """

    encoding: str
    columns: dict[str, ColumnProfile] = field(default_factory=dict[str, ColumnProfile])
    records: int = 0
    absent: set[str] = field(default_factory=set[str])
    wrong: int = 0

    def add(self, values: Mapping[str, Any]) -> None:
        """Add a record."""
        self.records += 1
        for name, value in values.items():
            column = self.columns.setdefault(name, ColumnProfile(name))
            text = value.strip() if isinstance(value, str) else None
            if text in ABSENT:
                self.absent.add(text)
            elif text != "" and value is not None and value == value and value not in ([], {}, ()):
                column.values.append(float(value) if isinstance(value, Decimal) else value)


def profile_table(path: Path, encoding: str | None = None) -> TableProfile:
    """Return the profile of a table, read as `load` reads it.

    Raises:
        SourceError: The file cannot be read, or has no record.
    """
    profile = _profile(path, encoding or "utf-8")
    is_csv = any(ending in path.name.lower() for ending in (".csv", ".tsv"))
    if encoding is None and profile.wrong and is_csv:
        profile = min(profile, _profile(path, "cp1252"), key=lambda other: other.wrong)
    if not profile.records:
        raise SourceError(f"{path.name} contains no readable record.")
    return profile


def _profile(path: Path, encoding: str) -> TableProfile:
    profile = TableProfile(encoding)
    records = read_records_of(path, ColumnMap(encoding=encoding))
    for record in islice(records, MAX_RECORDS):
        if isinstance(record.values, BadRow):
            profile.wrong += 1
        else:
            profile.add(record.values)
    profile.columns.pop("", None)
    return profile


@dataclass(frozen=True, slots=True)
class TableDraft:
    """A draft, and how the columns of the file fill it.

    Attributes:
        draft: The drafted contract: the records' node table, then one node table per list.
        profile: The content of the file.
        columns: The column of each field; an id may join multiple.
        lists: The columns whose names become nodes, in the order of the node and edge tables.
        notes: Messages for the operator.
    """

    draft: ContractDraft
    profile: TableProfile
    columns: Mapping[str, str | tuple[str, ...]]
    lists: Mapping[str, NameList]
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
    words = words_of(path.name.split(".")[0])
    specific = [word for word in words if not word.isdigit() and word.lower() not in GENERIC]
    kind = kind or (singular(specific[-1]) if specific else "")
    return _TableDrafting(path, profile, unique_identifier(kind, (), fallback="Record")).draft()


class _TableDrafting:
    """Assigns each column of a profile to one purpose."""

    def __init__(self, path: Path, profile: TableProfile, kind: str) -> None:
        self._path, self._profile, self._kind = path, profile, kind
        self._free = dict(profile.columns)
        self._left_out: dict[str, str] = {}
        self._notes: list[str] = []

    def draft(self) -> TableDraft:
        for column in list(self._free.values()):
            if reason := self._unusable(column):
                self._left_out[column.name] = reason
                del self._free[column.name]
        year = self._year()
        key = self._key(year)
        name = self._name(key)
        text = self._text(name)
        columns = {"id": key, "name": name.name, "content": (text or name).name}
        for used in (name, text):
            if used is not None:
                self._free.pop(used.name, None)
        lists = self._lists()
        extra = self._extra(year)
        columns |= {column.source_field: profile.name for column, profile in extra}
        self._warn(name, text)
        node = NodeTable(
            name=self._kind,
            description=f"One record of {self._path.name}; describe here what that is.",
            columns=_node_columns(
                f"{name.name} of the file.",
                f"{text.name} of the file." if text else "The name again.",
                name.max_chars,
                [column for column, _ in extra],
            ),
            disambiguated_by=next((column.name for column, p in extra if p is year), None),
        )
        nodes = [node]
        for column, names in lists.items():
            nodes.append(self._listed_node(column, names, [node.name for node in nodes]))
        contract = Contract(
            name=re.sub(r"[^a-z0-9_]", "_", self._kind.lower()),
            title=f"{self._kind} graph",
            version="1.0",
            description=f"The records of {self._path.name}, and what connects them.",
            nodes=tuple(nodes),
            edges=tuple(map(self._edge, lists, nodes[1:])),
        )
        sample = " ".join(one_line((text or name).texts[0]).split()[:SAMPLE_WORDS])
        draft = ContractDraft(contract, self._left_out, sample)
        return TableDraft(draft, self._profile, columns, lists, tuple(self._notes))

    def _unusable(self, column: ColumnProfile) -> str | None:
        if not column.values:
            return "no value"
        if all(isinstance(value, str) and LINK.match(value.strip()) for value in column.values):
            return "links or file names"
        if column.items and not column.names and not column.is_prose:
            return "objects without a name, or lists of more than shared names; flatten the values"
        is_everywhere = column.distinct == 1 and len(column.values) == self._profile.records
        if is_everywhere and self._profile.records > 1:
            return f"the same value everywhere ({column.texts[0][:MAX_SHOWN_CHARS]})"
        return None

    def _key(self, year: ColumnProfile | None) -> str | tuple[str, ...]:
        """Return the column that identifies records, or two that do so together."""
        unique = [column for column in self._free.values() if self._is_key(column)]
        key = _by_header(unique, KEYS) or next((c for c in unique if c.value_type), None)
        if key is not None:
            return self._free.pop(key.name).name
        name, records = self._name(""), self._profile.records
        if name.distinct == records:
            return name.name
        pairs = set(zip(name.texts, year.texts if year else (), strict=False))
        if year and len(pairs) == len(year.values) == len(name.values) == records:
            return name.name, year.name
        rejected = plural(records - name.distinct, "record")
        self._notes.append(
            f"No column identifies all records: of records with the same {name.name} only "
            f"the first is loaded ({rejected} would be rejected). Name columns that identify "
            "them in [columns] id."
        )
        return name.name

    def _is_key(self, column: ColumnProfile) -> bool:
        is_unique = len(column.values) == self._profile.records == column.distinct
        is_id = column.value_type in (None, "INT", "BIGINT") and not column.has_years
        return is_unique and is_id and not column.items and column.max_chars <= 40

    def _name(self, key: str | tuple[str, ...]) -> ColumnProfile:
        texts = [c for c in self._free.values() if c.has_words and mean(map(len, c.texts)) <= 120]
        varied = [column for column in texts if column.distinct >= 0.5 * len(column.values)]
        name = _by_header(texts, NAMES)
        name = name or max(varied, key=lambda c: (len(c.values), c.distinct), default=None)
        if name is None and isinstance(key, str):
            name = self._profile.columns.get(key)
        if name is None:
            raise SourceError(
                f"{self._path.name} has no column that can be the name of a record.",
                hint="A name is a short text that differs between records. Columns: "
                f"{', '.join(self._profile.columns)}.",
            )
        return name

    def _text(self, name: ColumnProfile) -> ColumnProfile | None:
        prose = [c for c in self._free.values() if c.name != name.name and c.is_prose]
        longest = max(prose, key=lambda column: sum(map(len, column.texts)), default=None)
        return _by_header(prose, TEXTS) or longest

    def _year(self) -> ColumnProfile | None:
        years = [column for column in self._free.values() if column.has_years]
        return _by_header(years, YEARS) or (years[0] if len(years) == 1 else None)

    def _lists(self) -> dict[str, NameList]:
        """Return the columns of names, which are then no longer free."""
        lists = {c.name: c.names for c in self._free.values() if c.names}
        if not lists:
            raise SourceError(
                f"{self._path.name} has no column that connects records: a graph needs a "
                "column of names that multiple records share, such as genres, tags or a "
                "country.",
                hint=f"Add one to the file. Columns: {', '.join(self._profile.columns)}.",
            )
        for column in lists:
            del self._free[column]
        return lists

    def _extra(self, year: ColumnProfile | None) -> list[tuple[Column, ColumnProfile]]:
        """Return the additional columns, each with the one of the file that fills it."""
        extra = list[tuple[Column, ColumnProfile]]()
        for profile in self._free.values():
            used = ["Id", "Name", "Content", "Embedding", *(column.name for column, _ in extra)]
            values = ", ".join(dict.fromkeys(t[:MAX_SHOWN_CHARS] for t in profile.texts[:50]))
            examples = values[: 2 * MAX_SHOWN_CHARS]
            column = _column(
                unique_identifier(profile.name, used, fallback="Column"),
                "INT" if profile is year else profile.value_type or _text_type(profile.max_chars),
                f"{profile.name} of the file, such as {examples}.",
                searchable=profile.is_prose,
            )
            extra.append((column, profile))
        return extra

    def _warn(self, name: ColumnProfile, text: ColumnProfile | None) -> None:
        for column, role in ((name, "name"), (text, "text")):
            missing = self._profile.records - len(column.values) if column else 0
            if column and missing:
                self._notes.append(
                    f"{plural(missing, 'record')} without {column.name} would be rejected, "
                    f"because a record needs a {role}."
                )
        if text is None:
            self._notes.append("No column contains sentences, so the name is also the text.")
        if self._profile.wrong:
            self._notes.append(f"{plural(self._profile.wrong, 'record')} could not be read.")

    def _listed_node(self, column: str, names: NameList, used: list[str]) -> NodeTable:
        few = ", ".join(name for name, _ in names.counts.most_common(3))
        return NodeTable(
            name=unique_identifier(singular(OPTIONAL_S.sub("", column)), used, fallback="Listed"),
            description=f"One of the names in {column}, shared by {self._kind} records.",
            columns=_node_columns(
                f"Name, such as {few}.", "The name again.", max(map(len, names.counts)), []
            ),
        )

    def _edge(self, column: str, target: NodeTable) -> EdgeTable:
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", target.name).upper()
        return EdgeTable(
            name=f"HAS_{snake}",
            pairs=(Pair(from_table=self._kind, to_table=target.name),),
            meaning=f"the {self._kind} lists it under {column}",
        )


def _by_header(columns: Iterable[ColumnProfile], words: tuple[str, ...]) -> ColumnProfile | None:
    """Return the column whose header is or contains the likeliest word.

    A long word also counts as the end of a compound: Originaltitel.
    """
    ranks: list[tuple[bool, int, int, ColumnProfile]] = []
    for column in columns:
        parts = [part.lower() for part in words_of(column.name)]
        for rank, word in enumerate(words):
            if any(part == word or (len(word) > 3 and part.endswith(word)) for part in parts):
                ranks.append((word not in parts, len(parts), rank, column))
    return min(ranks, key=lambda ranked: ranked[:3])[3] if ranks else None


def _column(name: str, sql_type: str, description: str, **options: bool) -> Column:
    return Column.model_validate(
        {"name": name, "type": sql_type, "description": description, **options}
    )


def _text_type(max_chars: int, minimum: int = 100) -> str:
    """Return a type for twice as many characters, in hundreds."""
    size = max(minimum, -(-2 * max_chars // 100) * 100)
    return f"NVARCHAR({size})" if size <= MAX_TYPED_CHARS else "NVARCHAR(MAX)"


def _node_columns(
    name: str, text: str, name_chars: int, extra: Iterable[Column]
) -> tuple[Column, ...]:
    name_type = _text_type(name_chars, MIN_LABEL_CHARS)
    return (
        _column("Id", "INT", "Key; stable between loads.", nullable=False),
        _column("Name", name_type, name, nullable=False, searchable=True),
        _column("Content", "NVARCHAR(MAX)", text, searchable=True),
        *extra,
        _column(
            "Embedding", "VECTOR", "Vector of name and text; compare with @q, never select it."
        ),
    )


def column_map_toml(table: TableDraft) -> str:
    """Return the column map of a draft, with comments for who edits it."""
    return "\n".join(_map_lines(table)) + "\n"


def _map_lines(table: TableDraft) -> Iterator[str]:
    profile, contract = table.profile, table.draft.contract
    yield "# Which column of the file fills which field of contract.toml; by `moviegraph init`."
    yield f"kind = {quoted(contract.nodes[0].name)}"
    if profile.encoding != "utf-8":
        yield f"encoding = {quoted(profile.encoding)}"
    if profile.absent:
        yield f"absent = {quoted(sorted(profile.absent))} # cells that mean: no value"
    yield '# aliases = "aliases.jsonl" # other names of nodes, in a file next to this one'
    yield ""
    yield "[columns]"
    for key, column in table.columns.items():
        yield f"{quoted(key) if not key.isalnum() else key} = {quoted(column)}"
    if table.draft.left_out:
        yield "# Left out:"
    for name, reason in table.draft.left_out.items():
        yield f"# {' '.join(name.split())}: {' '.join(reason.split())}"
    yield ""
    yield "[lists] # each name becomes a node, and an edge to it"
    for (column, names), edge in zip(table.lists.items(), contract.edges, strict=True):
        how = f", split = {quoted(names.split)}" if names.split else ""
        how += f", json = {quoted(names.key)}" if names.key not in (None, "name") else ""
        yield f"{quoted(column)} = {{ edge = {quoted(edge.name)}{how} }}"
