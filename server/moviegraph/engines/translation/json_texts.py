"""JSON: the functions that read it, and FOR JSON, which makes it of rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from moviegraph.engines.translation.calls import Call, Translation
from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    cast,
    column,
    number,
    text,
    unsupported,
    when,
)

NESTED = ("OBJECT", "ARRAY")
ROWS = "__rows"
PLACE = "__place"


def _isjson(given: Call) -> Node:
    """An object or an array; a single value is no JSON without a second argument."""
    framed = call("regexp_matches", given.text(0), text(r"^\s*[\[{]"))
    holds = exp.And(this=call("json_valid", given.text(0)), expression=framed)
    valid = when(holds, number(1), number(0))
    missing = exp.Is(this=given.text(0), expression=exp.Null())
    return when(missing, exp.Null(), valid)


def _path(given: Call) -> Node:
    if len(given) == 1:
        return text("$")
    path = given.literal(1)
    if path is None:
        raise unsupported("JSON path that is computed", "Write the path as a literal: '$.name'.")
    return text(path.removeprefix("lax ").removeprefix("strict ").strip())


def _is_nested(given: Call) -> Node:
    kind = call("json_type", given.text(0), _path(given))
    return exp.In(this=kind, expressions=[text(each) for each in NESTED])


def _json_value(given: Call) -> Node:
    found = call("json_extract_string", given.text(0), _path(given))
    return when(_is_nested(given), exp.Null(), found)


def _json_query(given: Call) -> Node:
    found = cast(call("json_extract", given.text(0), _path(given)), "VARCHAR")
    return when(_is_nested(given), found)


JSON: dict[str, Translation] = {
    "ISJSON": _isjson,
    "JSON_QUERY": _json_query,
    "JSON_VALUE": _json_value,
}


@dataclass(frozen=True, slots=True)
class JsonShape:
    """What a FOR JSON clause asks for; `nested` are the columns that hold JSON already."""

    names: tuple[str, ...]
    nested: frozenset[str]
    root: str | None
    keep_nulls: bool
    array: bool
    dotted: bool


def json_shape(select: exp.Select) -> JsonShape:
    """Read the FOR JSON clause of a judged SELECT."""
    clause = select.args["for_"]
    if str(clause.args.get("kind")).upper() != "JSON":
        raise unsupported("FOR XML", "Use FOR JSON PATH.")
    options = [option.this for option in clause.expressions]
    words = {_word(option) for option in options}
    automatic = "AUTO" in words
    if automatic and select.args.get("joins"):
        raise unsupported("FOR JSON AUTO over several tables", "Use FOR JSON PATH.")
    root = next((o.expression.name for o in options if isinstance(o, exp.XMLKeyValueOption)), None)
    return JsonShape(
        names=tuple(item.alias_or_name for item in select.expressions),
        nested=frozenset(i.alias_or_name for i in select.expressions if _holds_json(i.unalias())),
        root="root" if root is None and "ROOT" in words else root,
        keep_nulls="INCLUDE_NULL_VALUES" in words,
        array="WITHOUT_ARRAY_WRAPPER" not in words,
        dotted=not automatic,
    )


def _word(option: Node) -> str:
    return (option.this.name if isinstance(option, exp.XMLKeyValueOption) else option.name).upper()


def _holds_json(item: Node) -> bool:
    if isinstance(item, exp.Anonymous):
        return item.name == "__JSON_QUERY"
    inner = item.unnest() if isinstance(item, exp.Subquery | exp.Paren) else None
    return isinstance(inner, exp.Select) and bool(inner.args.get("for_"))


def json_select(rows: exp.Select, shape: JsonShape) -> exp.Select:
    """Return the SELECT of one row and column that holds the rows as JSON; NULL without rows."""
    alias = exp.TableAlias(this=exp.Identifier(this=ROWS, quoted=True))
    place = exp.Window(this=call("row_number"), over="OVER")
    numbered = exp.Select(
        expressions=[exp.Star(), exp.alias_(place, PLACE, quoted=True)],
        from_=exp.From(this=exp.Subquery(this=rows, alias=alias.copy())),
    )
    whole = when(
        binary(exp.GT, call("count", exp.Star()), number(0)), cast(_document(shape), "VARCHAR")
    )
    return exp.Select(
        expressions=[exp.alias_(whole, "JSON", quoted=True)],
        from_=exp.From(this=exp.Subquery(this=numbered, alias=alias)),
    )


def _document(shape: JsonShape) -> Node:
    order = [exp.Ordered(this=column(ROWS, PLACE), nulls_first=True)]
    row = _object(shape, shape.names, "")
    if not shape.array:
        listed = exp.Order(this=text(","), expressions=order)
        made: Node = call("string_agg", cast(row, "VARCHAR"), listed)
        return made
    made = call("to_json", call("list", exp.Order(this=row, expressions=order)))
    return call("json_object", text(shape.root), made) if shape.root is not None else made


def _object(shape: JsonShape, names: Sequence[str], prefix: str) -> Node:
    """Return one object; a name with dots nests. A merge with {} drops NULLs, as FOR JSON does."""
    members: dict[str, Node] = {}
    for name in names:
        if not name:
            raise unsupported("FOR JSON column without a name", "Give every column an alias.")
        head, dot, _ = name[len(prefix) :].partition(".")
        if head in members:
            continue
        if dot and shape.dotted:
            below = f"{prefix}{head}."
            inner = [each for each in names if each.startswith(below)]
            members[head] = _object(shape, inner, below)
        else:
            value = column(ROWS, name)
            plain = name[len(prefix) :]
            members[plain] = call("json", value) if name in shape.nested else value
    pairs = [part for name, value in members.items() for part in (text(name), value)]
    made = call("json_object", *pairs)
    return made if shape.keep_nulls else call("json_merge_patch", text("{}"), made)
