"""`moviegraph load --extract` as it is typed, over the real client and a scripted model."""

import json
from pathlib import Path
from typing import Any

import pytest
from fakes.extracting_chat import ExtractingChat
from fakes.fake_openai import FakeOpenAI, Fault, Hang, failure
from fakes.sessions import query_graph
from fakes.sources import film, node
from fakes.story_source import (
    ALIEN,
    EXTRACTED,
    MOON,
    STORIES,
    Run,
    read_rows,
    report_path,
)
from fakes.toy_graph import TOY, toy_contract

from moviegraph.cli import main
from moviegraph.contract.loader import load_contract
from moviegraph.extraction.mentions import MAX_NAMES

MAIN = Path(__file__).parents[2] / "server" / "main.py"


def test_what_texts_name_becomes_nodes_and_edges(
    tmp_path: Path, run: Run, chat: ExtractingChat, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*STORIES, node("Theme", 7, "Survival")]) == 0
    captured = capsys.readouterr()
    assert "Extracting: 2 requests to openai:reader. Estimate: " in captured.err
    assert "Extracting: 2 requests answered, 0 already answered, 0 failed" in captured.out
    assert "2 FEATURES_CHARACTER, 3 INCLUDES_THEME, 2 SET_IN; 0 Movie without names" in captured.out
    graph = tmp_path / "graph"
    themes = query_graph(
        graph,
        "SELECT m.Name, t.Name, t.Id FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t "
        "WHERE MATCH(m-(e)->t) ORDER BY m.Name, t.Name",
    )
    loneliness = themes[0][2]
    assert themes == [
        ("Alien", "Loneliness", loneliness),
        ("Alien", "Survival", 7),
        ("Moon", "Loneliness", loneliness),
    ]
    assert {title for _, title in chat.asked if title} == {"Alien", "Moon"}
    recipe = json.loads((graph / "manifest.json").read_text())["recipe"]["extracted"]
    assert recipe["model"] == "openai:reader"
    assert recipe["prompt"].startswith("extract_nodes-")


def test_the_model_gets_title_text_and_the_words_of_the_contract(
    run: Run, fake: FakeOpenAI
) -> None:
    assert run(STORIES[:1]) == 0
    body = fake.requests[0].body
    system, user = (message["content"] for message in body["messages"])
    assert "<title>\nAlien\n</title>" in user
    assert ALIEN in user
    assert "`SET_IN` (the story plays there): names of Setting. A place" in system
    assert "{{" not in system + user
    schema = body["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["required"] == [edge.name for edge in load_contract().edges]


def test_names_of_a_kind_that_is_complete_are_offered(run: Run, fake: FakeOpenAI) -> None:
    films = [film(key, f"Film {key}", f"Story {key} of a night.") for key in range(1, 5)]
    edges = [{"kind": "IN_GENRE", "from": key, "to": 1} for key in range(1, 5)]
    assert run([*films, node("Genre", 1, "Horror"), *edges]) == 0
    assert "- IN_GENRE: Horror" in fake.requests[0].body["messages"][0]["content"]


def test_the_report_says_what_was_extracted_from_what(
    tmp_path: Path, run: Run, chat: ExtractingChat
) -> None:
    invented = {"INCLUDES_THEME": [("Survival", "outlives it"), ("Motherhood", "she is a mother")]}
    chat.said = {**EXTRACTED, "Alien": invented}
    assert run(STORIES) == 0
    result_rows = read_rows(tmp_path / "graph.extracted.jsonl")
    kept_rows = [row for row in result_rows if "dropped" not in row]
    assert ("Alien", "INCLUDES_THEME", "Survival", "outlives it") in [
        (row["title"], row["edge"], row["folded"], row["evidence"]) for row in kept_rows
    ]
    assert [row["evidence"] for row in kept_rows if row["name"] == "Sam Bell"] == ["Sam Bell"]
    dropped = next(row for row in result_rows if "dropped" in row)
    assert (dropped["name"], dropped["evidence"]) == ("Motherhood", "she is a mother")
    assert "is not in title or text" in dropped["dropped"]


def test_what_no_text_shows_is_not_in_the_graph(
    tmp_path: Path, run: Run, chat: ExtractingChat, capsys: pytest.CaptureFixture[str]
) -> None:
    chat.said = {
        "Alien": {
            "FEATURES_CHARACTER": [("Dallas", "Captain Dallas"), ("Ash", "an android")],
            "INCLUDES_THEME": [("Fear of it " * 30, "the dark of a ship"), (" ", "A crew")],
        },
        "Moon": {"SET_IN": [("The Moon", "Moon")]},
    }
    assert run(STORIES) == 0
    output = capsys.readouterr().out
    assert "names dropped: 2 FEATURES_CHARACTER, 2 INCLUDES_THEME" in output
    assert "1 Movie without names" in output
    graph = tmp_path / "graph"
    assert query_graph(graph, "SELECT c.Name FROM Character AS c") == []
    assert query_graph(graph, "SELECT s.Name FROM Setting AS s") == [("The Moon",)]


def test_a_shared_name_without_a_word_in_the_text_is_dropped(
    tmp_path: Path, run: Run, chat: ExtractingChat
) -> None:
    names = [("Dallas", "A crew"), ("Ripley", "outlives it"), ("Ash", "and")]
    chat.said = {"Alien": {"FEATURES_CHARACTER": names}}
    assert run(STORIES[:1]) == 0
    assert query_graph(tmp_path / "graph", "SELECT c.Name FROM Character AS c") == [("Ripley",)]
    why = {row["name"]: row.get("dropped") for row in read_rows(report_path(tmp_path))}
    assert why["Dallas"] == "no word of the name is in title or text"
    assert why["Ash"] == "the evidence is not in title or text"


def test_a_list_has_no_more_names_than_were_asked_for(
    tmp_path: Path, run: Run, chat: ExtractingChat
) -> None:
    words = [f"Theme {chr(at)}" for at in range(ord("a"), ord("z"))]
    chat.said = {"Alien": {"INCLUDES_THEME": [(word, "the dark of a ship") for word in words]}}
    assert run(STORIES[:1]) == 0
    (counted,) = query_graph(tmp_path / "graph", "SELECT COUNT(*) FROM Theme AS t")
    assert counted == (MAX_NAMES,)
    dropped = [row["name"] for row in read_rows(report_path(tmp_path)) if "dropped" in row]
    assert dropped == words[MAX_NAMES:]


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        pytest.param({"refusal": "I will not."}, "declined to respond", id="refusal"),
        pytest.param("I read it with pleasure.", "twice returned the wrong format", id="no JSON"),
        pytest.param(
            '{"INCLUDES_THEME": 3}', "twice returned the wrong format", id="another shape"
        ),
        pytest.param({"content": "{", "finish_reason": "length"}, "truncated", id="truncated"),
        pytest.param(
            {"content": None, "finish_reason": "content_filter"}, "content filter", id="filter"
        ),
    ],
)
def test_a_text_without_an_answer_is_reported_and_the_rest_is_loaded(
    tmp_path: Path,
    run: Run,
    chat: ExtractingChat,
    capsys: pytest.CaptureFixture[str],
    reply: Any,
    says: str,
) -> None:
    chat.said = {**EXTRACTED, "Alien": reply}
    assert run(STORIES) == 3
    captured = capsys.readouterr()
    assert "Not extracted because the model did not respond: 1 text\n" in captured.err
    assert "Movie 1 (Alien): The " in captured.err
    assert says in captured.err
    assert "1 request answered, 0 already answered, 1 failed" in captured.out
    settings = query_graph(tmp_path / "graph", "SELECT s.Name FROM Setting AS s")
    assert settings == [("The Moon",)]
    failed = [row for row in read_rows(tmp_path / "graph.extracted.jsonl") if "failed" in row]
    assert [row["title"] for row in failed] == ["Alien"]
    chat.said = EXTRACTED
    assert run(tmp_path / "in") == 0
    assert chat.titles.count("Moon") == 1


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(failure(429), id="rate limit"),
        pytest.param(failure(500), id="server error"),
        pytest.param(failure(408), id="time-out told"),
    ],
)
def test_what_passes_is_tried_again(run: Run, fake: FakeOpenAI, fault: Fault) -> None:
    fake.faults.extend([fault])
    assert run(STORIES) == 0
    users = [request.body["messages"][1]["content"] for request in fake.requests]
    assert sorted(
        users.count(user_message) for user_message in {*users} if "<title>" in user_message
    ) == [1, 2]


def test_a_silent_endpoint_costs_its_text_alone(
    run: Run,
    fake: FakeOpenAI,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("moviegraph.llm.openai_model.MANY_RETRIES", 0)
    fake.faults.append(Hang())
    assert run(STORIES, "--llm-timeout", "0.5") == 3
    assert "did not respond in time" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("faults", "says", "most"),
    [
        pytest.param([failure(401)] * 99, "Check MOVIEGRAPH_LLM_API_KEY.", 2, id="key"),
        pytest.param([failure(400)] * 99, "10 requests in a row failed", 11, id="all"),
    ],
)
def test_a_model_that_answers_nothing_ends_the_load_without_a_graph(
    tmp_path: Path,
    run: Run,
    fake: FakeOpenAI,
    capsys: pytest.CaptureFixture[str],
    faults: list[Fault],
    says: str,
    most: int,
) -> None:
    fake.faults.extend(faults)
    many = [film(key, f"Film {key}", f"Story {key} of a night.") for key in range(60)]
    assert run(many) == 1
    captured = capsys.readouterr()
    assert says in captured.err
    assert "request only the rest" in captured.err
    assert len(fake.requests) <= most
    assert not (tmp_path / "graph").exists()


def test_a_few_texts_that_all_fail_build_nothing(
    tmp_path: Path, run: Run, fake: FakeOpenAI
) -> None:
    fake.faults.extend([failure(400)] * 2)
    assert run(STORIES) == 1
    assert not (tmp_path / "graph").exists()


def test_a_second_load_asks_nothing_and_a_changed_text_is_asked_again(
    tmp_path: Path, run: Run, chat: ExtractingChat, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(STORIES) == 0
    first = (tmp_path / "graph" / "manifest.json").read_text()
    before = list(chat.asked)
    assert run(STORIES) == 0
    assert chat.asked == before
    assert (tmp_path / "graph" / "manifest.json").read_text() == first
    assert "Extracting: 0 requests answered, 2 already answered" in capsys.readouterr().out
    changed = film(2, "Moon", f"{MOON} He is not alone.", year=2009)
    assert run([STORIES[0], changed]) == 0
    assert chat.titles[len([1 for shape, _ in before if shape == "Extraction"]) :] == ["Moon"]


def test_a_long_text_is_read_in_parts_with_its_title(
    run: Run, chat: ExtractingChat, fake: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    long = " ".join(f"The watch number {at} was quiet." for at in range(700)) + f" {ALIEN}"
    assert run([film(1, "Alien", long)]) == 0
    assert chat.titles == ["Alien"] * 2
    output = capsys.readouterr().out
    assert "1 FEATURES_CHARACTER, 2 INCLUDES_THEME, 1 SET_IN" in output


def test_another_domain_is_read_by_its_own_contract(
    tmp_path: Path, endpoint: str, chat: ExtractingChat, fake: FakeOpenAI
) -> None:
    place = tmp_path / "in"
    place.mkdir()
    soup = {
        "kind": "Recipe",
        "id": 1,
        "name": "Ribollita",
        "content": "Boil white beans and old bread in a Tuscan pot.",
        "vegan": True,
    }
    (place / "all.jsonl").write_text(json.dumps(soup) + "\n")
    chat.said = {
        "Ribollita": {
            "NEEDS": [("White Bean", "white beans"), ("Bread", "old bread"), ("Salt", "salt")],
            "COMES_FROM": [("Tuscan", "a Tuscan pot")],
        }
    }
    graph = tmp_path / "graph"
    command = ["load", str(place), "--into", str(graph), "--no-embeddings", "--extract"]
    assert main([*command, "--contract", str(TOY / "contract")]) == 0
    system = fake.requests[0].body["messages"][0]["content"]
    assert "`NEEDS` (the ingredient goes into the dish): names of Ingredient." in system
    assert "film" not in system.lower()
    result = query_graph(
        graph,
        "SELECT i.Name FROM Recipe AS r, NEEDS AS n, Ingredient AS i WHERE MATCH(r-(n)->i) "
        "ORDER BY i.Name",
        toy_contract(),
    )
    assert result == [("Bread",), ("White Bean",)]
