import pytest
from golden.decisions import allowed, refused


@pytest.mark.parametrize(
    ("sql_text", "rendered"),
    [
        pytest.param("TRIM( Name )", "TRIM([Name])", id="trim"),
        pytest.param("trim('x' from Name)", "TRIM('x' FROM [Name])", id="trim characters"),
        pytest.param(
            "TRIM('x' FROM (SELECT TOP 1 Name FROM Genre))",
            "TRIM('x' FROM (SELECT TOP 1 [Name] FROM [dbo].[Genre]))",
            id="trim a subquery",
        ),
    ],
)
def test_a_syntax_of_its_own_is_written_back(sql_text: str, rendered: str) -> None:
    decision = allowed(f"SELECT {sql_text} AS x FROM Movie")
    assert decision.sql == f"SELECT TOP 20 {rendered} AS [x] FROM [dbo].[Movie]"


@pytest.mark.parametrize(
    "expression",
    [
        "TRIM(Name, 'x')",
        "TRIM(LEADING 'x' FROM Name)",
        "LEN('a': 1)",
        "LEN('a': 1)",
    ],
)
def test_a_syntax_that_is_none_is_refused(expression: str) -> None:
    assert refused(f"SELECT {expression} AS x FROM Movie").code == "syntax"


@pytest.mark.parametrize("call", ["JSON_ARRAY(1, 2)", "JSON_OBJECT('a', 1)"])
def test_a_constructor_of_json_is_refused_with_what_to_write(call: str) -> None:
    decision = refused(f"SELECT {call} AS x FROM Movie")
    assert decision.code == "unknown_function"
    assert "FOR JSON PATH" in decision.message


def test_isjson_takes_no_kind() -> None:
    assert refused("SELECT ISJSON(Name, ARRAY) AS x FROM Movie").code == "wrong_arguments"
