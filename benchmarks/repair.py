"""The rules of repair: what they make of broken statements, by class, and the time they take.

Run with `python -m benchmarks.repair [GRAPH]`: answers are compared on small graphs, and on GRAPH.
Statements whose repair answers otherwise on GRAPH are named. With `--unfixed` it lists instead what
is not repaired, each with the diagnosis that the caller gets.
"""

import math
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from tests.golden.corpus import Case, cases
from tests.golden.repairs import Bench, bench

from benchmarks.report import table, write
from moviegraph.contract.loader import load_contract
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.repair.driver import RULES, repair
from moviegraph.sql.decision import Refused
from moviegraph.sql.guard import judge

ROUNDS = 3
HEADER = (
    "class",
    "broken statements",
    "repaired",
    "of those held out",
    "beyond repair, left alone",
)
Tally = dict[str, Counter[str]]


def milliseconds(sql: str) -> float:
    """Return the CPU time of the rules on a refused statement, the best of several rounds."""
    contract, best = load_contract(), math.inf
    decision = judge(sql, contract)
    refused = decision if isinstance(decision, Refused) else None
    for _ in range(ROUNDS):
        start = time.process_time_ns()
        repair(sql, contract, refused)
        best = min(best, (time.process_time_ns() - start) / 1e6)
    return best


def tally(bench: Bench, corpus: Sequence[Case]) -> Tally:
    """Count the verdicts by class, all of them and those of the part held out."""
    result: Tally = defaultdict(Counter)
    for case in corpus:
        verdict = bench.verdict(case)
        for group in (case.group, "all"):
            result[group][verdict] += 1
            result[group]["fixable"] += not case.unfixable
            result[group]["beyond"] += bool(case.unfixable)
            if case.held_out and not case.unfixable:
                result[group]["held"] += 1
                result[group]["held repaired"] += verdict == "repaired"
    return result


def otherwise(desk: Bench) -> list[tuple[str]]:
    """Return the repairs whose answer on a graph is not that of what was meant."""
    items: list[tuple[str]] = []
    for case in cases("broken"):
        fixed = desk.repair(case.sql)
        if fixed.status != "unfixable" and case.meant and not desk.same(fixed.sql, case.meant):
            items.append((case.name,))
    return items


def rows(result_rows: Tally) -> list[tuple[str, ...]]:
    """Return the lines of the table, the sum last."""
    groups = [*sorted(group for group in result_rows if group != "all"), "all"]
    return [
        (
            group,
            str(result_rows[group]["fixable"]),
            _share(result_rows[group]["repaired"], result_rows[group]["fixable"]),
            _share(result_rows[group]["held repaired"], result_rows[group]["held"]),
            f"{result_rows[group]['left alone']} of {result_rows[group]['beyond']}",
        )
        for group in groups
    ]


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part // max(whole, 1)} %)"


def unfixed() -> None:
    """List the statements that are not repaired, with what the caller is told about each."""
    contract = load_contract()
    for case in cases("broken"):
        left = repair(case.sql, contract).rest
        if left is not None and not case.unfixable:
            first = judge(case.sql, contract)
            message = first if isinstance(first, Refused) else left
            cure = "; ".join((message.message, *message.suggestions))
            print(f"{case.name} ({message.code})\n  {' '.join(case.sql.split())}\n  {cure}")


def main(graph: Path | None = None) -> None:
    """Measure, print and store the figures."""
    corpus = cases("broken")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        desk = stack.enter_context(bench(folder))
        result = tally(desk, corpus)
        if graph:
            engine = stack.enter_context(closing(open_graph(graph, load_contract(), cache_bytes=0)))
            table("Otherwise on GRAPH", ("name",), otherwise(replace(desk, engines=(engine,))))
    times = sorted(milliseconds(case.sql) for case in corpus)
    lines = rows(result)
    table("Repair by rules", HEADER, lines)
    figures = {
        "rules": len(RULES),
        "statements": len(corpus),
        "repaired": round(result["all"]["repaired"] / result["all"]["fixable"], 3),
        "held_out_repaired": round(result["all"]["held repaired"] / result["all"]["held"], 3),
        "another_question": result["all"]["another question"],
        "mean_ms": round(sum(times) / len(times), 1),
        "p95_ms": round(times[math.ceil(0.95 * len(times)) - 1], 1),
        "max_ms": round(times[-1], 1),
    }
    table("Time", ("figure", "value"), [(name, str(value)) for name, value in figures.items()])
    write("repair", figures)


if __name__ == "__main__":
    if "--unfixed" in sys.argv:
        unfixed()
    else:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
