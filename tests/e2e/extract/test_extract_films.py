"""Twenty films of the bundled graph are read with few requests; each shows its evidence."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fakes.extracting_chat import ExtractingChat
from fakes.fake_openai import FakeOpenAI
from fakes.sessions import query_graph
from fakes.story_source import Run

from moviegraph.settings import content_folder

TITLES = (
    "Alien|Aliens|Back to the Future|Back to the Future Part II|Blade Runner|Casablanca|Gladiator|"
    "Amélie|Metropolis|Seven Samurai|Solaris|The Magnificent Seven|The Maltese Falcon|The Matrix|"
    "The Matrix Reloaded|The Terminator|Terminator 2: Judgment Day|The Truman Show|Toy Story|"
    "Toy Story 2"
).split("|")
EDGES = ("FEATURES_CHARACTER", "SET_IN", "INCLUDES_THEME", "IN_GENRE")
MOST_REQUESTS = 80


def rows(name: str) -> list[dict[str, Any]]:
    text = (content_folder("data") / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def films() -> list[dict[str, Any]]:
    by_name = {row["name"]: row for row in rows("nodes_Movie")}
    return [by_name[title] for title in TITLES]


@pytest.fixture(scope="module")
def named(films: list[dict[str, Any]]) -> dict[str, dict[str, list[tuple[str, str]]]]:
    """What a model names in them: the nodes of the graph, with words of the text as evidence."""
    titles = {film["id"]: film for film in films}
    names = {
        (row["kind"], row["id"]): row["name"]
        for kind in ("Character", "Setting", "Theme", "Genre")
        for row in rows(f"nodes_{kind}")
    }
    kinds = dict(zip(EDGES, ("Character", "Setting", "Theme", "Genre"), strict=True))
    said: dict[str, dict[str, list[tuple[str, str]]]] = {title: {} for title in TITLES}
    for edge, kind in kinds.items():
        for at, row in enumerate(rows(f"edges_{edge}")):
            if film := titles.get(row["from"]):
                name, words = names[kind, row["to"]], film["content"].split()
                at %= len(words) - 3
                evidence = name if name in film["content"] else " ".join(words[at : at + 3])
                said[film["name"]].setdefault(edge, []).append((name, evidence))
    return said


def test_twenty_films_take_few_requests_and_each_shows_its_evidence(
    tmp_path: Path,
    run: Run,
    chat: ExtractingChat,
    fake: FakeOpenAI,
    films: list[dict[str, Any]],
    named: dict[str, dict[str, list[tuple[str, str]]]],
) -> None:
    chat.said = named
    assert run(films) == 0
    shapes = Counter(shape for shape, _ in chat.asked)
    assert shapes["Extraction"] == len(TITLES)
    assert len(fake.requests) <= MOST_REQUESTS
    described = [
        json.loads(line)
        for request in fake.requests
        if '"named_by": ' in (prompt := request.body["messages"][1]["content"])
        for line in prompt.splitlines()
        if line.startswith("{")
    ]
    assert described
    for node in described:
        assert len(node["named_by"]) > 1, "a template describes what one film names"
        assert all(use["words"] in f"{use['Movie']} | {use['text']}" for use in node["named_by"])
    told = {node["name"] for node in described}
    graph = tmp_path / "graph"
    texts = dict(query_graph(graph, "SELECT t.Name, t.Content FROM Setting AS t"))
    assert any(name not in told for name in texts)
    assert all(text.startswith(name) for name, text in texts.items() if name not in told)


def test_titles_alone_connect_the_films_of_a_series(
    tmp_path: Path,
    run: Run,
    chat: ExtractingChat,
    films: list[dict[str, Any]],
) -> None:
    assert run(films) == 0
    assert Counter(shape for shape, _ in chat.asked)["SameNames"] == 1
    series = query_graph(
        tmp_path / "graph",
        "SELECT s.Name, m.Name FROM Movie AS m, PART_OF_SERIES AS p, Series AS s "
        "WHERE MATCH(m-(p)->s) ORDER BY s.Name, m.Name",
    )
    assert series == [
        ("Alien", "Alien"),
        ("Alien", "Aliens"),
        ("Back to the Future", "Back to the Future"),
        ("Back to the Future", "Back to the Future Part II"),
        ("The Matrix", "The Matrix"),
        ("The Matrix", "The Matrix Reloaded"),
        ("The Terminator", "Terminator 2: Judgment Day"),
        ("The Terminator", "The Terminator"),
        ("Toy Story", "Toy Story"),
        ("Toy Story", "Toy Story 2"),
    ]
