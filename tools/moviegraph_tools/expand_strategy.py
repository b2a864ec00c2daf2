"""The tool expand_strategy: more rows of the execution that answered best."""

from typing import Annotated

from pydantic import Field

from moviegraph_tools.tool_definition import (
    Arguments,
    ToolDefinition,
    WordsOrNone,
    forwards_to,
    row_limit,
    text_limit,
)

MAX_ID_CHARS = 64


class ExpandStrategy(Arguments):
    """Arguments of expand_strategy."""

    execution_id: Annotated[str | None, text_limit(MAX_ID_CHARS)] = None
    question: WordsOrNone = None
    top: Annotated[int | None, row_limit(expanded=True), Field(validate_default=True)] = None


EXPAND_STRATEGY = ToolDefinition(
    name="expand_strategy",
    title="Expand a strategy",
    description=(
        "An earlier execution again, with up to {top_expanded} rows: by id, or the best of a "
        "question. After run_strategies; not for new SQL. "
        "Example: {{execution_id: '...'}}"
    ),
    arguments=ExpandStrategy,
    work=forwards_to("moviegraph.strategies.expansion:expand"),
)
