import pytest
from golden.decisions import allowed, refused

SEARCH = "VECTOR_SEARCH(TABLE = {}, COLUMN = {}, SIMILAR_TO = {}, METRIC = {}{})"


def search(
    table: str = "Movie AS m",
    column: str = "Embedding",
    similar: str = "@q",
    metric: str = "'cosine'",
    options: str = ", TOP_N = 5",
) -> str:
    return SEARCH.format(table, column, similar, metric, options)


def test_a_search_is_written_as_microsoft_s_grammar_has_it() -> None:
    decision = allowed(f"SELECT m.Name, s.distance FROM {search()} AS s ORDER BY s.distance")
    assert decision.sql == (
        "SELECT TOP 20 [m].[Name], [s].[distance] FROM VECTOR_SEARCH(TABLE = [dbo].[Movie] AS [m], "
        "COLUMN = [Embedding], SIMILAR_TO = @q, METRIC = 'cosine', TOP_N = 5) AS [s] "
        "ORDER BY [s].[distance]"
    )
    assert decision.uses_query


def test_columns_of_the_searched_table_keep_their_lineage() -> None:
    decision = allowed(f"SELECT m.Id, m.Name, s.distance FROM {search()} AS s")
    assert [(out.table, out.column, out.alias) for out in decision.outputs] == [
        ("Movie", "Id", "m"),
        ("Movie", "Name", "m"),
        (None, None, "s"),
    ]


def test_a_star_leaves_the_embedding_out() -> None:
    names = [out.name for out in allowed(f"SELECT * FROM {search()} AS s").outputs]
    assert names == ["Id", "Name", "ReleaseYear", "Content", "distance"]


def test_a_table_without_an_alias_is_known_by_its_name() -> None:
    decision = allowed(f"SELECT Movie.Name FROM {search(table='Movie', column='Movie.Embedding')}")
    assert "TABLE = [dbo].[Movie] AS [Movie]" in decision.sql


def test_top_n_is_bounded_by_the_inner_limit() -> None:
    decision = allowed(f"SELECT m.Name FROM {search(options=', TOP_N = 9000')} AS s")
    assert "TOP_N = 1000" in decision.sql
    assert "TOP_N 9000 of VECTOR_SEARCH was lowered to 1000." in decision.notes


@pytest.mark.parametrize(
    ("sql_text", "rendered"),
    [
        pytest.param("TOP (5) WITH APPROXIMATE", "TOP (5) WITH APPROXIMATE", id="parentheses"),
        pytest.param("TOP 5 WITH APPROX", "TOP (5) WITH APPROXIMATE", id="plain and short"),
        pytest.param("TOP 500 WITH APPROXIMATE", "TOP (20) WITH APPROXIMATE", id="clamped"),
    ],
)
def test_an_approximate_top_stays_approximate(sql_text: str, rendered: str) -> None:
    decision = allowed(
        f"SELECT {sql_text} m.Name FROM {search(options='')} AS s ORDER BY s.distance"
    )
    assert decision.sql.startswith(f"SELECT {rendered} ")


@pytest.mark.parametrize("offset", ["", "OFFSET 0 ROWS "])
def test_an_approximate_fetch_is_refused_in_favour_of_top(offset: str) -> None:
    decision = refused(
        f"SELECT m.Name FROM {search(options='')} AS s ORDER BY s.distance {offset}"
        "FETCH APPROX FIRST 5 ROWS ONLY"
    )
    assert decision.code == "syntax"
    assert "SELECT TOP (10) WITH APPROXIMATE" in decision.message


@pytest.mark.parametrize(
    ("source", "code"),
    [
        pytest.param(search(table="IN_GENRE AS m"), "unknown_table", id="edge table"),
        pytest.param(search(table="Movies AS m"), "unknown_table", id="unknown table"),
        pytest.param(search(table="sys.objects AS m"), "unknown_table", id="schema"),
        pytest.param(search(table="x.dbo.Movie AS m"), "unknown_table", id="database"),
        pytest.param(search(column="Content"), "wrong_arguments", id="text column"),
        pytest.param(search(column="Genre.Embedding"), "wrong_arguments", id="foreign column"),
        pytest.param(search(column="Nothing"), "unknown_column", id="unknown column"),
        pytest.param(search(similar="@p"), "unknown_variable", id="another variable"),
        pytest.param(search(similar="'[1]'"), "syntax", id="text"),
        pytest.param(search(similar="(SELECT 1)"), "wrong_arguments", id="subquery"),
        pytest.param(search(similar="m.Embedding"), "wrong_arguments", id="itself"),
        pytest.param(search(metric="'manhattan'"), "wrong_arguments", id="metric"),
        pytest.param(search(metric="@m"), "wrong_arguments", id="computed metric"),
        pytest.param(search(options=", TOP_N = 0"), "wrong_arguments", id="none"),
        pytest.param(search(options=", TOP_N = 1.5"), "wrong_arguments", id="fraction"),
        pytest.param(search(options=", TOP_N = (5)"), "wrong_arguments", id="expression"),
        pytest.param(search(options=", L = 5"), "syntax", id="another argument"),
        pytest.param(search() + " WITH (FORCE_ANN_ONLY)", "not_allowed", id="hint"),
    ],
)
def test_what_vector_search_cannot_take_is_refused(source: str, code: str) -> None:
    assert refused(f"SELECT 1 AS x FROM {source} AS s").code == code


def test_an_applied_search_may_compare_with_an_earlier_table() -> None:
    decision = allowed(
        "SELECT x.Id, m.Id AS Other FROM Movie AS x "
        f"CROSS APPLY {search(similar='x.Embedding')} AS s"
    )
    assert "SIMILAR_TO = [x].[Embedding]" in decision.sql


@pytest.mark.parametrize(
    "order",
    [
        pytest.param("", id="no order"),
        pytest.param("ORDER BY m.Name", id="another column"),
        pytest.param("ORDER BY s.distance DESC", id="descending"),
        pytest.param("ORDER BY s.distance, m.Id", id="two keys"),
    ],
)
def test_an_approximate_top_takes_the_order_of_distance_alone(order: str) -> None:
    sql = f"SELECT TOP (5) WITH APPROXIMATE m.Name FROM {search(options='')} AS s {order}"
    assert refused(sql).code == "syntax"


def test_match_may_not_use_the_table_of_an_applied_search() -> None:
    sql = (
        f"SELECT g.Name FROM Movie AS x CROSS APPLY {search(similar='x.Embedding')} AS s, "
        "IN_GENRE AS i, Genre AS g WHERE MATCH(m-(i)->g)"
    )
    assert refused(sql).code == "match_with_join"
