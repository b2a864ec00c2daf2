"""JSON paths of SQL Server: `lax $.a."b c"[0][*]`, walked over the text, which stays as it is."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

PATH = re.compile(r"\s*(append\s+)?(?:(lax|strict)\s+)?\$(.*)", re.DOTALL)
STEP = re.compile(r'\.(?:"((?:[^"\\]|\\.)*)"|([A-Za-z_][A-Za-z0-9_]*))|\[(\d{1,9}|\*)\]')
ELEMENTS = re.compile(r"\[\s*(?:\d+|last|\*)(?:(?:\s*,\s*|\s+to\s+)(?:\d+|last))*\s*\]")
BLANK = re.compile(r"[ \t\n\r]*")
KINDS = {"{": "object", "[": "array", '"': "string", "t": "bool", "f": "bool", "n": "null"}
NOT_JSON = "moviegraph:json_text"
NO_PATH = "moviegraph:json_path"
MANY = "moviegraph:json_elements"
NULL_PATH = "moviegraph:json_null"
NOT_FOUND = "moviegraph:json_strict"


class JsonError(ValueError):
    """A text is no JSON, a path is none, or what it names does not exist in strict mode."""


def _no_constant(_: str) -> None:
    raise JsonError(NOT_JSON)


DECODER = json.JSONDecoder(parse_constant=_no_constant)


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path: names and positions from the root on; None is every element of an array."""

    steps: tuple[str | int | None, ...]
    strict: bool
    append: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Where a value stands in a text, and of what kind it is."""

    text: str
    start: int
    end: int

    @property
    def kind(self) -> str:
        """One of object, array, string, number, bool, null."""
        return KINDS.get(self.text[self.start], "number")

    @property
    def raw(self) -> str:
        """The value as it is written."""
        return self.text[self.start : self.end]

    @property
    def nested(self) -> bool:
        """Whether it is an object or an array."""
        return self.kind in ("object", "array")


@lru_cache(maxsize=256)
def read_path(path: str | None) -> JsonPath:
    """Read a path. Raises JsonError."""
    if path is None:
        raise JsonError(NULL_PATH)
    found = PATH.fullmatch(path)
    if found is None:
        raise JsonError(NO_PATH)
    steps: list[str | int | None] = []
    rest, at = found[3].rstrip(), 0
    while at < len(rest):
        step = STEP.match(rest, at)
        if step is None:
            raise JsonError(MANY if ELEMENTS.match(rest, at) else NO_PATH)
        steps.append(_step(*step.groups()))
        at = step.end()
    return JsonPath(tuple(steps), found[2] == "strict", bool(found[1]))


def single_path(path: str | None) -> JsonPath:
    """Read a path that leads to one value. Raises JsonError."""
    read = changing_path(path)
    if read.append:
        raise JsonError(NO_PATH)
    return read


def changing_path(path: str | None) -> JsonPath:
    """Read a path to one value, or to an array to append to. Raises JsonError."""
    read = read_path(path)
    if None in read.steps:
        raise JsonError(MANY)
    return read


def _step(quoted: str | None, plain: str | None, place: str | None) -> str | int | None:
    if place:
        return None if place == "*" else int(place)
    return plain or _quoted(quoted or "")


def _quoted(key: str) -> str:
    try:
        return json.loads(f'"{key}"', strict=False)
    except ValueError as error:
        raise JsonError(NO_PATH) from error


def root(text: str, *, scalar: bool = False) -> Found:
    """Return where the value of a text begins; its end is not known yet.

    Raises:
        JsonError: It is no JSON, or only a single value where that is not asked for.
    """
    start = _skip(text, 0)
    if start == len(text) or not (scalar or text[start] in "{["):
        raise JsonError(NOT_JSON)
    return Found(text, start, len(text))


def check_whole(text: str, *, scalar: bool = False) -> Found:
    """Return the value of a text that is JSON from end to end. Raises JsonError."""
    begun = root(text, scalar=scalar)
    end = _end(text, begun.start)
    if _skip(text, end) != len(text):
        raise JsonError(NOT_JSON)
    return Found(text, begun.start, end)


def _skip(text: str, at: int) -> int:
    found = BLANK.match(text, at)
    return found.end() if found else at


def _end(text: str, at: int) -> int:
    try:
        return DECODER.raw_decode(text, at)[1]
    except (ValueError, RecursionError) as error:
        raise JsonError(NOT_JSON) from error


def children(parent: Found) -> Iterator[tuple[str | int, int, Found]]:
    """Yield key or position, where the member begins, and the value, in order."""
    text, at, place = parent.text, _skip(parent.text, parent.start + 1), 0
    closing, keyed = ("}", True) if parent.kind == "object" else ("]", False)
    while at < len(text) and not (text[at] == closing and place == 0):
        begun, key = at, place
        if keyed:
            key, at = _key(text, at)
        end = _end(text, at)
        yield key, begun, Found(text, at, end)
        at, place = _skip(text, end), place + 1
        if at >= len(text) or text[at] not in ("," + closing):
            raise JsonError(NOT_JSON)
        if text[at] == closing:
            return
        at = _skip(text, at + 1)


def _key(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] != '"':
        raise JsonError(NOT_JSON)
    end = _end(text, at)
    colon = _skip(text, end)
    if text[colon : colon + 1] != ":":
        raise JsonError(NOT_JSON)
    return json.loads(text[at:end]), _skip(text, colon + 1)


def child(parent: Found, step: str | int | None) -> Found | None:
    """Return the first member of a key or position."""
    return next(_members(parent, step), None)


def _members(parent: Found, step: str | int | None) -> Iterator[Found]:
    if parent.kind == ("object" if isinstance(step, str) else "array"):
        for key, _, value in children(parent):
            if step is None or key == step:
                yield value
                if step is not None:
                    return


def leads(text: str, path: JsonPath) -> bool:
    """Whether a path leads to any value. Raises JsonError."""
    here = [root(text)]
    for step in path.steps:
        here = [value for parent in here for value in _members(parent, step)]
    if not here or not path.steps:
        check_whole(text)
    return bool(here)


def walk(text: str, path: JsonPath, *, scalar: bool = False) -> Found | None:
    """Return the value that a path leads to; None if there is none and the text is JSON."""
    here: Found | None = root(text, scalar=scalar)
    for step in path.steps:
        here = child(here, step) if here is not None else None
    if here is None or not path.steps:
        whole = check_whole(text, scalar=scalar)
        return whole if not path.steps else None
    return here
