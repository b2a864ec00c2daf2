import re
import unicodedata

import pytest
from fakes.cookbook import cookbook_contract
from fakes.toy_graph import toy_contract
from golden.server_texts import reader_batches

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.sqlserver.mssql_reader import MARKS
from moviegraph.names import fold_name

CONTRACTS = {"movies": load_contract, "kitchen": toy_contract, "cookbook": cookbook_contract}


@pytest.fixture(params=CONTRACTS)
def contract(request: pytest.FixtureRequest) -> Contract:
    return CONTRACTS[request.param]()


def test_every_parameter_fills_a_variable_that_the_statement_uses(contract: Contract) -> None:
    for node in contract.nodes:
        for name, batch in reader_batches(contract, node):
            prelude, declared, *more_lines = batch.text.split("\n")
            assert prelude.startswith("SET NOCOUNT ON;"), name
            assert declared.count("?") == len(batch.parameters), name
            assert "?" not in "".join(more_lines), name
            variables = re.findall(r"@(\w+) [A-Z]", declared)
            assert len(set(variables)) == len(batch.parameters), name
            assert all(f"@{variable}" in "".join(more_lines) for variable in variables), name


def test_the_texts_are_ascii_but_for_judged_conditions(contract: Contract) -> None:
    for name, batch in reader_batches(contract, contract.nodes[0]):
        assert batch.text.replace("N'é'", "").isascii(), name


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("Amélie, or: what?", id="accents"),
        pytest.param("Ocean\u2019s \u201cEleven\u201d \u2026 12 \u2013 13", id="typography"),
        pytest.param("WALL·E \u00d7 2", id="signs"),
        pytest.param("ドラえもん・のび太「鉄」", id="japanese"),
        pytest.param("\uff26\uff55\uff4c\uff4c\uff01 \uff03\uff11", id="full width"),
    ],
)
def test_without_marks_a_name_is_compared_as_when_it_is_folded(name: str) -> None:
    bare = name.translate(dict.fromkeys(map(ord, MARKS)))
    decomposed = unicodedata.normalize("NFKD", bare.casefold())
    assert not re.search(r"[\W_]", re.sub("[\u0300-\u036f\u3099\u309a]", "", decomposed))
    assert fold_name(bare) == fold_name(name)
