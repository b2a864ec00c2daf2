"""What a rewrite has that the statement before it gives no reason for: tables, measures, limits."""

from collections.abc import Iterator

from moviegraph.contract.model import Contract, nearest
from moviegraph.repair.tokens import RawToken

__all__ = ["adds_nothing"]
MEASURES = frozenset(
    "COUNT COUNT_BIG SUM AVG MIN MAX STDEV STDEVP VAR VARP DISTINCT INTERSECT PIVOT UNPIVOT".split()
)
SAID = {
    "COUNT_BIG": ("count",),
    "AVG": ("avg", "average", "mean"),
    "DISTINCT": ("dist", "uniq", "dcount"),
}
ONE_OF_GROUP = frozenset({"MIN", "MAX", "DISTINCT"})
UNEQUAL = frozenset({"<", ">", "<=", ">="})
USUAL_TOP = 20


def adds_nothing(old: tuple[RawToken, ...], new: tuple[RawToken, ...], contract: Contract) -> bool:
    """Whether all that narrows or measures in a rewrite has its reason in the statement before."""
    said = [token.name.lower() for token in old if token.is_name]
    gone = set(said) - {token.name.lower() for token in new}
    return (
        all(_is_meant(table, said, gone, contract) for table in _nodes(new, contract))
        and all(_is_measured(word, said) for word in _words(new) & MEASURES)
        and _limits(new) <= {token.text for token in old if token.kind == "number"}
        and _nulls(new, contract) <= sum("null" in name for name in said)
        and _unequal(new) <= _unequal(old) + 2 * said.count("between")
    )


def _nodes(tokens: tuple[RawToken, ...], contract: Contract) -> set[str]:
    names = {token.name.lower() for token in tokens if token.is_name}
    return {node.name for node in contract.nodes if node.name.lower() in names}


def _is_meant(table: str, said: list[str], gone: set[str], contract: Contract) -> bool:
    """Whether the names of a statement, misspelt or not, lead to a table, or to no table at all."""
    if not any(node.name.lower() in said for node in contract.nodes):
        return True
    edges = contract.edges_of(table)
    keywords = (each.word for each in contract.glossary.keywords if each.table == table)
    reasons = {name.lower() for name in (table, *(edge.name for edge in edges), *keywords)}
    if any(name in reasons or table.lower() in name for name in said):
        return True
    return any(nearest(name, (table.lower(),)) for name in gone)


def _words(tokens: tuple[RawToken, ...]) -> set[str]:
    return {token.upper for token in tokens if token.kind == "word"}


def _is_measured(word: str, said: list[str]) -> bool:
    if word in ONE_OF_GROUP and ("group" in said or "distinct" in said):
        return True
    return any(each in name for name in said for each in SAID.get(word, (word.lower(),)))


def _limits(tokens: tuple[RawToken, ...]) -> set[str]:
    """Return the numbers of rows, but for those that the server would set."""
    found = {token.text for token in _numbers_of_rows(tokens)}
    return {text for text in found if text.isdigit() and 0 < int(text) < USUAL_TOP}


def _numbers_of_rows(tokens: tuple[RawToken, ...]) -> Iterator[RawToken]:
    for index, token in enumerate(tokens):
        before = [each for each in tokens[max(0, index - 2) : index] if each.text != "("]
        if token.kind == "number" and before and before[-1].upper in ("TOP", "NEXT", "OFFSET"):
            yield token


def _nulls(tokens: tuple[RawToken, ...], contract: Contract) -> int:
    """Return how often a column is asked whether it is NULL; vectors are asked to be there."""
    vectors = {node.vector.lower() for node in contract.nodes if node.vector}
    found = 0
    for index, token in enumerate(tokens):
        if token.upper == "IS" and index and tokens[index - 1].name.lower() not in vectors:
            found += "NULL" in {each.upper for each in tokens[index + 1 : index + 3]}
    return found


def _unequal(tokens: tuple[RawToken, ...]) -> int:
    return sum(token.upper in UNEQUAL for token in tokens)
