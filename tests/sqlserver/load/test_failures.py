"""Errors of loads into SQL Server: retries, messages, and remaining data."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fakes.fake_clock import FakeClock
from fakes.hashed_embedder import HashedEmbedder
from fakes.scripted_graph import ScriptedGraph
from fakes.sources import FILMS, MANY, edge, source
from fakes.tds.refusals import PAUSED
from fakes.tds.script import Fail, HangUp
from fakes.tds.server import TdsServer

from moviegraph.engines.sqlserver.writing import WAITS
from moviegraph.errors import DatabaseError, EmbeddingError, SourceError, VectorSpaceError
from moviegraph.loading import database_loader
from moviegraph.loading.database_loader import MAX_WAIT_SECONDS
from moviegraph.loading.folder_loader import LoadReport

DEADLOCK = Fail(1205, "Transaction was deadlocked. Rerun the transaction.", 13)
Load = Callable[..., LoadReport]


@pytest.mark.parametrize("late", [False, True], ids=["not done", "done, but unheard"])
@pytest.mark.parametrize("fault", [HangUp(), DEADLOCK], ids=["lost", "deadlock"])
def test_a_batch_is_tried_again_after_an_error_that_passes(
    tmp_path: Path,
    load: Load,
    database: ScriptedGraph,
    server: TdsServer,
    clock: FakeClock,
    fault: Fail | HangUp,
    late: bool,
) -> None:
    database.faults = {2: [fault], 3: [fault], 5: [fault]}
    database.late = late
    load(source(tmp_path / "in", MANY))
    assert len(database.nodes["Movie"]) == 600
    assert database.states[-1] == "whole"
    assert clock.waits == [WAITS[0], WAITS[1], WAITS[0]]
    assert len(server.record.logins) == 4, "each time over a fresh connection"


def test_a_paused_database_is_waited_for(
    tmp_path: Path, load: Load, server: TdsServer, clock: FakeClock
) -> None:
    server.logins.extend([PAUSED] * 5)
    load(source(tmp_path / "in"))
    assert clock.waits == list(WAITS[:5])


@pytest.mark.parametrize(
    ("fault", "says", "cure", "tries"),
    [
        pytest.param(
            Fail(229, "The INSERT permission was denied on the object 'Movie', database 'kb'."),
            "INSERT permission was denied",
            "moviegraph_loader",
            1,
            id="not granted",
        ),
        pytest.param(Fail(1105, "Could not allocate space."), "(1105)", "full", 1, id="full"),
        pytest.param(HangUp(), "connection", "Load again", len(WAITS) + 1, id="never comes back"),
    ],
)
def test_a_permanent_error_ends_the_load_with_a_fix(
    tmp_path: Path,
    load: Load,
    database: ScriptedGraph,
    fault: Fail | HangUp,
    says: str,
    cure: str,
    tries: int,
) -> None:
    database.faults = {number: [fault] for number in range(2, 30)}
    with pytest.raises(DatabaseError) as caught:
        load(source(tmp_path / "in"))
    assert says in caught.value.message
    assert cure in (caught.value.hint or "")
    assert "kb" not in caught.value.message
    assert len(database.writes) == 1 + tries
    assert database.states == ["loading"]


@pytest.mark.parametrize("last", range(1, 8))
def test_a_load_that_was_killed_goes_on_where_it_stopped(
    tmp_path: Path, load: Load, database: ScriptedGraph, last: int
) -> None:
    source_path = source(tmp_path / "in", [*MANY, *FILMS[2:5], edge("INCLUDES_THEME", 1, 1)])
    database.faults = {last: [Fail(1105, "Could not allocate space.")]}
    first, second = HashedEmbedder(), HashedEmbedder()
    with suppress(DatabaseError):
        load(source_path, first)
    assert database.states[-1:] != ["whole"]
    there = sum(len(rows) for rows in database.nodes.values())
    database.faults = {}
    load(source_path, second)
    assert sum(map(len, second.calls)) == 603 - there
    assert len(database.nodes["Movie"]) == 600
    assert database.edges["INCLUDES_THEME"] == {(1, 1)}
    assert database.states[-1] == "whole"


def test_what_an_embedder_had_computed_before_it_failed_is_kept(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    class Failing(HashedEmbedder):
        def embed(self, texts: Any, progress: Any = None) -> Any:
            if len(self.calls) == 2:
                raise EmbeddingError("The embedder did not answer.")
            return super().embed(texts, progress)

    source_path = source(tmp_path / "in", MANY)
    with pytest.raises(EmbeddingError):
        load(source_path, Failing())
    assert len(database.nodes["Movie"]) == 2 * database_loader.MAX_BATCH_ROWS
    again = HashedEmbedder()
    load(source_path, again)
    assert sum(map(len, again.calls)) == 600 - 2 * database_loader.MAX_BATCH_ROWS


def test_rows_removed_by_others_meanwhile_are_found_missing(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    def lose(stage: str, done: int, total: int) -> None:
        if stage == "Verifying":
            database.nodes["Movie"].pop(2, None)

    with pytest.raises(DatabaseError, match="Movie contains 1 row and 2 vectors, not 2 and 2"):
        load(source(tmp_path / "in"), progress=lose)
    assert database.states == ["loading"]


def test_a_rejects_file_that_cannot_be_written_is_one_message(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    source_path = source(tmp_path / "in", [*FILMS, "{"])
    with pytest.raises(SourceError, match="cannot be written"):
        load(source_path, rejects=tmp_path / "no" / "folder" / "bad.txt")
    assert database.writes == []


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        pytest.param({"Theme"}, "table dbo.Theme is missing", id="node table"),
        pytest.param({"IN_GENRE", "SET_IN"}, "dbo.SET_IN is missing", id="edge tables"),
        pytest.param({"Loaded"}, "moviegraph.Loaded is missing", id="our own table"),
    ],
)
def test_missing_tables_are_named_and_nothing_is_written(
    tmp_path: Path, load: Load, database: ScriptedGraph, missing: set[str], says: str
) -> None:
    database.missing = missing
    with pytest.raises(DatabaseError) as caught:
        load(source(tmp_path / "in"))
    assert says in caught.value.message
    assert "moviegraph ddl --engine mssql" in (caught.value.hint or "")
    assert database.writes == []


def test_vectors_of_another_width_are_refused(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    with pytest.raises(VectorSpaceError, match=r"Movie has 64.* vectors have 32"):
        load(source(tmp_path / "in"), HashedEmbedder(32))
    assert database.writes == []


def test_tables_filled_by_others_are_left_alone(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    database.nodes["Movie"] = {9: [9, "Theirs", None, ""]}
    database.vectors["Movie"] = {9: None}
    with pytest.raises(DatabaseError, match=r"no load wrote: Movie \(1\)"):
        load(source(tmp_path / "in"))
    assert database.writes == []


def test_a_second_load_at_the_same_time_is_refused(
    tmp_path: Path, load: Load, database: ScriptedGraph, clock: FakeClock
) -> None:
    database.lock = [-1]
    with pytest.raises(DatabaseError, match="Another load"):
        load(source(tmp_path / "in"))
    assert database.writes == []
    assert clock.waits == []


def test_the_lock_of_our_own_lost_session_is_waited_for(
    tmp_path: Path, load: Load, database: ScriptedGraph, clock: FakeClock
) -> None:
    database.lock = [0, -1, -1, 0]
    database.faults = {2: [HangUp()]}
    load(source(tmp_path / "in"))
    assert clock.waits == list(WAITS[:3])
    assert database.states[-1] == "whole"


@pytest.mark.parametrize(
    ("state", "says", "waited"),
    [
        pytest.param((1, 0), "still being indexed in Movie", True, id="slow"),
        pytest.param((None, None), "No full-text index on Movie", False, id="not installed"),
        pytest.param((6, 0), "reports an error", False, id="broken"),
    ],
)
def test_full_text_that_does_not_come_is_a_note_and_no_failure(
    tmp_path: Path,
    load: Load,
    database: ScriptedGraph,
    clock: FakeClock,
    state: tuple[int | None, int | None],
    says: str,
    waited: bool,
) -> None:
    database.fulltext = [state]
    report = load(source(tmp_path / "in"))
    assert says in report.notes[0]
    assert bool(clock.waits) == waited
    assert clock.now <= MAX_WAIT_SECONDS
    assert database.states[-1] == "whole"
