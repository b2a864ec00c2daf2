"""A CTE that counts by reading itself, as the series that it makes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.outline import TokenRange, is_closed, past_parenthesis
from moviegraph.repair.context import RefusedStatement

NAME = r"(?:[A-Za-z_]\w*|\[[A-Za-z_]\w*\])"
HEADING = rf"(?:\s+(?:AS\s+)?(?P<%s>{NAME}))?"
COUNTING = re.compile(
    rf"SELECT\s+(?P<start>-?\d{{1,9}}){HEADING % 'name'}"
    rf"\s+UNION(?:\s+ALL)?\s+SELECT\s+(?P<counted>(?:{NAME}\.)?{NAME})\s*(?P<sign>[+-])\s*"
    rf"(?P<step>\d{{1,9}}){HEADING % 'next'}"
    rf"\s+FROM\s+(?P<source>{NAME}){HEADING % 'alias'}"
    rf"\s+WHERE\s+(?P<tested>(?:{NAME}\.)?{NAME})(?:\s*(?P<way>[+-])\s*(?P<shift>\d{{1,9}}))?"
    r"\s*(?P<test><=?|>=?)\s*(?P<bound>-?\d{1,9})",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Cte:
    """A CTE of one column at most: its names, and the range of its query."""

    name: str
    column: str
    query: TokenRange


def counted_series(statement: RefusedStatement) -> Correction | None:
    """1 UNION ALL SELECT n + 1 ... WHERE n < 9, read from itself, is GENERATE_SERIES(1, 9)."""
    edits: list[Edit] = []
    for cte in _ctes(statement):
        found = COUNTING.fullmatch(statement.text(cte.query))
        column = cte.column or _bare(found["name"]) if found else ""
        series = _series(found) if found and column and _reads_itself(found, cte, column) else None
        if series is not None:
            start, end = statement.start(cte.query.first), statement.tokens[cte.query.last - 1].end
            edits.append(Edit(start, end, f"SELECT s.value AS [{column}] FROM {series} AS s"))
    return correct(edits, "No CTE reads itself here; GENERATE_SERIES counts.")


def _ctes(statement: RefusedStatement) -> Iterator[_Cte]:
    for index, token in enumerate(statement.tokens):
        if not token.is_name or statement.upper(index - 1) not in ("WITH", ","):
            continue
        listed = statement.upper(index + 1) == "(" and statement.upper(index + 3) == ")"
        opening = index + 5 if listed else index + 2
        if statement.words(opening - 1, "AS", "(") and is_closed(statement.tokens, opening):
            column = statement.tokens[index + 2].name if listed else ""
            last = past_parenthesis(statement.tokens, opening) - 1
            yield _Cte(token.name, column, TokenRange(opening + 1, last))


def _bare(name: str | None) -> str:
    return (name or "").strip("[]")


def _reads_itself(found: re.Match[str], cte: _Cte, column: str) -> bool:
    """Whether what is counted and tested is the column of the CTE."""
    aliases = {"", _bare(found["alias"] or found["source"]).lower()}
    parts = [f".{found[name]}".rsplit(".", 1) for name in ("counted", "tested")]
    own = all(
        _bare(alias.lstrip(".")).lower() in aliases and _bare(name).lower() == column.lower()
        for alias, name in parts
    )
    return own and _bare(found["source"]).lower() == cte.name.lower()


def _series(found: re.Match[str]) -> str | None:
    """Return the call that makes the same numbers; None where the CTE would never end."""
    start, step, bound = int(found["start"]), int(found["step"]), int(found["bound"])
    shift = int(found["shift"] or 0) * (-1 if found["way"] == "-" else 1)
    upwards = found["sign"] == "+"
    if step == 0 or upwards != found["test"].startswith("<"):
        return None
    turn = 1 if upwards else -1
    last = turn * (bound - shift) - (len(found["test"]) == 1)
    further = max(0, (last - turn * start) // step + 1)
    stop = start + turn * step * further
    by = f", {turn * step}" if turn * step != 1 else ""
    return f"GENERATE_SERIES({start}, {stop}{by})"
