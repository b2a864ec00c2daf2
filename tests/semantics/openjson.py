"""OPENJSON: the rows that a document becomes."""

from semantics.case import Case, value

FUNCTIONS = "t-sql/functions/"
DOCUMENTS = "relational-databases/json/"
SCHEMA = f"{DOCUMENTS}use-openjson-with-an-explicit-schema-sql-server"
OPENJSON = f"{FUNCTIONS}openjson-transact-sql"

CASES: tuple[Case, ...] = (
    value("""JSON_VALUE('{"A":1}', '$.a')""", None, "Keys compare with case", OPENJSON),
    Case(
        "the properties of an object",
        "Each property is a row: its name, its value and the number of its type",
        OPENJSON,
        """SELECT j.[key], j.value, j.type FROM OPENJSON('{"s":"John","i":45,"t":true,"n":null,"""
        """"a":["a","r"],"o":{"obj":"ect"}}') AS j ORDER BY j.[key]""",
        (
            ("a", '["a","r"]', 4),
            ("i", "45", 2),
            ("n", None, 0),
            ("o", '{"obj":"ect"}', 5),
            ("s", "John", 1),
            ("t", "true", 3),
        ),
    ),
    Case(
        "the elements of an array",
        "Of an array the keys are positions, from 0",
        OPENJSON,
        "SELECT j.[key], j.value "
        """FROM OPENJSON('{"p":{"to":["en-GB","en-UK"]}}', '$.p.to') AS j """
        "ORDER BY j.[key]",
        (("0", "en-GB"), ("1", "en-UK")),
    ),
    Case(
        "columns of one's own",
        "WITH names columns, their types and paths; without a path the key is the column's name",
        SCHEMA,
        "SELECT j.k1, j.k2, j.col3, j.col4, j.col5 FROM OPENJSON("
        """N'{"x":[{"k1": 11, "k2": null, "k3": "text"}, {"k1": 21, """
        """"k2": "text2", "k4": { "data": "text4" }}, {"k1": 31, """
        """"k2": 32}]}', N'lax $.x') WITH (k1 INT, k2 VARCHAR(100), col3 VARCHAR(6) N'$.k3', """
        "col4 VARCHAR(10) N'lax $.k4.data', col5 NVARCHAR(MAX) N'lax $.k4' AS JSON) AS j "
        "ORDER BY j.k1",
        (
            (11, None, "text", None, None),
            (21, "text2", None, "text4", '{ "data": "text4" }'),
            (31, "32", None, None, None),
        ),
    ),
    Case(
        "an object is one row",
        "An object gives one row of the columns named, an array one row an element",
        OPENJSON,
        """SELECT j.a, j.b FROM OPENJSON('{"a":1,"b":"x"}') WITH (a INT, b NVARCHAR(5)) AS j""",
        ((1, "x"),),
    ),
    Case(
        "an object without AS JSON is NULL",
        "Without AS JSON a column that is an object or array is NULL in lax mode",
        OPENJSON,
        """SELECT j.a FROM OPENJSON('[{"a":[1]}]') WITH (a NVARCHAR(50)) AS j""",
        ((None,),),
    ),
    Case(
        "the element itself",
        "The path $ is the element",
        OPENJSON,
        "SELECT j.v FROM OPENJSON('[3, 4]') WITH (v INT '$') AS j ORDER BY j.v",
        ((3,), (4,)),
    ),
    Case(
        "a path that leads nowhere gives no rows",
        "In lax mode a missing object or array is an empty result",
        OPENJSON,
        """SELECT j.value FROM OPENJSON('{"a":1}', '$.b') AS j""",
    ),
    Case(
        "OPENJSON of what is no JSON",
        "The statement fails if the text is not properly formatted",
        OPENJSON,
        "SELECT j.value FROM OPENJSON('{a}') AS j",
        error="conversion_failed",
    ),
    Case(
        "OPENJSON in strict mode",
        "In strict mode a path that leads nowhere is an error",
        OPENJSON,
        """SELECT j.value FROM OPENJSON('{"a":1}', 'strict $.b') AS j""",
        error="execution_failed",
    ),
    Case(
        "OPENJSON under CROSS APPLY",
        "CROSS APPLY joins each row with the rows of its own array",
        OPENJSON,
        "SELECT v.x, j.value FROM (VALUES (1, '[\"a\",\"b\"]'), (2, '[]'), (3, NULL)) AS v(x, t) "
        "CROSS APPLY OPENJSON(v.t) AS j ORDER BY v.x, j.value",
        ((1, "a"), (1, "b")),
    ),
)
