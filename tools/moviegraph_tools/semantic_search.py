"""The tool semantic_search: nearest nodes by meaning."""

from typing import Annotated

from pydantic import Field

from moviegraph_tools.tool_definition import (
    Arguments,
    Detail,
    Kind,
    Limit,
    References,
    ToolDefinition,
    WordsOrNone,
    forwards_to,
)


class SemanticSearch(Arguments):
    """Arguments of semantic_search."""

    query: Annotated[WordsOrNone, Field(description="Worded like the texts.")] = None
    kind: Kind = None
    like: Annotated[References, Field(description="Nodes to resemble.")] = ()
    exclude: References = ()
    top: Limit = None
    where: WordsOrNone = None
    detail: Detail = "concise"


SEMANTIC_SEARCH = ToolDefinition(
    name="semantic_search",
    title="Search by meaning",
    description=(
        "Nodes nearest in meaning: ideas, moods. Not for exact names (fulltext_search) or "
        "counts (run_readonly_sql). `where`: {where}. "
        "Example: {{query: {query}}}"
    ),
    arguments=SemanticSearch,
    work=forwards_to("moviegraph.search.semantic:search"),
)
