"""Generator of docs/reference/benchmarks.md and its chart from the results of all benchmarks.

The text and most tables are `benchmarks_page.txt`, in which {{FILE:KEY/KEY}} is a value of
`benchmarks/results/FILE.json`. Tables with a row per tool, guard or server are generated here.
The table of two versions reads `results/before/` too. --check compares instead of writing.
"""

import argparse
import gzip
import json
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from scripts.benchmarks_chart import Bar, Panel, svg

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
TEMPLATE = ROOT / "scripts" / "benchmarks_page.txt"
PAGE = ROOT / "docs" / "reference" / "benchmarks.md"
CHART = ROOT / "docs" / "images" / "benchmarks.svg"
TSQL_CASES = ROOT / "tests" / "golden" / "tsql_cases.jsonl.gz"
BEFORE = "before"
PLACEHOLDER = re.compile(r"\{\{([^}]+)\}\}")
SIZES = (10_000, 100_000, 1_000_000)
CLIENTS = ("1", "4", "16", "64")
OURS = "moviegraph"
PLANNING = "questions/all, held out"
OWN_FILES = ("films.csv", "films.jsonl", "films.parquet", "tables.db")
CLIENTS_16 = "clients/16"


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
    found = stored(name, "/".join(keys))
    if found is None:
        raise SystemExit(f"{TEMPLATE.name}: {name}.json has no value {'/'.join(keys)}")
    return found


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
        return f"{cell(shape['engine']['cpu'])}/{cell(shape['floor']['cpu'])}"

    return rows(
        [name, *(pair(size, name) for size in SIZES)] for name in value("scale_10000", "shapes")
    )


def _disk(size: int) -> str:
    return cell(round(sum(value(f"scale_{size}", "disk_mb").values())))


def _films(path: Path) -> str:
    return f"{int(path.stem.split('_')[1]):,}"


def _version_files() -> list[Path]:
    return sorted(RESULTS.glob("versions_*.json"), key=lambda path: int(path.stem.split("_")[1]))


def _comparison() -> str:
    """Return rows of both versions: tools measured alternately, then values of both folders."""

    def line(label: str, before: float, now: float) -> list[str]:
        return [label, cell(before), cell(now), f"{now / before:.2f}" if before else "-"]

    lines = [
        line(f"{name}, {_films(path)}", pair["before_ms"], pair["after_ms"])
        for path in _version_files()
        for name, pair in record(path.stem)["figures"].items()
    ]
    for label, name, keys, measures_time in COMPARED:
        before, now = stored(f"{BEFORE}/{name}", keys), stored(name, keys)
        if before is None or now is None:
            continue
        if not measures_time or record(f"{BEFORE}/{name}")["machine"] == record(name)["machine"]:
            lines.append(line(label, before, now))
    return rows(lines)


def stored(name: str, keys: str) -> Any:
    """Return a value of a result file, or None if there is no such file or value."""
    if not (RESULTS / f"{name}.json").is_file():
        return None
    current: Any = record(name)["figures"]
    for key in keys.split("/"):
        if key not in current:
            return None
        current = current[key]
    return current


def _chart() -> str:
    return svg("Benchmarks of moviegraph", [_quality_panel(), _peer_panel(), _tool_panel()])


def _quality_panel() -> Panel:
    graphs = (("retrieval", "10,039 films"), ("retrieval_builtin", "built-in, 786 films"))
    groups = [
        [
            Bar(f"{mode}, {films}", recall, f"{recall:.2f}", mode == "hybrid")
            for mode in MODES
            for recall in (_recall(graph, mode),)
        ]
        for graph, films in graphs
    ]
    note = "Share of the expected records among the first ten; queries held out from tuning."
    return Panel("Search: recall (longer is better)", note, groups, maximum=1)


def _recall(graph: str, mode: str) -> float:
    return value(graph, "parts", "held out", "kinds", "all", mode)["recall@10"]


def _peer_panel() -> Panel:
    joins = value("peers_servers", "joins", JOINS[0])
    peers = {name: row["cpu_ms"] for name, row in joins.items() if row and name not in NO_PEERS}
    fastest = min(peers, key=lambda name: peers[name])
    pairs = [("join and sort", joins[OURS]["cpu_ms"], fastest, peers[fastest])]
    for task in ("two hops", "shortest path"):
        measured = value("peers_graph", task)
        other = measured["mcp-server-ladybug"]["cpu_ms"]
        pairs.append((task, measured["run_readonly_sql"]["cpu_ms"], "ladybug", other))
    groups = [
        [Bar(f"{task}, {OURS}", ours, f"{ours:g} ms"), Bar(peer, other, f"{other:g} ms", False)]
        for task, ours, peer, other in pairs
    ]
    note = f"10,039 films, full process tree. Join: the fastest of {len(peers)} SQL servers."
    return Panel("Other servers: CPU per call (shorter is better)", note, groups)


def _tool_panel() -> Panel:
    path = _version_files()[0]
    bars = [
        Bar(name, pair["after_ms"], f"{pair['after_ms']:g} ms", mark=pair["before_ms"])
        for name, pair in record(path.stem)["figures"].items()
    ]
    note = f"{_films(path)} films, below the protocol. The orange line is the version before."
    return Panel("Fixed tools: CPU per call (shorter is better)", note, [bars])


def _alt() -> str:
    found = ", ".join(f"{mode} {_recall('retrieval', mode):.2f}" for mode in MODES)
    return f"Bar charts. Recall of search on 10,039 films: {found}. The tables have all values."


def _tsql() -> str:
    with gzip.open(TSQL_CASES, "rt", encoding="utf-8") as lines:
        return f"{sum(1 for _ in lines):,}"


def _retrieval() -> str:
    def pair(graph: str, kind: str, mode: str) -> str:
        measurements = value(graph, "parts", "held out", "kinds", kind, mode)
        return f"{measurements['recall@10']:.2f}/{measurements['mrr']:.2f}"

    kinds = value("retrieval", "parts", "held out", "kinds")
    lines = [("all", mode) for mode in MODES]
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
            f"{hop['questions']:,}/{hop['answerable']:,}",
            *(_percent(hop[share]) for share in shares),
            cell(hop["ms_median"]),
        ]
        for hops in (1, 2, 3)
        for hop in (value("metaqa", str(hops)),)
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


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
            f"{phase}: p50/p95/p99 in ms",
            lambda c, p=phase: "/".join(cell(c[p]["ms"][q]) for q in ("p50", "p95", "p99")),
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
        return f"{100 * right / cases:.0f}%"

    return rows(
        [
            guard,
            share(*_total("attacks", guard)),
            *(f"{right}/{cases}" for right, cases in (classes["write"], classes["stacking"])),
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


def _own_data() -> str:
    def row(name: str, source: dict[str, Any]) -> list[str]:
        counted = [source[part] for part in FOUND if part in source]
        missing = sum(expected - found for expected, found in counted)
        return [
            name,
            *(cell(source[part][0]) for part in ("rows", "values")),
            cell(missing),
            *(cell(source[part]) for part in ("cpu", "times", "peak_mb")),
        ]

    sources = value("own_data", "sources")
    return rows(row(name, source) for name, source in sources.items() if "refused" not in source)


def _own_data_peers() -> str:
    parts = ("right", "calls", "bytes", "first_right_cpu_s")
    return rows(
        [server, source, *(cell(result.get(part)) for part in parts)]
        for source in ("shop", "shop.db")
        for server, result in value("own_data_peers", source).items()
    )


FOUND = ("rows", "values", "types", "links", "identifiers")
JOINS = ("newest of a genre", "first by id")
NO_PEERS = (OURS, "a constant from the same SDK")
MODES = ("hybrid", "full text", "vectors")
# Label, file, value, and whether it measures time, which only one machine can compare.
COMPARED = (
    *((f"MetaQA, hops {hops}: exact", "metaqa", f"{hops}/exact", False) for hops in "123"),
    *((f"own data: {name}, s", "own_data", f"sources/{name}/cpu", True) for name in OWN_FILES),
    *(
        (f"hybrid, {films}: {label}", name, f"parts/held out/kinds/all/hybrid/{key}", False)
        for name, films in (("retrieval", "10,039"), ("retrieval_builtin", "built-in"))
        for label, key in (("recall", "recall@10"), ("MRR", "mrr"))
    ),
    ("planning: nodes named", "planning", f"{PLANNING}/named", False),
    ("planning: wrong nodes", "planning", f"{PLANNING}/wrong_share", False),
    ("planning: maximum tokens", "planning", f"{PLANNING}/tokens_max", False),
    ("planning, ms", "planning", f"{PLANNING}/cpu_ms_mean", True),
    ("cold start, s", "startup", "ours_cpu_s", True),
    ("`tools/list`, bytes", "startup", "tools_list_bytes", False),
    ("first answer, s", "first_answer", "first start/answer_cpu_s", True),
    ("load without vectors, s", "load", "plain_cpu_s", True),
    ("load: memory, MB", "load", "peak_mb", False),
    ("16 clients: calls per second", "concurrency", f"{CLIENTS_16}/mixed/calls_a_second", True),
    ("16 clients: ms per call", "concurrency", f"{CLIENTS_16}/mixed/server_cpu_ms_a_call", True),
    ("16 clients: p95 in ms", "concurrency", f"{CLIENTS_16}/mixed/ms/p95", True),
    ("16 clients: memory, MB", "concurrency", f"{CLIENTS_16}/memory/most_mb", False),
    ("validate, ms", "guard", "mean_ms", True),
    ("repaired, share", "repair", "repaired", False),
    ("hostile: overrun, ms", "bombs_builtin", "most_ms_beyond_the_limit", True),
    ("hostile: memory, MB", "bombs_builtin", "most_memory_mb", False),
    ("record an execution, ms", "journal", "record_ms", True),
)


PARTS: dict[str, Callable[[], str]] = {
    "tools": _tools,
    "shapes": _shapes,
    **{f"disk {size}": lambda size=size: _disk(size) for size in SIZES},
    "alt": _alt,
    "comparison": _comparison,
    "tsql": _tsql,
    "retrieval": _retrieval,
    "metaqa": _metaqa,
    "metaqa exact": lambda: "/".join(_percent(value("metaqa", hop, "exact")) for hop in "123"),
    "clients": _clients,
    "attacks": lambda: cell(_total("attacks", OURS)[1]),
    "legitimate": lambda: cell(_total("honest", OURS)[1]),
    "guards": _guards,
    "better": lambda: ", ".join(value("guard_corpus", "classes_where_another_is_better")) or "none",
    "peers": _peers,
    "own_data": _own_data,
    "own_data_questions": lambda: cell(len(value("own_data_peers", "questions"))),
    "own_data_peers": _own_data_peers,
}


def main() -> int:
    """Write the page, or with --check only compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit with 1 if the page is stale")
    check: bool = parser.parse_args().check
    stale = [path for path, text in generated_files().items() if not is_current(path, text)]
    for path in stale:
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT).as_posix()}")
        if not check:
            path.write_text(generated_files()[path], encoding="utf-8", newline="\n")
    return 1 if check and stale else 0


def generated_files() -> dict[Path, str]:
    """Return the text of the page and of its chart."""
    return {PAGE: page(), CHART: _chart()}


def is_current(path: Path, text: str) -> bool:
    """Return whether a file has this text."""
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
