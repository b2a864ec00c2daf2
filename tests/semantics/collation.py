"""Collation: what counts as equal, what comes first, and where COLLATE changes it.

Each construct that compares has a case of its own, with letters beyond ASCII.
"""

from semantics.case import Case, failure, value

COLLATION = "relational-databases/collations/collation-and-unicode-support"
PRECEDENCE = "t-sql/statements/collation-precedence-transact-sql"
EQUALS = "t-sql/language-elements/equals-transact-sql"
IN = "t-sql/language-elements/in-transact-sql"
ALL = "t-sql/language-elements/all-transact-sql"
BETWEEN = "t-sql/language-elements/between-transact-sql"
LIKE = "t-sql/language-elements/like-transact-sql"
CASE = "t-sql/language-elements/case-transact-sql"
NULLIF = "t-sql/language-elements/nullif-transact-sql"
SELECT = "t-sql/queries/select-clause-transact-sql"
GROUP = "t-sql/queries/select-group-by-transact-sql"
ORDER = "t-sql/queries/select-order-by-clause-transact-sql"
OVER = "t-sql/queries/select-over-clause-transact-sql"
UNION = "t-sql/language-elements/set-operators-union-transact-sql"
EXCEPT = "t-sql/language-elements/set-operators-except-and-intersect-transact-sql"
COUNT = "t-sql/functions/count-transact-sql"
MIN = "t-sql/functions/min-transact-sql"
MAX = "t-sql/functions/max-transact-sql"
GREATEST = "t-sql/functions/logical-functions-greatest-transact-sql"
LEAST = "t-sql/functions/logical-functions-least-transact-sql"
CHARINDEX = "t-sql/functions/charindex-transact-sql"
REPLACE = "t-sql/functions/replace-transact-sql"
PATINDEX = "t-sql/functions/patindex-transact-sql"
LEN = "t-sql/functions/len-transact-sql"

NO_CASE = "CI: upper and lower case are one letter"
ACCENTS = "AS: a letter with an accent is another letter than that without"
DICTIONARY_ORDER = "letters sort as in a dictionary: an accented one beside its base letter"
EITHER = "COLLATE on either side governs"
SORTED = "what a range holds depends on the sorting rules of the collation"
BLANKS = "blanks at the end do not count when texts are compared"
MIXED = "(VALUES ('é'), ('É'), ('e'), ('E')) AS v(x)"
LETTERS = "(VALUES ('zebra'), ('Éclair'), ('eagle'), ('Apple'), ('apricot')) AS v(x)"
PADDED = "(VALUES ('a'), ('a  '), ('A '), ('b')) AS v(x)"


def holds(condition: str, rule: str, source: str) -> Case:
    """Return the case of a condition that is true."""
    return value(f"CASE WHEN {condition} THEN 1 ELSE 0 END", 1, rule, source)


def fails(condition: str, rule: str, source: str) -> Case:
    """Return the case of a condition that is not true."""
    return value(f"CASE WHEN {condition} THEN 1 ELSE 0 END", 0, rule, source)


CASES: tuple[Case, ...] = (
    holds("'ÉCLAIR' = 'éclair'", NO_CASE, COLLATION),
    fails("'éclair' = 'eclair'", ACCENTS, COLLATION),
    holds("'ÉCLAIR' <> 'eclair'", ACCENTS, COLLATION),
    fails("'ÉCLAIR' <> 'éclair'", NO_CASE, COLLATION),
    holds("'Éa' < 'eb'", DICTIONARY_ORDER, COLLATION),
    holds("'zebra' > 'Éclair'", DICTIONARY_ORDER, COLLATION),
    holds("'é' <= 'É'", NO_CASE, COLLATION),
    holds("'É' >= 'é'", NO_CASE, COLLATION),
    holds("'é' BETWEEN 'D' AND 'F'", DICTIONARY_ORDER, BETWEEN),
    holds("'É' IN ('a', 'é')", NO_CASE, IN),
    holds("'é' NOT IN ('a', 'e')", ACCENTS, IN),
    holds("'É' = ANY (SELECT v.x FROM (VALUES ('a'), ('é')) AS v(x))", NO_CASE, IN),
    holds(f"'zoo' > ALL (SELECT v.x FROM {LETTERS})", DICTIONARY_ORDER, ALL),
    fails(f"'é' > ALL (SELECT v.x FROM {LETTERS})", DICTIONARY_ORDER, ALL),
    holds(f"'É' > ANY (SELECT v.x FROM {LETTERS})", DICTIONARY_ORDER, ALL),
    holds("'ÉCLAIR' LIKE 'éc%'", NO_CASE, LIKE),
    fails("'éclair' LIKE 'e%'", ACCENTS, LIKE),
    holds("'ÉCLAIR' LIKE '[é]clair'", NO_CASE, LIKE),
    value("CASE 'É' WHEN 'é' THEN 1 ELSE 0 END", 1, NO_CASE, CASE),
    value("NULLIF('É', 'é')", None, NO_CASE, NULLIF),
    value("CHARINDEX('É', 'café')", 4, NO_CASE, CHARINDEX),
    value("CHARINDEX('E', 'café')", 0, ACCENTS, CHARINDEX),
    value("REPLACE('Éé', 'é', 'x')", "xx", NO_CASE, REPLACE),
    value("PATINDEX('%É%', 'café')", 4, NO_CASE, PATINDEX),
    value("GREATEST('apple', 'Éclair', 'eagle')", "Éclair", DICTIONARY_ORDER, GREATEST),
    value("LEAST('zebra', 'Éclair')", "Éclair", DICTIONARY_ORDER, LEAST),
    Case(
        "ORDER BY sorts accented letters beside their base letters",
        DICTIONARY_ORDER,
        ORDER,
        f"SELECT v.x FROM {LETTERS} ORDER BY v.x",
        (("Apple",), ("apricot",), ("eagle",), ("Éclair",), ("zebra",)),
    ),
    Case(
        "ORDER BY DESC sorts accented letters beside their base letters",
        DICTIONARY_ORDER,
        ORDER,
        f"SELECT v.x FROM {LETTERS} ORDER BY v.x DESC",
        (("zebra",), ("Éclair",), ("eagle",), ("apricot",), ("Apple",)),
    ),
    Case(
        "ORDER BY a position sorts by the collation",
        DICTIONARY_ORDER,
        ORDER,
        f"SELECT v.x AS y FROM {LETTERS} ORDER BY 1 DESC",
        (("zebra",), ("Éclair",), ("eagle",), ("apricot",), ("Apple",)),
    ),
    Case(
        "the result of UNION sorts by the collation",
        DICTIONARY_ORDER,
        ORDER,
        f"SELECT v.x AS y FROM {LETTERS} UNION SELECT 'Ebro' ORDER BY y",
        (("Apple",), ("apricot",), ("eagle",), ("Ebro",), ("Éclair",), ("zebra",)),
    ),
    Case(
        "DISTINCT sorts by the collation",
        DICTIONARY_ORDER,
        ORDER,
        f"SELECT DISTINCT LEFT(v.x, 1) AS y FROM {LETTERS} ORDER BY y DESC",
        (("z",), ("É",), ("e",), ("A",)),
    ),
    Case(
        "the largest text by collation",
        "MAX finds the highest value in the collating sequence",
        MAX,
        f"SELECT MAX(v.x) AS x FROM {LETTERS} WHERE v.x <> 'zebra'",
        (("Éclair",),),
    ),
    Case(
        "the smallest text by collation",
        "MIN finds the lowest value in the collating sequence",
        MIN,
        f"SELECT MIN(v.x) AS x FROM {LETTERS} WHERE v.x > 'B' AND v.x <> 'eagle'",
        (("Éclair",),),
    ),
    Case(
        "GROUP BY puts letters of both cases together",
        NO_CASE,
        GROUP,
        f"SELECT COUNT(*) AS n FROM {MIXED} GROUP BY v.x",
        ((2,), (2,)),
    ),
    Case(
        "GROUP BY an expression",
        NO_CASE,
        GROUP,
        f"SELECT COUNT(*) AS n FROM {MIXED} GROUP BY v.x + '!'",
        ((2,), (2,)),
    ),
    Case(
        "ROLLUP puts letters of both cases together",
        NO_CASE,
        GROUP,
        f"SELECT COUNT(*) AS n FROM {MIXED} GROUP BY ROLLUP (v.x)",
        ((2,), (2,), (4,)),
    ),
    Case(
        "HAVING compares without case",
        NO_CASE,
        GROUP,
        f"SELECT COUNT(*) AS n FROM {MIXED} GROUP BY v.x HAVING MAX(v.x) = 'É'",
        ((2,),),
    ),
    Case(
        "DISTINCT tells accents apart, not case",
        NO_CASE,
        SELECT,
        f"SELECT COUNT(*) AS n FROM (SELECT DISTINCT v.x AS x FROM {MIXED}) AS d",
        ((2,),),
    ),
    Case(
        "COUNT(DISTINCT) tells accents apart, not case",
        NO_CASE,
        COUNT,
        f"SELECT COUNT(DISTINCT v.x) AS n FROM {MIXED}",
        ((2,),),
    ),
    Case(
        "UNION removes texts that differ in case",
        NO_CASE,
        UNION,
        "SELECT COUNT(*) AS n FROM (SELECT 'é' AS x UNION SELECT 'É' UNION SELECT 'e') AS u",
        ((2,),),
    ),
    Case(
        "EXCEPT compares without case",
        NO_CASE,
        EXCEPT,
        f"SELECT v.x FROM {MIXED} WHERE v.x = 'e' EXCEPT SELECT 'E'",
        (),
    ),
    Case(
        "INTERSECT compares without case",
        NO_CASE,
        EXCEPT,
        f"SELECT COUNT(*) AS n FROM (SELECT v.x AS x FROM {MIXED} INTERSECT SELECT 'É') AS d",
        ((1,),),
    ),
    Case(
        "a join of texts compares without case",
        NO_CASE,
        EQUALS,
        "SELECT a.x FROM (VALUES ('É'), ('e')) AS a(x) JOIN (VALUES ('é')) AS b(x) ON a.x = b.x",
        (("É",),),
    ),
    Case(
        "PARTITION BY compares without case",
        NO_CASE,
        OVER,
        f"SELECT DISTINCT COUNT(*) OVER (PARTITION BY v.x) AS n FROM {MIXED}",
        ((2,),),
    ),
    Case(
        "RANK gives texts that differ in case one rank",
        NO_CASE,
        OVER,
        f"SELECT DISTINCT RANK() OVER (ORDER BY v.x) AS n FROM {MIXED}",
        ((1,), (3,)),
    ),
    Case(
        "STRING_AGG in the order of the collation",
        DICTIONARY_ORDER,
        "t-sql/functions/string-agg-transact-sql",
        f"SELECT STRING_AGG(v.x, ' ') WITHIN GROUP (ORDER BY v.x) AS x FROM {LETTERS}",
        (("Apple apricot eagle Éclair zebra",),),
    ),
    Case(
        "a column compares without case and with accents",
        ACCENTS,
        COLLATION,
        "SELECT m.Id FROM Movie AS m WHERE m.Name = 'AMÉLIE' OR m.Name = 'amelie'",
        ((5,),),
    ),
    # COLLATE
    holds("'É' COLLATE Latin1_General_CI_AI = 'e'", "AI: accents do not count", COLLATION),
    fails("'É' COLLATE Latin1_General_CS_AS = 'é'", "CS: case counts", COLLATION),
    holds("'É' COLLATE Latin1_General_CS_AI = 'E'", "CS_AI: case counts, no accent", COLLATION),
    fails("'É' COLLATE Latin1_General_CS_AI = 'e'", "CS_AI: case counts, no accent", COLLATION),
    holds("'a' < 'B' COLLATE Latin1_General_CS_AS", "CS sorts as a dictionary", COLLATION),
    holds("'a' < 'A' COLLATE Latin1_General_CS_AS", "CS: lower case first", COLLATION),
    holds("'a' > 'B' COLLATE Latin1_General_BIN2", "BIN2 sorts by code points", COLLATION),
    holds("'é' > 'z' COLLATE Latin1_General_BIN2", "BIN2 sorts by code points", COLLATION),
    fails("'a' = 'A' COLLATE Latin1_General_BIN", "BIN: case counts", COLLATION),
    holds("'ÉCLAIR' COLLATE Latin1_General_CI_AI LIKE 'ec%'", "AI in LIKE", COLLATION),
    holds("'Ab' LIKE '[A-Z][^A-Z]' COLLATE Latin1_General_BIN", EITHER, PRECEDENCE),
    fails("'AB' LIKE ('[A-Z][^A-Z]' COLLATE Latin1_General_BIN)", EITHER, PRECEDENCE),
    fails("'B' LIKE N'[a]%' COLLATE Latin1_General_CS_AS ESCAPE '!'", EITHER, PRECEDENCE),
    holds("'É' LIKE '[a-f]'", SORTED, LIKE),
    fails("'ž' LIKE '[a-z]'", SORTED, LIKE),
    fails("'b' LIKE '[^a-f]'", SORTED, LIKE),
    holds("'b' LIKE '[A-T]' COLLATE Latin1_General_CS_AS", SORTED, LIKE),
    fails("'a' LIKE '[A-T]' COLLATE Latin1_General_CS_AS", SORTED, LIKE),
    fails("'b' LIKE '[A-T]' COLLATE Latin1_General_BIN", SORTED, LIKE),
    fails("'b' LIKE '[a-Z]' COLLATE Latin1_General_BIN", SORTED, LIKE),
    holds("'-' LIKE '[a-f-]'", "a hyphen at the end is itself", LIKE),
    *(
        failure(
            f"IIF('a' COLLATE Latin1_General_BIN {compared}, 1, 0)",
            "conversion_failed",
            "two collations that are named are in conflict",
            PRECEDENCE,
        )
        for compared in (
            "LIKE 'a' COLLATE Latin1_General_CS_AS",
            "LIKE '[a]' COLLATE Latin1_General_CS_AS",
            "= 'a' COLLATE Latin1_General_BIN2",
            "IN ('b', 'a' COLLATE Latin1_General_CI_AS)",
            "BETWEEN 'a' AND 'b' COLLATE Latin1_General_CI_AS",
        )
    ),
    fails("'Éclair' COLLATE Latin1_General_CS_AS LIKE 'éc%'", "CS in LIKE", COLLATION),
    fails("UPPER('a' COLLATE Latin1_General_CS_AS) = 'a'", "functions pass it on", PRECEDENCE),
    Case(
        "ORDER BY under a binary collation",
        "BIN2 sorts by code points",
        ORDER,
        f"SELECT v.x FROM {LETTERS} ORDER BY v.x COLLATE Latin1_General_BIN2",
        (("Apple",), ("apricot",), ("eagle",), ("zebra",), ("Éclair",)),
    ),
    Case(
        "GROUP BY under a collation without accents",
        "AI: accents do not count",
        GROUP,
        f"SELECT COUNT(*) AS n FROM {MIXED} GROUP BY v.x COLLATE Latin1_General_CI_AI",
        ((4,),),
    ),
    Case(
        "MAX under a binary collation",
        "BIN2 sorts by code points",
        MAX,
        f"SELECT MAX(v.x COLLATE Latin1_General_BIN2) AS x FROM {LETTERS}",
        (("Éclair",),),
    ),
    failure(
        "CASE WHEN 'a' COLLATE Latin1_General_CS_AS = 'a' COLLATE Latin1_General_CI_AS "
        "THEN 1 ELSE 0 END",
        "conversion_failed",
        "two explicit collations in one comparison are an error",
        PRECEDENCE,
    ),
    value(
        "REPLACE('aA' COLLATE Latin1_General_CS_AS, 'a', 'x')",
        "xA",
        "REPLACE compares by the collation of its input",
        REPLACE,
        gaps={"embedded": "it replaces by the collation of the data only"},
    ),
    # Blanks at the end
    holds("'a' = 'a  '", BLANKS, EQUALS),
    holds("LEFT('a b', 2) = 'a'", BLANKS, EQUALS),
    holds("'a  ' IN ('b', 'a')", BLANKS, EQUALS),
    holds("'a' IN (SELECT v.x FROM (VALUES ('a  ')) AS v(x))", BLANKS, EQUALS),
    holds("'a' = (SELECT MAX(v.x) FROM (VALUES ('a  ')) AS v(x))", BLANKS, EQUALS),
    fails("'a' LIKE 'a '", "every character of a pattern counts, also blanks", LIKE),
    value("LEN('a  ')", 1, "LEN leaves blanks at the end out", LEN),
    Case(
        "GROUP BY ignores blanks at the end",
        BLANKS,
        EQUALS,
        f"SELECT COUNT(*) AS n FROM {PADDED} GROUP BY v.x",
        ((3,), (1,)),
    ),
    Case(
        "GROUP BY a computed text ignores blanks at its end",
        BLANKS,
        EQUALS,
        "SELECT LEN(LEFT(v.x, 2)) AS l, COUNT(*) AS n FROM (VALUES ('a b'), ('a'), ('ab')) AS v(x) "
        "GROUP BY LEFT(v.x, 2) ORDER BY LEFT(v.x, 2)",
        ((1, 2), (2, 1)),
    ),
    Case(
        "DISTINCT ignores blanks at the end",
        BLANKS,
        EQUALS,
        f"SELECT COUNT(*) AS n FROM (SELECT DISTINCT v.x AS x FROM {PADDED}) AS d",
        ((2,),),
    ),
    Case(
        "COUNT(DISTINCT) ignores blanks at the end",
        BLANKS,
        EQUALS,
        f"SELECT COUNT(DISTINCT v.x) AS n FROM {PADDED}",
        ((2,),),
    ),
    Case(
        "UNION ignores blanks at the end",
        BLANKS,
        EQUALS,
        "SELECT COUNT(*) AS n FROM (SELECT 'a' AS x UNION SELECT 'a ' UNION SELECT 'A  ') AS u",
        ((1,),),
    ),
    Case(
        "EXCEPT ignores blanks at the end",
        BLANKS,
        EQUALS,
        "SELECT 'a' AS x EXCEPT SELECT 'a  '",
        (),
    ),
    Case(
        "INTERSECT ignores blanks at the end",
        BLANKS,
        EQUALS,
        "SELECT COUNT(*) AS n FROM (SELECT 'a' AS x INTERSECT SELECT 'a  ') AS d",
        ((1,),),
    ),
    Case(
        "PARTITION BY ignores blanks at the end",
        BLANKS,
        EQUALS,
        f"SELECT DISTINCT COUNT(*) OVER (PARTITION BY v.x) AS n FROM {PADDED}",
        ((1,), (3,)),
    ),
    Case(
        "a join of computed texts ignores blanks at the end",
        BLANKS,
        EQUALS,
        "SELECT COUNT(*) AS n FROM (VALUES ('a b')) AS v(x) JOIN (VALUES ('a')) AS w(y) "
        "ON LEFT(v.x, 2) = w.y",
        ((1,),),
    ),
    Case(
        "ORDER BY ignores blanks at the end",
        BLANKS,
        ORDER,
        "SELECT v.n FROM (VALUES ('a ', 1), ('a', 2), ('a  ', 3)) AS v(x, n) ORDER BY v.x, v.n",
        ((1,), (2,), (3,)),
    ),
)
