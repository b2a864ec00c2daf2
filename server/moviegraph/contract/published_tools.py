"""Tools of a contract: a file of `examples/` whose header publishes its statement as a tool."""

import json
import re
from datetime import date
from itertools import takewhile
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from moviegraph.errors import ContractError

HEADER = re.compile(r"--\s*tool\s*:", re.IGNORECASE)
LINE = re.compile(r"--\s*(tool|describe)\s*:\s*(.+?)\s*")
PARAMETER = re.compile(
    r"--\s*param\s+(?P<name>\S+?)\s*:\s*(?P<type>name\s+of\s+\w+|\w+)"
    r"(?:\s*(?P<sign>\?=|=)\s*(?P<value>\"(?:[^\"\\]|\\.)*\"|[^\s:]+))?\s*:\s*(?P<meaning>.+?)\s*"
)
NAME = re.compile(r"[a-z_]{1,40}")
TYPES = ("int", "float", "date", "text")
FORM = (
    "expected `-- describe: TEXT` or `-- param NAME: TYPE = SAMPLE: meaning`, or ?= DEFAULT, not "
)
QUERY = "query"
MAX_TEXT_CHARS = 200
LARGEST_INT = 2**31 - 1


class ToolParameter(BaseModel):
    """A parameter, from a line of a file; `kind` is the node table whose node a `name` means.

    `value` is a sample for descriptions and tests, or the default of an optional one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    type: Literal["name", "int", "float", "date", "text"]
    kind: str | None
    value: int | float | str | None
    is_optional: bool
    meaning: str
    line: int


class PublishedTool(BaseModel):
    """A guarded statement as a tool; `line` is where the statement starts in its file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    parameters: tuple[ToolParameter, ...]
    sql: str
    file: str
    line: int

    @property
    def bound(self) -> tuple[ToolParameter, ...]:
        """The parameters whose values are bound: all but the text behind @q."""
        return tuple(each for each in self.parameters if each.name != QUERY)


def is_tool(text: str) -> bool:
    """Return whether the text of an example publishes a tool."""
    return HEADER.match(text.lstrip()) is not None


def published_tool(file: str, text: str) -> PublishedTool:
    """Return the tool in a file. Raises ContractError with file and line."""
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if line.strip())
    header = list(takewhile(lambda line: line.startswith("--"), lines[first:]))
    values: dict[str, str] = {}
    parameters: dict[str, ToolParameter] = {}
    for number, line in enumerate(header, start=first + 1):
        where = f"{file}, line {number}"
        if match := LINE.fullmatch(line):
            if match[1] in values:
                raise ContractError(f"{where}: {match[1]}: duplicate key")
            values[match[1]] = match[2]
            continue
        parameter = _parameter(where, number, line)
        if parameter.name in parameters:
            raise ContractError(f"{where}: {parameter.name}: duplicate parameter")
        parameters[parameter.name] = parameter
    where = f"{file}, line {first + 1}"
    if not NAME.fullmatch(values["tool"]):
        raise ContractError(
            f"{where}: a tool's name has 1 to 40 letters a to z and underscores, not "
            f"{values['tool'][:80]!r}"
        )
    if "describe" not in values:
        raise ContractError(f"{where}: `-- describe: ...` is missing after it")
    sql = "\n".join(lines[first + len(header) :])
    if not sql.strip():
        raise ContractError(
            f"{file}, line {first + len(header)}: no statement after the comment lines"
        )
    return PublishedTool(
        name=values["tool"],
        description=values["describe"],
        parameters=tuple(parameters.values()),
        sql=sql,
        file=file,
        line=first + len(header) + 1,
    )


def _parameter(where: str, number: int, line: str) -> ToolParameter:
    match = PARAMETER.fullmatch(line)
    if match is None:
        raise ContractError(f"{where}: {FORM}{line[:80]!r}")
    name, words = match["name"], match["type"].split()
    if not NAME.fullmatch(name) or name.startswith(("_", "model_")):
        raise ContractError(
            f"{where}: {name!r} is not the name of a parameter, 1 to 40 letters a to z and "
            "underscores"
        )
    kind = words[2] if len(words) > 1 else None
    if kind is None and words[0] not in TYPES:
        types = ", ".join(TYPES)
        raise ContractError(
            f"{where}: the type of {name} is `name of KIND`, {types}, not {words[0]!r}"
        )
    if name == QUERY and words[0] != "text":
        raise ContractError(f"{where}: {QUERY} is text: the one behind @q")
    value = _value(match["value"]) if match["sign"] else None
    if match["sign"] and not _fits(value, words[0]):
        raise ContractError(f"{where}: {match['value']} is not a value of the type of {name}")
    return ToolParameter(
        name=name,
        type="name" if kind else words[0],  # pyright: ignore[reportArgumentType]
        kind=kind,
        value=value,
        is_optional=match["sign"] == "?=",
        meaning=match["meaning"],
        line=number,
    )


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _fits(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return False
    if kind in ("int", "float"):
        return isinstance(value, int if kind == "int" else int | float) and (
            kind == "float" or abs(value) <= LARGEST_INT
        )
    if kind == "date":
        try:
            return date.fromisoformat(value).isoformat() == value
        except (TypeError, ValueError):
            return False
    if kind == "text":
        return isinstance(value, str) and 0 < len(value) <= MAX_TEXT_CHARS
    return isinstance(value, int | str)
