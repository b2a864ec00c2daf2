"""Results compared with rows that other code computes, repairs with known fixes, and attacks.

Run with `python -m benchmarks.correctness [--large GRAPH --source FOLDER]`: every SELECT and tool
call over the bundled films, the cookbook and a large graph; differences are printed.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.correctness.cases import SelectCase, same
from benchmarks.correctness.cookbook_selects import CASES as COOKBOOK_SELECTS
from benchmarks.correctness.graphs import CheckedGraph, open_cookbook, open_large, open_movies
from benchmarks.correctness.large_selects import CASES as LARGE_SELECTS
from benchmarks.correctness.movie_relation_selects import CASES as MOVIE_RELATION_SELECTS
from benchmarks.correctness.movie_selects import CASES as MOVIE_SELECTS
from benchmarks.correctness.tool_calls import CALLS, ToolCall
from benchmarks.report import table, write
from moviegraph.errors import ModelVisibleError
from moviegraph.query.readonly_sql import run
from moviegraph.query.rows import Rows
from moviegraph.query.session import Call
from moviegraph.search import fulltext, hybrid, records, semantic, traverse
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

FOLDER = Path(__file__).parent
TOOLS = {
    "semantic_search": semantic.search,
    "fulltext_search": fulltext.search,
    "hybrid_search": hybrid.search,
    "graph_traverse": traverse.traverse,
    "get_records": records.fetch,
}
REPAIR_VERDICTS = ("repaired", "read as meant", "noted", "with cure", "without cure", "other rows")
VerdictCounts = dict[str, int]
Result = Rows | ModelVisibleError


@dataclass(frozen=True, slots=True)
class BrokenStatement:
    """A broken statement, the intended one, and a word that a refusal must contain."""

    sql: str
    intended: str
    fix: str
    graph: str
    query: str | None


def broken_statements() -> Iterator[BrokenStatement]:
    """Read broken.sql."""
    text = (FOLDER / "broken.sql").read_text(encoding="utf-8")
    for block in re.split(r"\n(?=-- broken)", text)[1:]:
        head, _, body = block.partition("\n")
        options, _, intended = body.partition("-- meant\n")
        graph_name = re.search(r"^-- graph: (\w+)$", options, re.MULTILINE)
        query = re.search(r"^-- query: (.+)$", options, re.MULTILINE)
        sql = re.sub(r"^-- (?:graph|query): .*\n", "", options, flags=re.MULTILINE).strip()
        yield BrokenStatement(
            sql,
            intended.strip(),
            head.partition("cure: ")[2].strip(),
            graph_name[1] if graph_name else "movies",
            query[1] if query else None,
        )


def attacks() -> list[str]:
    """Read attacks.sql."""
    text = (FOLDER / "attacks.sql").read_text(encoding="utf-8")
    return [part.strip() for part in text.partition("\n\n")[2].split("\n--\n")]


def run_statement(
    graph: CheckedGraph, sql: str, query: str | None = None, *, repair: bool = True
) -> Result:
    """Return the result of a statement as from the tool, or its error."""
    try:
        return run(graph.session, Call("run_readonly_sql"), sql=sql, query=query, repair=repair)
    except ModelVisibleError as error:
        return error


def count_selects(graph: CheckedGraph, cases: Iterable[SelectCase]) -> VerdictCounts:
    """Count right, wrong and refused results, and print those that are not right."""
    tally: Counter[str] = Counter()
    for case in cases:
        result = run_statement(graph, case.sql, case.query)
        expected = list(case.expected(graph.records))
        if isinstance(result, ModelVisibleError):
            verdict, detail = "refused", str(result)
        elif same(expected, result.rows, ordered=case.is_ordered):
            verdict, detail = "right", ""
        else:
            verdict, detail = "wrong", f"{expected[:3]} expected, {result.rows[:3]} returned"
        tally[verdict] += 1
        _print_unless(verdict, "right", case.sql, detail)
    return _counts(tally, "right", "wrong", "refused")


def count_calls(graph: CheckedGraph, calls: Iterable[ToolCall]) -> VerdictCounts:
    """Count the calls that return exactly, or only, the allowed nodes."""
    tally: Counter[str] = Counter()
    for call in calls:
        result = TOOLS[call.tool](graph.session, Call(call.tool), **call.arguments)
        id_index = result.columns.index("Id")
        ids, allowed = {row[id_index] for row in result.rows}, call.allowed(graph.records)
        is_right = ids == allowed if call.is_complete else bool(ids) and ids <= allowed
        verdict = "right" if is_right else "wrong"
        tally[verdict] += 1
        _print_unless(verdict, "right", str(call.arguments), str(ids ^ allowed))
    return _counts(tally, "right", "wrong", "refused")


def count_repairs(
    graphs: dict[str, CheckedGraph], statements: Iterable[BrokenStatement]
) -> VerdictCounts:
    """Count the outcomes of broken statements."""
    tally: Counter[str] = Counter()
    for statement in statements:
        graph = graphs[statement.graph]
        intended = run_statement(graph, statement.intended, statement.query, repair=False)
        assert isinstance(intended, Rows), statement.intended
        actual = run_statement(graph, statement.sql, statement.query)
        verdict = _repair_verdict(statement, actual, intended.rows)
        tally[verdict] += 1
        if verdict in ("other rows", "without cure"):
            detail = actual if isinstance(actual, Exception) else actual.sql
            print(f"{verdict}: {statement.sql}\n  {detail}")
    return _counts(tally, *REPAIR_VERDICTS)


def _repair_verdict(broken: BrokenStatement, result: Result, intended: Sequence[Any]) -> str:
    if isinstance(result, ModelVisibleError):
        suggestions = getattr(result, "suggestions", ())
        text = " ".join([str(result), result.hint or "", *suggestions])
        return "with cure" if broken.fix.lower() in text.lower() else "without cure"
    if not same(intended, result.rows, ordered=False):
        noted = any(broken.fix in note for note in result.notes if "never true" in note)
        return "noted" if noted else "other rows"
    return "repaired" if result.changes else "read as meant"


def count_attacks(graph: CheckedGraph, statements: Iterable[str]) -> VerdictCounts:
    """Count the refused attacks, and print the allowed ones."""
    tally: Counter[str] = Counter()
    for sql in statements:
        verdict = (
            "allowed" if isinstance(judge(sql, graph.session.contract), Allowed) else "refused"
        )
        tally[verdict] += 1
        _print_unless(verdict, "refused", sql, "")
    return _counts(tally, "refused", "allowed")


def _print_unless(verdict: str, expected: str, subject: str, detail: str) -> None:
    if verdict != expected:
        print(f"{verdict}: {subject}\n  {detail}")


def _counts(tally: Counter[str], *names: str) -> VerdictCounts:
    return {name: tally[name] for name in names}


def main() -> None:
    """Run the graph, print its table and write its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", type=Path, help="a loaded graph of the movie contract")
    parser.add_argument("--source", type=Path, help="the JSON Lines from which it was loaded")
    args = parser.parse_args()
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        graphs = {"movies": open_movies(scratch), "cookbook": open_cookbook(scratch)}
        measurements: dict[str, VerdictCounts] = {
            "SELECTs over the bundled films": count_selects(
                graphs["movies"], [*MOVIE_SELECTS, *MOVIE_RELATION_SELECTS]
            ),
            "SELECTs over the cookbook": count_selects(graphs["cookbook"], COOKBOOK_SELECTS),
        }
        if args.large and args.source:
            large = open_large(args.large, args.source, scratch)
            measurements["SELECTs over a large graph"] = count_selects(large, LARGE_SELECTS)
        measurements["calls of fixed tools"] = count_calls(graphs["movies"], CALLS)
        measurements["broken statements"] = count_repairs(graphs, broken_statements())
        measurements["attacks"] = count_attacks(graphs["movies"], attacks())
    rows = [
        (
            name,
            str(sum(counts.values())),
            ", ".join(f"{n} {verdict}" for verdict, n in counts.items()),
        )
        for name, counts in measurements.items()
    ]
    table("Results, repairs and refusals", ("part", "cases", "verdicts"), rows)
    write("correctness", measurements)


if __name__ == "__main__":
    main()
