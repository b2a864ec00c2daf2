import pytest
from golden.decisions import allowed, refused


@pytest.mark.parametrize(
    ("written", "rendered"),
    [
        pytest.param("TRIM( Name )", "TRIM([Name])", id="trim"),
        pytest.param("trim('x' from Name)", "TRIM('x' FROM [Name])", id="trim characters"),
        pytest.param(
            "TRIM(leading 'x' FROM Name)", "TRIM(LEADING 'x' FROM [Name])", id="trim one side"
        ),
        pytest.param(
            "TRIM('x' FROM (SELECT TOP 1 Name FROM Genre))",
            "TRIM('x' FROM (SELECT TOP 1 [Name] FROM [dbo].[Genre]))",
            id="trim a subquery",
        ),
        pytest.param("JSON_OBJECT()", "JSON_OBJECT()", id="no pairs"),
        pytest.param(
            "JSON_OBJECT('a':Id,'b' : Name)", "JSON_OBJECT('a': [Id], 'b': [Name])", id="pairs"
        ),
        pytest.param(
            "JSON_OBJECT('a': JSON_OBJECT('b': ISNULL(Id, 1)) ABSENT ON NULL)",
            "JSON_OBJECT('a': JSON_OBJECT('b': ISNULL([Id], 1)) ABSENT ON NULL)",
            id="nested",
        ),
        pytest.param("JSON_ARRAY(NULL ON NULL)", "JSON_ARRAY(NULL ON NULL)", id="clause alone"),
        pytest.param(
            "JSON_ARRAY(1, NULL NULL ON NULL)", "JSON_ARRAY(1, NULL NULL ON NULL)", id="clause"
        ),
        pytest.param("ISJSON(Name, scalar)", "ISJSON([Name], SCALAR)", id="kind"),
    ],
)
def test_a_syntax_of_its_own_is_written_back(written: str, rendered: str) -> None:
    decision = allowed(f"SELECT {written} AS x FROM Movie")
    assert decision.sql == f"SELECT TOP 20 {rendered} AS [x] FROM [dbo].[Movie]"


@pytest.mark.parametrize(
    "expression",
    [
        "TRIM(Name, 'x')",
        "TRIM('x' FROM 'y' FROM Name)",
        "TRIM(LEADING Name)",
        "JSON_OBJECT('a')",
        "JSON_OBJECT('a', 1)",
        "JSON_OBJECT('a': 1 'b': 2)",
        "JSON_OBJECT('a': 1: 2)",
        "JSON_OBJECT('a': 1,)",
        "JSON_OBJECT(ABSENT ON NULL 'a': 1)",
        "JSON_ARRAY('a': 1)",
        "JSON_ARRAY(1 NULL ON NULL, 2)",
        "LEN('a': 1)",
    ],
)
def test_a_syntax_that_is_none_is_refused(expression: str) -> None:
    assert refused(f"SELECT {expression} AS x FROM Movie").code == "syntax"


@pytest.mark.parametrize("kind", ["ARRAYS", "'ARRAY'", "1", "Name"])
def test_isjson_takes_a_kind_as_a_word(kind: str) -> None:
    assert refused(f"SELECT ISJSON(Name, {kind}) AS x FROM Movie").code == "wrong_arguments"
