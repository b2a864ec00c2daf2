"""UNION, EXCEPT and INTERSECT: which rows two queries share."""

from semantics.case import Case

TOP = "t-sql/queries/top-transact-sql"
UNION = "t-sql/language-elements/set-operators-union-transact-sql"
EXCEPT = "t-sql/language-elements/set-operators-except-and-intersect-transact-sql"

CASES: tuple[Case, ...] = (
    Case(
        "UNION removes duplicates and UNION ALL keeps them",
        "UNION returns distinct rows unless ALL is given",
        UNION,
        "SELECT COUNT(*) AS n FROM (SELECT 1 AS x UNION SELECT 1 UNION ALL SELECT 1) AS u",
        ((2,),),
    ),
    Case(
        "parentheses change what UNION ALL meets",
        "without parentheses unions are evaluated from left to right",
        UNION,
        "SELECT COUNT(*) AS n FROM (SELECT 1 AS x UNION (SELECT 1 UNION ALL SELECT 1)) AS u",
        ((1,),),
    ),
    Case(
        "INTERSECT binds closer than UNION",
        "INTERSECT is evaluated before EXCEPT and UNION",
        EXCEPT,
        "SELECT 1 AS x UNION SELECT 2 INTERSECT SELECT 3",
        ((1,),),
    ),
    Case(
        "EXCEPT and UNION go from left to right",
        "EXCEPT and UNION are evaluated by their position",
        EXCEPT,
        "SELECT 1 AS x EXCEPT SELECT 1 UNION SELECT 1",
        ((1,),),
    ),
    Case(
        "parentheses come before INTERSECT",
        "expressions in parentheses are evaluated first",
        EXCEPT,
        "(SELECT 1 AS x UNION SELECT 2) INTERSECT SELECT 2",
        ((2,),),
    ),
    Case(
        "EXCEPT returns distinct rows",
        "EXCEPT returns distinct rows of the left query that the right one lacks",
        EXCEPT,
        "SELECT v.x FROM (VALUES (1), (1), (2)) AS v(x) EXCEPT SELECT 2",
        ((1,),),
    ),
    Case(
        "two NULLs are equal to INTERSECT",
        "for distinct rows two NULL values are considered equal",
        EXCEPT,
        "SELECT v.x FROM (VALUES (NULL), (1)) AS v(x) INTERSECT SELECT v.x FROM "
        "(VALUES (NULL), (2)) AS v(x)",
        ((None,),),
    ),
    Case(
        "set operations compare text by collation",
        "rows are compared by the collation of the columns, which ignores case",
        EXCEPT,
        "SELECT 'ALIEN' AS n INTERSECT SELECT m.Name FROM Movie AS m WHERE m.Id = 4",
        (("ALIEN",),),
    ),
    Case(
        "the first query names the columns of a UNION",
        "column names are those of the first query; ORDER BY takes them",
        UNION,
        "SELECT 2 AS first UNION ALL SELECT 1 AS second ORDER BY first",
        ((1,), (2,)),
    ),
    Case(
        "one query of a UNION is cut in a derived table",
        "TOP and ORDER BY of one query stand in a subselect of its own",
        TOP,
        "SELECT a.s FROM (SELECT TOP 1 v.s FROM (VALUES (3), (2)) AS v(s) ORDER BY v.s) AS a "
        "UNION ALL SELECT b.s FROM (SELECT TOP 1 v.s FROM (VALUES (9), (8)) AS v(s) "
        "ORDER BY v.s DESC) AS b",
        ((2,), (9,)),
    ),
)
