"""Columns of edge tables in the guard: where they may be used, and attacks on what may not."""

import pytest
from fakes.shop_graph import TOML, shop_contract

from moviegraph.contract.loader import contract_of
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.guard import judge

CONTRACT = shop_contract()
MATCH = "FROM Customer AS c, BOUGHT AS b, Product AS p WHERE MATCH(c-(b)->p)"
KNOWS = "FROM Customer AS c, KNOWS AS k, Customer AS o WHERE MATCH(c-(k)->o)"
PATH = (
    "FROM Customer AS a, BOUGHT FOR PATH AS b, Product FOR PATH AS p, BOUGHT FOR PATH AS d, "
    "Customer FOR PATH AS o WHERE MATCH(SHORTEST_PATH(a(-(b)->p<-(d)-o)+))"
)
LAST = "LAST_VALUE(o.Name) WITHIN GROUP (GRAPH PATH) AS L"


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT c.Name, b.Amount, b.Price {MATCH}",
        f"SELECT p.Name {MATCH} AND b.Bought >= '2024-01-01' AND b.Note LIKE 'g%'",
        f"SELECT b.Note, SUM(b.Amount) AS s {MATCH} GROUP BY b.Note HAVING SUM(b.Amount) > 2",
        f"SELECT c.Name {MATCH} ORDER BY b.Price DESC",
        f"SELECT Amount, [Note] {MATCH}",
        f"SELECT b.AMOUNT {MATCH}",
        f"SELECT c.Name, RANK() OVER (PARTITION BY p.Id ORDER BY b.Amount DESC) AS r {MATCH}",
        f"SELECT c.Name {MATCH} AND b.Amount > (SELECT AVG(x.Amount) FROM BOUGHT AS x)",
        f"WITH m AS (SELECT c.Id, b.Amount {MATCH}) SELECT Id, SUM(Amount) AS s FROM m GROUP BY Id",
        (
            "SELECT c.Name, x.s FROM Customer AS c CROSS APPLY (SELECT SUM(b.Amount) AS s "
            "FROM BOUGHT AS b WHERE b.$from_id = c.$node_id) AS x"
        ),
        f"SELECT COUNT(DISTINCT b.$edge_id) AS n {MATCH}",
        f"SELECT a.Name, COUNT(b.*) WITHIN GROUP (GRAPH PATH) AS n, {LAST} {PATH}",
    ],
)
def test_a_column_of_an_edge_is_used_like_one_of_a_node(sql: str) -> None:
    decision = judge(sql, CONTRACT)
    assert isinstance(decision, Allowed), decision


def test_a_result_says_which_column_of_which_edge_it_carries() -> None:
    decision = judge(f"SELECT b.Amount AS n, p.Name {MATCH}", CONTRACT)
    assert isinstance(decision, Allowed)
    assert [(o.name, o.table, o.column) for o in decision.outputs] == [
        ("n", "BOUGHT", "Amount"),
        ("Name", "Product", "Name"),
    ]
    assert "[b].[Amount]" in decision.sql


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        # another table's columns through the alias of an edge
        pytest.param(f"SELECT b.Name {MATCH}", "unknown_column", id="of a node"),
        pytest.param(f"SELECT b.Content {MATCH}", "unknown_column", id="text of a node"),
        pytest.param(f"SELECT b.Embedding {MATCH}", "unknown_column", id="vector of a node"),
        pytest.param(f"SELECT b.Stars {MATCH}", "unknown_column", id="of another edge"),
        pytest.param(f"SELECT k.Amount {KNOWS}", "unknown_column", id="edge without columns"),
        pytest.param(f"SELECT p.Amount {MATCH}", "unknown_column", id="edge column of a node"),
        pytest.param(f"SELECT dbo.b.Id {MATCH}", "unknown_column", id="with a schema"),
        pytest.param(f"SELECT master.b.Amount {MATCH}", "unknown_column", id="other schema"),
        pytest.param(f"SELECT b._Digest {MATCH}", "unknown_column", id="the stored identity"),
        pytest.param(f"SELECT b.[_Digest] {MATCH}", "unknown_column", id="identity in brackets"),
        pytest.param(f"SELECT b.[graph_id_1] {MATCH}", "unknown_column", id="graph column"),
        pytest.param(f"SELECT b.[$edge_id_0AB1] {MATCH}", "unknown_column", id="stored name"),
        # pseudo-columns as before
        pytest.param(f"SELECT b.$edge_id {MATCH}", "pseudo_column_output", id="edge id"),
        pytest.param(f"SELECT b.$from_id {MATCH}", "pseudo_column_output", id="from id"),
        pytest.param(
            f"SELECT c.Name {MATCH} AND b.$edge_id = b.Amount",
            "pseudo_column_output",
            id="compared",
        ),
        pytest.param(
            f"SELECT CONCAT(b.Note, b.$to_id) AS x {MATCH}", "pseudo_column_output", id="as text"
        ),
        # no search over edges
        pytest.param(
            f"SELECT c.Name {MATCH} AND CONTAINS(b.Note, 'gift')", "wrong_arguments", id="contains"
        ),
        pytest.param(
            f"SELECT c.Name {MATCH} AND FREETEXT(b.*, 'gift')", "wrong_arguments", id="freetext"
        ),
        pytest.param(
            "SELECT t.[KEY] FROM CONTAINSTABLE(BOUGHT, Note, 'gift') AS t",
            "unknown_table",
            id="containstable",
        ),
        pytest.param(
            f"SELECT VECTOR_DISTANCE('cosine', b.Note, @q) AS d {MATCH}",
            "wrong_arguments",
            id="distance",
        ),
        # what SHORTEST_PATH repeats
        pytest.param(
            f"SELECT SUM(b.Amount) WITHIN GROUP (GRAPH PATH) AS s, {LAST} {PATH}",
            "path_column",
            id="sum along a path",
        ),
        pytest.param(
            f"SELECT STRING_AGG(d.Note, ',') WITHIN GROUP (GRAPH PATH) AS s {PATH}",
            "path_column",
            id="texts along a path",
        ),
        pytest.param(f"SELECT {LAST} {PATH} AND b.Amount > 1", "path_column", id="condition"),
        pytest.param(f"SELECT b.Amount, {LAST} {PATH}", "path_column", id="output"),
        pytest.param(f"SELECT {LAST} {PATH} ORDER BY d.Price", "path_column", id="order"),
        pytest.param(
            f"SELECT {LAST} {PATH} AND EXISTS (SELECT 1 FROM Product AS x WHERE x.Id = b.Amount)",
            "path_column",
            id="in a subquery",
        ),
        # usual rules
        pytest.param(f"SELECT b.Note, SUM(b.Amount) AS s {MATCH}", "not_grouped", id="not grouped"),
        pytest.param(
            "SELECT Note FROM Customer AS c, BOUGHT AS b, Product AS p, RATED AS r, Product AS q "
            "WHERE MATCH(c-(b)->p AND c-(r)->q)",
            "ambiguous_column",
            id="ambiguous",
        ),
        pytest.param(
            "SELECT TOP 5 b.Amount, r.Stars FROM BOUGHT AS b, RATED AS r",
            "cartesian_product",
            id="product",
        ),
    ],
)
def test_what_is_no_column_of_that_edge_is_refused(sql: str, code: str) -> None:
    decision = judge(sql, CONTRACT)
    assert isinstance(decision, Refused), decision.sql
    assert decision.code == code, decision


def test_the_refusal_along_a_path_names_the_column_and_the_way_out() -> None:
    decision = judge(f"SELECT SUM(b.Amount) WITHIN GROUP (GRAPH PATH) AS s {PATH}", CONTRACT)
    assert isinstance(decision, Refused)
    assert "b.Amount is a column of an edge in SHORTEST_PATH" in decision.message
    assert "list the tables without FOR PATH" in decision.message


def test_an_unknown_column_of_an_edge_is_answered_with_those_that_it_has() -> None:
    decision = judge(f"SELECT b.Amout {MATCH}", CONTRACT)
    assert isinstance(decision, Refused)
    assert decision.suggestions == ("Amount",)
    assert "Available: Amount, Price, Bought, Note" in decision.message


def test_a_column_with_the_name_of_a_vector_or_a_pseudo_column_is_only_text() -> None:
    """The names of other tables' vectors, and of the server's columns, have no power here."""
    contract = contract_of(
        {
            "contract.toml": f"{TOML}"
            'Embedding = { type = "NVARCHAR(20)", description = "x" }\n'
            'edge_id = { type = "INT", description = "x" }\n'
            'Id = { type = "INT", description = "x" }\n'
        }
    )
    match = "FROM Customer AS c, RATED AS r, Product AS p WHERE MATCH(c-(r)->p)"
    for sql in (f"SELECT r.Embedding, r.edge_id, r.Id {match}", f"SELECT c.Id, r.* {match}"):
        assert isinstance(judge(sql, contract), Allowed)
    for sql, code in (
        (f"SELECT c.Embedding {match}", "embedding_output"),
        (f"SELECT p.Embedding, r.Embedding {match}", "embedding_output"),
        (f"SELECT Embedding {match}", "ambiguous_column"),
        (f"SELECT r.$edge_id {match}", "pseudo_column_output"),
        (f"SELECT VECTOR_DISTANCE('cosine', r.Embedding, @q) AS d {match}", "wrong_arguments"),
        (
            f"SELECT r.Embedding {match} UNION ALL SELECT c.Embedding FROM Customer AS c",
            "embedding_output",
        ),
    ):
        decision = judge(sql, contract)
        assert isinstance(decision, Refused), sql
        assert decision.code == code, (sql, decision)
