"""The guard's scoreboard: attacks refused and honest statements accepted, beside simple baselines.

Run with `python -m benchmarks.guard_corpus`; it writes docs/reference/guard_scoreboard.md.
"""

import re
from collections.abc import Callable
from pathlib import Path

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from tests.golden.corpus import Case, cases

from moviegraph.contract.load import load_contract
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


GUARDS: tuple[tuple[str, Guard], ...] = (
    ("moviegraph", ours),
    ("deny-list of words", deny_list),
    ("`isinstance(tree, Select)`, run as given", parsed),
    ("the same, run as rendered", rendered),
)


def by_class(found: list[Case], guard: Guard, *, refused: bool) -> list[tuple[str, int, int]]:
    """Return for each class how many cases went as they should, and how many there are."""
    rows: list[tuple[str, int, int]] = []
    for group in sorted({case.group for case in found}):
        members = [case for case in found if case.group == group]
        right = sum((guard(case.sql) is None) is refused for case in members)
        rows.append((group, right, len(members)))
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


def page() -> str:
    """Return the scoreboard as Markdown."""
    attacks = cases("attacks")
    honest = [*cases("honest"), *cases("originals")]
    lines = [HEAD, "| guard | attacks refused | honest accepted | outputs with a literal cap |"]
    lines.append("| --- | --- | --- | --- |")
    lines += [summary(attacks, honest, name, guard) for name, guard in GUARDS]
    for title, found, refused in (("Attacks", attacks, True), ("Honest", honest, False)):
        others = [f"{name} " for name, _ in GUARDS[1:]]
        lines += [
            "",
            f"## {title} by class",
            f"| class | cases | moviegraph | {'| '.join(others)}|",
        ]
        lines.append("| --- |" + " --- |" * (len(GUARDS) + 1))
        tables = [by_class(found, guard, refused=refused) for _, guard in GUARDS]
        for rows in zip(*tables, strict=True):
            right = " | ".join(str(row[1]) for row in rows)
            lines.append(f"| {rows[0][0]} | {rows[0][2]} | {right} |")
    return "\n".join(lines) + "\n"


HEAD = """# Scoreboard of the guard

Written by `python -m benchmarks.guard_corpus` from the corpora in `tests/golden/`. They are our
own and the guard was built against them: its row shows that nothing has slipped since, not how it
does on statements that it has never seen. The baselines are what one writes in an afternoon. They
know no contract, so foreign tables, unknown columns and wrong arrows count as missed; the classes
`write` and `stacking` are the fair comparison.
"""


def main() -> None:
    """Measure, and write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    print(page())


if __name__ == "__main__":
    main()
