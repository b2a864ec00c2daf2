import sys
import unicodedata
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from moviegraph.embeddings.local_embedder import WordPiece

VOCABULARY = Path(str(files("moviegraph.embeddings"))) / "minilm" / "vocab.txt"


@cache
def ours() -> WordPiece:
    return WordPiece.from_lines(VOCABULARY.read_bytes().decode())


@cache
def reference() -> Tokenizer:
    pieces = VOCABULARY.read_bytes().decode().removesuffix("\n").split("\n")
    numbered = {piece: number for number, piece in enumerate(pieces)}
    model = models.WordPiece(numbered, unk_token="[UNK]", max_input_chars_per_word=100)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def our_ids(text: str) -> list[int]:
    return [piece for word in ours().words(text) for piece in word]


def reference_ids(text: str) -> list[int]:
    return reference().encode(text, add_special_tokens=False).ids


def probe(char: str) -> str:
    return f"a{char}b {char}"


@cache
def differing() -> frozenset[str]:
    """Characters that the reference, with its older Unicode tables, treats otherwise."""
    collected: set[str] = set()
    chars = [chr(code) for code in range(sys.maxunicode + 1)]
    chars = [char for char in chars if unicodedata.category(char) not in ("Cs", "Cn", "Co")]
    for begin in range(0, len(chars), 64):
        block = chars[begin : begin + 64]
        text = " ".join(map(probe, block))
        if our_ids(text) != reference_ids(text):
            collected |= {
                char for char in block if our_ids(probe(char)) != reference_ids(probe(char))
            }
    return frozenset(collected)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(" \t\r\n ", id="blanks"),
        pytest.param("A space opera about a farm boy's rebellion.", id="plain"),
        pytest.param("R2-D2, C-3PO & Co. (1977): 100% `fun`~^|$", id="punctuation"),
        pytest.param("unbelievable antidisestablishmentarianism", id="long words"),
        pytest.param("x" * 100 + " " + "x" * 101 + " the", id="word over the limit"),
        pytest.param("qzxjw " + "\u2603" + " snow\u2603man", id="unknown words"),
        pytest.param("Amélie, Señor, Ångström, naïve, façade", id="accents"),
        pytest.param("A\u0301me\u0300lie a\u0308", id="combining accents"),
        pytest.param("İstanbul I \u0131 ß ẞ ǅ ﬁ", id="odd cases"),
        pytest.param("ΟΔΟΣ ΣΑΣ Σ", id="final sigma"),
        pytest.param("七人の侍 and 千と千尋の神隠し", id="Japanese"),
        pytest.param("기생충 올드보이", id="Korean"),
        pytest.param("\u4e00\u9fff\u3400\uf900\U00020000\U0002b820\U0002f800", id="ideographs"),
        pytest.param("شجاع ולס עם באשיר", id="right to left"),
        pytest.param("पथेर पांचाली", id="Devanagari"),
        pytest.param("a\u200bb c\u200dd e\u00adf \ufeffg", id="zero width"),
        pytest.param("a\x00b\x0bc\x0cd\x1ce\x1ff\x7fg\x85h", id="control characters"),
        pytest.param("a\u00a0b\u2003c\u2028d\u2029e\u3000f", id="odd blanks"),
        pytest.param("\ufffd bad \ufffdbytes", id="replacement character"),
        pytest.param("🎬👩‍🚀🇩🇪 film", id="emoji"),
        pytest.param("“quoted” \u2013 it\u2019s… «oui» ¿qué?", id="typographic punctuation"),
        pytest.param("½ ² € £ © ™ № ℃ ≥ ± ¨", id="symbols"),
        pytest.param("##ing ## # [unused1]", id="pieces as text"),
        pytest.param("\ue000\U000f0000", id="private use"),
        pytest.param("\u0378\U000e0fff", id="unassigned"),
    ],
)
def test_ids_are_those_of_the_reference(text: str) -> None:
    assert our_ids(text) == reference_ids(text)


def test_every_piece_of_the_vocabulary_is_read_as_the_reference_reads_it() -> None:
    text = " ".join(VOCABULARY.read_bytes().decode().split("\n"))
    assert our_ids(text) == reference_ids(text)


@pytest.mark.slow("fuzzing")
@given(st.text(st.characters(exclude_categories=["Cs", "Co"]), max_size=60))
def test_ids_of_any_text_are_those_of_the_reference(text: str) -> None:
    text = "".join(char for char in text if char not in differing())
    assert our_ids(text) == reference_ids(text)


@given(st.lists(st.sampled_from("aAéÉß 'x9-_.,七²\u0301\u200b\n\x01ΣŒ"), max_size=80).map("".join))
def test_ids_of_dense_mixtures_are_those_of_the_reference(text: str) -> None:
    assert our_ids(text) == reference_ids(text)


@pytest.mark.slow("long")
def test_only_rare_marks_and_punctuation_newer_than_the_reference_differ() -> None:
    categories = {unicodedata.category(char)[0] for char in differing()}
    assert len(differing()) < 1000
    assert categories <= {"M", "P", "C", "S"}
    assert min(differing()) > "\u0600"


def test_special_tokens_in_a_text_are_only_text() -> None:
    frame = set(ours().framed([]))
    assert not frame & set(our_ids("[CLS] ignore this [SEP]"))


def test_lone_surrogates_are_dropped() -> None:
    assert our_ids("star\ud800 wars") == our_ids("star wars")


def test_the_frame_is_start_and_end() -> None:
    assert ours().framed([7]) == [101, 7, 102]
