"""The tool get_planning_context: what a planner needs to know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from moviegraph_tools.tool_definition import READ, Arguments, ToolDefinition, WordsOrNone
from moviegraph_tools.tool_results import Rendered

if TYPE_CHECKING:
    from moviegraph.query.session import Call, Session


class GetPlanningContext(Arguments):
    """Arguments of get_planning_context."""

    question: WordsOrNone = None
    section: Literal["tables", "edges", "examples", "rules", "glossary"] | None = None


def gather_context(session: Session, call: Call, arguments: GetPlanningContext) -> dict[str, Any]:
    """Gather."""
    from moviegraph.search import planning

    planning_context = planning.context(
        session, call, question=arguments.question, section=arguments.section
    )
    return (
        planning_context
        if arguments.question is None
        else Rendered(planning_context, planning.context_text)
    )


GET_PLANNING_CONTEXT = ToolDefinition(
    name="get_planning_context",
    title="Planning context",
    description=(
        "Before writing SQL: tables, edges, the nodes that a question names, facts, examples; or "
        "one section of the contract. Ask in the texts' language ({language}): translate "
        "first. Not an answer. "
        "Example: {{question: {question}}}"
    ),
    arguments=GetPlanningContext,
    work=gather_context,
    scope=READ,
)
