"""Models of tool arguments, their JSON schema, and the tools that the SDK serves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Never, cast, get_args

from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, core_schema

from moviegraph.contract.column_types import MAX_ID
from moviegraph.contract.markdown import fill
from moviegraph.contract.model import Contract
from moviegraph.errors import ArgumentError, NotFoundError
from moviegraph.names import closest_names
from moviegraph.view.page import shown
from moviegraph_tools.call_runner import CallRunner
from moviegraph_tools.examples import ExampleData
from moviegraph_tools.sampling import RepairRequest
from moviegraph_tools.tool_results import error_result

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

    from moviegraph.query.rows import Rows
    from moviegraph.query.session import Call, Session

MAX_TEXT_CHARS = 2_000
MAX_SQL_CHARS = 100_000
MAX_NAME_CHARS = 400
MAX_REFERENCES = 100
MAX_ENTRIES = 20
"""Of `only`: each is a condition of its own."""
MAX_HOPS = 4
MAX_PROBLEMS = 5
MAX_SHOWN_CHARS = 80
SIZES = frozenset({"minItems", "maxItems", "minLength", "maxLength"})
READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
SURROGATE = re.compile(r"[\ud800-\udfff]")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
PROBLEM = "argument"
"""The type of errors that are raised here; their context has the hint and the suggestions."""


@dataclass(frozen=True, slots=True)
class ArgumentScope:
    """What arguments are checked against: the contract and the operator's row limits."""

    contract: Contract
    top: int
    top_expanded: int


@dataclass(frozen=True, slots=True)
class Constraint:
    """A bound of one argument, shown in its schema and checked in every call.

    Attributes:
        check: Returns the value to use. Raises PydanticCustomError.
        schema: Returns the members that it adds to the argument's JSON schema.
    """

    check: Callable[[Any, ArgumentScope], Any]
    schema: Callable[[ArgumentScope], dict[str, Any]] = lambda _: {}

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


def _checked_text(text: str, max_chars: int, *, may_be_blank: bool = False) -> str:
    if not may_be_blank and not text.strip():
        _fail("is empty", "Provide text; only optional arguments can be omitted.")
    if len(text) > max_chars:
        _fail(f"has {len(text):,} characters; the maximum is {max_chars:,}", "Shorten it.")
    if "\0" in text or (not text.isascii() and SURROGATE.search(text)):
        _fail(
            "contains a character that is not valid in text (NUL or a lone surrogate)",
            "Remove that character.",
        )
    return text


def text_limit(max_chars: int = MAX_TEXT_CHARS, *, may_be_blank: bool = False) -> Constraint:
    """Return the constraint of text: not too long, and writable as UTF-8 without NUL."""

    def check(text: str | None, _: ArgumentScope) -> str | None:
        if text is None:
            return None
        return _checked_text(text, max_chars, may_be_blank=may_be_blank)

    return Constraint(check)


def row_limit(*, expanded: bool = False, has_default: bool = True) -> Constraint:
    """Return the constraint of a number of rows: from 1 to the operator's cap, its default."""

    def cap(scope: ArgumentScope) -> int:
        return scope.top_expanded if expanded else scope.top

    def check(value: int | None, scope: ArgumentScope) -> int:
        limit = cap(scope)
        if value is not None and not 1 <= value <= limit:
            _fail(
                f"is {value}; it must be from 1 to {limit}, the server's row limit",
                f"Use {limit}, or narrow the search.",
            )
        return limit if value is None else value

    def members(scope: ArgumentScope) -> dict[str, Any]:
        default = {"default": cap(scope)} if has_default else {}
        return {"minimum": 1, "maximum": cap(scope), **default}

    return Constraint(check, members)


def _check_references(references: tuple[int | str, ...], _: ArgumentScope) -> Any:
    """Return ids and names of nodes, each once, names without outer spaces."""
    return tuple(dict.fromkeys(map(_check_reference, references)))


def _check_reference(reference: int | str) -> int | str:
    if isinstance(reference, int):
        if abs(reference) > MAX_ID:
            _fail(f"contains {reference}; the largest id is {MAX_ID}")
        return reference
    name = _checked_text(reference.strip(), MAX_NAME_CHARS)
    if CONTROL.search(name):
        _fail("contains a name with control characters", "Remove the control characters.")
    return name


def one_reference() -> Constraint:
    """Return the constraint of one id or name of a node."""
    return Constraint(lambda reference, _: _check_reference(reference))


def iso_date(value: Any) -> Any:
    """Refuse what is no date as text, such as a number of seconds."""
    if not isinstance(value, str) or not ISO_DATE.fullmatch(value):
        raise PydanticCustomError("date_type", "Input should be a date such as 2024-05-31")
    return value


def _check_kind(value: str | None, scope: ArgumentScope) -> str:
    """Return the contract's spelling of a node table; its first one by default."""
    nodes = scope.contract.nodes
    node = nodes[0] if value is None else scope.contract.node(value)
    return node.name if node else _fail_unknown(value or "", [node.name for node in nodes])


def _check_path(value: tuple[str, ...], scope: ArgumentScope) -> tuple[str, ...]:
    """Return the contract's spelling of the edge tables of each hop."""
    if value and not scope.contract.edges:
        _fail("names an edge table, and this graph has no edges", "Use a search, or SQL.")
    edges = [(name, scope.contract.edge(name)) for name in value]
    known = [edge.name for edge in scope.contract.edges]
    return tuple(edge.name if edge else _fail_unknown(name, known) for name, edge in edges)


def _fail_unknown(name: str, known: list[str]) -> Never:
    problem = f"{name[:MAX_NAME_CHARS]!r} is not in the graph. Use one of {', '.join(known)}"
    _fail(problem, suggestions=closest_names(name, known))


REFERENCES = Constraint(_check_references)
NODE_KIND = Constraint(
    _check_kind, lambda scope: {"enum": [node.name for node in scope.contract.nodes]}
)
FIRST_KIND = Constraint(
    _check_kind,
    lambda scope: {**NODE_KIND.schema(scope), "default": scope.contract.nodes[0].name},
)
EDGE_PATH = Constraint(
    _check_path,
    lambda scope: {
        "items": {"enum": [edge.name for edge in scope.contract.edges], "type": "string"}
        if scope.contract.edges
        else {"type": "string"}
    },
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


HABITS: Mapping[str, tuple[str, ...]] = {
    "name": ("names",),
    "id": ("ids", "execution_id"),
    "query": ("start_query", "question"),
    "limit": ("top",),
}
"""Other names of arguments, and which argument of a tool they mean."""


class Arguments(BaseModel):
    """Arguments of a tool, or of an item in one; unknown names are refused.

    An optional argument that is null counts as left out: some hosts send every one of them. What
    models call an argument by habit counts as that argument.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        members, fields = cast("dict[str, Any]", values), cls.model_fields
        for habit in HABITS.keys() & members.keys() - fields.keys():
            meant = [name for name in HABITS[habit] if name in fields and name not in members]
            if meant:
                members = {meant[0] if n == habit else n: value for n, value in members.items()}
        if None not in members.values():
            return members
        return {
            name: value
            for name, value in members.items()
            if value is not None or name not in fields or fields[name].is_required()
        }


Kind = Annotated[
    str | None, FIRST_KIND, Field(validate_default=True, description="Kind of the rows.")
]
KindOrNone = Annotated[str | None, NODE_KIND]
Detail = Annotated[Literal["concise", "full"], Field(description="full: whole texts, and sql.")]
Words = Annotated[str, text_limit()]
WordsOrNone = Annotated[str | None, text_limit()]
Sql = Annotated[str, text_limit(MAX_SQL_CHARS)]
NoTruth = BeforeValidator(_no_truth)
Number = Annotated[int, NoTruth]
Limit = Annotated[Number | None, row_limit(), Field(description="Most rows.")]
Where = Annotated[WordsOrNone, Field(description="Condition on columns of the kind: {{where}}.")]
Items = BeforeValidator(_items)
Item = Annotated[int, Field(strict=True)] | str
References = Annotated[
    tuple[Item, ...],
    BeforeValidator(_listed),
    Field(max_length=MAX_REFERENCES),
    REFERENCES,
]
Like = Annotated[
    References, Field(description='Nodes to resemble: names, ids, Kind:Name, as "{{name}}".')
]
Only = Annotated[
    tuple[Item, ...],
    BeforeValidator(_listed),
    Field(
        max_length=MAX_ENTRIES,
        description='Keeps what is linked to each{{#only}}; A|B is either: "{{only}}"{{/only}}.',
    ),
    REFERENCES,
]
Exclude = Annotated[
    References, Field(description='Drops nodes, and what is linked to them: "{{exclude}}".')
]
Nodes = Annotated[
    tuple[Item, ...] | None,
    BeforeValidator(_listed),
    Field(min_length=1, max_length=MAX_REFERENCES),
    REFERENCES,
]
Path = Annotated[
    tuple[str, ...] | None,
    BeforeValidator(_listed),
    Field(min_length=1, max_length=MAX_HOPS),
    EDGE_PATH,
]
EdgeTables = Annotated[
    tuple[str, ...],
    BeforeValidator(_listed),
    Field(max_length=MAX_REFERENCES),
    Constraint(_check_path),  # the names are in the schema of a path
]


Work = Callable[["Session", "Call", Any], "Rows | dict[str, Any]"]
Scope = Literal["moviegraph:read", "moviegraph:sql"]
READ: Scope = "moviegraph:read"
SQL: Scope = "moviegraph:sql"
"""Of tools that run or repair a statement of their caller."""


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One tool: name, title, description, and its work.

    Names in double braces, here and in descriptions of arguments, come from the graph that is
    served. `example` returns arguments that return rows there, or None where no call can.

    The work runs in a thread, after the arguments were checked; what it needs is imported there by
    the first call, since numpy and the SQL parser take long. `scope` is what a token must grant.
    An execution of a tool that is `repeatable` can be expanded: its work is done again with a
    larger `top`, or with the same arguments where it has none. `unrepaired` returns the failed
    statements of a result that the client's own model may be asked to repair, before the work is
    done once more; `statements` returns all that may be among them. What is `seen` is also shown
    as a picture by hosts that can. `form` is an example of the arguments, for callers that pass
    another form.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    work: Work
    scope: Scope
    example: Callable[[ExampleData], dict[str, Any] | None]
    repeatable: bool = False
    statements: Callable[[Any], list[str]] | None = None
    unrepaired: Callable[[Session, Any, dict[str, Any]], list[RepairRequest]] | None = None
    seen: bool = False
    form: str = ""

    def repeat(self, session: Session, call: Call, recorded: Mapping[str, Any], top: int) -> Rows:
        """Do the work again with recorded arguments, with another `top` if it takes one."""
        values = dict(recorded)
        if "top" in self.arguments.model_fields:
            values["top"] = top
        arguments = self.arguments.model_construct(None, **values)
        return cast("Rows", self.work(session, call, arguments))


class StrictTool(Tool):
    """A tool that checks its arguments itself, so that a model can act on what is wrong."""

    definition: Any
    scope: Any

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,
    ) -> CallToolResult | InputRequiredResult:
        """Check the arguments and do the work; every failure becomes a result."""
        runner: CallRunner = context.request_context.lifespan_context
        parse = partial(parse_arguments, self.definition, arguments, self.scope)
        return await runner.run(self.definition, context, arguments, parse)


def strict_tool(definition: ToolDefinition, scope: ArgumentScope, data: ExampleData) -> StrictTool:
    """Build the tool for one contract: names, defaults, bounds and examples come from it."""
    words = data.words() | {"top": str(scope.top), "top_expanded": str(scope.top_expanded)}
    description, example = fill(definition.description, words), definition.example(data)
    if example is not None:
        description += f" Example: {json.dumps(example, ensure_ascii=False)}"
    return StrictTool(
        definition=definition,
        scope=scope,
        fn=definition.work,
        name=definition.name,
        title=definition.title,
        description=description,
        parameters=schema(definition.arguments, scope, words),
        fn_metadata=FuncMetadata(arg_model=ArgModelBase),
        is_async=True,
        context_kwarg=None,
        annotations=READ_ONLY,
        meta=shown() if definition.seen else None,
    )


def parse_arguments(
    definition: ToolDefinition, values: dict[str, Any], scope: ArgumentScope
) -> Arguments:
    """Return the arguments, checked. Raises ArgumentError."""
    model = definition.arguments
    try:
        return model.model_validate(values, context=scope)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False, include_context=True)
    details.sort(key=lambda detail: detail["type"] == PROBLEM)  # wrong types and names first
    first = details[0]
    if first["type"] == PROBLEM:
        context = first.get("ctx", {})
        raise ArgumentError(
            f"{_position(first)} {first['msg']}.",
            hint=context["hint"],
            suggestions=context["suggestions"],
        )
    problems = "; ".join(dict.fromkeys(map(_problem, details[:MAX_PROBLEMS])))
    accepted = _accepted(model, first["loc"])
    raise ArgumentError(
        f"Arguments of {definition.name}: {problems}.",
        hint=f"Accepted arguments: {', '.join(accepted)}. {definition.form}".rstrip(),
        suggestions=_nearest(model, details),
    )


def _nearest(model: type[Arguments], details: list[ErrorDetails]) -> tuple[str, ...]:
    """Return the nearest accepted name for each unknown one, at its own level."""
    unknown = [detail["loc"] for detail in details if detail["type"] == "extra_forbidden"]
    return tuple(
        suggestion
        for path in unknown
        for suggestion in closest_names(str(path[-1]), _accepted(model, path), 1)
    )


def _accepted(model: type[Arguments], path: tuple[int | str, ...]) -> tuple[str, ...]:
    """Return the names accepted where a problem is: those of an item, within a list of items."""
    for part in path[:-1]:
        field = model.model_fields.get(str(part))
        inner = get_args(field.annotation) if field else ()
        if inner and isinstance(inner[0], type) and issubclass(inner[0], Arguments):
            model = inner[0]
    return tuple(model.model_fields)


def _position(detail: ErrorDetails) -> str:
    return ".".join(str(part) for part in detail["loc"] if not _is_branch(part))


def _problem(detail: ErrorDetails) -> str:
    position = _position(detail)
    if detail["type"] == PROBLEM:
        return f"{position} {detail['msg']}"
    if detail["type"] == "extra_forbidden":
        return f"{position[:80]!r} is not an argument"
    if detail["type"] == "missing":
        return f"{position!r} is missing"
    if _is_branch(detail["loc"][-1]):
        return f"{position!r}: input should be an integer (an id) or a string (a name)"
    if detail["type"] in ("tuple_type", "list_type"):
        return f"{position!r}: input should be a list"
    if detail["type"] in ("model_type", "dict_type"):
        return f"{position!r}: input should be an object"
    message = detail["msg"].replace(" after validation", "")
    return f"{position!r}: {message[0].lower()}{message[1:]}"


def _is_branch(part: int | str) -> bool:
    """Whether pydantic names here the branch of a union, which no caller knows."""
    return part in ("int", "str")


class ShortJsonSchema(GenerateJsonSchema):
    """JSON schema as short as it can be said.

    An argument that may be null is simply optional. There are no titles and no empty defaults.
    """

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Return the schema without null."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Return the schema, with a default that is worth a word."""
        members = super().default_schema(schema)
        if members.get("default") in (None, []):
            members.pop("default", None)
        return members

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Return False: a title only repeats the name."""
        return False


def schema(
    model: type[Arguments], scope: ArgumentScope, words: Mapping[str, str]
) -> dict[str, Any]:
    """Return the JSON schema of arguments, without references, and sizes that errors name.

    Descriptions are filled with words of the graph that is served.
    """
    generated = model.model_json_schema(
        schema_generator=ShortJsonSchema, union_format="primitive_type_array"
    )
    definitions, properties = generated.pop("$defs", {}), dict[str, Any]()
    for name, field in model.model_fields.items():
        described = generated["properties"][name]
        members = {key: value for key, value in described.items() if key not in SIZES}
        for constraint in field.metadata:
            if isinstance(constraint, Constraint):
                members |= constraint.schema(scope)
        if "description" in members:
            members["description"] = fill(members["description"], words)
        if "$ref" in (items := members.get("items", {})):
            item = definitions[items["$ref"].rsplit("/", 1)[-1]]
            members["items"] = {key: item[key] for key in ("properties", "required", "type")}
        properties[name] = members
    required = {"required": generated["required"]} if "required" in generated else {}
    return {
        "type": "object",
        "properties": properties,
        **required,
        "additionalProperties": False,
    }


def unknown_tool(name: str, tool_names: tuple[str, ...]) -> CallToolResult:
    """Return the error of a tool that does not exist: one like any other, in text and data."""
    shortened = name[:MAX_SHOWN_CHARS]
    return error_result(
        NotFoundError(
            f"There is no tool {shortened!r}. Available tools: {', '.join(tool_names)}.",
            suggestions=closest_names(shortened, tool_names),
        )
    )
