from typing import Any

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.spoilable_server import SpoilableServer
from fakes.tds.script import Fail
from fakes.toy_graph import toy_contract

from moviegraph.engines.sqlserver import metadata
from moviegraph.engines.sqlserver.metadata import Features, VectorIndex, read_features
from moviegraph.errors import DatabaseError

AZURE = ("12.0.2000.8", "SQL Azure", 5, None, "READ_WRITE", 170, 1, "Latin1_General_CI_AS")
OLD = ("16.0.4165.4", "Developer Edition", 3, 0, "READ_WRITE", 160, 0, "Latin1_General_CI_AS")


@pytest.fixture
def live() -> SpoilableServer:
    return SpoilableServer.of(toy_contract(), HashedEmbedder().space)


def features_of(live: SpoilableServer, row: tuple[Any, ...]) -> Features:
    live.answers[metadata.SERVER] = [row]
    return read_features(live.read)


def test_a_server_says_what_it_is(live: SpoilableServer) -> None:
    server = read_features(live.read)
    assert (server.kind, server.edition, server.version) == (
        "SQL Server", "Developer Edition", "17.0.1000.7",
    )  # fmt: skip
    assert server.fulltext
    assert server.snapshot
    assert server.supports_vectors
    assert not server.read_only


def test_azure_sql_has_full_text_and_vectors_though_its_version_says_12(
    live: SpoilableServer,
) -> None:
    server = features_of(live, AZURE)
    assert server.kind == "Azure SQL Database"
    assert server.fulltext
    assert server.supports_vectors


def test_an_older_server_has_neither_vectors_nor_what_is_not_installed(
    live: SpoilableServer,
) -> None:
    server = features_of(live, OLD)
    assert not server.supports_vectors
    assert not server.fulltext
    assert not server.snapshot


def test_a_kind_of_server_that_is_not_known_is_named_by_its_number(live: SpoilableServer) -> None:
    assert features_of(live, (*OLD[:2], 99, *OLD[3:])).kind == "engine edition 99"


def test_a_read_replica_is_reported(live: SpoilableServer) -> None:
    assert features_of(live, (*OLD[:4], "READ_ONLY", *OLD[5:])).read_only


@pytest.mark.parametrize(
    ("version", "supports_writes"),
    [
        pytest.param("3", True, id="third"),
        pytest.param("3.1", True, id="third, later"),
        pytest.param("2", False, id="second"),
        pytest.param(None, False, id="untold"),
        pytest.param("new", False, id="a word"),
    ],
)
def test_only_a_vector_index_of_the_third_version_takes_changes(
    live: SpoilableServer, version: str | None, supports_writes: bool
) -> None:
    live.answers[metadata.VECTOR_INDEXES] = [("kitchen", "Recipe", "Meaning", "COSINE", version)]
    (index,) = read_features(live.read).vector_indexes
    assert index.metric == "cosine"
    assert index.supports_writes is supports_writes


def test_a_server_without_the_view_has_no_vector_indexes(live: SpoilableServer) -> None:
    live.answers[metadata.VECTOR_INDEXES] = Fail(208, "Invalid object name 'sys.vector_indexes'.")
    indexes: tuple[VectorIndex, ...] = read_features(live.read).vector_indexes
    assert indexes == ()


def test_a_server_that_does_not_answer_is_an_error(live: SpoilableServer) -> None:
    live.answers[metadata.SERVER] = Fail(916, "no")
    with pytest.raises(DatabaseError):
        read_features(live.read)
