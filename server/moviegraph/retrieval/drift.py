"""Tells whether a model's rewrite of a statement still asks the same; when in doubt it does not.

The statement as it was given may be too broken to parse, so its pieces are compared: nothing that
narrows, turns round, groups or measures may be lost, and no condition may be invented.
"""

import re
from collections import Counter
from collections.abc import Iterator

from moviegraph.contract.model import Contract
from moviegraph.repair.tokens import RawToken, split
from moviegraph.retrieval.additions import adds_nothing
from moviegraph.retrieval.compared_texts import compared_alike
from moviegraph.sql.refusal import RefusalError

FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}
SPELT = {"!=": "<>", "==": "=", "^=": "<>"}
KEPT = frozenset(
    "COUNT COUNT_BIG SUM AVG MIN MAX STDEV STDEVP VAR VARP HAVING DISTINCT GROUP PIVOT UNPIVOT "
    "INTERSECT VECTOR_DISTANCE SHORTEST_PATH LAG LEAD RANK DENSE_RANK ROW_NUMBER NTILE".split()
)
TODAY = frozenset(
    "NOW GETDATE SYSDATETIME CURRENT_DATE CURRENT_TIMESTAMP CURDATE TODAY YEAR DATE INTERVAL "
    "DATEADD DATEDIFF DATE_SUB DATE_TRUNC STRFTIME EXTRACT".split()
)
METRICS = frozenset({"cosine", "euclidean", "dot"})
LINKS = frozenset({"and", "or", "not", "near", "formsof", "inflectional"})
ARITHMETIC = frozenset("+-*/%")
APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")
TEXT_END = re.compile(
    r"(?=\s+(?:AND|OR|ORDER|GROUP|HAVING|LIMIT|UNION|THEN|AS|FROM|ESCAPE)\b)|(?=\s*(?:[),;]|\Z))",
    re.IGNORECASE,
)
MOST_READINGS = 20
Fact = tuple[str, str]


def asks_the_same(before: str, after: str, contract: Contract, query: str | None = None) -> bool:
    """Whether a rewrite keeps tables, columns, literals, conditions and measures, and adds none.

    Args:
        before: The statement as it was given.
        after: What a model made of it.
        contract: Knows the tables and columns.
        query: The text behind @q, whose words may appear in the rewrite.
    """
    try:
        new = split(after)
    except RefusalError:
        return False
    return any(_same(old, new, contract, query) for old in _readings(before))


def _readings(sql: str) -> Iterator[tuple[RawToken, ...]]:
    """Yield the pieces of a statement; of one that ends inside a text, with the text closed."""
    try:
        yield split(sql)
        return
    except RefusalError:
        pass
    doubled = APOSTROPHE.sub("''", sql)
    ends = [found.start() for found in TEXT_END.finditer(sql)][-MOST_READINGS:]
    for text in (doubled, *(f"{sql[:index]}'{sql[index:]}" for index in ends)):
        try:
            yield split(text)
        except RefusalError:
            continue


def _same(
    old: tuple[RawToken, ...], new: tuple[RawToken, ...], contract: Contract, query: str | None
) -> bool:
    return (
        _names(old, contract.table_names) <= _names(new, contract.table_names)
        and _names(old, _telling(contract)) <= _names(new, _telling(contract))
        and _words(old) <= _words(new)
        and _words(new) <= _words(old) | set(re.findall(r"\w+", (query or "").lower()))
        and _numbers_kept(old, new, contract)
        and _same_sense(old, new)
        and _bare(old) & KEPT <= _bare(new)
        and _metrics(old) in (frozenset(), _metrics(new))
        and _ordered(old, contract) <= _ordered(new, contract)
        and compared_alike(old, new, contract)
        and adds_nothing(old, new, contract)
    )


def _metrics(tokens: tuple[RawToken, ...]) -> frozenset[str]:
    return METRICS & {token.name.lower() for token in tokens if token.kind == "string"}


def _ordered(tokens: tuple[RawToken, ...], contract: Contract) -> set[str]:
    """Return the columns in the last ORDER BY, keys and vectors left out."""
    ends = [index for index, token in enumerate(tokens) if token.upper == "ORDER"]
    return _names(tokens[ends[-1] :], _telling(contract)) if ends else set()


def _names(tokens: tuple[RawToken, ...], known: tuple[str, ...] | set[str]) -> set[str]:
    wanted = {name.lower() for name in known}
    return {token.name.lower() for token in tokens if token.is_name} & wanted


def _telling(contract: Contract) -> set[str]:
    """Return the columns whose loss loses what is asked; keys may give way to MATCH."""
    return {
        column.name
        for node in contract.nodes
        for column in node.columns
        if column.name not in (node.key, node.vector)
    }


def _bare(tokens: tuple[RawToken, ...]) -> set[str]:
    return {token.upper for token in tokens if token.kind == "word"}


def _words(tokens: tuple[RawToken, ...]) -> set[str]:
    found = (token.name.lower() for token in tokens if token.kind == "string")
    return {word for text in found for word in re.findall(r"\w+", text)} - METRICS - LINKS


def _numbers_kept(old: tuple[RawToken, ...], new: tuple[RawToken, ...], contract: Contract) -> bool:
    """Whether each comparison with a number stands, each number too, and no other was added."""
    known, found = Counter(_compared(old)), Counter(_compared(new))
    if known != found and _are_whole(new, contract):
        known, found = (Counter(map(_whole, facts.elements())) for facts in (known, found))
    if known - found or (found - known and not _bare(old) & TODAY):
        return False
    return not Counter(_counts(old)) - Counter(_counts(new))


def _counts(tokens: tuple[RawToken, ...]) -> Iterator[str]:
    """Yield the numbers that nothing is compared with, but for OFFSET 0 and SELECT 1."""
    compared = {index for index, _, _ in _comparisons(tokens)}
    for index, token in enumerate(tokens):
        before = tokens[index - 1].upper if index else ""
        if token.kind == "number" and before not in ("OFFSET", "SELECT") and index not in compared:
            yield token.text


def _compared(tokens: tuple[RawToken, ...]) -> Iterator[Fact]:
    """Yield each operator with the number it compares with, the number on the right."""
    for index, sign, _ in _comparisons(tokens):
        yield sign, tokens[index].text


def _comparisons(tokens: tuple[RawToken, ...]) -> Iterator[tuple[int, str, int]]:
    """Yield the places of numbers compared, the sign, and the place where the other side ends."""
    for index, token in enumerate(tokens):
        if token.kind != "number":
            continue
        before = _mark(tokens, index - 1)
        after = _mark(tokens, index + 1)
        if before in FLIPPED:
            yield index, before, index - 2
        elif after in FLIPPED:
            yield index, FLIPPED[after], _name_end(tokens, index + 2)
        elif before == "BETWEEN":
            yield index, ">=", index - 2
        elif before == "AND" and _is_between(tokens, index - 2):
            yield index, "<=", index - 4


def _name_end(tokens: tuple[RawToken, ...], index: int) -> int:
    while _mark(tokens, index + 1) == ".":
        index += 2
    return index


def _are_whole(tokens: tuple[RawToken, ...], contract: Contract) -> bool:
    """Whether all that is compared with numbers is whole: columns of that type, and counts."""
    types = {c.name.lower(): c.type for node in contract.nodes for c in node.columns}
    return all(
        _is_whole(tokens, index, types) and tokens[number].text.isdigit()
        for number, _, index in _comparisons(tokens)
    )


def _is_whole(tokens: tuple[RawToken, ...], index: int, types: dict[str, str]) -> bool:
    if not 0 <= index < len(tokens):
        return False
    name = tokens[index].name.lower()
    beside = _mark(tokens, index + 1 if _mark(tokens, index + 1) in ARITHMETIC else index - 3)
    if tokens[index].is_name and types.get(name) in ("INT", "BIGINT"):
        return beside not in ARITHMETIC and _mark(tokens, index - 1) not in ARITHMETIC
    return _mark(tokens, index) == ")" and _mark(tokens, index - 3) in ("COUNT", "COUNT_BIG")


def _whole(fact: Fact) -> Fact:
    """Say > 1989 as >= 1990, and < 1990 as <= 1989: the same where numbers are whole."""
    sign, number = fact
    if not number.isdigit() or sign not in (">", "<"):
        return fact
    return (">=", str(int(number) + 1)) if sign == ">" else ("<=", str(int(number) - 1))


def _is_between(tokens: tuple[RawToken, ...], index: int) -> bool:
    return index > 0 and tokens[index].kind == "number" and _mark(tokens, index - 1) == "BETWEEN"


def _mark(tokens: tuple[RawToken, ...], index: int) -> str:
    text = tokens[index].upper if 0 <= index < len(tokens) else ""
    return SPELT.get(text, text)


def _same_sense(old: tuple[RawToken, ...], new: tuple[RawToken, ...]) -> bool:
    """Whether as much is negated as before, alternatives are none but the old, and order stays."""
    negated, anti = _negations(old)
    now, now_anti = _negations(new)
    if not negated - now_anti <= now <= negated + anti:
        return False
    if _times(new, "OR") > _times(old, "OR"):
        return False
    if _times(new, "OR") + _times(new, "UNION") < _times(old, "OR") - _times(old, "UNION"):
        return False
    if "ORDER" in _bare(old) and "ORDER" not in _bare(new):
        return _times(old, "TOP") + _times(old, "LIMIT") == 0
    return "VECTOR_DISTANCE" in _bare(old) or _times(old, "DESC") <= _times(new, "DESC")


def _negations(tokens: tuple[RawToken, ...]) -> tuple[int, int]:
    """Return how often something is negated, and how often IS NULL may do so for a left join."""
    negated = anti = 0
    for index, token in enumerate(tokens):
        mark = _mark(tokens, index)
        is_null = mark == "NOT" and _mark(tokens, index - 1) == "IS"
        negated += mark in ("<>", "EXCEPT") or (mark == "NOT" and not is_null)
        anti += mark == "NULL" and _mark(tokens, index - 1) == "IS"
        negated += token.kind == "string" and len(re.findall(r"\bNOT\b", token.name))
    return negated, anti


def _times(tokens: tuple[RawToken, ...], word: str) -> int:
    found = sum(token.upper == word for token in tokens)
    if word == "OR":
        found += sum(
            len(re.findall(r"\bOR\b", token.name)) for token in tokens if token.kind == "string"
        )
    return found
