"""A function call under translation: its arguments in DuckDB, and their types in T-SQL."""

from collections.abc import Callable
from dataclasses import dataclass

from moviegraph.engines.duckdb.expressions import Node, call, cast, text
from moviegraph.engines.duckdb.text_values import (
    date_text,
    day_of,
    float_text,
    moment_in,
)
from moviegraph.sql.syntax_tree import SqlType, string_value, whole_number
from moviegraph.sql.types import NUMBERS, sql_type, type_family

TEXT = "NVARCHAR"
MOMENTS = ("DATE", "DATETIME")


@dataclass(frozen=True, slots=True, eq=False)
class FunctionCall:
    """One call: `judged` are the validated arguments, `arguments` the translated ones."""

    name: str
    judged: tuple[Node, ...]
    arguments: tuple[Node, ...]

    def __len__(self) -> int:
        return len(self.arguments)

    def __getitem__(self, at: int) -> Node:
        """Return a translated argument, a new copy each time."""
        return self.arguments[at].copy()

    def type(self, at: int) -> str:
        """Return the T-SQL type of an argument."""
        return type_family(self.judged[at])

    def kind(self, at: int) -> SqlType:
        """Return the T-SQL type of an argument with its sizes; of DISTINCT x, that of x."""
        return sql_type(self.judged[at])

    def text(self, at: int) -> Node:
        """Return an argument as text, converted as T-SQL converts it."""
        return translated_text(self[at], self.kind(at))

    def literal(self, at: int) -> str | None:
        """Return the value of an argument that is a string literal."""
        return string_value(self.judged[at])

    def number(self, at: int) -> int | None:
        """Return the value of an argument that is an unsigned integer literal."""
        return whole_number(self.judged[at])

    def part(self) -> str:
        """Return the date part that the first argument names."""
        return self.judged[0].name.lower()


Translation = Callable[[FunctionCall], Node]


def translated_text(node: Node, kind: SqlType) -> Node:
    """Return a translated value of a T-SQL type as text, as T-SQL does without a style."""
    if kind.family == TEXT:
        return node
    if kind.family == "FLOAT":
        return float_text(node)
    if kind.family in MOMENTS:
        return date_text(cast(node, "TIMESTAMP"), kind.name, None, kind.scale)
    if kind.name == "BIT":
        node = cast(node, "INT")
    shown = cast(node, "VARCHAR")
    if kind.name == "DECIMAL" and kind.precision == kind.scale:  # DuckDB: .5, T-SQL: 0.5
        return call("regexp_replace", shown, text(r"^(-?)\."), text(r"\10."))
    return shown


def as_moment(node: Node, kind: str) -> Node:
    """Return a value as DATE or TIMESTAMP."""
    if kind in MOMENTS:
        return node
    if is_number(kind):
        return day_of(node)
    return moment_in(node) if kind == TEXT else cast(node, "TIMESTAMP")


def is_number(kind: str) -> bool:
    """Return whether a T-SQL type is a number."""
    return kind in NUMBERS


def on_text(name: str) -> Translation:
    """Return the translation of a function of one text."""

    def translate(args: FunctionCall) -> Node:
        return call(name, args.text(0))

    return translate
