"""The same files and questions for moviegraph and two other servers: steps to the right answers.

No language model takes part. The plans are written by hand, as a client would act that knows only
where the files are: it looks at the tables, then asks each question in the server's own way, and
once more in other words where the answer was not right. So the figures are calls, bytes to read,
CPU and seconds, and which questions a server can answer at all.
"""

import csv
import sqlite3
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import psutil

from benchmarks.own_data.questions import Call, Question, questions, shop_tables
from benchmarks.own_data.tables import Table, write_csvs, write_sqlite
from benchmarks.peers.datasets import STORAGE_VERSION
from benchmarks.peers.servers import SERVERS, Environment, UnavailableError, datasette
from benchmarks.server_process import Launch, ServerProcess, launch_python, text_of

NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Contender:
    """A server over the files: how they are prepared for it, its launch, first look and calls."""

    preparation: str
    prepare: Callable[[], None]
    launch: Callable[[], Launch]
    look: tuple[Call, ...]
    calls: Callable[[Question], Sequence[Call]]


def _moviegraph(source: Path, _: Sequence[Table], scratch: Path) -> Contender:
    graph = str(scratch / "graph")
    load = launch_python("-m", "moviegraph", "load", str(source), "--into", graph)
    options = ("--graph", graph, "--journal", str(scratch / "journal"))
    return Contender(
        "load",
        lambda: _run(load),
        lambda: launch_python("-m", "moviegraph", "serve", *options),
        tuple(("get_planning_context", {"section": part}) for part in ("tables", "edges")),
        lambda question: question.ours,
    )


def _motherduck(source: Path, tables: Sequence[Table], scratch: Path) -> Contender:
    command = str(_environment("mcp-server-motherduck").bin / "mcp-server-motherduck")
    if source.is_dir():
        files = {table.name: f"'{source}/{table.name}.csv'" for table in tables}
        look = [
            f"SELECT file FROM glob('{source}/*')",
            *(f"DESCRIBE FROM {f}" for f in files.values()),
        ]
        return Contender(
            NOTHING,
            lambda: None,
            lambda: Launch((command, "--db-path", ":memory:", "--read-write")),
            tuple(("execute_query", {"sql": sql}) for sql in look),
            lambda question: [("execute_query", {"sql": q.format(**files)}) for q in question.sql],
        )
    copy, names = scratch / "shop.duckdb", {table.name: table.name for table in tables}
    return Contender(
        "SQLite into DuckDB, whose extension for SQLite is a download",
        lambda: _into_duckdb(source, tables, copy),
        lambda: Launch((command, "--db-path", str(copy))),
        (("list_tables", {}), *(("list_columns", {"table": name}) for name in names)),
        lambda question: [("execute_query", {"sql": q.format(**names)}) for q in question.sql],
    )


def _datasette(source: Path, tables: Sequence[Table], scratch: Path) -> Contender:
    environment = _environment("datasette-mcp")
    database = scratch / "shop.db" if source.is_dir() else source
    names = {table.name: table.name for table in tables}
    return Contender(
        "CSV into SQLite, types and keys declared by hand" if source.is_dir() else NOTHING,
        lambda: _into_sqlite(source, tables, database) if source.is_dir() else None,
        lambda: datasette(environment, str(database)),
        (("list_databases", {}), ("get_database_schema", {"database": "shop"})),
        lambda question: [
            ("execute_sql", {"database": "shop", "sql": sql.format(**names)})
            for sql in question.sql
        ],
    )


CONTENDERS = {
    "moviegraph": _moviegraph,
    "mcp-server-motherduck": _motherduck,
    "datasette-mcp": _datasette,
}


def _environment(name: str) -> Environment:
    [environment] = [s.environment for s in SERVERS if s.name.startswith(name) and s.environment]
    environment.install()
    return environment


def _run(launch: Launch) -> None:
    subprocess.run(launch.command, check=True, capture_output=True)


def _into_sqlite(folder: Path, tables: Sequence[Table], path: Path) -> None:
    """Read CSV files into a database with types and keys, as a careful person declares them."""
    write_sqlite(path, [Table(t.name, t.columns, t.rows[:1], t.key, t.links) for t in tables])
    with closing(sqlite3.connect(path)) as database:
        for table in tables:
            database.execute(f"DELETE FROM {table.name}")
            with (folder / f"{table.name}.csv").open(encoding="utf-8", newline="") as file:
                _, *rows = csv.reader(file)
            marks = ", ".join("?" * len(table.columns))
            cells = [[cell or None for cell in row] for row in rows]
            database.executemany(f"INSERT INTO {table.name} VALUES ({marks})", cells)
        database.commit()


def _into_duckdb(file: Path, tables: Sequence[Table], path: Path) -> None:
    """Copy tables with their declared types, in a format that older versions can read."""
    with closing(sqlite3.connect(file)) as source, duckdb.connect() as target:
        target.execute(f"ATTACH '{path}' AS shop (STORAGE_VERSION '{STORAGE_VERSION}')")
        target.execute("USE shop")
        for table in tables:
            declared = source.execute(f"PRAGMA table_info({table.name})").fetchall()
            columns = ", ".join(f'"{column[1]}" {column[2]}' for column in declared)
            target.execute(f"CREATE TABLE {table.name} ({columns})")
            copied = path.with_name("copied.csv")
            with copied.open("w", encoding="utf-8", newline="") as rows:
                csv.writer(rows).writerows(source.execute(f"SELECT * FROM {table.name}"))
            text = f"read_csv('{copied}', all_varchar=true, header=false)"
            target.execute(f"INSERT INTO {table.name} FROM {text}")


def measure_peers() -> dict[str, Any]:
    """Return for a folder of CSV files and a database the steps of each server."""
    tables = shop_tables()
    asked = questions(tables)
    figures: dict[str, Any] = {"questions": [question.text for question in asked]}
    for name, write in {"shop": write_csvs, "shop.db": write_sqlite}.items():
        figures[name] = {}
        with TemporaryDirectory() as folder:
            source, scratch = Path(folder) / name, Path(folder) / "scratch"
            scratch.mkdir()
            write(source, tables)
            for server, contender in CONTENDERS.items():
                try:
                    result = _steps(contender(source, tables, scratch), asked)
                except (UnavailableError, RuntimeError, OSError) as error:
                    result = {"skipped": str(error)}
                figures[name][server] = result
                print(name, server, result, flush=True)
    return figures


def _steps(contender: Contender, asked: Sequence[Question]) -> dict[str, Any]:
    started, before = time.perf_counter(), _cpu()
    contender.prepare()
    prepared_cpu = _cpu() - before
    first_s = first_cpu = 0.0
    answers: list[dict[str, Any]] = []
    with ServerProcess(contender.launch()) as server:
        server.open()
        server.request("tools/list")
        look = sum(_bytes(text_of(server.call(*call))) for call in contender.look)
        for question in asked:
            read, calls, right = 0, 0, False
            for call in contender.calls(question):
                text = text_of(server.call(*call))
                read, calls, right = read + _bytes(text), calls + 1, question.is_answered(text)
                if right:
                    break
            if right and not first_s:
                first_s = time.perf_counter() - started
                first_cpu = prepared_cpu + server.cpu()
            answers.append({"right": right, "calls": calls, "bytes": read})
        cpu = prepared_cpu + server.cpu()
    return {
        "prepared": contender.preparation,
        "prepare_cpu_s": round(prepared_cpu, 2),
        "look_calls": len(contender.look),
        "look_bytes": look,
        "first_right_s": round(first_s, 2),
        "first_right_cpu_s": round(first_cpu, 2),
        "right": sum(answer["right"] for answer in answers),
        "calls": sum(answer["calls"] for answer in answers),
        "bytes": sum(answer["bytes"] for answer in answers),
        "cpu_s": round(cpu, 2),
        "answers": answers,
    }


def _bytes(text: str) -> int:
    return len(text.encode())


def _cpu() -> float:
    """Return the CPU seconds of this process and of those that it waited for."""
    times = psutil.Process().cpu_times()
    return times.user + times.system + times.children_user + times.children_system
