"""Meaning of `like` and `exclude`, and the notes on their interpretation."""

from contextlib import closing
from pathlib import Path

import pytest
from fakes.sessions import call, column, made_session

from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.errors import ArgumentError, NotFoundError
from moviegraph.query import readonly_sql
from moviegraph.query.rows import Rows
from moviegraph.query.session import Session
from moviegraph.search import fulltext, hybrid, records, semantic, traverse


def excluding(session: Session, *items: int | str, kind: str = "Movie") -> Rows:
    return semantic.search(session, call(), query="a story", kind=kind, exclude=items, top=20)


@pytest.mark.parametrize(
    ("items", "remaining_ids"),
    [
        pytest.param([4], {1, 2, 3, 5, 6, 7, 8}, id="an id of the kind itself"),
        pytest.param(["Dune"], {1, 2, 4, 5, 6, 7, 8}, id="a name of the kind itself"),
        pytest.param(["alien"], {1, 2, 3, 5, 6, 8}, id="every node of a name"),
        pytest.param(["Alien (1979)"], {1, 2, 3, 5, 6, 7, 8}, id="a name with its year"),
        pytest.param(["Star Wars"], {3, 4, 5, 6, 7, 8}, id="a film, and the series of that name"),
        pytest.param(["Movie:Star Wars"], {2, 3, 4, 5, 6, 7, 8}, id="only the film"),
        pytest.param(["Series:1"], {3, 4, 5, 6, 7, 8}, id="a series by its id"),
        pytest.param(["theme:chosen one"], {2, 4, 5, 6, 7}, id="what is linked to a theme"),
        pytest.param(["Ellen Ripley"], {1, 3, 5, 6, 7, 8}, id="what a character is in"),
        pytest.param(["Paris", 1, "Horror"], {2, 3, 6, 7, 8}, id="several at once"),
        pytest.param([4711], {1, 2, 3, 4, 5, 6, 7, 8}, id="an unknown id"),
        pytest.param(["Star Wrs"], {1, 2, 3, 4, 5, 6, 7, 8}, id="a near spelling"),
    ],
)
def test_named_nodes_and_what_is_linked_to_them_leave_the_result(
    films: Session, items: list[int | str], remaining_ids: set[int]
) -> None:
    assert set(column(excluding(films, *items), "Id")) == remaining_ids


@pytest.mark.parametrize(
    ("item", "message"),
    [
        pytest.param("Star Wars", "Movie:1 'Star Wars' removes 1", id="each meaning"),
        pytest.param("Star Wars", "Series:1 'Star Wars' removes 2", id="with its number"),
        pytest.param("Star Wars", "Use 'Movie:1' to exclude only one", id="how to be precise"),
        pytest.param(4711, "no Movie has that id", id="an unknown id"),
        pytest.param("Star Wrs", "Nearest: Movie:1 'Star Wars'", id="nearest names"),
        pytest.param("alien", "Movie:4 'Alien' removes 1; Movie:7 'alien' removes 1", id="two"),
        pytest.param("Survival", "Theme:3 'Survival' removes 1", id="a theme"),
    ],
)
def test_nothing_is_excluded_silently(films: Session, item: int | str, message: str) -> None:
    (note,) = excluding(films, item).notes
    assert message in note


def test_nodes_whose_name_contains_the_excluded_one_are_mentioned(films: Session) -> None:
    (note,) = excluding(films, "Movie:Star Wars").notes
    assert "Not excluded, though the name contains it: Series:1 'Star Wars'" in note


def test_a_near_spelling_is_only_suggested(films: Session) -> None:
    rows = excluding(films, "Dunne")
    assert 3 in column(rows, "Id")
    assert "Movie:3 'Dune'" in rows.notes[0]


def test_a_kind_without_edges_to_the_result_removes_nothing_and_says_so(films: Session) -> None:
    (note,) = excluding(films, "Paris", kind="Genre").notes
    assert "Setting:2 'Paris' removes 0" in note


@pytest.mark.parametrize(
    ("items", "remaining_ids"),
    [
        pytest.param(["Series:Star Wars"], {1, 2}, id="a series"),
        pytest.param(["Star Wars"], {1, 2}, id="a name of the kind itself too"),
        pytest.param(["theme:chosen one"], {1, 3, 8}, id="a theme"),
        pytest.param(["Chosen One", "Genre:Science Fiction"], {1, 3, 8}, id="every entry"),
        pytest.param(["Theme:Chosen One|Survival"], {1, 3, 4, 8}, id="any name of an entry"),
        pytest.param(["Theme:2|Theme:3"], {1, 3, 4, 8}, id="any id of an entry"),
        pytest.param(["Chosen One|Nowhere"], {1, 3, 8}, id="an unknown name beside a known one"),
        pytest.param(["Theme:Choosen One"], set[int](), id="a near spelling"),
        pytest.param(["Theme:4711"], set[int](), id="an unknown id"),
    ],
)
def test_only_nodes_linked_to_every_entry_stay(
    films: Session, items: list[str], remaining_ids: set[int]
) -> None:
    searches = [
        semantic.search(films, call(), query="a story", only=items),
        fulltext.search(films, call(), query="a the planet ship crew", mode="freetext", only=items),
        hybrid.search(films, call(), query="a story", only=items),
        traverse.traverse(films, call(), start=["Theme:1"], to_kind="Movie", only=items),
    ]
    assert set(column(searches[0], "Id")) == remaining_ids
    for rows in searches:
        assert set(column(rows, "Id")) <= remaining_ids
        assert len(rows.notes) >= len(items)


def test_rows_are_filled_after_the_restriction(films: Session) -> None:
    rows = semantic.search(films, call(), query="a creature aboard a ship", top=2, only=["Theme:2"])
    assert (len(rows.rows), rows.truncated) == (2, "rows")


@pytest.mark.parametrize(
    ("item", "message"),
    [
        pytest.param("Theme:Chosen One", "Kept by 'Theme:Chosen One': Theme:2 'Chosen One' with 3"),
        pytest.param("Theme:Choosen One", "Nearest: Theme:2 'Chosen One'"),
        pytest.param("Theme:4711", "Nothing is kept by 'Theme:4711'"),
        pytest.param("Genre:Fiction|Horror", "Nothing is kept by 'Genre:Fiction'"),
    ],
)
def test_nothing_is_kept_silently(films: Session, item: str, message: str) -> None:
    assert message in " ".join(semantic.search(films, call(), query="a", only=[item]).notes)


@pytest.mark.parametrize("item", ["Setting:Paris", "Paris", "Setting:Nowhere", 3])
def test_a_kind_that_no_edge_joins_cannot_restrict(films: Session, item: int | str) -> None:
    with pytest.raises(ArgumentError, match="no edge joins Genre and"):
        semantic.search(films, call(), query="a story", kind="Genre", only=[item])


def test_the_statement_shown_keeps_what_was_restricted(films: Session) -> None:
    items = ["Theme:Chosen One|Survival", "Genre:Science Fiction"]
    for search in (semantic.search, fulltext.search):
        rows = search(
            films, call(), query="hacker OR planet", only=items, exclude=["Dune"], detail="full"
        )
        assert rows.sql is not None
        query = "hacker OR planet" if "@q" in rows.sql else None
        again = readonly_sql.run(films, call(), sql=rows.sql, query=query)
        assert column(again, "Id") == column(rows, "Id")


def test_exclusion_works_in_every_search(films: Session) -> None:
    words = fulltext.search(films, call(), query="planet", exclude=["Star Wars"])
    assert column(words, "Id") == [3]
    fused = hybrid.search(films, call(), query="planet", exclude=["Star Wars"], top=8)
    assert not {1, 2} & set(column(fused, "Id"))


def test_the_text_of_a_query_is_never_read_as_an_exclusion(films: Session) -> None:
    rows = fulltext.search(films, call(), query="planet but not Dune", mode="freetext")
    assert 3 in column(rows, "Id")


@pytest.mark.parametrize(
    ("like", "absent"),
    [
        pytest.param(["Alien (1979)"], {4}, id="a name"),
        pytest.param([4, "Dune"], {3, 4}, id="ids and names"),
        pytest.param(["Series:Star Wars"], {1, 2}, id="the nodes linked to another kind"),
        pytest.param(["Ellen Ripley"], {2, 4}, id="a name that only another kind has"),
        pytest.param(["A New Hope"], {1}, id="an alias"),
        pytest.param(["Star Wrs"], {1}, id="the only name it can mean"),
    ],
)
def test_examples_are_resembled_and_not_returned(
    films: Session, like: list[int | str], absent: set[int]
) -> None:
    rows = semantic.search(films, call(), like=like, top=20)
    assert rows.rows
    assert not absent & set(column(rows, "Id"))


def test_an_unknown_example_among_known_ones_is_noted(films: Session) -> None:
    rows = semantic.search(films, call(), like=["Dune", "Zardoz"])
    assert rows.rows
    assert rows.notes[0].startswith("No Movie is named 'Zardoz'.")


def test_examples_that_mean_nothing_are_not_found(films: Session) -> None:
    with pytest.raises(NotFoundError, match="Zardoz"):
        semantic.search(films, call(), like=["Zardoz"])


def test_an_example_without_a_linked_node_is_an_argument_error(films: Session) -> None:
    with pytest.raises(ArgumentError, match="no Genre is linked"):
        semantic.search(films, call(), kind="Genre", like=["Paris"])


def test_a_meaning_with_too_many_links_is_not_used_beside_a_smaller_one(films: Session) -> None:
    from dataclasses import replace

    limits = films.contract.limits.model_copy(update={"hub_cut": 2})
    contract = films.contract.model_copy(update={"limits": limits})
    rows = excluding(replace(films, contract=contract), "Rebellion")
    assert set(column(rows, "Id")) == {2, 4, 5, 6, 7} - {2}
    assert "Theme:1 'Rebellion' removes" in rows.notes[0]


@pytest.mark.parametrize("name", ["Star Wars Collection", "star wars saga", "Rocky", "ROCKY saga"])
def test_a_suffix_of_the_kind_may_be_there_or_not(tmp_path: Path, name: str) -> None:
    nodes = [
        NodeRecord("Movie", 1, "A New Hope", "A farm boy leaves.", {"ReleaseYear": 1977}),
        NodeRecord("Movie", 2, "The Boxer", "A boxer fights.", {"ReleaseYear": 1976}),
        NodeRecord("Series", 1, "Star Wars", "A saga."),
        NodeRecord("Series", 2, "Rocky Collection", "Boxing."),
    ]
    edges = [EdgeRecord("PART_OF_SERIES", 1, 1), EdgeRecord("PART_OF_SERIES", 2, 2)]
    session = made_session(tmp_path, nodes, edges)
    with closing(session.engine):
        rows = semantic.search(session, call(), query="a story", exclude=[name])
        assert column(rows, "Id") == [1 if "rocky" in name.lower() else 2]


def test_kin_of_an_excluded_series_are_mentioned(tmp_path: Path) -> None:
    nodes = [
        NodeRecord("Movie", 1, "Ocean's Eleven", "A heist.", {"ReleaseYear": 2001}),
        NodeRecord("Movie", 2, "Ocean's Eight", "Another heist.", {"ReleaseYear": 2018}),
        NodeRecord("Series", 1, "Ocean's Collection", "Heists."),
    ]
    session = made_session(tmp_path, nodes, [EdgeRecord("PART_OF_SERIES", 1, 1)])
    with closing(session.engine):
        (note,) = excluding(session, "Series:Ocean's Collection").notes
        assert 'Movie:2 "Ocean\'s Eight"' in note
        assert "Movie:1" not in note


@pytest.mark.parametrize("item", ["Series:Silver Lake Collection", "Series:2"])
def test_series_that_begin_alike_are_kin(tmp_path: Path, item: str) -> None:
    nodes = [
        NodeRecord("Movie", 1, "A Night Out", "A lake.", {"ReleaseYear": 2001}),
        NodeRecord("Series", 2, "Silver Lake Collection", "Lakes."),
        NodeRecord("Series", 3, "Silver Hills (Original) Collection", "Hills."),
        NodeRecord("Series", 4, "The Silvers", "A family."),
    ]
    session = made_session(tmp_path, nodes, [EdgeRecord("PART_OF_SERIES", 1, 2)])
    with closing(session.engine):
        (note,) = excluding(session, item).notes
        assert "Not excluded, though" in note
        assert "Series:3" in note
        assert "Series:4" not in note


def test_two_edits_in_one_word_are_another_name(tmp_path: Path) -> None:
    people = [NodeRecord("Character", 1, "Robert Harris", "A lawyer.")]
    session = made_session(tmp_path, people, [])
    with closing(session.engine):
        with pytest.raises(NotFoundError) as missing:
            records.fetch(session, call(), kind="Character", names=["Robert Harari"])
        assert missing.value.suggestions == ("Robert Harris",)
        rows = records.fetch(session, call(), kind="Character", names=["Robert Haris"])
        assert column(rows, "Id") == [1]


def test_a_name_of_another_kind_is_never_read_as_a_misspelled_one(tmp_path: Path) -> None:
    nodes = [
        NodeRecord("Movie", 1, "The Shawshank Redemption", "Two prisoners.", {"ReleaseYear": 1994}),
        NodeRecord("Theme", 1, "Redemption", "Someone makes good."),
    ]
    session = made_session(tmp_path, nodes, [])
    with closing(session.engine):
        with pytest.raises(NotFoundError) as missing:
            records.fetch(session, call(), names=["Redemption"])
        assert "It is Theme:1 'Redemption'." in (missing.value.hint or "")
        assert column(records.fetch(session, call(), names=["The Shawshenk Redemtion"]), "Id") == [
            1
        ]
        with pytest.raises(NotFoundError) as part:
            records.fetch(session, call(), names=["Shawshank"])
        assert part.value.suggestions == ("The Shawshank Redemption",)
