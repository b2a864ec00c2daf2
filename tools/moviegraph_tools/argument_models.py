"""Models of tool arguments: unknown names are refused, and bounds come from contract and operator.

Pydantic checks everything; the scope of the check is its validation context.
"""

import json
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Never, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    ValidationInfo,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from moviegraph.contract.model import Contract, closest_names

MAX_TEXT_CHARS = 2_000
MAX_SQL_CHARS = 100_000
MAX_NAME_CHARS = 400
MAX_REFERENCES = 100
MAX_HOPS = 4
MAX_ID = 2**31 - 1
SURROGATE = re.compile(r"[\ud800-\udfff]")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
PROBLEM = "argument"
"""The type of errors that are raised here; their context has the hint and the suggestions."""


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
    def check(self, value: Any, scope: ArgumentScope) -> Any:
        """Return the value to use. Raises PydanticCustomError."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Check after pydantic, within the scope."""

        def check(value: Any, info: ValidationInfo) -> Any:
            return self.check(value, cast("ArgumentScope", info.context))

        return core_schema.with_info_after_validator_function(check, handler(source))


def _fail(problem: str, hint: str | None = None, suggestions: tuple[str, ...] = ()) -> Never:
    context = {"problem": problem, "hint": hint, "suggestions": suggestions}
    raise PydanticCustomError(PROBLEM, "{problem}", context)


def _check_text(text: str, max_chars: int, *, may_be_blank: bool = False) -> None:
    if not may_be_blank and not text.strip():
        _fail("is empty", "Provide text; only optional arguments can be omitted.")
    if len(text) > max_chars:
        _fail(f"has {len(text):,} characters; the maximum is {max_chars:,}", "Shorten it.")
    if "\0" in text or (not text.isascii() and SURROGATE.search(text)):
        _fail(
            "contains a character that is not valid in text (NUL or a lone surrogate)",
            "Remove that character.",
        )


@dataclass(frozen=True, slots=True)
class Text(Constraint):
    """Text that is not too long and writable as UTF-8 without NUL."""

    max_chars: int = MAX_TEXT_CHARS
    may_be_blank: bool = False

    def check(self, value: str | None, scope: ArgumentScope) -> str | None:
        """Return the text."""
        if value is not None:
            _check_text(value, self.max_chars, may_be_blank=self.may_be_blank)
        return value


@dataclass(frozen=True, slots=True)
class NodeReferences(Constraint):
    """Ids and names of nodes, each once, names without outer spaces."""

    def check(self, value: tuple[int | str, ...] | None, scope: ArgumentScope) -> Any:
        """Return the references."""
        return value if value is None else tuple(dict.fromkeys(map(self._checked, value)))

    def _checked(self, reference: int | str) -> int | str:
        if isinstance(reference, int):
            if abs(reference) > MAX_ID:
                _fail(f"contains {reference}; the largest id is {MAX_ID}")
            return reference
        name = reference.strip()
        _check_text(name, MAX_NAME_CHARS)
        if CONTROL.search(name):
            _fail("contains a name with control characters", "Remove the control characters.")
        return name


@dataclass(frozen=True, slots=True)
class NodeKind(Constraint):
    """Name of a node table; the contract's first one where a default is wanted."""

    default: bool = False

    def schema(self, scope: ArgumentScope) -> dict[str, Any]:
        """Return the names, and the default."""
        names = [node.name for node in scope.contract.nodes]
        return {"enum": names} | ({"default": names[0]} if self.default else {})

    def check(self, value: str | None, scope: ArgumentScope) -> str | None:
        """Return the contract's spelling of a name."""
        if value is None:
            return scope.contract.nodes[0].name if self.default else None
        node = scope.contract.node(value)
        if node is None:
            _fail_unknown(value, tuple(node.name for node in scope.contract.nodes))
        return node.name


@dataclass(frozen=True, slots=True)
class EdgePath(Constraint):
    """Names of edge tables, one a hop."""

    def schema(self, scope: ArgumentScope) -> dict[str, Any]:
        """Return the names, for the items."""
        return {"items": {"enum": [edge.name for edge in scope.contract.edges], "type": "string"}}

    def check(self, value: tuple[str, ...] | None, scope: ArgumentScope) -> Any:
        """Return the contract's spelling of each name."""
        return value if value is None else tuple(self._edge(name, scope) for name in value)

    def _edge(self, name: str, scope: ArgumentScope) -> str:
        edge = scope.contract.edge(name)
        if edge is None:
            _fail_unknown(name, tuple(edge.name for edge in scope.contract.edges))
        return edge.name


@dataclass(frozen=True, slots=True)
class Top(Constraint):
    """Number of rows, from 1 to the operator's cap; null leaves the choice to the tool."""

    expanded: bool = False

    def schema(self, scope: ArgumentScope) -> dict[str, Any]:
        """Return the bounds."""
        return {"minimum": 1, "maximum": self._cap(scope)}

    def check(self, value: int | None, scope: ArgumentScope) -> int | None:
        """Return a number within the bounds; expanding takes the maximum by default."""
        cap = self._cap(scope)
        if value is None:
            return cap if self.expanded else None
        if not 1 <= value <= cap:
            _fail(
                f"is {value}; it must be from 1 to {cap}, the server's row limit",
                f"Use {cap}, or narrow the search.",
            )
        return value

    def _cap(self, scope: ArgumentScope) -> int:
        return scope.top_expanded if self.expanded else scope.top


def _fail_unknown(name: str, known: tuple[str, ...]) -> Never:
    problem = f"{name[:MAX_NAME_CHARS]!r} is not in the graph. Use one of {', '.join(known)}"
    _fail(problem, suggestions=closest_names(name, known))


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


Kind = Annotated[str | None, NodeKind(default=True), Field(validate_default=True)]
KindOrNone = Annotated[str | None, NodeKind()]
Detail = Literal["concise", "full"]
Words = Annotated[str, Text()]
WordsOrNone = Annotated[str | None, Text()]
Sql = Annotated[str, Text(MAX_SQL_CHARS)]
NoTruth = BeforeValidator(_no_truth)
Number = Annotated[int, NoTruth]
Limit = Annotated[Number | None, Top()]
Items = BeforeValidator(_items)
Item = Annotated[int, Field(strict=True)] | str
References = Annotated[
    tuple[Item, ...],
    BeforeValidator(_listed),
    Field(max_length=MAX_REFERENCES),
    NodeReferences(),
]
Nodes = Annotated[
    tuple[Item, ...] | None,
    BeforeValidator(_listed),
    Field(min_length=1, max_length=MAX_REFERENCES),
    NodeReferences(),
]
Path = Annotated[
    tuple[str, ...] | None,
    BeforeValidator(_listed),
    Field(min_length=1, max_length=MAX_HOPS),
    EdgePath(),
]
