"""`moviegraph eval`: scores, misses and status, over the toy graph."""

import json
from pathlib import Path
from typing import Any

import pytest

from moviegraph.cli import main
from moviegraph.cli.evaluation import recall, reciprocal

ROOT = Path(__file__).parents[2]
WORDS = {
    "question": "What has chickpeas?",
    "expect": {"Recipe": ["Hummus", 1]},
    "call": {"tool": "fulltext_search", "arguments": {"query": "chickpeas", "kind": "Recipe"}},
}
ROWS = {
    "question": "Which dishes are first?",
    "expect": {"recipe": [2, 1]},
    "sql": "SELECT Number FROM Recipe ORDER BY Number",
}
FAILED = {**ROWS, "sql": "SELECT 1/0"}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, graph_folder: Path, tmp_path: Path) -> None:
    monkeypatch.setenv("MOVIEGRAPH_GRAPH", str(graph_folder))
    monkeypatch.setenv("MOVIEGRAPH_JOURNAL", str(tmp_path / "journal.sqlite"))


def written(folder: Path, *questions: Any) -> str:
    path = folder / "questions.jsonl"
    lines = (text if isinstance(text, str) else json.dumps(text) for text in questions)
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.mark.slow("long")
def test_each_tool_has_its_scores_and_misses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, WORDS, ROWS, "", FAILED)
    assert main(["eval", path, "--json", "--top", "3"]) == 0
    summary = json.loads(capsys.readouterr().out)
    tools = summary["tools"]
    assert (summary["top"], list(tools)) == (3, ["fulltext_search", "run_readonly_sql"])
    assert tools["fulltext_search"] == {
        "questions": 1,
        "recall": 0.5,
        "mrr": 1.0,
        "misses": [
            {
                "line": "questions.jsonl:1",
                "question": WORDS["question"],
                "missing": [{"kind": "Recipe", "id": 1, "name": "Ratatouille"}],
            }
        ],
    }
    assert (tools["run_readonly_sql"]["recall"], tools["run_readonly_sql"]["mrr"]) == (0.5, 0.5)
    assert "divide_by_zero" in tools["run_readonly_sql"]["misses"][0]["error"]
    assert main(["eval", path]) == 0
    text = capsys.readouterr().out
    assert "fulltext_search           1 question  recall@10 0.500  MRR 1.000" in text
    assert "missing: Recipe Ratatouille" in text


@pytest.mark.slow("long")
@pytest.mark.parametrize(("least", "status"), [("0.5", 0), ("0.51", 1)])
def test_a_recall_below_the_least_has_status_1(tmp_path: Path, least: str, status: int) -> None:
    assert main(["eval", written(tmp_path, WORDS), "--min-recall", least]) == status


@pytest.mark.slow("long")
@pytest.mark.parametrize(
    ("expected", "says"),
    [
        pytest.param({"Recipe": ["No such dish"]}, "questions.jsonl:1", id="name"),
        pytest.param({"Recipe": [999]}, "not_found", id="id"),
        pytest.param({"Dish": [1]}, "there is no kind 'Dish'", id="kind"),
    ],
)
def test_what_the_graph_has_not_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], expected: dict[str, Any], says: str
) -> None:
    assert main(["eval", written(tmp_path, {**WORDS, "expect": expected})]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        pytest.param("{", "Invalid JSON", id="no JSON"),
        pytest.param([1], "the line", id="a list"),
        pytest.param({"question": "?"}, "expect", id="nothing expected"),
        pytest.param({**WORDS, "expect": {}}, "expect", id="no kind"),
        pytest.param({**WORDS, "expect": {"Recipe": []}}, "expect.Recipe", id="no record"),
        pytest.param({**WORDS, "expect": {"Recipe": [True]}}, "expect.Recipe", id="truth"),
        pytest.param({**WORDS, "call": "search"}, "call", id="call"),
        pytest.param({**WORDS, "sql": "SELECT 1"}, "one of them", id="both"),
        pytest.param({**WORDS, "comment": ""}, "comment", id="member"),
        pytest.param("", "no question", id="empty"),
    ],
)
def test_a_line_that_is_no_question_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: Any, says: str
) -> None:
    assert main(["eval", written(tmp_path, line)]) == 2
    assert says in capsys.readouterr().err


def test_recall_is_of_what_could_be_found_and_rank_of_the_first_hit() -> None:
    assert recall([4, 1, 2], {1, 2}, 2) == 0.5
    assert recall(list(range(20)), set(range(30))) == 1
    assert reciprocal([4, 1, 2], {1, 2}) == 0.5
    assert reciprocal([4], {1}) == 0


@pytest.mark.slow("long")
def test_the_example_questions_are_answered_on_the_films(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.delenv("MOVIEGRAPH_GRAPH")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = ROOT / "examples" / "film_questions.jsonl"
    assert main(["eval", str(path), "--min-recall", "0.9", "--json"]) == 0
    tools = json.loads(capsys.readouterr().out)["tools"]
    for search in ("get_planning_context", "hybrid_search"):
        assert tools[search]["questions"] == 10
