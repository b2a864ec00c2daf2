import pytest
from fakes.toy_graph import toy_contract
from golden.server_texts import FILES, HERE, file_text


@pytest.mark.parametrize("file", FILES)
def test_what_is_sent_is_what_was_read_with_the_grammar_of_the_server(file: str) -> None:
    assert file_text(FILES[file](toy_contract())) == (HERE / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FILES)
def test_no_text_holds_anything_that_a_parameter_should_carry(file: str) -> None:
    for name, sql in FILES[file](toy_contract()):
        assert sql.count("?") <= 1, name
        if "?" in sql:
            assert "DECLARE @" in sql.partition("?")[0].splitlines()[-1]
            assert "NVARCHAR(MAX) = ?" in sql
