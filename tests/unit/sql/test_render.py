import pytest
from golden.corpus import Case, cases, params
from golden.decisions import allowed, refused
from sqlglot import exp

from moviegraph.sql.render import render, same_tree


@pytest.mark.parametrize(
    ("sql", "rendered"),
    [
        pytest.param(
            "select m.name as [a]]b] from movie m",
            "SELECT TOP 20 [m].[Name] AS [a]]b] FROM [dbo].[Movie] AS [m]",
            id="closing bracket in a name",
        ),
        pytest.param(
            'SELECT Name AS "c""d" FROM Movie',
            'SELECT TOP 20 [Name] AS [c"d] FROM [dbo].[Movie]',
            id="quote in a name",
        ),
        pytest.param(
            "SELECT COUNT(*) AS n FROM IN_GENRE i GROUP BY i.$from_id",
            "SELECT TOP 20 COUNT(*) AS [n] FROM [dbo].[IN_GENRE] AS [i] GROUP BY [i].$from_id",
            id="pseudo-columns stay bare",
        ),
        pytest.param(
            "SELECT g.Name FROM Movie m, IN_GENRE i, Genre g WHERE match(m-(i)->g)",
            "SELECT TOP 20 [g].[Name] FROM [dbo].[Movie] AS [m], [dbo].[IN_GENRE] AS [i], "
            "[dbo].[Genre] AS [g] WHERE MATCH([m]-([i])->[g])",
            id="match",
        ),
        pytest.param(
            "SELECT k.RANK FROM freetexttable(movie, *, 'x', LANGUAGE 1033, 5) k",
            "SELECT TOP 20 [k].[RANK] FROM FREETEXTTABLE([dbo].[Movie], *, 'x', LANGUAGE 1033, 5) "
            "AS [k]",
            id="full-text table",
        ),
        pytest.param(
            "SELECT x.Id FROM (SELECT Id FROM Movie) x",
            "SELECT TOP 20 [x].[Id] FROM (SELECT [Id] AS [Id] FROM [dbo].[Movie]) AS [x]",
            id="names of derived columns",
        ),
    ],
)
def test_identifiers_are_bracketed_and_marks_are_gone(sql: str, rendered: str) -> None:
    assert allowed(sql).sql == rendered


def _accepted() -> list[Case]:
    return cases("honest") + cases("originals")


@pytest.mark.slow("long")
def test_rendering_leaves_the_judged_tree_as_it_is() -> None:
    for case in _accepted():
        decision = allowed(case.sql)
        before = decision.tree.copy()
        assert render(decision.tree, decision.matches) == decision.sql
        assert same_tree(before, decision.tree)


@pytest.mark.parametrize("case", [*params("honest"), *params("originals")])
def test_the_output_is_judged_to_itself_without_a_note(case: Case) -> None:
    first = allowed(case.sql)
    second = allowed(first.sql)
    assert second.sql == first.sql
    assert not [note for note in second.notes if "stop words" not in note]
    assert second.outputs == first.outputs
    assert (second.cap, second.json, second.uses_query) == (
        first.cap,
        first.json,
        first.uses_query,
    )


@pytest.mark.slow("long")
def test_no_mark_of_the_lowering_reaches_the_output() -> None:
    for case in _accepted():
        assert "__" not in allowed(case.sql).sql


@pytest.mark.slow("long")
def test_every_name_of_the_output_is_bracketed_but_pseudo_columns() -> None:
    for case in _accepted():
        for name in allowed(case.sql).tree.find_all(exp.Identifier):
            assert name.args["quoted"] is not name.name.startswith("$"), name.name


def test_a_statement_that_grows_too_large_when_written_out_is_refused() -> None:
    columns = ", ".join(["Id"] * 25)
    text = f"SELECT {columns} FROM Movie WHERE Name = '{'x' * 3900}' OR Content = '{'y' * 3900}'"
    decision = refused(text)
    assert decision.code == "too_large"
    assert "Written out" in decision.message
