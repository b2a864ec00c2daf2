"""The tool semantic_search: nearest nodes by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from moviegraph_tools.tool_definition import (
    READ,
    Arguments,
    Detail,
    Exclude,
    Kind,
    Like,
    Limit,
    Only,
    ToolDefinition,
    Where,
    WordsOrNone,
)

if TYPE_CHECKING:
    from moviegraph.query.rows import Rows
    from moviegraph.query.session import Call, Session


class SemanticSearch(Arguments):
    """Arguments of semantic_search."""

    query: Annotated[
        WordsOrNone, Field(description="Worded like the texts; or pass like, or both.")
    ] = None
    kind: Kind = None
    like: Like = ()
    only: Only = ()
    exclude: Exclude = ()
    top: Limit = None
    where: Where = None
    detail: Detail = "concise"


def search_meaning(session: Session, call: Call, arguments: SemanticSearch) -> Rows:
    """Search by meaning."""
    from moviegraph.search import semantic

    return semantic.search(session, call, **dict(arguments))


SEMANTIC_SEARCH = ToolDefinition(
    name="semantic_search",
    title="Search by meaning",
    description=(
        "Nodes nearest in meaning: for moods and ideas that share no words with the texts; else "
        "hybrid_search. Not for names (fulltext_search) or counts (run_readonly_sql)."
        "{{^vector}} This graph has no vectors: use fulltext_search.{{/vector}}"
    ),
    arguments=SemanticSearch,
    work=search_meaning,
    scope=READ,
    example=lambda data: data.with_vectors({"query": data.query}),
    repeatable=True,
)
