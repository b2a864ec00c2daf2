"""Line breaks and indentation of recorded SQL; nothing but white space is ever changed."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

MAX_CHARS = 6_000
MAX_DEPTH = 40
WIDTH = 76
INDENT = "  "
TOKEN = re.compile(
    r"'(?:[^']|'')*'|\[(?:[^\]]|\]\])*\]|\"(?:[^\"]|\"\")*\"|--|/\*|\w+|[^\w\s]", re.DOTALL
)
UNREADABLE = frozenset({"--", "/*", "'", '"', "["})  # comments, and quotes that do not end
CLAUSES = frozenset(
    "SELECT FROM WHERE GROUP HAVING ORDER UNION EXCEPT INTERSECT OFFSET LIMIT OPTION FOR "
    "WITH".split()
)
JOINS = frozenset("INNER LEFT RIGHT FULL CROSS OUTER JOIN".split())
# Words after which the next one continues the clause, as in WITHIN GROUP and IS DISTINCT FROM.
CONTINUED = frozenset("WITHIN DISTINCT INNER LEFT RIGHT FULL CROSS OUTER".split())


@dataclass(slots=True)
class _Item:
    """A token, or a group of items in parentheses; `space` is whether white space precedes it."""

    text: str
    space: bool
    group: "list[_Item] | None" = None

    @property
    def word(self) -> str:
        return "" if self.group is not None else self.text.upper()

    @property
    def is_query(self) -> bool:
        return bool(self.group) and self.group[0].word == "SELECT"


def format_sql(text: str) -> str:
    """Return a long one-line statement over several lines; all other text stays as it is."""
    if not WIDTH < len(text) <= MAX_CHARS or "\n" in text:
        return text
    items = _parse(text)
    return text if items is None else "\n".join(_format_block(items, ""))


def _parse(text: str) -> list[_Item] | None:
    """Return the items of a statement; None where it cannot be read safely."""
    stack: list[list[_Item]] = [[]]
    end = 0
    for match in TOKEN.finditer(text):
        symbol, space = match[0], match.start() > end
        end = match.end()
        if symbol in UNREADABLE or len(stack) > MAX_DEPTH or (symbol == ")" and len(stack) == 1):
            return None
        if symbol == ")":
            stack.pop()
        elif symbol == "(":
            members: list[_Item] = []
            stack[-1].append(_Item("", space, members))
            stack.append(members)
        else:
            stack[-1].append(_Item(symbol, space))
    return stack[0] if len(stack) == 1 else None


def _format_block(items: Sequence[_Item], indent: str) -> Iterator[str]:
    """Yield the lines of a query: a clause on each, or its parts where it is too long."""
    for clause in _split(items, _starts_clause):
        if len(indent) + len(_inline(clause)) <= WIDTH:
            yield indent + _inline(clause)
            continue
        for index, part in enumerate(_split(clause, _PartBreaks().starts_part)):
            yield from _format_part(part, indent + (INDENT if index else ""))


def _format_part(part: Sequence[_Item], indent: str) -> Iterator[str]:
    """Yield the lines of a part of a clause; a long subquery in it gets lines of its own."""
    begin = 0
    line = ""
    for index, item in enumerate(part):
        if item.is_query and item.group and len(indent) + len(_inline(part)) > WIDTH:
            space = " " if item.space and (line or index > begin) else ""
            yield f"{indent}{_append(line, part[begin:index])}{space}("
            yield from _format_block(item.group, indent + INDENT)
            begin, line = index + 1, ")"
    yield f"{indent}{_append(line, part[begin:])}"


def _append(line: str, items: Sequence[_Item]) -> str:
    text = _inline(items)
    return f"{line} {text}" if line and items and items[0].space else f"{line}{text}"


def _inline(items: Sequence[_Item]) -> str:
    """Return items in one line, with white space only where it was."""
    texts: list[str] = []
    for index, item in enumerate(items):
        text = item.text if item.group is None else f"({_inline(item.group)})"
        texts.append(f" {text}" if item.space and index else text)
    return "".join(texts)


def _split(
    items: Sequence[_Item], starts: Callable[[Sequence[_Item], int], bool]
) -> Iterator[Sequence[_Item]]:
    begin = 0
    for index in range(len(items)):
        if starts(items, index) and index > begin:
            yield items[begin:index]
            begin = index
    yield items[begin:]


def _starts_clause(items: Sequence[_Item], index: int) -> bool:
    word = items[index].word
    previous = items[index - 1].word if index else ""
    is_call = index + 1 < len(items) and items[index + 1].group is not None
    if previous in CONTINUED or (is_call and word in ("LEFT", "RIGHT")):
        return False
    return word in JOINS or (word in CLAUSES and items[index].space)


class _PartBreaks:
    """Finds the commas and conditions of a clause, but not those within CASE and BETWEEN."""

    def __init__(self) -> None:
        self.cases = 0
        self.is_between = False

    def starts_part(self, items: Sequence[_Item], index: int) -> bool:
        """Return whether a line begins here; called for each item in turn."""
        word = items[index].word
        self.cases += (word == "CASE") - (word == "END")
        if word == "AND" and self.is_between:
            self.is_between = False
            return False
        self.is_between = self.is_between or word == "BETWEEN"
        after_comma = index > 0 and items[index - 1].word == ","
        return self.cases <= 0 and (after_comma or word in ("AND", "OR"))
