"""The tool expand_strategy: more rows of the execution that answered best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from moviegraph_tools.argument_models import Arguments, Text, Top, WordsOrNone
from moviegraph_tools.tool_definition import ToolDefinition

if TYPE_CHECKING:
    from moviegraph.query.session import Call, Rows, Session

MAX_ID_CHARS = 64


class ExpandStrategy(Arguments):
    """Arguments of expand_strategy."""

    execution_id: Annotated[str | None, Text(MAX_ID_CHARS)] = None
    question: WordsOrNone = None
    top: Annotated[int | None, Top(expanded=True), Field(validate_default=True)] = None


def work(session: Session, call: Call, arguments: ExpandStrategy) -> Rows:
    """Expand."""
    from moviegraph.strategies import expansion

    return expansion.expand(session, call, **vars(arguments))


EXPAND_STRATEGY = ToolDefinition(
    name="expand_strategy",
    title="Expand a strategy",
    description=(
        "An earlier execution again, with up to {top_expanded} rows: by id, or the best of a "
        "question. After run_strategies; not for new SQL. "
        "Example: {{execution_id: '...'}}"
    ),
    arguments=ExpandStrategy,
    work=work,
)
