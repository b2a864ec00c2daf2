"""Entities named by a question, over a graph of names in many scripts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from fakes.sessions import call, made_session

from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.query.session import Cache, Session
from moviegraph.search import planning

FILMS = {
    1: ("Blade Runner", "A hunter of androids doubts what is human."),
    2: ("Iron Sun: Salt Road", "A chase through a desert, and what comes next."),
    3: (
        "The Silent Harbor",
        "A sailor pays back old wrongs that are his share, and what comes next.",
    ),
    4: ("Next", "A gambler looks two minutes ahead and flees from agents."),
    5: ("Share", "One picture travels among pupils until lives break."),
    6: ("Solaris", "A station over an ocean that dreams, next to a star; they share it."),
    7: ("Solaris", "The ocean dreams again, next to a star that they share."),
    8: ("Amélie", "A waitress in Paris mends lives."),
    10: ("Сталкер", "A guide leads two men through a forbidden zone."),
    11: ("Ευδοκία", "A soldier falls in love."),
    12: ("وجدة", "A girl wants a bicycle."),
    13: ("शोले", "Two rogues defend a village."),
    14: ("千と千尋の神隠し", "A girl works in a house of spirits."),
    15: ("霸王别姬", "Two actors of an opera."),
    16: ("기생충", "A poor family serves a rich one."),
    17: ("องค์บาก", "A head of a statue is stolen."),
    18: ("ואלס עם באשיר", "A soldier seeks what he forgot."),
    19: ("მონანიება", "A tyrant does not stay buried."),
    20: ("Old Wrongs", "A ledger of debts."),
    21: ("One", "He counts old wrongs."),
    22: ("Two", "She counts old wrongs."),
    23: ("Three", "They count old wrongs."),
    24: ("Four", "Old wrongs are counted, again."),
    25: ("Five", "Old wrongs, once more."),
    26: ("Six", "Old wrongs return."),
    27: ("Seven", "Nobody minds old wrongs."),
    28: ("Eight", "Old wrongs are told."),
    30: ("Nine", "Old wrongs fade."),
    29: ("The Runaways", "A band on the road."),
    31: ("The Ferry", "A captain quarrels with his passengers on a wide river."),
    32: ("Ballad", "A singer quarrels with his band on a wide stage."),
}
NODES = [
    *(NodeRecord("Movie", key, *row, {"ReleaseYear": 1970 + key}) for key, row in FILMS.items()),
    NodeRecord("Series", 1, "Iron Sun Collection", "Roads after the end."),
    NodeRecord("Theme", 1, "Revenge", "Old wrongs are paid back."),
    NodeRecord("Theme", 2, "Robots", "Machines that look like people."),
    NodeRecord("Setting", 1, "Los Angeles", "A city of cars."),
    NodeRecord("Setting", 2, "M.I.T.", "A school."),
    NodeRecord("Setting", 3, "East Los Angeles", "Its east."),
    NodeRecord("Character", 2, "Dan", "A friend."),
    NodeRecord("Character", 3, "Estelle", "A friend."),
    NodeRecord("Character", 1, "Hermione Granger", "A clever witch."),
    NodeRecord("Genre", 1, "Science Fiction", "Worlds to come."),
]
EDGES = [
    EdgeRecord("PART_OF_SERIES", 2, 1),
    EdgeRecord("INCLUDES_THEME", 1, 2),
    EdgeRecord("INCLUDES_THEME", 3, 1),
    EdgeRecord("INCLUDES_THEME", 2, 1),
    EdgeRecord("SET_IN", 1, 1),
    EdgeRecord("IN_GENRE", 1, 1),
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    session = made_session(tmp_path_factory.mktemp("names") / "graph", NODES, EDGES)
    yield session
    session.engine.close()
    session.journal.close()


def entities(session: Session, question: str) -> list[dict[str, Any]]:
    context = planning.context(session, call("get_planning_context"), question=question)
    return [entity for entity in context["entities"] if entity["found_by"] != "meaning"]


def keys(result: Sequence[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(entity["kind"], entity["id"]) for entity in result]


def test_an_entity_has_its_kind_id_name_edges_and_how_it_was_found(graph: Session) -> None:
    (entity,) = entities(graph, "What resembles Blade Runner most?")
    assert entity == {
        "text": "Blade Runner",
        "kind": "Movie",
        "id": 1,
        "name": "Blade Runner",
        "linked": 3,
        "found_by": "name",
        "more": None,
    }


def test_entities_come_in_the_order_of_the_question(graph: Session) -> None:
    result = entities(graph, "The Silent Harbor against Blade Runner")
    assert keys(result) == [("Movie", 3), ("Movie", 1)]


@pytest.mark.parametrize(
    ("question", "key", "found_by"),
    [
        pytest.param("something like bladerunner", ("Movie", 1), "name", id="in one word"),
        pytest.param("is Amelie sad?", ("Movie", 8), "name", id="without accents"),
        pytest.param("the Silent Harbor", ("Movie", 3), "name", id="without its article"),
        pytest.param("films on Salt Road", ("Movie", 2), "part of name", id="behind a colon"),
        pytest.param("all of Iron Sun", ("Series", 1), "name", id="without its suffix"),
        pytest.param("the Iron Sun series", ("Series", 1), "name", id="with a word for its kind"),
        pytest.param("crime in LA", ("Setting", 1), "alias", id="abbreviation"),
        pytest.param("old sci-fi films", ("Genre", 1), "alias", id="abbreviation in two parts"),
        pytest.param("about a Blade Runer", ("Movie", 1), "spelling", id="a letter missing"),
        pytest.param("who is Hermoine Granger", ("Character", 1), "spelling", id="letters turned"),
    ],
)
def test_names_are_found_in_other_forms(
    graph: Session, question: str, key: tuple[str, int], found_by: str
) -> None:
    result = {
        (entity["kind"], entity["id"]): entity["found_by"] for entity in entities(graph, question)
    }
    assert result.get(key) == found_by


def test_abbreviations_of_the_contract_name_nodes(graph: Session) -> None:
    glossary = graph.contract.glossary.model_copy(update={"abbreviations": {"SH": "Silent Harbor"}})
    contract = graph.contract.model_copy(update={"glossary": glossary})
    session = replace(graph, contract=contract, cache=Cache())
    (entity,) = entities(session, "films like SH")
    assert (entity["id"], entity["found_by"]) == (3, "alias")


@pytest.mark.parametrize(
    ("question", "id"),
    [
        pytest.param("Фильмы как Сталкер, но короче", 10, id="Russian"),
        pytest.param("Ταινίες σαν την Ευδοκία", 11, id="Greek"),
        pytest.param("أفلام مثل وجدة", 12, id="Arabic"),
        pytest.param("शोले जैसी फ़िल्में", 13, id="Hindi"),
        pytest.param("千と千尋の神隠しのような映画", 14, id="Japanese"),
        pytest.param("有没有像霸王别姬一样的电影", 15, id="Chinese"),
        pytest.param("기생충 같은 영화", 16, id="Korean"),
        pytest.param("หนังแบบองค์บาก", 17, id="Thai"),
        pytest.param("סרטים כמו ואלס עם באשיר", 18, id="Hebrew"),
        pytest.param("ფილმები, როგორიცაა მონანიება", 19, id="Georgian"),
        pytest.param("Welche Filme ähneln Blade Runner?", 1, id="German"),
        pytest.param("Blade Runnerのような映画", 1, id="Latin within Japanese"),
    ],
)
def test_names_are_found_in_any_script(graph: Session, question: str, id: int) -> None:
    assert ("Movie", id) in keys(entities(graph, question))


def test_combining_marks_distinguish_words_of_other_scripts(graph: Session) -> None:
    assert entities(graph, "शाला जैसी फ़िल्में") == []


def test_every_meaning_of_an_ambiguous_name_is_listed(graph: Session) -> None:
    result = entities(graph, "which Solaris is longer")
    assert keys(result) == [("Movie", 6), ("Movie", 7)]
    assert {entity["text"] for entity in result} == {"Solaris"}


@pytest.mark.parametrize(
    "question",
    [
        "what should I watch next",
        "where can I share a list",
        "no idea, la la la",
        "all of it, in the end",
    ],
)
def test_ordinary_words_are_no_names(graph: Session, question: str) -> None:
    assert entities(graph, question) == []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param("Dans ma ville natale, quelque chose", [], id="no plural of a person"),
        pytest.param("comme est-elle venue demain soir", [], id="no name out of two words"),
        pytest.param("estelle", [("Character", 3)], id="the name itself"),
        pytest.param("with estelle mit wem", [], id="no initials in lowercase"),
        pytest.param("of M.I.T. and others", [("Setting", 2)], id="initials"),
        pytest.param("someone who runs away", [], id="no title out of two words"),
    ],
)
def test_parts_of_words_are_no_names(
    graph: Session, question: str, expected: list[tuple[str, int]]
) -> None:
    assert keys(entities(graph, question)) == expected


def test_a_title_of_ordinary_words_needs_capitals(graph: Session) -> None:
    assert entities(graph, "where old wrongs are paid") == []
    assert keys(entities(graph, "where Old Wrongs are paid")) == [("Movie", 20)]
    assert entities(graph, "those who are paid for a wrong") == []


def test_more_says_how_many_other_names_contain_a_name(graph: Session) -> None:
    (entity,) = entities(graph, "set in Los Angeles")
    assert entity["more"] == {"count": 1, "names": ["East Los Angeles"]}


def test_a_name_that_begins_a_question_in_quotes_and_has_no_node_is_noted(graph: Session) -> None:
    notes = planning.context(graph, call(), question='"Zarquon Rising", what is it?')["notes"]
    assert notes == ["Names without a matching node: Zarquon Rising."]


@pytest.mark.parametrize(
    ("question", "is_foreign"),
    [
        ("Welche traurigen Filme spielen nachts in Berlin?", True),
        ("¿Qué películas hay como Solaris?", True),
        ("Which quixotic vignettes resemble Solaris?", False),
        ("quixotic vignettes with robots", False),
    ],
)
def test_only_a_question_without_a_function_word_of_the_texts_is_in_another_language(
    graph: Session, question: str, is_foreign: bool
) -> None:
    notes = planning.context(graph, call(), question=question)["notes"]
    assert any("ask again" in note for note in notes) is is_foreign


def test_a_word_after_an_indefinite_article_is_no_title(graph: Session) -> None:
    assert ("Movie", 6) in keys(entities(graph, "solaris"))
    assert entities(graph, "we met a solaris of doubt") == []


def test_a_title_with_its_article_needs_no_capital(graph: Session) -> None:
    assert keys(entities(graph, "the captain and passengers of the ferry")) == [("Movie", 31)]
    assert entities(graph, "the captain and passengers of ferry") == []
    assert entities(graph, "the singer and the band of the ballad") == []


def test_a_word_beside_an_unknown_name_is_part_of_it(graph: Session) -> None:
    question = "films with Solaris Quimby in them"
    assert entities(graph, question) == []
    notes = planning.context(graph, call(), question=question)["notes"]
    assert "Names without a matching node: Solaris Quimby." in notes


def test_a_kind_of_too_many_names_for_memory_is_looked_up_by_statements(
    graph: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moviegraph.search.entity_index.MAX_NAMES", 5)
    session = replace(graph, cache=Cache())
    result = entities(session, "Blade Runner, the Silent Harbor or Сталкер in Los Angeles")
    assert keys(result) == [("Movie", 1), ("Movie", 3), ("Movie", 10), ("Setting", 1)]


def test_a_name_that_is_the_whole_question_is_meant(graph: Session) -> None:
    assert keys(entities(graph, "next")) == [("Movie", 4)]


def test_what_many_near_nodes_share_is_named_by_meaning(graph: Session) -> None:
    result = planning.context(graph, call(), question="old wrongs that are paid back")["entities"]
    assert [(e["kind"], e["name"], e["text"], e["found_by"]) for e in result] == [
        ("Theme", "Revenge", "", "meaning")
    ]
