from dataclasses import replace

import pytest
from fakes.sessions import call, column, scripted_session

from moviegraph.engines.base import ResultSet
from moviegraph.retrieval import semantic
from moviegraph.retrieval.detail import shorten
from moviegraph.retrieval.session import Session

COLUMNS = ("Id", "Name", "ReleaseYear", "Similarity", "Content")


def test_a_text_is_cut_with_its_ellipsis_within_the_length() -> None:
    assert shorten("word " * 100).endswith("word…")
    assert len(shorten("x" * 500)) == 240
    assert shorten("x" * 240) == "x" * 240


def test_concise_cuts_the_text_on_purpose_and_full_says_what_was_cut() -> None:
    result = ResultSet(COLUMNS, [(1, "A", 1999, 0.5, "x" * 1_000)], "cells")
    session, _ = scripted_session(result)
    concise = semantic.search(session, call(), query="x")
    full = semantic.search(session, call(), query="x", detail="full")
    assert len(column(concise, "Content")[0]) == 240
    assert concise.truncated is None
    assert len(column(full, "Content")[0]) == 1_000
    assert full.truncated == "cells"


@pytest.mark.parametrize("detail", ["concise", "full"])
def test_no_detail_reaches_beyond_the_operators_longest_cell(films: Session, detail: str) -> None:
    narrow = replace(films, caps=replace(films.caps, cell=30))
    found = semantic.search(narrow, call(), query="rebels", detail=detail)
    texts = column(found, "Content")
    assert max(map(len, texts)) == 30
    assert max(map(len, column(semantic.search(films, call(), query="rebels"), "Content"))) > 30


def test_equal_similarities_are_ordered_by_id() -> None:
    rows = [(3, "C", None, 0.5, ""), (1, "A", None, 0.5, ""), (2, "B", None, 0.9, "")]
    session, _ = scripted_session(ResultSet(COLUMNS, rows))
    assert column(semantic.search(session, call(), query="x"), "Id") == [2, 1, 3]
