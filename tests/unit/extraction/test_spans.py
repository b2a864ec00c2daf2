"""Evidence: which quotations count as part of a text."""

import pytest

from moviegraph.extraction.mentions import EvidenceText

TEXT = (
    "Amélie  Poulain,\na shy waitress in Montmartre, said: \u201cI won\u2019t wait\u201d "
    "\u2014 and Stra\u00dfe 9 was empty. 東京の夜。"
)


@pytest.mark.parametrize(
    ("evidence", "span"),
    [
        pytest.param("shy waitress", "shy waitress", id="as it stands"),
        pytest.param("A SHY  WAITRESS", "a shy waitress", id="case and blanks"),
        pytest.param("Amelie Poulain", "Amélie Poulain", id="accents and a line end"),
        pytest.param("Ame\u0301lie", "Amélie", id="an accent typed apart"),
        pytest.param('"I won\'t wait"', "I won\u2019t wait", id="straight quotes"),
        pytest.param("wait\u201d - and", "wait\u201d \u2014 and", id="a dash"),
        pytest.param("strasse 9", "Stra\u00dfe 9", id="a letter that folds into two"),
        pytest.param("was empty.", "was empty", id="a full stop"),
        pytest.param("東京", "東京", id="a script without blanks"),
    ],
)
def test_evidence_is_found_as_written_in_the_text(evidence: str, span: str) -> None:
    assert EvidenceText(TEXT).span(evidence) == span


@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param("", id="nothing"),
        pytest.param(" .,\n", id="no letter"),
        pytest.param("a", id="too little"),
        pytest.param("in", id="two letters"),
        pytest.param("京", id="one sign"),
        pytest.param("and", id="a common word"),
        pytest.param("wait in Montmartre", id="within a word"),
        pytest.param("waitress said", id="put together"),
        pytest.param("shy waitress ... was empty", id="with a gap"),
        pytest.param("a bold waitress", id="reworded"),
        pytest.param(TEXT * 5, id="everything, and more"),
    ],
)
def test_words_outside_the_text_are_no_evidence(evidence: str) -> None:
    assert EvidenceText(TEXT).span(evidence) is None


def test_the_whole_of_a_long_text_shows_nothing() -> None:
    text = "A crew meets it in the dark. " * 40
    assert EvidenceText(text).span(text) is None


def test_a_name_may_be_as_short_as_it_is() -> None:
    assert EvidenceText("Up").span("up", "Up") == "Up"
    assert EvidenceText("What is up").span("up", "Balloon") is None


@pytest.mark.parametrize("evidence", ["the", "The,", "and his", "there was", "of a"])
def test_common_words_are_no_evidence(evidence: str) -> None:
    text = EvidenceText("There was the end of a war, and his brother came home.")
    assert text.span(evidence) is None
    assert text.span("of a war") == "of a war"


@pytest.mark.parametrize(
    ("name", "shares"),
    [
        pytest.param("Amelie", True, id="without its accent"),
        pytest.param("Mademoiselle Poulain", True, id="a surname"),
        pytest.param("Nino Quincampoix", False, id="nowhere"),
        pytest.param("The and Of", False, id="common words"),
        pytest.param("東京", True, id="a script without blanks"),
        pytest.param("mart", False, id="within a word"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_a_name_shares_a_word_with_a_text_or_not(name: str, shares: bool) -> None:
    assert EvidenceText(TEXT).shares_word(name) is shares
