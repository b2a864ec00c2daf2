"""The journal: CPU time to record an execution, to verify, and to erase and archive many.

Run with `python -m benchmarks.journal`.
"""

import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.report import table, write
from moviegraph.journal.execution_records import (
    Attempt,
    Client,
    Execution,
    ModelCost,
    canonical,
    new_execution_id,
)
from moviegraph.journal.retention import archive, forget
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.query.query_pipeline import rows_to_record

RECORDS = 2_000
MANY = 100_000
SQL = "SELECT TOP 20 m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear >= 1990 ORDER BY m.Id"


RESULT_ROWS = [(number, f"Film number {number}", "A film about it. " * 14) for number in range(20)]


def executions(rows: list[tuple[int, str, str]] | None = None) -> list[Execution]:
    """Return records like those of run_strategies: twenty keys, a model, a quality."""
    return [
        Execution(
            id=new_execution_id(),
            owner="local",
            tool="run_strategies",
            created="2026-01-01T00:00:00.000+00:00",
            client=Client(name="desk", version="2.1", transport="http", protocol="2026-07-28"),
            question=f"What is like film number {number % 300}?",
            strategy_id="a",
            message_to_user="Semantic",
            query="a space opera with rebels",
            given=SQL,
            sql=SQL,
            statements=(SQL, SQL),
            attempts=(
                Attempt(sql=SQL, decision="refused", code="syntax", message="no"),
                Attempt(sql=SQL, decision="allowed", method="rules", rule="limit", notes=("no",)),
            ),
            status="ok",
            columns=("Id", "Name"),
            lineage=(("Movie", "Id", "m"), ("Movie", "Name", "m")),
            keys=tuple(("Movie", key) for key in range(20)),
            row_count=20,
            rows=None if rows is None else rows_to_record(rows),
            models=(
                ModelCost(
                    by="provider",
                    model="openai:some",
                    purpose="repair",
                    calls=1,
                    prompt_tokens=1_234,
                    completion_tokens=56,
                ),
            ),
            quality={"score": number % 100 / 100, "rows": 20},
            contract_hash="c" * 64,
            content_hash="d" * 64,
        )
        for number in range(RECORDS)
    ]


def milliseconds(work: Callable[[Execution], object], items: list[Execution]) -> float:
    """Return the mean CPU time of the work."""
    start = time.process_time_ns()
    for item in items:
        work(item)
    return round((time.process_time_ns() - start) / 1e6 / len(items), 3)


def retention_seconds(folder: Path) -> dict[str, float]:
    """Return the time to verify, erase a half and archive a half of many records.

    Two other connections append meanwhile, as two servers would; each record must be there.
    """
    path, written, is_done = folder / "many.sqlite", [0, 0], threading.Event()
    owners = ("local", "token other")
    start = datetime(2026, 1, 1, tzinfo=UTC)
    with closing(SqliteJournal(path)) as journal:
        for number, item in enumerate(executions() * (MANY // RECORDS)):
            created = (start + timedelta(seconds=number)).isoformat()
            members = {"id": new_execution_id(), "owner": owners[number % 2], "created": created}
            journal.record(item.model_copy(update=members))

    item = executions()[0]

    def serve(server: int) -> None:
        with closing(SqliteJournal(path)) as journal:
            while not is_done.wait(0.01):
                written[server] += 1
                created = datetime.now(UTC).isoformat()
                members = {"id": f"{server}-{written[server]}", "created": created}
                journal.record(item.model_copy(update=members))

    servers = [threading.Thread(target=serve, args=(server,)) for server in range(2)]
    for server in servers:
        server.start()
    seconds: dict[str, float] = {}
    try:
        half = start + timedelta(seconds=MANY // 2)
        for name, work in (
            ("forget_s", lambda: forget(path, owners[1], half)),
            ("archive_s", lambda: archive(path, half, folder / "archive.sqlite")),
        ):
            begin = time.perf_counter()
            work()
            seconds[name] = round(time.perf_counter() - begin, 2)
    finally:
        is_done.set()
        for server in servers:
            server.join()
    for file in (path, folder / "archive.sqlite"):
        with closing(SqliteJournal(file, writable=False)) as journal:
            begin = time.perf_counter()
            result = journal.verify()
            seconds[f"verify_{file.stem}_s"] = round(time.perf_counter() - begin, 2)
            assert result.ok, result.faults
            assert file == path or b"token other" not in file.read_bytes()
    return seconds | {"appended_meanwhile": sum(written), "many_records": MANY}


def main() -> None:
    """Measure, print and store the values."""
    records, with_rows = executions(), executions(RESULT_ROWS)
    with tempfile.TemporaryDirectory() as folder:
        bare = sqlite3.connect(Path(folder) / "bare.sqlite", isolation_level=None)
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("PRAGMA synchronous = NORMAL")
        bare.execute("CREATE TABLE records (body TEXT)")
        with closing(bare), closing(SqliteJournal(Path(folder) / "journal.sqlite")) as journal:
            measurements = {
                "records": RECORDS,
                "bytes_a_record": len(canonical(records[0].model_dump())),
                "record_ms": milliseconds(journal.record, records),
                "bare_insert_ms": milliseconds(
                    lambda item: bare.execute(
                        "INSERT INTO records VALUES (?)", (canonical(item.model_dump()),)
                    ),
                    records,
                ),
                "bytes_a_record_with_rows": len(canonical(with_rows[0].model_dump())),
                "record_with_rows_ms": milliseconds(journal.record, with_rows),
                "keep_rows_ms": milliseconds(lambda _: rows_to_record(RESULT_ROWS), records),
                "find_ms": milliseconds(lambda item: journal.find("local", item.id), records),
                "verify_ms_a_record": round(
                    milliseconds(lambda _: journal.verify(), records[:1]) / RECORDS / 2, 4
                ),
            } | retention_seconds(Path(folder))
    table(
        "Journal",
        ("measure", "value"),
        [(name, str(value)) for name, value in measurements.items()],
    )
    write("journal", measurements)


if __name__ == "__main__":
    main()
