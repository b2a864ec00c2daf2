import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from queue import Empty
from typing import Any, cast

import pytest
from fakes.gated_engine import GatedEngine
from fakes.limits import limits
from fakes.scripted_engine import ScriptedEngine
from fakes.sessions import call, scripted_session
from pydantic import BaseModel

from moviegraph.engines.base import Budget, ResultSet, Statement
from moviegraph.errors import ArgumentError, ExecutionError, QueryTimeoutError
from moviegraph.llm.language_model import LanguageModel
from moviegraph.query.session import Call, Session
from moviegraph.strategies import strategy_runner as strategies
from moviegraph.strategies.strategy_runner import Strategy

QUESTION = "films with rebels on a desert planet"
NEAREST = (
    "SELECT TOP 3 m.Id, m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)"
)
REBELS = (
    "SELECT m.Id, m.Name FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t "
    "WHERE MATCH(m-(e)->t) AND t.Name = 'Rebellion'"
)
REVERSED_ARROW = REBELS.replace("m-(e)->t", "t-(e)->m")
HOPELESS = "SELECT m.Director FROM Movie AS m"
EMPTY = "SELECT m.Id FROM Movie AS m WHERE m.Name = 'nothing of that name'"
LOWERED = "TOP 50 was lowered to 3, the maximum."
FILMS_PER_YEAR = "SELECT m.ReleaseYear, COUNT(*) AS n FROM Movie AS m GROUP BY m.ReleaseYear"


def strategy(name: str, command: str, query: str | None = None) -> Strategy:
    return Strategy(name, f"Trying {name}", query, command)


def run(session: Session, *plan: Strategy, **arguments: Any) -> dict[str, Any]:
    return strategies.run(
        session, call("run_strategies"), question=QUESTION, strategies=plan, **arguments
    )


def test_each_strategy_has_its_own_status_and_a_bad_one_spoils_nothing(films: Session) -> None:
    answer = run(
        films,
        strategy("near", NEAREST, "rebels on a desert planet"),
        strategy("hopeless", HOPELESS),
        strategy("nobody", EMPTY),
        strategy("graph", REVERSED_ARROW),
    )

    result = {execution["strategy_id"]: execution for execution in answer["executions"]}
    assert [execution["strategy_id"] for execution in answer["executions"]] == [
        "near",
        "hopeless",
        "nobody",
        "graph",
    ]
    assert [execution["status"] for execution in answer["executions"]] == [
        "ok",
        "failed",
        "empty",
        "ok",
    ]
    assert result["near"]["row_count"] == 3
    assert result["near"]["shown"] == len(result["near"]["rows"]) == 3
    assert result["near"]["columns"] == ["Id", "Name"]
    assert result["hopeless"]["attempts"][0]["code"] == "unknown_column"
    assert result["hopeless"]["quality"] is None
    assert set(result["graph"]["quality"]) == {
        *("rows", "nodes", "similarity", "agreement", "novelty", "score"),
    }


def test_a_repair_is_reported_attempt_by_attempt(films: Session) -> None:
    (graph,) = run(films, strategy("graph", REVERSED_ARROW))["executions"]

    assert [attempt["code"] for attempt in graph["attempts"]] == ["wrong_arrow", None]
    assert graph["attempts"][0]["sql"] == REVERSED_ARROW
    assert graph["attempts"][1]["rule"] == "turned_arrow"


def test_notes_and_truncation_are_reported_where_there_are_any(films: Session) -> None:
    plan = (
        strategy("capped", "SELECT TOP 50 Id FROM Movie"),
        strategy("silent", "SELECT TOP 5 Id FROM Movie WHERE CONTAINS(Content, '\"her\"')"),
        strategy("named", "SELECT TOP 5 Id FROM Genre WHERE Name = 'Sci-Fi'"),
        strategy("plain", "SELECT TOP 2 Id FROM Movie WHERE Id <= 2"),
    )
    session = replace(films, limits=limits(top=3))

    capped, silent, named_result, plain = run(session, *plan)["executions"]

    assert (capped["truncated"], capped["notes"]) == ("rows", [LOWERED])
    assert any("stop words" in note for note in silent["notes"])
    assert any("Science Fiction" in note for note in named_result["notes"])
    assert not {"notes", "truncated"} & plain.keys()


def test_without_repair_the_refusal_is_returned(films: Session) -> None:
    (graph,) = run(films, strategy("graph", REVERSED_ARROW), repair=False)["executions"]

    assert (graph["status"], len(graph["attempts"])) == ("failed", 1)


def test_nodes_are_fused_by_rank_with_all_that_found_them(films: Session) -> None:
    answer = run(
        films,
        strategy("near", NEAREST, "A farm boy leaves his desert planet"),
        strategy("graph", REBELS),
        strategy("counted", FILMS_PER_YEAR),
    )

    assert answer["fused"]["columns"] == ["Kind", "Id", "Name", "Score", "FoundBy"]
    rows = answer["fused"]["rows"]
    assert rows[0][:3] == ["Movie", 1, "Star Wars"]
    assert rows[0][4] == ["near", "graph"]
    assert len({(row[0], row[1]) for row in rows}) == len(rows)
    assert [row[3] for row in rows] == sorted((row[3] for row in rows), reverse=True)
    assert [execution["fusable"] for execution in answer["executions"]] == [True, True, False]


def test_the_best_is_named_with_its_reason(films: Session) -> None:
    answer = run(
        films,
        strategy("counted", FILMS_PER_YEAR),
        strategy("near", NEAREST, "A farm boy leaves his desert planet"),
    )

    assert answer["best"] == answer["executions"][1]["execution_id"]
    assert answer["why"].startswith("near has the highest score, 0.")


def test_nothing_found_has_no_best(films: Session) -> None:
    empty = run(films, strategy("nobody", EMPTY))
    failed = run(films, strategy("hopeless", HOPELESS))

    assert empty["best"] is failed["best"] is None
    assert "Relax" in empty["why"]
    assert "failed" in failed["why"]


STAR_WARS = ResultSet(("Id", "Name"), [(1, "Star Wars")])


class PlanEngine(ScriptedEngine):
    """Answers the commands of a plan, and finds no nodes by their ids."""

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        if "AS [n]" in statement.allowed.sql:
            return ResultSet((), [])
        return super().execute(statement, budget)


def planned_session(engine: ScriptedEngine) -> Session:
    session, _ = scripted_session(None)
    return replace(session, engine=engine)


def test_an_identical_strategy_runs_once_and_is_no_agreement() -> None:
    engine = PlanEngine(STAR_WARS)
    answer = run(
        planned_session(engine),
        strategy("one", REBELS),
        strategy("two", f"  {REBELS} ;\n"),
        strategy("three", REBELS.replace("Rebellion", "Survival")),
    )

    commands = [sql for sql in engine.executed if "MATCH" in sql]
    assert len(commands) == 2
    first, two, three = answer["executions"]
    assert first["execution_id"] == two["execution_id"] != three["execution_id"]
    assert answer["fused"]["rows"][0][4] == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("command", "other"),
    [
        pytest.param("SELECT 'a b' AS Said", "SELECT 'a  b' AS Said", id="literal"),
        pytest.param("SELECT 'it''s a b' AS Said", "SELECT 'it''s a  b' AS Said", id="quote in it"),
        pytest.param(
            "SELECT /* it's text */ 'a b' AS Said",
            "SELECT /* it's text */ 'a  b' AS Said",
            id="quote in a comment",
        ),
        pytest.param(
            "SELECT 'a b' AS Said -- , 'c' AS More\nFROM Movie",
            "SELECT 'a b' AS Said -- , 'c' AS More FROM Movie",
            id="end of a comment",
        ),
        pytest.param("SELECT 1 AS [a b]", "SELECT 1 AS [a  b]", id="name"),
    ],
)
def test_commands_that_differ_within_a_text_are_no_equals(
    films: Session, command: str, other: str
) -> None:
    plan = [strategy("one", command), strategy("two", other)]
    first, second = run(films, *plan)["executions"]

    assert first["execution_id"] != second["execution_id"]
    assert (first["columns"], first["rows"]) != (second["columns"], second["rows"])


def test_the_journal_keeps_question_strategy_quality_and_nodes(films: Session) -> None:
    (near_result,) = run(films, strategy("near", NEAREST, "rebels"))["executions"]
    record = films.journal.find("local", near_result["execution_id"])

    assert record is not None
    assert (record.tool, record.question, record.strategy_id) == (
        "run_strategies",
        QUESTION,
        "near",
    )
    assert record.quality == near_result["quality"]
    assert len(record.keys) == 3
    assert record.query == "rebels"


def test_a_refused_strategy_is_recorded_too(films: Session) -> None:
    (hopeless,) = run(films, strategy("hopeless", HOPELESS))["executions"]
    record = films.journal.find("local", hopeless["execution_id"])

    assert record is not None
    assert (record.status, record.code, record.strategy_id) == (
        "refused",
        "unknown_column",
        "hopeless",
    )


def test_progress_comes_after_each(films: Session) -> None:
    progress_calls: list[tuple[float, float | None, str]] = []

    def progress(done: float, total: float | None, message: str) -> None:
        progress_calls.append((done, total, message))

    plan_call = Call("run_strategies", progress=progress)
    strategies.run(
        films,
        plan_call,
        question=QUESTION,
        strategies=[strategy("graph", REVERSED_ARROW), strategy("nobody", EMPTY)],
    )

    assert [progress_call[:2] for progress_call in progress_calls] == [(1, 2), (2, 2)]
    assert {progress_call[2] for progress_call in progress_calls} == {
        "graph: 4 rows after a repair",
        "nobody: 0 rows",
    }


def test_two_strategies_of_one_id_are_an_argument_error(films: Session) -> None:
    with pytest.raises(ArgumentError, match="same id"):
        run(films, strategy("a", REBELS), strategy("a", EMPTY))


class TimedEngine(PlanEngine):
    """Lets every statement about Survival run out of time."""

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        if "Survival" in statement.allowed.sql:
            raise QueryTimeoutError("The statement took too long.")
        return super().execute(statement, budget)


def test_what_is_finished_is_returned_when_time_is_up() -> None:
    answer = run(
        planned_session(TimedEngine(STAR_WARS)),
        strategy("slow", REBELS.replace("Rebellion", "Survival")),
        strategy("quick", REBELS),
    )

    slow, quick = answer["executions"]
    assert (slow["status"], slow["attempts"][-1]["code"]) == ("failed", "timeout")
    assert quick["status"] == "ok"
    assert answer["best"] == quick["execution_id"]


def test_no_time_at_all_fails_every_strategy_by_timeout() -> None:
    session, engine = scripted_session(ResultSet((), []), limits(total_timeout=0))
    answer = run(session, strategy("late", REBELS), strategy("later", EMPTY))

    codes = [execution["attempts"][-1]["code"] for execution in answer["executions"]]
    assert codes == ["timeout", "timeout"]
    assert engine.executed == []


def test_a_fault_of_the_server_fails_one_strategy_and_shows_no_detail() -> None:
    session, _ = scripted_session(RuntimeError("secret path /srv/graph"))
    answer = run(session, strategy("one", REBELS))

    assert answer["executions"][0]["attempts"][-1]["code"] == "internal_error"
    assert "/srv" not in json.dumps(answer)


def test_an_error_of_the_engine_is_the_strategys_own() -> None:
    session, _ = scripted_session(ExecutionError("Divide by zero.", code="divide_by_zero"))
    (execution,) = run(session, strategy("one", REBELS))["executions"]

    assert execution["attempts"][-1]["code"] == "divide_by_zero"


@pytest.mark.slow("long")
def test_the_answer_stays_within_its_size() -> None:
    long = "word " * 3_000
    rows: list[tuple[Any, ...]] = [(number, long, long) for number in range(20)]
    session = planned_session(PlanEngine(ResultSet(("Id", "Name", "Content"), rows)))
    padding = " OR ".join(f"m.Content LIKE '%{n:04}{'x' * 60}%'" for n in range(60))
    plan = [
        strategy(
            f"s{n}", f"SELECT m.Id, m.Name, m.Content FROM Movies m WHERE m.Id > {n} OR {padding}"
        )
        for n in range(10)
    ]
    answer = run(session, *plan)

    assert len(json.dumps(answer)) < 80_000
    assert all(execution["status"] == "ok" for execution in answer["executions"])


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param("\u7535\u5f71" * 5_000, id="characters that are tokens"),
        pytest.param("\U0001f39e" * 5_000, id="pictures"),
        pytest.param("\u043a\u0438\u043d\u043e " * 5_000, id="another alphabet"),
        pytest.param("x9-Qz " * 3_000, id="words of no language"),
    ],
)
def test_the_answer_stays_under_25_000_tokens_whatever_comes_back(cell: str) -> None:
    columns = tuple(f"{cell[:60]}{number}" for number in range(60))
    session = planned_session(PlanEngine(ResultSet(columns, [tuple([cell] * 60)] * 20)))
    plan = [strategy(f"s{n}", f"SELECT m.Id FROM Movie AS m WHERE m.Id > {n}") for n in range(10)]

    answer = run(session, *plan)
    text, escaped = json.dumps(answer, ensure_ascii=False), json.dumps(answer)

    beyond = sum(character > "\x7f" for character in text)
    assert (len(text) - beyond) / 3 + 1.5 * beyond < 25_000
    assert escaped.count("\\u") * 4 + (len(escaped) - 6 * escaped.count("\\u")) / 3 < 25_000


def test_another_contract_is_fused_by_its_own_keys(kitchen: Session) -> None:
    answer = strategies.run(
        kitchen,
        call(),
        question="something vegan with lentils",
        strategies=[
            strategy("words", "SELECT r.Number, r.Title FROM Recipe AS r WHERE r.Vegan = 1"),
            strategy("titles", "SELECT r.Title FROM Recipe AS r WHERE r.Minutes < 90"),
        ],
    )

    assert all(execution["fusable"] for execution in answer["executions"])
    assert {row[0] for row in answer["fused"]["rows"]} == {"Recipe"}
    assert all(isinstance(row[1], int) for row in answer["fused"]["rows"])


def test_a_draft_of_a_model_that_asks_something_else_is_reported_and_recorded(
    films: Session,
) -> None:
    class Drifting:
        name = "test:drifting"

        def answer(self, system: str, user: str, shape: type[BaseModel], _: Any = None) -> Any:
            return shape.model_validate({"sql": "SELECT m.Id FROM Movie AS m", "reason": ""})

    session = replace(films, model=cast("LanguageModel", Drifting()))
    (message,) = run(session, strategy("hopeless", f"{HOPELESS} WHERE m.Id = 42"))["executions"]
    execution = films.journal.find("local", message["execution_id"])

    assert message["status"] == "failed"
    assert [attempt["code"] for attempt in message["attempts"]] == [
        "unknown_column",
        "another_question",
    ]
    assert message["attempts"][1]["rule"] == "provider"
    assert execution is not None
    assert [attempt.method for attempt in execution.attempts] == [None, "provider"]


class BombedEngine(PlanEngine):
    """Hangs in every statement about Survival until its time is over."""

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        if "Survival" in statement.allowed.sql:
            threading.Event().wait(budget.seconds)
            raise QueryTimeoutError("The statement took too long.")
        return super().execute(statement, budget)


@pytest.mark.parametrize("model", [pytest.param(False, id="rules"), pytest.param(True, id="model")])
def test_four_statements_run_at_once(model: bool) -> None:
    engine = GatedEngine("Movie")
    session = replace(scripted_session(None)[0], engine=engine)
    if model:
        session = replace(session, model=cast("LanguageModel", object()))
    plan = [strategy(f"s{n}", f"SELECT m.Id FROM Movie AS m WHERE m.Id = {n}") for n in range(10)]
    with ThreadPoolExecutor() as pool:
        running = pool.submit(run, session, *plan)
        try:
            for _ in range(4):
                engine.arrived.get(timeout=60)
            with pytest.raises(Empty):
                engine.arrived.get(timeout=0.2)
        finally:
            engine.let_go(10)
        assert {execution["status"] for execution in running.result()["executions"]} == {"ok"}


@pytest.mark.slow("time limit")
@pytest.mark.parametrize("model", [pytest.param(False, id="rules"), pytest.param(True, id="model")])
def test_nine_that_hang_leave_time_to_the_tenth(model: bool) -> None:
    session = replace(
        planned_session(BombedEngine(STAR_WARS)), limits=limits(timeout=60, total_timeout=3)
    )
    if model:
        session = replace(session, model=cast("LanguageModel", object()))
    bomb = REBELS.replace("Rebellion", "Survival")
    bombs = [strategy(f"bomb{n}", f"{bomb} AND m.Id > {n}") for n in range(9)]

    *hung, good = run(session, *bombs, strategy("good", REBELS))["executions"]

    assert {execution["attempts"][-1]["code"] for execution in hung} == {"timeout"}
    assert good["status"] == "ok"
