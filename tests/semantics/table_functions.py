"""STRING_SPLIT and GENERATE_SERIES: rows from a text or from two numbers."""

from decimal import Decimal

from semantics.case import Case

FUNCTIONS = "t-sql/functions/"
SPLIT = f"{FUNCTIONS}string-split-transact-sql"
SERIES = f"{FUNCTIONS}generate-series-transact-sql"

CASES: tuple[Case, ...] = (
    Case(
        "ordinals",
        "With a third argument of 1 the parts are numbered from 1",
        SPLIT,
        "SELECT value, ordinal FROM STRING_SPLIT('E-D-C', '-', 1) AS s ORDER BY ordinal DESC",
        (("C", 3), ("D", 2), ("E", 1)),
    ),
    Case(
        "empty parts",
        "Between two separators stands an empty part",
        SPLIT,
        "SELECT COUNT(*) AS n FROM STRING_SPLIT('clothing,road,,touring,bike', ',') AS s",
        ((5,),),
    ),
    Case(
        "splitting NULL",
        "NULL gives an empty table",
        SPLIT,
        "SELECT s.value FROM STRING_SPLIT(NULL, ',') AS s",
    ),
    Case(
        "a series by fives",
        "The series ends before it passes its stop",
        SERIES,
        "SELECT value FROM GENERATE_SERIES(1, 20, 5) AS g ORDER BY value",
        ((1,), (6,), (11,), (16,)),
    ),
    Case(
        "a series that falls",
        "Without a step a series whose start is larger falls by 1",
        SERIES,
        "SELECT value FROM GENERATE_SERIES(3, 1) AS g ORDER BY value",
        ((1,), (2,), (3,)),
    ),
    Case(
        "a step that leads away",
        "A step away from the stop gives an empty result",
        SERIES,
        "SELECT value FROM GENERATE_SERIES(1, 3, -1) AS g",
    ),
    Case(
        "a series of tenths",
        "The values have the type of start and stop",
        SERIES,
        "SELECT value FROM GENERATE_SERIES(0.0, 0.3, 0.1) AS g ORDER BY value",
        ((Decimal("0.0"),), (Decimal("0.1"),), (Decimal("0.2"),), (Decimal("0.3"),)),
    ),
)
