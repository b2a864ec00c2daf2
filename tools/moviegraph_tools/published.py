"""Tools of the contract: statements that their author wrote, with typed parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field, create_model

from moviegraph.contract.published_tools import (
    LARGEST_INT,
    MAX_TEXT_CHARS,
    QUERY,
    PublishedTool,
    ToolParameter,
)
from moviegraph.errors import ContractError
from moviegraph_tools.tool_definition import (
    READ,
    Arguments,
    Item,
    NoTruth,
    ToolDefinition,
    iso_date,
    one_reference,
    text_limit,
)

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.query.rows import Rows
    from moviegraph.query.session import Call, Session

TYPES: dict[str, Any] = {
    "name": Annotated[Item, NoTruth, one_reference()],
    "int": Annotated[int, NoTruth, Field(ge=-LARGEST_INT - 1, le=LARGEST_INT)],
    "float": Annotated[float, NoTruth, Field(allow_inf_nan=False)],
    "date": Annotated[date, BeforeValidator(iso_date)],
    "text": Annotated[str, text_limit(MAX_TEXT_CHARS)],
    QUERY: Annotated[str, text_limit()],
}


@dataclass(frozen=True, slots=True)
class PublishedDefinition(ToolDefinition):
    """The definition of a tool of the contract."""

    tool: PublishedTool | None = None

    def repeat(self, session: Session, call: Call, recorded: Mapping[str, Any], top: int) -> Rows:
        """Run the statement again with the recorded values, and up to `top` rows."""
        from moviegraph.query.query_pipeline import decide
        from moviegraph.search import published
        from moviegraph.sql.decision import Allowed
        from moviegraph.sql.guard import RowLimits
        from moviegraph.strategies.expansion import scaled

        assert self.tool is not None
        contract = session.contract
        limits = RowLimits(session.limits.top_expanded, contract.limits.inner_top)
        types = published.parameter_types(self.tool, contract)
        decision = decide(session, self.tool.sql, limits, parameters=types)
        if not isinstance(decision, Allowed):
            raise decision.error()
        sql = scaled(decision, top, contract.limits.inner_top).sql
        values = self.arguments.model_validate(dict(recorded)).model_dump()
        return published.run(session, call, self.tool, values, sql=sql, top=top)


def published_tools(contract: Contract, taken: frozenset[str]) -> tuple[PublishedDefinition, ...]:
    """Return the tools of a contract; none may have a name that is taken.

    Raises:
        ContractError: The guard refuses a statement; the message has file and line.
    """
    return tuple(_definition(tool, contract, taken) for tool in contract.tools)


def _definition(
    tool: PublishedTool, contract: Contract, taken: frozenset[str]
) -> PublishedDefinition:
    _require_allowed(tool, contract, taken)

    def work(session: Session, call: Call, arguments: Arguments) -> Rows:
        from moviegraph.search import published

        return published.run(session, call, tool, arguments.model_dump())

    samples = {each.name: each.value for each in tool.parameters if not each.is_optional}
    has_samples = all(value is not None for value in samples.values())
    return PublishedDefinition(
        name=tool.name,
        title=tool.name.replace("_", " ").strip().capitalize(),
        description=tool.description.replace("{{", "{ {"),
        arguments=_arguments(tool),
        work=work,
        scope=READ,
        example=lambda _: samples if has_samples else None,
        repeatable=True,
        tool=tool,
    )


def _arguments(tool: PublishedTool) -> type[Arguments]:
    fields = {each.name: _field(each) for each in tool.parameters}
    return create_model(f"Published_{tool.name}", __base__=Arguments, **fields)


def _field(parameter: ToolParameter) -> Any:
    about = parameter.meaning.replace("{{", "{ {")
    if parameter.kind is not None:
        about += f" (name or id of {parameter.kind})"
    default: Any = parameter.value if parameter.is_optional else ...
    if parameter.type == "date" and parameter.is_optional:
        default = date.fromisoformat(str(parameter.value))
    kind = QUERY if parameter.name == QUERY else parameter.type
    return TYPES[kind], Field(default=default, description=about)


def _require_allowed(tool: PublishedTool, contract: Contract, taken: frozenset[str]) -> None:
    from moviegraph.search.published import parameter_types
    from moviegraph.sql.decision import Refused
    from moviegraph.sql.guard import judge

    if tool.name in taken or sum(other.name == tool.name for other in contract.tools) > 1:
        raise ContractError(f"{tool.file}: there is another tool with the name {tool.name}")
    for parameter in tool.parameters:
        if parameter.kind is not None and contract.node(parameter.kind) is None:
            kinds = ", ".join(node.name for node in contract.nodes)
            raise ContractError(
                f"{tool.file}, line {parameter.line}: no kind {parameter.kind}; kinds: {kinds}"
            )
    decision = judge(tool.sql, contract, parameters=parameter_types(tool, contract))
    if isinstance(decision, Refused):
        before = tool.sql[: decision.span[0]] if decision.span else ""
        line = tool.line + before.count("\n")
        raise ContractError(
            f"{tool.file}, line {line}: the guard refuses the tool {tool.name}: "
            f"{decision.code}: {decision.message}"
        )
    used = {*decision.parameters, *([QUERY] if decision.uses_query else [])}
    for parameter in tool.parameters:
        if parameter.name not in used:
            name = "q" if parameter.name == QUERY else parameter.name
            raise ContractError(
                f"{tool.file}, line {parameter.line}: the statement does not use @{name}"
            )
        used.remove(parameter.name)
    if used:
        raise ContractError(
            f"{tool.file}, line {tool.line}: @q needs the parameter `-- param query: text`"
        )
