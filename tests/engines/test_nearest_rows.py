"""TOP by distance or by rank reads only the best rows, and answers as if it read them all."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import budget
from fakes.records import build_graph

from moviegraph.contract.model import Contract
from moviegraph.engines.base import Statement
from moviegraph.engines.embedded import vector_table as vectors
from moviegraph.engines.embedded.embedded_engine import EmbeddedEngine, open_graph
from moviegraph.engines.embedded.graph_files import vector_files
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.errors import ExecutionError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

Rows = list[tuple[object, ...]]
Ask = Callable[[str, str], Rows]
FILMS = 400
WORDS = ("boy", "desert", "planet", "rebels", "river", "city", "robot", "ghost")
DISTANCE = "VECTOR_DISTANCE('{}', m.Embedding, @q)"
HAS_VECTOR = "m.Embedding IS NOT NULL"


def films() -> list[NodeRecord]:
    """Return films of few words, so that many are equally far, and some without a text."""
    draw = Random(5)
    records: list[NodeRecord] = []
    for at in range(FILMS):
        text = " ".join(sorted(draw.choices(WORDS, k=3))) if at % 9 else ""
        year = {"ReleaseYear": 1950 + draw.randrange(70)} if at % 7 else {}
        records.append(NodeRecord("Movie", 3 * at, "" if not text else "film", text, year))
    return records


def build_films(
    folder: Path, contract: Contract, embedder: HashedEmbedder, *, has_all_texts: bool
) -> Path:
    arguments = [film for film in films() if film.content or not has_all_texts]
    build_graph(arguments, [], folder, contract, embedder, source="test")
    return folder


@pytest.fixture(scope="module", params=["every film has a vector", "some have none", "mapped"])
def graph(
    request: pytest.FixtureRequest,
    contract: Contract,
    embedder: HashedEmbedder,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[EmbeddedEngine]:
    has_all_texts = request.param != "some have none"
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "mapped":
            patch.setattr(vectors, "MAPPED", 0)
        folder = build_films(
            tmp_path_factory.mktemp("near") / "graph",
            contract,
            embedder,
            has_all_texts=has_all_texts,
        )
    engine = open_graph(folder, contract)
    yield engine
    engine.close()


@pytest.fixture
def query_films(graph: EmbeddedEngine, contract: Contract, embedder: HashedEmbedder) -> Ask:
    def rows(sql: str, query: str) -> Rows:
        decision = judge(sql, contract)
        assert isinstance(decision, Allowed), decision
        vector = embedder.embed([query])[0] if decision.uses_query else None
        statement = Statement(decision, vector)
        graph.compile(statement)
        return graph.execute(statement, budget()).rows

    return rows


def condition(draw: Random) -> str:
    """Return a condition over the columns of a film."""
    words = draw.choice(WORDS)
    year, few = 1950 + draw.randrange(70), draw.randrange(3 * FILMS)
    return draw.choice(
        [
            f"m.ReleaseYear >= {year}",
            f"m.Id < {few}",
            f"m.Id IN ({few}, {few + 3}, {few + 30})",
            f"CONTAINS(m.Content, '{words}')",
            f"NOT CONTAINS(*, '{words}') AND m.ReleaseYear < {year}",
            f"m.Content LIKE '%{words}%' OR m.ReleaseYear IS NULL",
            "1 = 0",
            f"{HAS_VECTOR} AND m.ReleaseYear BETWEEN {year} AND {year + 9}",
        ]
    )


@pytest.mark.parametrize("seed", range(24))
def test_the_nearest_films_are_those_of_a_full_sort(query_films: Ask, seed: int) -> None:
    draw = Random(seed)
    distance = DISTANCE.format(draw.choice(vectors.METRICS))
    where = draw.choice(["", f"WHERE {condition(draw)}", f"WHERE {HAS_VECTOR}"])
    if where and draw.random() < 0.5:
        where += f" AND ({condition(draw)})"
    select_sql = f"m.Id, ROUND({distance}, 6) AS d FROM Movie AS m {where}"
    skipped = draw.choice(["", f"OFFSET {draw.randrange(9)} ROWS FETCH NEXT 7 ROWS ONLY"])
    top = "" if skipped else f"TOP ({draw.randrange(1, 20)}) "
    query = " ".join(draw.choices(WORDS, k=2))
    fast = query_films(f"SELECT {top}{select_sql} ORDER BY {distance}, m.Id DESC {skipped}", query)
    slow = query_films(
        f"SELECT {top}{select_sql} ORDER BY {distance} + 0, m.Id DESC {skipped}", query
    )
    assert fast == slow


@pytest.mark.parametrize("seed", range(6))
def test_a_similarity_from_the_highest_down_is_the_same_order(query_films: Ask, seed: int) -> None:
    draw = Random(seed)
    likeness = f"1 - {DISTANCE.format('cosine')}"
    select_sql = f"TOP (9) m.Id FROM Movie AS m WHERE {HAS_VECTOR} AND {condition(draw)}"
    query = " ".join(draw.choices(WORDS, k=2))
    fast = query_films(f"SELECT {select_sql} ORDER BY {likeness} DESC, m.Id", query)
    slow = query_films(f"SELECT {select_sql} ORDER BY {likeness} + 0 DESC, m.Id", query)
    assert fast == slow


@pytest.mark.parametrize("seed", range(12))
def test_the_best_hits_are_those_of_a_full_sort(query_films: Ask, seed: int) -> None:
    draw = Random(seed)
    words, count = " ".join(draw.choices(WORDS, k=2)), draw.randrange(1, 20)
    search = f"FREETEXTTABLE(Movie, (Name, Content), '{words}') AS k"
    joined = draw.choice(
        [
            f"{search} JOIN Movie AS m ON m.Id = k.[KEY]",
            f"Movie AS m INNER JOIN {search} ON k.[KEY] = m.Id",
        ]
    )
    place = draw.choice(["k.[RANK]", "ROW_NUMBER() OVER (ORDER BY k.[RANK] DESC, m.Id)"])
    select_sql = f"TOP ({count}) m.Id, {place} AS Place FROM {joined}"
    fast = query_films(f"SELECT {select_sql} ORDER BY k.[RANK] DESC, m.Id", "")
    slow = query_films(f"SELECT {select_sql} ORDER BY k.[RANK] + 0 DESC, m.Id", "")
    assert fast == slow
    assert fast


def test_a_condition_that_cannot_be_run_is_reported_before_running(
    graph: EmbeddedEngine, contract: Contract, embedder: HashedEmbedder
) -> None:
    distance = DISTANCE.format("cosine")
    sql = f"SELECT TOP 3 m.Id FROM Movie AS m WHERE m.ReleaseYear = 'x' ORDER BY {distance}, m.Id"
    decision = judge(sql, contract)
    assert isinstance(decision, Allowed), decision
    with pytest.raises(ExecutionError):
        graph.execute(Statement(decision, embedder.embed(["boy"])[0]), budget())


def test_large_matrices_are_stored_to_be_mapped(
    contract: Contract,
    embedder: HashedEmbedder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small = build_films(tmp_path / "small", contract, embedder, has_all_texts=True)
    monkeypatch.setattr(vectors, "MAPPED", 0)
    large = build_films(tmp_path / "large", contract, embedder, has_all_texts=True)
    halves, singles = (np.load(vector_files(folder, "Movie")[0]) for folder in (small, large))
    assert (halves.dtype, singles.dtype) == (np.float16, np.float32)
    assert np.linalg.norm(singles, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert singles == pytest.approx(vectors.unit(halves), abs=1e-3)
