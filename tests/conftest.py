"""Rules of every test: which are slow and why, workers, property tests, and the report."""

import gc
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.toy_graph import build_toy_graph
from hypothesis import HealthCheck, settings, strategies

SLOW_REASONS = {
    "process": "starts a process or waits for one",
    "http": "serves over HTTP on loopback",
    "browser": "looks at a page in a browser",
    "driver": "needs an ODBC driver",
    "memory": "fills memory or disk, or runs until a limit ends it",
    "fuzzing": "long fuzzing, or tens of thousands of values",
    "rate": "a rate over a corpus",
    "long": "computes for more than a second",
    "time limit": "waits until a time limit is over",
}
SLOW_FOLDERS = {"tests/view/": "browser", "tests/sqlserver/": "driver"}
SQL_SERVER_VARIABLE = "MOVIEGRAPH_TEST_MSSQL"
NOT_RUN: Counter[str] = Counter()
WORKERS = 2

# The same examples in every run, except in a search for new ones with the profile "fuzz".
settings.register_profile(
    "dev",
    max_examples=20,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
settings.register_profile("ci", settings.get_profile("dev"), max_examples=150)
settings.register_profile("fuzz", settings.get_profile("ci"), max_examples=3_000, derandomize=False)
settings.load_profile("dev")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Share the whole default run out to two workers, file by file; `-n 0` runs it in one."""
    if hasattr(config, "workerinput"):
        return  # a worker, which must not start workers of its own
    strategies.text().validate()  # once per checkout hypothesis reads Unicode, for a second
    options = config.option
    is_full_run = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    plain = options.markexpr == "not slow" and not options.keyword and not options.collectonly
    can_distribute = config.pluginmanager.hasplugin("xdist") and not options.usepdb
    if is_full_run and plain and can_distribute and options.numprocesses is None:
        options.numprocesses = WORKERS
        options.dist = "loadfile"


@pytest.fixture(scope="session", autouse=True)
def interrupts_heeded() -> Iterator[None]:
    """Give children SIGINT as a terminal would: a shell's background job inherits it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def graph_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the toy graph, built once; tests that change one copy it."""
    return build_toy_graph(tmp_path_factory.mktemp("toy") / "graph")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow folders, and refuse a slow test without a known reason."""
    for item in items:
        for folder, reason in SLOW_FOLDERS.items():
            if item.nodeid.startswith(folder) and not item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.slow(reason))
        marker = item.get_closest_marker("slow")
        if marker and marker.args[:1] and marker.args[0] not in SLOW_REASONS:
            raise pytest.UsageError(f"{item.nodeid}: unknown reason to be slow {marker.args}")
        if marker and len(marker.args) != 1:
            raise pytest.UsageError(f"{item.nodeid}: name one of {', '.join(SLOW_REASONS)}")


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count the slow tests that this run leaves out."""
    markers = [item.get_closest_marker("slow") for item in items]
    NOT_RUN.update(marker.args[0] for marker in markers if marker)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from going through modules and tests again and again."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the controller of the workers what this one left out."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["not_run"] = dict(NOT_RUN)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a worker left out: each collects all tests, so that one worker's word does."""
    NOT_RUN.update(Counter(getattr(node, "workeroutput", {}).get("not_run", {})) - NOT_RUN)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report what was not run, and how to run it."""
    if NOT_RUN:
        counts = ", ".join(f"{reason} {count}" for reason, count in NOT_RUN.most_common())
        terminalreporter.write_line(f"Not run: slow tests ({counts}); pytest -m slow runs them")
    if not os.environ.get(SQL_SERVER_VARIABLE):
        terminalreporter.write_line(f"Not run: SQL Server ({SQL_SERVER_VARIABLE} is not set)")
