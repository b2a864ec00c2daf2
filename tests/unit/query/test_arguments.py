from collections.abc import Callable
from typing import Any

import pytest
from fakes.sessions import call, last_recorded, scripted_session

from moviegraph.engines.base import ResultSet
from moviegraph.errors import ArgumentError
from moviegraph.query import readonly_sql
from moviegraph.query.session import Caps, Rows
from moviegraph.search import fulltext, hybrid, semantic

SEARCHES: list[Callable[..., Rows]] = [semantic.search, fulltext.search, hybrid.search]


@pytest.mark.parametrize("search", SEARCHES, ids=["semantic", "fulltext", "hybrid"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({"top": 0}, "from 1 to 20, not 0", id="top of 0"),
        pytest.param({"top": -1}, "from 1 to 20, not -1", id="top of -1"),
        pytest.param({"top": 10**9}, "from 1 to 20, not 1000000000", id="top of 10^9"),
        pytest.param({"top": "ten"}, "from 1 to 20, not 'ten'", id="top as a text"),
        pytest.param({"top": True}, "from 1 to 20, not True", id="top as a truth value"),
        pytest.param({"kind": "Film"}, "Use one of Movie, ", id="unknown kind"),
        pytest.param({"detail": "brief"}, "one of concise, full", id="unknown detail"),
        pytest.param({"query": ""}, "`query` is empty", id="empty query"),
        pytest.param({"query": " \n "}, "`query` is empty", id="blank query"),
        pytest.param({"query": "x" * 100_000}, "100,000 characters", id="query of 100 kB"),
        pytest.param({"query": "a\0b"}, "NUL", id="NUL"),
        pytest.param({"query": "a\ud800b"}, "surrogates", id="lone surrogate"),
    ],
)
def test_an_argument_outside_its_bounds_is_named_and_nothing_runs(
    search: Callable[..., Rows], given: dict[str, Any], said: str
) -> None:
    session, engine = scripted_session(ResultSet((), []))
    with pytest.raises(ArgumentError, match=said):
        search(session, call("a_tool"), **{"query": "x", **given})
    assert engine.executed == []
    assert last_recorded(session).status == "failed"
    assert last_recorded(session).code == "invalid_argument"


def test_the_nearest_kinds_are_offered() -> None:
    session, _ = scripted_session(None)
    with pytest.raises(ArgumentError) as wrong:
        semantic.search(session, call(), query="x", kind="Moovie")
    assert wrong.value.suggestions == ("Movie",)


def test_the_cap_is_the_operators() -> None:
    session, _ = scripted_session(ResultSet(("Name",), []), Caps(top=5))
    with pytest.raises(ArgumentError, match="from 1 to 5, not 6"):
        readonly_sql.run(session, call(), sql="SELECT Name FROM Movie", top=6)
    assert "TOP 5" in (readonly_sql.run(session, call(), sql="SELECT Name FROM Movie").sql or "")
