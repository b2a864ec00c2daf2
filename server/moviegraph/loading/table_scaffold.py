"""Draft of a contract and a column map from the records of a CSV, JSON or Parquet file."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import islice
from math import inf
from pathlib import Path
from typing import Any, Literal, cast

from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable, Pair
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.contract_draft import (
    ContractDraft,
    quoted,
    singular,
    unique_identifier,
    words_of,
)
from moviegraph.loading.row_mapping import literal_list, longest_text, parse_whole_number
from moviegraph.loading.row_validation import BadRow, name_match_key
from moviegraph.loading.source_records import read_records_of
from moviegraph.text import one_line, plural

MAX_RECORDS = 20_000
ABSENT = frozenset(
    {"N/A", "n/a", "NA", "NULL", "null", "None", "none", "NaN", "nan", "\\N", "-", "?"}
)
SEPARATORS = ("|", ";", ",", "/")
MAX_NAME_CHARS = 100
MAX_NAME_WORDS = 5
MIN_LIST_USES = 1.1  # how often a name occurs, in the mean: names are shared, sentences are not
MIN_TEXT_USES = 1.5  # the same for text without a list's brackets, which says less
LINK = re.compile(r"(?:https?://|www\.|/[\w./-]+\.(?:jpg|jpeg|png|webp|gif)$)\S*", re.IGNORECASE)
MEASURE = re.compile(r"[$€£]?\s?\d[\d.,:]*\s?\w{0,8}\.?")  # 142 min
CODE = re.compile(r"[A-Za-z_.:-]*\d[A-Za-z0-9_.:-]*")  # tt0078748
OPTIONAL_S = re.compile(r"\(e?s\)$")  # Genre(s)
BITS = frozenset({"true", "false", "yes", "no"})
# Words of headers, the likeliest first.
NAME_KEYS = ("name", "title", "label", "ingredient", "item", "text", "value")
KEYS = ("id", "key", "uuid", "code", "isbn", "number", "nummer", "no", "nr")
NAMES = ("title", "name", "label", "heading", "titel", "titre", "titulo", "nombre", "nom")
TEXTS = (
    "plot", "overview", "description", "summary", "synopsis", "abstract", "content", "text",
    "instructions", "directions", "body", "handlung", "inhalt", "beschreibung", "resumen",
)  # fmt: skip
YEARS = ("year", "released", "release", "published", "date", "jahr", "annee", "ano")
GENERIC = frozenset(
    ("data", "dataset", "export", "all", "top", "final", "clean", "table", "raw", "my", "list")
)
MIN_LABEL_CHARS = 200
MAX_TYPED_CHARS = 4000
MAX_SHOWN_CHARS = 40
SAMPLE_WORDS = 12
VECTOR = Column(
    name="Embedding",
    type="VECTOR",
    description="Vector of name and text; compare with @q, never select it.",
)
Kind = Literal["empty", "whole", "number", "bit", "date", "link", "list", "object", "text"]


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
        """How many records name a name, in the mean."""
        return self.counts.total() / len(self.counts) if self.counts else 0.0

    @property
    def is_plausible(self) -> bool:
        """Whether nearly all are short enough for names."""
        short = (n for n in self.counts if len(n) <= MAX_NAME_CHARS)
        names = sum(len(name.split()) <= MAX_NAME_WORDS for name in short)
        return names >= 0.9 * len(self.counts) > 0


@dataclass(slots=True)
class ColumnProfile:
    """One column: its values, without those that mean none."""

    name: str
    values: list[Any] = field(default_factory=list[Any])

    @property
    def texts(self) -> list[str]:
        """The values as texts."""
        return [str(value) for value in self.values]

    @property
    def distinct(self) -> int:
        """How many different values there are."""
        return len(set(self.texts))

    @property
    def mean_chars(self) -> float:
        """The mean length of a value."""
        return sum(map(len, self.texts)) / max(1, len(self.values))

    @property
    def max_chars(self) -> int:
        """The length of the longest value, as SQL Server counts."""
        return max((len(text.encode("utf-16-le")) // 2 for text in self.texts), default=0)

    @property
    def kind(self) -> Kind:
        """The type of all values."""
        if not self.values:
            return "empty"
        for kind, fits in FITS:
            if all(map(fits, self.values)):
                return kind
        return "text"

    @property
    def has_years(self) -> bool:
        """Whether all values are years, or dates."""
        numbers = [_whole(value) for value in self.values]
        return bool(numbers) and all(number and 1000 <= number <= 2200 for number in numbers)

    @property
    def has_words(self) -> bool:
        """Whether most values are texts with letters: no dates, codes or amounts."""
        worded = sum(
            any(map(str.isalpha, text)) and not MEASURE.fullmatch(text.strip())
            for text in self.texts
        )
        return self.kind == "text" and worded >= 0.8 * len(self.values)

    @property
    def is_prose(self) -> bool:
        """Whether the values are sentences, or lists of them."""
        if self.kind == "list":
            passages = [text for item in self._items() if (text := longest_text(item))]
            words = sum(len(text.split()) for text in passages)
            return not self.names() and words >= 3 * len(passages) > 0
        words = sum(len(text.split()) for text in self.texts)
        return self.kind == "text" and words >= 6 * len(self.values) > 0

    def names(self) -> NameList | None:
        """Return the names that the column lists, or None where it contains something else."""
        if self.kind in ("list", "object"):
            names = self._listed_names()
            return names if names and names.mean_uses >= MIN_LIST_USES else None
        if not self.has_words or self.has_years:
            return None
        best = NameList("|", None, _count(self.texts))
        for separator in SEPARATORS:
            parts = [part for text in self.texts for part in text.split(separator)]
            names = NameList(separator, None, _count(parts))
            is_better = names.is_plausible and names.mean_uses >= 1.25 * best.mean_uses
            if len(parts) >= 1.2 * len(self.values) and is_better:
                best = names
        is_shared = best.mean_uses >= MIN_TEXT_USES and len(best.counts) > 1
        return best if is_shared and best.is_plausible else None

    def _listed_names(self) -> NameList | None:
        items = list(self._items())
        objects = [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]
        key = _name_key(objects) if objects else None
        if len(objects) not in (0, len(items)) or (objects and key is None):
            return None
        names = [item[key] for item in objects] if key else items
        if not all(isinstance(name, str) for name in names if name is not None):
            return None
        name_list = NameList(None, key, _count(names))
        return name_list if name_list.is_plausible else None

    def _items(self) -> Iterator[Any]:
        for value in self.values:
            items = _parsed(value)
            yield from items if isinstance(items, (list, tuple)) else (items,)


def _whole(value: Any) -> int | None:
    """Return the whole number, or the year of the date, that a value is."""
    if isinstance(value, bool):
        return None
    number = parse_whole_number(value)
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    return number if isinstance(number, int) else None


def _is_whole(value: Any) -> bool:
    is_date = isinstance(value, date) or (isinstance(value, str) and not _is_number(value))
    return not is_date and _whole(value) is not None


def _is_number(value: Any) -> bool:
    if isinstance(value, (int, float, Decimal)):
        return not isinstance(value, bool)
    try:
        return isinstance(value, str) and abs(float(value)) < inf
    except ValueError:
        return False


def _is_bit(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and value.strip().lower() in BITS)


def _is_date(value: Any) -> bool:
    try:
        return isinstance(value, date) or bool(date.fromisoformat(str(value).strip()))
    except ValueError:
        return False


FITS: tuple[tuple[Kind, Callable[[Any], bool]], ...] = (
    ("whole", _is_whole),
    ("number", _is_number),
    ("bit", _is_bit),
    ("date", _is_date),
    ("link", lambda value: isinstance(value, str) and bool(LINK.match(value.strip()))),
    ("list", lambda value: isinstance(_parsed(value), (list, tuple))),
    ("object", lambda value: isinstance(value, dict)),
)


def _parsed(value: Any) -> Any:
    is_list = isinstance(value, str) and value.lstrip().startswith("[")
    return literal_list(value) if is_list else value


def _name_key(objects: list[dict[str, Any]]) -> str | None:
    """Return the member that names each object: one that is called so, else the only text."""
    uses = Counter(key for item in objects for key, v in item.items() if isinstance(v, str))
    shared = [key for key, count in uses.items() if count == len(objects)]
    only = shared[0] if len(shared) == 1 else None
    return next((key for key in NAME_KEYS if key in shared), only)


def _count(names: Iterable[str | None]) -> Counter[str]:
    """Return how often each name occurs; the spellings that load merges count as the first."""
    spelling: dict[str, str] = {}
    counts = Counter[str]()
    for name in names:
        if name and name.strip():
            counts[spelling.setdefault(name_match_key(name), " ".join(name.split()))] += 1
    return counts


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
                column.values.append(value)


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
    records = read_records_of(path, ColumnMap(encoding=encoding), lambda _: None)
    for record in islice(records, MAX_RECORDS):
        if isinstance(record.values, BadRow):
            profile.wrong += 1
        else:
            profile.add(record.values)
    profile.columns.pop("", None)
    return profile


@dataclass(frozen=True, slots=True)
class ListedColumn:
    """A column whose names become nodes: its node table, its edge table, and the names."""

    column: str
    node: str
    edge: str
    names: NameList


@dataclass(frozen=True, slots=True)
class TableDraft:
    """A draft, and how the columns of the file fill it.

    Attributes:
        draft: The drafted contract.
        profile: The content of the file.
        columns: The column of each field; an id may join multiple.
        lists: The columns whose names become nodes.
        notes: Messages for the operator.
    """

    draft: ContractDraft
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
    return _TableDrafting(path, profile, kind or _kind_of(path)).draft()


class _TableDrafting:
    """Assigns each column of a profile to one purpose."""

    def __init__(self, path: Path, profile: TableProfile, kind: str) -> None:
        self._path = path
        self._profile = profile
        self._free = dict(profile.columns)
        self._kind = unique_identifier(kind, (), fallback="Record")
        self._left_out: dict[str, str] = {}
        self._notes: list[str] = []

    def draft(self) -> TableDraft:
        for column in list(self._free.values()):
            if reason := self._unusable(column):
                self._left_out[column.name] = reason
                del self._free[column.name]
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
        self._warn(name, text)
        node = NodeTable(
            name=self._kind,
            description=f"One record of {self._path.name}; describe here what that is.",
            columns=(
                *_roles(
                    f"{name.name} of the file.",
                    f"{text.name} of the file." if text else "The name again.",
                    name.max_chars,
                ),
                *extra,
                VECTOR,
            ),
            disambiguated_by=year,
        )
        contract = Contract(
            name=re.sub(r"[^a-z0-9_]", "_", self._kind.lower()),
            title=f"{self._kind} graph",
            version="1.0",
            description=f"The records of {self._path.name}, and what connects them.",
            nodes=(node, *(_listed_node(list_column, self._kind) for list_column in lists)),
            edges=tuple(_edge(list_column, self._kind) for list_column in lists),
        )
        draft = ContractDraft(contract, self._left_out, _sample(text or name))
        return TableDraft(draft, self._profile, columns | fields, lists, tuple(self._notes))

    def _unusable(self, column: ColumnProfile) -> str | None:
        if column.kind == "empty":
            return "no value"
        if column.kind == "link":
            return "links or file names"
        if column.kind in ("list", "object") and not column.names() and not column.is_prose:
            return "objects without a name, or lists of more than shared names; flatten the values"
        is_everywhere = column.distinct == 1 and len(column.values) == self._profile.records
        if is_everywhere and self._profile.records > 1:
            return f"the same value everywhere ({column.texts[0][:MAX_SHOWN_CHARS]})"
        return None

    def _key(self) -> str | tuple[str, ...]:
        """Return the column that identifies records, or two that do so together."""
        unique = [column for column in self._free.values() if self._is_key(column)]
        key = _by_header(unique, KEYS)
        timeless = [column for column in unique if not column.has_years]
        key = key or next((column for column in timeless if column.kind == "whole"), None)
        key = key or next((c for c in timeless if all(map(CODE.fullmatch, c.texts))), None)
        if key is not None:
            return self._free.pop(key.name).name
        name, year = self._name(""), self._year()
        records = self._profile.records
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
        return is_unique and column.kind in ("whole", "text") and column.max_chars <= 40

    def _name(self, key: str | tuple[str, ...]) -> ColumnProfile:
        texts = [c for c in self._free.values() if c.has_words and c.mean_chars <= 120]
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

    def _lists(self) -> Iterator[ListedColumn]:
        kinds = [self._kind]
        for column in list(self._free.values()):
            if names := column.names():
                del self._free[column.name]
                word = singular(OPTIONAL_S.sub("", column.name))
                node = unique_identifier(word, kinds, fallback="Listed")
                kinds.append(node)
                snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", node).upper()
                yield ListedColumn(column.name, node, f"HAS_{snake}", names)

    def _extra(self) -> tuple[list[Column], dict[str, str], str | None]:
        """Return the additional columns, their fields, and the one that has the year."""
        year, columns, fields = self._year(), list[Column](), dict[str, str]()
        year_name = None
        for column in self._free.values():
            used = ["Id", "Name", "Content", "Embedding", *(known.name for known in columns)]
            name = unique_identifier(column.name, used, fallback="Column")
            columns.append(
                Column(
                    name=name,
                    type="INT" if column is year else _type(column),
                    description=_describe(column),
                    searchable=column.is_prose,
                )
            )
            fields[name.lower()] = column.name
            year_name = name if column is year else year_name
        return columns, fields, year_name

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


def _by_header(columns: Iterable[ColumnProfile], words: tuple[str, ...]) -> ColumnProfile | None:
    """Return the column whose header is, ends with or contains the likeliest word.

    A long word also counts as the end of a compound: Originaltitel.
    """
    scores: list[tuple[int, int, ColumnProfile]] = []
    for column in columns:
        parts = [part.lower() for part in words_of(column.name)]
        for rank, word in enumerate(words):
            if word in parts:
                position = 0 if parts == [word] else 1 if parts[-1] == word else 2
                scores.append((position, rank, column))
            elif len(word) > 3 and any(part.endswith(word) for part in parts):
                scores.append((3, rank, column))
    return min(scores, key=lambda score: score[:2])[2] if scores else None


def _type(column: ColumnProfile) -> str:
    match column.kind:
        case "whole":
            is_int = all(abs(int(float(text))) < 2**31 for text in column.texts)
            return "INT" if is_int else "BIGINT"
        case "number":
            return "FLOAT"
        case "bit" | "date":
            return column.kind.upper()
        case "text" if column.has_years:
            return "INT"
        case "text" if 2 * column.max_chars <= MAX_TYPED_CHARS:
            return f"NVARCHAR({_roomy(column.max_chars, 100)})"
        case _:
            return "NVARCHAR(MAX)"


def _roomy(chars: int, minimum: int) -> int:
    """Return twice a length, in hundreds."""
    return max(minimum, -(-2 * chars // 100) * 100)


def _sample(column: ColumnProfile) -> str:
    """Return the first words of the first text, in one line without control characters."""
    return " ".join(one_line(next(iter(column.texts), "")).split()[:SAMPLE_WORDS])


def _describe(column: ColumnProfile) -> str:
    examples = ", ".join(dict.fromkeys(text[:MAX_SHOWN_CHARS] for text in column.texts[:50]))
    return f"{column.name} of the file, such as {examples[: 2 * MAX_SHOWN_CHARS]}."


def _roles(name: str, text: str, name_chars: int) -> tuple[Column, ...]:
    """Return key, name and text of a node table."""
    size = _roomy(name_chars, MIN_LABEL_CHARS)
    return (
        Column(name="Id", type="INT", nullable=False, description="Key; stable between loads."),
        Column(
            name="Name",
            type=f"NVARCHAR({size})",
            nullable=False,
            searchable=True,
            description=name,
        ),
        Column(name="Content", type="NVARCHAR(MAX)", searchable=True, description=text),
    )


def _listed_node(list_column: ListedColumn, kind: str) -> NodeTable:
    few = ", ".join(name for name, _ in list_column.names.counts.most_common(3))
    longest = max(map(len, list_column.names.counts))
    return NodeTable(
        name=list_column.node,
        description=f"One of the names in {list_column.column}, shared by {kind} records.",
        columns=(*_roles(f"Name, such as {few}.", "The name again.", longest), VECTOR),
    )


def _edge(list_column: ListedColumn, kind: str) -> EdgeTable:
    return EdgeTable(
        name=list_column.edge,
        pairs=(Pair(from_table=kind, to_table=list_column.node),),
        meaning=f"the {kind} lists it under {list_column.column}",
    )


def _kind_of(path: Path) -> str:
    words = [word for word in words_of(path.name.split(".")[0]) if not word.isdigit()]
    specific = [word for word in words if word.lower() not in GENERIC]
    return singular(specific[-1]) if specific else "Record"


def column_map_toml(table: TableDraft, aliases: str | None) -> str:
    """Return the column map of a draft, with comments for who edits it."""
    return "\n".join(_map_lines(table, aliases)) + "\n"


def _map_lines(table: TableDraft, aliases: str | None) -> Iterator[str]:
    profile = table.profile
    yield "# Which column of the file fills which field of contract.toml; by `moviegraph init`."
    yield f"kind = {quoted(table.draft.contract.nodes[0].name)}"
    if profile.encoding != "utf-8":
        yield f"encoding = {quoted(profile.encoding)}"
    if profile.absent:
        absent = ", ".join(map(quoted, sorted(profile.absent)))
        yield f"absent = [{absent}] # cells that mean: no value"
    if aliases:
        yield f"aliases = {quoted(aliases)} # other names of nodes"
    yield ""
    yield "[columns]"
    for key, column in table.columns.items():
        value = quoted(column) if isinstance(column, str) else f"[{', '.join(map(quoted, column))}]"
        yield f"{quoted(key) if not key.isalnum() else key} = {value}"
    if table.draft.left_out:
        yield "# Left out:"
    for name, reason in table.draft.left_out.items():
        yield f"# {' '.join(name.split())}: {' '.join(reason.split())}"
    yield ""
    yield "[lists] # each name becomes a node, and an edge to it"
    for list_column in table.lists:
        names = list_column.names
        how = f", split = {quoted(names.split)}" if names.split else ""
        how += f", json = {quoted(names.key)}" if names.key not in (None, "name") else ""
        yield f"{quoted(list_column.column)} = {{ edge = {quoted(list_column.edge)}{how} }}"
