import pytest
from golden.decisions import BOX, TOY, allowed, refused

from moviegraph.contract.model import Contract
from moviegraph.sql.decision import Output


@pytest.mark.parametrize(
    ("sql", "rendered"),
    [
        pytest.param("select name from movie", "[Name] FROM [dbo].[Movie]", id="case"),
        pytest.param("SELECT M.NAME FROM MOVIE m", "[m].[Name] FROM [dbo].[Movie] AS [m]", id="m"),
        pytest.param("SELECT [Name] FROM [DBO].[movie]", "[Name] FROM [dbo].[Movie]", id="schema"),
        pytest.param("SELECT dbo.Movie.Name FROM Movie", "[Movie].[Name] FROM", id="three parts"),
        pytest.param("SELECT COUNT(*) FROM in_genre", "FROM [dbo].[IN_GENRE]", id="edge table"),
        pytest.param("WITH C AS (SELECT Id FROM Movie) SELECT ID FROM c", "FROM [C]", id="cte"),
    ],
)
def test_names_are_written_back_as_the_contract_spells_them(sql: str, rendered: str) -> None:
    assert rendered in allowed(sql).sql


def test_a_star_selects_the_columns_that_may_be_returned() -> None:
    assert "TOP 20 [m].[Id], [m].[Name], [m].[ReleaseYear], [m].[Content] FROM" in (
        allowed("SELECT m.* FROM Movie AS m").sql
    )


def test_a_star_of_another_contract_leaves_its_vector_out() -> None:
    decision = allowed("SELECT * FROM Recipe", TOY)
    names = [output.name for output in decision.outputs]
    assert names == ["Number", "Title", "Minutes", "Vegan", "Added", "Price", "Tip", "Method"]
    assert "[kitchen].[Recipe]" in decision.sql


def test_a_star_over_several_tables_keeps_their_order() -> None:
    sql = "SELECT * FROM Movie AS m, IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g)"
    aliases = [output.alias for output in allowed(sql).outputs]
    assert aliases == ["m"] * 4 + ["g"] * 3


@pytest.mark.parametrize(
    ("sql", "outputs"),
    [
        pytest.param(
            "SELECT m.Id, m.Name AS Title, LEN(m.Name) AS Length FROM Movie AS m",
            (
                Output("Id", "Movie", "Id", "m"),
                Output("Title", "Movie", "Name", "m"),
                Output("Length"),
            ),
            id="columns",
        ),
        pytest.param(
            "WITH c AS (SELECT Id AS Number FROM Genre) SELECT x.Number FROM c AS x",
            (Output("Number", "Genre", "Id", "x"),),
            id="through a cte",
        ),
        pytest.param(
            "SELECT d.n FROM (SELECT Name FROM Theme) AS d(n)",
            (Output("n", "Theme", "Name", "d"),),
            id="through a column list",
        ),
        pytest.param(
            "SELECT k.[KEY] FROM CONTAINSTABLE(Movie, *, 'x') AS k",
            (Output("KEY", "Movie", "Id", "k"),),
            id="key of a full-text search",
        ),
        pytest.param(
            "SELECT Id FROM Movie UNION SELECT Id FROM Movie",
            (Output("Id", "Movie", "Id"),),
            id="arms that agree",
        ),
        pytest.param(
            "SELECT Id FROM Movie UNION SELECT Id FROM Genre",
            (Output("Id"),),
            id="arms that differ",
        ),
        pytest.param("SELECT COUNT(*) FROM Movie", (Output(""),), id="without a name"),
    ],
)
def test_outputs_name_the_origin_of_each_column(sql: str, outputs: tuple[Output, ...]) -> None:
    assert allowed(sql).outputs == outputs


@pytest.mark.parametrize(
    ("sql", "code", "suggestion"),
    [
        pytest.param("SELECT Nam FROM Movie", "unknown_column", "Name", id="column"),
        pytest.param("SELECT m.RelaseYear FROM Movie m", "unknown_column", "ReleaseYear", id="m."),
        pytest.param("SELECT Name FROM Movies", "unknown_table", "Movie", id="table"),
        pytest.param("SELECT 1 FROM INGENRE", "unknown_table", "IN_GENRE", id="edge table"),
        pytest.param("SELECT Name FROM x.Movies", "unknown_table", "Movie", id="schema"),
        pytest.param("SELECT movie.Name FROM Movie movi", "unknown_alias", "movi", id="alias"),
        pytest.param("SELECT Movie.Name FROM Movie AS m", "unknown_alias", "m", id="table name"),
        pytest.param(
            "SELECT Id FROM Movie m, IN_GENRE i, Genre g WHERE MATCH(m-(i)->g)",
            "ambiguous_column",
            "m.Id",
            id="ambiguous",
        ),
        pytest.param(
            "SELECT Id FROM Movie WHERE CONTAINS(Id, 'x')", "not_searchable", "Name", id="search"
        ),
    ],
)
def test_a_wrong_name_is_answered_with_the_nearest_one(
    sql: str, code: str, suggestion: str
) -> None:
    decision = refused(sql)
    assert decision.code == code
    assert decision.suggestions[0] == suggestion
    assert suggestion in decision.message


def test_an_alias_of_the_select_list_is_known_in_order_by_only() -> None:
    allowed("SELECT Name AS Title FROM Movie ORDER BY Title")
    for clause in ("WHERE Title = 'x'", "GROUP BY Title"):
        decision = refused(f"SELECT Name AS Title FROM Movie {clause}")
        assert decision.code == "unknown_column"
        assert "alias of the select list" in decision.message


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT Name FROM Movie ORDER BY 2", id="ordinal past the end"),
        pytest.param("SELECT Name FROM Movie ORDER BY 0", id="ordinal zero"),
        pytest.param("SELECT Name FROM Movie ORDER BY 'Name'", id="text"),
        pytest.param("SELECT a.Id FROM Movie a, Movie A WHERE a.Id = 1", id="alias twice"),
        pytest.param("WITH c AS (SELECT 1) SELECT * FROM c", id="nameless cte column"),
        pytest.param("WITH c AS (SELECT 1 AS a, 2 AS A) SELECT * FROM c", id="doubled column"),
        pytest.param("WITH c(a, b) AS (SELECT 1) SELECT a FROM c", id="column list too long"),
        pytest.param("SELECT 1 FROM (SELECT 1 AS a)", id="derived table without alias"),
        pytest.param("SELECT Name, Id FROM Movie UNION SELECT Name FROM Genre", id="uneven arms"),
        pytest.param("SELECT Name FROM Movie WHERE Id IN (SELECT Id, Name FROM Movie)", id="in"),
        pytest.param("SELECT (SELECT Id, Name FROM Movie) AS x", id="two columns as a value"),
        pytest.param("SELECT * FROM IN_GENRE", id="star of an edge table"),
        pytest.param("SELECT Name FROM Movie WHERE COUNT(*) > 1", id="aggregate in where"),
        pytest.param("SELECT Name FROM Movie GROUP BY MAX(Id)", id="aggregate in group by"),
        pytest.param(
            "SELECT Name FROM Movie WHERE ROW_NUMBER() OVER (ORDER BY Id) = 1", id="window in where"
        ),
    ],
)
def test_what_sql_server_could_not_bind_is_refused(sql: str) -> None:
    assert refused(sql).code == "syntax"


@pytest.mark.parametrize(
    ("contract", "sql"),
    [
        pytest.param(BOX, "SELECT {} FROM Movie", id="box"),
        pytest.param(TOY, "SELECT {} FROM Recipe", id="toy"),
    ],
)
def test_the_vector_of_any_contract_is_compared_and_never_returned(
    contract: Contract, sql: str
) -> None:
    vector = contract.nodes[0].vector
    assert refused(sql.format(vector), contract).code == "embedding_output"
    assert refused(sql.format(f"MAX({vector})"), contract).code == "embedding_output"
    allowed(sql.format(f"VECTOR_DISTANCE('cosine', {vector}, @q) AS d"), contract)


def test_an_embedding_may_pass_through_a_cte_to_be_compared() -> None:
    allowed(
        "WITH s AS (SELECT TOP 1 Embedding AS e FROM Movie WHERE Id = 1) "
        "SELECT TOP 5 m.Name FROM Movie AS m CROSS JOIN s "
        "ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, s.e)"
    )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT m.Name FROM Movie m JOIN IN_GENRE i ON i.$from_id = m.$node_id",
        "SELECT Name FROM Movie WHERE $node_id IN (SELECT $from_id FROM IN_GENRE)",
        "SELECT Name FROM Movie WHERE $node_id = ANY (SELECT $from_id FROM IN_GENRE)",
        "SELECT COUNT(DISTINCT $from_id) AS n FROM IN_GENRE",
        "SELECT COUNT(*) AS n FROM IN_GENRE GROUP BY $from_id",
        "SELECT 1 FROM Movie m JOIN (SELECT $from_id AS a FROM SET_IN) x ON x.a = m.$node_id",
        "SELECT x.n FROM (SELECT $to_id a, 1 n FROM SET_IN UNION SELECT $to_id, 2 FROM SET_IN) x",
    ],
)
def test_pseudo_columns_join_group_and_count(sql: str) -> None:
    allowed(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT Name FROM Movie WHERE $node_id = Name",
        "SELECT Name FROM Movie WHERE $node_id IN (SELECT Id FROM Genre)",
        "SELECT Name FROM Movie WHERE Id IN (SELECT $from_id FROM IN_GENRE)",
        "SELECT Name FROM Movie WHERE $node_id LIKE '%1%'",
        "SELECT Name FROM Movie WHERE $node_id > (SELECT MIN(Id) FROM Movie)",
        "SELECT STRING_AGG(Name, ',') WITHIN GROUP (ORDER BY $node_id) FROM Movie",
    ],
)
def test_pseudo_columns_are_not_compared_with_values(sql: str) -> None:
    assert refused(sql).code == "pseudo_column_output"


def test_an_inner_alias_hides_the_outer_one() -> None:
    outer = "SELECT m.Id FROM Movie AS m WHERE EXISTS ({})"
    allowed(outer.format("SELECT 1 FROM Genre AS g WHERE g.Id = m.ReleaseYear"))
    decision = refused(outer.format("SELECT 1 FROM Genre AS m WHERE m.Id = m.ReleaseYear"))
    assert decision.code == "unknown_column"


@pytest.mark.parametrize(
    "source",
    [
        (
            "Movie AS m LEFT JOIN (IN_GENRE AS i JOIN Genre AS g ON g.Id = m.Id) ON i.$from_id = "
            "m.$node_id"
        ),
        "Movie AS m, Theme AS t JOIN Genre AS g ON g.Id = m.Id WHERE t.Id = m.Id",
    ],
)
def test_a_join_condition_sees_its_own_two_sides_only(source: str) -> None:
    decision = refused(f"SELECT m.Name FROM {source}")
    assert decision.code == "unknown_alias"
    assert "WHERE" in decision.message


@pytest.mark.parametrize(
    "source",
    [
        "(Movie AS m JOIN Genre AS g ON g.Id = m.Id)",
        "((Movie AS m JOIN Genre AS g ON g.Id = m.Id)) JOIN Theme AS t ON t.Id = g.Id",
        "Movie AS m LEFT JOIN Genre AS g JOIN Theme AS t ON t.Id = g.Id ON g.Id = m.Id",
        "Movie AS m JOIN ((VALUES (1)) AS v(x) JOIN Genre AS g ON g.Id = v.x) ON g.Id = m.Id",
        "Movie AS m JOIN ((SELECT 1 AS x) AS v JOIN Genre AS g ON g.Id = v.x) ON g.Id = m.Id",
    ],
)
def test_nested_joins_are_resolved(source: str) -> None:
    allowed(f"SELECT m.Name, g.Name AS g FROM {source}")


@pytest.mark.parametrize("source", ["(Movie)", "(Movie AS m)", "(Movie JOIN Genre ON 1 = 1) AS m"])
def test_parentheses_in_from_hold_a_join_without_an_alias(source: str) -> None:
    assert refused(f"SELECT m.Name FROM {source}").code in ("syntax", "cartesian_product")
