"""Comparison of a statement with its rewrite: retained, changed, lost and added parts.

A statement may be too broken to parse, so its tokens are compared. `changed_facts` checks each rule
against what it declares; `is_equivalent` checks the rewrite of a language model.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from moviegraph.contract.model import Contract
from moviegraph.names import closest_names
from moviegraph.repair.tokens import RawToken, split
from moviegraph.sql.decision import RefusalError

FactKind = Literal["tables", "columns", "literals", "operators", "measures"]
FACT_KINDS: tuple[FactKind, ...] = ("tables", "columns", "literals", "operators", "measures")
OPERATORS = frozenset("= <> < > <= >= LIKE IN BETWEEN AND OR NOT IS".split())
MEASURES = frozenset(
    "COUNT SUM AVG MIN MAX DISTINCT GROUP HAVING ORDER DESC UNION EXCEPT INTERSECT TOP LIMIT "
    "OFFSET FETCH EXISTS VECTOR_DISTANCE CONTAINS FREETEXT".split()
)
FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}
SPELLINGS = {"!=": "<>", "==": "=", "^=": "<>", "LIMIT": "TOP"}
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
APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")
TEXT_END = re.compile(
    r"(?=\s+(?:AND|OR|ORDER|GROUP|HAVING|LIMIT|UNION|THEN|AS|FROM|ESCAPE)\b)|(?=\s*(?:[),;]|\Z))",
    re.IGNORECASE,
)
MAX_READINGS = 20
Comparison = tuple[str, str]
MEASURE_NAMES = frozenset(
    "COUNT COUNT_BIG SUM AVG MIN MAX STDEV STDEVP VAR VARP DISTINCT INTERSECT PIVOT UNPIVOT".split()
)
MEASURE_WORDS = {
    "COUNT_BIG": ("count",),
    "AVG": ("avg", "average", "mean"),
    "DISTINCT": ("dist", "uniq", "dcount"),
}
ONE_OF_GROUP = frozenset({"MIN", "MAX", "DISTINCT"})
UNEQUAL = frozenset({"<", ">", "<=", ">="})
USUAL_TOP = 20
TEXT_SIGNS = {"!=": "<>", "==": "=", "^=": "<>", "ILIKE": "LIKE"}
SIGNS = frozenset({"=", "<>", "<", ">", "<=", ">=", "LIKE", "IN"})
PATTERN = frozenset("%_[")


def changed_facts(before: str, after: str, contract: Contract) -> frozenset[FactKind]:
    """Return the kinds of facts in which two statements differ; none where one cannot be split.

    Of literals none may be lost, and no word of a text added; numbers of types and rows may be.
    """
    try:
        old, new = split(before), split(after)
    except RefusalError:
        return frozenset()
    facts, others = _facts(old, contract), _facts(new, contract)
    changed: set[FactKind] = {kind for kind in facts if facts[kind] != others[kind]}
    lost = Counter(_literals(old)) - Counter(_literals(new))
    if lost or _words(new) - set(_literals(old)):
        changed.add("literals")
    return frozenset(changed)


def _facts(tokens: tuple[RawToken, ...], contract: Contract) -> dict[FactKind, Counter[str]]:
    marks = Counter(_mark(tokens, index) for index in range(len(tokens)))
    columns = {column.name for node in contract.nodes for column in node.columns}
    return {
        "tables": Counter(_names(tokens, contract.table_names)),
        "columns": Counter(_names(tokens, columns)),
        "operators": Counter({word: marks[word] for word in OPERATORS if marks[word]}),
        "measures": Counter({word: marks[word] for word in MEASURES if marks[word]}),
    }


def _literals(tokens: tuple[RawToken, ...]) -> Iterator[str]:
    """Yield the words of texts, and the numbers."""
    for token in tokens:
        if token.kind == "number":
            yield token.text
        elif token.kind == "string":
            yield from set(re.findall(r"\w+", token.name.lower())) - METRICS - LINKS


def is_equivalent(before: str, after: str, contract: Contract, query: str | None = None) -> bool:
    """Return whether a rewrite keeps tables, columns, literals, conditions and measures.

    Args:
        before: The statement as it was given.
        after: What a model made of it.
        contract: Knows the tables and columns.
        query: The text after @q, whose words may appear in the rewrite.
    """
    try:
        new = split(after)
    except RefusalError:
        return False
    return any(_same(old, new, contract, query) for old in _readings(before))


def _readings(sql: str) -> Iterator[tuple[RawToken, ...]]:
    """Yield the tokens of a statement; of one that ends inside a text, with the text closed."""
    try:
        yield split(sql)
        return
    except RefusalError:
        pass
    doubled = APOSTROPHE.sub("''", sql)
    ends = [match.start() for match in TEXT_END.finditer(sql)][-MAX_READINGS:]
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
        and _numbers_kept(old, new)
        and _same_sense(old, new)
        and _bare(old) & KEPT <= _bare(new)
        and _metrics(old) in (frozenset(), _metrics(new))
        and _ordered(old, contract) <= _ordered(new, contract)
        and _compares_alike(old, new, contract)
        and _adds_nothing(old, new, contract)
    )


def _metrics(tokens: tuple[RawToken, ...]) -> frozenset[str]:
    return METRICS & {token.name.lower() for token in tokens if token.kind == "string"}


def _ordered(tokens: tuple[RawToken, ...], contract: Contract) -> set[str]:
    """Return the columns in the last ORDER BY, keys and vectors omitted."""
    ends = [index for index, token in enumerate(tokens) if token.upper == "ORDER"]
    return _names(tokens[ends[-1] :], _telling(contract)) if ends else set()


def _names(tokens: tuple[RawToken, ...], names: tuple[str, ...] | set[str]) -> set[str]:
    lowered = {name.lower() for name in names}
    return {token.name.lower() for token in tokens if token.is_name} & lowered


def _telling(contract: Contract) -> set[str]:
    """Return the columns whose loss loses what is asked; keys may give way to MATCH."""
    return {
        column.name
        for node in contract.nodes
        for column in node.columns
        if column.name not in (node.key, node.vector)
    }


def _words(tokens: tuple[RawToken, ...]) -> set[str]:
    texts = (token.name.lower() for token in tokens if token.kind == "string")
    return {word for text in texts for word in re.findall(r"\w+", text)} - METRICS - LINKS


def _numbers_kept(old: tuple[RawToken, ...], new: tuple[RawToken, ...]) -> bool:
    """Return whether the numbers and the comparisons with them are the same."""
    before, after = Counter(_compared(old)), Counter(_compared(new))
    if before - after or (after - before and not _bare(old) & TODAY):
        return False
    return not Counter(_counts(old)) - Counter(_counts(new))


def _counts(tokens: tuple[RawToken, ...]) -> Iterator[str]:
    """Yield the numbers that nothing is compared with, but for OFFSET 0 and SELECT 1."""
    compared = {index for index, _ in _comparisons(tokens)}
    for index, token in enumerate(tokens):
        before = tokens[index - 1].upper if index else ""
        if token.kind == "number" and before not in ("OFFSET", "SELECT") and index not in compared:
            yield token.text


def _compared(tokens: tuple[RawToken, ...]) -> Iterator[Comparison]:
    """Yield each operator with the number it compares with, the number on the right."""
    for index, sign in _comparisons(tokens):
        yield sign, tokens[index].text


def _comparisons(tokens: tuple[RawToken, ...]) -> Iterator[tuple[int, str]]:
    """Yield the indexes of compared numbers, and the operator with the number on the right."""
    for index, token in enumerate(tokens):
        if token.kind != "number":
            continue
        before = _mark(tokens, index - 1)
        after = _mark(tokens, index + 1)
        if before in FLIPPED:
            yield index, before
        elif after in FLIPPED:
            yield index, FLIPPED[after]
        elif before == "BETWEEN":
            yield index, ">="
        elif before == "AND" and _is_between(tokens, index - 2):
            yield index, "<="


def _is_between(tokens: tuple[RawToken, ...], index: int) -> bool:
    return index > 0 and tokens[index].kind == "number" and _mark(tokens, index - 1) == "BETWEEN"


def _mark(tokens: tuple[RawToken, ...], index: int) -> str:
    text = tokens[index].upper if 0 <= index < len(tokens) else ""
    return SPELLINGS.get(text, text)


def _same_sense(old: tuple[RawToken, ...], new: tuple[RawToken, ...]) -> bool:
    """Return whether negations, alternatives and the sort order are the same."""
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
    count = sum(token.upper == word for token in tokens)
    if word == "OR":
        count += sum(
            len(re.findall(r"\bOR\b", token.name)) for token in tokens if token.kind == "string"
        )
    return count


def _adds_nothing(old: tuple[RawToken, ...], new: tuple[RawToken, ...], contract: Contract) -> bool:
    """Return whether the original has a reason for each filter and measure of a rewrite."""
    old_names = [token.name.lower() for token in old if token.is_name]
    gone = set(old_names) - {token.name.lower() for token in new}
    return (
        all(_is_meant(table, old_names, gone, contract) for table in _node_tables(new, contract))
        and all(_is_measured(word, old_names) for word in _bare(new) & MEASURE_NAMES)
        and _limits(new) <= {token.text for token in old if token.kind == "number"}
        and _nulls(new, contract) <= sum("null" in name for name in old_names)
        and _unequal(new) <= _unequal(old) + 2 * old_names.count("between")
    )


def _node_tables(tokens: tuple[RawToken, ...], contract: Contract) -> set[str]:
    names = {token.name.lower() for token in tokens if token.is_name}
    return {node.name for node in contract.nodes if node.name.lower() in names}


def _is_meant(table: str, old_names: list[str], gone: set[str], contract: Contract) -> bool:
    """Return whether the original names a table, misspelled or not, or no node table."""
    if not any(node.name.lower() in old_names for node in contract.nodes):
        return True
    edges = contract.edges_of(table)
    keywords = (keyword.word for keyword in contract.glossary.keywords if keyword.table == table)
    reasons = {name.lower() for name in (table, *(edge.name for edge in edges), *keywords)}
    if any(name in reasons or table.lower() in name for name in old_names):
        return True
    return any(closest_names(name, (table.lower(),)) for name in gone)


def _bare(tokens: tuple[RawToken, ...]) -> set[str]:
    return {token.upper for token in tokens if token.kind == "word"}


def _is_measured(word: str, old_names: list[str]) -> bool:
    if word in ONE_OF_GROUP and ("group" in old_names or "distinct" in old_names):
        return True
    return any(
        stem in name for name in old_names for stem in MEASURE_WORDS.get(word, (word.lower(),))
    )


def _limits(tokens: tuple[RawToken, ...]) -> set[str]:
    """Return the numbers of rows, but for those that the server would set."""
    numbers = {token.text for token in _numbers_of_rows(tokens)}
    return {text for text in numbers if text.isdigit() and 0 < int(text) < USUAL_TOP}


def _numbers_of_rows(tokens: tuple[RawToken, ...]) -> Iterator[RawToken]:
    for index, token in enumerate(tokens):
        before = [item for item in tokens[max(0, index - 2) : index] if item.text != "("]
        if token.kind == "number" and before and before[-1].upper in ("TOP", "NEXT", "OFFSET"):
            yield token


def _nulls(tokens: tuple[RawToken, ...], contract: Contract) -> int:
    """Return how often a column is asked whether it is NULL; vectors are asked to be there."""
    vectors = {node.vector.lower() for node in contract.nodes if node.vector}
    count = 0
    for index, token in enumerate(tokens):
        if token.upper == "IS" and index and tokens[index - 1].name.lower() not in vectors:
            count += "NULL" in {item.upper for item in tokens[index + 1 : index + 3]}
    return count


def _unequal(tokens: tuple[RawToken, ...]) -> int:
    return sum(token.upper in UNEQUAL for token in tokens)


@dataclass(frozen=True, slots=True)
class ComparedText:
    """A text with what it is compared with, in lower case; None where that cannot be read."""

    text: str
    table: str | None
    column: str | None
    sign: str

    def agrees(self, other: "ComparedText") -> bool:
        """Return whether another one may ask the same: the facts of both are equal."""
        return (
            self.text == other.text
            and self._same_column(other)
            and (self.sign == other.sign or self._means_equal(other))
        )

    def _same_column(self, other: "ComparedText") -> bool:
        if self.column is None or other.column is None:
            return True
        tables = {self.table, other.table} - {None}
        return self.column == other.column and len(tables) < 2

    def _means_equal(self, other: "ComparedText") -> bool:
        """Return whether LIKE without a pattern replaces an equation, or the reverse."""
        return {self.sign, other.sign} == {"=", "LIKE"} and not PATTERN & set(self.text)


def _compares_alike(
    old: tuple[RawToken, ...], new: tuple[RawToken, ...], contract: Contract
) -> bool:
    """Return whether texts are compared with what they were, wherever both statements tell it."""
    before, after = set(_compared_texts(old, contract)), set(_compared_texts(new, contract))
    shared = {comparison.text.strip("%") for comparison in before} & {
        comparison.text.strip("%") for comparison in after
    }
    before = {comparison for comparison in before if comparison.text.strip("%") in shared}
    after = {comparison for comparison in after if comparison.text.strip("%") in shared}
    return all(any(left.agrees(right) for right in after) for left in before) and all(
        any(left.agrees(right) for right in before) for left in after
    )


def _compared_texts(tokens: tuple[RawToken, ...], contract: Contract) -> Iterator[ComparedText]:
    tables = {name.lower() for name in contract.table_names}
    columns = {column.name.lower() for node in contract.nodes for column in node.columns}
    aliases = dict(_aliases(tokens, tables))
    for index, token in enumerate(tokens):
        sign_at = _sign_at(tokens, index) if token.kind == "string" else None
        if sign_at is None:
            continue
        sign = TEXT_SIGNS.get(tokens[sign_at].upper, tokens[sign_at].upper)
        name_at = sign_at - 2 if _upper(tokens, sign_at - 1) == "NOT" else sign_at - 1
        column = tokens[name_at].name.lower() if name_at >= 0 else ""
        table = tokens[name_at - 2].name.lower() if _upper(tokens, name_at - 1) == "." else ""
        yield ComparedText(
            token.name.lower(),
            aliases.get(table),
            column if column in columns else None,
            _plain(sign, token.name),
        )


def _plain(sign: str, text: str) -> str:
    """Return the sign, an equation where IN lists, and LIKE where an equation has a pattern."""
    sign = "=" if sign == "IN" else sign
    return "LIKE" if sign == "=" and "%" in text else sign


def _aliases(tokens: tuple[RawToken, ...], tables: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the names that tables go by, with the table."""
    for index, token in enumerate(tokens):
        table = token.name.lower()
        if not token.is_name or table not in tables:
            continue
        yield table, table
        alias = index + 2 if _upper(tokens, index + 1) == "AS" else index + 1
        if alias < len(tokens) and tokens[alias].is_name:
            yield tokens[alias].name.lower(), table


def _sign_at(tokens: tuple[RawToken, ...], index: int) -> int | None:
    """Return the index of the operator before a text, or before the list that contains it."""
    before = index - 1
    while before >= 0 and (tokens[before].kind == "string" or tokens[before].text == ","):
        before -= 1
    if _upper(tokens, before) == "(":
        return before - 1 if _upper(tokens, before - 1) == "IN" else None
    sign = TEXT_SIGNS.get(_upper(tokens, index - 1), _upper(tokens, index - 1))
    return index - 1 if sign in SIGNS else None


def _upper(tokens: tuple[RawToken, ...], index: int) -> str:
    return tokens[index].upper if 0 <= index < len(tokens) else ""
