"""JSON_VALUE, JSON_QUERY, ISJSON and JSON_MODIFY."""

from semantics.case import Case, failure, value

FUNCTIONS = "t-sql/functions/"
DOCUMENTS = "relational-databases/json/"
ISSUES = f"{DOCUMENTS}solve-common-issues-with-json-in-sql-server"
PATHS = f"{DOCUMENTS}json-path-expressions-sql-server"
VALUE = f"{FUNCTIONS}json-value-transact-sql"
QUERY = f"{FUNCTIONS}json-query-transact-sql"
ISJSON = f"{FUNCTIONS}isjson-transact-sql"
MODIFY = f"{FUNCTIONS}json-modify-transact-sql"
INFO = (
    '{"info":{"type":1,"address":{"town":"Bristol","county":"Avon"},'
    '"tags":["Sport", "Water polo"]},"type":"Basic"}'
)
TOWNS = '{"info":{"address":[{"town":"Paris"},{"city":"London"}]}}'
PEOPLE = '{"people":[{"name":"John"},{"name":"Jane","surname":null}]}'

CASES: tuple[Case, ...] = (
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
    value("ISJSON('12')", 0, "Without a kind only objects and arrays count", ISJSON),
    *(
        failure(
            f"{name}('{TOWNS}', '{path}')",
            "execution_failed",
            "Array wildcards are supported only if the input is a json type",
            PATHS,
        )
        for name, path in (
            ("JSON_VALUE", "$.info.address[*].town"),
            ("JSON_VALUE", "$.info.address[last].town"),
            ("JSON_QUERY", "$.info.address[0 to 1]"),
        )
    ),
    failure(
        "JSON_VALUE('{\"a\":1}', 'append $.a')",
        "execution_failed",
        "append is a word of JSON_MODIFY",
        MODIFY,
    ),
    # JSON_MODIFY
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
)
