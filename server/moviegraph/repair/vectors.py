"""Distances of vectors, and the parameter @q."""

import re
from collections.abc import Iterator

from moviegraph.repair.context import CalledFunction, Correction, Edit, RefusedStatement, correct
from moviegraph.repair.regex_rules import PARENTHESES, regex_rule
from moviegraph.repair.tokens import TokenRange
from moviegraph.sql.functions import METRICS

COSINE, EUCLIDEAN, DOT = r"cos(?:ine)?", r"l2|euclid\w*", r"dot|inner|ip"
METRIC_NAMES = (
    ("cosine", re.compile(rf"(?:{COSINE})(?:_?(?:distance|similarity))?")),
    ("euclidean", re.compile(rf"(?:{EUCLIDEAN})(?:_?distance)?")),
    ("dot", re.compile(rf"(?:negative_)?(?:{DOT})(?:_?product)?")),
)
PREFIX = r"(?:vector_|vec_|array_|list_)?"
FUNCTION_NAMES = (
    ("cosine", re.compile(rf"{PREFIX}{COSINE}_?(?:distance|similarity)")),
    ("cosine", re.compile(r"vector_similarity|vec_distance_cosine")),
    ("euclidean", re.compile(rf"{PREFIX}(?:{EUCLIDEAN})_?distance|vec_distance_euclidean")),
    ("euclidean", re.compile(r"(?:array|list)_distance")),
)
ARROWS = {"<=>": "cosine", "<->": "euclidean", "<#>": "dot"}
"""The operators of pgvector."""
FORM = "VECTOR_DISTANCE('cosine', t.Embedding, @q)"
PLACEHOLDER = re.compile(r"@\w+|\?|\$\w+|:\w+|%\w+|%\(\w+\)s|\{+\w+\}+|N?'[@:%]\w+'|'\[?\.\.\.\]?'")


def _name_lookup(word: str, names: tuple[tuple[str, re.Pattern[str]], ...]) -> str | None:
    return next((metric for metric, form in names if form.fullmatch(word)), None)


def _foreign_calls(statement: RefusedStatement) -> Iterator[tuple[CalledFunction, str]]:
    """Yield the calls of distance functions of other databases, with their metric."""
    for call in statement.calls():
        metric = _name_lookup(statement.upper(call.index).lower(), FUNCTION_NAMES)
        if metric is not None:
            yield call, metric


def query_parameter(statement: RefusedStatement) -> Correction | None:
    """A placeholder of any other form inside a distance is @q; two of them are two texts.

    SELECT VECTOR_DISTANCE('cosine', Embedding, ?) AS d FROM Movie
    -> SELECT VECTOR_DISTANCE('cosine', Embedding, @q) AS d FROM Movie
    """
    parameters = {token.upper for token in statement.tokens if token.text.startswith("@")}
    if len(parameters) > 1:
        return None
    calls = [*statement.calls("VECTOR_DISTANCE"), *(call for call, _ in _foreign_calls(statement))]
    ranges = [argument for call in calls for argument in call.arguments]
    for index, token in enumerate(statement.tokens):
        if token.text in ARROWS:
            ranges += [TokenRange(index + 1, index + 2), TokenRange(index + 1, index + 3)]
    edits = [
        Edit(statement.start(part.first), statement.tokens[part.last - 1].end, "@q")
        for part in ranges
        if part.last <= len(statement.tokens) and _is_placeholder(statement.text(part))
    ]
    return correct(edits, "The embedding of the query text is @q, the only variable.")


def _is_placeholder(text: str) -> bool:
    return text.lower() != "@q" and PLACEHOLDER.fullmatch(text) is not None


cast_query = regex_rule(
    "cast_query",
    "A cast or an embedding of @q is @q, which is a vector already.\n\n"
    "    SELECT VECTOR_DISTANCE('cosine', Embedding, CAST(@q AS VECTOR(384))) AS d FROM Movie\n"
    "    -> SELECT VECTOR_DISTANCE('cosine', Embedding, @q) AS d FROM Movie",
    "@q is a vector; it needs no cast.",
    (rf"\bCAST\s*\(\s*@Q\s+AS\s+VECTOR\s*(?:{PARENTHESES})?\s*\)", "@q"),
    (r"\b(?:EMBED|EMBEDDING|VECTORIZE|TO_EMBEDDING|(?:TO_)?VECTOR)\s*\(\s*@Q\s*\)", "@q"),
    (rf"@Q\s*::\s*\w+(?:{PARENTHESES}|_+)?", "@q"),
    (r"\b(?:METRIC|VECTOR[12]?)\s*=>\s*", ""),
    (r"\bVECTOR\.SIMILARITY\.COSINE(?=\s*\()", "COSINE_SIMILARITY"),
)


def vector_functions(statement: RefusedStatement) -> Correction | None:
    """A distance function or operator of another database is VECTOR_DISTANCE of that metric.

    SELECT Embedding <=> @q AS d FROM Movie
    -> SELECT VECTOR_DISTANCE('cosine', Embedding, @q) AS d FROM Movie
    """
    edits: list[Edit] = []
    for call, metric in _foreign_calls(statement):
        texts = [statement.text(argument) for argument in call.arguments]
        vectors = [text for text in texts if _metric(text) != "cosine"]
        if len(vectors) == 2 and len(texts) <= 3:
            text = f"VECTOR_DISTANCE('{metric}', {', '.join(vectors)})"
            is_similarity = statement.upper(call.index).endswith("SIMILARITY")
            text = _similarity(statement, call, text) if is_similarity else text
            edits.append(statement.over(call, text))
    for index, token in enumerate(statement.tokens[:-1]):
        if token.text in ARROWS and statement.tokens[index + 1].kind != "number":
            left = TokenRange(statement.operand_before(index), index)
            right = TokenRange(index + 1, statement.operand_after(index))
            vectors = [statement.text(left), statement.text(right)]
            text = f"VECTOR_DISTANCE('{ARROWS[token.text]}', {', '.join(vectors)})"
            end = statement.tokens[right.last - 1].end
            edits.append(Edit(statement.start(left.first), end, text))
    return correct(edits, f"T-SQL compares vectors by {FORM}.")


def distance_arguments(statement: RefusedStatement) -> Correction | None:
    """The metric comes first, by one of its three names; without one it is the cosine.

    SELECT VECTOR_DISTANCE(Embedding, @q) AS d FROM Movie
    -> SELECT VECTOR_DISTANCE('cosine', Embedding, @q) AS d FROM Movie
    """
    edits = [_metric_first(statement, call) for call in statement.calls("VECTOR_DISTANCE")]
    reason = f"Its form is {FORM}; the metrics are {', '.join(METRICS)}."
    return correct(filter(None, edits), reason)


def _metric_first(statement: RefusedStatement, call: CalledFunction) -> Edit | None:
    texts = [statement.text(argument) for argument in call.arguments]
    metric_indexes = [index for index, text in enumerate(texts) if _metric(text) is not None]
    vectors = [text for index, text in enumerate(texts) if index not in metric_indexes]
    if len(vectors) != 2 or len(metric_indexes) > 1:
        return None
    name = texts[metric_indexes[0]] if metric_indexes else "'cosine'"
    if metric_indexes == [0] and name[0] in "'N" and name.strip("N'").lower() in METRICS:
        return None
    text = f"VECTOR_DISTANCE('{_metric(name)}', {', '.join(vectors)})"
    # Sorted with the highest first, a "similarity" is 1 minus the distance.
    if "similarity" in name.lower() and "DESC" in {token.upper for token in statement.tokens}:
        text = _similarity(statement, call, text)
    return statement.over(call, text)


def _similarity(statement: RefusedStatement, call: CalledFunction, distance: str) -> str:
    """Return 1 minus a distance, in parentheses next to an operator."""
    operators = {statement.upper(call.index - 1), statement.upper(call.last)} & set("+-*/%")
    return f"(1 - {distance})" if operators else f"1 - {distance}"


def _metric(text: str) -> str | None:
    """Return the metric that an argument names, quoted in any way or unquoted."""
    word = text.removeprefix("N").strip("'\"").lower().replace(" ", "_").replace("-", "_")
    return word if word in METRICS else _name_lookup(word, METRIC_NAMES)
