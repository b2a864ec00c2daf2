from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moviegraph.embeddings.embedder import normalized_mean, text_chunks, token_chunks

words = st.lists(st.integers(1, 12).map(lambda size: tuple(range(size))), max_size=200)


@given(words, st.integers(12, 60))
def test_token_chunks_keep_every_id_within_the_limit(
    words: list[tuple[int, ...]], limit: int
) -> None:
    chunks = token_chunks(words, limit)
    assert list(chain.from_iterable(chunks)) == list(chain.from_iterable(words))
    assert all(len(chunk) <= limit for chunk in chunks)
    assert len(chunks) == 1 or all(chunks)


@given(words, st.integers(12, 60))
def test_token_chunks_end_where_words_end(words: list[tuple[int, ...]], limit: int) -> None:
    ends = set(np.cumsum([0, *map(len, words)]).tolist())
    cuts = np.cumsum([len(chunk) for chunk in token_chunks(words, limit)]).tolist()
    assert set(cuts) <= ends


def test_token_chunks_are_of_about_equal_length() -> None:
    sizes = [len(chunk) for chunk in token_chunks([(1,)] * 255, 254)]
    assert sizes == [128, 127]


@given(st.text("ab ", max_size=400), st.integers(10, 50))
def test_text_chunks_keep_every_character_but_blanks(text: str, limit: int) -> None:
    chunks = text_chunks(text, limit)
    assert "".join(chunks).replace(" ", "") == text.replace(" ", "")
    assert all(len(chunk) <= limit for chunk in chunks)


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        pytest.param("one two", ["one two"], id="short"),
        pytest.param("one two three four", ["one two", "three four"], id="at a blank"),
        pytest.param("one. Two three", ["one.", "Two three"], id="after a sentence"),
        pytest.param("x" * 20, ["x" * 10, "x" * 10], id="no blank"),
    ],
)
def test_a_text_is_cut_at_blanks_where_it_can(text: str, chunks: list[str]) -> None:
    assert text_chunks(text, 12) == chunks


def test_the_mean_has_length_one() -> None:
    mean = normalized_mean(np.array([[1, 0], [0, 1]], np.float32))
    assert mean == pytest.approx([0.5**0.5, 0.5**0.5])
