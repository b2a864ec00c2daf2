"""JSON: values as JSON text, and the functions that read, make and change it."""

from collections.abc import Sequence

from sqlglot import exp

from moviegraph.engines.translation.calls import (
    LONGEST_READ,
    TEXT,
    Call,
    Translation,
    bounded_text,
    is_number,
)
from moviegraph.engines.translation.nodes import (
    Node,
    call,
    cast,
    concatenated,
    text,
    unsupported,
    when,
)
from moviegraph.sql.scope import option_words
from moviegraph.sql.types import MONEY, sql_type

MAKERS = ("__JSON_QUERY", "__JSON_OBJECT", "__JSON_ARRAY", "__JSON_MODIFY")
WHOLE_SECOND = "%Y-%m-%dT%H:%M:%S"
FORMATTED = ("DATE", "TIME")


def holds_json(item: Node) -> bool:
    """Whether a judged expression is JSON by what makes it, so that it is not escaped again."""
    if isinstance(item, exp.Anonymous):
        return item.name in MAKERS
    inner = item.unnest() if isinstance(item, exp.Subquery | exp.Paren) else None
    if not isinstance(inner, exp.Select):
        return inner is not None and holds_json(inner)
    clause = inner.args.get("for_")
    # Without its brackets a document may be no JSON: SQL Server escapes it as text.
    return clause is not None and "WITHOUT_ARRAY_WRAPPER" not in option_words(clause)


def json_kind(given: Node) -> str:
    """Return the type of a judged value; money, which JSON shows as a text, is told apart."""
    kind = sql_type(given)
    return kind.name if kind.name in MONEY else kind.family


def json_text_of(node: Node, kind: str, *, nested: bool = False) -> Node:
    """Return a translated value as JSON text, and NULL for NULL."""
    if nested:
        return node
    if kind == TEXT:
        return call("__json_text", node)
    if kind == "BIT":
        return cast(cast(node, "BOOLEAN"), "VARCHAR")
    if is_number(kind):
        return cast(node, "VARCHAR")
    if kind == "DATETIME":
        return _moment(node)
    if kind in FORMATTED:
        return call("__json_text", cast(node, "VARCHAR"))
    if kind == "UNKNOWN":
        missing = exp.Is(this=node, expression=exp.Null())
        return when(missing, exp.Null(), cast(call("to_json", node.copy()), "VARCHAR"))
    raise unsupported(f"JSON of a value whose type is {kind}", "CAST it to the type you mean.")


def _moment(node: Node) -> Node:
    """Return a moment as FOR JSON writes it: with a T, and no fraction that is 0."""
    second = call("strftime", node, text(WHOLE_SECOND))
    fraction = call("rtrim", call("strftime", node.copy(), text(".%f")), text("0"))
    fraction = call("nullif", fraction, text("."))
    rest = call("coalesce", fraction, text(""))
    return call("__json_text", concatenated(second, rest))


def members(given: Call, first: int, step: int) -> list[Node]:
    """Return every `step`-th argument as JSON text; NULL is kept where the call says so."""
    found: list[Node] = []
    for at in range(first, len(given), step):
        node = json_text_of(
            bounded_text(given[at], given.given[at]) if given.type(at) == TEXT else given[at],
            json_kind(given.given[at]),
            nested=holds_json(given.given[at]),
        )
        found.append(node)
    default = "NULL" if given.name == "JSON_OBJECT" else "ABSENT"
    if (given.word or default) == "NULL":
        return [call("coalesce", node, text("null")) for node in found]
    return found


def joined(parts: Sequence[Node], opening: str, closing: str) -> Node:
    """Return texts between commas in brackets; a NULL is left out."""
    if not parts:
        return text(opening + closing)
    inner = call("concat_ws", text(","), *parts)
    return call("concat", text(opening), inner, text(closing))


def _array(given: Call) -> Node:
    return joined(members(given, 0, 1), "[", "]")


def _object(given: Call) -> Node:
    pairs: list[Node] = []
    values = members(given, 1, 2)
    for at, value in zip(range(0, len(given), 2), values, strict=True):
        key = concatenated(call("__json_text", given.text(at)), text(":"))
        pairs.append(concatenated(key, value))
    return joined(pairs, "{", "}")


def _isjson(given: Call) -> Node:
    return call("__json_is", given.text(0, LONGEST_READ), text(given.word or ""))


def _path(given: Call, at: int = 1) -> Node:
    return given.text(at) if len(given) > at else text("$")


def _reading(name: str) -> Translation:
    def translate(given: Call) -> Node:
        return call(name, given.text(0, LONGEST_READ), _path(given))

    return translate


def _modify(given: Call) -> Node:
    value = json_text_of(given[2], json_kind(given.given[2]), nested=holds_json(given.given[2]))
    return call("__json_modify", given.text(0), _path(given), value)


JSON: dict[str, Translation] = {
    "ISJSON": _isjson,
    "JSON_ARRAY": _array,
    "JSON_MODIFY": _modify,
    "JSON_OBJECT": _object,
    "JSON_PATH_EXISTS": _reading("__json_exists"),
    "JSON_QUERY": _reading("__json_query"),
    "JSON_VALUE": _reading("__json_value"),
}
