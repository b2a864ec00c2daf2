"""Distances of vectors, and the parameter @q."""

import re

from moviegraph.repair.context import CalledFunction, Correction, Edit, RefusedStatement, correct
from moviegraph.repair.tokens import TokenRange
from moviegraph.sql.functions import METRICS

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


def query_parameter(statement: RefusedStatement) -> Correction | None:
    """A placeholder of any other form inside VECTOR_DISTANCE is @q; two of them are two texts."""
    edits: list[Edit] = []
    named = {p.upper for p in statement.tokens if p.kind == "word" and p.text.startswith("@")}
    if len(named) > 1:
        return None
    for call in statement.calls("VECTOR_DISTANCE", *DISTANCES, *SIMILARITIES):
        for argument in call.arguments:
            if _is_placeholder(statement, argument):
                start = statement.start(argument.first)
                edits.append(Edit(start, statement.tokens[argument.last - 1].end, "@q"))
    edits += [
        Edit(statement.start(index + 1), statement.tokens[last - 1].end, "@q")
        for index, token in enumerate(statement.tokens)
        for last in (index + 2, index + 3)
        if token.text in ARROWS
        and last <= len(statement.tokens)
        and _is_placeholder(statement, TokenRange(index + 1, last))
    ]
    edits += [
        Edit(statement.start(index + 2), statement.tokens[index + 2].end, "@q")
        for index, token in enumerate(statement.tokens[:-2])
        if token.upper == "SIMILAR_TO"
        and _is_placeholder(statement, TokenRange(index + 2, index + 3))
    ]
    return correct(edits, "The embedding of the query text is @q, the only variable.")


def _is_placeholder(statement: RefusedStatement, argument: TokenRange) -> bool:
    text = statement.text(argument).strip()
    if text.lower() == "@q":
        return False
    form = r"@\w+|\?|\$\w+|:\w+|%\w+|%\(\w+\)s|\{+\w+\}+|N?'[@:%]\w+'|'\[?\.\.\.\]?'"
    return re.fullmatch(form, text) is not None


def vector_functions(statement: RefusedStatement) -> Correction | None:
    """COSINE_DISTANCE(a, b), a <=> b and their like are VECTOR_DISTANCE of that metric."""
    edits: list[Edit] = []
    for call in statement.calls(*DISTANCES, *SIMILARITIES):
        name = statement.upper(call.index)
        texts = [statement.text(each) for each in call.arguments]
        others = [text for text in texts if _metric(text) != "cosine"]
        if len(others) != 2 or len(texts) > 3:
            continue
        given = ", ".join(others)
        text = f"VECTOR_DISTANCE('{DISTANCES.get(name, 'cosine')}', {given})"
        text = text if name in DISTANCES else _similarity(statement, call, text)
        edits.append(statement.over(call, text))
    for index, token in enumerate(statement.tokens):
        known = index + 1 < len(statement.tokens) and statement.tokens[index + 1].kind != "number"
        if token.kind == "mark" and token.text in ARROWS and known:
            left = TokenRange(statement.operand_before(index), index)
            right = TokenRange(index + 1, statement.operand_after(index))
            given = f"{statement.text(left)}, {statement.text(right)}"
            text = f"VECTOR_DISTANCE('{ARROWS[token.text]}', {given})"
            end = statement.tokens[right.last - 1].end
            edits.append(Edit(statement.start(left.first), end, text))
    return correct(edits, f"T-SQL compares vectors by {SHOWN}.")


def distance_arguments(statement: RefusedStatement) -> Correction | None:
    """The metric comes first, by one of its three names; without one it is the cosine."""
    edits: list[Edit] = []
    for call in statement.calls("VECTOR_DISTANCE"):
        edit = _metric_first(statement, call)
        if edit is not None:
            edits.append(edit)
    return correct(edits, f"Its form is {SHOWN}; the metrics are {', '.join(METRICS)}.")


def _metric_first(statement: RefusedStatement, call: CalledFunction) -> Edit | None:
    texts = [statement.text(each) for each in call.arguments]
    named = [index for index, text in enumerate(texts) if _metric(text) is not None]
    others = [text for index, text in enumerate(texts) if index not in named]
    if len(others) != 2 or len(named) > 1:
        return None
    metric = _metric(texts[named[0]]) if named else "cosine"
    right = bool(named) and named[0] == 0 and texts[0][0] in "'N"
    if right and texts[0].strip("N'").lower() in METRICS:
        return None
    text = f"VECTOR_DISTANCE('{metric}', {', '.join(others)})"
    if named and _means_similarity(statement, call, texts[named[0]]):
        text = _similarity(statement, call, text)
    return statement.over(call, text)


def _similarity(statement: RefusedStatement, call: CalledFunction, distance: str) -> str:
    """Return 1 minus a distance, in parentheses where an operator stands beside it."""
    beside = {statement.upper(call.index - 1), statement.upper(call.last)} & set("+-*/%")
    return f"(1 - {distance})" if beside else f"1 - {distance}"


def _metric(text: str) -> str | None:
    """Return the metric that an argument names, quoted in any way or bare."""
    word = text.removeprefix("N").strip("'\"").lower().replace(" ", "_").replace("-", "_")
    return word if word in METRICS else METRIC_NAMES.get(word)


def _means_similarity(statement: RefusedStatement, call: CalledFunction, metric: str) -> bool:
    """Whether a "similarity" is sorted with the highest first: then it is 1 minus the distance."""
    if "similarity" not in metric.lower():
        return False
    if statement.upper(call.last) == "DESC":
        return True
    alias = call.last + (statement.upper(call.last) == "AS")
    if alias >= len(statement.tokens) or not statement.tokens[alias].is_name:
        return False
    name = statement.tokens[alias].name.lower()
    return any(
        token.is_name and token.name.lower() == name and statement.upper(index + 1) == "DESC"
        for index, token in enumerate(statement.tokens)
    )
