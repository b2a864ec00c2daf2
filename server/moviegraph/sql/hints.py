"""Hints after a refusal: what T-SQL writes instead of a word, a form, or another language."""

import dataclasses
import re

from moviegraph.contract.markdown import one_hop, shortest_path
from moviegraph.contract.model import Contract
from moviegraph.names import edit_distance
from moviegraph.sql.decision import RefusalError, Refused
from moviegraph.sql.lexer import regions

HINT_CODES = frozenset({"syntax", "unknown_function", "unknown_column", "not_allowed"})
PROSE_CODES = HINT_CODES | {"multiple_statements", "unknown_alias", "unknown_table"}
WORD = re.compile(r"[A-Za-z_]+")
CYPHER = re.compile(r"\s*(?:(?:OPTIONAL\s+)?MATCH\s*(?:\w+\s*=\s*)?\(|UNWIND\b)", re.IGNORECASE)
ENTITY = re.compile(
    r"&(?:lt|gt|le|ge|ne|amp|quot|apos|nbsp|#\d{2,3}|#x[0-9a-f]{2});", re.IGNORECASE
)
PROSE = re.compile(r"[;\n]\s*(?:This|The|It|Note|Here|These|Explanation)\b:?(?: [^\W\d]+){2}")
DATES = ("DATE", "TIME", "TIMESTAMP", "DATETIME")
WORD_HINTS = {
    "ASOF": "write JOIN ... ON, or OUTER APPLY (SELECT TOP 1 ... ORDER BY ...)",
    "DIV": "integers divide with /",
    "EXCLUDE": "name the columns",
    "FILTER": "write SUM(CASE WHEN ... THEN 1 ELSE 0 END)",
    "GLOB": "write LIKE with % and _",
    "INTERVAL": "add to dates with DATEADD(day, 1, x)",
    "LAST_NODE": "a value of the last node is LAST_VALUE(b.Name) WITHIN GROUP (GRAPH PATH)",
    "LATERAL": "write CROSS APPLY (SELECT ...) AS x",
    "LIMIT": "write TOP n after SELECT, or OFFSET n ROWS FETCH NEXT m ROWS ONLY",
    "MATERIALIZED": "a CTE is WITH name AS (SELECT ...)",
    "MOD": "the remainder is a % b",
    "NATURAL": "write JOIN ... ON a.Id = b.Id",
    "NULLS": "NULL sorts first; write ORDER BY CASE WHEN x IS NULL THEN 1 ELSE 0 END, x",
    "REGEXP": "write LIKE with %, _ and [a-z]",
    "RLIKE": "write LIKE with %, _ and [a-z]",
    "SEPARATOR": "write STRING_AGG(x, ', ')",
    "SIMILAR": "write LIKE with %, _ and [a-z]",
    "USING": "write JOIN ... ON a.Id = b.Id",
    "XOR": "write (a AND NOT b) OR (b AND NOT a)",
}
KEYWORDS = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "JOIN", "UNION", "DISTINCT")
SIGNS = "Comparisons are =, <>, <, <=, >, >=, [NOT] BETWEEN, [NOT] IN and [NOT] LIKE."
MAX_SEARCHED_CHARS = 2_000  # the forms take time by the square of the text
FORM_HINTS: tuple[tuple[str, str, str], ...] = (
    (
        "not_select",
        r"\A\s*(?:DECLARE|SET)\b",
        "Send the SELECT alone: write values as literals, and @q for the vector of `query`.",
    ),
    ("not_select", r"\A\s*[{<`\[]", "Send the SELECT alone, without text around it."),
    (
        "syntax",
        r"\w\s+(?:CONTAINS|MATCH)\s+(?:''|\Z)",
        "Write CONTAINS(x.Content, 'word') for words, x.Content LIKE '%part%' for parts of them.",
    ),
    (
        "syntax",
        r"\bCONTAINS\s*\([^()]*''\s+(?:AND|OR)\b",
        'A search condition is one string: CONTAINS(x.Content, \'"a b" OR "c"\').',
    ),
    (
        "wrong_arguments",
        r"\bCONTAINS\s*\(\s*[\w.]+\s*,\s*[\w.]+\s*,",
        "Several columns are in parentheses: CONTAINS((x.Name, x.Content), 'word').",
    ),
    (
        "match_syntax",
        r"\bAGAINST\b",
        "Text is searched with CONTAINS(x.Content, 'word') or FREETEXT(x.Content, 'some words').",
    ),
    ("syntax", r"\bI?LIKE\s+ANY\b", "Write x LIKE 'a%' OR x LIKE 'b%'."),
    ("syntax", r"\bLIKE\s+\w*%", "A pattern is a string: x LIKE '%star%'."),
    ("syntax", r"\bIN\s+(?:''|\d)", "A list after IN is in parentheses: x IN (1, 2)."),
    (
        "syntax",
        r"\b(?:AND|OR)\s+(?:NOT\s+)?(?:[<>=]|LIKE\b)",
        "Each comparison names both of its sides: x >= 1 AND x <= 9.",
    ),
    ("syntax", r"=\s*''\s+OR\s+(?:''|\Z)", "Alternatives are a list: x IN ('a', 'b')."),
    (
        "syntax",
        r"\bFROM\b(?:(?!\bWHERE\b).)*\bMATCH\s*\(",
        "MATCH belongs in WHERE, joined with AND: WHERE MATCH(a-(e)->b).",
    ),
    ("syntax", r"\b(?:DESC|ASC)ENDING\b", "The order is ASC or DESC."),
    ("syntax", r"\bSELECT\s+(?:FIRST|LIMIT)\s+\d", "The first n rows are SELECT TOP n."),
    ("syntax", r"\bTOP\s+\d+\s*\Z", "TOP n must directly follow SELECT."),
    ("syntax", r"\b0x(?![0-9a-f])", "0x is a binary constant, which the dialect does not have."),
    ("not_select", r"\A\s*(?:#|//)", "A comment begins with --."),
    ("not_select", r"\A\s*EXPLAIN\b", "Send the SELECT without EXPLAIN; plans are not shown."),
    ("not_select", r"\A\s*BEGIN\b", "Send the SELECT alone, without BEGIN and END."),
    (
        "syntax",
        r"\bIS\s+(?:NOT\s+)?EQUAL\b",
        "Compare with = and <>, and with NULL by IS NOT NULL.",
    ),
    ("syntax", r"\bAS\s+\w+\s+\w+\s*(?:,|\bFROM\b)", "Write an alias of two words as [Two Words]."),
    ("syntax", r"[<>]=?\s*[\w.]+\s*[<>]=?", "Write x >= 1 AND x <= 9, or x BETWEEN 1 AND 9."),
    ("syntax", r"\bSELECT\b((?!\bFROM\b).)*\bWHERE\b", "Write FROM before WHERE."),
    (
        "syntax",
        (
            r"\bFROM\s+[\w.]+\s+(?:AS\s+)?\w+\s+(?!\w*JOIN\b|INNER\b|LEFT\b|CROSS\b|OUTER\b)"
            r"\w{3,}\s+(?:AS\s+)?\w+\s*(?:,|\bWHERE\b|\Z)"
        ),
        "Separate the tables of FROM by commas: FROM t AS a, u AS b.",
    ),
    ("syntax", r"\bFOR\s+XML\b", "Write STRING_AGG(x, ', ') WITHIN GROUP (ORDER BY x)."),
    (
        "syntax",
        r"\([^()]+,[^()]+\)\s*(?:NOT\s+)?IN\s*\(",
        "Compare column by column: (a = 1 AND b = 2) OR (a = 3 AND b = 4).",
    ),
    ("syntax", r"=\s*(?:MAX|MIN)\s*\(", "An extreme is compared as x = (SELECT MAX(x) FROM t)."),
    ("not_grouped", r"\bHAVING\b", "A condition on rows belongs in WHERE."),
    (
        "wrong_arguments",
        r"\bSTRING_AGG\s*\(\s*DISTINCT\b",
        "Remove duplicates first: FROM (SELECT DISTINCT a, b FROM ...) AS d.",
    ),
    (
        "wrong_arguments",
        r"\bCOUNT\s*\(\s*DISTINCT\b",
        "Count several columns by SELECT COUNT(*) FROM (SELECT DISTINCT a, b FROM t) AS d.",
    ),
    (
        "unknown_function",
        r"\bGROUP_CONCAT\s*\(\s*DISTINCT\b",
        "Remove duplicates first: FROM (SELECT DISTINCT a, b FROM ...) AS d.",
    ),
    (
        "unknown_function",
        r"\bGRAPH_TABLE\b",
        "Write FROM Node AS a, EDGE AS e, Node AS b WHERE MATCH(a-(e)->b).",
    ),
    (
        "unknown_function",
        r"\bJSON_(?:GROUP_)?ARRAY_?AGG\b|\bJSON_AGG\b",
        "Write STRING_AGG(x, ', '), or SELECT ... FOR JSON PATH.",
    ),
    (
        "unknown_function",
        r"\bCOSINE\s*\(",
        "Write VECTOR_DISTANCE('cosine', x.Embedding, @q); the similarity is 1 minus it.",
    ),
    ("unknown_function", r"\(\s*\+\s*\)", "Write LEFT JOIN ... ON."),
    ("unknown_function", r"\bUNNEST\b|\bARRAY\b", "A list of values is IN ('a', 'b')."),
    ("unknown_function", r"\b[LR]PAD\b", "Pad with RIGHT(REPLICATE('0', 3) + x, 3)."),
    ("unknown_function", r"\bTRUNC(?:ATE)?\s*\(", "Digits are cut by ROUND(x, 0, 1)."),
    ("unknown_column", r"\bROWNUM\b", "The first n rows are SELECT TOP n."),
    ("syntax", r"\bTOP\s+\d+\s+FROM\b", "TOP n must directly follow SELECT."),
    (
        "match_syntax",
        r"\(\s*\w*\s*\*",
        "Several hops are MATCH(SHORTEST_PATH(a(-(e)->b){1,3})), with e and b listed FOR PATH.",
    ),
    ("not_allowed", r"\bCOLLATE\b", "Remove COLLATE: comparisons ignore case."),
    (
        "match_place match_with_join",
        r"\b(?:LEFT|RIGHT|FULL)\b",
        "An outer join ties an edge by e.$from_id = a.$node_id and e.$to_id = b.$node_id.",
    ),
    (
        "pseudo_column_output",
        r"\$NODE_ID\s*=\s*\w+\.''|''\s*=\s*\w+\.\$NODE_ID",
        "[KEY] holds the key column: x.Id = k.[KEY].",
    ),
    (
        "syntax",
        (
            r"\bWHERE\b(?:(?!\bSELECT\b).)*\bWHERE\b|\b(?:WHERE|AND|OR)\s+(?:AND|OR|ORDER|GROUP)\b"
            r"|\bWHERE\b(?:(?!\bGROUP\b|\bORDER\b).)*(?:\d|''|\))\s*(?:,|\s)\s*\w+\.\w+\s*[<>=L]"
        ),
        "A SELECT has one WHERE; AND or OR is between every two conditions.",
    ),
    ("syntax", r"[<>]\s+=|\bNOT\s*[<>=]|\bIS\s+(?:BETWEEN|IN|LIKE)\b", SIGNS),
    ("syntax", r"\bBETWEEN\b", "Write x BETWEEN 1 AND 9."),
    ("syntax", r"\bCASE\b", "Write CASE WHEN a THEN x WHEN b THEN y ELSE z END."),
    ("syntax", r"\bCOUNT\s*\*", "Write COUNT(*)."),
    ("syntax", r"\)\s*\w+\s+AS\s*\(", "Separate the CTEs by commas: WITH a AS (...), b AS (...)."),
    (
        "syntax",
        r"(?:\w\.|\bFROM\s+\w+\s+)\w+\s+\w+\.\w",
        "Separate columns by commas; conditions follow WHERE.",
    ),
    ("syntax", r"\bE(?:''|\Z)|''\w|\(\s*[\w.]+\s*,\s*\w+\s+\w", "Write a text as 'some words'."),
    (
        "unknown_function",
        r"\.\s*\w+\s*\(",
        "Write CONTAINS(x.Content, 'word'), or x LIKE '%part%'.",
    ),
    ("not_select", r"\A(?:''|\s)*\Z", "Send the SELECT alone, without quotes around it."),
)
"""Codes of a refusal, a form in code without literals, and what to write instead."""


def with_hint(refused: Refused, sql: str, contract: Contract) -> Refused:
    """Return a refusal that also names the T-SQL form of what other dialects write."""
    advice = _form_hint(refused, sql)
    if not advice and refused.code in HINT_CODES:
        advice = _hint(refused, sql)
    if not advice and refused.code in ("syntax", "not_select"):
        advice = _meant_keyword(sql)
    if refused.code == "not_select" and CYPHER.match(sql):
        advice = _cypher_hint(contract)
    if PROSE.search(sql) and refused.code in PROSE_CODES:
        advice = "Send the SELECT alone, without text after it."
    entity = ENTITY.search(" ".join(_code(sql)))
    if entity:
        advice = f"{entity[0]} is HTML: write the character itself."
    if not advice or "T-SQL has no" in refused.message:
        return refused
    return dataclasses.replace(refused, message=f"{refused.message} {advice}")


def _hint(refused: Refused, sql: str) -> str:
    if refused.code == "unknown_column" and refused.span is not None:
        name = sql[slice(*refused.span)]
        if name.startswith('"'):
            text = name.strip('"')
            return f"Double quotes hold names; text is written N'{text}'."
        if name.upper() in DATES:
            return "A date is written as text: '2020-01-31'."
    for word in map(str.upper, _words(sql)):
        if word in WORD_HINTS:
            return f"T-SQL has no {word} here: {WORD_HINTS[word]}."
    return ""


def _meant_keyword(sql: str) -> str:
    """Return the keyword that a word next to it in spelling may mean: FORM, FROM."""
    for word in map(str.upper, _words(sql)):
        for keyword in KEYWORDS if len(word) > 3 and word not in KEYWORDS else ():
            if edit_distance(word, keyword) == 1:
                return f"Did you mean {keyword} by {word}?"
    return ""


def _form_hint(refused: Refused, sql: str) -> str:
    """Return the hint for a form that is refused, and for a text without quotes."""
    if refused.code == "unknown_column" and refused.span is not None:
        before, name = sql[: refused.span[0]].rstrip(), sql[slice(*refused.span)]
        if before.endswith(("=", "<>")) and name.isidentifier():
            return f"A text is written in single quotes: '{name}'."
    code = "''".join(_code(sql[:MAX_SEARCHED_CHARS]))
    for codes, form, hint in FORM_HINTS:
        if refused.code in codes.split() and re.search(form, code, re.IGNORECASE | re.DOTALL):
            return hint
    if refused.code == "syntax" and code.count(")") > code.count("("):
        return "A parenthesis is closed that was not opened."
    return ""


def _cypher_hint(contract: Contract) -> str:
    edge = contract.default_connection
    if edge is None:
        return (
            "This is Cypher; the graph has no edges: T-SQL reads it with SELECT ... FROM ... AS n."
        )
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
