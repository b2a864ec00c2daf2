"""Answers beside rows that other code computes, repairs beside known fixes, and attacks.

Run with `python -m benchmarks.correctness [--large GRAPH --source FOLDER]`: every SELECT and tool
call over the bundled films, the cookbook and a large graph; what differs is printed.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.correctness.cases import Case, same
from benchmarks.correctness.cookbook_selects import CASES as COOKBOOK_SELECTS
from benchmarks.correctness.graphs import Trial, open_cookbook, open_large, open_movies
from benchmarks.correctness.large_selects import CASES as LARGE_SELECTS
from benchmarks.correctness.movie_relation_selects import CASES as MOVIE_RELATION_SELECTS
from benchmarks.correctness.movie_selects import CASES as MOVIE_SELECTS
from benchmarks.correctness.tool_calls import CALLS, ToolCall
from benchmarks.report import table, write
from moviegraph.errors import ModelVisibleError
from moviegraph.query.readonly_sql import run
from moviegraph.query.session import Call, Rows
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
REPAIRS = ("repaired", "read as meant", "noted", "with cure", "without cure", "other rows")
Counts = dict[str, int]
Result = Rows | ModelVisibleError


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken statement, the one that was meant, and a word that a refusal has to contain."""

    sql: str
    meant: str
    cure: str
    graph: str
    query: str | None


def broken_statements() -> Iterator[Broken]:
    """Read broken.sql."""
    text = (FOLDER / "broken.sql").read_text(encoding="utf-8")
    for block in re.split(r"\n(?=-- broken)", text)[1:]:
        head, _, rest = block.partition("\n")
        arguments, _, meant = rest.partition("-- meant\n")
        graph = re.search(r"^-- graph: (\w+)$", arguments, re.MULTILINE)
        query = re.search(r"^-- query: (.+)$", arguments, re.MULTILINE)
        sql = re.sub(r"^-- (?:graph|query): .*\n", "", arguments, flags=re.MULTILINE).strip()
        yield Broken(
            sql,
            meant.strip(),
            head.partition("cure: ")[2].strip(),
            graph[1] if graph else "movies",
            query[1] if query else None,
        )


def attacks() -> list[str]:
    """Read attacks.sql."""
    text = (FOLDER / "attacks.sql").read_text(encoding="utf-8")
    return [part.strip() for part in text.partition("\n\n")[2].split("\n--\n")]


def answer(trial: Trial, sql: str, query: str | None = None, *, repair: bool = True) -> Result:
    """Return the rows of a statement as the tool gives them, or its error."""
    try:
        return run(trial.session, Call("run_readonly_sql"), sql=sql, query=query, repair=repair)
    except ModelVisibleError as error:
        return error


def judged_selects(trial: Trial, cases: Iterable[Case]) -> Counts:
    """Count right, wrong and refused answers, and print those that are not right."""
    tally: Counter[str] = Counter()
    for case in cases:
        arguments = answer(trial, case.sql, case.query)
        wanted = list(case.expected(trial.records))
        if isinstance(arguments, ModelVisibleError):
            verdict, detail = "refused", str(arguments)
        elif same(wanted, arguments.rows, ordered=case.is_ordered):
            verdict, detail = "right", ""
        else:
            verdict, detail = "wrong", f"{wanted[:3]} expected, {arguments.rows[:3]} returned"
        tally[verdict] += 1
        _tell(verdict, "right", case.sql, detail)
    return _counts(tally, "right", "wrong", "refused")


def judged_calls(trial: Trial, calls: Iterable[ToolCall]) -> Counts:
    """Count the calls that return exactly, or only, nodes that they may return."""
    tally: Counter[str] = Counter()
    for call in calls:
        arguments = TOOLS[call.tool](trial.session, Call(call.tool), **call.arguments)
        place = arguments.columns.index("Id")
        ids, allowed = {row[place] for row in arguments.rows}, call.allowed(trial.records)
        is_right = ids == allowed if call.is_complete else bool(ids) and ids <= allowed
        tally["right" if is_right else "wrong"] += 1
        _tell("right" if is_right else "wrong", "right", str(call.arguments), str(ids ^ allowed))
    return _counts(tally, "right", "wrong", "refused")


def judged_repairs(trials: dict[str, Trial], broken: Iterable[Broken]) -> Counts:
    """Count what becomes of broken statements."""
    tally: Counter[str] = Counter()
    for each in broken:
        trial = trials[each.graph]
        meant = answer(trial, each.meant, each.query, repair=False)
        assert isinstance(meant, Rows), each.meant
        actual = answer(trial, each.sql, each.query)
        verdict = _repair_verdict(each, actual, meant.rows)
        tally[verdict] += 1
        if verdict in ("other rows", "without cure"):
            shown = actual if isinstance(actual, Exception) else actual.sql
            print(f"{verdict}: {each.sql}\n  {shown}")
    return _counts(
        tally, "repaired", "read as meant", "noted", "with cure", "without cure", "other rows"
    )


def _repair_verdict(broken: Broken, result: Result, meant: Sequence[Any]) -> str:
    if isinstance(result, ModelVisibleError):
        suggestions = getattr(result, "suggestions", ())
        text = " ".join([str(result), result.hint or "", *suggestions])
        return "with cure" if broken.cure.lower() in text.lower() else "without cure"
    if not same(meant, result.rows, ordered=False):
        noted = any(broken.cure in note for note in result.notes if "never true" in note)
        return "noted" if noted else "other rows"
    return "repaired" if result.changes else "read as meant"


def judged_attacks(trial: Trial, statements: Iterable[str]) -> Counts:
    """Count the attacks that the guard refuses, and print those that it allows."""
    tally: Counter[str] = Counter()
    for sql in statements:
        verdict = (
            "allowed" if isinstance(judge(sql, trial.session.contract), Allowed) else "refused"
        )
        tally[verdict] += 1
        _tell(verdict, "refused", sql, "")
    return _counts(tally, "refused", "allowed")


def _tell(verdict: str, good: str, what: str, detail: str) -> None:
    if verdict != good:
        print(f"{verdict}: {what}\n  {detail}")


def _counts(tally: Counter[str], *names: str) -> Counts:
    return {name: tally[name] for name in names}


def main() -> None:
    """Run the trial, print its table and write its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", type=Path, help="a loaded graph of the movie contract")
    parser.add_argument("--source", type=Path, help="the JSON Lines that it was loaded from")
    args = parser.parse_args()
    with TemporaryDirectory() as folder:
        place = Path(folder)
        trials = {"movies": open_movies(place), "cookbook": open_cookbook(place)}
        figures: dict[str, Counts] = {
            "SELECTs over the bundled films": judged_selects(
                trials["movies"], [*MOVIE_SELECTS, *MOVIE_RELATION_SELECTS]
            ),
            "SELECTs over the cookbook": judged_selects(trials["cookbook"], COOKBOOK_SELECTS),
        }
        if args.large and args.source:
            large = open_large(args.large, args.source, place)
            figures["SELECTs over a large graph"] = judged_selects(large, LARGE_SELECTS)
        figures["calls of fixed tools"] = judged_calls(trials["movies"], CALLS)
        figures["broken statements"] = judged_repairs(trials, broken_statements())
        figures["attacks"] = judged_attacks(trials["movies"], attacks())
    rows = [
        (name, str(sum(counts.values())), ", ".join(f"{n} {what}" for what, n in counts.items()))
        for name, counts in figures.items()
    ]
    table("Answers, repairs and refusals", ("part", "tried", "verdicts"), rows)
    write("correctness", figures)


if __name__ == "__main__":
    main()
