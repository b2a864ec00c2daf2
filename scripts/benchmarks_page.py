"""Writes docs/reference/benchmarks.md from the results of all benchmarks; --check compares."""

import argparse
import ast
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeGuard, cast

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "reference" / "benchmarks.md"
Figures = Mapping[str, Any]
DEPTH, MOST_COLUMNS = 2, 14
LEFT_OUT = frozenset({"calls_a_second_slices", "ms_by_kind", "ms_of_errors", "curve_s_mb"})
OWN_PAGES = {"guard_corpus": "guard_scoreboard.md"}
HEAD = """# Benchmarks

<!-- Written by scripts/benchmarks_page.py from benchmarks/results; run a benchmark, then it. -->

What each benchmark last wrote; of deep tables the sum, whose parts the files hold. How to run
them, and which figures were wanted, stands in the README beside them, in `benchmarks/`. CPU time
counts on a shared machine; wall time tells about its neighbours too."""


def page() -> str:
    """Return the whole page."""
    files = sorted(RESULTS.glob("*.json"))
    records = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return "\n\n".join([HEAD, *(section(record) for record in records)]) + "\n"


def section(record: Mapping[str, Any]) -> str:
    """Return one benchmark: what it measures, where, and its figures."""
    name: str = record["benchmark"]
    machine, versions = record["machine"], record["versions"]
    where = f"{machine['processor']}, {machine['cores']} cores, {machine['system']}"
    packages = ", ".join(f"{package} {version}" for package, version in versions.items())
    parts = [f"## {name}", purpose(name), f"{record['date']}, {where}; {packages}."]
    if name in OWN_PAGES:
        return "\n\n".join([*parts, f"The figures: [{OWN_PAGES[name]}]({OWN_PAGES[name]})."])
    found = summed(record["figures"])
    return "\n\n".join([*parts, *figures(side_by_side(found), "")])


def purpose(name: str) -> str:
    """Return the first sentence of the benchmark's module; a suffix tells its parts apart."""
    folder = ROOT / "benchmarks"
    module = name if (folder / f"{name}.py").is_file() else name.partition("_")[0]
    for file in (folder / f"{module}.py", folder / module / "__main__.py"):
        if file.is_file():
            text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
            return " ".join(text.partition("\n\n")[0].split())
    return "Its module is no longer there."


def summed(found: Figures, depth: int = 0) -> dict[str, Any]:
    """Leave out the parts of what is told as a whole: the results hold them."""
    if depth >= DEPTH and "all" in found:
        return {"all": found["all"]}
    return {
        name: summed(cast("Figures", value), depth + 1) if isinstance(value, dict) else value
        for name, value in found.items()
        if name not in LEFT_OUT
    }


def side_by_side(found: Figures) -> Figures:
    """Put the phases of runs with several numbers of clients into one table."""
    if "clients" not in found:
        return found
    phases: dict[str, Any] = {}
    beside: dict[str, Any] = {}
    for count, level in found["clients"].items():
        for name, value in level.items():
            loaded = isinstance(value, dict) and "calls_a_second" in value
            (phases if loaded else beside)[f"{count} clients, {name}"] = value
    rest = {name: value for name, value in found.items() if name != "clients"}
    return {"by phase": phases, "by clients": beside, **rest}


def figures(found: Figures, title: str) -> list[str]:
    """Return the figures as tables: single values, then groups, each under its name."""
    single = {name: value for name, value in found.items() if not is_group(value)}
    parts = [f"**{words(title)}**"] if title and (single or is_matrix(found)) else []
    if single:
        parts.append(table(("figure", "value"), ((words(k), cell(v)) for k, v in single.items())))
    groups = {name: value for name, value in found.items() if is_group(value)}
    if is_matrix(groups):
        return [*parts, matrix(groups)]
    for name, value in groups.items():
        parts += figures(members(value), f"{title}, {name}" if title else name)
    return parts


def is_group(value: Any) -> TypeGuard[dict[str, Any] | list[dict[str, Any]]]:
    """Whether a value holds figures itself."""
    if isinstance(value, list):
        items = cast("list[object]", value)
        return bool(items) and all(isinstance(each, dict) for each in items)
    return isinstance(value, dict)


def members(value: dict[str, Any] | list[dict[str, Any]]) -> dict[str, Any]:
    """Return a group by name; those of a list are numbered."""
    if isinstance(value, dict):
        return value
    return {str(number): each for number, each in enumerate(value, 1)}


def is_matrix(groups: Figures) -> bool:
    """Whether several groups have a figure in common, and no deeper group of several."""
    rows = [flat(cast("Figures", v)) for v in groups.values() if isinstance(v, dict)]
    if len(rows) < 2 or len(rows) != len(groups):
        return False
    shared = set[str]().intersection(*rows) if not rows else set(rows[0]).intersection(*rows)
    return bool(shared) and max(map(len, rows)) <= MOST_COLUMNS


def flat(value: Figures, prefix: str = "") -> dict[str, Any]:
    """Return nested figures side by side."""
    found: dict[str, Any] = {}
    for name, each in value.items():
        if isinstance(each, dict):
            found |= flat(cast("Figures", each), f"{prefix}{name}: ")
        else:
            found[prefix + name] = each
    return found


def matrix(groups: Figures) -> str:
    """Return one row a group."""
    rows = {name: flat(value) for name, value in groups.items()}
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    head = ("", *map(words, columns))
    return table(
        head,
        ([words(name), *(cell(row.get(c, "")) for c in columns)] for name, row in rows.items()),
    )


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a markdown table."""
    names = list(head)
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(value: Any) -> str:
    """Return a value on one line; bars are escaped."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.3f}".rstrip("0").rstrip(".")
    if isinstance(value, list):
        return ", ".join(cell(each) for each in cast("list[object]", value))
    if isinstance(value, int):
        return f"{value:,}"
    return " ".join(str(value).split()).replace("|", "\\|").replace("<", "&lt;")


def words(name: str) -> str:
    """Return a member's name as words."""
    return cell(name.replace("_", " "))


def main() -> int:
    """Write, or with --check only compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit with 1 if the page is stale")
    check: bool = parser.parse_args().check
    text = page()
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{'stale' if check else 'written'}: {PAGE.relative_to(ROOT).as_posix()}")
    if not check:
        PAGE.write_text(text, encoding="utf-8", newline="\n")
    return 1 if check else 0


if __name__ == "__main__":
    sys.exit(main())
