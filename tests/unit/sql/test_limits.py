import pytest
from golden.decisions import BOX, TOY, allowed, refused

from moviegraph.sql.guard import RowLimits, contract_limits, with_one_more_row


@pytest.mark.parametrize(
    ("sql", "cap", "capped"),
    [
        pytest.param("SELECT Name FROM Movie", "TOP 20 ", True, id="none"),
        pytest.param("SELECT TOP 5 Name FROM Movie", "TOP 5 ", False, id="smaller"),
        pytest.param("SELECT TOP 20 Name FROM Movie", "TOP 20 ", False, id="equal"),
        pytest.param("SELECT TOP 1000000000 Name FROM Movie", "TOP 20 ", True, id="larger"),
        pytest.param(f"SELECT TOP {'9' * 40} Name FROM Movie", "TOP 20 ", True, id="far larger"),
        pytest.param("SELECT TOP 0 Name FROM Movie", "TOP 0 ", False, id="zero"),
        pytest.param("SELECT TOP ((7)) Name FROM Movie", "TOP 7 ", False, id="parentheses"),
        pytest.param("SELECT DISTINCT Name FROM Movie", "DISTINCT TOP 20 ", True, id="distinct"),
        pytest.param("SELECT Name FROM Movie LIMIT 7", "TOP 7 ", False, id="limit"),
        pytest.param("(SELECT Name FROM Movie)", "(SELECT TOP 20 ", True, id="in parentheses"),
        pytest.param("((SELECT TOP 90 Id FROM Movie))", "((SELECT TOP 20 ", True, id="twice"),
        pytest.param("SELECT Name FROM Movie FOR JSON PATH", "TOP 20 ", True, id="json"),
        pytest.param(
            "WITH c AS (SELECT Id FROM Movie) SELECT Id FROM c", "TOP 20 ", True, id="cte"
        ),
        pytest.param("SELECT 1 AS x", "TOP 20 ", False, id="no table"),
        pytest.param("SELECT MAX(Id) AS x FROM Movie", "TOP 20 ", False, id="one row"),
    ],
)
def test_the_root_carries_a_literal_top(sql: str, cap: str, capped: bool) -> None:
    decision = allowed(sql)
    assert cap in decision.sql
    assert decision.cap == int("".join(filter(str.isdigit, cap)))
    assert (decision.cap_note is not None) is capped
    assert decision.json is ("FOR JSON" in sql)


@pytest.mark.parametrize(
    ("sql", "end"),
    [
        pytest.param(
            "SELECT Id FROM Movie UNION SELECT Id FROM Genre",
            "ORDER BY 1 OFFSET 0 ROWS FETCH NEXT 20 ROWS ONLY",
            id="union",
        ),
        pytest.param(
            "SELECT Id FROM Movie UNION SELECT Id FROM Genre ORDER BY Id DESC",
            "ORDER BY [Id] DESC OFFSET 0 ROWS FETCH NEXT 20 ROWS ONLY",
            id="ordered union",
        ),
        pytest.param(
            "SELECT Id FROM Movie ORDER BY Id OFFSET 40 ROWS",
            "ORDER BY [Id] OFFSET 40 ROWS FETCH NEXT 20 ROWS ONLY",
            id="offset alone",
        ),
        pytest.param(
            "SELECT Id FROM Movie ORDER BY Id OFFSET 0 ROWS FETCH NEXT 5000 ROWS ONLY",
            "OFFSET 0 ROWS FETCH NEXT 20 ROWS ONLY",
            id="fetch too large",
        ),
        pytest.param(
            "SELECT Id FROM Movie ORDER BY Id OFFSET 3 ROWS FETCH FIRST 4 ROW ONLY",
            "OFFSET 3 ROWS FETCH NEXT 4 ROWS ONLY",
            id="fetch smaller",
        ),
        pytest.param(
            "SELECT Id FROM Movie UNION SELECT Id FROM Genre LIMIT 3",
            "ORDER BY 1 OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY",
            id="limit of a union",
        ),
    ],
)
def test_set_operations_and_pages_are_cut_by_fetch(sql: str, end: str) -> None:
    assert allowed(sql).sql.endswith(end)


@pytest.mark.parametrize(
    ("sql", "part"),
    [
        pytest.param(
            "SELECT x.Id FROM (SELECT TOP 5000 Id FROM Movie ORDER BY Id) x",
            "SELECT TOP 1000 [Id]",
            id="derived table",
        ),
        pytest.param(
            "WITH c AS (SELECT TOP 5000 Id FROM Movie) SELECT Id FROM c",
            "SELECT TOP 1000 [Id]",
            id="cte",
        ),
        pytest.param(
            "SELECT TOP 5 (SELECT TOP 5000 Id FROM Genre FOR JSON PATH) AS j",
            "SELECT TOP 1000 [Id]",
            id="json",
        ),
        pytest.param(
            "SELECT x.Id FROM (SELECT Id FROM Movie ORDER BY Id OFFSET 0 ROWS FETCH NEXT 5000 ROWS "
            "ONLY) x",
            "FETCH NEXT 1000 ROWS ONLY",
            id="fetch",
        ),
        pytest.param(
            "SELECT x.Id FROM (SELECT TOP 999 Id FROM Movie) x", "TOP 999 [Id]", id="within"
        ),
    ],
)
def test_inner_limits_are_clamped(sql: str, part: str) -> None:
    assert part in allowed(sql).sql


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        pytest.param("SELECT TOP 1e9 Id FROM Movie", "not_allowed", id="float"),
        pytest.param("SELECT TOP -1 Id FROM Movie", "not_allowed", id="negative"),
        pytest.param("SELECT TOP (1 + 1) Id FROM Movie", "not_allowed", id="expression"),
        pytest.param("SELECT TOP (@n) Id FROM Movie", "unknown_variable", id="variable"),
        pytest.param("SELECT TOP (SELECT 5) Id FROM Movie", "not_allowed", id="subquery"),
        pytest.param("SELECT TOP 10 PERCENT Id FROM Movie", "not_allowed", id="percent"),
        pytest.param("SELECT TOP '5' Id FROM Movie", "not_allowed", id="text"),
        pytest.param("SELECT TOP Id FROM Movie", "not_allowed", id="missing"),
        pytest.param("SELECT Id FROM Movie OFFSET 5 ROWS", "syntax", id="offset without order"),
        pytest.param(
            "SELECT Id FROM Movie ORDER BY Id FETCH NEXT 5 ROWS ONLY", "syntax", id="no offset"
        ),
        pytest.param(
            "SELECT TOP 5 Id FROM Movie ORDER BY Id OFFSET 5 ROWS", "syntax", id="top and offset"
        ),
        pytest.param("SELECT Id FROM Movie LIMIT 5 OFFSET 5", "syntax", id="limit and offset"),
        pytest.param(
            "SELECT Id FROM Movie ORDER BY Id OFFSET 9999999999 ROWS", "too_large", id="offset"
        ),
        pytest.param(
            "SELECT x.Id FROM (SELECT Id FROM Movie ORDER BY Id) x",
            "order_by_needs_top",
            id="order without top",
        ),
        pytest.param("SELECT TOP 5 (SELECT Id FROM Genre FOR JSON PATH) AS j", "syntax", id="json"),
        pytest.param(
            f"SELECT Id FROM Movie WHERE Id IN ({', '.join('1' * 201)})", "too_large", id="in"
        ),
        pytest.param(f"SELECT Id{' & 1' * 101} AS x FROM Movie", "too_large", id="bits"),
        pytest.param(f"SELECT Id + 2{' * 1' * 101} AS x FROM Movie", "too_large", id="product"),
        pytest.param("SELECT Name" + " + 'a'" * 101 + " AS x FROM Movie", "too_large", id="texts"),
        pytest.param(f"SELECT {', '.join('*' * 60)} FROM Movie", "too_large", id="columns"),
        pytest.param(" UNION ".join(["SELECT 1 AS x"] * 41), "too_large", id="arms"),
    ],
)
def test_row_counts_that_are_no_plain_number_in_bounds_are_refused(sql: str, code: str) -> None:
    assert refused(sql).code == code


def test_limits_come_from_the_contract_unless_given() -> None:
    assert allowed("SELECT Title FROM Recipe", TOY).cap == 10
    assert allowed("SELECT Name FROM Movie", BOX, contract_limits(BOX, expanded=True)).cap == 60
    assert allowed("SELECT TOP 9 Name FROM Movie", limits=RowLimits(top=3, inner=1_000)).cap == 3
    inner = "SELECT x.Id FROM (SELECT TOP 90 Id FROM Movie) x"
    assert "TOP 7 [Id]" in allowed(inner, limits=RowLimits(top=20, inner=7)).sql


def test_every_change_of_a_limit_is_noted() -> None:
    assert allowed("SELECT TOP 5 Name FROM Movie").notes == ()
    for sql, word in (
        ("SELECT Name FROM Movie", "added"),
        ("SELECT TOP 50 Name FROM Movie", "lowered"),
        ("SELECT Name FROM Movie LIMIT 5", "LIMIT"),
        ("SELECT TOP 5 x.Id FROM (SELECT TOP 5000 Id FROM Movie) x", "inner"),
    ):
        (note,) = allowed(sql).notes
        assert word in note


@pytest.mark.parametrize(
    ("sql", "rendered"),
    [
        (
            "SELECT TOP 5 Name FROM Movie UNION SELECT TOP 5 Name FROM Genre",
            (
                "SELECT TOP 20 [u].[c1] AS [Name] FROM (SELECT TOP 5 [Name] AS [Name] FROM "
                "[dbo].[Movie] UNION SELECT TOP 5 [Name] AS [Name] FROM [dbo].[Genre]) AS [u]([c1])"
            ),
        ),
        (
            "SELECT TOP 1 1, 2 UNION SELECT 3, 4 ORDER BY 1 OFFSET 0 ROWS FETCH NEXT 2 ROWS ONLY",
            (
                "SELECT [u].[c1], [u].[c2] FROM (SELECT TOP 1 1, 2 UNION SELECT 3, 4) AS "
                "[u]([c1], [c2]) ORDER BY 1 OFFSET 0 ROWS FETCH NEXT 2 ROWS ONLY"
            ),
        ),
    ],
)
def test_branches_with_top_become_a_derived_table(sql: str, rendered: str) -> None:
    decision = allowed(sql)
    assert decision.sql == rendered
    assert allowed(rendered).sql == rendered


def test_ties_stay_and_may_fill_the_list_up_to_the_cap() -> None:
    decision = allowed("SELECT TOP 3 WITH TIES Name FROM Movie ORDER BY ReleaseYear")
    assert decision.sql.startswith("SELECT TOP 3 WITH TIES ")
    assert (decision.cap, decision.cap_note, decision.notes) == (20, None, ())
    assert with_one_more_row(decision) is decision
    lowered = allowed("SELECT TOP 50 WITH TIES Name FROM Movie ORDER BY ReleaseYear")
    assert lowered.sql.startswith("SELECT TOP 20 WITH TIES ")
    assert lowered.notes == ("TOP 50 was lowered to 20, the maximum.",)


def test_inside_a_statement_ties_and_percent_keep_their_meaning() -> None:
    for top in ("TOP 5 WITH TIES", "TOP 10 PERCENT", "TOP 2.5 PERCENT WITH TIES"):
        decision = allowed(f"SELECT x.Id FROM (SELECT {top} Id FROM Movie ORDER BY Name) AS x")
        assert f"(SELECT {top} [Id] AS [Id]" in decision.sql


def test_an_inner_top_with_ties_is_lowered_too() -> None:
    decision = allowed(
        "SELECT x.Id FROM (SELECT TOP 5000 WITH TIES Id FROM Movie ORDER BY Name) AS x"
    )
    assert "(SELECT TOP 1000 WITH TIES [Id]" in decision.sql
    assert "An inner TOP 5000 was lowered to 1000." in decision.notes


@pytest.mark.parametrize(
    ("top", "code"),
    [
        ("TOP 101 PERCENT", "not_allowed"),
        ("TOP (1 + 1) PERCENT", "not_allowed"),
        ("TOP (1 + 1) WITH TIES", "not_allowed"),
    ],
)
def test_an_inner_share_is_a_plain_number(top: str, code: str) -> None:
    sql = f"SELECT x.Id FROM (SELECT {top} Id FROM Movie ORDER BY Name) AS x"
    assert refused(sql).code == code
