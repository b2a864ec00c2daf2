"""The guard's scoreboard: attacks refused and honest statements accepted, beside other guards.

Run with `python -m benchmarks.guard_corpus`; it writes docs/reference/guard_scoreboard.md. Public
guards are installed into environments of their own; one that cannot be is left out, and told.
"""

import re
from collections.abc import Callable
from pathlib import Path

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from tests.golden.corpus import Case, cases

from benchmarks.peers.guards import public_verdicts
from benchmarks.report import write
from moviegraph.contract.loader import load_contract
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "guard_scoreboard.md"
DENIED = re.compile(
    r"\b(INSERT|UPDATE|DELETE|MERGE|DROP|CREATE|ALTER|TRUNCATE|EXEC|EXECUTE|GRANT|REVOKE|DENY|INTO"
    r"|BACKUP|RESTORE|SHUTDOWN|WAITFOR|OPENROWSET|OPENQUERY|OPENDATASOURCE|XP_\w+|SP_\w+|DECLARE"
    r"|SET|USE|KILL|BULK|SYS)\b|;\s*\S",
    re.IGNORECASE,
)
CAP = re.compile(
    r"\A\s*\(*(WITH\b.*\)\s*)?SELECT (DISTINCT )?TOP (\d+|\(\d+\)) (?!PERCENT\b|WITH TIES)"
    r"|FETCH \w+ \d+ ROWS ONLY",
    re.IGNORECASE | re.DOTALL,
)
CONTRACT = load_contract()
Guard = Callable[[str], str | None]


def ours(sql: str) -> str | None:
    """Return the text that would run, or None."""
    decision = judge(sql, CONTRACT)
    return decision.sql if isinstance(decision, Allowed) else None


def deny_list(sql: str) -> str | None:
    """Begin with SELECT or WITH and hold none of the usual words; run as given."""
    begins = re.match(r"\s*(SELECT|WITH)\b", sql, re.IGNORECASE)
    return sql if begins and not DENIED.search(sql) else None


def parsed(sql: str) -> str | None:
    """Be one Select to sqlglot; run as given."""
    return sql if _select(sql) is not None else None


def rendered(sql: str) -> str | None:
    """Be one Select to sqlglot; run what sqlglot writes."""
    tree = _select(sql)
    return tree.sql(dialect="tsql") if tree is not None else None


def _select(sql: str) -> exp.Select | None:
    try:
        trees = sqlglot.parse(sql, dialect="tsql")
    except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError):
        return None
    only = trees[0] if len(trees) == 1 else None
    return only if isinstance(only, exp.Select) else None


OWN: tuple[tuple[str, Guard], ...] = (
    ("moviegraph", ours),
    ("deny-list of words", deny_list),
    ("`isinstance(tree, Select)`, run as given", parsed),
    ("the same, run as rendered", rendered),
)


def guards(statements: list[str]) -> list[tuple[str, Guard]]:
    """Return ours, the public ones that run here, and the baselines."""
    public = [
        (name, _recorded(statements, verdicts))
        for name, verdicts in public_verdicts(statements).items()
    ]
    return [OWN[0], *public, *OWN[1:]]


def _recorded(statements: list[str], verdicts: list[bool]) -> Guard:
    allowed = {sql for sql, verdict in zip(statements, verdicts, strict=True) if verdict}
    return lambda sql: sql if sql in allowed else None


def by_class(found: list[Case], guard: Guard, *, refused: bool) -> dict[str, tuple[int, int]]:
    """Return for each class how many cases went as they should, and how many there are."""
    rows: dict[str, tuple[int, int]] = {}
    for group in sorted({case.group for case in found}):
        members = [case for case in found if case.group == group]
        right = sum((guard(case.sql) is None) is refused for case in members)
        rows[group] = (right, len(members))
    return rows


def summary(attacks: list[Case], honest: list[Case], name: str, guard: Guard) -> str:
    """Return one row of the comparison."""
    refused = sum(guard(case.sql) is None for case in attacks)
    outputs = [out for case in honest if (out := guard(case.sql)) is not None]
    capped = sum(CAP.search(out) is not None for out in outputs)
    return (
        f"| {name} | {refused} of {len(attacks)} ({100 * refused / len(attacks):.0f} %) "
        f"| {len(outputs)} of {len(honest)} ({100 * len(outputs) / len(honest):.0f} %) "
        f"| {capped} of {len(outputs)} |"
    )


Scores = dict[str, dict[str, tuple[int, int]]]


def scores(found: list[Case], asked: list[tuple[str, Guard]], *, refused: bool) -> Scores:
    """Return the score of every guard in every class."""
    return {name: by_class(found, guard, refused=refused) for name, guard in asked}


def class_table(title: str, scored: Scores) -> list[str]:
    """Return the table of one corpus, a row a class."""
    lines = ["", f"## {title} by class", f"| class | cases | {' | '.join(scored)} |"]
    lines.append("| --- |" + " --- |" * (len(scored) + 1))
    for group, (_, cases_of) in scored[OWN[0][0]].items():
        right = " | ".join(str(rows[group][0]) for rows in scored.values())
        lines.append(f"| {group} | {cases_of} | {right} |")
    return lines


def behind(scored: Scores) -> list[str]:
    """Return the classes in which another guard does better than ours."""
    mine = scored[OWN[0][0]]
    return [
        group
        for group, (right, _) in mine.items()
        if any(rows[group][0] > right for rows in scored.values())
    ]


def page(attacks: list[Case], honest: list[Case], asked: list[tuple[str, Guard]]) -> str:
    """Return the scoreboard as Markdown."""
    refusing = scores(attacks, asked, refused=True)
    accepting = scores(honest, asked, refused=False)
    worse = [*behind(refusing), *behind(accepting)]
    figures = {"attacks": refusing, "honest": accepting, "classes_where_another_is_better": worse}
    write("guard_corpus", figures)
    told = f"Another guard does better in: {', '.join(worse)}." if worse else FIRST
    lines = [HEAD, told, "", "| guard | attacks refused | honest accepted | literal cap |"]
    lines.append("| --- | --- | --- | --- |")
    lines += [summary(attacks, honest, name, guard) for name, guard in asked]
    lines += class_table("Attacks", refusing) + class_table("Honest", accepting)
    return "\n".join(lines) + "\n"


FIRST = "moviegraph is first, or equal first, in every class."
HEAD = """# Scoreboard of the guard

Written by `python -m benchmarks.guard_corpus` from the corpora in `tests/golden/`. They are our
own and the guard was built against them: its row shows that nothing has slipped since, not how it
does on statements that it has never seen. The public guards are the functions with which servers
for SQL Server judge a statement, each in its published version, asked in an environment of its own
with the statement alone: what a server does beside (a transaction rolled back, a login that may
only read) is not judged. The last three are what one writes in an afternoon. None but ours knows
the contract, so foreign tables, unknown columns and wrong arrows count as missed, and what they
refuse because they cannot read it counts as refused; the classes `write` and `stacking` are the
fair comparison.
"""


def main() -> None:
    """Measure, and write the page."""
    attacks = cases("attacks")
    honest = [*cases("honest"), *cases("originals")]
    text = page(attacks, honest, guards([case.sql for case in (*attacks, *honest)]))
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
