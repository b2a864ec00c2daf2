import pytest
from golden.decisions import allowed, refused


def test_the_default_columns_are_key_value_and_type() -> None:
    outputs = allowed("SELECT * FROM OPENJSON('[1]') AS j").outputs
    assert [out.name for out in outputs] == ["key", "value", "type"]


def test_columns_of_one_s_own_have_types_and_paths() -> None:
    decision = allowed(
        "SELECT * FROM OPENJSON('[]', '$.a') WITH ([Order] NVARCHAR(MAX) AS JSON, "
        "n NVARCHAR(20) '$.b.c', d DECIMAL(10, 2), r REAL) AS j"
    )
    assert [out.name for out in decision.outputs] == ["Order", "n", "d", "r"]
    assert decision.sql.endswith(
        "FROM OPENJSON('[]', '$.a') WITH ([Order] NVARCHAR(MAX) AS JSON, [n] NVARCHAR(20) "
        "'$.b.c', [d] DECIMAL(10, 2), [r] FLOAT(24)) AS [j]"
    )


def test_apply_sees_the_columns_beside_it() -> None:
    decision = allowed("SELECT j.value FROM Movie AS m CROSS APPLY OPENJSON(m.Content) AS j")
    assert "CROSS APPLY OPENJSON([m].[Content]) AS [j]" in decision.sql


@pytest.mark.parametrize(
    ("source", "code"),
    [
        pytest.param("Movie AS m, OPENJSON(m.Content) AS j", "unknown_alias", id="comma"),
        pytest.param("OPENJSON('[]', 1) AS j", "syntax", id="path that is no text"),
        pytest.param("OPENJSON('[]') WITH (a INT AS JSON) AS j", "syntax", id="JSON number"),
        pytest.param("OPENJSON('[]') WITH (a SYSNAME) AS j", "not_allowed", id="type"),
        pytest.param("OPENJSON('[]') WITH (a INT, a INT) AS j", "syntax", id="two of a name"),
        pytest.param("OPENJSON('[]') WITH () AS j", "syntax", id="no columns"),
        pytest.param("OPENJSON('[]') WITH (a INT '$.a' '$.b') AS j", "syntax", id="two paths"),
        pytest.param("OPENJSON('[]') WITH (NOLOCK) AS j", "syntax", id="hint"),
        pytest.param("OPENJSON('[]') AS j WITH (NOLOCK)", "not_allowed", id="hint behind"),
        pytest.param("OPENJSON('[]') AS j(a)", "syntax", id="column list"),
    ],
)
def test_what_openjson_cannot_take_is_refused(source: str, code: str) -> None:
    assert refused(f"SELECT 1 AS x FROM {source}").code == code


@pytest.mark.parametrize(
    ("source", "code"),
    [
        pytest.param("GENERATE_SERIES(1, 10001)", "too_large", id="long"),
        pytest.param("GENERATE_SERIES(1, 2, 0)", "wrong_arguments", id="no step"),
        pytest.param("GENERATE_SERIES(1, 2.5)", "wrong_arguments", id="two types"),
        pytest.param("GENERATE_SERIES(1, LEN('x'))", "wrong_arguments", id="computed"),
        pytest.param("GENERATE_SERIES('a', 'b')", "wrong_arguments", id="text"),
        pytest.param("STRING_SPLIT('a', '--')", "wrong_arguments", id="two characters"),
        pytest.param("STRING_SPLIT('a', '-', 2)", "wrong_arguments", id="ordinal"),
    ],
)
def test_rows_made_of_nothing_are_bounded(source: str, code: str) -> None:
    assert refused(f"SELECT s.value FROM {source} AS s").code == code


@pytest.mark.parametrize(
    "select",
    [
        "SELECT COUNT(*) FROM Movie FOR JSON PATH",
        "SELECT Id AS a, Name AS a FROM Movie FOR JSON PATH",
        "SELECT 1 AS a FOR JSON AUTO",
        "SELECT 1 AS a FOR JSON PATH, ROOT('x'), WITHOUT_ARRAY_WRAPPER",
        "SELECT 1 AS a FOR JSON ROOT('x')",
    ],
)
def test_for_json_that_sql_server_fails_is_refused(select: str) -> None:
    assert refused(select).code == "syntax"
