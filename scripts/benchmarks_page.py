"""Generator of docs/reference/benchmarks.md from the results of all benchmarks; --check compares.

The text and most tables are `benchmarks_page.txt`, in which {{FILE:KEY/KEY}} is a value of
`benchmarks/results/FILE.json`. Tables with a row per tool, guard or server are generated here.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
TEMPLATE = ROOT / "scripts" / "benchmarks_page.txt"
PAGE = ROOT / "docs" / "reference" / "benchmarks.md"
PLACEHOLDER = re.compile(r"\{\{([^}]+)\}\}")
SIZES = (10_000, 100_000, 1_000_000)
CLIENTS = ("1", "4", "16", "64")
OURS = "moviegraph"


def page() -> str:
    """Return the generated page."""
    template = TEMPLATE.read_text(encoding="utf-8")
    return PLACEHOLDER.sub(lambda match: text_of(match[1]), template)


def text_of(placeholder: str) -> str:
    """Return the text of a placeholder: a value, or a generated part."""
    if placeholder in PARTS:
        return PARTS[placeholder]()
    name, _, path = placeholder.partition(":")
    return cell(value(name, *path.split("/")))


@cache
def record(name: str) -> dict[str, Any]:
    """Return a result file: machine, versions, date and measurements."""
    result: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return result


def value(name: str, *keys: str) -> Any:
    """Return a value of a result file; exit if there is none."""
    current = record(name)["figures"]
    for key in keys:
        if key not in current:
            raise SystemExit(f"{TEMPLATE.name}: {name}.json has no value {'/'.join(keys)}")
        current = current[key]
    return current


def cell(content: Any) -> str:
    """Return a value with three significant digits, a missing one as a dash."""
    if content is None:
        return "-"
    if isinstance(content, list):
        return f"{content[0]} [{content[1]}, {content[2]}]"
    if isinstance(content, float):
        return f"{content:,.0f}" if abs(content) >= 100 else f"{float(f'{content:.3g}'):g}"
    return f"{content:,}" if isinstance(content, int) else str(content)


def rows(lines: Iterable[Iterable[str]]) -> str:
    """Return rows of a Markdown table."""
    return "\n".join(f"|{'|'.join(line)}|" for line in lines)


def _tools() -> str:
    names = [name for name in value("scale_10000", "tools") if name != "embedding alone"]
    return rows(
        [name, *(cell(value(f"scale_{size}", "tools", name, "cpu")) for size in SIZES)]
        for name in names
    )


def _shapes() -> str:
    def pair(size: int, name: str) -> str:
        shape = value(f"scale_{size}", "shapes", name)
        return f"{cell(shape['engine']['cpu'])} ({cell(shape['floor']['cpu'])})"

    return rows(
        [name, *(pair(size, name) for size in SIZES)] for name in value("scale_10000", "shapes")
    )


def _disk(size: int) -> str:
    return cell(round(sum(value(f"scale_{size}", "disk_mb").values())))


def _versions() -> str:
    results = sorted(RESULTS.glob("versions_*.json"), key=lambda path: int(path.stem.split("_")[1]))
    return rows(
        [
            name,
            cell(int(path.stem.split("_")[1])),
            cell(measurements["after_ms"]),
        ]
        for path in results
        for name, measurements in record(path.stem)["figures"].items()
    )


def _retrieval() -> str:
    def pair(graph: str, kind: str, mode: str) -> str:
        measurements = value(graph, "parts", "held out", "kinds", kind, mode)
        return f"{measurements['recall@10']:.2f}, {measurements['mrr']:.2f}"

    kinds = value("retrieval", "parts", "held out", "kinds")
    lines = [("all", mode) for mode in ("hybrid", "full text", "vectors")]
    lines += [(kind, "hybrid") for kind in kinds if kind != "all"]
    return rows(
        [f"{kind}, {mode}", pair("retrieval_builtin", kind, mode), pair("retrieval", kind, mode)]
        for kind, mode in lines
    )


def _metaqa() -> str:
    shares = ("exact", "exact_with_20_rows", "hits_at_1", "published_hits_at_1", "topic_named")
    return rows(
        [
            str(hops),
            f"{hop['questions']:,}, {hop['answerable']:,}",
            *(f"{100 * hop[share]:.1f} %" for share in shares),
            cell(hop["ms_median"]),
        ]
        for hops in (1, 2, 3)
        for hop in (value("metaqa", str(hops)),)
    )


def _clients() -> str:
    def row(label: str, read: Callable[[dict[str, Any]], str]) -> list[str]:
        return [label, *(read(value("concurrency", "clients", count)) for count in CLIENTS)]

    lines = [
        row("constant tool, calls per second", lambda c: cell(c["constant"]["calls_a_second"]))
    ]
    for phase in ("known", "mixed"):
        lines.append(
            row(f"{phase}, calls per second", lambda c, p=phase: cell(c[p]["calls_a_second"]))
        )
        lines.append(
            row(
                f"{phase}, share of the constant tool",
                lambda c, p=phase: cell(c["share_of_constant"][p]["median"]),
            )
        )
    lines += [
        row(
            f"{phase}: p50, p95, p99 in ms",
            lambda c, p=phase: ", ".join(cell(c[p]["ms"][q]) for q in ("p50", "p95", "p99")),
        )
        for phase in ("known", "mixed", "mixed, one slow")
    ]
    lines.append(
        row("mixed: server CPU per call", lambda c: cell(c["mixed"]["server_cpu_ms_a_call"]))
    )
    lines.append(row("maximum memory, MB", lambda c: cell(c["memory"]["most_mb"])))
    return rows(lines)


def _total(corpus: str, guard: str) -> tuple[int, int]:
    classes = value("guard_corpus", corpus, guard).values()
    return sum(right for right, _ in classes), sum(cases for _, cases in classes)


def _guards() -> str:
    def share(right: int, cases: int) -> str:
        return f"{right} ({100 * right / cases:.0f} %)"

    return rows(
        [
            guard,
            share(*_total("attacks", guard)),
            *(f"{right} of {cases}" for right, cases in (classes["write"], classes["stacking"])),
            share(*_total("honest", guard)),
        ]
        for guard, classes in value("guard_corpus", "attacks").items()
    )


def _peers() -> str:
    def row(name: str) -> list[str]:
        joins = [value("peers_servers", "joins", join).get(name) for join in JOINS]
        sizes = value("peers_servers", "sizes_and_errors").get(name, {})
        return [
            name,
            *(cell(join and join["cpu_ms"]) for join in joins),
            cell(sizes.get("tools_list_bytes")),
            cell(sizes.get("answer_bytes")),
            cell(sizes.get("misspelt_column", {}).get("points_of_4")),
        ]

    return rows(map(row, value("peers_servers", "joins", JOINS[0])))


JOINS = ("newest of a genre", "first by id")


PARTS: dict[str, Callable[[], str]] = {
    "tools": _tools,
    "shapes": _shapes,
    **{f"disk {size}": lambda size=size: _disk(size) for size in SIZES},
    "versions": _versions,
    "retrieval": _retrieval,
    "metaqa": _metaqa,
    "clients": _clients,
    "attacks": lambda: cell(_total("attacks", OURS)[1]),
    "legitimate": lambda: cell(_total("honest", OURS)[1]),
    "guards": _guards,
    "better": lambda: ", ".join(value("guard_corpus", "classes_where_another_is_better")) or "none",
    "peers": _peers,
}


def main() -> int:
    """Write the page, or with --check only compare it."""
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
