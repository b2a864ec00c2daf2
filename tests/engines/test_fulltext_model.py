"""Conditions against their definition: every choice of places, tried one by one."""

from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise, product
from random import Random

import numpy as np
import pytest
from fakes.limits import budget
from hypothesis import given
from hypothesis import strategies as st

from moviegraph.contract.model import Contract
from moviegraph.engines.embedded.fulltext_index import FulltextIndex
from moviegraph.engines.embedded.graph_builder import ignore_progress, write_fulltext
from moviegraph.engines.embedded.graph_folder import graph_files
from moviegraph.engines.embedded.interrupts import watched
from moviegraph.engines.graph_records import NodeColumns
from moviegraph.sql.contains import (
    STOP_WORDS,
    AllOf,
    AnyOf,
    Condition,
    Near,
    Phrase,
    Weighted,
    is_void,
    parse_contains,
)

WORDS = "sun sunny song moon moons ran run the of".split()
FORMS = {"run": {"run", "ran"}, "moon": {"moon", "moons"}, "sun": {"sun"}}
FILMS = 150


def texts() -> list[str]:
    random = Random(7)
    return [" ".join(random.choices(WORDS, k=random.randint(2, 9))) for _ in range(FILMS)]


TEXTS = texts()


@pytest.fixture(scope="module")
def index(contract: Contract, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FulltextIndex]:
    path = tmp_path_factory.mktemp("model") / "fulltext.sqlite"
    films = contract.nodes[0]
    ids = np.arange(FILMS, dtype=np.int64)
    columns = NodeColumns(
        films, ids, ids, np.full(FILMS, "", dtype=object), np.array(TEXTS, dtype=object), {}
    )
    write_fulltext(path, [columns], ignore_progress)
    with closing(FulltextIndex(graph_files(path.parent, contract))) as index:
        yield index


def fits(phrase: Phrase, word: str, stored: str) -> bool:
    if stored in STOP_WORDS:
        return False
    if phrase.kind == "prefix":
        return stored.startswith(word)
    return stored in FORMS[word] if phrase.kind == "forms" else stored == word


def spans(phrase: Phrase, words: list[str]) -> list[tuple[int, int]]:
    long = len(phrase.words)
    return [
        (at, at + long - 1)
        for at in range(len(words) - long + 1)
        if all(not word or fits(phrase, word, words[at + n]) for n, word in enumerate(phrase.words))
    ]


def holds_near(condition: Near, words: list[str]) -> bool:
    for chosen in product(*(spans(term, words) for term in condition.terms)):
        ordered = sorted(chosen)
        apart = all(a[1] < b[0] for a, b in pairwise(ordered))
        covered = sum(last - first + 1 for first, last in chosen)
        gaps = ordered[-1][1] - ordered[0][0] + 1 - covered
        close = condition.distance is None or gaps <= condition.distance
        if apart and close and (not condition.ordered or ordered == list(chosen)):
            return True
    return False


def holds(condition: Condition, words: list[str]) -> bool:
    if is_void(condition):
        return False
    match condition:
        case Phrase():
            return bool(spans(condition, words))
        case Near():
            return holds_near(condition, words)
        case AllOf():
            return all(holds(term, words) for term in condition.terms) and not any(
                holds(term, words) for term in condition.without
            )
        case AnyOf():
            return any(holds(term, words) for term in condition.terms)
        case Weighted():
            return any(holds(term, words) for term, _ in condition.terms)


SIMPLE = st.sampled_from(["sun", "moon", '"sun moon"', '"sun the song"', '"song of"', '"run moon"'])
PREFIX = st.sampled_from(['"su*"', '"so*"', '"s* m*"', '"m*"', '"t*"', '"sunny*"'])
TERM = st.one_of(SIMPLE, PREFIX)
FORM = st.sampled_from(["run", "moon", "sun", '"run sun"', '"moon the run"']).map(
    "FORMSOF(INFLECTIONAL, {})".format
)
LIMITS = st.sampled_from(["0", "1", "2", "4", "MAX", "1, TRUE", "3, TRUE", "MAX, TRUE"])
TERMS = st.lists(TERM, min_size=2, max_size=3).map(", ".join)
PROXIMITY = st.builds("NEAR(({}), {})".format, TERMS, LIMITS)
LEAF = st.one_of(TERM, FORM, PROXIMITY, st.just("the"))
CONDITIONS = st.recursive(
    LEAF,
    lambda inner: st.builds(
        "({} {} {})".format, inner, st.sampled_from(["AND", "OR", "AND NOT"]), inner
    ),
    max_leaves=4,
)


@given(CONDITIONS)
def test_a_condition_finds_what_its_definition_says(index: FulltextIndex, text: str) -> None:
    condition = parse_contains(text)
    expected = [number for number, film in enumerate(TEXTS) if holds(condition, film.split())]
    with watched(budget(seconds=120)) as stop:
        for ranked in (False, True):
            hits = index.contains("Movie", ("Content",), condition, ranked=ranked, stop=stop)
            assert hits.ids.tolist() == expected
            assert all(0 <= rank <= 1000 for rank in hits.ranks.tolist())
