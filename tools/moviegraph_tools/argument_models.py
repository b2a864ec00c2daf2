"""What tool arguments are made of: models that refuse unknown names, and marks with bounds.

A mark knows what pydantic cannot: the contract's names and the operator's caps.
"""

import json
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from moviegraph.contract.model import Contract, nearest
from moviegraph.errors import ArgumentError

LONGEST_TEXT = 2_000
LONGEST_SQL = 100_000
MAX_REFERENCES = 100
SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ArgumentScope:
    """What arguments are checked against: the contract and the operator's row caps."""

    contract: Contract
    top: int
    top_expanded: int


class Constraint(ABC):
    """A bound of one argument, shown in the schema and checked in every call."""

    def schema(self, scope: ArgumentScope) -> dict[str, Any]:
        """Return the members it adds to the argument's JSON schema."""
        return {}

    @abstractmethod
    def settle(self, name: str, value: Any, scope: ArgumentScope) -> Any:
        """Return the value to use. Raises ArgumentError."""


@dataclass(frozen=True, slots=True)
class Text(Constraint):
    """Text that is not too long, writable as UTF-8 without NUL, and not blank unless told so."""

    longest: int = LONGEST_TEXT
    blank: bool = False

    def settle(self, name: str, value: Any, scope: ArgumentScope) -> Any:
        """Check one text, or each text of a list (numbers are ids, and pass)."""
        if isinstance(value, tuple):
            items = cast("tuple[Any, ...]", value)
            return tuple(self.settle(name, item, scope) for item in items)
        if isinstance(value, str):
            self._check(name, value)
        return value

    def _check(self, name: str, text: str) -> None:
        if not self.blank and not text.strip():
            hint = "Provide text; only optional arguments can be omitted."
            raise ArgumentError(f"{name} is empty.", hint=hint)
        if len(text) > self.longest:
            raise ArgumentError(
                f"{name} has {len(text):,} characters; the maximum is {self.longest:,}.",
                hint="Shorten it.",
            )
        if "\0" in text or (not text.isascii() and SURROGATE.search(text)):
            raise ArgumentError(
                f"{name} contains a character that is not valid in text (NUL or a lone surrogate).",
                hint="Remove that character.",
            )


@dataclass(frozen=True, slots=True)
class NodeKind(Constraint):
    """Name of a node table; the contract's first one where a default is wanted."""

    default: bool = False

    def schema(self, scope: ArgumentScope) -> dict[str, Any]:
        """Return the names, and the default."""
        names = [node.name for node in scope.contract.nodes]
        return {"enum": names} | ({"default": names[0]} if self.default else {})

    def settle(self, name: str, value: Any, scope: ArgumentScope) -> Any:
        """Return the contract's spelling of a name."""
        if value is None:
            return scope.contract.nodes[0].name if self.default else None
        node = scope.contract.node(value)
        if node is None:
            raise _unknown(name, value, tuple(each.name for each in scope.contract.nodes))
        return node.name


@dataclass(frozen=True, slots=True)
class EdgePath(Constraint):
    """Names of edge tables, one a hop."""

    def schema(self, scope: ArgumentScope) -> dict[str, Any]:
        """Return the names, for the items."""
        return {"items": {"enum": [edge.name for edge in scope.contract.edges], "type": "string"}}

    def settle(self, name: str, value: Any, scope: ArgumentScope) -> Any:
        """Return the contract's spelling of each name."""
        if value is None:
            return None
        return tuple(self._edge(name, each, scope) for each in value)

    def _edge(self, name: str, value: str, scope: ArgumentScope) -> str:
        edge = scope.contract.edge(value)
        if edge is None:
            raise _unknown(name, value, tuple(each.name for each in scope.contract.edges))
        return edge.name


@dataclass(frozen=True, slots=True)
class Top(Constraint):
    """Number of rows, from 1 to the operator's cap; left out, retrieval chooses."""

    expanded: bool = False

    def schema(self, scope: ArgumentScope) -> dict[str, Any]:
        """Return the bounds."""
        return {"minimum": 1, "maximum": self._cap(scope)}

    def settle(self, name: str, value: Any, scope: ArgumentScope) -> Any:
        """Return a number within the bounds; expanding takes the most unless told otherwise."""
        cap = self._cap(scope)
        if value is None:
            return cap if self.expanded else None
        if not 1 <= value <= cap:
            raise ArgumentError(
                f"{name} is {value}; it must be from 1 to {cap}, the server's row limit.",
                hint=f"Use {name}={cap}, or narrow the search.",
            )
        return value

    def _cap(self, scope: ArgumentScope) -> int:
        return scope.top_expanded if self.expanded else scope.top


def _unknown(name: str, value: str, known: tuple[str, ...]) -> ArgumentError:
    return ArgumentError(
        f"{name} {value!r} is not in the graph. Use one of {', '.join(known)}.",
        suggestions=nearest(value, known),
    )


def _items(value: Any) -> Any:
    """Read a list that a client sent as JSON in a string, as some hosts do."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _listed(value: Any) -> Any:
    """Accept a single id or name where a list is expected."""
    value = _items(value)
    return [value] if isinstance(value, int | str) and not isinstance(value, bool) else value


def _no_truth(value: Any) -> Any:
    """Refuse true and false where a number is meant: Python counts them as 1 and 0."""
    if isinstance(value, bool):
        raise PydanticCustomError("int_type", "Input should be a number")
    return value


class Arguments(BaseModel):
    """Arguments of a tool, or of an item in one; unknown names are refused.

    An optional argument that is null counts as left out: some hosts send every one of them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        members = cast("dict[str, Any]", values)
        if None not in members.values():
            return members
        fields = cls.model_fields
        return {
            name: value
            for name, value in members.items()
            if value is not None or name not in fields or fields[name].is_required()
        }

    def settled(self, scope: ArgumentScope, prefix: str = "") -> Self:
        """Return the arguments with defaults filled in and every mark checked."""
        update: dict[str, Any] = {}
        for name, marks in _marks(type(self)):
            given = getattr(self, name)
            value = _nested(given, scope, prefix + name)
            for mark in marks:
                value = mark.settle(prefix + name, value, scope)
            if value is not given:
                update[name] = value
        return self.model_copy(update=update) if update else self


@cache
def _marks(model: type[Arguments]) -> tuple[tuple[str, tuple[Constraint, ...]], ...]:
    """Return the marks of each argument."""
    return tuple(
        (name, tuple(mark for mark in field.metadata if isinstance(mark, Constraint)))
        for name, field in model.model_fields.items()
    )


def _nested(value: Any, scope: ArgumentScope, name: str) -> Any:
    if not isinstance(value, tuple):
        return value
    items = cast("tuple[Any, ...]", value)
    return tuple(
        item.settled(scope, f"{name}.{at}.") if isinstance(item, Arguments) else item
        for at, item in enumerate(items)
    )


Kind = Annotated[str | None, NodeKind(default=True)]
KindOrNone = Annotated[str | None, NodeKind()]
Detail = Literal["concise", "full"]
Words = Annotated[str, Text()]
WordsOrNone = Annotated[str | None, Text()]
Sql = Annotated[str, Text(LONGEST_SQL)]
NoTruth = BeforeValidator(_no_truth)
Number = Annotated[int, NoTruth]
Limit = Annotated[Number | None, Top()]
Items = BeforeValidator(_items)
Item = Annotated[int, Field(strict=True)] | str
References = Annotated[
    tuple[Item, ...], BeforeValidator(_listed), Field(max_length=MAX_REFERENCES), Text()
]
Nodes = Annotated[
    tuple[Item, ...] | None,
    BeforeValidator(_listed),
    Field(min_length=1, max_length=MAX_REFERENCES),
    Text(),
]
Path = Annotated[
    tuple[str, ...] | None, BeforeValidator(_listed), Field(min_length=1, max_length=6), EdgePath()
]
