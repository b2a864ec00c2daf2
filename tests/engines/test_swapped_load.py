"""Calls from many threads while the graph folder is replaced again and again."""

import os
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.journals import MemoryJournal
from fakes.limits import limits
from fakes.records import build_graph
from fakes.small_graph import nodes

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.embedded.graph_folder import swap_folders
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.engines.retrieval_primitives import node_ids
from moviegraph.query.query_pipeline import CallRecorder
from moviegraph.query.session import Call, Session
from moviegraph.query.session_opener import RenewableSession

pytestmark = pytest.mark.slow("memory")

THREADS, SWAPS = 6, 20
LONGEST = 60


def build(folder: Path, contract: Contract, mark: str) -> Path:
    """Build a graph whose names, texts and edges say which one it is."""
    films = [
        NodeRecord("Movie", node.id, f"{mark} {node.id}", f"Of {mark}.", node.values)
        for node in nodes()
        if node.kind == "Movie"
    ]
    others = [node for node in nodes() if node.kind != "Movie"]
    count = {"alpha": 1, "beta": 2}[mark]
    edges = [EdgeRecord("IN_GENRE", 1, genre) for genre in range(1, count + 1)]
    build_graph([*films, *others], edges, folder, contract, HashedEmbedder(), source=mark)
    return folder


def graphs_of_answers(session: Session, number: int) -> set[Any]:
    """Return of which graph each answer of one call is."""
    recording = CallRecorder(session, Call("t"), "x")
    key = number % 8 + 1
    sql = f"SELECT n.Name FROM Movie AS n WHERE n.Id = {key} AND n.Name <> 'no {number}'"
    result = {str(name).split()[0] for (name,) in recording.execute(sql).result.rows}
    with recording.reader() as graph:
        for mark in ("alpha", "beta"):
            if len(graph.matching("Movie", mark, 9).ids):
                result.add(mark)
            if graph.named("Movie", [f"{mark} {key}"]):
                result.add(mark)
        counts = graph.degrees("Movie", node_ids([1]))["IN_GENRE"].tolist()
    result.add({1: "alpha", 2: "beta"}[counts[0]])
    result.add(session.engine.describe().source)
    return result


def test_each_call_is_answered_of_one_graph_and_old_ones_are_let_go(tmp_path: Path) -> None:
    contract = load_contract()
    graph, other = (build(tmp_path / mark, contract, mark) for mark in ("alpha", "beta"))
    spill = tmp_path / "spill"
    spill.mkdir()
    engine = open_graph(graph, contract, temporary=spill)
    serving = RenewableSession(
        Session(contract, engine, HashedEmbedder(), MemoryJournal(), limits())
    )
    mixed, failed, is_ended = list[set[Any]](), list[BaseException](), threading.Event()

    def calls(first: int) -> None:
        number = first
        while not is_ended.is_set():
            number += THREADS
            try:
                with serving.lent() as session:
                    result = graphs_of_answers(session, number)
                if len(result) != 1:
                    mixed.append(result)
            except BaseException as error:  # noqa: BLE001 - whatever it is, the test shows it
                failed.append(error)

    threads = [threading.Thread(target=calls, args=(index,)) for index in range(THREADS)]
    for thread in threads:
        thread.start()
    observations = [seen_after(lambda: swap(graph, other), serving) for _ in range(SWAPS)]
    is_ended.set()
    for thread in threads:
        thread.join(LONGEST)
    assert (mixed, failed) == ([], [])
    assert observations == ["beta", "alpha"] * (SWAPS // 2)
    assert len(list(spill.iterdir())) <= 1  # DuckDB makes the folder when it spills
    serving.close()
    assert list(spill.iterdir()) == []
    assert open_files(tmp_path) == []


def seen_after(change: Callable[[], None], serving: RenewableSession) -> str:
    """Return of which graph the first call is that begins on the new one."""
    with serving.lent() as session:
        before = session.engine
    change()
    while True:
        with serving.lent() as session:
            if session.engine is not before:
                return session.engine.describe().source


def swap(graph: Path, other: Path) -> None:
    if not swap_folders(graph, other):
        moved_folder = graph.with_name("taken")
        shutil.move(graph, moved_folder)
        shutil.move(other, graph)
        shutil.move(moved_folder, other)


def open_files(folder: Path) -> list[str]:
    """Return the files of a folder that this process holds open, where the system tells."""
    open_paths: list[str] = []
    for path in Path("/proc/self/fd").glob("*"):
        with suppress(OSError):
            open_paths.append(os.readlink(path))  # noqa: PTH115 - also what is no path
    return [path for path in open_paths if path.startswith(str(folder))]
