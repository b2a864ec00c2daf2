"""Truncation of texts, and its report in a result."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fakes.sessions import call, column, made_session

from moviegraph.contract.loader import load_contract
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.query.session import Session
from moviegraph.search import semantic
from moviegraph.search.fixed_tool import concise_texts
from moviegraph.text import shorten

LINKS = "Genre: Drama; Setting: Paris, Lyon; Theme: Grief, Love."
PROSE = "A long evening by the river. " * 20


@pytest.fixture(scope="module")
def long_texts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = tmp_path_factory.mktemp("long") / "graph"
    nodes = [NodeRecord("Movie", key, f"Film {key}", f"{PROSE}\n{LINKS}") for key in (3, 1, 2)]
    session = made_session(folder, nodes, [])
    yield session
    session.engine.close()


def test_a_text_is_shortened_with_its_ellipsis_within_the_length() -> None:
    assert shorten("word " * 100, 240).endswith("word…")
    assert len(shorten("x" * 500, 240)) == 240
    assert shorten("x" * 240, 240) == "x" * 240


def concise(text: str, searched: str = "") -> str:
    (short,) = concise_texts([text], load_contract(), searched)
    assert short is not None
    return short


def test_a_concise_text_keeps_the_line_of_linked_nodes() -> None:
    prose, line = concise(f"{PROSE}\n{LINKS}").split("\n")
    assert prose == f"{PROSE[:114]}…"
    assert line == LINKS
    assert concise("Short.") == "Short."


@pytest.mark.parametrize("searched", ["the heron", "herons fishing"])
def test_a_concise_text_is_around_what_was_searched(searched: str) -> None:
    text = concise(f"{PROSE}A heron waits for fish. {PROSE}", searched)
    assert text.startswith("…")
    assert "A heron waits for fish." in text
    assert len(text) <= 140


@pytest.mark.parametrize("searched", ["zeppelin", "of the", ""])
def test_a_concise_text_without_what_was_searched_is_the_beginning(searched: str) -> None:
    assert concise(f"{PROSE}A heron waits.", searched) == f"{PROSE[:114]}…"


def test_a_long_line_of_linked_nodes_is_cut_between_names_and_says_how_many_more() -> None:
    names = ", ".join(f"Character number {number}" for number in range(40))
    line = concise(f"Short.\nGenre: Drama; Theme: {names}.").split("\n")[1]
    assert len(line) <= 100
    assert line.startswith("Genre: Drama; Theme: Character number 0, ")
    shown = line.count("number")
    assert line.endswith(f"Character number {shown - 1} (+{40 - shown})")


def test_linked_nodes_that_were_searched_for_are_shown_first() -> None:
    names = ", ".join(f"Character number {number}" for number in range(40))
    line = concise(f"Short.\nTheme: {names}, Grief.", "of grief").split("\n")[1]
    assert line.startswith("Theme: Grief, Character number 0")


@pytest.mark.parametrize("text", ["One line.", "Two\nlines", "Odd: it is.\nTheme of it all"])
def test_other_last_lines_are_prose(text: str) -> None:
    assert concise(text) == " ".join(text.split())


def test_concise_cuts_on_purpose_and_full_says_what_was_cut(long_texts: Session) -> None:
    narrow = replace(long_texts, limits=replace(long_texts.limits, cell=500))
    concise = semantic.search(narrow, call(), query="river")
    full = semantic.search(narrow, call(), query="river", detail="full")
    assert concise.truncated is None
    assert full.truncated == "cells"
    assert {len(text) for text in column(full, "Content")} == {500}


def test_rows_beyond_the_bytes_of_a_result_are_cut_and_it_says_so(long_texts: Session) -> None:
    narrow = replace(long_texts, limits=replace(long_texts.limits, bytes=1_000))
    full = semantic.search(narrow, call(), query="river", detail="full")
    assert (len(full.rows), full.truncated) == (1, "bytes")


@pytest.mark.parametrize("detail", ["concise", "full"])
def test_no_detail_reaches_beyond_the_operators_longest_cell(films: Session, detail: str) -> None:
    narrow = replace(films, limits=replace(films.limits, cell=30))
    match = semantic.search(narrow, call(), query="rebels", detail=detail)
    texts = column(match, "Content")
    assert max(map(len, texts)) == 30
    assert max(map(len, column(semantic.search(films, call(), query="rebels"), "Content"))) > 30


def test_equal_similarities_are_ordered_by_id(long_texts: Session) -> None:
    rows = semantic.search(long_texts, call(), query="river")
    assert column(rows, "Id") == sorted(column(rows, "Id"))
