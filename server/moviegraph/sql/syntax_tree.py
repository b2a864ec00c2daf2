"""Annotations on nodes of sqlglot trees, and the types and columns that they hold; traversal."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from sqlglot import exp

KEY = "moviegraph"  # of the annotations in the meta of a node
Node = TypeVar("Node", bound=exp.Expr)
TEXTS = ("NVARCHAR", "NCHAR", "VARCHAR", "CHAR")
UNICODE = ("NVARCHAR", "NCHAR")
MONEY = ("MONEY", "SMALLMONEY")
FLOATS = ("FLOAT", "REAL")
FAMILIES = {
    **dict.fromkeys(TEXTS, "NVARCHAR"),
    **dict.fromkeys(FLOATS, "FLOAT"),
    **dict.fromkeys(("INT", "SMALLINT", "TINYINT"), "INT"),
    **dict.fromkeys(("DECIMAL", *MONEY), "DECIMAL"),
    **dict.fromkeys(("DATETIME", "DATETIME2", "SMALLDATETIME"), "DATETIME"),
}


@dataclass(frozen=True, slots=True)
class SqlType:
    """A T-SQL type.

    Attributes:
        name: Its name, or UNKNOWN (such as that of NULL), VECTOR, NODE_ID, TABLE.
        precision: All digits of an exact number; a whole literal has as many as it needs.
        scale: Its digits after the point; of a moment those of a fraction of a second.
        size: The characters of a text, 0 where not known, `MAX` for NVARCHAR(MAX).
    """

    name: str
    precision: int = 0
    scale: int = 0
    size: int = 0

    @property
    def family(self) -> str:
        """The name of its group of types: INT for SMALLINT, NVARCHAR for CHAR."""
        return FAMILIES.get(self.name, self.name)

    @property
    def is_unicode(self) -> bool:
        """Whether a text of this type takes two bytes a character, as one of no known type may."""
        return self.name in UNICODE or self.name == "UNKNOWN"

    @property
    def whole_digits(self) -> int:
        """The digits before the point."""
        return self.precision - self.scale


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a source: its T-SQL type, and the contract column it carries unchanged.

    `few_values` says that it has only a few values, however many rows there are.
    """

    name: str
    sql_type: SqlType
    table: str | None = None
    column: str | None = None
    few_values: bool = False

    @property
    def type(self) -> str:
        """The family of the type: INT includes SMALLINT."""
        return self.sql_type.family


@dataclass(frozen=True, slots=True)
class PivotSpec:
    """A resolved PIVOT, for the engines.

    Attributes:
        source: The alias that is rotated.
        unchanged: The columns that stay.
        listed: The columns of the IN list.
        value: The column that is aggregated.
        key: The column with values that become columns.
        aggregate: The aggregate function.
    """

    source: str
    unchanged: tuple[Field, ...]
    listed: tuple[Field, ...]
    value: Field
    key: Field
    aggregate: str


@dataclass(slots=True)
class Annotations:
    """Facts about one node that a pass of the guard leaves for later passes and the engines.

    Attributes:
        sql_type: The type of an expression, once it was looked up or computed.
        table: The contract table of the source that a column belongs to; empty if derived.
        alias: The alias of that source.
        outer: Whether the source belongs to a SELECT around that of the column.
        lineage: The contract table and column whose value the column carries unchanged.
        few_values: Whether a column has only a few values, however many rows there are.
        source: The alias of a resolved item of FROM.
        pivot: What a PIVOT does.
        rows, narrowed: Of a SELECT, what `Source` says of its rows.
        short_frame: Whether a frame was written without BETWEEN.
        added_parentheses: Whether the parser of sqlglot added these parentheses.
        is_concat: Whether a + was written as ||.
        max_text: The most characters of a text, for the engines.
    """

    sql_type: SqlType | None = None
    table: str = ""
    alias: str = ""
    outer: bool = False
    lineage: tuple[str | None, str | None] = (None, None)
    few_values: bool = False
    source: str = ""
    pivot: PivotSpec | None = None
    rows: int | None = None
    narrowed: bool = False
    short_frame: bool = False
    added_parentheses: bool = False
    is_concat: bool = False
    max_text: int | None = None

    @property
    def type(self) -> str:
        """The family of the type: INT includes SMALLINT."""
        return self.sql_type.family if self.sql_type is not None else "UNKNOWN"

    def __deepcopy__(self, memo: object) -> "Annotations":
        return replace(self)


def annotations(node: exp.Expr) -> Annotations:
    """Return the annotations of a node, which a copy by sqlglot keeps."""
    node_annotations = node.meta_get(KEY)
    if node_annotations is None:
        node_annotations = node.meta[KEY] = Annotations()
    return node_annotations


def nodes(tree: exp.Expr) -> list[exp.Expr]:
    """Return every node, breadth first; the tree may be changed meanwhile."""
    return list(tree.walk())


def children(node: exp.Expr) -> list[exp.Expr]:
    """Return the nodes directly below one node."""
    return list(node.iter_expressions())


def nodes_above(tree: exp.Expr, stops: Callable[[exp.Expr], bool]) -> list[exp.Expr]:
    """Return every node, breadth first, but none below those at which it stops."""
    return list(tree.walk(prune=stops))


def nodes_of(tree: exp.Expr, kind: type[Node]) -> list[Node]:
    """Return every node of a class, breadth first."""
    return list(tree.find_all(kind))


def whole_number(node: exp.Expr) -> int | None:
    """Return the value of an unsigned integer literal, else None."""
    plain = node.unnest()
    if isinstance(plain, exp.Literal) and not plain.is_string and plain.name.isdigit():
        return int(plain.name)
    return None


def string_value(node: exp.Expr) -> str | None:
    """Return the value of a string literal, else None."""
    plain = node.unnest()
    if isinstance(plain, exp.National) or (isinstance(plain, exp.Literal) and plain.is_string):
        return str(plain.this)
    return None


def conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """Return the conditions that must all hold, in the order written."""
    return _flatten(condition, exp.And)


def disjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """Return the conditions of which one must hold."""
    return _flatten(condition, exp.Or)


def _flatten(condition: exp.Expr, kind: type[exp.Expr]) -> list[exp.Expr]:
    stack, parts = [condition], list[exp.Expr]()
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Paren):
            stack.append(node.this)
        elif isinstance(node, kind):
            stack += [node.args["expression"], node.this]
        else:
            parts.append(node)
    return parts
