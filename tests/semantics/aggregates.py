"""Aggregates: which rows they see, and the type they return."""

from semantics.case import Case

AVG = "t-sql/functions/avg-transact-sql"
COUNT = "t-sql/functions/count-transact-sql"

CASES: tuple[Case, ...] = (
    Case(
        "the average of whole numbers is a whole number",
        "AVG of int returns int: the fraction is cut",
        AVG,
        "SELECT AVG(v.x) AS a FROM (VALUES (1), (2), (2)) AS v(x)",
        ((1,),),
    ),
    Case(
        "COUNT of a column leaves out NULL",
        "COUNT(expression) counts the values that are not NULL, COUNT(*) every row",
        COUNT,
        "SELECT COUNT(m.ReleaseYear) AS years, COUNT(*) AS films FROM Movie AS m",
        ((7, 8),),
    ),
)
