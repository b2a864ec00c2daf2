import pytest
from golden.decisions import TOY, allowed, refused

from moviegraph.sql.guard import Where

FILMS = "SELECT TOP 5 n.Id FROM Movie AS n ORDER BY n.Id"


def _where(text: str) -> str:
    sql = allowed(FILMS, where=Where(text, "Movie", "n")).sql
    return sql.partition(" WHERE ")[2].removesuffix(" ORDER BY [n].[Id]")


@pytest.mark.parametrize(
    ("text", "placed"),
    [
        ("ReleaseYear >= 1990", "([n].[ReleaseYear] >= 1990)"),
        ("releaseyear>1 AND name LIKE 'x'", "([n].[ReleaseYear] > 1 AND [n].[Name] LIKE 'x')"),
        ("Name = 'a' OR 1 = 1", "([n].[Name] = 'a' OR 1 = 1)"),
        ("n.Name = 'a'", "([n].[Name] = 'a')"),
        ("Movie.Name = 'a'", "([n].[Name] = 'a')"),
        ("[Name] IN ('a', N'b')", "([n].[Name] IN ('a', N'b'))"),
        ("(Id = 1)", "(([n].[Id] = 1))"),
        ("Content IS NOT NULL", "(NOT [n].[Content] IS NULL)"),
        ("Embedding IS NULL", "([n].[Embedding] IS NULL)"),
        ("CONTAINS(Content, 'pirate')", "(CONTAINS([n].[Content], 'pirate'))"),
        ("FREETEXT(*, 'pirate')", "(FREETEXT([n].*, 'pirate'))"),
        ("CONTAINS((Name, Content), 'x')", "(CONTAINS(([n].[Name], [n].[Content]), 'x'))"),
        ("DATEPART(YEAR, GETDATE()) > Id", "(DATEPART(year, GETDATE()) > [n].[Id])"),
        ("Name = 'a' -- why", "([n].[Name] = 'a')"),
        ("Name = 'a) OR (1=1'", "([n].[Name] = 'a) OR (1=1')"),
        ("Name = 'it''s'", "([n].[Name] = 'it''s')"),
    ],
)  # fmt: skip
def test_a_condition_is_placed_as_one_node_in_parentheses(text: str, placed: str) -> None:
    assert _where(text) == placed


def test_a_condition_joins_the_one_that_is_there() -> None:
    sql = "SELECT n.Id FROM Movie AS n WHERE n.Id > 5 OR n.Id = 1"
    placed = allowed(sql, where=Where("Id < 9 OR Id = 3", "Movie", "n")).sql
    assert placed.endswith(
        "WHERE ([n].[Id] > 5 OR [n].[Id] = 1) AND ([n].[Id] < 9 OR [n].[Id] = 3)"
    )


def test_a_condition_goes_into_every_select_that_has_the_alias() -> None:
    sql = (
        "WITH c AS (SELECT n.Id FROM Movie AS n) SELECT n.Id FROM Movie AS n "
        "JOIN c ON c.Id = n.Id WHERE n.Id IN (SELECT x.Id FROM Movie AS x)"
    )
    assert allowed(sql, where=Where("Id > 7", "Movie", "n")).sql.count("[n].[Id] > 7") == 2


def test_a_condition_reads_the_columns_of_the_contract_that_is_served() -> None:
    sql = "SELECT n.Number FROM Recipe AS n"
    where = Where("Minutes < 30 AND Vegan = 1", "Recipe", "n")
    assert "[n].[Minutes] < 30" in allowed(sql, TOY, where=where).sql
    assert refused(sql, TOY, where=Where("ReleaseYear > 1", "Recipe", "n")).code == "invalid_where"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("   ", id="blank"),
        pytest.param("Name = '" + "x" * 2000 + "'", id="long"),
        pytest.param("Name = 'a') OR (1 = 1", id="closes the parenthesis"),
        pytest.param("Name = 'a')) OR ((1 = 1", id="closes two"),
        pytest.param("1 = 1) UNION SELECT 1 WHERE (1 = 1", id="union"),
        pytest.param("Name = 'a'; DROP TABLE Movie", id="stacked"),
        pytest.param("Name = 'a' DROP TABLE Movie", id="stacked without semicolon"),
        pytest.param("Name = 'a' /*", id="open comment"),
        pytest.param("Name = 'a", id="open string"),
        pytest.param("[Name = 1", id="open name"),
        pytest.param("Name = 'a' ORDER BY Id", id="order by"),
        pytest.param("1 = 1 GROUP BY Id", id="group by"),
        pytest.param("1 = 1 FOR JSON PATH", id="for json"),
        pytest.param("1 = 1 OPTION (RECOMPILE)", id="option"),
        pytest.param("Id IN (SELECT Id FROM Genre)", id="subquery"),
        pytest.param("EXISTS (SELECT 1)", id="exists"),
        pytest.param("1 = ALL (SELECT 1)", id="all"),
        pytest.param("VECTOR_DISTANCE('cosine', Embedding, @q) < 1", id="parameter"),
        pytest.param("CAST(Embedding AS NVARCHAR(MAX)) LIKE '%1%'", id="embedding"),
        pytest.param("$node_id = $node_id", id="pseudo-column"),
        pytest.param("MATCH(n-(e)->g)", id="match"),
        pytest.param("Genre.Name = 'a'", id="other table"),
        pytest.param("m.Name = 'a'", id="other alias"),
        pytest.param("Titel = 'a'", id="unknown column"),
        pytest.param("CONTAINS(ReleaseYear, 'a')", id="not searchable"),
        pytest.param("LENGTH(Name) > 3", id="unknown function"),
        pytest.param("COUNT(*) > 1", id="aggregate"),
        pytest.param("ROW_NUMBER() OVER (ORDER BY Id) = 1", id="window"),
        pytest.param("ReleaseYear", id="value"),
        pytest.param("Id = 1, Id = 2", id="two conditions"),
        pytest.param("Id = 1 AS x", id="alias"),
        pytest.param("SELECT 1", id="select"),
        pytest.param("Id IN ()", id="empty list"),
        pytest.param("N\u0430me = 'a'", id="look-alike letter"),
        pytest.param("Name = '\0'", id="NUL"),
        pytest.param("Name = '\ud800'", id="lone surrogate"),
        pytest.param("(" * 30 + "1 = 1" + ")" * 30, id="deep"),
        pytest.param("NOT " * 20 + "1 = 1", id="nots"),
    ],
)
def test_anything_else_is_an_invalid_where(text: str) -> None:
    decision = refused(FILMS, where=Where(text, "Movie", "n"))
    assert decision.code == "invalid_where"
    assert "one condition" in decision.message


def test_a_misspelled_column_is_answered_with_the_nearest() -> None:
    decision = refused(FILMS, where=Where("RelaseYear > 1990", "Movie", "n"))
    assert decision.suggestions[0] == "ReleaseYear"


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        pytest.param("Genre = 'Crime'", 'only: ["Genre:Crime"]', id="a kind as a column"),
        pytest.param("genres IN ('Crime', 'Drama')", 'only: ["Genre:Crime|Drama"]', id="a list"),
        pytest.param("Theme.Name LIKE '%Hope%'", 'only: ["Theme:Hope"]', id="a name of a kind"),
        pytest.param("Genre <> 'Crime'", 'exclude: ["Genre:Crime"]', id="unequal"),
        pytest.param("NOT Genre = 'Crime'", 'exclude: ["Genre:Crime"]', id="negated"),
    ],
)
def test_a_condition_on_a_linked_kind_is_answered_with_the_argument(
    text: str, argument: str
) -> None:
    decision = refused(FILMS, where=Where(f"ReleaseYear > 1990 AND {text}", "Movie", "n"))
    assert decision.code == "invalid_where"
    assert decision.suggestions == (argument,)
    assert argument in decision.message


@pytest.mark.parametrize(
    ("text", "named_part"),
    [
        pytest.param("Nmae = 'a'", "Nmae", id="at the beginning"),
        pytest.param("  Nmae = 'a'", "Nmae", id="behind blanks"),
        pytest.param("Id > 1 AND Nmae = 'a'", "Nmae", id="in the middle"),
        pytest.param("Id = LENGTH(Name)", "LENGTH", id="a function"),
        pytest.param("Id = @p", "", id="without a place"),
    ],
)
def test_a_refusal_points_into_the_condition_of_the_caller(text: str, named_part: str) -> None:
    span = refused(FILMS, where=Where(text, "Movie", "n")).span
    assert (text[slice(*span)] if span is not None else "") == named_part


def test_a_condition_that_finds_no_place_is_never_dropped() -> None:
    refused("SELECT m.Id FROM Movie AS m", where=Where("Id > 1", "Movie", "n"))
