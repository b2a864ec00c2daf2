"""The T-SQL types with their sizes, and the type that an operation on two of them has."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

MAX = -1
LARGEST = 38
LEAST_SCALE = 6
WIDEST_WHOLE = 32
LONGEST_TEXT = 8000  # bytes, unless the type is a large one
TEXTS = ("NVARCHAR", "NCHAR", "VARCHAR", "CHAR")
UNICODE = ("NVARCHAR", "NCHAR")
WHOLE = ("BIGINT", "INT", "SMALLINT", "TINYINT", "BIT")
MONEY = ("MONEY", "SMALLMONEY")
FLOATS = ("FLOAT", "REAL")
EXACT = ("DECIMAL", *MONEY, *WHOLE)
# Highest first: https://learn.microsoft.com/en-us/sql/t-sql/data-types/data-type-precedence-transact-sql
PRECEDENCE = {
    name: rank
    for rank, name in enumerate(
        (
            *("DATETIMEOFFSET", "DATETIME2", "DATETIME", "SMALLDATETIME", "DATE", "TIME"),
            *(*FLOATS, *EXACT),
            *TEXTS,
        )
    )
}
DIGITS = {
    "BIGINT": (19, 0),
    "INT": (10, 0),
    "SMALLINT": (5, 0),
    "TINYINT": (3, 0),
    "BIT": (1, 0),
    "MONEY": (19, 4),
    "SMALLMONEY": (10, 4),
    "DECIMAL": (18, 0),
    "DATETIME2": (0, 7),
    "TIME": (0, 7),
    "DATETIME": (0, 3),
    "SMALLDATETIME": (0, 3),
}
SCALED = ("DATETIME2", "TIME")  # the moments whose digits after the second are chosen
MOST_FRACTION = 7
FAMILIES = {
    **dict.fromkeys(TEXTS, "NVARCHAR"),
    **dict.fromkeys(FLOATS, "FLOAT"),
    **dict.fromkeys(("INT", "SMALLINT", "TINYINT"), "INT"),
    **dict.fromkeys(("DECIMAL", *MONEY), "DECIMAL"),
    **dict.fromkeys(("DATETIME", "DATETIME2", "SMALLDATETIME"), "DATETIME"),
}
Operator = Literal["+", "-", "*", "/", "%"]


@dataclass(frozen=True, slots=True)
class Kind:
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
        """The name that stands for all types of its sort: INT for SMALLINT, NVARCHAR for CHAR."""
        return FAMILIES.get(self.name, self.name)

    @property
    def is_unicode(self) -> bool:
        """Whether a text of this type takes two bytes a character, as one of no known type may."""
        return self.name in UNICODE or self.name == "UNKNOWN"

    @property
    def whole_digits(self) -> int:
        """The digits before the point."""
        return self.precision - self.scale


UNKNOWN = Kind("UNKNOWN")


def plain(name: str) -> Kind:
    """Return a type of a name with the digits that the name implies."""
    return Kind(name, *DIGITS.get(name, (0, 0)))


def decimal(precision: int, scale: int) -> Kind:
    """Return DECIMAL(precision, scale)."""
    return Kind("DECIMAL", precision, scale)


def moment(name: str, scale: int) -> Kind:
    """Return DATETIME2(scale) or TIME(scale)."""
    return Kind(name, scale=scale)


def most_characters(name: str) -> int:
    """Return how many characters a text of a type has at most, which is not a large one."""
    return LONGEST_TEXT // 2 if name in UNICODE else LONGEST_TEXT


def settled(kind: Kind) -> Kind:
    """Return the type that a value has once it is no literal in arithmetic: INT has 10 digits."""
    return plain(kind.name) if kind.name in WHOLE else kind


def merged_kind(kinds: Sequence[Kind]) -> Kind:
    """Return the type of CASE, COALESCE, UNION and the like: the one of highest precedence."""
    known = [settled(kind) for kind in kinds if kind.name != "UNKNOWN"]
    if len(known) < 2:
        return known[0] if known else UNKNOWN
    best = min(known, key=lambda kind: PRECEDENCE.get(kind.name, 99))
    if best.name == "DECIMAL":
        return _merged_decimal([kind for kind in known if kind.name in EXACT])
    if best.name in TEXTS:
        sizes = [kind.size for kind in known]
        return replace(best, size=MAX if MAX in sizes else 0 if 0 in sizes else max(sizes))
    if best.name in SCALED:
        return moment(best.name, max(_fraction(kind) for kind in known))
    return plain(best.name) if best.name in DIGITS else best


def _fraction(kind: Kind) -> int:
    """Return the digits of a fraction of a second that a value brings; a text may have all."""
    return MOST_FRACTION if kind.name in TEXTS else kind.scale


def _merged_decimal(kinds: list[Kind]) -> Kind:
    scale = max(kind.scale for kind in kinds)
    whole = max(kind.whole_digits for kind in kinds)
    return decimal(min(whole + scale, LARGEST), min(scale, max(LARGEST - whole, 0)))


def operated(operator: Operator, left: Kind, right: Kind) -> Kind:
    """Return the type of an arithmetic operation."""
    if left.name in TEXTS and right.name in TEXTS:
        return _joined(left, right)
    best = min(left, right, key=lambda kind: PRECEDENCE.get(kind.name, 99))
    if best.name == "UNKNOWN" or best.name in TEXTS:
        return best if best.name in TEXTS else UNKNOWN
    if best.name != "DECIMAL":
        return plain(best.name) if best.name in DIGITS else best
    # Text and NULL beside a decimal become decimals as wide as that one.
    first, second = (kind if kind.name in EXACT else best for kind in (left, right))
    return _computed(operator, first, second)


def _joined(left: Kind, right: Kind) -> Kind:
    name = min(left, right, key=lambda kind: PRECEDENCE[kind.name]).name
    sizes = (left.size, right.size)
    most = min(sum(sizes), most_characters(name))
    return Kind(name, size=MAX if MAX in sizes else 0 if 0 in sizes else most)


def _computed(operator: Operator, left: Kind, right: Kind) -> Kind:
    """Return the decimal of an operation on two exact numbers, at most 38 digits wide."""
    larger = max(left.scale, right.scale)
    if operator in ("+", "-"):
        whole = max(left.whole_digits, right.whole_digits)
        precision = min(larger + whole + 1, LARGEST)
        return decimal(precision, min(larger, precision - whole))
    if operator == "%":
        return decimal(min(left.whole_digits, right.whole_digits) + larger, larger)
    if operator == "*":
        return _narrowed(left.precision + right.precision + 1, left.scale + right.scale)
    scale = max(LEAST_SCALE, left.scale + right.precision + 1)
    return _narrowed(left.whole_digits + right.scale + scale, scale)


def _narrowed(precision: int, scale: int) -> Kind:
    """Return a product or quotient that gives up places after the point where it is too wide."""
    if precision <= LARGEST:
        return decimal(precision, scale)
    whole = precision - scale
    if whole < WIDEST_WHOLE:
        return decimal(LARGEST, min(scale, LARGEST - whole))
    return decimal(LARGEST, min(scale, LEAST_SCALE))
