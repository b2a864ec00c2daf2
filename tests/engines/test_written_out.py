"""Size of translations: chains and nests of operators, subqueries that are named often."""

from collections.abc import Callable

import pytest

from moviegraph.engines.base import Engine, ResultSet
from moviegraph.errors import ExecutionError

Run = Callable[..., ResultSet]


@pytest.mark.parametrize(
    ("link", "limit"),
    [("+ 1", 100), ("* 1", 100), ("% 1", 100), ("& 1", 100), ("- 1.5", 100), ("/ 2e0", 33)],
)
def test_the_longest_chain_of_operators_runs(run: Run, link: str, limit: int) -> None:
    chain = f"m.Id{f' {link}' * limit}"
    assert run(f"SELECT {chain} AS x FROM Movie AS m WHERE m.Id = 1").rows


def test_expressions_that_nest_too_deeply_are_refused(engine: Engine, run: Run) -> None:
    if engine.describe().engine != "embedded":
        pytest.skip("only the embedded engine translates")
    with pytest.raises(ExecutionError, match="nested too deeply") as refused:
        run(f"SELECT {'ABS(' * 4}m.Id{(' + 1' * 60 + ')') * 4} AS x FROM Movie AS m")
    assert refused.value.code == "too_complex"


OFTEN_NAMED = (
    (
        "SELECT TOP 9 m.Id, TRY_CAST({word} AS INT) + TRY_CAST({word} AS DECIMAL(9, 2)) AS x "
        "FROM Movie AS m{once} ORDER BY m.Id"
    ),
    (
        "SELECT TOP 9 m.Id FROM Movie AS m{once} WHERE TRY_CAST({word} AS INT) IS NULL "
        "AND ISNULL(TRY_CAST({word} AS INT), 3) IN (SELECT p.Id FROM Movie AS p) ORDER BY m.Id"
    ),
    (
        "SELECT TOP 9 m.Id, CASE WHEN {name} IN (SELECT y.Name FROM Movie AS y) AND {word} > 'a' "
        "THEN LEFT({word}, LEN({word})) + m.Name END AS x FROM Movie AS m{once} ORDER BY m.Id"
    ),
    (
        "SELECT TOP 9 m.Id, LAG(CONCAT(TRY_CAST({word} AS INT), TRY_CAST({word} AS DECIMAL(9, 2))))"
        " OVER (ORDER BY m.Id) AS x FROM Movie AS m{once} ORDER BY m.Id"
    ),
    (
        "SELECT TOP 9 m.Id, v.x FROM Movie AS m{once} CROSS APPLY (VALUES "
        "(TRY_CAST({word} AS INT)), (TRY_CAST({word} AS DECIMAL(9, 2))), "
        "(TRY_CAST({word} AS BIGINT))) AS v(x) ORDER BY m.Id, v.x"
    ),
    (
        "SELECT TOP 9 m.Id, SUBSTRING({word}, 1, ROW_NUMBER() OVER (ORDER BY m.Id)) AS x "
        "FROM Movie AS m{once} ORDER BY {word}, m.Id"
    ),
    (
        "SELECT TOP 9 UPPER(m.Name) AS u, CONCAT({word}, COUNT(*), UPPER(m.Name), {word}) AS x "
        "FROM Movie AS m{once} GROUP BY UPPER(m.Name), m.Name, m.Id{kept} HAVING {word} <> 'x' "
        "ORDER BY u"
    ),
    (
        "SELECT TOP 9 g.Id, i.x FROM Genre AS g CROSS APPLY (SELECT TOP 2 {word} + g.Name AS x "
        "FROM Movie AS m{once} WHERE m.Id < 5 + g.Id ORDER BY {word} + g.Name, m.Id) AS i "
        "ORDER BY g.Id, i.x"
    ),
)


@pytest.mark.slow("long")
@pytest.mark.parametrize("often_named", OFTEN_NAMED)
def test_a_subquery_that_is_named_often_is_planned_once(run: Run, often_named: str) -> None:
    inline = "(SELECT MAX(z.Name) FROM Movie AS z WHERE z.Id = m.Id)"
    once = f" CROSS APPLY (SELECT {inline} AS n) AS x"
    written_out = _with_words(often_named, name=inline, once="", kept_text="")
    made_once = _with_words(often_named, name="x.n", once=once, kept_text=", x.n")
    assert run(written_out, seconds=60).rows == run(made_once, seconds=60).rows


def _with_words(statement: str, *, name: str, once: str, kept_text: str) -> str:
    blank = f"CHARINDEX(' ', {name})"
    word = f"SUBSTRING({name}, {blank} + 1, CHARINDEX(' ', {name}, {blank} + 1))"
    return statement.format(name=name, word=word, once=once, kept=kept_text)
