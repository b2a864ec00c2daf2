"""Common table expressions that read each other are counted as a database writes them out."""

import pytest
from golden.decisions import allowed, refused

SELF_JOIN = "SELECT a.k FROM c{0} AS a JOIN c{0} AS b ON a.k = b.k"
SELF_EXISTS = "SELECT a.k FROM c{0} AS a WHERE EXISTS (SELECT 1 FROM C{0} AS b WHERE b.k = a.k)"
UNITED = "SELECT k FROM c{0} UNION ALL SELECT k FROM [c{0}]"
LAST = "SELECT MAX(k) AS k FROM c{}"
ONE_ROW = "SELECT g.Id AS k FROM Genre AS g WHERE g.Id = 1"


def chain(link: str, links: int, last: str = LAST, first: str = ONE_ROW) -> str:
    """Return a statement in which each CTE reads the one before it."""
    indexes = [f"c{at} AS ({link.format(at - 1)})" for at in range(1, links + 1)]
    return f"WITH {', '.join([f'c0 AS ({first})', *indexes])} {last.format(links)}"


@pytest.mark.parametrize("link", [SELF_JOIN, SELF_EXISTS, UNITED], ids=["join", "exists", "union"])
def test_a_chain_that_doubles_with_every_link_is_refused(link: str) -> None:
    allowed(chain(link, 8))
    decision = refused(chain(link, 9))
    assert (decision.code, "512 tables" in decision.message) == ("too_large", True)


def test_one_that_reads_no_table_counts_as_one() -> None:
    allowed(chain(SELF_JOIN, 8, first="SELECT 1 AS k"))
    assert refused(chain(SELF_JOIN, 9, first="SELECT 1 AS k")).code == "too_large"


def test_one_that_nothing_reads_counts_too() -> None:
    last = "SELECT COUNT(*) AS n FROM Genre AS g"
    assert refused(chain(SELF_JOIN, 9, last)).code == "too_large"


def test_a_long_chain_that_reads_each_once_runs() -> None:
    allowed(chain("SELECT k + 1 AS k FROM c{0}", 30))
