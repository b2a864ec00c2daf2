"""Texts, patterns, splits and joins that could cost without bound are refused before they run."""

import pytest

from moviegraph.contract.loader import load_contract
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.guard import judge

CHAIN = """WITH a AS (SELECT STRING_AGG(CAST(Content AS NVARCHAR(MAX)), '') AS c FROM Movie), b
    AS (SELECT CONCAT(c, c, c, c, c, c, c, c) AS c FROM a), d AS (SELECT CONCAT(c, c, c, c, c,
    c, c, c) AS c FROM b), e AS (SELECT CONCAT(c, c, c, c, c, c, c, c) AS c FROM d) SELECT
    LEN(c) AS n FROM e"""
WILD = "%a" * 21 + "%"
REFUSED = {
    "REPLACE in REPLACE": """SELECT LEN(REPLACE(REPLACE(Content, 'a', Content), 'e', Content))
    FROM Movie""",
    "the same in WHERE": """SELECT Id FROM Movie WHERE LEN(REPLACE(REPLACE(Content, 'a',
    Content), 'e', Content)) > 1""",
    "STRING_AGG of STRING_AGG of long texts": """SELECT STRING_AGG(x.c, '') FROM (SELECT m.Id,
    STRING_AGG(CAST(m.Content AS NVARCHAR(MAX)), '') AS c FROM Movie m GROUP BY m.Id) AS x""",
    "CONCAT that grows from CTE to CTE": CHAIN,
    "FOR JSON in FOR JSON": """SELECT TOP 1 (SELECT TOP 9 b.Content, (SELECT TOP 9 c.Content
    FROM Theme c FOR JSON PATH) AS j, (SELECT TOP 9 REPLACE(c.Content, 'a', c.Content) AS r FROM
    Theme c FOR JSON PATH) AS k FROM Theme b FOR JSON PATH) AS t FROM Movie""",
    "many wildcards": f"SELECT Id FROM Movie WHERE Content LIKE '{WILD}'",
    "many wildcards of PATINDEX": f"SELECT PATINDEX('{WILD}', Content) AS n FROM Movie",
    "wildcards that REPLICATE writes": """SELECT Id FROM Movie WHERE Content LIKE
    REPLICATE('%a', 30)""",
    "three splits of one text": """SELECT COUNT(*) FROM Movie m CROSS APPLY
    STRING_SPLIT(m.Content, ' ') AS a CROSS APPLY STRING_SPLIT(m.Content, ' ') AS b CROSS APPLY
    STRING_SPLIT(m.Content, ' ') AS c""",
}
PRODUCTS = {
    "one source on both sides": "a.Id = a.Id + b.Id - b.Id",
    "both sources on both sides": "a.Id + b.Id = b.Id + a.Id",
    "a function of both": "a.Id = CASE WHEN b.Id > 0 THEN a.Id END",
}
ALLOWED = (
    """SELECT STRING_AGG(x.t, '; ') FROM (SELECT m.Id, STRING_AGG(CAST(t.Name AS
    NVARCHAR(MAX)), ', ') AS t FROM Movie m, INCLUDES_THEME e, Theme t WHERE MATCH(m-(e)->t)
    GROUP BY m.Id) AS x""",
    "SELECT TOP 5 REPLACE(REPLACE(Content, CHAR(13), ' '), CHAR(10), ' ') AS c FROM Movie",
    "SELECT TOP 5 CONCAT(Name, ': ', Content, ' (', ReleaseYear, ')') AS c FROM Movie",
    "SELECT STRING_AGG(CAST(LEFT(Content, 200) AS NVARCHAR(MAX)), ' ') FROM Movie",
    """SELECT Id FROM Movie WHERE Content LIKE '%robot%' AND Content LIKE '%love%' OR Content
    LIKE '%a%b%c%d%e%'""",
    """SELECT COUNT(*) FROM Movie m CROSS APPLY STRING_SPLIT(m.Content, '.') AS s CROSS APPLY
    STRING_SPLIT(s.value, ',') AS p CROSS APPLY STRING_SPLIT(p.value, ' ') AS w""",
    "SELECT COUNT(*) FROM Movie a JOIN Series b ON COALESCE(a.Name, '') = b.Name",
    "SELECT COUNT(*) FROM Movie m JOIN OPENJSON('[1, 2]') AS j ON m.Id = j.value",
)


@pytest.mark.parametrize("case", REFUSED)
def test_what_could_grow_without_bound_is_refused(case: str) -> None:
    decision = judge(REFUSED[case], load_contract())
    assert isinstance(decision, Refused)
    assert decision.code == "too_large"


@pytest.mark.parametrize("case", PRODUCTS)
def test_an_equality_with_one_source_on_both_sides_joins_nothing(case: str) -> None:
    sql = f"SELECT COUNT(*) FROM Movie a JOIN Movie b ON {PRODUCTS[case]}"
    decision = judge(sql, load_contract())
    assert isinstance(decision, Refused)
    assert decision.code == "cartesian_product"


def test_the_same_json_for_every_row_is_a_product() -> None:
    json = "OPENJSON((SELECT TOP 1000 x.Name FROM Movie x FOR JSON PATH))"
    sql = f"SELECT COUNT(*) FROM Movie m CROSS APPLY {json} AS j CROSS APPLY {json} AS k"
    decision = judge(sql, load_contract())
    assert isinstance(decision, Refused)
    assert decision.code == "cartesian_product"


@pytest.mark.parametrize("sql", ALLOWED)
def test_everyday_texts_and_splits_run(sql: str) -> None:
    assert isinstance(judge(sql, load_contract()), Allowed)
