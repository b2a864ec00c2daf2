"""The repair rules on broken statements: outcomes by class and by rule, and time.

The statements are of all kinds of mistakes, slips of the keyboard included, which no rule repairs:
those are refused with what to write instead.

Run with `python -m benchmarks.repair [GRAPH]`: results are compared on small graphs, and on GRAPH.
Repairs with different results on GRAPH are listed. With `--unfixed` it lists only the statements
that are not repaired, each with the diagnosis that the caller receives.
"""

import math
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from tests.golden.corpus import Case, cases
from tests.golden.repairs import Bench, Verdict, bench

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
    "held out",
    "unfixable, unchanged",
)
RULE_HEADER = ("family", "rule", "took part", "alone")
Tally = dict[str, Counter[str]]


def milliseconds(sql: str) -> float:
    """Return the CPU time of the rules on a refused statement, the best of multiple rounds."""
    contract, best = load_contract(), math.inf
    decision = judge(sql, contract)
    refused = decision if isinstance(decision, Refused) else None
    for _ in range(ROUNDS):
        start = time.process_time_ns()
        repair(sql, contract, refused)
        best = min(best, (time.process_time_ns() - start) / 1e6)
    return best


def tally(verdicts: Mapping[Case, Verdict]) -> Tally:
    """Count the verdicts by class, in total and of the held-out part."""
    counts: Tally = defaultdict(Counter)
    for case, verdict in verdicts.items():
        for group in (case.group, "all"):
            counts[group][verdict] += 1
            counts[group]["fixable"] += not case.unfixable
            counts[group]["beyond"] += bool(case.unfixable)
            if case.held_out and not case.unfixable:
                counts[group]["held"] += 1
                counts[group]["held repaired"] += verdict == "repaired"
    return counts


def by_rule(workbench: Bench, verdicts: Mapping[Case, Verdict]) -> dict[str, Counter[str]]:
    """Count the statements repaired as meant in which each rule took part, and was the only one."""
    counts = {rule.name: Counter[str]() for rule in RULES}
    for case, verdict in verdicts.items():
        if verdict == "repaired":
            used = {change.rule for change in workbench.repair(case.sql).changes} & counts.keys()
            for name in used:
                counts[name]["took part"] += 1
                counts[name]["alone"] += len(used) == 1
    return counts


def different_results(workbench: Bench) -> list[tuple[str]]:
    """Return the repairs whose result on a graph differs from that of the intended statement."""
    names: list[tuple[str]] = []
    for case in cases("broken"):
        fixed = workbench.repair(case.sql)
        if fixed.status != "unfixable" and case.meant and not workbench.same(fixed.sql, case.meant):
            names.append((case.name,))
    return names


def rows(counts: Tally) -> list[tuple[str, ...]]:
    """Return the lines of the table, the sum last."""
    groups = [*sorted(group for group in counts if group != "all"), "all"]
    return [
        (
            group,
            str(counts[group]["fixable"]),
            _share(counts[group]["repaired"], counts[group]["fixable"]),
            _share(counts[group]["held repaired"], counts[group]["held"]),
            f"{counts[group]['left alone']} of {counts[group]['beyond']}",
        )
        for group in groups
    ]


def _share(part: int, total: int) -> str:
    return f"{part} of {total} ({100 * part // max(total, 1)} %)"


def unfixed() -> None:
    """List the statements that are not repaired, with the diagnosis that the caller receives."""
    contract = load_contract()
    for case in cases("broken"):
        remaining = repair(case.sql, contract).rest
        if remaining is not None and not case.unfixable:
            decision = judge(case.sql, contract)
            refusal = decision if isinstance(decision, Refused) else remaining
            fix = "; ".join((refusal.message, *refusal.suggestions))
            print(f"{case.name} ({refusal.code})\n  {' '.join(case.sql.split())}\n  {fix}")


def main(graph: Path | None = None) -> None:
    """Measure, print and store the measurements."""
    corpus = cases("broken")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        workbench = stack.enter_context(bench(folder))
        verdicts: dict[Case, Verdict] = {case: workbench.verdict(case) for case in corpus}
        counts = tally(verdicts)
        rule_counts = by_rule(workbench, verdicts)
        if graph:
            engine = stack.enter_context(closing(open_graph(graph, load_contract())))
            table(
                "Different results on GRAPH",
                ("name",),
                different_results(replace(workbench, engines=(engine,))),
            )
    times = sorted(milliseconds(case.sql) for case in corpus)
    lines = rows(counts)
    table("Repair by rules", HEADER, lines)
    rule_lines = [
        (rule.family, rule.name, *(str(rule_counts[rule.name][name]) for name in RULE_HEADER[2:]))
        for rule in sorted(RULES, key=lambda rule: (rule.family, rule.name))
    ]
    table("Statements by rule", RULE_HEADER, rule_lines)
    measurements = {
        "rules": len(RULES),
        "statements": len(corpus),
        "repaired": round(counts["all"]["repaired"] / counts["all"]["fixable"], 3),
        "held_out_repaired": round(counts["all"]["held repaired"] / counts["all"]["held"], 3),
        "another_question": counts["all"]["another question"],
        "mean_ms": round(sum(times) / len(times), 1),
        "p95_ms": round(times[math.ceil(0.95 * len(times)) - 1], 1),
        "max_ms": round(times[-1], 1),
        "by_rule": {name: dict(count) for name, count in rule_counts.items()},
    }
    table(
        "Time", ("measure", "value"), [(name, str(value)) for name, value in measurements.items()]
    )
    write("repair", measurements)


if __name__ == "__main__":
    if "--unfixed" in sys.argv:
        unfixed()
    else:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
