"""Each mutation of the mutation check still finds its text, and tests that can detect it."""

from pathlib import Path

import pytest
from scripts.mutations import MUTATIONS, Mutation

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("mutation", [pytest.param(item, id=item.name) for item in MUTATIONS])
def test_a_mutation_has_its_text_and_its_tests(mutation: Mutation) -> None:
    assert mutation.before in (ROOT / mutation.file).read_text(encoding="utf-8")
    assert (ROOT / mutation.tests).exists()
