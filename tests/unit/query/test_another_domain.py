"""Tools over the cookbook: edges between several pairs of tables, and names that are nouns."""

from collections.abc import Iterator

import pytest
from fakes.cookbook import cookbook_edges, cookbook_session
from fakes.sessions import call, column

from moviegraph.query.session import Session
from moviegraph.search import hybrid, records


@pytest.fixture(scope="module")
def cookbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    session = cookbook_session(tmp_path_factory.mktemp("cookbook") / "graph")
    yield session
    session.engine.close()
    session.journal.close()


def test_edges_are_counted_at_both_ends_of_their_own_kind(cookbook: Session) -> None:
    edges = cookbook_edges()
    ((name, counts),) = [
        (row[1], row[-1]) for row in records.fetch(cookbook, call(), kind="Region", ids=[5]).rows
    ]
    assert name == "Italy"
    assert counts == {
        "COMES_FROM": sum(e.kind == "COMES_FROM" and e.target == 5 for e in edges),
        "PART_OF": sum(e.kind == "PART_OF" and 5 in (e.source, e.target) for e in edges),
    }


def test_what_is_excluded_is_excluded_along_every_edge_to_it(cookbook: Session) -> None:
    edges = [e for e in cookbook_edges() if e.kind in ("NEEDS", "FINISHED_WITH")]
    peanut = next(e.target for e in edges if e.source == 109 and e.kind == "NEEDS")
    rows = hybrid.search(
        cookbook, call(), query="noodles", exclude=[f"Ingredient:{peanut}"], top=20
    )
    assert rows.rows
    assert not {e.source for e in edges if e.target == peanut} & set(column(rows, "Number"))
