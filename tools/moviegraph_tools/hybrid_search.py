"""The tool hybrid_search: its description and arguments; search/hybrid.py does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import Field, model_validator

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


class HybridSearch(Arguments):
    """Arguments of hybrid_search."""

    query: Annotated[WordsOrNone, Field(description="What the texts say, in their language.")]
    keywords: Annotated[
        WordsOrNone, Field(description="Words to find instead of those of query.")
    ] = None
    kind: Kind = None
    like: Like = ()
    only: Only = ()
    exclude: Exclude = ()
    top: Limit = None
    where: Where = None
    detail: Detail = "concise"

    @model_validator(mode="before")
    @classmethod
    def _by_likeness(cls, values: Any) -> Any:
        """Accept `like` without a query: the examples say what to search for."""
        if not isinstance(values, dict):
            return values
        members = cast("dict[str, Any]", values)
        return {"query": None, **members} if members.get("like") else members


def search_all(session: Session, call: Call, arguments: HybridSearch) -> Rows:
    """Search by meaning, words and links."""
    from moviegraph.search import hybrid

    return hybrid.search(session, call, **dict(arguments))


HYBRID_SEARCH = ToolDefinition(
    name="hybrid_search",
    title="Hybrid search",
    description=(
        "The first choice for every search: meaning, words and links fused by rank, exact names "
        "first; one call often answers. Not to walk links (graph_traverse), nor to count "
        "(run_readonly_sql)."
    ),
    arguments=HybridSearch,
    work=search_all,
    scope=READ,
    example=lambda data: {"query": data.query} | ({"only": [data.only]} if data.only else {}),
    repeatable=True,
)
