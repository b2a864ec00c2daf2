"""The tool hybrid_search: its description and arguments; search/hybrid.py does it."""

from typing import Annotated

from pydantic import Field

from moviegraph_tools.tool_definition import (
    Arguments,
    Detail,
    Kind,
    Limit,
    References,
    ToolDefinition,
    Words,
    WordsOrNone,
    forwards_to,
)


class HybridSearch(Arguments):
    """Arguments of hybrid_search."""

    query: Words
    keywords: Annotated[WordsOrNone, Field(description="Default: query.")] = None
    kind: Kind = None
    like: References = ()
    exclude: References = ()
    top: Limit = None
    where: WordsOrNone = None
    detail: Detail = "concise"


HYBRID_SEARCH = ToolDefinition(
    name="hybrid_search",
    title="Hybrid search",
    description=(
        "Meaning, words and links fused by rank, names first; `like` and `exclude` take names, "
        "such as Series:Rocky. Not to walk links (graph_traverse). Example: "
        "{{query: '...', like: [{name}]}}"
    ),
    arguments=HybridSearch,
    work=forwards_to("moviegraph.search.hybrid:search"),
)
