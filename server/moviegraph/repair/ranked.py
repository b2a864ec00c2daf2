"""Columns of ranked searches, and the arguments of VECTOR_SEARCH by their order."""

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.nearness import fold_name
from moviegraph.repair.outline import SourceTokens
from moviegraph.repair.context import CalledFunction, RefusedStatement

TABLES = frozenset({"CONTAINSTABLE", "FREETEXTTABLE"})
KEYS = frozenset("id key docid rowid nodeid keyid documentid pk".split())
RANKS = frozenset("rank score relevance ranking weight rankscore searchrank textrank".split())
NAMED = ("TABLE", "COLUMN", "SIMILAR_TO", "METRIC", "TOP_N")


def ranked_column(statement: RefusedStatement) -> Correction | None:
    """A ranked search has [KEY] and RANK: k.Id is the one, and k.score the other."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if not token.is_name or statement.upper(index - 1) != "." or index < 2:
            continue
        source = statement.source_of(statement.tokens[index - 2].name, index)
        if source is None or statement.upper(source.range.first) not in TABLES:
            continue
        word = fold_name(token.name).removesuffix("value")
        tables = {fold_name(node.name) for node in statement.contract.nodes}
        if word in RANKS and word != "rank":
            edits.append(Edit(token.start, token.end, "RANK"))
        elif word != "key" and (word in KEYS or word.removesuffix("id") in tables):
            edits.append(Edit(token.start, token.end, "[KEY]"))
    return correct(edits, "The columns of a ranked search are called [KEY] and RANK.")


def placed_search(statement: RefusedStatement) -> Correction | None:
    """VECTOR_SEARCH(Movie, Embedding, @q, 'cosine', 10) AS m lacks the names of its arguments."""
    for call in statement.calls("VECTOR_SEARCH"):
        source = next((s for s in statement.sources if s.range.first == call.index), None)
        given = _given(statement, call)
        if source is not None and given is not None and not source.parts:
            return correct(_written(statement, call, source, given), "Its arguments are named.")
    return None


def _given(statement: RefusedStatement, call: CalledFunction) -> dict[str, str] | None:
    """Return the arguments by what they are called; None unless each is known by its kind."""
    found: dict[str, str] = {}
    for argument in call.arguments:
        token = statement.tokens[argument.last - 1]
        if argument.last - argument.first != 1:
            return None
        name = _role(statement, token.kind, token.name)
        if name is None or name in found:
            return None
        found[name] = token.text
    return found if {"TABLE", "SIMILAR_TO"} <= found.keys() else None


def _role(statement: RefusedStatement, kind: str, name: str) -> str | None:
    nodes = statement.contract.nodes
    if kind == "number":
        return "TOP_N"
    if kind == "string":
        return "METRIC"
    if name.startswith("@"):
        return "SIMILAR_TO"
    if statement.contract.node(name) is not None:
        return "TABLE"
    return (
        "COLUMN" if any(fold_name(name) == fold_name(node.vector or "") for node in nodes) else None
    )


def _written(
    statement: RefusedStatement, call: CalledFunction, source: SourceTokens, given: dict[str, str]
) -> list[Edit]:
    """Write the call with names; the alias, where columns of the table use it, is the table's."""
    node = statement.contract.node(given["TABLE"])
    assert node is not None
    defaults = {"COLUMN": node.vector or "", "METRIC": "'cosine'", "TOP_N": "10"}
    values = defaults | given
    taken = {token.name.lower() for token in statement.tokens if token.is_name}
    fresh = next(f"s{n}" for n in range(1, len(taken) + 2) if f"s{n}" not in taken)
    values["TABLE"] = f"{node.name} AS {source.alias or fresh}"
    shown = ", ".join(f"{name} = {values[name]}" for name in NAMED)
    end = statement.tokens[source.range.last - 1].end
    found = fresh if source.alias else f"{fresh}r"
    return [Edit(statement.start(call.index), end, f"VECTOR_SEARCH({shown}) AS {found}")]
