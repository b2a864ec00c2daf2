"""Hypothesis strategies: statements over any contract, mostly legitimate, and mutated ones."""

import re

from golden.corpus import cases
from golden.dialect import Writer
from hypothesis import strategies as st

from moviegraph.contract.markdown import shortest_path
from moviegraph.contract.model import Contract, NodeTable

LITERALS = st.sampled_from(["1", "0.5", "'a'", "N'é'", "NULL", "-3", "'it''s'", "GETDATE()"])
CONDITIONS = ("{} = {}", "{} <> {}", "{} > {}", "{} LIKE {}", "{} IN ({}, 1)", "{} IS NULL")
WRAPS = (
    "{}", "({})", "LEN({})", "UPPER({})", "COALESCE({}, 'x')", "CAST({} AS NVARCHAR(50))",
    "CASE WHEN {} IS NULL THEN 1 ELSE 2 END", "MAX({}) OVER ()", "CONCAT({}, 'x')", "MIN({})",
    "(SELECT {})", "ISNULL({}, 0)", "IIF({} = 1, 1, 2)", "VECTOR_DISTANCE('cosine', {}, @q)",
    "FIRST_VALUE({}) OVER (ORDER BY 1)", "STRING_AGG({}, ',')", "COUNT(DISTINCT {})",
    "PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY {}) OVER ()",
    "LAST_VALUE({}) WITHIN GROUP (GRAPH PATH)", "COUNT({}) WITHIN GROUP (GRAPH PATH)",
    "STRING_AGG({}, ',') WITHIN GROUP (GRAPH PATH)",
    "TRIM('[' FROM {})",
)  # fmt: skip
FRAMES = (
    "{}",
    "({})",
    "SELECT x.* FROM ({}) AS x",
    "WITH c AS ({}) SELECT * FROM c",
    "SELECT x.v FROM ({}) AS x(v)",
    "{0} UNION ALL {0}",
    "SELECT y.a FROM (SELECT 'a' AS a UNION {}) AS y",
    "{} FOR JSON PATH",
    "SELECT ({}) AS v",
    "SELECT 1 AS o WHERE EXISTS ({})",
    "SELECT 1 AS o WHERE 1 IN ({})",
    "SELECT x.v FROM (SELECT 1 AS o) AS p CROSS APPLY ({}) AS x(v)",
    "SELECT CAST(({}) AS NVARCHAR(MAX)) AS v",
    "SELECT v.a FROM (VALUES (({}))) AS v(a)",
    "SELECT TOP 5 ({} FOR JSON PATH) AS j",
    "SELECT STRING_AGG(x.v, ',') AS s FROM ({}) AS x(v)",
    "SELECT j.value FROM OPENJSON(({})) AS j",
    "SELECT j.v FROM ({}) AS x(v) CROSS APPLY OPENJSON(x.v) WITH (v NVARCHAR(MAX) '$') AS j",
    "{} FOR JSON AUTO",
    "SELECT x.* FROM (({}) AS x CROSS JOIN (SELECT 1 AS one) AS y)",
    "SELECT p.* FROM (SELECT x.v, 1 k FROM ({}) AS x(v)) AS y PIVOT (MAX(v) FOR k IN ([1])) AS p",
    "SELECT x.* FROM (SELECT TOP 5 WITH TIES y.v FROM ({}) AS y(v) ORDER BY y.v) AS x",
    "SELECT FIRST_VALUE(x.v) IGNORE NULLS OVER (ORDER BY x.v) AS f FROM ({}) AS x(v)",
)
WORDS = st.sampled_from(
    "SELECT FROM WHERE GROUP ORDER BY UNION ALL TOP 5 ( ) , . ; * = AS JOIN ON WITH INTO DROP "
    "DELETE EXEC GO -- /* */ ' [ ] @q $node_id Embedding sys.objects CASE WHEN END OVER MATCH "
    "OPTION FOR JSON PATH NULL NOT EXISTS IN LIKE VALUES APPLY DISTINCT FETCH OFFSET ROWS ALL THEN "
    "END BETWEEN AND OR IS ANY PERCENT TIES + - ~ / % & | ^ <> COLLATE ESCAPE CAST COUNT INTERSECT "
    "ROLLUP GROUPING SETS DATE KEY CURRENT ROW RANGE PRECEDING LANGUAGE CONTAINS LIMIT LATERAL "
    "USING NATURAL :: || -> {fn 0x1F .5 1. N'a' \"a\" [a] \u200b \u2028 \uff1b é "
    "SHORTEST_PATH( LAST_NODE( {1,2} GRAPH WITHIN VECTOR_SEARCH OPENJSON JSON_OBJECT TRIM TABLE "
    "COLUMN APPROXIMATE ABSENT : VALUE".split(" ")
)
JUNK = st.text(
    st.characters(codec=None, categories=None)
    | st.sampled_from(list("()[]'\"`;,.*-/\n\r\0 @$#{}|:%!<>=")),
    max_size=60,
)


PIECES = re.compile(
    r"N?'(?:[^']|'')*'|\[[^\]]*\]|\"[^\"]*\"|[\w@$]+|\s+|<>|<=|>=|->|<-|.", re.DOTALL
)


@st.composite
def valid_statements(draw: st.DrawFn, contract: Contract) -> str:
    """Return a statement of the whole dialect."""
    chance = draw(st.randoms(use_true_random=False))
    return Writer(chance, contract, fuel=draw(st.sampled_from([4, 12, 24]))).statement()


@st.composite
def damaged_statements(draw: st.DrawFn, contract: Contract) -> str:
    """Return a statement of the dialect in which tokens were lost, moved, added or wrapped."""
    pieces = PIECES.findall(draw(valid_statements(contract)))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(pieces)))
        end = min(len(pieces), start + draw(st.integers(1, 4)))
        kind = draw(st.sampled_from(["lose", "move", "add", "wrap", "swap", "stack"]))
        if kind == "lose":
            pieces[start:end] = []
        elif kind == "move":
            place = draw(st.integers(0, len(pieces)))
            pieces[place:place] = pieces[start:end]
        elif kind == "wrap":
            pieces[start:end] = ["(", *pieces[start:end], ")"]
        elif kind == "swap":
            pieces[start:end] = pieces[start:end][::-1]
        elif kind == "add":
            pieces[start:start] = [" ", draw(WORDS | JUNK), " "]
        else:
            pieces += [draw(st.sampled_from([";", " ", "\nGO\n", "--\n"])), *pieces]
    return "".join(pieces)


@st.composite
def statements(draw: st.DrawFn, contract: Contract) -> str:
    """Return a SELECT over the contract: tables, columns and pseudo-columns in every position."""
    query = draw(_select(contract))
    for _ in range(draw(st.integers(0, 2))):
        query = draw(st.sampled_from(FRAMES)).format(query)
    return query


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Return a golden statement in which words were lost, doubled, moved or added."""
    sql = draw(st.sampled_from([c.sql for c in cases("honest") + cases("attacks")]))
    words = sql.split(" ")
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, max(0, len(words) - 1)))
        kind = draw(st.sampled_from(["lose", "double", "add", "junk"]))
        if kind == "lose":
            words = words[:place] + words[place + 1 :]
        elif kind == "double":
            words = words[: place + 3] + words[place:]
        else:
            words.insert(place, draw(WORDS if kind == "add" else JUNK))
    return " ".join(words)


@st.composite
def _select(draw: st.DrawFn, contract: Contract) -> str:
    node = draw(st.sampled_from(contract.nodes))
    source = draw(st.sampled_from(_sources(contract, node)))
    alias = draw(st.sampled_from("abb")) if " FOR PATH " in source else "a"
    expression = draw(_expression(node, alias))
    top = draw(st.sampled_from(["", "TOP 5 ", "TOP 99999 ", "DISTINCT "]))
    where = draw(st.sampled_from(["", *CONDITIONS]))
    sql = f"SELECT {top}{expression} AS v FROM {source}"
    if where:
        joined = " AND " if " WHERE " in sql else " WHERE "
        sql += joined + where.format(draw(_expression(node, alias)), draw(LITERALS))
    if "TOP" in top and draw(st.booleans()):
        sql += f" ORDER BY {draw(_expression(node, alias))}"
    return sql


@st.composite
def _expression(draw: st.DrawFn, node: NodeTable, alias: str) -> str:
    names = [*(column.name for column in node.columns), "$node_id"]
    text = draw(LITERALS | st.sampled_from(names).map(lambda name: f"{alias}.{name}"))
    for _ in range(draw(st.integers(0, 2))):
        text = draw(st.sampled_from(WRAPS)).format(text)
    return text


def _sources(contract: Contract, node: NodeTable) -> list[str]:
    result = [f"{node.name} AS a", f"{contract.schema_name}.{node.name} a"]
    for edge in contract.connections_of(node.name):
        ends = {edge.from_table: "$from_id", edge.to_table: "$to_id"}
        result.append(f"{node.name} AS a JOIN {edge.name} AS e ON e.{ends[node.name]} = a.$node_id")
        if edge.from_table == node.name:
            match = "MATCH(a-(e)->b)"
            result.append(f"{node.name} AS a, {edge.name} AS e, {edge.to_table} AS b WHERE {match}")
            result.append(shortest_path(edge).removeprefix("FROM "))
    return result
