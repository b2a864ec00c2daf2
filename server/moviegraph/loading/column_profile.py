"""What the columns of a table contain, seen in its first records: types, lists, distinct values."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from math import inf
from pathlib import Path
from typing import Any, Literal, cast

from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.rejects import BadRow, Reason
from moviegraph.loading.row_mapping import literal_list, whole_number
from moviegraph.loading.row_validation import name_key
from moviegraph.loading.table_readers import table_records

MAX_RECORDS = 20_000
MAX_WRONG = 0.1  # of the records, before another delimiter is tried
ABSENT = frozenset(
    {"N/A", "n/a", "NA", "NULL", "null", "None", "none", "NaN", "nan", "\\N", "-", "?"}
)
SEPARATORS = ("|", ";", ",", "/")
MAX_NAME_CHARS = 60
MAX_NAME_WORDS = 5
LINK = re.compile(r"(?:https?://|www\.|/[\w./-]+\.(?:jpg|jpeg|png|webp|gif)$)\S*", re.IGNORECASE)
MEASURE = re.compile(r"[$€£]?\s?\d[\d.,:]*\s?\w{0,8}\.?")
NAME_KEYS = ("name", "title", "label", "ingredient", "item", "text", "value")
BITS = frozenset({"true", "false", "yes", "no"})
Kind = Literal["empty", "whole", "number", "bit", "date", "link", "list", "object", "text"]


@dataclass(frozen=True, slots=True)
class Names:
    """A column of names, each of which becomes a node.

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


@dataclass(slots=True)
class Column:
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
        texts = self.texts
        return sum(map(len, texts)) / len(texts) if texts else 0.0

    @property
    def max_chars(self) -> int:
        """The length of the longest value, as SQL Server counts."""
        return max((len(text.encode("utf-16-le")) // 2 for text in self.texts), default=0)

    @property
    def kind(self) -> Kind:
        """What all values are."""
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
        worded = sum(any(map(str.isalpha, text)) for text in self.texts)
        return self.kind == "text" and worded >= 0.8 * len(self.values) and not self.is_measured

    @property
    def is_measured(self) -> bool:
        """Whether most values are a number with a unit, such as "142 min"."""
        hits = sum(bool(MEASURE.fullmatch(text.strip())) for text in self.texts)
        return hits >= 0.8 * len(self.values) > 0

    def names(self) -> Names | None:
        """Return the names that the column lists, or None where it holds something else."""
        if self.kind in ("list", "object"):
            return self._listed_names()
        is_plain = self.kind == "text" and not self.is_measured and not self.has_years
        return self._split_names() if is_plain else None

    def passages(self) -> list[str]:
        """Return the texts of a list of sentences, one per value."""
        items = (_text_of(item) for value in self.values for item in _items(value))
        return [item for item in items if item]

    def _listed_names(self) -> Names | None:
        items = [item for value in self.values for item in _items(value)]
        objects = [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]
        if len(objects) not in (0, len(items)) or not items:
            return None
        key = _name_key(objects) if objects else None
        if objects and key is None:
            return None
        names = [item[key] for item in objects] if key else items
        if not all(isinstance(name, str) for name in names if name is not None):
            return None
        counts = _count(names)
        return Names(None, key, counts) if _are_names(counts) else None

    def _split_names(self) -> Names | None:
        """Return the names that the best separator splits; one name per value where none does."""
        best = Names("|", None, _count(self.texts))
        for separator in SEPARATORS:
            parts = [part for text in self.texts for part in text.split(separator)]
            name_list = Names(separator, None, _count(parts))
            longer = len(parts) >= 1.2 * len(self.values)
            if (
                longer
                and _are_names(name_list.counts)
                and name_list.mean_uses >= 1.25 * best.mean_uses
            ):
                best = name_list
        repeated = best.mean_uses >= 1.5 and len(best.counts) > 1
        return best if repeated and _are_names(best.counts) else None


def _whole(value: Any) -> int | None:
    """Return the whole number, or the year of the date, that a value is."""
    if isinstance(value, bool):
        return None
    number = whole_number(value)
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    return number if isinstance(number, int) else None


def _is_whole(value: Any) -> bool:
    is_date = isinstance(value, date) or (isinstance(value, str) and not _is_number(value))
    return not is_date and _whole(value) is not None


def _is_bit(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and value.strip().lower() in BITS)


def _is_number(value: Any) -> bool:
    if isinstance(value, (int, float, Decimal)):
        return not isinstance(value, bool)
    try:
        return isinstance(value, str) and abs(float(value)) < inf
    except ValueError:
        return False


def _is_date(value: Any) -> bool:
    if isinstance(value, date):
        return True
    try:
        return isinstance(value, str) and bool(date.fromisoformat(value.strip()))
    except ValueError:
        return False


def _is_link(value: Any) -> bool:
    return isinstance(value, str) and bool(LINK.match(value.strip()))


def _is_list(value: Any) -> bool:
    return isinstance(_parsed(value), (list, tuple))


FITS: tuple[tuple[Kind, Callable[[Any], bool]], ...] = (
    ("whole", _is_whole),
    ("number", _is_number),
    ("bit", _is_bit),
    ("date", _is_date),
    ("link", _is_link),
    ("list", _is_list),
    ("object", lambda value: isinstance(value, dict)),
)


@dataclass(slots=True)
class TableProfile:
    """The columns of a table, and how it has to be read.

    Attributes:
        records: How many records were looked at.
        columns: The columns by name.
        encoding: The encoding that read it.
        delimiter: The delimiter, where it is not the one that the header suggests.
        absent: Cells that mean: no value.
        wrong: How many records could not be read.
    """

    records: int
    columns: dict[str, Column]
    encoding: str = "utf-8"
    delimiter: str | None = None
    absent: tuple[str, ...] = ()
    wrong: int = 0


def profile_table(path: Path, encoding: str | None = None) -> TableProfile:
    """Return the profile of a table, read as `load` reads it.

    Raises:
        SourceError: The file cannot be read, or has no record.
    """
    best = _profile(path, ColumnMap(encoding=encoding or "utf-8"))
    if encoding is None and best.wrong and _is_csv(path):
        best = min((best, _profile(path, ColumnMap(encoding="cp1252"))), key=_wrong_share)
    if _is_csv(path) and _wrong_share(best) > MAX_WRONG:
        others = [
            _profile(path, ColumnMap(encoding=best.encoding, delimiter=delimiter))
            for delimiter in (";", "\t", "|", ",")
        ]
        best = min((best, *others), key=lambda each: (_wrong_share(each), -len(each.columns)))
    if not best.records:
        raise SourceError(f"{path.name} contains no readable record.")
    return best


def _is_csv(path: Path) -> bool:
    return any(ending in path.name.lower() for ending in (".csv", ".tsv"))


def _wrong_share(profile: TableProfile) -> float:
    return profile.wrong / max(1, profile.records + profile.wrong)


def _profile(path: Path, columns: ColumnMap) -> TableProfile:
    found, records, wrong = dict[str, Column](), 0, 0
    absent = set[str]()
    for record in table_records(path, columns, lambda _: None):
        if isinstance(record.values, BadRow):
            wrong += record.values.reason != Reason.TOO_LONG
            continue
        records += 1
        for name, value in record.values.items():
            column = found.setdefault(name, Column(name))
            if _is_present(value, absent):
                column.values.append(value)
        if records + wrong >= MAX_RECORDS:
            break
    kept = {name: column for name, column in found.items() if name}
    return TableProfile(
        records, kept, columns.encoding, columns.delimiter, tuple(sorted(absent)), wrong
    )


def _is_present(value: Any, absent: set[str]) -> bool:
    """Return whether a value is one; what stands for none is added to `absent`."""
    if value is None or value != value or value in ([], {}, ()):
        return False
    if isinstance(value, str):
        text = value.strip()
        if text in ABSENT:
            absent.add(text)
        return bool(text) and text not in ABSENT
    return True


def _parsed(value: Any) -> Any:
    starts = isinstance(value, str) and value.lstrip().startswith("[")
    return literal_list(value) if starts else value


def _items(value: Any) -> Iterator[Any]:
    parsed = _parsed(value)
    yield from parsed if isinstance(parsed, (list, tuple)) else (parsed,)


def _text_of(item: Any) -> str:
    texts = cast("dict[str, Any]", item).values() if isinstance(item, dict) else (item,)
    return max((text for text in texts if isinstance(text, str)), key=len, default="")


def _name_key(objects: list[dict[str, Any]]) -> str | None:
    """Return the member that names each object: one that is called so, else the only text."""
    uses = Counter(k for each in objects for k, v in each.items() if isinstance(v, str))
    shared = [key for key, count in uses.items() if count == len(objects)]
    named = [key for key in NAME_KEYS if key in shared]
    return (named or shared)[0] if named or len(shared) == 1 else None


def _count(names: Iterable[str | None]) -> Counter[str]:
    """Return how often each name occurs, spelled as it is first; what load folds is one."""
    spelling: dict[str, str] = {}
    counts = Counter[str]()
    for name in names:
        if name and name.strip():
            counts[spelling.setdefault(name_key(name), " ".join(name.split()))] += 1
    return counts


def _are_names(counts: Counter[str]) -> bool:
    names = list(counts)
    short = [n for n in names if len(n) <= MAX_NAME_CHARS and len(n.split()) <= MAX_NAME_WORDS]
    return len(short) >= 0.9 * len(names) > 0
