"""Sentence boundaries."""

import pytest

from moviegraph.loading.preparation import sentences

CASES = [
    pytest.param("", [], id="nothing"),
    pytest.param("A crew meets it", ["A crew meets it"], id="no full stop"),
    pytest.param("One. Two!  Three? Four.", ["One.", "Two!", "Three?", "Four."], id="ends"),
    pytest.param('"Run!" she says. He runs.', ['"Run!" she says.', "He runs."], id="speech"),
    pytest.param('She says "Run." Then he runs.', ['She says "Run."', "Then he runs."], id="quote"),
    pytest.param("A line\nanother one", ["A line", "another one"], id="lines"),
    pytest.param("One.\nTheme: War.", ["One.", "Theme: War."], id="a last line of names"),
    pytest.param(
        "It is by Samuel L. Jackson. He runs.",
        ["It is by Samuel L. Jackson.", "He runs."],
        id="initial",
    ),
    pytest.param("By W. C. Fields. Rain.", ["By W. C. Fields.", "Rain."], id="two initials"),
    pytest.param("Dr. Jones digs. Rain.", ["Dr. Jones digs.", "Rain."], id="title of a person"),
    pytest.param(
        "They fly to Planet X. He waits.",
        ["They fly to Planet X.", "He waits."],
        id="a letter at the end",
    ),
    pytest.param(
        "With Louis Gossett Jr. Anna runs.", ["With Louis Gossett Jr.", "Anna runs."], id="in doubt"
    ),
    pytest.param(
        "It cost 3.5 million at 5 p.m. sharp.",
        ["It cost 3.5 million at 5 p.m. sharp."],
        id="numbers",
    ),
    pytest.param("On... and on... Then rest.", ["On... and on...", "Then rest."], id="dots"),
    pytest.param("Été. Élan vital.", ["Été.", "Élan vital."], id="accents"),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_text_is_cut_into_its_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end].strip() for start, end in sentences(text)] == expected


@pytest.mark.parametrize("text", [case.values[0] for case in CASES])
def test_sentences_together_are_the_text(text: str) -> None:
    assert "".join(text[start:end] for start, end in sentences(text)) == text
