"""Edges between several pairs of tables, as the guard and the repair rules read them."""

import pytest
from fakes.cookbook import cookbook_contract

from moviegraph.repair.driver import repair
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.guard import judge
from moviegraph.sql.match_patterns import Hop, hops_from

CONTRACT = cookbook_contract()


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT r.Title FROM Recipe AS r, COMES_FROM AS c, Region AS g "
                     "WHERE MATCH(r-(c)->g)", id="first pair"),
        pytest.param("SELECT i.Name FROM Ingredient AS i, COMES_FROM AS c, Region AS g "
                     "WHERE MATCH(g<-(c)-i)", id="second pair"),
        pytest.param("SELECT i.Name FROM Recipe AS r, NEEDS AS n, Ingredient AS i, "
                     "COMES_FROM AS c, Region AS g, COMES_FROM AS d "
                     "WHERE MATCH(r-(n)->i-(c)->g<-(d)-r)", id="both pairs at one node"),
        pytest.param("SELECT o.Name FROM Ingredient AS i, GOES_WITH AS w, Ingredient AS o "
                     "WHERE MATCH(o-(w)->i)", id="nodes of one kind"),
        pytest.param("SELECT g.Name FROM COMES_FROM AS c JOIN Region AS g ON g.$node_id = c.$to_id "
                     "WHERE c.$from_id IN (SELECT i.$node_id FROM Ingredient AS i)",
                     id="second pair by its ends"),
        pytest.param("SELECT COUNT(o.Id) WITHIN GROUP (GRAPH PATH) AS Steps FROM Ingredient AS i, "
                     "GOES_WITH FOR PATH AS w, Ingredient FOR PATH AS o "
                     "WHERE MATCH(SHORTEST_PATH(i(-(w)->o)+)) AND i.Id = 1", id="path"),
    ],
)  # fmt: skip
def test_an_arrow_may_join_each_pair(sql: str) -> None:
    assert isinstance(judge(sql, CONTRACT), Allowed)


@pytest.mark.parametrize(
    ("pattern", "message", "suggested"),
    [
        pytest.param(
            "g-(c)->r",
            "COMES_FROM goes Recipe -> Region or Ingredient -> Region, not Region -> Recipe.",
            ("r-(c)->g", "g<-(c)-r"),
            id="turned",
        ),
        pytest.param(
            "r-(c)->i",
            "so c cannot join r (Recipe) and i (Ingredient). Between Recipe and Ingredient use "
            "NEEDS, FINISHED_WITH.",
            ("NEEDS", "FINISHED_WITH"),
            id="another pair",
        ),
        pytest.param(
            "r-(w)->i",
            "GOES_WITH goes Recipe -> Recipe or Ingredient -> Ingredient, so w cannot join",
            ("NEEDS", "FINISHED_WITH"),
            id="across the pairs",
        ),
    ],
)
def test_an_arrow_across_pairs_is_refused(
    pattern: str, message: str, suggested: tuple[str, ...]
) -> None:
    tables = "Recipe AS r, COMES_FROM AS c, Region AS g, Ingredient AS i, GOES_WITH AS w"
    decision = judge(f"SELECT r.Title FROM {tables} WHERE MATCH({pattern})", CONTRACT)
    assert isinstance(decision, Refused)
    assert decision.code == "wrong_arrow"
    assert message in decision.message
    assert decision.suggestions == suggested


@pytest.mark.parametrize(
    ("sql", "repaired_sql"),
    [
        pytest.param(
            "SELECT r.Title FROM Recipe r, COMES_FROM c, Region g WHERE MATCH(g-(c)->r)",
            "MATCH([g]<-([c])-[r])",
            id="the arrow of a second pair",
        ),
        pytest.param(
            "SELECT i.Name FROM Ingredient i JOIN COMES_FROM c ON c.IngredientId = i.Id "
            "JOIN Region g ON g.Id = c.RegionId",
            "c.$from_id = i.$node_id JOIN Region AS g ON g.$node_id = c.$to_id",
            id="keys of the second pair",
        ),
    ],
)
def test_broken_statements_are_repaired_along_the_intended_pair(
    sql: str, repaired_sql: str
) -> None:
    fixed = repair(sql, CONTRACT)
    assert repaired_sql in fixed.sql
    assert isinstance(judge(fixed.sql, CONTRACT), Allowed)


def test_what_two_edge_tables_could_mean_is_left_with_both_named() -> None:
    sql = "SELECT r.Title FROM Recipe r WHERE r.Ingredient = 'Rice'"
    assert repair(sql, CONTRACT).sql == sql
    decision = judge(sql, CONTRACT)
    assert isinstance(decision, Refused)
    assert "by the edge table NEEDS or FINISHED_WITH" in decision.message


def test_a_node_is_left_by_every_pair_that_touches_its_table() -> None:
    assert set(hops_from(CONTRACT, "Region")) == {
        Hop("COMES_FROM", forward=False, kind="Recipe"),
        Hop("COMES_FROM", forward=False, kind="Ingredient"),
        Hop("PART_OF", forward=True, kind="Region"),
        Hop("PART_OF", forward=False, kind="Region"),
    }
