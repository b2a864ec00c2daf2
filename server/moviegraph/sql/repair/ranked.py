"""Columns of ranked searches, and the arguments of VECTOR_SEARCH by their order."""

from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.nearness import folded
from moviegraph.sql.repair.outline import Source

TABLES = frozenset({"CONTAINSTABLE", "FREETEXTTABLE"})
KEYS = frozenset("id key docid rowid nodeid keyid documentid pk".split())
RANKS = frozenset("rank score relevance ranking weight rankscore searchrank textrank".split())
NAMED = ("TABLE", "COLUMN", "SIMILAR_TO", "METRIC", "TOP_N")


def ranked_column(broken: Broken) -> Correction | None:
    """A ranked search has [KEY] and RANK: k.Id is the one, and k.score the other."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        if not piece.is_name or broken.upper(at - 1) != "." or at < 2:
            continue
        source = broken.source_of(broken.pieces[at - 2].name, at)
        if source is None or broken.upper(source.range.first) not in TABLES:
            continue
        word = folded(piece.name).removesuffix("value")
        tables = {folded(node.name) for node in broken.contract.nodes}
        if word in RANKS and word != "rank":
            edits.append(Edit(piece.start, piece.end, "RANK"))
        elif word != "key" and (word in KEYS or word.removesuffix("id") in tables):
            edits.append(Edit(piece.start, piece.end, "[KEY]"))
    return corrected(edits, "The columns of a ranked search are called [KEY] and RANK.")


def placed_search(broken: Broken) -> Correction | None:
    """VECTOR_SEARCH(Movie, Embedding, @q, 'cosine', 10) AS m lacks the names of its arguments."""
    for call in broken.calls("VECTOR_SEARCH"):
        source = next((s for s in broken.sources if s.range.first == call.at), None)
        given = _given(broken, call)
        if source is not None and given is not None and not source.parts:
            return corrected(_written(broken, call, source, given), "Its arguments are named.")
    return None


def _given(broken: Broken, call: CalledFunction) -> dict[str, str] | None:
    """Return the arguments by what they are called; None unless each is known by its kind."""
    found: dict[str, str] = {}
    for argument in call.arguments:
        piece = broken.pieces[argument.last - 1]
        if argument.last - argument.first != 1:
            return None
        name = _role(broken, piece.kind, piece.name)
        if name is None or name in found:
            return None
        found[name] = piece.text
    return found if {"TABLE", "SIMILAR_TO"} <= found.keys() else None


def _role(broken: Broken, kind: str, name: str) -> str | None:
    nodes = broken.contract.nodes
    if kind == "number":
        return "TOP_N"
    if kind == "string":
        return "METRIC"
    if name.startswith("@"):
        return "SIMILAR_TO"
    if broken.contract.node(name) is not None:
        return "TABLE"
    return "COLUMN" if any(folded(name) == folded(node.vector or "") for node in nodes) else None


def _written(
    broken: Broken, call: CalledFunction, source: Source, given: dict[str, str]
) -> list[Edit]:
    """Write the call with names; the alias, where columns of the table use it, is the table's."""
    node = broken.contract.node(given["TABLE"])
    assert node is not None
    defaults = {"COLUMN": node.vector or "", "METRIC": "'cosine'", "TOP_N": "10"}
    values = defaults | given
    taken = {piece.name.lower() for piece in broken.pieces if piece.is_name}
    fresh = next(f"s{n}" for n in range(1, len(taken) + 2) if f"s{n}" not in taken)
    values["TABLE"] = f"{node.name} AS {source.alias or fresh}"
    shown = ", ".join(f"{name} = {values[name]}" for name in NAMED)
    end = broken.pieces[source.range.last - 1].end
    found = fresh if source.alias else f"{fresh}r"
    return [Edit(broken.start(call.at), end, f"VECTOR_SEARCH({shown}) AS {found}")]
