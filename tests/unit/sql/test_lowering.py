import pytest
from golden.decisions import allowed, refused

from moviegraph.sql.functions import FOREIGN, FUNCTIONS, LEFT_OUT


@pytest.mark.parametrize(
    "sql_text",
    [
        "DATENAME(dw, GETDATE())",
        "DATEDIFF(day, '2020-01-01', GETDATE())",
        "DATEPART(dw, GETDATE())",
        "DATETRUNC(month, GETDATE())",
        "FORMAT(GETDATE(), 'yyyy')",
        "SQUARE(3)",
        "LOG10(100)",
        "LOG(8, 2)",
        "SYSDATETIME()",
        "JSON_QUERY('{}')",
        "LEN('a')",
        "SUBSTRING('abc', 1, 2)",
        "ISNULL(NULL, 1)",
        "CHARINDEX('a', 'b')",
        "LEFT('abc', 1)",
        "REPLACE('a', 'b', 'c')",
        "CONCAT('a', 'b')",
        "MAX(1)",
        "COUNT_BIG(*)",
        "STDEV(1)",
        "CONVERT(CHAR(8), GETDATE(), 112)",
        "TRY_CONVERT(VARCHAR(10), 1)",
        "CAST(1 AS CHAR(3))",
        "CAST(1 AS VARCHAR(MAX))",
        "CAST(1 AS FLOAT(24))",
        "TRY_CAST('1' AS BIGINT)",
        "CHAR(65)",
        "NCHAR(65)",
        "IIF(1 = 1, 1, 2)",
        "CHOOSE(1, 'a', 'b')",
        "STUFF('abc', 1, 1, 'x')",
        "YEAR(GETDATE())",
        "EOMONTH(GETDATE())",
        "PATINDEX('%a%', 'a')",
        "1 - -1",
        "(1 + 2) * 3",
        "1 | 2 & 3 ^ 4",
    ],
)
def test_functions_and_operators_come_out_as_they_were_written(sql_text: str) -> None:
    assert f"SELECT TOP 20 {sql_text} AS [x]" in allowed(f"SELECT {sql_text} AS x").sql


@pytest.mark.parametrize(
    ("sql_text", "canonical"),
    [
        pytest.param("CURRENT_TIMESTAMP", "GETDATE()", id="current_timestamp"),
        pytest.param("CAST(1 AS REAL)", "CAST(1 AS FLOAT(24))", id="real"),
        pytest.param("CONVERT(REAL, 1)", "CONVERT(FLOAT(24), 1)", id="real in convert"),
        pytest.param("DATEADD(YEAR, 1, GETDATE())", "DATEADD(year, 1, GETDATE())", id="datepart"),
        pytest.param("CAST(1 AS INTEGER)", "CAST(1 AS INT)", id="integer"),
        pytest.param("CAST(1 AS NUMERIC(5, 2))", "CAST(1 AS DECIMAL(5, 2))", id="numeric"),
        pytest.param(".5", "0.5", id="fraction"),
        pytest.param("CURRENT_DATE", "CAST(GETDATE() AS DATE)", id="current date"),
    ],
)
def test_synonyms_of_tsql_mean_the_same(sql_text: str, canonical: str) -> None:
    assert allowed(f"SELECT {sql_text} AS x").sql == f"SELECT TOP 20 {canonical} AS [x]"


@pytest.mark.parametrize(
    ("sql_text", "canonical"),
    [
        pytest.param("Id !< 3", "[Id] >= 3", id="not less"),
        pytest.param("Id !> 3", "[Id] <= 3", id="not greater"),
        pytest.param("Id != 3", "[Id] <> 3", id="unequal"),
        pytest.param("Id > SOME (SELECT 1)", "[Id] > ANY (SELECT 1)", id="some"),
        pytest.param("Id IS NOT NULL", "NOT [Id] IS NULL", id="is not null"),
    ],
)
def test_synonyms_in_conditions_mean_the_same(sql_text: str, canonical: str) -> None:
    assert allowed(f"SELECT Name FROM Movie WHERE {sql_text}").sql.endswith(f"WHERE {canonical}")


def test_a_frame_with_one_bound_ends_at_the_current_row() -> None:
    sql = "SELECT SUM(Id) OVER (ORDER BY Id ROWS 2 PRECEDING) AS x FROM Movie"
    assert "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW" in allowed(sql).sql


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("LENGTH", "LEN"),
        ("SUBSTR", "SUBSTRING"),
        ("IFNULL", "COALESCE"),
        ("NOW", "GETDATE"),
        ("GROUP_CONCAT", "STRING_AGG"),
        ("CEIL", "CEILING"),
        ("LPAD", "REPLICATE"),
        ("LAST_DAY", "EOMONTH"),
        ("TIME_BUCKET", "DATETRUNC"),
        ("REGEXP_EXTRACT", "REGEXP_SUBSTR"),
        ("STR_TO_DATE", "CAST"),
        ("MONTHS_BETWEEN", "DATEDIFF"),
    ],
)
def test_a_foreign_function_is_answered_with_the_right_one(name: str, instead: str) -> None:
    decision = refused(f"SELECT {name}(Name) FROM Movie")
    assert decision.code == "unknown_function"
    assert f"write {instead} instead" in decision.message
    assert decision.suggestions[0] == instead


@pytest.mark.parametrize(
    ("name", "nearest_name"),
    [("SUBSTRNG", "SUBSTRING"), ("CHAR_INDEX", "CHARINDEX"), ("ROUND_UP", "ROUND")],
)
def test_an_unknown_function_is_answered_with_the_nearest_name(
    name: str, nearest_name: str
) -> None:
    decision = refused(f"SELECT {name}(Name) FROM Movie")
    assert f"the nearest name is {nearest_name}" in decision.message
    assert decision.suggestions[0] == nearest_name


@pytest.mark.parametrize(
    ("name", "message"),
    [("WIDTH_BUCKET", "x / 100"), ("JSON_TABLE", "OPENJSON"), ("TANH", "EXP(2 * x)")],
)
def test_a_function_without_a_counterpart_is_answered_with_what_comes_to_the_same(
    name: str, message: str
) -> None:
    decision = refused(f"SELECT {name}(Name) FROM Movie")
    assert decision.code == "unknown_function"
    assert message in decision.message
    assert not decision.suggestions


@pytest.mark.parametrize(
    ("name", "instead"),
    [("NEWID", "order by a column"), ("PARSE", "CAST"), ("EDIT_DISTANCE", "FREETEXT")],
)
def test_a_function_of_t_sql_that_is_left_out_says_why(name: str, instead: str) -> None:
    decision = refused(f"SELECT {name}(Name) FROM Movie")
    assert decision.code == "unknown_function"
    assert instead in decision.message


def test_what_a_foreign_function_is_answered_with_is_t_sql() -> None:
    assert set(FOREIGN.values()) <= {*FUNCTIONS, "CAST", "TRY_CAST"}
    assert not {*FOREIGN, *LEFT_OUT} & set(FUNCTIONS)


@pytest.mark.parametrize(
    ("sql", "advice"),
    [
        pytest.param("SELECT Name FROM Movie WHERE Name ILIKE 'x'", "LIKE", id="ilike"),
        pytest.param("SELECT m.Name FROM Movie m JOIN Genre g USING (Id)", "ON a.Id", id="using"),
        pytest.param("SELECT 1 FROM Movie m, LATERAL (SELECT 1) x", "CROSS APPLY", id="lateral"),
        pytest.param("SELECT Name FROM Movie ORDER BY Name NULLS LAST", "CASE WHEN", id="nulls"),
        pytest.param("SELECT COUNT(*) FILTER (WHERE Id > 1) FROM Movie", "CASE WHEN", id="filter"),
        pytest.param("SELECT Id MOD 2 FROM Movie WHERE Id MOD 2 = 1", "a % b", id="mod"),
        pytest.param("SELECT Id << 2 FROM Movie", "power of two", id="shift"),
        pytest.param("SELECT GETDATE() AT TIME ZONE 'UTC'", "DATEADD", id="time zone"),
        pytest.param("SELECT DATE '2020-01-01' FROM Movie", "'2020-01-31'", id="date literal"),
        pytest.param('SELECT Id FROM Movie WHERE Name = "Alien"', "N'Alien'", id="double quotes"),
    ],
)
def test_a_word_of_another_dialect_is_answered_with_its_tsql(sql: str, advice: str) -> None:
    assert advice in refused(sql).message


@pytest.mark.parametrize("word", ["SHUTDOWN", "RETURN", "COMMIT", "DELETE", "THROW", "PRINT"])
def test_a_statement_word_is_an_alias_only_in_brackets_or_after_as(word: str) -> None:
    assert refused(f"SELECT Name FROM Movie {word}").code == "multiple_statements"
    assert allowed(f"SELECT Name FROM Movie [{word}]").sql.endswith(f"AS [{word}]")
    noted = allowed(f"SELECT Name FROM Movie AS {word}")
    assert noted.sql.endswith(f"AS [{word}]")
    assert any(word in note and "brackets" in note for note in noted.notes)


@pytest.mark.parametrize(
    "name", ["language", "path", "first", "value", "level", "type", "rank", "match", "limit"]
)
def test_words_that_are_not_reserved_may_be_names(name: str) -> None:
    sql = f"SELECT x.{name} FROM (SELECT Name AS {name} FROM Movie) AS x ORDER BY {name}"
    assert f"[{name}]" in allowed(sql).sql


@pytest.mark.parametrize(
    "arrow",
    [
        "m-(i)->g",
        "m -(i)-> g",
        "m - ( i ) - > g",
        "[m]-([i])->[g]",
        "g<-(i)-m",
        "g < - ( i ) - m",
        "M-(I)->G",
    ],
)
def test_arrows_are_read_in_any_spacing_and_both_directions(arrow: str) -> None:
    decision = allowed(
        f"SELECT g.Name FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH({arrow})"
    )
    (hop,) = decision.matches[0].chains[0].hops()
    assert tuple(map(str.lower, hop)) == ("i", "m", "g")


@pytest.mark.parametrize(
    "inside",
    ["", "m", "m-(i)", "m-(i)->", "m-(i)-g", "m-(i)->g,", "-(i)->g", "m->g", "m-(i)->'g'"],
)
def test_a_broken_match_shows_its_form(inside: str) -> None:
    decision = refused(f"SELECT 1 FROM Movie m, IN_GENRE i, Genre g WHERE MATCH({inside})")
    assert decision.code == "match_syntax"
    assert "a-(e)->b" in decision.message
