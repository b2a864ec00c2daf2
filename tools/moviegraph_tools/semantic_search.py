"""The tool semantic_search: nearest nodes by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from moviegraph_tools.tool_definition import (
    READ,
    Arguments,
    Detail,
    Entries,
    Kind,
    Limit,
    References,
    ToolDefinition,
    WordsOrNone,
)

if TYPE_CHECKING:
    from moviegraph.query.rows import Rows
    from moviegraph.query.session import Call, Session


class SemanticSearch(Arguments):
    """Arguments of semantic_search."""

    query: Annotated[WordsOrNone, Field(description="Worded like the texts.")] = None
    kind: Kind = None
    like: Annotated[References, Field(description="Nodes to resemble.")] = ()
    only: Entries = ()
    exclude: References = ()
    top: Limit = None
    where: WordsOrNone = None
    detail: Detail = "concise"


def search_meaning(session: Session, call: Call, arguments: SemanticSearch) -> Rows:
    """Search by meaning."""
    from moviegraph.search import semantic

    return semantic.search(session, call, **dict(arguments))


SEMANTIC_SEARCH = ToolDefinition(
    name="semantic_search",
    title="Search by meaning",
    description=(
        "Nodes nearest in meaning: ideas, moods. Not for exact names (fulltext_search) or "
        "counts (run_readonly_sql). `where`: {where}. "
        "Example: {{query: {query}}}"
    ),
    arguments=SemanticSearch,
    work=search_meaning,
    scope=READ,
    repeatable=True,
)
