"""The tool semantic_search: nearest nodes by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from moviegraph_tools.argument_models import Arguments, Detail, Kind, Limit, References, WordsOrNone
from moviegraph_tools.tool_definition import ToolDefinition

if TYPE_CHECKING:
    from moviegraph.query.session import Call, Rows, Session


class SemanticSearch(Arguments):
    """Arguments of semantic_search."""

    query: Annotated[WordsOrNone, Field(description="Worded like the texts.")] = None
    kind: Kind = None
    like: Annotated[References, Field(description="Nodes to resemble.")] = ()
    exclude: References = ()
    top: Limit = None
    where: WordsOrNone = None
    detail: Detail = "concise"


def work(session: Session, call: Call, arguments: SemanticSearch) -> Rows:
    """Search by meaning."""
    from moviegraph.search import semantic

    return semantic.search(session, call, **vars(arguments))


SEMANTIC_SEARCH = ToolDefinition(
    name="semantic_search",
    title="Search by meaning",
    description=(
        "Nodes nearest in meaning: ideas, moods. Not for exact names (fulltext_search) or "
        "counts (run_readonly_sql). `where`: {where}. "
        "Example: {{query: {query}}}"
    ),
    arguments=SemanticSearch,
    work=work,
)
