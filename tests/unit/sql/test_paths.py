import pytest
from golden.corpus import Case, cases
from golden.decisions import BOX, TOY, allowed, refused

from moviegraph.contract.markdown import shortest_path
from moviegraph.contract.model import Contract
from moviegraph.sql.decision import Output
from moviegraph.sql.match_patterns import Chain, Match, SameLast, ShortestPath, Step

FROM = (
    "FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, "
    "INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b"
)
ONCE = (Step("e", "t", forward=True), Step("f", "b", forward=False))
PATHS = [case for case in cases("honest") if case.group == "path"]


def match(pattern: str, more: str = "") -> Match:
    """Return the records of one MATCH."""
    return allowed(f"SELECT a.Name {FROM}{more} WHERE MATCH({pattern}) AND a.Id = 1").matches[0]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        pytest.param("a(-(e)->t<-(f)-b)+", ShortestPath("a", ONCE), id="any number"),
        pytest.param("a(-(e)->t<-(f)-b){1,3}", ShortestPath("a", ONCE, 3), id="up to three"),
        pytest.param("a ( -(e)-> t <-(f)- b ) { 1 , 3 }", ShortestPath("a", ONCE, 3), id="blanks"),
        pytest.param("[a](-([e])->[t]<-([f])-[b])+", ShortestPath("a", ONCE), id="brackets"),
    ],
)
def test_the_steps_of_a_path_lead_away_from_its_anchor(pattern: str, path: ShortestPath) -> None:
    assert match(f"SHORTEST_PATH({pattern})").paths == (path,)
    assert path.end == "b"
    assert path.hops() == (("e", "a", "t"), ("f", "b", "t"))


def test_chains_paths_and_meetings_keep_their_order() -> None:
    more = (
        ", SET_IN FOR PATH AS h, Setting FOR PATH AS s, SET_IN FOR PATH AS i, Movie FOR PATH AS c"
        ", IN_GENRE AS j, Genre AS g"
    )
    result = match(
        "LAST_NODE(c)-(j)->g AND SHORTEST_PATH(a(-(e)->t<-(f)-b)+) "
        "AND SHORTEST_PATH(a(-(h)->s<-(i)-c)+) AND LAST_NODE(b) = LAST_NODE(c)",
        more,
    )
    other = (Step("h", "s", forward=True), Step("i", "c", forward=False))
    assert result.patterns == (
        Chain("c", (Step("j", "g", forward=True),), last=True),
        ShortestPath("a", ONCE),
        ShortestPath("a", other),
        SameLast("b", "c"),
    )
    assert (result.chains, result.meetings) == (result.patterns[:1], result.patterns[3:])


def test_a_path_may_begin_where_another_ends() -> None:
    more = (
        ", SET_IN FOR PATH AS h, Setting FOR PATH AS s, SET_IN FOR PATH AS i, Movie FOR PATH AS c"
    )
    result = match(
        "SHORTEST_PATH(LAST_NODE(b)(-(h)->s<-(i)-c)+) AND SHORTEST_PATH(a(-(e)->t<-(f)-b)+)", more
    )
    assert [(path.start, path.last) for path in result.paths] == [("b", True), ("a", False)]


def test_several_paths_in_one_are_written_one_by_one() -> None:
    more = (
        ", SET_IN FOR PATH AS h, Setting FOR PATH AS s, SET_IN FOR PATH AS i, Movie FOR PATH AS c"
    )
    sql = allowed(
        f"SELECT a.Name {FROM}{more} "
        "WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+ AND a(-(h)->s<-(i)-c){1,2})) AND a.Id = 1"
    ).sql
    assert (
        "MATCH(SHORTEST_PATH([a](-([e])->[t]<-([f])-[b])+) "
        "AND SHORTEST_PATH([a](-([h])->[s]<-([i])-[c]){1,2}))"
    ) in sql


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in PATHS])
def test_what_is_written_reads_as_the_same_patterns(case: Case) -> None:
    decision = allowed(case.sql)
    again = allowed(decision.sql)
    assert (again.sql, again.matches) == (decision.sql, decision.matches)
    assert "__" not in decision.sql
    assert "SYSTEM_TIME" not in decision.sql


@pytest.mark.parametrize(
    ("aggregate", "rendered"),
    [
        pytest.param(
            "STRING_AGG(b.Name, '->') within group (graph path)",
            "STRING_AGG([b].[Name], '->') WITHIN GROUP (GRAPH PATH)",
            id="text",
        ),
        pytest.param(
            "LAST_VALUE(b.name) WITHIN GROUP(GRAPH PATH)",
            "LAST_VALUE([b].[Name]) WITHIN GROUP (GRAPH PATH)",
            id="last value",
        ),
        pytest.param(
            "COUNT(e.*) WITHIN GROUP (GRAPH PATH)",
            "COUNT([t].[Id]) WITHIN GROUP (GRAPH PATH)",
            id="edges counted by the node each leads to",
        ),
        pytest.param(
            "COUNT(b.*) WITHIN GROUP (GRAPH PATH)",
            "COUNT([b].[Id]) WITHIN GROUP (GRAPH PATH)",
            id="nodes counted by their key",
        ),
        pytest.param(
            "COUNT(f.$edge_id) WITHIN GROUP (GRAPH PATH)",
            "COUNT([f].$edge_id) WITHIN GROUP (GRAPH PATH)",
            id="edge ids counted",
        ),
        pytest.param(
            "AVG(CAST(b.ReleaseYear AS FLOAT)) WITHIN GROUP (GRAPH PATH)",
            "AVG(CAST([b].[ReleaseYear] AS FLOAT)) WITHIN GROUP (GRAPH PATH)",
            id="an expression",
        ),
        pytest.param(
            "LEN(STRING_AGG(t.Name + b.Name, '') WITHIN GROUP (GRAPH PATH)) + 1",
            "LEN(STRING_AGG([t].[Name] + [b].[Name], '') WITHIN GROUP (GRAPH PATH)) + 1",
            id="within an expression",
        ),
        pytest.param(
            "ROW_NUMBER() OVER (ORDER BY COUNT(b.Id) WITHIN GROUP (GRAPH PATH))",
            "ROW_NUMBER() OVER (ORDER BY COUNT([b].[Id]) WITHIN GROUP (GRAPH PATH))",
            id="in the order of a window",
        ),
    ],
)
def test_aggregates_run_along_a_path(aggregate: str, rendered: str) -> None:
    where = "WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1"
    assert f"{rendered} AS [x] FROM" in allowed(f"SELECT {aggregate} AS x {FROM} {where}").sql


@pytest.mark.parametrize(
    ("source", "rendered"),
    [
        pytest.param("Movie FOR PATH AS b", "[dbo].[Movie] FOR PATH AS [b]", id="with AS"),
        pytest.param("Movie FOR PATH b", "[dbo].[Movie] FOR PATH AS [b]", id="without AS"),
        pytest.param("dbo.Movie for path b", "[dbo].[Movie] FOR PATH AS [b]", id="schema"),
        pytest.param("[dbo].[movie] FOR PATH [b]", "[dbo].[Movie] FOR PATH AS [b]", id="brackets"),
        pytest.param("Movie FOR /* x */ PATH b", "[dbo].[Movie] FOR PATH AS [b]", id="comment"),
    ],
)
def test_for_path_is_between_table_and_alias(source: str, rendered: str) -> None:
    select_sql = FROM.replace("Movie FOR PATH AS b", source)
    sql = f"SELECT a.Name {select_sql} WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1"
    assert rendered in allowed(sql).sql


@pytest.mark.parametrize("contract", [pytest.param(BOX, id="box"), pytest.param(TOY, id="toy")])
def test_paths_of_the_contract_that_is_served_read_like_this(contract: Contract) -> None:
    for edge in contract.connections:
        key = contract.node(edge.from_table)
        assert key is not None
        clauses = shortest_path(edge)
        assert allowed(f"SELECT a.{key.key} {clauses} AND a.{key.key} = 1", contract).matches
        turned = clauses.replace("-(e)->t", "<-(e)-t")
        if edge.from_table != edge.to_table:
            assert refused(f"SELECT a.{key.key} {turned}", contract).code == "wrong_arrow"


def test_the_last_node_of_a_path_is_known_by_its_column() -> None:
    outputs = allowed(
        "SELECT a.Id, LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH) AS EndId, "
        f"MIN(b.Id) WITHIN GROUP (GRAPH PATH) AS Least {FROM} "
        "WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1"
    ).outputs
    assert outputs == (
        Output("Id", "Movie", "Id", "a"),
        Output("EndId", "Movie", "Id", "b"),
        Output("Least"),
    )


def test_paths_count_as_many_rows_where_tables_must_hang_together() -> None:
    where = "WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND a.Id = 1"
    ends = f"SELECT LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH) AS Id {FROM} {where}"
    loose = f"WITH p AS ({ends}) SELECT m.Name FROM p, Movie AS m WHERE m.ReleaseYear > 1990"
    assert refused(loose).code == "cartesian_product"
    allowed(f"WITH p AS ({ends}) SELECT m.Name FROM p, Movie AS m WHERE m.Id = p.Id")


@pytest.mark.parametrize(
    ("sql", "advice"),
    [
        pytest.param(
            f"SELECT a.Name {FROM.replace('Movie FOR PATH AS b', 'Movie AS b')} "
            "WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) AND b.Name = 'Heat'",
            "Movie FOR PATH AS b",
            id="FOR PATH left out",
        ),
        pytest.param(
            "SELECT a.Name FROM Movie AS a, Movie AS b FOR PATH WHERE a.Id = b.Id",
            "FROM StartNodes AS a, EDGES FOR PATH AS e",
            id="FOR PATH behind the alias",
        ),
        pytest.param(
            f"SELECT a.Name {FROM} WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)) "
            "AND b.Name = 'Heat'",
            "LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) for where the path ends",
            id="the end filtered in WHERE",
        ),
        pytest.param(
            f"SELECT a.Name {FROM} WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b){{2,4}}))",
            "filter COUNT(b.Id) WITHIN GROUP (GRAPH PATH)",
            id="at least two",
        ),
        pytest.param(
            f"SELECT a.Name {FROM}, Movie AS c "
            "WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+) AND LAST_NODE(b) = c)",
            "filter LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH)",
            id="the end compared with a node",
        ),
        pytest.param(
            f"SELECT a.Name {FROM}, IN_GENRE AS i, Genre AS g "
            "WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+) AND b-(i)->g)",
            "LAST_NODE(b)",
            id="the path in a plain chain",
        ),
        pytest.param(
            f"SELECT LAST_NODE(b) {FROM} WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+))",
            "LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH)",
            id="LAST_NODE selected",
        ),
        pytest.param(
            "SELECT LAST_VALUE(m.Name) AS n FROM Movie AS m",
            "WITHIN GROUP (GRAPH PATH)",
            id="LAST_VALUE alone",
        ),
        pytest.param(
            "WITH c AS (SELECT m.Id FROM Movie AS m UNION ALL SELECT c.Id FROM c) SELECT 1 AS n",
            "SHORTEST_PATH",
            id="a CTE that reads itself",
        ),
    ],
)
def test_a_slip_is_answered_with_what_to_write(sql: str, advice: str) -> None:
    assert advice in refused(sql).message


def test_many_paths_fit_into_one_from_and_too_many_do_not() -> None:
    def statement(count: int) -> str:
        select_sql = "".join(
            f", SET_IN FOR PATH AS e{n}, Setting FOR PATH AS s{n}, SET_IN FOR PATH AS f{n}, "
            f"Movie FOR PATH AS b{n}"
            for n in range(count)
        )
        paths = " AND ".join(f"SHORTEST_PATH(a(-(e{n})->s{n}<-(f{n})-b{n})+)" for n in range(count))
        return f"SELECT a.Name FROM Movie AS a{select_sql} WHERE MATCH({paths}) AND a.Id = 1"

    allowed(statement(4))
    assert refused(statement(5)).code == "too_large"


@pytest.mark.parametrize(
    ("sql", "advice"),
    [
        pytest.param(
            "SELECT STRING_AGG(Theme.Name, '->') WITHIN GROUP (GRAPH PATH) AS Way "
            "FROM Movie, INCLUDES_THEME FOR PATH, Theme FOR PATH "
            "WHERE MATCH(SHORTEST_PATH(Movie(-(INCLUDES_THEME)->Theme)+))",
            "SHORTEST_PATH(Movie(-(INCLUDES_THEME)->Theme<-(f)-o)+), with INCLUDES_THEME FOR PATH "
            "AS f and Movie FOR PATH AS o in FROM",
            id="one hop that never comes back",
        ),
        pytest.param(
            "SELECT t.Name FROM Theme AS t, INCLUDES_THEME FOR PATH AS e, Movie FOR PATH AS m "
            "WHERE MATCH(SHORTEST_PATH(t(<-(e)-m)+))",
            "SHORTEST_PATH(t(<-(e)-m-(f)->o)+)",
            id="one hop against the edge",
        ),
    ],
)
def test_a_path_that_can_repeat_only_once_runs_with_a_note(sql: str, advice: str) -> None:
    decision = allowed(sql)
    assert "{1,1}" in decision.sql
    assert any(advice in note for note in decision.notes)
