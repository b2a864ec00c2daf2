from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

LISTED = (
    "FROM Movie a, IN_GENRE FOR PATH e, Genre FOR PATH AS g, IN_GENRE FOR PATH f, "
    "dbo.Movie FOR PATH AS b"
)
BARE = LISTED.replace(" FOR PATH", "")
ONE = "SELECT LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH) AS n {} WHERE MATCH({})"
PATH = "SHORTEST_PATH(a(-(e)->g<-(f)-b)+)"
HOP = f"{LISTED}, SET_IN i, Setting s"
RIGHT = ONE.format(LISTED, PATH)
CASES = [
    pytest.param("for_path", ONE.format(BARE, PATH), RIGHT, id="FOR PATH left out"),
    pytest.param(
        "for_path",
        ONE.format(LISTED.replace("Movie a", "Movie FOR PATH a"), PATH),
        RIGHT,
        id="anchor FOR PATH",
    ),
    pytest.param(
        "for_path",
        ONE.format(BARE.replace("Genre AS g", "Genre AS g FOR PATH"), PATH),
        RIGHT,
        id="FOR PATH behind an alias",
    ),
    pytest.param(
        "for_path",
        ONE.format(BARE, "SHORTEST_PATH((b-(f)->g<-(e)-)+a)"),
        ONE.format(LISTED, "SHORTEST_PATH((b-(f)->g<-(e)-)+a)"),
        id="anchor behind",
    ),
    pytest.param(
        "for_path",
        f"{ONE.format(BARE, PATH)} FOR JSON PATH",
        f"{RIGHT} FOR JSON PATH",
        id="before FOR JSON PATH",
    ),
    pytest.param(
        "turned_arrow",
        ONE.format(LISTED, "SHORTEST_PATH(a(<-(e)-g<-(f)-b)+)"),
        RIGHT,
        id="wrong arrow behind the anchor",
    ),
    pytest.param(
        "turned_arrow",
        ONE.format(LISTED, "SHORTEST_PATH(a(-(e)->g-(f)->b){1,3})"),
        ONE.format(LISTED, "SHORTEST_PATH(a(-(e)->g<-(f)-b){1,3})"),
        id="wrong arrow on the way back",
    ),
    pytest.param(
        "turned_arrow",
        ONE.format(HOP, f"{PATH} AND LAST_NODE(b)<-(i)-s"),
        ONE.format(HOP, f"{PATH} AND LAST_NODE(b)-(i)->s"),
        id="wrong arrow from the last node",
    ),
    pytest.param(
        "turned_arrow",
        ONE.format(HOP, f"{PATH} AND s-(i)->LAST_NODE(b)"),
        ONE.format(HOP, f"{PATH} AND s<-(i)-LAST_NODE(b)"),
        id="wrong arrow to the last node",
    ),
    pytest.param(
        "match_shape",
        ONE.format(LISTED, "SHORTEST_PATH(a(-[e]->g<-[f]-b)+)"),
        RIGHT,
        id="edges in brackets",
    ),
]


@pytest.mark.parametrize(("rule", "broken", "mended"), CASES)
def test_a_path_is_mended(
    rule: str, broken: str, mended: str, outcome: Callable[[str], tuple[str, list[str]]]
) -> None:
    assert outcome(broken) == (mended, [rule])


def test_an_edge_that_repeats_is_listed_for_path(
    outcome: Callable[[str], tuple[str, list[str]]],
) -> None:
    broken = ONE.format(LISTED, PATH).replace("IN_GENRE FOR PATH f, ", "")
    text, rules = outcome(broken)
    assert rules == ["missing_edge", "for_path"]
    assert "FROM dbo.IN_GENRE FOR PATH AS f, " in text


def test_a_path_that_an_engine_does_not_run_gets_no_group(mend: Callable[[str], Repaired]) -> None:
    sql = RIGHT.replace("SELECT ", "SELECT a.Name, COUNT(b.Id) WITHIN GROUP (GRAPH PATH) AS m, ")
    assert mend(sql).changes == ()
