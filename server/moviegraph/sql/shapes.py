"""Own statements apart from their values, so that all of one shape are judged and planned once."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from moviegraph.sql.checks import MAX_ITEMS

LARGEST_ID = 2**31 - 1
LONGEST_TEXT = 1_000
FIRST_MARK = 2_009_000_001
TEXT, TRAILING, IDS, ID = "text", "text and blank", "ids", "id"
# What LIKE reads is a pattern, and means something by its characters: it stays in the shape.
VALUE = re.compile(
    r"LIKE N'(?:[^']|'')*'"
    r"|N'(?P<text>(?:[^']|'')*)'"
    r"|'(?:[^']|'')*'"
    r"|\bIN \((?P<ids>\d+(?:, \d+)*)\)"
    r"|(?<=\w) = (?P<id>\d+)\b"
    r"|(?<![\w.])(?P<number>\d\.\d{3,4})(?![\w.])"
)


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a statement: a text, an id, ids of a list, or a number with decimals.

    `kind` is what its place asks for, apart from the value: texts with a blank at the end, numbers
    below one, and with other digits behind the point, are of other kinds.
    """

    kind: str
    content: str | tuple[int, ...]

    @property
    def is_text(self) -> bool:
        """Whether it is a text, and not ids or a number."""
        return self.kind.startswith(TEXT)

    def sql(self) -> str:
        """Return it as T-SQL, a list without its parentheses."""
        return f"N{self.plain()}" if self.is_text else self.bare()

    def plain(self) -> str:
        """Return it as the embedded engine writes it."""
        return quoted(str(self.content)) if self.is_text else self.bare()

    def bare(self) -> str:
        """Return what tells it from others, without quotes."""
        if isinstance(self.content, str):
            return self.content
        return ", ".join(map(str, self.content))


@dataclass(frozen=True, slots=True)
class Cut:
    """A text in pieces, and the number of the value that stands after each piece but the last."""

    pieces: tuple[str, ...]
    slots: tuple[int, ...] = ()

    def filled(self, values: Sequence[str]) -> str:
        """Return the text with values, as they are written in it."""
        parts = [*self.pieces]
        for at, slot in enumerate(self.slots):
            parts[at] += values[slot]
        return "".join(parts)


@dataclass(frozen=True, slots=True)
class Shape:
    """What statements that differ in values alone have in common; equal shapes are one."""

    cut: Cut
    kinds: tuple[str, ...]

    def marks(self) -> tuple[Value, ...]:
        """Return values that stand for others while the shape is judged."""
        return tuple(_mark(kind, number) for number, kind in enumerate(self.kinds))


def taken_apart(sql: str) -> tuple[Shape, tuple[Value, ...]]:
    """Return shape and values of a statement of ours; equal values are one value."""
    pieces, slots, end = [""], list[int](), 0
    values: dict[Value, int] = {}
    for found, place in _places(sql):
        pieces[-1] += sql[end : place[0]]
        slots.append(values.setdefault(found, len(values)))
        pieces.append("")
        end = place[1]
    pieces[-1] += sql[end:]
    kinds = tuple(value.kind for value in values)
    return Shape(Cut(tuple(pieces), tuple(slots)), kinds), tuple(values)


def cut(text: str, written: Sequence[str], marks: Sequence[Value]) -> Cut | None:
    """Cut a text at marks, as they are written in it; None where one stands otherwise, too."""
    if not marks:
        return Cut((text,))
    either = "|".join(re.escape(each) for each in written)
    parts = re.split(rf"(?<![\w.])({either})(?![\w.])", text)
    pieces = tuple(parts[::2])
    if any(holds(piece, marks) for piece in pieces):
        return None
    return Cut(pieces, tuple(written.index(each) for each in parts[1::2]))


def holds(text: str, marks: Sequence[Value]) -> bool:
    """Whether a text holds a part of a mark, in whatever case."""
    folded = text.casefold()
    parts = (part.strip() for mark in marks for part in mark.bare().casefold().split(","))
    return any(part in folded for part in parts)


def quoted(text: str) -> str:
    """Return a text in quotes."""
    return "'" + text.replace("'", "''") + "'"


def _places(sql: str) -> Iterator[tuple[Value, tuple[int, int]]]:
    for found in VALUE.finditer(sql):
        name = found.lastgroup
        if name is None:
            continue
        value = _value(name, found[name])
        if value is not None:
            yield value, found.span() if name == "text" else found.span(name)


def _value(name: str, written: str) -> Value | None:
    """Return a value, or None where it belongs to the shape because it may be read otherwise."""
    if name == "text":
        text = written.replace("''", "'")
        kind = TRAILING if text.endswith(" ") else TEXT
        return Value(kind, text) if _is_plain(text) else None
    if name == "number":
        whole, places = written.split(".")
        return Value(f"{'0' if whole == '0' else '8'}.{len(places)}", written)
    ids = tuple(map(int, written.split(", ")))
    plain = len(ids) <= MAX_ITEMS and max(ids) <= LARGEST_ID and len(set(ids)) == len(ids)
    if not plain or written != ", ".join(map(str, ids)):
        return None
    return Value(IDS if len(ids) > 1 else ID, ids)  # one node is planned otherwise than several


def _is_plain(text: str) -> bool:
    """Whether a text says something, and holds no character of control and no half of a pair."""
    return len(text) <= LONGEST_TEXT and text.isprintable() and not text.isspace() and text != ""


def _mark(kind: str, number: int) -> Value:
    if kind in (TEXT, TRAILING):
        return Value(kind, f"Qzv{number}wqx{' ' if kind == TRAILING else ''}")
    if kind == ID:
        return Value(kind, (FIRST_MARK + 2 * number,))
    if kind == IDS:
        return Value(kind, (FIRST_MARK + 2 * number, FIRST_MARK + 2 * number + 1))
    whole, places = kind.split(".")
    return Value(kind, f"{whole}.9{number:0{int(places) - 1}d}")
