"""Tools over the cookbook: edges between several pairs of tables, and names that are nouns."""

from collections.abc import Iterator

import pytest
from fakes.cookbook import cookbook_edges, cookbook_session
from fakes.sessions import call, column

from moviegraph.retrieval import hybrid, planning, records
from moviegraph.retrieval.session import Session


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
    context = planning.context(cookbook, call(), question="A noodle dish without peanuts")
    (left_out,) = context["exclusions"]
    assert left_out["kinds"] == ("Ingredient",)
    assert "NEEDS AS e" in left_out["where"]
    assert "FINISHED_WITH AS e" in left_out["where"]
    rows = hybrid.search(cookbook, call(), query="noodles without peanuts", top=20)
    edges = [e for e in cookbook_edges() if e.kind in ("NEEDS", "FINISHED_WITH")]
    peanut = next(e.target for e in edges if e.source == 109 and e.kind == "NEEDS")
    assert not {e.source for e in edges if e.target == peanut} & set(column(rows, "Number"))


@pytest.mark.parametrize(
    ("question", "tables"),
    [
        pytest.param("What can replace saffron?", {"REPLACES", "Ingredient"}, id="edge of a word"),
        pytest.param("Which side dish goes with a roast?", {"Recipe", "GOES_WITH"}, id="own kind"),
        pytest.param("Moroccan stews", {"Region", "COMES_FROM", "PART_OF"}, id="alias"),
    ],
)
def test_a_plan_names_edges_with_the_tables_at_their_ends(
    cookbook: Session, question: str, tables: set[str]
) -> None:
    context = planning.context(cookbook, call(), question=question)
    assert tables <= {each["name"] for each in context["tables"]}


def test_what_the_cookbook_lacks_is_said(cookbook: Session) -> None:
    context = planning.context(
        cookbook, call(), question="How many calories have the dishes by Escoffier?"
    )
    said = [each["message"] for each in context["unavailable"]]
    assert any("nutritional" in each for each in said)
    assert any("who wrote or cooks" in each for each in said)
