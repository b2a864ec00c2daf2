"""Splits T-SQL text into code, strings, quoted names and comments, before any tokenizer sees it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from moviegraph.sql.refusal import RefusalError

Kind = Literal["code", "string", "name", "comment"]
OPENING = re.compile(r"""['"\[]|--|/\*""")
CLOSING = {"'": "'", '"': '"', "[": "]"}
OPENED = {"'": "a string literal", '"': "a quoted name", "[": "a bracketed name"}
CONTINUED = re.compile(r"(?<=\\)(?=[\r\n])")
"""Where SQL Server joins two lines of a literal: it drops the backslash and the line break.

https://learn.microsoft.com/sql/t-sql/language-elements/sql-server-utilities-statements-backslash
"""


@dataclass(frozen=True, slots=True)
class Region:
    """A half-open range of the text that is of one kind."""

    kind: Kind
    start: int
    end: int


def regions(sql: str) -> Iterator[Region]:
    """Yield the regions in order; together they cover the text."""
    at = 0
    while at < len(sql):
        found = OPENING.search(sql, at)
        begun = found.start() if found else len(sql)
        if at < begun:
            yield Region("code", at, begun)
        if found is None:
            return
        kind, at = _special(sql, begun)
        yield Region(kind, begun, at)


def check_lines(sql: str, part: Region) -> None:
    """Refuse a string or name whose lines SQL Server would join. Raises RefusalError."""
    continued = CONTINUED.search(sql, part.start, part.end)
    if continued:
        raise RefusalError(
            "syntax",
            "SQL Server drops a backslash at the end of a line within quotes or brackets, and the "
            "line break. Write the text on one line; for both, write 'a\\' + CHAR(10) + 'b'.",
            (continued.start() - 1, continued.start() + 1),
        )


def _special(sql: str, at: int) -> tuple[Kind, int]:
    char = sql[at]
    if char in CLOSING:
        return "string" if char == "'" else "name", _closed(sql, at, CLOSING[char])
    if char == "-":
        ends = [found for found in (sql.find("\n", at), sql.find("\r", at)) if found >= 0]
        return "comment", min(ends, default=len(sql))
    return "comment", _comment_end(sql, at)


def _closed(sql: str, at: int, closing: str) -> int:
    """Return the position after the closing character; doubled, it stands for itself."""
    here = at + 1
    while (found := sql.find(closing, here)) >= 0:
        if sql[found + 1 : found + 2] != closing:
            return found + 1
        here = found + 2
    raise RefusalError(
        "syntax",
        f"The statement ends inside {OPENED[sql[at]]} that begins at character {at + 1}; "
        f"close it with {closing}, and double a {closing} that belongs to the text.",
        (at, len(sql)),
    )


def _comment_end(sql: str, at: int) -> int:
    """Return the position after a block comment; T-SQL nests them."""
    depth, here = 0, at
    while here < len(sql):
        if sql.startswith("/*", here):
            depth, here = depth + 1, here + 2
        elif sql.startswith("*/", here):
            depth, here = depth - 1, here + 2
            if depth == 0:
                return here
        else:
            here += 1
    raise RefusalError(
        "syntax",
        f"The comment that begins at character {at + 1} is not closed with */.",
        (at, len(sql)),
    )
