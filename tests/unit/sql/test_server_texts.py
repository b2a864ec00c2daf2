import pytest
from fakes.toy_graph import toy_contract
from golden.server_texts import FILES, FOLDER, load_texts


@pytest.mark.slow("long")
@pytest.mark.parametrize("file", FILES)
def test_what_is_made_is_what_was_read_with_the_grammar_of_the_server(file: str) -> None:
    assert FILES[file]() == (FOLDER / file).read_text(encoding="utf-8")


def test_no_text_of_a_load_has_more_parameters_than_its_one_document() -> None:
    for name, sql in load_texts(toy_contract()):
        assert sql.count("?") <= 1, name
        if "?" in sql:
            assert "NVARCHAR(MAX) = ?;" in sql.splitlines()[0], name
