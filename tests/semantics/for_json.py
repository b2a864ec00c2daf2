"""FOR JSON: the document that rows become."""

from semantics.case import Case

DOCUMENTS = "relational-databases/json/"
PATH = f"{DOCUMENTS}format-nested-json-output-with-path-mode-sql-server"
AUTO = f"{DOCUMENTS}format-json-output-automatically-with-auto-mode-sql-server"
TYPES = f"{DOCUMENTS}how-for-json-converts-sql-server-data-types-to-json-data-types-sql-server"
ESCAPES = f"{DOCUMENTS}how-for-json-escapes-special-characters-and-control-characters-sql-server"
ROOT = f"{DOCUMENTS}add-a-root-node-to-json-output-with-the-root-option-sql-server"
NULLS = f"{DOCUMENTS}include-null-values-in-json-include-null-values-option"
UNWRAPPED = f"{DOCUMENTS}remove-square-brackets-from-json-without-array-wrapper-option"
ISSUES = f"{DOCUMENTS}solve-common-issues-with-json-in-sql-server"


def _document(name: str, rule: str, source: str, sql: str, expected: str) -> Case:
    return Case(name, rule, source, sql, ((expected,),))


CASES: tuple[Case, ...] = (
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
        "AUTO of one table lays a computed column beside the others",
        "With one table AUTO makes no nested objects",
        AUTO,
        "SELECT m.Id, m.Id + 1 AS n FROM Movie AS m WHERE m.Id = 4 FOR JSON AUTO",
        '[{"Id":4,"n":5}]',
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
)
