"""Source keys in the tools: taken like ids, found exactly, and never folded."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes.parcels import parcel_session
from fakes.sessions import call, column

from moviegraph.errors import ExecutionError, NotFoundError
from moviegraph.query.session import Session
from moviegraph.search import fulltext, hybrid, planning, records, semantic


@pytest.fixture(scope="module")
def parcels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    session = parcel_session(Path(tmp_path_factory.mktemp("parcels")) / "graph")
    yield session
    session.engine.close()


@pytest.mark.parametrize(
    ("item", "name"),
    [
        pytest.param("PX-1", "Lamp", id="as it was written"),
        pytest.param("px-1", "Chair", id="another key by case"),
        pytest.param("0042", "Rug", id="leading zeros"),
        pytest.param(str(2**70), "Vase", id="a number beyond every id"),
        pytest.param("Parcel:PX-1", "Lamp", id="with its kind"),
        pytest.param("PX-2", "Desk", id="before the name of another node"),
        pytest.param(15, "px-2", id="an id"),
        pytest.param("Desk", "Desk", id="a name"),
    ],
)
def test_a_source_key_is_taken_like_an_id(parcels: Session, item: str | int, name: str) -> None:
    rows = records.fetch(parcels, call(), ids=[item])
    assert column(rows, "Name") == [name]
    assert "Code" in rows.columns


def test_another_case_counts_where_only_one_node_fits(parcels: Session) -> None:
    assert column(records.fetch(parcels, call(), ids=["pX-2"]), "Code") == ["PX-2"]
    with pytest.raises(NotFoundError):
        records.fetch(parcels, call(), ids=["Px-1"])


@pytest.mark.parametrize("item", ["PX 1", "PX1", "42", "PX-11"])
def test_a_source_key_is_neither_folded_nor_guessed(parcels: Session, item: str) -> None:
    with pytest.raises(NotFoundError):
        records.fetch(parcels, call(), ids=[item])


def test_searches_take_source_keys(parcels: Session) -> None:
    rows = semantic.search(parcels, call(), query="a lamp", exclude=["PX-1"])
    assert "PX-1" not in column(rows, "Code")
    rows = hybrid.search(parcels, call(), query="oak", like=["PX-1"])
    assert "px-1" in column(rows, "Code")


def test_a_kind_without_vectors_is_found_by_words_and_not_by_meaning(parcels: Session) -> None:
    with pytest.raises(ExecutionError, match=r"Depot has no vectors.*Parcel has them") as failure:
        semantic.search(parcels, call(), kind="Depot", query="north")
    assert failure.value.code == "no_vectors"
    assert "fulltext_search" in (failure.value.hint or "")
    rows = fulltext.search(parcels, call(), kind="Depot", query="north")
    assert rows.columns == ("Id", "Name", "Rank", "Content")
    assert column(rows, "Name") == ["North"]
    assert column(rows, "Content") == [None]
    rows = hybrid.search(parcels, call(), kind="Depot", query="south")
    assert column(rows, "Name") == ["South"]
    assert any("Depot has no vectors" in note for note in rows.notes)


def test_the_planning_context_finds_source_keys(parcels: Session) -> None:
    context = planning.context(parcels, call(), question="What is in PX-1, and in 'px-1'?")
    entities = [(entity["name"], entity["found_by"]) for entity in context["entities"]]
    assert ("Lamp", "source key") in entities
    assert ("Chair", "source key") in entities
    assert context["edges"] == []
