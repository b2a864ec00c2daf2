"""The tool expand_strategy: more rows of the execution that answered best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from moviegraph_tools.tool_definition import (
    SQL,
    Arguments,
    ToolDefinition,
    WordsOrNone,
    row_limit,
    text_limit,
)

if TYPE_CHECKING:
    from moviegraph.query.rows import Rows
    from moviegraph.query.session import Call, Session

MAX_ID_CHARS = 64


class ExpandStrategy(Arguments):
    """Arguments of expand_strategy."""

    execution_id: Annotated[
        str | None, text_limit(MAX_ID_CHARS), Field(description="Of the earlier result.")
    ] = None
    question: Annotated[
        WordsOrNone, Field(description="Instead of execution_id, as run_strategies had it.")
    ] = None
    top: Annotated[
        int | None,
        row_limit(expanded=True),
        Field(validate_default=True, description="Most rows."),
    ] = None


def expand_strategy(tools: Sequence[ToolDefinition]) -> ToolDefinition:
    """Return the tool, which repeats executions of those of the tools that are repeatable."""
    repeats = {tool.name: tool.repeat for tool in tools if tool.repeatable}

    def expand(session: Session, call: Call, arguments: ExpandStrategy) -> Rows:
        from moviegraph.strategies import expansion

        return expansion.expand(
            session,
            call,
            repeats,
            execution_id=arguments.execution_id,
            question=arguments.question,
            top=arguments.top,
        )

    return ToolDefinition(
        name="expand_strategy",
        title="Expand a strategy",
        description=(
            "An earlier execution again, with up to {{top_expanded}} rows: by its execution_id, or "
            "the best strategy of a question. Not for new SQL."
        ),
        arguments=ExpandStrategy,
        work=expand,
        scope=SQL,
        example=lambda data: {"question": data.question},
    )
