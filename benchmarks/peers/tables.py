"""Prints what was measured."""

from collections.abc import Mapping
from typing import Any

from benchmarks.report import table

TIMES = ("wall_median_ms", "wall_p95_ms", "cpu_ms", "cpu_least_round_ms", "cpu_most_round_ms")
HEAD = ("server", "median", "p95", "CPU", "least round", "most round")
POINTS = ("is_error", "names_the_column", "names_the_near_right_one", "says_what_to_do")


def show(part: str, result: Mapping[str, Any]) -> None:
    """Print one part."""
    if part == "servers":
        _sizes(result["sizes_and_errors"])
        for name, each in result["joins"].items():
            _times(f"50-row join, {name}: ms a call", each)
    elif part == "graph":
        for name, each in result.items():
            _times(f"{name}: ms a call", each)
    else:
        _times("search by meaning: ms a call", result)
        print(f"films in common, of 10: {result['films_in_common_of_10']:.1f}")


def _times(title: str, result: Mapping[str, Any]) -> None:
    rows = [
        (name, *(f"{each[figure]:.2f}" for figure in TIMES))
        for name, each in result.items()
        if isinstance(each, Mapping)
    ]
    table(title, HEAD, rows)


def _sizes(result: Mapping[str, Any]) -> None:
    head = ("server", "start s", "tools/list", "answer", "rows told", *POINTS)
    rows: list[tuple[str, ...]] = []
    for name, each in result.items():
        failed = each["misspelt_column"]
        marks = ["yes" if failed[point] else "no" for point in POINTS]
        sizes = (each["tools_list_bytes"], each["answer_bytes"], each["rows_in_the_answer"])
        rows.append((name, f"{each['start_s']:.2f}", *map(str, sizes), *marks))
    table("Sizes in bytes, and the error for a misspelt column", head, rows)
    for name, each in result.items():
        print(f"{name}: {each['misspelt_column']['says']}")
