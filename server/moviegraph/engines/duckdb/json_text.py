"""JSON functions of T-SQL and FOR JSON, as JSON text."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    column,
    concat,
    is_null,
    number,
    table_alias,
    text,
    unsupported,
    when,
)
from moviegraph.engines.duckdb.function_call import (
    TEXT,
    FunctionCall,
    Translation,
    is_number,
)
from moviegraph.engines.duckdb.json_functions import json_text
from moviegraph.engines.duckdb.refusals import JSON_LEVELS
from moviegraph.sql.scope import json_level, option_words
from moviegraph.sql.types import type_family

WHOLE_SECOND = "%Y-%m-%dT%H:%M:%S"


def holds_json(item: Node) -> bool:
    """Return whether a validated expression makes JSON, so that it is not escaped again."""
    if isinstance(item, exp.Anonymous):
        return item.name == "__JSON_QUERY"
    inner = item.unnest() if isinstance(item, exp.Subquery | exp.Paren) else None
    if not isinstance(inner, exp.Select):
        return inner is not None and holds_json(inner)
    clause = inner.args.get("for_")
    # Without its brackets a document may be no JSON: SQL Server escapes it as text.
    return clause is not None and "WITHOUT_ARRAY_WRAPPER" not in option_words(clause)


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
    if kind == "DATE":
        return call("__json_text", cast(node, "VARCHAR"))
    if kind == "UNKNOWN":
        missing = is_null(node)
        return when(missing, exp.Null(), cast(call("to_json", node.copy()), "VARCHAR"))
    raise unsupported(f"JSON of a value whose type is {kind}", "CAST it to the type you mean.")


def _moment(node: Node) -> Node:
    """Return a timestamp as FOR JSON writes it: with a T, and no fraction that is 0."""
    second = call("strftime", node, text(WHOLE_SECOND))
    fraction = call("rtrim", call("strftime", node.copy(), text(".%f")), text("0"))
    fraction = call("nullif", fraction, text("."))
    fraction_text = call("coalesce", fraction, text(""))
    return call("__json_text", concat(second, fraction_text))


def json_list(parts: Sequence[Node], opening: str, closing: str) -> Node:
    """Return texts between commas in brackets; a NULL is omitted."""
    if not parts:
        return text(opening + closing)
    inner = call("concat_ws", text(","), *parts)
    return call("concat", text(opening), inner, text(closing))


def _reading(name: str) -> Translation:
    def translate(args: FunctionCall) -> Node:
        return call(name, args.text(0), args.text(1) if len(args) > 1 else text("$"))

    return translate


JSON_FUNCTIONS: dict[str, Translation] = {
    "ISJSON": lambda args: call("__json_is", args.text(0)),
    "JSON_QUERY": _reading("__json_query"),
    "JSON_VALUE": _reading("__json_value"),
}


ROWS = "__rows"
PLACE = "__place"


@dataclass(frozen=True, slots=True)
class Property:
    """One column of the rows.

    Attributes:
        place: The column's name among the rows, where two may share a name.
        name: The property's name.
        kind: Its T-SQL type.
        nested: Whether it is JSON already.
        source: The alias of the table it is of; empty for a computed one.
    """

    place: str
    name: str
    kind: str
    nested: bool
    source: str


@dataclass(frozen=True, slots=True)
class JsonShape:
    """The options of a FOR JSON clause, and the columns it writes."""

    properties: tuple[Property, ...]
    words: frozenset[str]
    root: str | None

    @property
    def keep_nulls(self) -> bool:
        """Return whether NULL is written as null, rather than omitted."""
        return "INCLUDE_NULL_VALUES" in self.words


def json_shape(select: exp.Select) -> JsonShape:
    """Read the FOR JSON clause of a validated SELECT."""
    clause = select.args["for_"]
    options = [option.this for option in clause.expressions]
    words = option_words(clause)
    key_values = [o for o in options if isinstance(o, exp.XMLKeyValueOption) and o.expression]
    root = key_values[0].expression.name if key_values else None
    return JsonShape(
        properties=tuple(_property(*item) for item in enumerate(select.expressions)),
        words=words,
        root="root" if root is None and "ROOT" in words else root,
    )


def _property(at: int, item: Node) -> Property:
    nested = holds_json(item.unalias())
    return Property(f"c{at}", item.alias_or_name, type_family(item), nested, json_level(item))


def json_select(rows: exp.Select, shape: JsonShape) -> exp.Select:
    """Return the SELECT of one row and column with the rows as JSON; NULL without rows."""
    rows_alias = table_alias(ROWS, *(prop.place for prop in shape.properties))
    row_number = exp.Window(this=call("row_number"), over="OVER")
    numbered = exp.Select(
        expressions=[exp.Star(), exp.alias_(row_number, PLACE, quoted=True)],
        from_=exp.From(this=exp.Subquery(this=rows, alias=rows_alias)),
    )
    some = binary(exp.GT, call("count", exp.Star()), number(0))
    return exp.Select(
        expressions=[exp.alias_(when(some, _document(shape)), "JSON", quoted=True)],
        from_=exp.From(this=exp.Subquery(this=numbered, alias=table_alias(ROWS))),
    )


def _document(shape: JsonShape) -> Node:
    order = [exp.Ordered(this=column(ROWS, PLACE), nulls_first=True)]
    if "AUTO" in shape.words and len({prop.source for prop in shape.properties} - {""}) > 1:
        raise JSON_LEVELS.error()
    row = json_list(_pairs(shape, shape.properties, ""), "{", "}")
    objects = call("string_agg", row, exp.Order(this=text(","), expressions=order))
    if "WITHOUT_ARRAY_WRAPPER" in shape.words:
        return objects
    opening, closing = "[", "]"
    if shape.root is not None:
        opening, closing = f"{{{json_text(shape.root)}:[", "]}"
    return call("concat", text(opening), objects, text(closing))


def _pairs(shape: JsonShape, properties: Sequence[Property], prefix: str) -> list[Node]:
    """Return `"name":value` of each column, NULL where it is omitted; a name with dots nests."""
    groups: dict[str, list[Property]] = {}
    last = ""
    for prop in properties:
        head, dot, _ = prop.name[len(prefix) :].partition(".")
        key = head if dot and "AUTO" not in shape.words else prop.name[len(prefix) :]
        if key in groups and (key != last or prop.name[len(prefix) :] == key):
            raise unsupported(f"FOR JSON with {prop.name!r} apart from what it belongs to")
        groups.setdefault(key, []).append(prop)
        last = key
    return [_pair(shape, key, group, prefix) for key, group in groups.items()]


def _pair(shape: JsonShape, key: str, group: list[Property], prefix: str) -> Node:
    opening = f"{json_text(key)}:"
    if len(group) == 1 and group[0].name == prefix + key:
        return concat(text(opening), _value(shape, group[0]))
    if any(item.name == prefix + key for item in group):
        raise unsupported(f"FOR JSON with {prefix + key!r} as a value and as an object")
    pairs = _pairs(shape, group, f"{prefix}{key}.")
    inner = call("nullif", call("concat_ws", text(","), *pairs), text(""))
    return concat(concat(text(opening + "{"), inner), text("}"))


def _value(shape: JsonShape, prop: Property) -> Node:
    value = json_text_of(column(ROWS, prop.place), prop.kind, nested=prop.nested)
    return call("coalesce", value, text("null")) if shape.keep_nulls else value
