from collections.abc import Callable, Iterator

import pytest
from fakes.toy_graph import toy_contract
from golden.server_texts import FILES, HERE, load_texts, tool_texts


@pytest.mark.slow("long")
@pytest.mark.parametrize("file", FILES)
def test_what_is_made_is_what_was_read_with_the_grammar_of_the_server(file: str) -> None:
    assert FILES[file]() == (HERE / file).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(load_texts, id="load"),
        pytest.param(tool_texts, id="tools", marks=pytest.mark.slow("long")),
    ],
)
def test_no_text_has_more_parameters_than_its_one_document(
    texts: Callable[..., Iterator[tuple[str, str]]],
) -> None:
    for name, sql in texts(toy_contract()):
        assert sql.count("?") <= 1, name
        if "?" in sql:
            assert "NVARCHAR(MAX) = ?;" in sql.splitlines()[0], name
