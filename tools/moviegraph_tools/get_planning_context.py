"""The tool get_planning_context: what a planner needs to know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from moviegraph_tools.arguments import Arguments, WordsOrNone
from moviegraph_tools.strict import Definition

if TYPE_CHECKING:
    from moviegraph.retrieval.session import Call, Session


class GetPlanningContext(Arguments):
    """Arguments of get_planning_context."""

    question: WordsOrNone = None
    section: Literal["tables", "edges", "examples", "rules", "glossary"] | None = None


def work(session: Session, call: Call, arguments: GetPlanningContext) -> dict[str, Any]:
    """Gather."""
    from moviegraph.retrieval import planning

    return planning.context(session, call, **vars(arguments))


GET_PLANNING_CONTEXT = Definition(
    name="get_planning_context",
    title="Planning context",
    description=(
        "Before writing SQL: for a question its tables, readings, gaps, examples and "
        "rules; or one section of the contract. Call it first. Not an answer. "
        "Example: {{question: {question}}}"
    ),
    arguments=GetPlanningContext,
    work=work,
)
