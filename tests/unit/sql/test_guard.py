import sys
import threading
from collections.abc import Callable

import pytest
from golden import shapes
from golden.corpus import Case, cases, params
from golden.decisions import BOX, TOY, allowed, refused
from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.sql.allow_list import ALLOWED_NODES
from moviegraph.sql.decision import Decision, Refused
from moviegraph.sql.guard import Where, judge
from moviegraph.sql.match_patterns import Match
from moviegraph.sql.render import render

EVERY = [case for corpus in ("honest", "originals", "attacks") for case in cases(corpus)]


@pytest.mark.parametrize("case", params("honest"))
def test_honest_statements_are_allowed(case: Case) -> None:
    allowed(case.sql)


@pytest.mark.parametrize("case", params("originals"))
def test_the_queries_of_the_originals_are_allowed(case: Case) -> None:
    allowed(case.sql)


@pytest.mark.parametrize("case", params("attacks"))
def test_attacks_are_refused_with_their_code(case: Case) -> None:
    decision = refused(case.sql)
    assert decision.code == case.code
    assert decision.message.rstrip().endswith((".", "...", "?"))


@pytest.mark.parametrize("contract", [pytest.param(BOX, id="box"), pytest.param(TOY, id="toy")])
def test_the_examples_of_a_contract_are_allowed(contract: Contract) -> None:
    for example in contract.examples:
        allowed(example.sql, contract)


def test_the_corpora_hold_enough_cases_with_names_of_their_own() -> None:
    assert len(cases("honest")) >= 220
    assert len(cases("attacks")) >= 500
    names = [(case.group, case.name) for case in EVERY]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "table", ["Movie", "Genre", "IN_GENRE"], ids=["node", "other node", "edge"]
)
def test_a_table_of_one_contract_is_unknown_to_another(table: str) -> None:
    allowed(f"SELECT COUNT(*) AS n FROM {table}")
    assert refused(f"SELECT COUNT(*) AS n FROM {table}", TOY).code == "unknown_table"


def _text(decision: Decision) -> str:
    return decision.code if isinstance(decision, Refused) else decision.sql


def _judge_all() -> list[str]:
    return [_text(judge(case.sql, BOX)) for case in EVERY]


def _judge_some() -> list[str]:
    return [_text(judge(case.sql, BOX)) for case in EVERY[::5]]


def _in_thread(work: Callable[[], list[str]]) -> list[str]:
    lines: list[str] = []
    thread = threading.Thread(target=lambda: lines.extend(work()))
    thread.start()
    thread.join()
    return lines


def _deep(depth: int) -> list[str]:
    return _deep(depth - 1) if depth else _judge_some()


@pytest.mark.slow("long")
def test_decisions_are_the_same_in_a_thread_and_deep_in_a_stack() -> None:
    expected = _judge_some()
    assert _in_thread(_judge_some) == expected
    assert _in_thread(lambda: _deep(250)) == expected


@pytest.mark.slow("long")
def test_too_small_a_stack_refuses_and_does_not_raise() -> None:
    limit = sys.getrecursionlimit()

    def work() -> list[str]:
        sys.setrecursionlimit(60)
        try:
            return _judge_all()
        finally:
            sys.setrecursionlimit(limit)

    codes = _in_thread(work)
    assert len(codes) == len(EVERY)
    assert "too_large" in codes


@pytest.mark.slow("long")
def test_judging_in_many_threads_at_once_gives_the_same() -> None:
    expected = _judge_some()
    results: list[list[str]] = []
    threads = [threading.Thread(target=lambda: results.append(_judge_some())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


@pytest.mark.slow("long")
def test_the_trees_of_sqlglot_have_the_shapes_that_were_reviewed() -> None:
    """A new sqlglot that moves an argument shows here; read the change, then `shapes.store()`."""
    assert shapes.corpus_shapes() == shapes.stored()


def test_every_shape_that_was_seen_is_on_the_allow_list() -> None:
    for name, arguments in shapes.stored().items():
        assert set(arguments) <= ALLOWED_NODES[name]


def test_the_allow_list_names_only_what_sqlglot_has() -> None:
    for name, arguments in ALLOWED_NODES.items():
        expression_class = getattr(exp, name)
        assert arguments <= set(expression_class.arg_types) | {"for_"}, name


def test_a_fault_of_a_pass_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise AttributeError("a fault")

    monkeypatch.setattr("moviegraph.sql.guard.check_grammar", broken)
    decision = refused("SELECT Name FROM Movie")
    assert decision.code == "internal_error"
    assert isinstance(decision.fault, AttributeError)
    assert "the statement itself may be valid" in decision.message


@pytest.mark.parametrize(
    "expression",
    [
        "REPLICATE('x', 8001)",
        "REPLICATE('x', m.Id)",
        "REPLICATE('x', -8001)",
        "REPLICATE('x', 1e4)",
        "REPLICATE('x', '5')",
        "REPLICATE(m.Content, 2)",
        "REPLICATE(CAST('x' AS NVARCHAR(MAX)), 2)",
        "REPLICATE(CONCAT(m.Content, 'x'), 2)",
        "REPLICATE(REPLICATE('x', 10), 10)",
        "REPLICATE(UPPER(REPLICATE('x', 10)), 10)",
        "SPACE(8001)",
        "SPACE(LEN(m.Name))",
    ],
)
def test_a_text_that_may_grow_without_bound_is_refused(expression: str) -> None:
    assert refused(f"SELECT {expression} AS x FROM Movie AS m").code == "too_large"


@pytest.mark.parametrize(
    "expression",
    [
        "REPLICATE(m.Name, 8000)",
        "REPLICATE('x', 2.9)",
        "REPLICATE('x', -1)",
        "REPLICATE('x', NULL)",
        "RIGHT(REPLICATE('0', 8) + CAST(m.Id AS VARCHAR(9)), 8)",
        "REPLICATE(CAST(m.Content AS NVARCHAR(100)), 3)",
        "SPACE(8000)",
    ],
)
def test_a_text_is_repeated_a_known_number_of_times(expression: str) -> None:
    allowed(f"SELECT {expression} AS x FROM Movie AS m")


@pytest.mark.parametrize(
    ("sql", "rendered", "misread"),
    [
        pytest.param("SELECT Name FROM Movie", "[Name]", "[Id]", id="column"),
        pytest.param(
            "SELECT m.Name FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH(m-(e)->g)",
            "[m]-([e])->[g]",
            "[g]<-([e])-[m]",
            id="pattern",
        ),
    ],
)
def test_an_output_that_reads_differently_is_refused(
    sql: str, rendered: str, misread: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rendered in allowed(sql).sql

    def other(tree: exp.Expr, matches: tuple[Match, ...]) -> str:
        return render(tree, matches).replace(rendered, misread)

    monkeypatch.setattr("moviegraph.sql.guard.render", other)
    assert refused(sql).code == "syntax"


def test_a_where_is_judged_like_everything_else() -> None:
    sql = "SELECT n.Id FROM Movie AS n"
    assert allowed(sql, where=Where("Id > 1", "Movie", "n")).sql.endswith("WHERE ([n].[Id] > 1)")
    assert refused("DROP TABLE Movie", where=Where("Id > 1", "Movie", "n")).code == "not_select"
