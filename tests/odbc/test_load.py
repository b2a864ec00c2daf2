"""Loading into SQL Server, over the genuine drivers and a scripted server."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.hashed_embedder import HashedEmbedder, hashed_words
from fakes.odbc import OdbcDriver
from fakes.scripted_graph import ScriptedGraph
from fakes.sources import FILMS, edge, film, source
from fakes.tds.record import Transaction
from fakes.tds.script import Fail, HangUp
from fakes.tds.server import TdsServer
from fakes.toy_graph import TOY, toy_contract

from moviegraph.cli import main
from moviegraph.contract.load import load_contract
from moviegraph.embeddings.base import Embedder
from moviegraph.embeddings.local import SPACE
from moviegraph.engines.known_vectors import write_vectors
from moviegraph.engines.odbc.connection import Connector
from moviegraph.engines.odbc.connection_string import parse_connection_string
from moviegraph.engines.odbc.writer import SESSION, WAITS, Writer
from moviegraph.engines.records import embedded_text, text_digest
from moviegraph.errors import DatabaseError, EmbeddingError, SourceError
from moviegraph.loading import mssql
from moviegraph.loading.fulltext_wait import FulltextWait
from moviegraph.loading.load import LoadReport
from moviegraph.loading.mssql import load_into_database

DEADLOCK = Fail(1205, "Transaction was deadlocked. Rerun the transaction.", 13)
MANY = [film(key, f"Film {key}", f"The story of number {key}.") for key in range(1, 601)]
Load = Callable[..., LoadReport]


class Clock:
    """Time that passes only where somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def pause(self, seconds: float) -> None:
        self.now += seconds
        self.waits.append(seconds)


@pytest.fixture
def database() -> ScriptedGraph:
    return ScriptedGraph(load_contract(), HashedEmbedder().space.dimensions)


@pytest.fixture
def server(database: ScriptedGraph) -> Iterator[TdsServer]:
    with TdsServer(database) as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def load(driver: OdbcDriver, server: TdsServer, database: ScriptedGraph, clock: Clock) -> Load:
    string = parse_connection_string(driver.string(server.port), read_only=False)
    connector = Connector(string, session=(SESSION,))
    plain = HashedEmbedder()

    def run(place: Path, embedder: Embedder | None = plain, **more: Any) -> LoadReport:
        writer = Writer(connector.open, pause=clock.pause)
        wait = FulltextWait(clock=lambda: clock.now, pause=clock.pause)
        try:
            return load_into_database(place, database.contract, embedder, writer, wait=wait, **more)
        finally:
            writer.close()

    return run


def test_nodes_edges_vectors_and_manifest_arrive(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    rows = [
        *FILMS,
        film(3, "Amélie 漢字 😀", 'It\'s "quoted" \\ and\nlong. ' + "é" * 3000, year=None),
    ]
    report = load(source(tmp_path / "in", rows), enrich=False)
    assert report.counts["Movie"] == 3
    assert database.nodes["Movie"][1][1:3] == ["Alien", "1979"]
    assert database.nodes["Movie"][3] == [3, rows[-1]["name"], None, rows[-1]["content"]]
    assert database.edges["INCLUDES_THEME"] == {(1, 1), (2, 2), (1, 2)}
    text = embedded_text("Moon", "A lone miner doubts what he sees.")
    sent = np.array(database.vectors["Movie"][2], np.float32)
    assert (sent == np.array(hashed_words(text, 64), np.float32)).all(), "not one bit is lost"
    document = json.loads(database.manifest or "")
    assert document["counts"] == dict(report.counts)
    assert document["space"]["model"] == "hashed-words"
    assert database.states == ["loading", "whole"]


def test_every_column_of_another_contract_arrives(
    tmp_path: Path, driver: OdbcDriver, clock: Clock
) -> None:
    database = ScriptedGraph(toy_contract(), 64)
    with TdsServer(database) as server:
        string = parse_connection_string(driver.string(server.port), read_only=False)
        writer = Writer(Connector(string, session=(SESSION,)).open, pause=clock.pause)
        load_into_database(TOY / "data", toy_contract(), HashedEmbedder(), writer, enrich=False)
        writer.close()
    assert len(database.nodes["Recipe"]) == 8
    names = [c.name for c in toy_contract().nodes[0].columns if c.type != "VECTOR"]
    row = dict(zip(names, database.nodes["Recipe"][1], strict=True))
    lines = (TOY / "data" / "nodes_Recipe.jsonl").read_text(encoding="utf-8").splitlines()
    given = next(each for each in map(json.loads, lines) if each["id"] == 1)
    assert (row["Title"], row["Method"]) == (given["name"], given["content"])
    assert (row["Vegan"], row["Added"]) == (str(given["vegan"]), given["added"])


def test_a_second_load_of_the_same_source_writes_nothing(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    place = source(tmp_path / "in", MANY)
    load(place)
    written, holds, embedder = len(database.writes), deepcopy(database.holds), HashedEmbedder()
    load(place, embedder)
    assert len(database.writes) == written
    assert database.holds == holds
    assert embedder.calls == []


def test_what_changed_is_written_and_what_left_is_removed(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    place = source(tmp_path / "in", FILMS)
    load(place, enrich=False)
    del database.writes[:]
    embedder = HashedEmbedder()
    kept = [row for row in FILMS if row not in (FILMS[1], FILMS[6])]
    source(place, [*kept[1:], film(1, "Alien", FILMS[0]["content"], year=1980)])
    load(place, embedder, enrich=False)
    assert database.writes == [
        "manifest",
        "write Movie",
        "remove INCLUDES_THEME",
        "remove Movie",
        "manifest",
    ]
    assert database.nodes["Movie"][1][2] == "1980"
    assert set(database.nodes["Movie"]) == set(database.vectors["Movie"]) == {1}
    assert database.edges["INCLUDES_THEME"] == {(1, 1), (1, 2)}
    assert embedder.calls == [], "its text is the same"


def test_a_text_that_moves_to_another_key_is_not_embedded_again(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    place = source(tmp_path / "in", [film(1, "Alien"), film(2, "Moon")])
    load(place)
    before, embedder = dict(database.vectors["Movie"]), HashedEmbedder()
    source(place, [film(2, "Alien"), film(7, "Moon"), film(8, "Dune")])
    load(place, embedder)
    assert embedder.calls == [["Dune. A crew meets it."]]
    assert database.vectors["Movie"][2] == pytest.approx(before[1])
    assert database.vectors["Movie"][7] == pytest.approx(before[2])


def test_vectors_of_another_space_are_all_computed_again(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    class Other(HashedEmbedder):
        def __init__(self) -> None:
            super().__init__()
            self.space = type(self.space)("test", "another-model", self.space.dimensions)

    place, other = source(tmp_path / "in", FILMS), Other()
    load(place)
    load(place, other)
    assert len(other.calls[0]) == 2
    assert json.loads(database.manifest or "")["space"]["model"] == "another-model"


def test_known_vectors_are_taken_and_without_an_embedder_there_are_none(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    place, embedder = source(tmp_path / "in", [film()]), HashedEmbedder()
    known = {text_digest("Alien. A crew meets it."): np.full(64, 0.125, np.float16)}
    load(place, embedder, known=known)
    assert embedder.calls == []
    assert database.vectors["Movie"][1] == [0.125] * 64
    load(place, None)
    assert database.vectors["Movie"][1] is None
    assert json.loads(database.manifest or "")["space"] is None


@pytest.mark.parametrize("late", [False, True], ids=["not done", "done, but unheard"])
@pytest.mark.parametrize("fault", [HangUp(), DEADLOCK], ids=["lost", "deadlock"])
def test_a_batch_is_tried_again_after_an_error_that_passes(
    tmp_path: Path,
    load: Load,
    database: ScriptedGraph,
    server: TdsServer,
    clock: Clock,
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
    tmp_path: Path, load: Load, server: TdsServer, clock: Clock
) -> None:
    server.logins.extend([Fail(40613, "Database 'kb' is not currently available.", 17)] * 5)
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
        pytest.param(HangUp(), "connection", "load again", len(WAITS) + 1, id="never comes back"),
    ],
)
def test_an_error_that_stays_ends_the_load_with_its_cure(
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
    place = source(tmp_path / "in", [*MANY, *FILMS[2:5], edge("INCLUDES_THEME", 1, 1)])
    database.faults = {last: [Fail(1105, "Could not allocate space.")]}
    first, second = HashedEmbedder(), HashedEmbedder()
    with suppress(DatabaseError):
        load(place, first)
    assert database.states[-1:] != ["whole"]
    there = sum(len(rows) for rows in database.nodes.values())
    database.faults = {}
    load(place, second)
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

    place = source(tmp_path / "in", MANY)
    with pytest.raises(EmbeddingError):
        load(place, Failing())
    assert len(database.nodes["Movie"]) == 2 * mssql.MOST_ROWS
    again = HashedEmbedder()
    load(place, again)
    assert sum(map(len, again.calls)) == 600 - 2 * mssql.MOST_ROWS


def test_rows_that_somebody_removed_meanwhile_are_found_missing(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    def lose(stage: str, done: int, total: int) -> None:
        if stage == "Verifying":
            database.nodes["Movie"].pop(2, None)

    with pytest.raises(DatabaseError, match="Movie holds 1 rows and 2 vectors, not 2 and 2"):
        load(source(tmp_path / "in"), progress=lose)
    assert database.states == ["loading"]


def test_a_rejects_file_that_cannot_be_written_is_one_message(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    place = source(tmp_path / "in", [*FILMS, "{"])
    with pytest.raises(SourceError, match="cannot be written"):
        load(place, rejects=tmp_path / "no" / "folder" / "bad.txt")
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
    with pytest.raises(DatabaseError, match=r"have 32 dimensions.* Movie has 64"):
        load(source(tmp_path / "in"), HashedEmbedder(32))
    assert database.writes == []


def test_tables_that_somebody_else_filled_are_left_alone(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    database.nodes["Movie"] = {9: [9, "Theirs", None, ""]}
    database.vectors["Movie"] = {9: None}
    with pytest.raises(DatabaseError, match=r"no load wrote: Movie \(1\)"):
        load(source(tmp_path / "in"))
    assert database.writes == []


def test_a_manifest_of_another_version_is_replaced(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    database.manifest = '{"format": 99}'
    database.nodes["Movie"], database.vectors["Movie"] = {9: [9, "Old", None, ""]}, {9: None}
    load(source(tmp_path / "in"))
    assert set(database.nodes["Movie"]) == {1, 2}
    assert database.states == ["loading", "whole"]


def test_a_second_load_at_the_same_time_is_refused(
    tmp_path: Path, load: Load, database: ScriptedGraph, clock: Clock
) -> None:
    database.lock = [-1]
    with pytest.raises(DatabaseError, match="Another load"):
        load(source(tmp_path / "in"))
    assert database.writes == []
    assert clock.waits == []


def test_the_lock_of_our_own_lost_session_is_waited_for(
    tmp_path: Path, load: Load, database: ScriptedGraph, clock: Clock
) -> None:
    database.lock = [0, -1, -1, 0]
    database.faults = {2: [HangUp()]}
    load(source(tmp_path / "in"))
    assert clock.waits == list(WAITS[:3])
    assert database.states[-1] == "whole"


def test_full_text_is_waited_for(
    tmp_path: Path, load: Load, database: ScriptedGraph, clock: Clock
) -> None:
    database.fulltext = [(1, 0), (0, 40), (4, 3), (4, 0)]
    report = load(source(tmp_path / "in"))
    assert report.notes == ()
    assert clock.waits == [0.5, 1.0, 2.0]


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
    clock: Clock,
    state: tuple[int | None, int | None],
    says: str,
    waited: bool,
) -> None:
    database.fulltext = [state]
    report = load(source(tmp_path / "in"))
    assert says in report.notes[0]
    assert bool(clock.waits) == waited
    assert clock.now <= FulltextWait().seconds
    assert database.states[-1] == "whole"


def test_each_batch_is_one_transaction_of_at_most_so_many_rows(
    tmp_path: Path, load: Load, database: ScriptedGraph, server: TdsServer
) -> None:
    load(source(tmp_path / "in", MANY))
    commits = server.record.events.count(Transaction(1, "commit"))
    assert database.writes.count("write Movie") == 3
    assert commits == len(database.writes)


def test_long_rows_make_smaller_batches(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    long = "x" * (mssql.MOST_CHARACTERS // 2)
    load(source(tmp_path / "in", [film(key, content=long) for key in range(3)]), None)
    assert database.writes.count("write Movie") == 3


def test_documents_travel_as_nvarchar_of_any_length(
    tmp_path: Path, microsoft: OdbcDriver, database: ScriptedGraph, clock: Clock
) -> None:
    with TdsServer(database) as server:
        string = parse_connection_string(microsoft.string(server.port), read_only=False)
        writer = Writer(Connector(string, session=(SESSION,)).open, pause=clock.pause)
        load_into_database(
            source(tmp_path / "in", MANY), database.contract, HashedEmbedder(), writer
        )
        writer.close()
        sent = [call for call in server.record.calls if call.parameters]
    long = [call for call in sent if len(call.parameters[0].value) > 2000]
    assert len(long) == 3
    assert {call.declared for call in long} == {"@P1 nvarchar(max)"}
    assert all(call.declared.startswith("@P1 nvarchar(") for call in sent)


@pytest.fixture
def variable(
    monkeypatch: pytest.MonkeyPatch, driver: OdbcDriver, server: TdsServer
) -> pytest.MonkeyPatch:
    """The variable of the command, which waits no time between its tries."""
    monkeypatch.setenv("MOVIEGRAPH_MSSQL_LOAD", driver.string(server.port))
    monkeypatch.setattr("moviegraph.engines.odbc.writer.WAITS", ())
    return monkeypatch


def test_the_command_loads_and_says_what_it_loaded(
    tmp_path: Path,
    variable: pytest.MonkeyPatch,
    database: ScriptedGraph,
    server: TdsServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    database.fulltext = [(None, None)]
    command = ["load", str(source(tmp_path / "in", [*FILMS, "{"])), "--into", "mssql"]
    assert main([*command, "--no-embeddings"]) == 3
    told = capsys.readouterr()
    assert "Loaded into mssql" in told.out
    assert "5 nodes: 2 Movie" in told.out
    assert "No full-text index on Movie" in told.err
    assert "Rejected 1 rows" in told.err
    assert database.states[-1] == "whole"
    server.record.wait_for(lambda _: server.open == 0, "the end of the connection")


def test_vectors_that_lie_beside_the_source_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: OdbcDriver
) -> None:
    database, place = ScriptedGraph(load_contract(), SPACE.dimensions), source(tmp_path, [film()])
    known = {text_digest("Alien. A crew meets it."): np.full(SPACE.dimensions, 0.125, np.float16)}
    (place / "vectors").mkdir()
    write_vectors(place / "vectors" / f"{SPACE.id}.npz", known, SPACE)
    with TdsServer(database) as server:
        monkeypatch.setenv("MOVIEGRAPH_MSSQL_LOAD", driver.string(server.port))
        assert main(["load", str(place), "--into", "mssql"]) == 0
    assert database.vectors["Movie"][1] == [0.125] * SPACE.dimensions


@pytest.mark.parametrize(
    ("refusal", "says"),
    [
        pytest.param(Fail(18456, "Login failed for user 'reader'.", 14), "password", id="log-in"),
        pytest.param(Fail(40613, "Database 'kb' is not available.", 17), "paused", id="paused"),
    ],
)
def test_a_log_in_that_fails_is_one_message_without_secrets(
    tmp_path: Path,
    variable: pytest.MonkeyPatch,
    server: TdsServer,
    capsys: pytest.CaptureFixture[str],
    refusal: Fail,
    says: str,
) -> None:
    server.logins.extend([refusal] * 20)
    command = ["load", str(source(tmp_path / "in")), "--into", "mssql", "--no-embeddings"]
    assert main(command) == 1
    told = capsys.readouterr()
    assert says in told.err
    assert "MOVIEGRAPH_MSSQL_LOAD" in told.err or says == "paused"
    assert not any(secret in told.err for secret in ("s3cret", "127.0.0.1", "Traceback"))
    assert told.out == ""


def test_the_variable_of_the_server_is_never_used_for_loading(
    tmp_path: Path,
    variable: pytest.MonkeyPatch,
    driver: OdbcDriver,
    server: TdsServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    variable.delenv("MOVIEGRAPH_MSSQL_LOAD")
    variable.setenv("MOVIEGRAPH_MSSQL", driver.string(server.port))
    assert main(["load", str(source(tmp_path / "in")), "--into", "mssql"]) == 2
    assert "MOVIEGRAPH_MSSQL_LOAD is not set" in capsys.readouterr().err
    assert server.record.logins == []
