"""Statements in processes that can be killed: rows, limits, death, cancellation, replacement."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, datetime, timedelta
from datetime import time as clock
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import budget
from fakes.records import build_graph
from fakes.small_graph import edges, nodes
from numpy.typing import NDArray

from moviegraph.contract.model import Contract
from moviegraph.engines.base import Cancellation, ResultSet, Statement
from moviegraph.engines.embedded.embedded_engine import EmbeddedEngine, open_graph
from moviegraph.engines.embedded.worker_messages import read_result, result_frame
from moviegraph.engines.embedded.worker_pool import WorkerLimits
from moviegraph.errors import (
    ExecutionError,
    GraphError,
    GraphReplacedError,
    QueryTimeoutError,
    ResultTooLargeError,
)

Make = Callable[..., Statement]
FILMS = "SELECT m.Id, m.Name FROM Movie AS m ORDER BY m.Id"
# Several seconds in one step of DuckDB, which sees no interrupt before its end.
DEAF = (
    "WITH a(x) AS (SELECT STRING_AGG(CAST(REPLICATE('ab', 4000) AS NVARCHAR(MAX)), '') "
    "FROM GENERATE_SERIES(1, 1600) AS g) "
    "SELECT SUM(REGEXP_COUNT(a.x, '[a-z]') + g.value) AS n FROM a "
    "CROSS JOIN GENERATE_SERIES(1, 1000) AS g"
)
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")


def worker_pids() -> list[int]:
    """Return the worker processes of this process."""
    listed = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
    return sorted({int(pid) for text in listed for pid in text.split()})


@pytest.fixture(scope="module")
def own_folder(
    contract: Contract, embedder: HashedEmbedder, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("workers") / "graph"
    build_graph(nodes(), edges(), folder, contract, embedder, source="made by hand")
    return folder


@pytest.fixture(scope="module")
def pooled(own_folder: Path, contract: Contract) -> Iterator[EmbeddedEngine]:
    with closing(open_graph(own_folder, contract, workers=WorkerLimits(processes=2))) as engine:
        yield engine


@pytest.mark.slow("process")
def test_a_worker_imports_neither_parser_nor_validation_nor_protocol() -> None:
    code = (
        "import sys; import moviegraph.engines.embedded.worker; "
        "import moviegraph.engines.embedded.worker_messages; "
        "print([name for name in ('sqlglot', 'pydantic', 'mcp', 'starlette', 'onnxruntime') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_value_comes_back_as_the_value_and_type_that_it_was() -> None:
    row = (
        *(1, 2**70, "é ' \n", "", True, None, 1.5, -0.0, float("-inf")),
        *(Decimal("1.50"), Decimal("1E+3"), date(2020, 2, 29), clock(1, 2, 3, 4), b"\x00\xff"),
        *(datetime(2020, 1, 2, 3, 4, 5, 678000), timedelta(days=-1, microseconds=7)),
    )
    result = ResultSet(("a",), [row], "rows", next_row=row)
    message, content = result_frame(result)
    returned = read_result(message, content)
    assert isinstance(returned, ResultSet)
    assert returned == result
    assert [type(cell) for cell in returned.rows[0]] == [type(cell) for cell in row]


@pytest.mark.parametrize("ids", [np.arange(3), np.array([[1, 2], [1, 3]]), np.zeros((0, 2))])
def test_ids_and_pairs_come_back_in_their_shape(ids: NDArray[np.int64]) -> None:
    returned = read_result(*result_frame(ids.astype(np.int64)))
    assert isinstance(returned, np.ndarray)
    assert returned.shape == ids.shape
    assert returned.tolist() == ids.tolist()


@pytest.mark.slow("process")
@pytest.mark.parametrize(
    ("sql", "query"),
    [
        (FILMS, None),
        ("SELECT TOP 2 m.Name FROM Movie AS m WHERE CONTAINS(*, '\"pla*\" OR boy')", None),
        (
            (
                "SELECT TOP 2 m.Id FROM Movie AS m "
                "ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q), m.Id"
            ),
            "desert planet",
        ),
        ("SELECT m.Name FROM Movie AS m FOR JSON PATH", None),
        (
            (
                "SELECT TOP 1 CAST(1.5 AS DECIMAL(9, 3)) AS d, CAST('2020-02-29' AS DATE) AS e, "
                "CAST(m.Id AS FLOAT) / 3 AS f, CAST(NULL AS INT) AS g FROM Movie AS m"
            ),
            None,
        ),
        ("SELECT JSON_VALUE('{\"a\": [1, 2]}', '$.a[1]') AS v", None),
    ],
)
def test_a_worker_gives_the_rows_of_the_engine_in_this_process(
    own_folder: Path,
    contract: Contract,
    pooled: EmbeddedEngine,
    statement: Make,
    sql: str,
    query: str | None,
) -> None:
    with closing(open_graph(own_folder, contract)) as engine:
        expected = engine.execute(statement(sql, query), budget(rows=3))
    assert pooled.execute(statement(sql, query), budget(rows=3)) == expected
    pooled.compile(statement(sql, query))


@pytest.mark.slow("process")
def test_a_condition_comes_back_as_ids(pooled: EmbeddedEngine, statement: Make) -> None:
    condition = statement("SELECT n.Id FROM Movie AS n WHERE n.Id > 2").allowed
    with pooled.reader(budget()) as graph:
        selection = graph.select("Movie", condition)
    assert selection is not None
    assert selection.ids.tolist()[0] == 3


@pytest.mark.slow("process")
def test_errors_keep_code_and_hint(pooled: EmbeddedEngine, statement: Make) -> None:
    with pytest.raises(ExecutionError) as failed:
        pooled.execute(statement("SELECT CAST(m.Name AS INT) AS n FROM Movie AS m"), budget())
    assert failed.value.code == "conversion_failed"
    with pytest.raises(ResultTooLargeError):
        pooled.execute(statement("SELECT m.Name FROM Movie AS m FOR JSON PATH"), budget(bytes=5))


@pytest.mark.slow("process")
def test_a_statement_that_sees_no_interrupt_is_killed_at_its_time(
    pooled: EmbeddedEngine, statement: Make
) -> None:
    with pytest.raises((QueryTimeoutError, ExecutionError)) as ended:
        pooled.execute(statement(DEAF), budget(seconds=0.2))
    assert ended.value.code in ("timeout", "too_complex")
    assert pooled.execute(statement(FILMS), budget(rows=1)).rows


@pytest.mark.slow("process")
def test_a_cancelled_statement_ends_and_the_next_one_runs(
    pooled: EmbeddedEngine, statement: Make
) -> None:
    for number in range(20):
        cancellation = Cancellation()
        timer = threading.Timer(0.01 * (number % 5), cancellation.cancel)
        timer.start()
        with pytest.raises(QueryTimeoutError) as ended:
            pooled.execute(statement(DEAF), budget(cancellation=cancellation))
        assert ended.value.code == "cancelled"
        timer.join()
    assert pooled.execute(statement(FILMS), budget(rows=1)).rows == [(1, "Star Wars")]


@needs_linux
@pytest.mark.slow("process")
def test_an_idle_worker_that_was_killed_loses_no_statement(
    own_folder: Path, contract: Contract, statement: Make
) -> None:
    with closing(open_graph(own_folder, contract, workers=WorkerLimits())) as engine:
        for _ in range(3):
            engine.execute(statement(FILMS), budget())
            for pid in worker_pids():
                os.kill(pid, signal.SIGKILL)
            assert engine.execute(statement(FILMS), budget(rows=1)).rows == [(1, "Star Wars")]


@needs_linux
@pytest.mark.slow("process")
def test_a_worker_that_dies_in_its_statement_is_too_complex(
    own_folder: Path, contract: Contract, statement: Make
) -> None:
    with closing(open_graph(own_folder, contract, workers=WorkerLimits(processes=1))) as engine:
        engine.execute(statement(FILMS), budget())
        others = set(worker_pids())
        timer = threading.Timer(0.3, lambda: [os.kill(pid, signal.SIGKILL) for pid in others])
        timer.start()
        with pytest.raises(ExecutionError) as ended:
            engine.execute(statement(DEAF), budget())
        assert ended.value.code == "too_complex"
        assert engine.execute(statement(FILMS), budget(rows=1)).rows


@needs_linux
@pytest.mark.slow("memory")
def test_memory_beyond_the_ceiling_is_too_complex_and_the_next_statement_runs(
    own_folder: Path, contract: Contract, statement: Make
) -> None:
    limits = WorkerLimits(processes=1, memory=300)
    with closing(open_graph(own_folder, contract, workers=limits)) as engine:
        with pytest.raises(ExecutionError) as ended:
            engine.execute(statement(DEAF), budget(seconds=60))
        assert ended.value.code == "too_complex"
        assert engine.execute(statement(FILMS), budget(rows=1)).rows


@needs_linux
@pytest.mark.slow("memory")
def test_a_full_disk_of_a_worker_is_in_the_log_of_the_server(
    own_folder: Path, contract: Contract, statement: Make, caplog: pytest.LogCaptureFixture
) -> None:
    import resource

    sql = (
        "SELECT MAX(d.n) AS n FROM (SELECT ROW_NUMBER() OVER (ORDER BY CONCAT(b.value, "
        "REPLICATE('x', 300), a.value)) AS n FROM GENERATE_SERIES(1, 10000) AS a "
        "JOIN GENERATE_SERIES(1, 10000) AS b ON a.value % 100 = b.value % 100) AS d"
    )
    unlimited, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, most))  # workers inherit it
    try:
        limits = WorkerLimits(processes=1, memory=500)
        with closing(open_graph(own_folder, contract, workers=limits)) as engine:
            with pytest.raises(ExecutionError) as ended:
                engine.execute(statement(sql), budget(seconds=60))
            assert ended.value.code == "too_complex"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (unlimited, most))
    assert [vars(record)["facts"] for record in caplog.records] == [{"event": "spill_failed"}]


@needs_linux
@pytest.mark.slow("process")
def test_a_closed_engine_leaves_no_process_and_no_folder(
    own_folder: Path, contract: Contract, statement: Make, tmp_path: Path
) -> None:
    others = set(worker_pids())
    limits = WorkerLimits(processes=3)
    engine = open_graph(own_folder, contract, temporary=tmp_path, workers=limits)
    running = threading.Thread(target=lambda: _ignoring(engine, statement(DEAF)))
    running.start()
    engine.execute(statement(FILMS), budget())
    engine.close()
    running.join()
    assert set(worker_pids()) <= others
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(GraphError):
        engine.execute(statement(FILMS), budget())


def _ignoring(engine: EmbeddedEngine, statement: Statement) -> None:
    with pytest.raises((ExecutionError, GraphError, QueryTimeoutError)):
        engine.execute(statement, budget(seconds=5))


@needs_linux
@pytest.mark.slow("process")
def test_a_worker_of_a_replaced_graph_is_never_used(
    contract: Contract, embedder: HashedEmbedder, statement: Make, tmp_path: Path
) -> None:
    folder = tmp_path / "graph"
    build_graph(nodes(), edges(), folder, contract, embedder, source="the first")
    with closing(open_graph(folder, contract, workers=WorkerLimits())) as engine:
        rows = engine.execute(statement(FILMS), budget()).rows
        fewer = [node for node in nodes() if node.kind != "Movie" or node.id < 3]
        build_graph(fewer, [], folder, contract, embedder, source="the second")
        assert engine.execute(statement(FILMS), budget()).rows == rows
        for pid in worker_pids():
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(GraphReplacedError):
            engine.execute(statement(FILMS), budget())
        with closing(engine.reload()) as renewed:
            assert len(renewed.execute(statement(FILMS), budget()).rows) == 2


@needs_linux
@pytest.mark.slow("process")
def test_a_worker_ends_with_its_server(own_folder: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; "
        "from moviegraph.contract.loader import load_contract; "
        "from moviegraph.engines.embedded.embedded_engine import open_graph; "
        "from moviegraph.engines.embedded.worker_pool import WorkerLimits; "
        "e = open_graph(Path(sys.argv[1]), load_contract(), workers=WorkerLimits()); "
        "[time.sleep(0.02) for _ in iter(lambda: e.ready, True)]; "
        "print(*[w.pid for w in e._runner._all], flush=True); time.sleep(600)"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", code, str(own_folder)], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    pids = [int(pid) for pid in server.stdout.readline().split()]
    assert pids
    server.kill()
    server.wait()
    server.stdout.close()
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}/cmdline").exists() for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.02)
