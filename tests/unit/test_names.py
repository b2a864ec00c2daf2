"""Names are compared by forms that ignore what people write differently."""

import pytest

from moviegraph.names import (
    MIN_CLOSENESS,
    closeness,
    closest_names,
    edit_distance,
    fold_case,
    fold_collation,
    fold_evidence,
    fold_identifier,
    fold_mention,
    fold_name,
    fold_plural,
    lowercase,
    name_words,
    singular,
    spelling_edits,
    without_articles,
    words_key,
)


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Amélie", "amelie"),
        ("WALL·E", "walle"),
        ("  Spider-Man: Far From Home ", "spidermanfarfromhome"),
        ("Ёлки", "елки"),
        ("が", "が"),
        ("हिन्दी", "हिन्दी"),
        ("???", "???"),
        ("Straße", "strasse"),
    ],
)
def test_a_requested_name_has_neither_case_accents_punctuation_nor_spaces(
    name: str, folded: str
) -> None:
    assert fold_name(name) == folded


def test_vowel_signs_distinguish_names() -> None:
    assert fold_name("कि") != fold_name("का")


def test_each_form_ignores_what_its_purpose_allows() -> None:
    assert fold_case(" Star  Wars") == fold_case("star wars") != fold_case("star-wars")
    assert fold_collation("Star ") == fold_collation("star") != fold_collation(" star")
    assert fold_identifier("Release_Year") == fold_identifier("releaseYear")
    assert fold_mention("The Salt-Road, J.R.") == "salt road jr"
    assert fold_evidence("He  said \u201cNo\u201d") == 'he said "no"'
    assert words_key(without_articles(name_words("The Robots II"))) == "robot2"
    assert lowercase("\u0130\u03a3") == "i\u03c3"


@pytest.mark.parametrize(
    ("plural", "word"),
    [
        ("stories", "story"),
        ("watches", "watch"),
        ("boxes", "box"),
        ("heroes", "hero"),
        ("robots", "robot"),
        ("Movies", "movie"),
        ("old ties", "old tie"),
        ("series", "series"),
        ("boss", "boss"),
        ("virus", "virus"),
        ("oasis", "oasis"),
        ("gas", "gas"),
    ],
)
def test_the_singular_is_made_by_the_ending(plural: str, word: str) -> None:
    assert singular(plural) == word


@pytest.mark.parametrize(
    ("singular_word", "plural"),
    [("zombie", "zombies"), ("shoe", "shoes"), ("axe", "axes"), ("hero", "heroes")],
)
def test_singular_and_plural_have_one_form(singular_word: str, plural: str) -> None:
    assert fold_plural(singular_word) == fold_plural(plural)


@pytest.mark.parametrize(
    ("requested", "name", "edits"),
    [
        pytest.param("alien", "alien", 0, id="equal"),
        pytest.param("alein", "alien", 1, id="a swap of neighbors is one edit"),
        pytest.param("alin", "alien", 1, id="one edit in five letters"),
        pytest.param("jars", "jaws", None, id="none in four"),
        pytest.param("godzlla", "godzilla", 1, id="a letter is missing"),
        pytest.param("gidzlla", "godzilla", None, id="two in eight"),
        pytest.param("terminater2", "terminator2", 1, id="an equal number"),
        pytest.param("terminator3", "terminator2", None, id="another number"),
    ],
)
def test_a_name_may_be_misspelled_by_one_edit_in_five_letters(
    requested: str, name: str, edits: int | None
) -> None:
    assert spelling_edits(requested, name) == edits


def test_names_far_apart_count_nothing() -> None:
    assert closeness("star wars", "the empire strikes back") == 0
    assert closeness("harry poter", "harry potter and the goblet of fire") >= MIN_CLOSENESS


def test_the_nearest_known_names_come_best_first() -> None:
    known = ("ReleaseYear", "Content", "Name")
    assert closest_names("releaseyaer", known) == ("ReleaseYear",)
    assert closest_names("nmae", known, 1) == ("Name",)
    assert closest_names("zzz", known) == ()
    assert edit_distance("FORM", "FROM") == 1
