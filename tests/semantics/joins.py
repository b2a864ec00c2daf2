"""Joins, APPLY and nested joins: which rows come together."""

from semantics.case import Case

FROM = "t-sql/queries/from-transact-sql"
VALUES = "t-sql/queries/table-value-constructor-transact-sql"
LIKE = "t-sql/language-elements/like-transact-sql"
A = "(VALUES (1, 'a'), (2, 'b'), (3, 'c')) AS a(id, n)"
B = "(VALUES (2, 'x'), (3, 'y'), (4, 'z')) AS b(id, n)"
C = "(VALUES (3, 'p'), (4, 'q')) AS c(id, n)"

JOINS: tuple[Case, ...] = (
    Case(
        "a left join keeps rows without a partner",
        "LEFT OUTER JOIN keeps all rows of the left table; columns of the right one are NULL",
        FROM,
        f"SELECT a.id, b.n FROM {A} LEFT JOIN {B} ON b.id = a.id",
        ((1, None), (2, "x"), (3, "y")),
    ),
    Case(
        "a right join keeps the rows of the right side",
        "RIGHT OUTER JOIN keeps all rows of the right table",
        FROM,
        f"SELECT a.n, b.id FROM {A} RIGHT OUTER JOIN {B} ON b.id = a.id",
        (("b", 2), ("c", 3), (None, 4)),
    ),
    Case(
        "a full join keeps the rows of both sides",
        "FULL OUTER JOIN keeps rows of either table without a match",
        FROM,
        f"SELECT a.id, b.id AS other FROM {A} FULL JOIN {B} ON b.id = a.id",
        ((1, None), (2, 2), (3, 3), (None, 4)),
    ),
    Case(
        "a condition in ON of a left join does not remove rows, one in WHERE does",
        "ON decides what matches; WHERE filters the result of the join",
        FROM,
        f"SELECT COUNT(*) AS kept, (SELECT COUNT(*) FROM {A} LEFT JOIN {B} ON b.id = a.id "
        f"WHERE b.n = 'x') AS filtered FROM {A} LEFT JOIN {B} ON b.id = a.id AND b.n = 'x'",
        ((3, 1),),
    ),
    Case(
        "a join in parentheses is made before the outer one",
        "parentheses change the order in which joined tables are evaluated",
        FROM,
        f"SELECT a.id, b.n, c.n AS cn FROM {A} LEFT JOIN ({B} JOIN {C} ON c.id = b.id) "
        "ON b.id = a.id",
        ((1, None, None), (2, None, None), (3, "y", "p")),
    ),
    Case(
        "without the parentheses the inner join drops rows",
        "joins are evaluated from left to right",
        FROM,
        f"SELECT a.id, b.n, c.n AS cn FROM {A} LEFT JOIN {B} ON b.id = a.id "
        f"JOIN {C} ON c.id = b.id",
        ((3, "y", "p"),),
    ),
    Case(
        "the position of ON nests joins as parentheses do",
        "an ON clause belongs to the nearest JOIN that has none yet",
        FROM,
        "SELECT m.Name, g.Name AS genre FROM Movie AS m LEFT JOIN IN_GENRE AS i INNER JOIN Genre "
        "AS g ON g.$node_id = i.$to_id AND g.Name = 'Horror' ON i.$from_id = m.$node_id "
        "WHERE m.Id IN (4, 5)",
        (("Alien", "Horror"), ("Amélie", None)),
    ),
    Case(
        "a cross join makes every pair",
        "CROSS JOIN is the cross product of two tables",
        FROM,
        f"SELECT COUNT(*) AS n FROM {A} CROSS JOIN {B}",
        ((9,),),
    ),
    Case(
        "NULL joins nothing",
        "a comparison with NULL is unknown, and a join keeps what is true",
        FROM,
        "SELECT COUNT(*) AS n FROM (VALUES (1), (NULL)) AS a(x) JOIN (VALUES (1), (NULL)) AS b(x) "
        "ON a.x = b.x",
        ((1,),),
    ),
    Case(
        "CROSS APPLY drops rows for which nothing comes out",
        "CROSS APPLY keeps rows of the left table for which the right one produces rows",
        FROM,
        f"SELECT a.id, x.n FROM {A} CROSS APPLY (SELECT b.n FROM {B} WHERE b.id = a.id) AS x",
        ((2, "x"), (3, "y")),
    ),
    Case(
        "OUTER APPLY keeps them with NULL",
        "OUTER APPLY returns rows of the left table also without rows of the right one",
        FROM,
        f"SELECT a.id, x.n FROM {A} OUTER APPLY (SELECT b.n FROM {B} WHERE b.id = a.id) AS x",
        ((1, None), (2, "x"), (3, "y")),
    ),
    Case(
        "APPLY takes the first rows for each row",
        "the right side is evaluated for each row of the left one",
        FROM,
        f"SELECT a.id, x.id AS nearest FROM {A} CROSS APPLY (SELECT TOP 1 b.id FROM {B} "
        "WHERE b.id >= a.id ORDER BY b.id) AS x",
        ((1, 2), (2, 2), (3, 3)),
    ),
    Case(
        "APPLY turns columns into rows with VALUES",
        "a table value constructor may stand under APPLY and refer to the left table",
        VALUES,
        "SELECT v.k, u.n FROM (VALUES ('r', 1, 2)) AS v(k, a, b) "
        "CROSS APPLY (VALUES (v.a), (v.b)) AS u(n)",
        (("r", 1), ("r", 2)),
    ),
    Case(
        "an aggregate under OUTER APPLY gives a row for nothing",
        "an aggregate without GROUP BY returns one row, and COUNT of no rows is 0",
        FROM,
        f"SELECT a.id, x.n FROM {A} OUTER APPLY (SELECT COUNT(*) AS n FROM {B} "
        "WHERE b.id > a.id + 1) AS x",
        ((1, 2), (2, 1), (3, 0)),
    ),
)

NESTED: tuple[Case, ...] = (
    Case(
        "a join in parentheses may begin with another",
        "parentheses change the natural order of joins, and a joined table may be one operand",
        FROM,
        "SELECT a.k, b.k AS bk, c.k AS ck FROM ((VALUES (1), (2), (3)) AS a(k) LEFT JOIN "
        "((VALUES (1), (2)) AS b(k) JOIN (VALUES (2)) AS c(k) ON c.k = b.k) ON b.k = a.k)",
        ((1, None, None), (2, 2, 2), (3, None, None)),
    ),
    Case(
        "each pair of parentheses closes one join",
        "parentheses change the natural order of joins, and a joined table may be one operand",
        FROM,
        "SELECT a.k, c.k AS ck FROM (((VALUES (1), (2)) AS a(k) JOIN (VALUES (1), (2)) AS b(k) "
        "ON b.k = a.k) LEFT JOIN (VALUES (2)) AS c(k) ON c.k = b.k)",
        ((1, None), (2, 2)),
    ),
)

COMPUTED: tuple[Case, ...] = (
    Case(
        "a pattern from a column has classes, too",
        "a pattern is an expression, and [ ] in it is any one character of a set",
        LIKE,
        "SELECT v.s FROM (VALUES ('abc', '[a-c]bc'), ('xbc', '[a-c]bc')) AS v(s, p) "
        "WHERE v.s LIKE v.p",
        (("abc",),),
        gaps={"embedded": "a computed pattern with brackets is not read"},
    ),
    Case(
        "a pattern from a column without brackets",
        "a pattern is an expression, and % in it is any text",
        LIKE,
        "SELECT v.s FROM (VALUES ('abc', 'b'), ('xyz', 'b')) AS v(s, p) "
        "WHERE v.s LIKE '%' + v.p + '%'",
        (("abc",),),
    ),
)

CASES: tuple[Case, ...] = (*JOINS, *NESTED, *COMPUTED)
