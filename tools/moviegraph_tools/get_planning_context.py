"""The tool get_planning_context: what a planner needs to know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from moviegraph_tools.tool_definition import READ, Arguments, ToolDefinition, WordsOrNone
from moviegraph_tools.tool_results import Rendered

if TYPE_CHECKING:
    from moviegraph.query.session import Call, Session


class GetPlanningContext(Arguments):
    """Arguments of get_planning_context."""

    question: Annotated[WordsOrNone, Field(description="In the language of the texts.")] = None
    section: Annotated[
        Literal["tables", "edges", "examples", "rules", "glossary"] | None,
        Field(description="Instead of question: a section of the contract."),
    ] = None


def gather_context(session: Session, call: Call, arguments: GetPlanningContext) -> dict[str, Any]:
    """Gather."""
    from moviegraph.search import planning

    planning_context = planning.context(
        session, call, question=arguments.question, section=arguments.section
    )
    return (
        planning_context if arguments.section else Rendered(planning_context, planning.context_text)
    )


GET_PLANNING_CONTEXT = ToolDefinition(
    name="get_planning_context",
    title="Planning context",
    description=(
        "For questions that need SQL or several steps: tables, edges, the nodes that a question "
        "names, facts, examples; or one section of the contract; without arguments the schema. "
        "Ask in the texts' language ({{language}}): translate first. Not an answer."
    ),
    arguments=GetPlanningContext,
    work=gather_context,
    scope=READ,
    example=lambda data: {"question": data.question},
)
