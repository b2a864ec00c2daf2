"""Results files with machine and versions, and tables."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(os.environ.get("MOVIEGRAPH_BENCH_RESULTS") or Path(__file__).parent / "results")
PACKAGES = ("moviegraph", "mcp", "sqlglot", "duckdb", "numpy", "onnxruntime", "openai", "pydantic")


def machine() -> dict[str, Any]:
    """Describe the machine without naming it."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of the measured packages."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def write(name: str, measurements: Mapping[str, Any]) -> Path:
    """Store the values of one benchmark as NAME.json in the folder of results; return the file."""
    record = {
        "benchmark": name,
        "date": datetime.now(UTC).date().isoformat(),
        "figures": dict(measurements),
        "machine": machine(),
        "versions": versions(),
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    file = RESULTS / f"{name}.json"
    file.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return file


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table."""
    from rich.console import Console
    from rich.table import Table

    console_table = Table(title=title, title_justify="left")
    for index, column in enumerate(header):
        console_table.add_column(column, justify="right" if index else "left")
    for row in rows:
        console_table.add_row(*row)
    Console().print(console_table)


def _processor() -> str:
    """Return the model of the processor if the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()
