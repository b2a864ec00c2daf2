"""Tools over the cookbook: edges between several pairs of tables, and names that are nouns."""

from collections.abc import Iterator

import pytest
from fakes.cookbook import cookbook_edges, cookbook_session
from fakes.sessions import call, column
from fakes.ways import Graph

from moviegraph.errors import ArgumentError
from moviegraph.retrieval import hybrid, records, traversal
from moviegraph.retrieval.session import Session


@pytest.fixture(scope="module")
def cookbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    session = cookbook_session(tmp_path_factory.mktemp("cookbook") / "graph")
    yield session
    session.engine.close()
    session.journal.close()


@pytest.mark.parametrize(
    ("kind", "start", "path", "end"),
    [
        pytest.param("Recipe", 1, ("NEEDS", "IN_SEASON"), "Season", id="a chain"),
        pytest.param("Season", 4, ("IN_SEASON", "NEEDS"), "Recipe", id="back along it"),
        pytest.param("Ingredient", 130, ("REPLACES",), "Ingredient", id="of one kind, both ways"),
        pytest.param("Ingredient", 12, ("GOES_WITH", "GOES_WITH"), "Ingredient", id="second pair"),
        pytest.param("Recipe", 95, ("GOES_WITH", "GOES_WITH"), "Recipe", id="first pair"),
        pytest.param("Region", 11, ("PART_OF", "PART_OF"), "Region", id="up and down"),
        pytest.param("Region", 5, ("PART_OF", "COMES_FROM"), "Recipe", id="to one of two kinds"),
        pytest.param("Region", 5, ("PART_OF", "COMES_FROM"), "Ingredient", id="to the other"),
        pytest.param(
            "Recipe", 31, ("COMES_FROM", "COMES_FROM"), "Ingredient", id="from pair to pair"
        ),
    ],
)
def test_a_path_is_walked_along_every_pair_that_fits(
    cookbook: Session, kind: str, start: int, path: tuple[str, ...], end: str
) -> None:
    graph = Graph(cookbook.contract, cookbook_edges())
    reached: dict[int, int] = {}
    for way in graph.ways([(kind, start)], len(path), path):
        if way[-1][0] == end:
            reached[way[-1][1]] = reached.get(way[-1][1], 0) + 1
    several = (kind == "Region" and path[-1] == "COMES_FROM") or path[0] == path[-1] == "COMES_FROM"
    rows = traversal.traverse(
        cookbook, call(), start_kind=kind, start=[start], path=list(path), top=20,
        to_kind=end if several else None,
    )  # fmt: skip
    key = cookbook.contract.node(end)
    assert key is not None
    found = dict(zip(column(rows, key.key), column(rows, "Score"), strict=True))
    best = sorted(reached, key=lambda each: (-reached[each], each))[:20]
    assert found
    assert found == {each: reached[each] for each in best}


def test_a_path_to_nodes_of_several_kinds_asks_which(cookbook: Session) -> None:
    with pytest.raises(ArgumentError) as caught:
        traversal.traverse(
            cookbook, call(), start_kind="Region", start=["Italy"], path=["COMES_FROM"]
        )
    assert "leads to Recipe and to Ingredient" in caught.value.message
    assert caught.value.suggestions == ("Recipe", "Ingredient")
    with pytest.raises(ArgumentError, match="leads to Recipe and to Ingredient"):
        traversal.traverse(
            cookbook, call(), start_kind="Region", start=[5], path=["COMES_FROM"], to_kind="Season"
        )


def test_where_longer_ways_are_too_many_shorter_ones_are_walked_and_that_is_said(
    cookbook: Session,
) -> None:
    rows = traversal.traverse(cookbook, call(), start=["Falafel"], to_kind="Recipe", max_hops=4)
    assert set(column(rows, "Hops")) <= {1, 2}
    assert "Ways of 2 hops at most: of 3 there are more than 60" in rows.notes[0]


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


@pytest.mark.parametrize(
    ("query", "note"),
    [
        pytest.param("dishes like ramen but without pork", "likeness to 'Ramen'", id="noun"),
        pytest.param("something similar to beef rendang", "likeness to 'Beef rendang'", id="two"),
        pytest.param("like Goulash", "likeness to 'Goulash'", id="capital"),
    ],
)
def test_a_dish_may_be_named_in_small_letters(cookbook: Session, query: str, note: str) -> None:
    rows = hybrid.search(cookbook, call(), query=query)
    assert any(note in each for each in rows.notes)
    name = note.split("'")[1]
    assert name not in column(rows, "Title")


@pytest.mark.parametrize("query", ["I would like pho", "cooked like this", "tastes like curry"])
def test_other_words_behind_like_stay_words(cookbook: Session, query: str) -> None:
    rows = hybrid.search(cookbook, call(), query=query)
    assert not [note for note in rows.notes if "likeness" in note]


def test_what_is_left_out_is_left_out_along_every_edge_to_it(cookbook: Session) -> None:
    rows = hybrid.search(cookbook, call(), query="noodles without peanuts", top=20)
    edges = [e for e in cookbook_edges() if e.kind in ("NEEDS", "FINISHED_WITH")]
    peanut = next(e.target for e in edges if e.source == 109 and e.kind == "NEEDS")
    assert not {e.source for e in edges if e.target == peanut} & set(column(rows, "Number"))
