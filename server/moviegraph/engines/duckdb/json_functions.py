"""Python functions that DuckDB calls for JSON: paths, values, changes and rows."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from inspect import signature
from typing import Any

PATH = re.compile(r"\s*(?:lax\s+)?\$(.*)", re.DOTALL)
STRICT = re.compile(r"\s*strict\s")
STEP = re.compile(r'\.(?:"((?:[^"\\]|\\.)*)"|([A-Za-z_][A-Za-z0-9_]*))|\[(\d{1,9})\]')
ELEMENTS = re.compile(r"\[\s*(?:\d+|last|\*)(?:(?:\s*,\s*|\s+to\s+)(?:\d+|last))*\s*\]")
BLANK = re.compile(r"[ \t\n\r]*")
KINDS_BY_FIRST = {"{": "object", "[": "array", '"': "string", "t": "bool", "f": "bool", "n": "null"}
NOT_JSON = "moviegraph:json_text"
NO_PATH = "moviegraph:json_path"
MANY = "moviegraph:json_elements"
NULL_PATH = "moviegraph:json_null"
STRICT_PATH = "moviegraph:json_strict"


class JsonError(ValueError):
    """A text is no JSON, or a path is none."""


def _no_constant(_: str) -> None:
    raise JsonError(NOT_JSON)


DECODER = json.JSONDecoder(parse_constant=_no_constant)


JsonPath = tuple[str | int, ...]  # names and positions from the root on


@dataclass(frozen=True, slots=True)
class JsonMatch:
    """The position of a value in a text, and its kind."""

    text: str
    start: int
    end: int

    @property
    def kind(self) -> str:
        """One of object, array, string, number, bool, null."""
        return KINDS_BY_FIRST.get(self.text[self.start], "number")

    @property
    def raw(self) -> str:
        """The value as it is written."""
        return self.text[self.start : self.end]

    @property
    def nested(self) -> bool:
        """Return whether it is an object or an array."""
        return self.kind in ("object", "array")


@lru_cache(maxsize=256)
def read_path(path: str | None) -> JsonPath:
    """Read a path. Raises JsonError."""
    if path is None:
        raise JsonError(NULL_PATH)
    if STRICT.match(path):
        raise JsonError(STRICT_PATH)
    match = PATH.fullmatch(path)
    if match is None:
        raise JsonError(NO_PATH)
    steps: list[str | int] = []
    remaining, at = match[1].rstrip(), 0
    while at < len(remaining):
        step = STEP.match(remaining, at)
        if step is None:
            raise JsonError(MANY if ELEMENTS.match(remaining, at) else NO_PATH)
        steps.append(_step(*step.groups()))
        at = step.end()
    return tuple(steps)


def _step(quoted: str | None, plain: str | None, index: str | None) -> str | int:
    if index:
        return int(index)
    return plain or _quoted(quoted or "")


def _quoted(key: str) -> str:
    try:
        return json.loads(f'"{key}"', strict=False)
    except ValueError as error:
        raise JsonError(NO_PATH) from error


def whole_value(text: str, *, scalar: bool = False) -> JsonMatch:
    """Return the value of a text that is JSON from end to end.

    Raises:
        JsonError: It is no JSON, or only a single value where none is allowed.
    """
    start = _skip(text, 0)
    if start == len(text) or not (scalar or text[start] in "{["):
        raise JsonError(NOT_JSON)
    end = _end(text, start)
    if _skip(text, end) != len(text):
        raise JsonError(NOT_JSON)
    return JsonMatch(text, start, end)


def _skip(text: str, at: int) -> int:
    spaces = BLANK.match(text, at)
    return spaces.end() if spaces else at


def _end(text: str, at: int) -> int:
    try:
        return DECODER.raw_decode(text, at)[1]
    except (ValueError, RecursionError) as error:
        raise JsonError(NOT_JSON) from error


def json_members(parent: JsonMatch) -> Iterator[tuple[str | int, JsonMatch]]:
    """Yield key or position, and the value, in order; the text is known to be JSON."""
    text, index = parent.text, 0
    start = _skip(text, parent.start + 1)
    while text[start] not in "}]":
        key: str | int = index
        if parent.kind == "object":
            end = _end(text, start)
            key = json.loads(text[start:end])
            start = _skip(text, _skip(text, end) + 1)  # after the colon
        end = _end(text, start)
        yield key, JsonMatch(text, start, end)
        start, index = _skip(text, end), index + 1
        if text[start] == ",":
            start = _skip(text, start + 1)


def child(parent: JsonMatch, step: str | int) -> JsonMatch | None:
    """Return the first member of a key or position."""
    if parent.kind != ("object" if isinstance(step, str) else "array"):
        return None
    return next((value for key, value in json_members(parent) if key == step), None)


def walk(text: str, path: JsonPath, *, scalar: bool = False) -> JsonMatch | None:
    """Return the value that a path leads to; None if there is none and the text is JSON."""
    value: JsonMatch | None = whole_value(text, scalar=scalar)
    for step in path:
        value = child(value, step) if value is not None else None
    return value


PREFIX = "__json_"
MAX_VALUE_CHARS = 4_000
HALF = re.compile("[\ud800-\udfff]")
TYPE_NUMBERS = {"null": 0, "string": 1, "number": 2, "bool": 3, "array": 4, "object": 5}


def json_text(value: str) -> str:
    """Return a text as a JSON string, escaped as FOR JSON does: a slash, too."""
    return json.dumps(value, ensure_ascii=False).replace("/", "\\/")


def is_json(text: str) -> int:
    """Return 1 for an object or array of JSON (ISJSON)."""
    try:
        return int(whole_value(text).nested)
    except JsonError:
        return 0


def json_value(text: str, path: str) -> str | None:
    """Return the single value at a path (JSON_VALUE)."""
    value = _column(text, path, scalar=False)
    return value if value is not None and len(value) <= MAX_VALUE_CHARS else None


def json_column(item: str, path: str, longest: int) -> str | None:
    """Return the single value of a column of OPENJSON, from the JSON of a row."""
    value = _column(item, path, scalar=True)
    if value is not None and 0 <= longest < len(value):
        raise JsonError("moviegraph:json_length")
    return value


def _column(text: str, path: str, *, scalar: bool) -> str | None:
    value = walk(text, read_path(path), scalar=scalar)
    return None if value is None or value.nested else _plain(value)


def _plain(value: JsonMatch) -> str | None:
    if value.kind == "null":
        return None
    return _whole(json.loads(value.raw)) if value.kind == "string" else value.raw


def _whole(value: str) -> str:
    """Return a text, unless it contains half a character, which only UTF-16 can represent."""
    if HALF.search(value):
        raise JsonError("moviegraph:json_half")
    return value


def json_query(text: str, path: str) -> str | None:
    """Return the object or array at a path, as it is written (JSON_QUERY)."""
    return _fragment(text, path, scalar=False)


def json_part(item: str, path: str) -> str | None:
    """Return a column AS JSON of OPENJSON, from the JSON of a row."""
    return _fragment(item, path, scalar=True)


def _fragment(text: str, path: str, *, scalar: bool) -> str | None:
    steps = read_path(path)
    if not steps and not scalar:
        return text if whole_value(text).nested else None
    value = walk(text, steps, scalar=scalar)
    return value.raw if value is not None and value.nested else None


def _target(text: str, path: str) -> JsonMatch | None:
    """Return the object or array that OPENJSON unfolds."""
    value = walk(text, read_path(path))
    return value if value is not None and value.nested else None


def json_entries(text: str, path: str) -> list[dict[str, Any]]:
    """Return key, value and type of each member (OPENJSON without WITH)."""
    target = _target(text, path)
    return [
        {
            "key": _whole(str(key)),
            "value": value.raw if value.nested else _plain(value),
            "type": TYPE_NUMBERS[value.kind],
        }
        for key, value in (json_members(target) if target is not None else ())
    ]


def json_items(text: str, path: str) -> list[str]:
    """Return the JSON of each row of OPENJSON with WITH: the elements, or the one object."""
    target = _target(text, path)
    if target is None:
        return []
    if target.kind == "object":
        return [target.raw]
    return [value.raw for _, value in json_members(target)]


def with_null(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that answers None where its first argument is None."""

    def called(*arguments: Any) -> Any:
        return None if arguments[0] is None else function(*arguments)

    vars(called)["__signature__"] = signature(function)  # DuckDB counts the parameters
    return called


ENTRIES = 'STRUCT("key" VARCHAR, "value" VARCHAR, "type" INTEGER)[]'
FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[str, ...], str]] = {
    "text": (json_text, ("VARCHAR",), "VARCHAR"),
    "is": (is_json, ("VARCHAR",), "INTEGER"),
    "value": (json_value, ("VARCHAR", "VARCHAR"), "VARCHAR"),
    "column": (json_column, ("VARCHAR", "VARCHAR", "INTEGER"), "VARCHAR"),
    "query": (json_query, ("VARCHAR", "VARCHAR"), "VARCHAR"),
    "part": (json_part, ("VARCHAR", "VARCHAR"), "VARCHAR"),
    "entries": (json_entries, ("VARCHAR", "VARCHAR"), ENTRIES),
    "items": (json_items, ("VARCHAR", "VARCHAR"), "VARCHAR[]"),
}
