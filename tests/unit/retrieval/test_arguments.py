from collections.abc import Callable
from typing import Any

import pytest
from fakes.sessions import call, last_recorded, scripted_session

from moviegraph.engines.base import ResultSet
from moviegraph.errors import ArgumentError
from moviegraph.retrieval import readonly_sql, traversal
from moviegraph.retrieval.session import Caps, Rows
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
        pytest.param({"kind": "Film"}, "there are Movie, ", id="unknown kind"),
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
    assert "TOP 5" in readonly_sql.run(session, call(), sql="SELECT Name FROM Movie").sql


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({}, "exactly one of `path`", id="no goal"),
        pytest.param({"path": ["SET_IN"], "to_kind": "Movie"}, "not to Movie", id="another end"),
        pytest.param({"path": ["SET_IN"], "to": [1]}, "exactly one of", id="path and to"),
        pytest.param({"to_kind": "Movie", "max_hops": 0}, "from 1 to 4", id="no hops"),
        pytest.param({"to_kind": "Movie", "max_hops": 5}, "from 1 to 4", id="five hops"),
        pytest.param({"to_kind": "Movie", "max_hops": 1}, "within 1 hop", id="out of reach"),
        pytest.param({"to_kind": "Film"}, "`to_kind` 'Film'", id="unknown kind"),
        pytest.param({"path": []}, "1 to 4 edge tables", id="empty path"),
        pytest.param({"path": ["SET_IN"] * 5}, "1 to 4 edge tables", id="long path"),
        pytest.param({"path": ["SETIN"]}, "no edge table", id="unknown edge"),
        pytest.param({"path": ["IN_GENRE", "SET_IN"]}, "does not touch Genre", id="path astray"),
        pytest.param({"path": ["SET_IN"], "rank_by": "fame"}, "shared, similarity", id="rank"),
        pytest.param({"path": ["SET_IN"], "start_query": "x"}, "`start_query`", id="two starts"),
        pytest.param({"path": ["SET_IN"], "start": None}, "`start_query`", id="no start"),
        pytest.param({"path": ["SET_IN"], "start": [1.5]}, "integers", id="a fraction as an id"),
    ],
)
def test_a_traversal_says_which_argument_is_wrong(given: dict[str, Any], said: str) -> None:
    session, engine = scripted_session(ResultSet((), []))
    arguments: dict[str, Any] = {"start": [1], **given}
    with pytest.raises(ArgumentError, match=said):
        traversal.traverse(session, call(), **arguments)
    assert engine.executed == []


def test_a_path_astray_says_how_to_go_on() -> None:
    session, _ = scripted_session(None)
    with pytest.raises(ArgumentError) as wrong:
        traversal.traverse(session, call(), start=[1], path=["INCLUDES_THEME", "SET_IN"])
    assert wrong.value.suggestions == ("INCLUDES_THEME",)


def test_a_kind_out_of_reach_says_how_many_hops_there_are() -> None:
    session, _ = scripted_session(None)
    with pytest.raises(ArgumentError) as wrong:
        traversal.traverse(session, call(), start=[1], to_kind="Movie", max_hops=1)
    assert wrong.value.hint == "With `max_hops` 2 there is a way."
