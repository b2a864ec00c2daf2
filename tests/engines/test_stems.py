import pytest

from moviegraph.engines.stems import Stemmer

SAME = [
    "run runs ran running",
    "mouse mice",
    "child children",
    "movie movies",
    "family families",
    "spy spies",
    "love loves loved loving",
    "hope hopes hoped hoping",
    "hop hops hopped hopping",
    "create creates created creating",
    "kill kills killed killing",
    "travel travels travelled traveling",
    "witch witches",
    "box boxes",
    "boss bosses",
    "rebel rebels",
    "agree agrees agreed agreeing",
    "play plays played playing",
    "make makes made making",
]
APART = ["hop hope", "lie lay", "good goods", "sing single", "bus business"]


@pytest.mark.parametrize("words", SAME)
def test_inflected_forms_share_a_stem(words: str) -> None:
    stemmer = Stemmer()
    assert len({stemmer.stem(word) for word in words.split()}) == 1


@pytest.mark.parametrize("words", APART)
def test_other_words_do_not(words: str) -> None:
    stemmer = Stemmer()
    assert len({stemmer.stem(word) for word in words.split()}) == 2


@pytest.mark.parametrize("word", ["42", "é", "東京", "ß", "s", "is"])
def test_what_has_no_english_ending_has_a_stem_of_its_own(word: str) -> None:
    assert Stemmer().stem(word) in (word, "be=")
