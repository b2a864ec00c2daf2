"""What to write in T-SQL instead of the words of other dialects, added to a refusal."""

import dataclasses
import re

from moviegraph.contract.model import Contract
from moviegraph.contract.placeholders import one_hop, shortest_path
from moviegraph.sql.decision import Refused
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scan import regions

CODES = frozenset({"syntax", "unknown_function", "unknown_column", "not_allowed"})
WORD = re.compile(r"[A-Za-z_]+")
CYPHER = re.compile(r"\s*(?:(?:OPTIONAL\s+)?MATCH\s*(?:\w+\s*=\s*)?\(|UNWIND\b)", re.IGNORECASE)
ENTITY = re.compile(
    r"&(?:lt|gt|le|ge|ne|amp|quot|apos|nbsp|#\d{2,3}|#x[0-9a-f]{2});", re.IGNORECASE
)
DATES = ("DATE", "TIME", "TIMESTAMP", "DATETIME")
INSTEAD = {
    "ASOF": "write JOIN ... ON, or OUTER APPLY (SELECT TOP 1 ... ORDER BY ...)",
    "AUTO_INCREMENT": "number rows with ROW_NUMBER() OVER (ORDER BY x)",
    "DIV": "integers divide with /",
    "EXCLUDE": "name the columns",
    "FILTER": "write SUM(CASE WHEN ... THEN 1 ELSE 0 END)",
    "GLOB": "write LIKE with % and _",
    "ILIKE": "write LIKE, which ignores case here",
    "INTERVAL": "add to dates with DATEADD(day, 1, x)",
    "LAST_NODE": "a value of the last node is LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH)",
    "LATERAL": "write CROSS APPLY (SELECT ...) AS x",
    "LIMIT": "write TOP n after SELECT, or OFFSET n ROWS FETCH NEXT m ROWS ONLY",
    "MATERIALIZED": "a CTE is WITH name AS (SELECT ...)",
    "MOD": "the remainder is a % b",
    "NATURAL": "write JOIN ... ON a.Id = b.Id",
    "NULLS": "NULL sorts first; write ORDER BY CASE WHEN x IS NULL THEN 1 ELSE 0 END, x",
    "QUALIFY": "filter a window function in a CTE around it",
    "RECURSIVE": "a path of any length is MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)), numbers in a "
    "row GENERATE_SERIES(1990, 2000)",
    "REGEXP": "write LIKE with %, _ and [a-z]",
    "RLIKE": "write LIKE with %, _ and [a-z]",
    "SEPARATOR": "write STRING_AGG(x, ', ')",
    "SHORTESTPATH": "write MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+))",
    "SIMILAR": "write LIKE with %, _ and [a-z]",
    "STRAIGHT_JOIN": "write JOIN ... ON",
    "USING": "write JOIN ... ON a.Id = b.Id",
    "XOR": "write (a AND NOT b) OR (b AND NOT a)",
}


def advised(refused: Refused, sql: str, contract: Contract) -> Refused:
    """Return a refusal that also names the T-SQL form of what other dialects write."""
    advice = _advice(refused, sql) if refused.code in CODES else ""
    if refused.code == "not_select" and CYPHER.match(sql):
        advice = _of_cypher(contract)
    entity = ENTITY.search(" ".join(_code(sql)))
    if entity:
        advice = f"{entity[0]} is HTML: write the character that it stands for."
    if not advice or "T-SQL has no" in refused.message:
        return refused
    return dataclasses.replace(refused, message=f"{refused.message} {advice}")


def _advice(refused: Refused, sql: str) -> str:
    if refused.code == "unknown_column" and refused.span is not None:
        named = sql[slice(*refused.span)]
        if named.startswith('"'):
            text = named.strip('"')
            return f"Double quotes hold names; text is written N'{text}'."
        if named.upper() in DATES:
            return "A date is written as text: '2020-01-31'."
    for word in map(str.upper, _words(sql)):
        if word in INSTEAD:
            return f"T-SQL has no {word} here: {INSTEAD[word]}."
    return ""


def _of_cypher(contract: Contract) -> str:
    edge = contract.usual
    return (
        f"This is Cypher; T-SQL writes a pattern as SELECT ... {one_hop(edge)}. An optional part "
        "is an OUTER APPLY (SELECT ...) whose own MATCH is tied to the node outside by its key; a "
        f"path of any length is {shortest_path(edge)}."
    )


def _words(sql: str) -> list[str]:
    return [word for part in _code(sql) for word in WORD.findall(part)]


def _code(sql: str) -> list[str]:
    """Return what is neither text nor quoted name nor comment; nothing where that is not clear."""
    try:
        return [sql[part.start : part.end] for part in regions(sql) if part.kind == "code"]
    except RefusalError:
        return []
