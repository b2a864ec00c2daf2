"""Conditions on rows: IN, EXISTS, ALL, ANY, LIKE, CASE and their NULLs."""

from semantics.case import Case, value

WITH = "t-sql/queries/with-common-table-expression-transact-sql"
VALUES = "t-sql/queries/table-value-constructor-transact-sql"
DISTINCT_FROM = "t-sql/queries/is-distinct-from-transact-sql"
EXISTS = "t-sql/language-elements/exists-transact-sql"
IN = "t-sql/language-elements/in-transact-sql"
ALL = "t-sql/language-elements/all-transact-sql"
ANY = "t-sql/language-elements/some-any-transact-sql"
LIKE = "t-sql/language-elements/like-transact-sql"
CASE = "t-sql/language-elements/case-transact-sql"
SUBQUERIES = "relational-databases/performance/subqueries"
A = "(VALUES (1, 'a'), (2, 'b'), (3, 'c')) AS a(id, n)"
B = "(VALUES (2, 'x'), (3, 'y'), (4, 'z')) AS b(id, n)"

CASES: tuple[Case, ...] = (
    Case(
        "NOT IN a list with NULL finds nothing",
        "NULL in the values of NOT IN makes the answer unknown",
        IN,
        f"SELECT a.id FROM {A} WHERE a.id NOT IN (SELECT v.x FROM (VALUES (1), (NULL)) AS v(x))",
        (),
    ),
    Case(
        "NOT EXISTS is not disturbed by NULL",
        "EXISTS is true if the subquery has a row",
        EXISTS,
        f"SELECT a.id FROM {A} WHERE NOT EXISTS (SELECT 1 FROM (VALUES (1), (NULL)) AS v(x) "
        "WHERE v.x = a.id)",
        ((2,), (3,)),
    ),
    Case(
        "EXISTS of a row of NULL is true",
        "a subquery that returns NULL still has a row",
        EXISTS,
        "SELECT 1 AS x WHERE EXISTS (SELECT NULL)",
        ((1,),),
    ),
    Case(
        "ALL of nothing is true",
        "ALL is true when the comparison holds for every value, and no value fails it",
        ALL,
        f"SELECT COUNT(*) AS n FROM {A} WHERE a.id > ALL (SELECT b.id FROM {B} WHERE b.id > 9)",
        ((3,),),
    ),
    Case(
        "ANY of nothing is false",
        "ANY is true when some value satisfies the comparison",
        ANY,
        f"SELECT COUNT(*) AS n FROM {A} WHERE a.id > ANY (SELECT b.id FROM {B} WHERE b.id > 9)",
        ((0,),),
    ),
    Case(
        "SOME is ANY",
        "SOME and ANY are equivalent",
        ANY,
        f"SELECT a.id FROM {A} WHERE a.id = SOME (SELECT b.id FROM {B})",
        ((2,), (3,)),
    ),
    Case(
        "a different value of ANY is not NOT IN",
        "<> ANY means not a or not b; NOT IN means not a and not b",
        ANY,
        f"SELECT COUNT(*) AS n FROM {A} WHERE a.id <> ANY (SELECT b.id FROM {B})",
        ((3,),),
    ),
    Case(
        "two NULLs are not distinct",
        "IS NOT DISTINCT FROM is true for NULL and NULL, and never unknown",
        DISTINCT_FROM,
        "SELECT v.a FROM (VALUES (1, 1), (2, NULL), (NULL, NULL)) AS v(a, b) "
        "WHERE v.a IS NOT DISTINCT FROM v.b",
        ((1,), (None,)),
    ),
    Case(
        "NULL is distinct from a value",
        "IS DISTINCT FROM is true where one side is NULL",
        DISTINCT_FROM,
        "SELECT COUNT(*) AS n FROM Movie AS m WHERE m.ReleaseYear IS DISTINCT FROM 1999",
        ((6,),),
    ),
    Case(
        "distinctness follows the collation",
        "values are compared as with =, so case and trailing blanks do not count",
        DISTINCT_FROM,
        "SELECT 1 AS x WHERE N'Alien ' IS NOT DISTINCT FROM N'alien'",
        ((1,),),
    ),
    Case(
        "a subquery looks at the row around it",
        "a correlated subquery is evaluated for each row of the outer query",
        SUBQUERIES,
        "SELECT m.Id FROM Movie AS m WHERE m.Id = (SELECT MAX(x.Id) FROM Movie AS x "
        "WHERE x.ReleaseYear = m.ReleaseYear) AND m.ReleaseYear = 1999",
        ((8,),),
    ),
    Case(
        "a scalar subquery without rows is NULL",
        "a subquery that returns no row where a value stands gives NULL",
        SUBQUERIES,
        "SELECT (SELECT m.Name FROM Movie AS m WHERE m.Id = 99) AS n",
        ((None,),),
    ),
    Case(
        "a CTE may be read twice and by later ones",
        "a CTE may refer to those defined before it in the same WITH clause",
        WITH,
        "WITH y(k, n) AS (SELECT m.ReleaseYear, COUNT(*) FROM Movie AS m GROUP BY m.ReleaseYear), "
        "t AS (SELECT MAX(y.n) AS most FROM y) SELECT y.k FROM y JOIN t ON t.most = y.n",
        ((1999,),),
    ),
    Case(
        "VALUES takes the type of the highest precedence",
        "a column of several types follows the rules of UNION ALL",
        VALUES,
        "SELECT v.x + 1 AS y FROM (VALUES (1), (2.5)) AS v(x)",
        ((2,), (3.5,)),
    ),
    value(
        "CASE 1 WHEN NULL THEN 'null' ELSE 'other' END",
        "other",
        "a simple CASE compares by equality, which NULL never satisfies",
        CASE,
    ),
    value(
        "CASE WHEN 1 = 2 THEN 'x' END",
        None,
        "without ELSE the result is NULL when no condition is true",
        CASE,
    ),
    value(
        "CASE WHEN 1 = 1 THEN 1 ELSE 0.5 END",
        1,
        "the result has the type of the highest precedence among the branches",
        CASE,
    ),
    value(
        "IIF('50%' LIKE '50!%' ESCAPE '!', 1, 0)",
        1,
        "the character after the escape character stands for itself",
        LIKE,
    ),
    *(
        value(f"IIF({condition}, 1, 0)", result, rule, LIKE)
        for rule, message in (
            (
                "trailing blanks of the text are ignored where all of it is varchar",
                (
                    ("CAST('abc ' AS VARCHAR(10)) LIKE 'abc'", 1),
                    ("'abc ' LIKE 'ABC'", 1),
                    ("'abc ' NOT LIKE 'abc'", 0),
                    ("CAST('Robert King' AS CHAR(30)) LIKE '% King'", 1),
                    ("CAST('Robert King' AS CHAR(30)) LIKE '%[K-L]ing'", 1),
                    ("'5% ' LIKE '5!%' ESCAPE '!'", 1),
                    ("'É ' COLLATE Latin1_General_CI_AI LIKE 'e'", 1),
                    ("'abc ' COLLATE Latin1_General_CS_AS LIKE 'ABC'", 0),
                ),
            ),
            (
                "trailing blanks count in Unicode matching, which one Unicode argument makes",
                (
                    ("N'abc ' LIKE 'abc'", 0),
                    ("'abc ' LIKE N'abc'", 0),
                    ("'5% ' LIKE '5!%' ESCAPE N'!'", 0),
                    ("CAST('Robert King' AS NCHAR(30)) LIKE '% King'", 0),
                ),
            ),
            (
                "all characters of the pattern count, its trailing blanks too",
                (("'abc' LIKE 'abc '", 0), ("'abc  ' LIKE 'abc '", 1), ("N'abc' LIKE 'abc '", 0)),
            ),
            (
                "a pattern with no character after an escape character is FALSE",
                (
                    ("'ab!' LIKE 'ab!' ESCAPE '!'", 0),
                    ("'ab' NOT LIKE '%!' ESCAPE '!'", 1),
                    ("N'ab!' LIKE N'%!!!' ESCAPE N'!'", 0),
                    ("N'ab!' LIKE N'%!!' ESCAPE N'!'", 1),
                    ("'ab!' LIKE '[a]b!' ESCAPE '!'", 0),
                    ("NOT (CAST(NULL AS VARCHAR(5)) LIKE '%!' ESCAPE '!')", 0),
                    ("'ab' LIKE '%' + '!' ESCAPE '!'", 0),
                ),
            ),
        )
        for condition, result in message
    ),
    Case(
        "trailing blanks beside a computed pattern of LIKE",
        "trailing blanks of a varchar are ignored, those of its pattern count",
        LIKE,
        "SELECT v.n FROM (VALUES (1, 'ab ', 'a_'), (2, 'a.c ', 'A.C'), (3, 'axc', 'a.c'), "
        "(4, 'a', 'a '), (5, '50% ', '50!%'), (6, '505', '50!%'), (7, 'a_b', 'a!_b'), "
        "(8, 'a!', 'a!!')) AS v(n, x, p) WHERE v.x LIKE v.p ESCAPE '!'",
        ((1,), (2,), (5,), (7,), (8,)),
    ),
    *(
        Case(
            f"computed patterns {prefix}'%!' that end with an escape character",
            "a pattern with no character after an escape character is FALSE",
            LIKE,
            f"SELECT v.n FROM (VALUES (1, {prefix}'b%', {prefix}'a'), (2, {prefix}'%!', "
            f"{prefix}'a!'), (3, {prefix}'%!!', {prefix}'a!'), (4, {prefix}'%!!!', {prefix}'a!'), "
            f"(5, {prefix}'%!', NULL)) AS v(n, p, x) WHERE v.x NOT LIKE v.p ESCAPE '!'",
            ((1,), (2,), (4,)),
        )
        for prefix in ("", "N")
    ),
    value("IIF('b5' LIKE '[a-c][^0-4]', 1, 0)", 1, "[] is a range, [^] what is not in it", LIKE),
    value(
        "COALESCE(NULLIF('a', 'A'), IIF(2 > 1, CHOOSE(2, 'x', 'y'), 'z'))",
        "y",
        "NULLIF is NULL for equal values, and case does not count",
        "t-sql/language-elements/nullif-transact-sql",
    ),
)
