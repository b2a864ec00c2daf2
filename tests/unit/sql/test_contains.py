from typing import Any

import pytest

from moviegraph.errors import ExecutionError
from moviegraph.sql.contains import (
    AllOf,
    AnyOf,
    Condition,
    Near,
    Phrase,
    Weighted,
    indexed_words,
    parse_contains,
    with_placeholders,
)

SHIP, PIRATE, COMEDY = Phrase(("ship",)), Phrase(("pirate",)), Phrase(("comedy",))

READ: list[Any] = [
    pytest.param("Ship", SHIP, id="a word in lower case"),
    pytest.param('"pirate ship"', Phrase(("pirate", "ship")), id="a phrase"),
    pytest.param('"pirate: ship!"', Phrase(("pirate", "ship")), id="punctuation"),
    pytest.param("Spider-Man", Phrase(("spider", "man")), id="a hyphen makes a phrase"),
    pytest.param("O'Brien", Phrase(("o", "brien")), id="a letter of a name is no stop word"),
    pytest.param('"pir* sh*"', Phrase(("pir", "sh"), "prefix"), id="a phrase of prefixes"),
    pytest.param('"pi*rate"', Phrase(("pi", "rate")), id="an inner asterisk is punctuation"),
    pytest.param('"lord of the rings"', Phrase(("lord", "", "", "rings")), id="stop words"),
    pytest.param('"the lord of"', Phrase(("lord",)), id="stop words at the ends"),
    pytest.param("the", Phrase(()), id="nothing but a stop word"),
    pytest.param("Ame\u0301lie", Phrase(("am\u00e9lie",)), id="an accent typed apart"),
    pytest.param("2001", Phrase(("2001",)), id="a number"),
    pytest.param("pirate AND ship", AllOf((PIRATE, SHIP)), id="AND"),
    pytest.param("pirate&ship", AllOf((PIRATE, SHIP)), id="&"),
    pytest.param("pirate and not ship", AllOf((PIRATE,), (SHIP,)), id="AND NOT"),
    pytest.param("pirate&!ship", AllOf((PIRATE,), (SHIP,)), id="&!"),
    pytest.param("pirate|ship", AnyOf((PIRATE, SHIP)), id="|"),
    pytest.param(
        "pirate OR ship AND comedy", AnyOf((PIRATE, AllOf((SHIP, COMEDY)))), id="AND before OR"
    ),
    pytest.param(
        "(pirate OR ship) AND comedy", AllOf((AnyOf((PIRATE, SHIP)), COMEDY)), id="parentheses"
    ),
    pytest.param('"and" OR "near"', AnyOf((Phrase(()), Phrase(("near",)))), id="quoted keywords"),
    pytest.param("pirate NEAR ship", Near((PIRATE, SHIP)), id="NEAR between"),
    pytest.param("pirate~ship~comedy", Near((PIRATE, SHIP, COMEDY)), id="chained"),
    pytest.param("near(pirate, ship)", Near((PIRATE, SHIP)), id="NEAR without distance"),
    pytest.param("NEAR((pirate, ship), 0)", Near((PIRATE, SHIP), 0), id="distance"),
    pytest.param(
        "NEAR ( (pirate, ship) , MAX , TRUE )", Near((PIRATE, SHIP), None, True), id="in order"
    ),
    pytest.param(
        "NEAR((pirate, ship), 4294967295, FALSE)",
        Near((PIRATE, SHIP), 4_294_967_295),
        id="the longest distance",
    ),
    pytest.param("FORMSOF(INFLECTIONAL, Ship)", Phrase(("ship",), "forms"), id="forms"),
    pytest.param("FORMSOF(INFLECTIONAL, see)", Phrase(("see",), "forms"), id="of a stop word"),
    pytest.param(
        'FORMSOF(INFLECTIONAL, pirate, "pirate ship")',
        AnyOf((Phrase(("pirate",), "forms"), Phrase(("pirate", "ship"), "forms"))),
        id="forms of several",
    ),
    pytest.param("FORMSOF(THESAURUS, ship)", SHIP, id="thesaurus"),
    pytest.param(
        'ISABOUT(pirate WEIGHT(.8), "sh*" weight(1.0), ship ~ comedy)',
        Weighted(((PIRATE, 0.8), (Phrase(("sh",), "prefix"), 1.0), (Near((SHIP, COMEDY)), 1.0))),
        id="weights",
    ),
]


@pytest.mark.parametrize(("text", "condition"), READ)
def test_a_condition_is_read_as_the_grammar_says(text: str, condition: Condition) -> None:
    assert parse_contains(text) == condition


WRONG: list[Any] = [
    pytest.param("star wars", (5, 9), '"two words"', id="words without an operator"),
    pytest.param("pir*", (0, 4), '"begin*"', id="prefix without quotes"),
    pytest.param("NOT pirate", (0, 3), "AND NOT", id="leading NOT"),
    pytest.param("pirate OR NOT ship", (10, 13), "AND NOT", id="OR NOT"),
    pytest.param("pirate & NOT ship", (9, 12), "AND NOT", id="NOT behind the mark"),
    pytest.param("pirate AND ! ship", (11, 12), "AND NOT", id="the mark behind AND"),
    pytest.param("pirate AND & ship", (11, 12), "AND NOT", id="two operators"),
    pytest.param("pirate AND", (10, 10), "AND NOT", id="nothing after AND"),
    pytest.param("(pirate", (7, 7), "AND NOT", id="open parenthesis"),
    pytest.param("pirate)", (6, 7), "AND NOT", id="closed parenthesis"),
    pytest.param('"pirate', (0, 7), '"two words"', id="open quote"),
    pytest.param("NEAR(pirate)", (12, 12), "NEAR((", id="NEAR of one term"),
    pytest.param("NEAR((a, b), x)", (13, 14), "NEAR((", id="NEAR without a number"),
    pytest.param("NEAR((a, b), 4294967296)", (13, 23), "NEAR((", id="too far"),
    pytest.param("NEAR((a, b), 1.5)", (13, 16), "NEAR((", id="half a word"),
    pytest.param("NEAR((a, b), 5, YES)", (16, 19), "NEAR((", id="no order"),
    pytest.param("NEAR((a AND b, c), 5)", (8, 11), "NEAR((", id="AND within NEAR"),
    pytest.param("FORMSOF(run)", (8, 11), "INFLECTIONAL", id="FORMSOF without a kind"),
    pytest.param("FORMSOF(INFLECTIONAL)", (20, 21), "INFLECTIONAL", id="FORMSOF without a word"),
    pytest.param('FORMSOF(INFLECTIONAL, "ru*")', (22, 27), "INFLECTIONAL", id="forms of a prefix"),
    pytest.param("ISABOUT(a WEIGHT(1.01))", (17, 21), "ISABOUT", id="too heavy"),
    pytest.param("ISABOUT(a WEIGHT(high))", (17, 21), "ISABOUT", id="no weight"),
    pytest.param("ISABOUT(ISABOUT(a))", (8, 15), "AND NOT", id="ISABOUT within ISABOUT"),
    pytest.param("ISABOUT(a b)", (10, 11), "ISABOUT", id="no comma"),
    pytest.param("   ", (3, 3), '"two words"', id="nothing"),
]


@pytest.mark.parametrize(("text", "span", "example"), WRONG)
def test_a_wrong_condition_is_answered_with_its_place_and_the_right_form(
    text: str, span: tuple[int, int], example: str
) -> None:
    with pytest.raises(ExecutionError) as caught:
        parse_contains(text)
    assert caught.value.code == "fulltext_syntax"
    assert caught.value.span == span
    assert example in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("|".join("a" * 1000), "more than 200 operators", id="operators"),
        pytest.param("&".join("a" * 1000), "more than 200 operators", id="AND"),
        pytest.param(f"FORMSOF(INFLECTIONAL{',a' * 1000})", "200 operators", id="forms"),
        pytest.param(f"ISABOUT(a{',a' * 1000})", "more than 200 operators", id="weights"),
        pytest.param(f"NEAR({','.join('a' * 65)})", "2 to 64 terms", id="NEAR"),
        pytest.param("~".join("a" * 65), "2 to 64 terms", id="chained NEAR"),
        pytest.param("(" * 30 + "a" + ")" * 30, "nested too deeply", id="parentheses"),
        pytest.param("a" * 4001, "at most 4,000 characters", id="characters"),
    ],
)
def test_a_condition_has_bounds(text: str, reason: str) -> None:
    with pytest.raises(ExecutionError, match=reason):
        parse_contains(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("The Shape of Water", ["", "shape", "", "water"], id="stop words"),
        pytest.param("X-Men 2", ["x", "men", ""], id="a letter of a name"),
        pytest.param("over-the-top", ["", "", "top"], id="whole stop words in a compound"),
        pytest.param("E.T. and I", ["e", "t", "", ""], id="an abbreviation"),
        pytest.param("世界 Amélie", ["世界", "amélie"], id="other scripts"),
    ],
)
def test_stop_words_keep_their_place(text: str, words: list[str]) -> None:
    assert indexed_words(text) == words
    assert [word for word in indexed_words(with_placeholders(text)) if word] == [
        w for w in words if w
    ]
