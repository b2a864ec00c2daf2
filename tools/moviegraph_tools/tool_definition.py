"""The definition of a tool, and the tool that the SDK serves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, cast, get_args

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from moviegraph.contract.model import closest_names
from moviegraph.errors import ArgumentError, NotFoundError
from moviegraph.view.page import shown
from moviegraph_tools.argument_models import PROBLEM, Arguments, ArgumentScope, Constraint
from moviegraph_tools.call_runner import CallRunner, ToolAnswer
from moviegraph_tools.sampling import Asks, AsksAgain
from moviegraph_tools.tool_results import error_result

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

    from moviegraph.query.session import Call, Rows, Session

Work = Callable[["Session", "Call", Any], "Rows | dict[str, Any]"]
READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
MAX_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One tool: name, title, description (names in braces come from the contract), and its work.

    The work runs in a thread, after the arguments were checked. `asks` says which statements the
    client's own model may be asked to repair before that, and `asks_again` which ones after it
    failed to run them; then the work is done once more. What is `seen` is also shown as a picture
    by hosts that can. `output` is the schema of its result, for clients that want one.
    `form` is an example of the arguments, for those that have another form.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    work: Work
    asks: Asks | None = None
    asks_again: AsksAgain | None = None
    seen: bool = False
    output: dict[str, Any] | None = None
    form: str = ""


def forwards_to(target: str) -> Work:
    """Return work that passes the arguments on to a function, named `module:function`.

    It is imported by the first call, in its thread: it brings numpy and the SQL parser.
    """

    def work(session: Session, call: Call, arguments: Arguments) -> Rows | dict[str, Any]:
        return resolve_name(target)(session, call, **vars(arguments))

    return work


class StrictTool(Tool):
    """A tool that checks its arguments itself, so that a model can act on what is wrong."""

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> CallToolResult | InputRequiredResult:
        """Check the arguments and do the work; every failure becomes a result."""
        return await self.fn(arguments, context)


def strict_tool(
    definition: ToolDefinition, scope: ArgumentScope, words: dict[str, str]
) -> StrictTool:
    """Build the tool for one contract: names, defaults, bounds and examples come from it."""

    async def run(arguments: dict[str, Any], context: Context[CallRunner, Any]) -> ToolAnswer:
        runner = context.request_context.lifespan_context
        return await runner.run(
            definition, context, arguments, partial(parse_arguments, definition, arguments, scope)
        )

    return StrictTool(
        fn=run,
        name=definition.name,
        title=definition.title,
        description=definition.description.format_map(words),
        parameters=schema(definition.arguments, scope),
        fn_metadata=FuncMetadata(arg_model=ArgModelBase, output_schema=definition.output),
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


def schema(model: type[Arguments], scope: ArgumentScope) -> dict[str, Any]:
    """Return the JSON schema of arguments, as short as it can be said.

    An argument that may be null is simply optional; there are no titles and no references.
    """
    generated = model.model_json_schema()
    definitions = generated.pop("$defs", {})
    properties = {
        name: _without_default(
            _property(generated["properties"][name], definitions)
            | _constraint_schema(field.metadata, scope)
        )
        for name, field in model.model_fields.items()
    }
    required = {"required": generated["required"]} if "required" in generated else {}
    return {
        "type": "object",
        "properties": properties,
        **required,
        "additionalProperties": False,
    }


def _without_default(members: dict[str, Any]) -> dict[str, Any]:
    """Leave out a default that is the first word of an enumeration, or an empty list."""
    is_first = "enum" in members and members.get("default") == members["enum"][0]
    if is_first or members.get("default") == []:
        return {name: value for name, value in members.items() if name != "default"}
    return members


def _constraint_schema(metadata: list[Any], scope: ArgumentScope) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for constraint in metadata:
        if isinstance(constraint, Constraint):
            schema |= constraint.schema(scope)
    return schema


def _property(schema: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_property(item, definitions) for item in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    members = cast("dict[str, Any]", schema)
    if "$ref" in members:
        members = dict(definitions[members["$ref"].rsplit("/", 1)[-1]])
    if "anyOf" in members:
        members = _without_null(members)
    dropped = {"title", "minLength", "maxLength", "minItems", "maxItems"}
    if members.get("type") == "object":
        dropped |= {"description", "additionalProperties"}
    return {
        name: {key: _property(item, definitions) for key, item in value.items()}
        if name == "properties"
        else _property(value, definitions)
        for name, value in members.items()
        if name not in dropped and not (name == "default" and value in (None, []))
    }


def _without_null(members: dict[str, Any]) -> dict[str, Any]:
    """Return a union without null; one of plain types as a list of their names."""
    branches = [branch for branch in members["anyOf"] if branch != {"type": "null"}]
    remaining = {name: value for name, value in members.items() if name != "anyOf"}
    if len(branches) == 1:
        return branches[0] | remaining
    if all(set(branch) == {"type"} for branch in branches):
        return remaining | {"type": [branch["type"] for branch in branches]}
    return remaining | {"anyOf": branches}


MAX_SHOWN_CHARS = 80


def unknown_tools(tool_names: tuple[str, ...]) -> ServerMiddleware[Any]:
    """Middleware: a tool not among the known ones is an error like any other, in text and data."""

    async def middleware(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        name = (ctx.params or {}).get("name")
        if ctx.method != "tools/call" or not isinstance(name, str) or name in tool_names:
            return await call_next(ctx)
        shortened = name[:MAX_SHOWN_CHARS]
        return error_result(
            NotFoundError(
                f"There is no tool {shortened!r}. Available tools: {', '.join(tool_names)}.",
                suggestions=closest_names(shortened, tool_names),
            )
        )

    return middleware
