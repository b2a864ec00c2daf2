"""What SQL Server must never be asked: products, and REPLICATE of texts without a bound."""

import pytest

from moviegraph.contract.loader import load_contract
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.guard import judge

LONG_TEXTS = {
    "a column": ("", "m.Content", ""),
    "a cast": ("", "CAST(m.Name AS NVARCHAR(MAX))", ""),
    "a branch": ("", "CASE WHEN m.Id > 1 THEN 'a' ELSE m.Content END", ""),
    "an aggregate": ("", "(SELECT MAX(o.Content) FROM Movie AS o)", ""),
    "a sum": ("", "'a' + UPPER(m.Content)", ""),
    "a document": ("", "(SELECT m.Name FOR JSON PATH)", ""),
    "a derived table": ("", "d.x", "CROSS APPLY (SELECT m.Content AS x) AS d"),
    "a column list": ("", "d.x", "CROSS APPLY (SELECT m.Content) AS d(x)"),
    "VALUES": ("", "d.x", "CROSS APPLY (VALUES ('a'), (m.Content)) AS d(x)"),
    "STRING_SPLIT": ("", "d.value", "CROSS APPLY STRING_SPLIT(m.Content, ' ') AS d"),
    "OPENJSON": ("", "d.value", "CROSS APPLY OPENJSON(m.Content) AS d"),
    "a CTE": (
        "WITH a(i, x) AS (SELECT c.Id, c.Content FROM Movie AS c) ",
        "a.x",
        "JOIN a ON a.i = m.Id",
    ),
    "a later arm": (
        (
            "WITH a(i, x) AS (SELECT 1, 'a' UNION ALL SELECT 2, 'b' UNION ALL "
            "SELECT c.Id, c.Content FROM Movie AS c) "
        ),
        "a.x",
        "JOIN a ON a.i = m.Id",
    ),
    "REPLICATE": ("", "REPLICATE('a', 9)", ""),
    "REPLICATE of a CTE": (
        "WITH a(i, x) AS (SELECT c.Id, REPLICATE('ab', 4000) FROM Movie AS c) ",
        "a.x",
        "JOIN a ON a.i = m.Id",
    ),
    "REPLICATE of a later arm": (
        (
            "WITH a(i, x) AS (SELECT 1, 'a' UNION ALL SELECT c.Id, REPLICATE('ab', 4000) "
            "FROM Movie AS c) "
        ),
        "LEFT(a.x, 9)",
        "JOIN a ON a.i = m.Id",
    ),
}
SHORT_TEXTS = {
    "a name": ("m.Name", "3"),
    "a cast": ("CAST(m.Content AS NVARCHAR(100))", "80"),
    "filling up": ("'0'", "8000"),
    "a number": ("m.Id", "2"),
    "NULL": ("NULL", "2"),
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


@pytest.mark.parametrize("case", LONG_TEXTS)
def test_replicate_repeats_no_long_text_wherever_it_comes_from(case: str) -> None:
    before, text, joined = LONG_TEXTS[case]
    sql = f"{before}SELECT TOP 5 LEN(REPLICATE({text}, 8)) AS n FROM Movie AS m {joined}"
    decision = judge(sql, load_contract())
    assert isinstance(decision, Refused)
    assert (decision.code, "REPLICATE" in decision.message) == ("too_large", True)


@pytest.mark.parametrize("case", SHORT_TEXTS)
def test_replicate_repeats_short_texts(case: str) -> None:
    text, count = SHORT_TEXTS[case]
    sql = f"SELECT TOP 5 LEN(REPLICATE({text}, {count})) AS n FROM Movie AS m"
    assert isinstance(judge(sql, load_contract()), Allowed)


@pytest.mark.parametrize(
    "call",
    [
        "SPACE(8001)",
        "REPLICATE('a', 8001)",
        "SPACE(m.Id)",
        "REPLICATE('a', 4000 + 4001)",
        "REPLICATE('a', 1e6)",
    ],
)
def test_the_count_is_a_literal_of_at_most_8000(call: str) -> None:
    decision = judge(f"SELECT TOP 5 LEN({call}) AS n FROM Movie AS m", load_contract())
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
