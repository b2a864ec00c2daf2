"""GENERATE_SERIES(start, stop, step): literals only, so that its length is known."""

from dataclasses import dataclass
from decimal import Decimal

from sqlglot import exp

from moviegraph.sql.refusal import RefusalError

MAX_VALUES = 10_000


@dataclass(frozen=True, slots=True)
class Series:
    """The numbers of one call."""

    start: Decimal
    step: Decimal
    count: int
    kind: str

    @property
    def scale(self) -> int:
        """Digits after the point."""
        return max(0, *(-int(n.as_tuple().exponent) for n in (self.start, self.step)))


def series(call: exp.Anonymous) -> Series:
    """Read a call. Raises RefusalError where its length is not known, or too long."""
    numbers = [_number(each) for each in call.expressions]
    start, stop = numbers[:2]
    if _is_whole(start) != _is_whole(stop):
        raise RefusalError(
            "wrong_arguments", "Start and stop of GENERATE_SERIES have the same type: both whole."
        )
    step = numbers[2] if len(numbers) == 3 else Decimal(1 if start <= stop else -1)
    if step == 0:
        raise RefusalError("wrong_arguments", "The step of GENERATE_SERIES cannot be 0.")
    count = max(0, int((stop - start) / step) + 1) if (stop - start) / step >= 0 else 0
    if count > MAX_VALUES:
        raise RefusalError(
            "too_large", f"GENERATE_SERIES makes at most {MAX_VALUES:,} rows; this one {count:,}."
        )
    whole = "INT" if abs(start) < 2**31 and abs(stop) < 2**31 else "BIGINT"
    return Series(start, step, count, whole if _is_whole(start) else "DECIMAL")


def _is_whole(number: Decimal) -> bool:
    return number.as_tuple().exponent == 0


def _number(node: exp.Expr) -> Decimal:
    sign = -1 if isinstance(node, exp.Neg) else 1
    inner = node.this if isinstance(node, exp.Neg) else node
    text = inner.name if isinstance(inner, exp.Literal) and not inner.is_string else ""
    if not text.replace(".", "", 1).isdigit() or len(text) > 18:
        raise RefusalError(
            "wrong_arguments",
            "GENERATE_SERIES takes plain numbers, as in GENERATE_SERIES(1970, 2020, 10); for other "
            "bounds filter its values.",
        )
    return sign * Decimal(text)
