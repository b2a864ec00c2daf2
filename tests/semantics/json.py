"""JSON: FOR JSON, OPENJSON, the functions that read and make JSON; other functions of rows."""

from decimal import Decimal

from semantics.case import Case, failure, value

FUNCTIONS = "t-sql/functions/"
DOCUMENTS = "relational-databases/json/"
PATH = f"{DOCUMENTS}format-nested-json-output-with-path-mode-sql-server"
AUTO = f"{DOCUMENTS}format-json-output-automatically-with-auto-mode-sql-server"
TYPES = f"{DOCUMENTS}how-for-json-converts-sql-server-data-types-to-json-data-types-sql-server"
ESCAPES = f"{DOCUMENTS}how-for-json-escapes-special-characters-and-control-characters-sql-server"
ROOT = f"{DOCUMENTS}add-a-root-node-to-json-output-with-the-root-option-sql-server"
NULLS = f"{DOCUMENTS}include-null-values-in-json-include-null-values-option"
UNWRAPPED = f"{DOCUMENTS}remove-square-brackets-from-json-without-array-wrapper-option"
ISSUES = f"{DOCUMENTS}solve-common-issues-with-json-in-sql-server"
PATHS = f"{DOCUMENTS}json-path-expressions-sql-server"
SCHEMA = f"{DOCUMENTS}use-openjson-with-an-explicit-schema-sql-server"
OPENJSON = f"{FUNCTIONS}openjson-transact-sql"
VALUE = f"{FUNCTIONS}json-value-transact-sql"
QUERY = f"{FUNCTIONS}json-query-transact-sql"
ISJSON = f"{FUNCTIONS}isjson-transact-sql"
EXISTS = f"{FUNCTIONS}json-path-exists-transact-sql"
OBJECT = f"{FUNCTIONS}json-object-transact-sql"
ARRAY = f"{FUNCTIONS}json-array-transact-sql"
MODIFY = f"{FUNCTIONS}json-modify-transact-sql"
SPLIT = f"{FUNCTIONS}string-split-transact-sql"
SERIES = f"{FUNCTIONS}generate-series-transact-sql"
TRIM = f"{FUNCTIONS}trim-transact-sql"
LTRIM = f"{FUNCTIONS}ltrim-transact-sql"
RTRIM = f"{FUNCTIONS}rtrim-transact-sql"

INFO = (
    '{"info":{"type":1,"address":{"town":"Bristol","county":"Avon"},'
    '"tags":["Sport", "Water polo"]},"type":"Basic"}'
)
JOHN = '{"name":"John","skills":["C#","SQL"]}'
PEOPLE = '{"people":[{"name":"John"},{"name":"Jane","surname":null}]}'


def _document(name: str, rule: str, source: str, sql: str, expected: str) -> Case:
    return Case(name, rule, source, sql, ((expected,),))


CASES: tuple[Case, ...] = (
    # FOR JSON
    _document(
        "names with dots nest",
        "PATH makes an object of the parts of a name with dots; an object without a value is "
        "left out, as NULL is",
        PATH,
        "SELECT v.a AS Id, v.b AS [Info.Title], v.c AS [Info.Middle] FROM (VALUES (1, NULL, 'J'), "
        "(2, NULL, NULL)) AS v(a, b, c) ORDER BY v.a FOR JSON PATH",
        '[{"Id":1,"Info":{"Middle":"J"}},{"Id":2}]',
    ),
    _document(
        "AUTO keeps dots in names",
        "With one table AUTO writes a name with dots as it is",
        AUTO,
        "SELECT m.Id, m.Name AS [Info.Title] FROM Movie AS m WHERE m.Id = 4 FOR JSON AUTO",
        '[{"Id":4,"Info.Title":"Alien"}]',
    ),
    _document(
        "AUTO nests the second table",
        "The columns of the second table stand in an array called as its alias",
        AUTO,
        "SELECT m.Name, g.Name AS Genre FROM Movie AS m, IN_GENRE AS i, Genre AS g "
        "WHERE MATCH(m-(i)->g) AND m.Id IN (3, 4) ORDER BY m.Id, g.Id FOR JSON AUTO",
        '[{"Name":"Dune","g":[{"Genre":"Science Fiction"}]},'
        '{"Name":"Alien","g":[{"Genre":"Science Fiction"},{"Genre":"Horror"}]}]',
    ),
    _document(
        "AUTO keeps equal names of two tables apart",
        "Each table has an object of its own, so a name may stand once in each",
        AUTO,
        "SELECT Movie.Name, Genre.Name FROM Movie, IN_GENRE, Genre WHERE "
        "MATCH(Movie-(IN_GENRE)->Genre) AND Movie.Id IN (3, 4) ORDER BY Movie.Id, Genre.Id "
        "FOR JSON AUTO",
        '[{"Name":"Dune","Genre":[{"Name":"Science Fiction"}]},'
        '{"Name":"Alien","Genre":[{"Name":"Science Fiction"},{"Name":"Horror"}]}]',
    ),
    _document(
        "AUTO nests as the select list is ordered",
        "The shape follows from the order of the columns and their tables",
        AUTO,
        "SELECT g.Name AS Genre, m.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g "
        "WHERE MATCH(m-(i)->g) AND m.Id IN (3, 4) AND g.Id = 1 ORDER BY m.Id FOR JSON AUTO",
        '[{"Genre":"Science Fiction","m":[{"Name":"Dune"},{"Name":"Alien"}]}]',
    ),
    _document(
        "numbers, bits and dates",
        "Numbers are numbers, bit is true or false, dates are strings",
        TYPES,
        "SELECT 1 AS a, CAST(1.50 AS DECIMAL(4, 2)) AS b, CAST(1 AS BIT) AS c, "
        "CAST(0 AS BIT) AS d, CAST('2020-01-02' AS DATE) AS e FOR JSON PATH",
        '[{"a":1,"b":1.50,"c":true,"d":false,"e":"2020-01-02"}]',
    ),
    _document(
        "a moment has a T",
        "A datetime is a string in the form of ISO 8601",
        PATH,
        "SELECT CAST('2011-05-31' AS DATETIME) AS [Order.Date] FOR JSON PATH",
        '[{"Order":{"Date":"2011-05-31T00:00:00"}}]',
    ),
    _document(
        "a slash is escaped",
        "Quotation mark, backslash and slash are escaped in names and in values",
        ESCAPES,
        r"""SELECT 'VALUE\ / "' AS [KEY\/] FOR JSON PATH""",
        r"""[{"KEY\\\/":"VALUE\\ \/ \""}]""",
    ),
    _document(
        "control characters",
        "Tab and new line have an escape of their own, others are written as \\u and four digits",
        ESCAPES,
        "SELECT CONCAT('a', CHAR(9), CHAR(10), CHAR(1), CHAR(31)) AS x FOR JSON PATH",
        '[{"x":"a\\t\\n\\u0001\\u001f"}]',
    ),
    _document(
        "ROOT names the document",
        "ROOT('x') wraps the array in an object with that one property",
        ROOT,
        "SELECT 1 AS a FOR JSON PATH, ROOT('info')",
        '{"info":[{"a":1}]}',
    ),
    _document(
        "ROOT without a name",
        "Without a name the root is called root",
        ROOT,
        "SELECT 1 AS a FOR JSON PATH, ROOT",
        '{"root":[{"a":1}]}',
    ),
    _document(
        "INCLUDE_NULL_VALUES",
        "With the option NULL is written as null",
        NULLS,
        "SELECT 1 AS a, CAST(NULL AS INT) AS b FOR JSON PATH, INCLUDE_NULL_VALUES",
        '[{"a":1,"b":null}]',
    ),
    _document(
        "NULL is left out",
        "Without the option a property that is NULL is left out",
        NULLS,
        "SELECT 1 AS a, CAST(NULL AS INT) AS b FOR JSON PATH",
        '[{"a":1}]',
    ),
    _document(
        "WITHOUT_ARRAY_WRAPPER",
        "The option leaves out the square brackets",
        UNWRAPPED,
        "SELECT 2015 AS year, 12 AS month, 15 AS day FOR JSON PATH, WITHOUT_ARRAY_WRAPPER",
        '{"year":2015,"month":12,"day":15}',
    ),
    _document(
        "WITHOUT_ARRAY_WRAPPER of several rows",
        "Several rows without brackets stand between commas",
        UNWRAPPED,
        "SELECT v.x FROM (VALUES (1), (2)) AS v(x) ORDER BY v.x "
        "FOR JSON PATH, WITHOUT_ARRAY_WRAPPER",
        '{"x":1},{"x":2}',
    ),
    _document(
        "FOR JSON inside FOR JSON",
        "The result of an inner FOR JSON is a nested array, not a string",
        AUTO,
        "SELECT m.Name, (SELECT TOP 5 g.Name FROM IN_GENRE AS i JOIN Genre AS g "
        "ON i.$to_id = g.$node_id WHERE i.$from_id = m.$node_id ORDER BY g.Id FOR JSON PATH) AS g "
        "FROM Movie AS m WHERE m.Id IN (4, 6) ORDER BY m.Id FOR JSON PATH",
        '[{"Name":"Alien","g":[{"Name":"Science Fiction"},{"Name":"Horror"}]},'
        '{"Name":"100% Wolf"}]',
    ),
    _document(
        "an inner document without brackets is text",
        "Without its brackets a document may be no JSON, so the outer FOR JSON escapes it",
        ISSUES,
        "SELECT (SELECT TOP 1 12 AS day FOR JSON PATH, WITHOUT_ARRAY_WRAPPER) AS d FOR JSON PATH",
        r"""[{"d":"{\"day\":12}"}]""",
    ),
    _document(
        "JSON_QUERY makes text JSON",
        "What JSON_QUERY returns is not escaped",
        ISSUES,
        """SELECT '{"day":23}' AS t, JSON_QUERY('{"day":23}') AS j FOR JSON PATH""",
        r"""[{"t":"{\"day\":23}","j":{"day":23}}]""",
    ),
    # JSON_VALUE and JSON_QUERY
    value(f"JSON_VALUE('{INFO}', '$.info.type')", "1", "A number is returned as text", VALUE),
    value(
        f"JSON_VALUE('{INFO}', '$.info.address.town')",
        "Bristol",
        "A path walks from object to object",
        VALUE,
    ),
    value(f"JSON_VALUE('{INFO}', '$.info.tags')", None, "An array is NULL in lax mode", VALUE),
    value(f"JSON_VALUE('{INFO}', '$.info.type[0]')", None, "What is no array has no [0]", VALUE),
    value(f"JSON_VALUE('{INFO}', '$.info.none')", None, "What is missing is NULL", VALUE),
    value(
        f"JSON_VALUE('{INFO}', 'lax $.info.tags[1]')", "Water polo", "Arrays count from 0", PATHS
    ),
    value(f"JSON_VALUE('{PEOPLE}', '$.people[1].surname')", None, "null is NULL", PATHS),
    value(
        """JSON_VALUE('{"a b":{"$c":"x"}}', '$."a b"."$c"')""",
        "x",
        "A key with a blank or a dollar sign stands in quotes",
        PATHS,
    ),
    value(
        """JSON_VALUE('{"n":"John", "n":"Jack"}', '$.n')""",
        "John",
        "Of equal keys the first counts",
        PATHS,
    ),
    value("""JSON_VALUE('{"A":1}', '$.a')""", None, "Keys compare with case", OPENJSON),
    value("""JSON_VALUE('{"a":1.50}', '$.a')""", "1.50", "A value is as it is written", VALUE),
    value("""JSON_VALUE('{"a":true}', '$.a')""", "true", "true is text", VALUE),
    failure(
        f"JSON_VALUE('{INFO}', 'strict $.info.none')",
        "execution_failed",
        "In strict mode a missing property is an error",
        VALUE,
    ),
    failure(
        f"JSON_VALUE('{INFO}', 'strict $.info.tags')",
        "execution_failed",
        "In strict mode what is no scalar is an error",
        VALUE,
    ),
    failure(
        """JSON_VALUE('{"a":', '$.a')""", "conversion_failed", "Text that is no JSON fails", VALUE
    ),
    value(
        f"JSON_QUERY('{INFO}', '$.info.tags')",
        '["Sport", "Water polo"]',
        "A fragment is returned as it is written",
        QUERY,
    ),
    value(f"JSON_QUERY('{INFO}', '$.type')", None, "A scalar is NULL in lax mode", QUERY),
    value("""JSON_QUERY('{ "a": 1 }')""", '{ "a": 1 }', "Without a path: the input", QUERY),
    failure(
        f"JSON_QUERY('{INFO}', 'strict $.type')",
        "execution_failed",
        "In strict mode a scalar is an error",
        QUERY,
    ),
    # ISJSON, JSON_PATH_EXISTS
    value("ISJSON('true', VALUE)", 1, "VALUE tests for any JSON value", ISJSON),
    value("ISJSON('test string', VALUE)", 0, "Text without quotes is no JSON value", ISJSON),
    value("""ISJSON('"test string"', SCALAR)""", 1, "A string is a scalar", ISJSON),
    value("ISJSON('12')", 0, "Without a kind only objects and arrays count", ISJSON),
    value("ISJSON('[1]', OBJECT)", 0, "OBJECT tests for an object", ISJSON),
    value("ISJSON('[1]', ARRAY)", 1, "ARRAY tests for an array", ISJSON),
    value("ISJSON(NULL, VALUE)", None, "NULL gives NULL", ISJSON),
    value(f"JSON_PATH_EXISTS('{INFO}', '$.info.address')", True, "1 where it exists", EXISTS),
    value(f"JSON_PATH_EXISTS('{INFO}', '$.info.addresses')", False, "0 where not", EXISTS),
    value("JSON_PATH_EXISTS(NULL, '$.a')", None, "NULL gives NULL", EXISTS),
    # JSON_OBJECT and JSON_ARRAY
    value("JSON_OBJECT()", "{}", "Without pairs an empty object", OBJECT),
    value(
        "JSON_OBJECT('name':'value', 'type':1)",
        '{"name":"value","type":1}',
        "Values have the types of FOR JSON",
        OBJECT,
    ),
    value(
        "JSON_OBJECT('name':'value', 'type':NULL)",
        '{"name":"value","type":null}',
        "By default NULL is written as null",
        OBJECT,
    ),
    value(
        "JSON_OBJECT('name':'value', 'type':NULL ABSENT ON NULL)",
        '{"name":"value"}',
        "ABSENT ON NULL leaves the key out",
        OBJECT,
    ),
    value(
        "JSON_OBJECT('name':'value', 'type':JSON_ARRAY(1, 2))",
        '{"name":"value","type":[1,2]}',
        "What another of these functions makes is nested",
        OBJECT,
    ),
    value("JSON_ARRAY()", "[]", "Without values an empty array", ARRAY),
    value("JSON_ARRAY('a', 1, 'b', 2)", '["a",1,"b",2]', "One element a value", ARRAY),
    value("JSON_ARRAY('a', 1, 'b', NULL)", '["a",1,"b"]', "By default NULL is left out", ARRAY),
    value(
        "JSON_ARRAY('a', 1, NULL, 2 NULL ON NULL)",
        '["a",1,null,2]',
        "NULL ON NULL writes null",
        ARRAY,
    ),
    value(
        "JSON_ARRAY('a', JSON_OBJECT('name':'value', 'type':1))",
        '["a",{"name":"value","type":1}]',
        "An object nests in an array",
        ARRAY,
    ),
    # JSON_MODIFY
    value(
        f"JSON_MODIFY('{JOHN}', '$.name', 'Mike')",
        '{"name":"Mike","skills":["C#","SQL"]}',
        "An existing value is replaced",
        MODIFY,
    ),
    value(
        f"JSON_MODIFY('{JOHN}', '$.surname', 'Smith')",
        '{"name":"John","skills":["C#","SQL"],"surname":"Smith"}',
        "In lax mode a missing key is added",
        MODIFY,
    ),
    value(
        f"JSON_MODIFY('{JOHN}', '$.name', NULL)",
        '{"skills":["C#","SQL"]}',
        "In lax mode NULL removes the key",
        MODIFY,
    ),
    value(
        f"JSON_MODIFY('{JOHN}', 'append $.skills', 'Azure')",
        '{"name":"John","skills":["C#","SQL","Azure"]}',
        "append puts the value at the end of an array",
        MODIFY,
    ),
    value(
        f"JSON_MODIFY('{JOHN}', 'strict $.name', NULL)",
        '{"name":null,"skills":["C#","SQL"]}',
        "In strict mode NULL becomes null",
        MODIFY,
    ),
    value(
        """JSON_MODIFY('{"n":173}', '$.n', CAST(JSON_VALUE('{"n":173}', '$.n') AS INT) + 1)""",
        '{"n":174}',
        "A number stays a number",
        MODIFY,
    ),
    value(
        f"""JSON_MODIFY('{JOHN}', '$.skills', JSON_QUERY('["T-SQL"]'))""",
        '{"name":"John","skills":["T-SQL"]}',
        "What JSON_QUERY returns is not escaped",
        MODIFY,
    ),
    failure(
        f"JSON_MODIFY('{JOHN}', 'strict $.surname', 'Smith')",
        "execution_failed",
        "In strict mode a missing key is an error",
        MODIFY,
    ),
    # OPENJSON
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
    Case(
        "OPENJSON under OUTER APPLY",
        "OUTER APPLY keeps rows whose right side is empty",
        "t-sql/queries/from-transact-sql",
        "SELECT v.x, j.value FROM (VALUES (1, '[\"a\"]'), (2, '[]')) AS v(x, t) "
        "OUTER APPLY OPENJSON(v.t) AS j ORDER BY v.x",
        ((1, "a"), (2, None)),
    ),
    Case(
        "a key as often as it stands",
        "OPENJSON returns equal keys each for itself",
        ISSUES,
        """SELECT j.value FROM OPENJSON('{"c":"red","c":"blue","d":"x"}') AS j """
        "WHERE j.[key] = 'c' ORDER BY j.value",
        (("blue",), ("red",)),
    ),
    # STRING_SPLIT, GENERATE_SERIES
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
    # TRIM
    value("TRIM('     test    ')", "test", "Blanks go from both ends", TRIM),
    value(
        "TRIM('.,! ' FROM '     #     test    .')",
        "#     test",
        "Each of the characters goes from both ends",
        TRIM,
    ),
    value(
        "TRIM(LEADING '.,! ' FROM '     .#     test    .')",
        "#     test    .",
        "LEADING takes from the start alone",
        TRIM,
    ),
    value(
        "TRIM(TRAILING '.,! ' FROM '     .#     test    .')",
        "     .#     test",
        "TRAILING takes from the end alone",
        TRIM,
    ),
    value("TRIM(BOTH '123' FROM '123abc123')", "abc", "BOTH is what is done anyway", TRIM),
    value("LTRIM('123abc.', '123.')", "abc.", "The second argument lists the characters", LTRIM),
    value("RTRIM('.123abc.', 'abc.')", ".123", "The second argument lists the characters", RTRIM,
          gaps={"embedded": "whether a letter stands for its other case is not documented"}),
)  # fmt: skip
