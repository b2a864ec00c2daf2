"""Tools that a contract publishes, and values that try to be more than values."""

from typing import Any

from fakes.toy_graph import TOY

from moviegraph.contract.loader import contract_of
from moviegraph.contract.model import Contract

DISHES = """-- tool: dishes_with
-- describe: Dishes that need an ingredient, quick ones first.
-- param ingredient: name of Ingredient = "Tomato": which ingredient
-- param minutes: int ?= 600: longest time
SELECT TOP 2 r.Number, r.Title, r.Minutes
FROM Recipe AS r, NEEDS AS n, Ingredient AS i
WHERE MATCH(r-(n)->i) AND i.Id = @ingredient AND r.Minutes <= @minutes
ORDER BY r.Minutes, r.Number
"""
ALL_TYPES = """-- tool: everything
-- describe: A parameter of each type.
-- param title: text = "Hummus": its name
-- param minutes: int = 45: its time
-- param price: float = 0.9: its price
-- param day: date = 2022-01-09: when it was written down
SELECT r.Number, r.Title FROM Recipe AS r
WHERE (r.Title = @title OR r.Title = 'Dal') AND r.Minutes >= @minutes - 1000
AND r.Price < @price + 1 AND r.Added <= @day
ORDER BY r.Number
"""
COMPUTED = """-- tool: computed
-- describe: Columns made of parameters.
-- param title: text = "Soup": another name
-- param minutes: int = 30: minutes
-- param price: float = 0.5: price
-- param day: date = 2022-01-01: day
SELECT r.Title, CONCAT(r.Title, ' or ', @title) AS Names, r.Minutes - @minutes AS Longer,
CASE WHEN r.Minutes >= @minutes THEN CONCAT('at least ', @minutes) ELSE @title END AS Time,
@price AS Price, EOMONTH(@day) AS LastDay
FROM Recipe AS r WHERE r.Title = 'Dal'
"""
NEAREST = """-- tool: dishes_like
-- describe: Dishes like a description.
-- param query: text = "warm": what they are like
SELECT TOP 3 r.Number, r.Title FROM Recipe AS r
ORDER BY VECTOR_DISTANCE('cosine', r.Meaning, @q), r.Number
"""
VALUES: dict[str, Any] = {"title": "Hummus", "minutes": 45, "price": 0.9, "day": "2022-01-09"}
HOSTILE: tuple[Any, ...] = (
    "' OR 1=1 --",
    "'; DROP TABLE Recipe; --",
    "x' UNION SELECT Id, Name FROM Ingredient --",
    "1 OR 1=1",
    "1; SHUTDOWN",
    "@minutes",
    "$value_title",
    "?",
    "%",
    "_",
    "[a-z]%",
    "\\' OR ''='",
    "\u2019 OR 1=1 --",
    "CHAR(39)",
    "N'x'",
    "/* */ 1",
    "NULL",
    "{{name}}",
    "\u202eevil\u200b",
    "é" * 200,
    "x" * 201,
    "",
    "a\x00b",
    "\ud800",
    True,
    None,
    1e308,
    -(2**31) - 1,
    2**63,
    float("nan"),
    float("inf"),
    ["Hummus"],
    {"title": 1},
    "2022-01-09T00:00:00",
    "2022-02-30",
    0,
)


def published_contract(**tools: str) -> Contract:
    """Return the toy contract with the texts of tools, by the names of their files."""
    folder = TOY / "contract"
    paths = [path for path in folder.rglob("*") if path.is_file()]
    files = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}
    return contract_of(files | {f"examples/{name}.sql": text for name, text in tools.items()})
