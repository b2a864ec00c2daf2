"""VECTOR_DISTANCE, @q, and embeddings where none may stand."""

import re

from moviegraph.sql.functions import METRICS
from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.outline import Range, Select, listed, past_parenthesis

METRIC_NAMES = {
    "l2": "euclidean",
    "l2_distance": "euclidean",
    "euclid": "euclidean",
    "euclidian": "euclidean",
    "euclidean_distance": "euclidean",
    "cos": "cosine",
    "cosine_distance": "cosine",
    "cosine_similarity": "cosine",
    "cosinesimilarity": "cosine",
    "dot_product": "dot",
    "dotproduct": "dot",
    "inner_product": "dot",
    "innerproduct": "dot",
    "ip": "dot",
    "negative_inner_product": "dot",
}
DISTANCES = {
    "COSINE_DISTANCE": "cosine",
    "L2_DISTANCE": "euclidean",
    "EUCLIDEAN_DISTANCE": "euclidean",
    "VECTOR_COSINE_DISTANCE": "cosine",
    "VECTOR_L2_DISTANCE": "euclidean",
    "ARRAY_COSINE_DISTANCE": "cosine",
    "LIST_COSINE_DISTANCE": "cosine",
    "ARRAY_DISTANCE": "euclidean",
    "LIST_DISTANCE": "euclidean",
    "EUCLIDEANDISTANCE": "euclidean",
    "COSINEDISTANCE": "cosine",
    "L2DISTANCE": "euclidean",
    "VEC_DISTANCE_COSINE": "cosine",
    "VEC_DISTANCE_EUCLIDEAN": "euclidean",
}
SIMILARITIES = (
    *("COSINE_SIMILARITY", "VECTOR_COSINE_SIMILARITY", "VECTOR_SIMILARITY", "COSINESIMILARITY"),
    *("ARRAY_COSINE_SIMILARITY", "LIST_COSINE_SIMILARITY"),
)
ARROWS = {"<=>": "cosine", "<->": "euclidean", "<#>": "dot"}
SHOWN = "VECTOR_DISTANCE('cosine', t.Embedding, @q)"


def query_parameter(broken: Broken) -> Correction | None:
    """A placeholder of any other form inside VECTOR_DISTANCE is @q; two of them are two texts."""
    edits: list[Edit] = []
    named = {p.upper for p in broken.pieces if p.kind == "word" and p.text.startswith("@")}
    if len(named) > 1:
        return None
    for call in broken.calls("VECTOR_DISTANCE", *DISTANCES, *SIMILARITIES):
        for argument in call.arguments:
            if _is_placeholder(broken, argument):
                start = broken.start(argument.first)
                edits.append(Edit(start, broken.pieces[argument.last - 1].end, "@q"))
    edits += [
        Edit(broken.start(at + 1), broken.pieces[last - 1].end, "@q")
        for at, piece in enumerate(broken.pieces)
        for last in (at + 2, at + 3)
        if piece.text in ARROWS
        and last <= len(broken.pieces)
        and _is_placeholder(broken, Range(at + 1, last))
    ]
    edits += [
        Edit(broken.start(at + 2), broken.pieces[at + 2].end, "@q")
        for at, piece in enumerate(broken.pieces[:-2])
        if piece.upper == "SIMILAR_TO" and _is_placeholder(broken, Range(at + 2, at + 3))
    ]
    return corrected(edits, "The embedding of the query text is @q, the only variable.")


def _is_placeholder(broken: Broken, argument: Range) -> bool:
    text = broken.text(argument).strip()
    if text.lower() == "@q":
        return False
    form = r"@\w+|\?|\$\w+|:\w+|%\w+|%\(\w+\)s|\{+\w+\}+|N?'[@:%]\w+'|'\[?\.\.\.\]?'"
    return re.fullmatch(form, text) is not None


def cast_query(broken: Broken) -> Correction | None:
    """CAST(@q AS VECTOR(384)) is @q, which is a vector already."""
    edits = [
        broken.over(call, "@q")
        for call in broken.calls("CAST", "CONVERT", "TO_VECTOR", "VECTOR")
        if any(broken.text(Range(at, at + 1)).lower() == "@q" for at in range(call.at, call.last))
        and "VECTOR"
        in {broken.upper(at) for at in range(call.at, call.last)} | {broken.upper(call.at)}
    ]
    for at, piece in enumerate(broken.pieces[:-2]):
        if piece.text.lower() == "@q" and broken.upper(at + 1) == "::":
            sized = at + 3 < len(broken.pieces) and broken.pieces[at + 3].text[0] == "["
            last = (
                past_parenthesis(broken.pieces, at + 3) - 1
                if broken.upper(at + 3) == "("
                else at + 2
            )
            edits.append(Edit(piece.end, broken.pieces[at + 3 if sized else last].end, ""))
    return corrected(edits, "@q is a vector; it needs no cast.")


def named_arguments(broken: Broken) -> Correction | None:
    """VECTOR_DISTANCE(metric => 'cosine', ...) and metric = 'cosine' name what has its place."""
    edits: list[Edit] = []
    for call in broken.calls("VECTOR_DISTANCE", *DISTANCES, *SIMILARITIES):
        for argument in call.arguments:
            signs = [broken.upper(at) for at in range(argument.first + 1, argument.first + 3)]
            marks = 2 if signs in (["=", ">"], [":", "="]) else 1 if signs[0] == "=" else 0
            if marks and broken.pieces[argument.first].kind == "word":
                value = argument.first + 1 + marks
                edits.append(Edit(broken.start(argument.first), broken.start(value), ""))
    return corrected(edits, "Its arguments are known by their order.")


def dotted_function(broken: Broken) -> Correction | None:
    """Neo4j's vector.similarity.cosine(a, b) is the similarity of that metric."""
    edits: list[Edit] = []
    for at in range(len(broken.pieces) - 5):
        if broken.words(at + 1, ".", "SIMILARITY", ".") and broken.upper(at + 5) == "(":
            metric = _metric(broken.pieces[at + 4].text)
            if broken.upper(at) in ("VECTOR", "GDS") and metric == "cosine":
                end = broken.pieces[at + 4].end
                edits.append(Edit(broken.start(at), end, "COSINE_SIMILARITY"))
    return corrected(edits, f"T-SQL compares vectors by {SHOWN}.")


def vector_functions(broken: Broken) -> Correction | None:
    """COSINE_DISTANCE(a, b), a <=> b and their like are VECTOR_DISTANCE of that metric."""
    edits: list[Edit] = []
    for call in broken.calls(*DISTANCES, *SIMILARITIES):
        name = broken.upper(call.at)
        texts = [broken.text(each) for each in call.arguments]
        others = [text for text in texts if _metric(text) != "cosine"]
        if len(others) != 2 or len(texts) > 3:
            continue
        given = ", ".join(others)
        text = f"VECTOR_DISTANCE('{DISTANCES.get(name, 'cosine')}', {given})"
        text = text if name in DISTANCES else _similarity(broken, call, text)
        edits.append(broken.over(call, text))
    for at, piece in enumerate(broken.pieces):
        known = at + 1 < len(broken.pieces) and broken.pieces[at + 1].kind != "number"
        if piece.kind == "mark" and piece.text in ARROWS and known:
            left = Range(broken.operand_before(at), at)
            right = Range(at + 1, broken.operand_after(at))
            given = f"{broken.text(left)}, {broken.text(right)}"
            text = f"VECTOR_DISTANCE('{ARROWS[piece.text]}', {given})"
            end = broken.pieces[right.last - 1].end
            edits.append(Edit(broken.start(left.first), end, text))
    return corrected(edits, f"T-SQL compares vectors by {SHOWN}.")


def distance_arguments(broken: Broken) -> Correction | None:
    """The metric comes first, by one of its three names; without one it is the cosine."""
    edits: list[Edit] = []
    for call in broken.calls("VECTOR_DISTANCE"):
        edit = _metric_first(broken, call)
        if edit is not None:
            edits.append(edit)
    return corrected(edits, f"Its form is {SHOWN}; the metrics are {', '.join(METRICS)}.")


def _metric_first(broken: Broken, call: CalledFunction) -> Edit | None:
    texts = [broken.text(each) for each in call.arguments]
    named = [at for at, text in enumerate(texts) if _metric(text) is not None]
    others = [text for at, text in enumerate(texts) if at not in named]
    if len(others) != 2 or len(named) > 1:
        return None
    metric = _metric(texts[named[0]]) if named else "cosine"
    right = bool(named) and named[0] == 0 and texts[0][0] in "'N"
    if right and texts[0].strip("N'").lower() in METRICS:
        return None
    text = f"VECTOR_DISTANCE('{metric}', {', '.join(others)})"
    if named and _means_similarity(broken, call, texts[named[0]]):
        text = _similarity(broken, call, text)
    return broken.over(call, text)


def _similarity(broken: Broken, call: CalledFunction, distance: str) -> str:
    """Return 1 minus a distance, in parentheses where an operator stands beside it."""
    beside = {broken.upper(call.at - 1), broken.upper(call.last)} & set("+-*/%")
    return f"(1 - {distance})" if beside else f"1 - {distance}"


def _metric(text: str) -> str | None:
    """Return the metric that an argument names, quoted in any way or bare."""
    word = text.removeprefix("N").strip("'\"").lower().replace(" ", "_").replace("-", "_")
    return word if word in METRICS else METRIC_NAMES.get(word)


def _means_similarity(broken: Broken, call: CalledFunction, metric: str) -> bool:
    """Whether a "similarity" is sorted with the highest first: then it is 1 minus the distance."""
    if "similarity" not in metric.lower():
        return False
    if broken.upper(call.last) == "DESC":
        return True
    alias = call.last + (broken.upper(call.last) == "AS")
    if alias >= len(broken.pieces) or not broken.pieces[alias].is_name:
        return False
    name = broken.pieces[alias].name.lower()
    return any(
        piece.is_name and piece.name.lower() == name and broken.upper(at + 1) == "DESC"
        for at, piece in enumerate(broken.pieces)
    )


def compared_text(broken: Broken) -> Correction | None:
    """Only embeddings are compared: the text column of a node stands for its embedding."""
    edits: list[Edit] = []
    for call in broken.calls("VECTOR_DISTANCE"):
        for argument in call.arguments[1:]:
            last = broken.pieces[argument.last - 1]
            if argument.last - argument.first != 3 or broken.upper(argument.first + 1) != ".":
                continue
            source = broken.source_of(broken.pieces[argument.first].name, argument.first)
            node = broken.node_of(source)
            if node is not None and last.name.lower() in (node.text.lower(), node.label.lower()):
                edits.append(Edit(last.start, last.end, node.vector))
    return corrected(edits, "VECTOR_DISTANCE compares embeddings, not texts.")


def selected_embedding(broken: Broken) -> Correction | None:
    """An embedding is dropped from the select list: it may be compared, not listed."""
    edits: list[Edit] = []
    for select in broken.selects:
        if select.depth == 0 or select.arm:
            edits += _without_vectors(broken, select)
    return corrected(edits, "Embeddings are compared, never returned.")


def _without_vectors(broken: Broken, select: Select) -> list[Edit]:
    items = listed(broken.pieces, select.clauses["SELECT"])
    kept = [item for item in items if not _is_vector(broken, item)]
    if len(kept) == len(items) or not kept or broken.upper(select.first + 1) == "DISTINCT":
        return []
    edits: list[Edit] = []
    for at, item in enumerate(items):
        if item in kept:
            continue
        head = _skip_top(broken, item)
        if at + 1 < len(items) and at == 0:
            end = broken.start(items[1].first)
            edits.append(Edit(broken.start(head), end, ""))
        else:
            end = broken.pieces[item.last - 1].end
            edits.append(Edit(broken.pieces[item.first - 1].start, end, ""))
    return edits


def _is_vector(broken: Broken, item: Range) -> bool:
    """Whether a select item is nothing but a vector column, perhaps with an alias."""
    first = _skip_top(broken, item)
    last = item.last
    if last - first > 1 and broken.upper(last - 2) == "AS":
        last -= 2
    vectors = {node.vector.lower() for node in broken.contract.nodes}
    names = [p.name.lower() for p in broken.pieces[first:last] if p.text != "."]
    shape = last - first in (1, 3) and all(
        p.is_name or p.text == "." for p in broken.pieces[first:last]
    )
    return shape and bool(names) and names[-1] in vectors


def _skip_top(broken: Broken, item: Range) -> int:
    """Return the number behind DISTINCT and TOP n at the head of a select list."""
    at = item.first
    if broken.upper(at) in ("DISTINCT", "ALL"):
        at += 1
    if broken.upper(at) == "TOP":
        at = broken.operand_after(at) if broken.upper(at + 1) == "(" else at + 2
    return at
